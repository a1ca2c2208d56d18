//! From a place among siblings to an order key.

use std::collections::HashSet;
use std::sync::Arc;

use super::DesignValue;
use super::apply::Run;
use super::geometry::GeometryPatch;
use super::node::{Id, Node};
use super::op::{DesignOp, Placement, Position};
use crate::fault::Rule;
use crate::flaw::Flaw;
use crate::order::OrderKey;

/// Nodes that go to one place together, in order.
struct Party<'a> {
    parent: Option<Id>,
    placement: &'a Placement,
    ids: Vec<Id>,
    members: HashSet<Id>,
}

/// The siblings at a place, those that go there left out.
struct Gap {
    left: Option<Arc<Node>>,
    right: Option<Arc<Node>>,
}

impl Run<'_> {
    /// Gives the order key for the node that operation `index` places. Where the operations after it place theirs right
    /// beside it, all of them get evenly spaced keys at once.
    pub(super) fn key_for(
        &mut self,
        index: usize,
        id: &Id,
        parent: Option<&Id>,
        placement: &Placement,
    ) -> Result<OrderKey, Flaw> {
        if let Some(key) = self.planned.pop_front() {
            return Ok(key);
        }
        let (ids, members) = (vec![id.clone()], HashSet::from([id.clone()]));
        let mut party = Party {
            parent: parent.cloned(),
            placement,
            ids,
            members,
        };
        let ops = self.ops;
        party.gather(self.value, ops.get(index + 1..).unwrap_or_default());
        let gap = self.value.gap(&party)?;
        if self.value.stands_there(&party, &gap) {
            return Ok(self.node(id)?.order().clone());
        }
        let mut keys = self.make_keys(&party, &gap)?.into_iter();
        let first = keys.next().ok_or(Rule::OrderKeysExhausted)?;
        self.planned.extend(keys);
        Ok(first)
    }

    /// Makes a key for each node of a party. Where the two siblings beside it have equal keys, the ones on the right get
    /// new keys first.
    fn make_keys(&mut self, party: &Party<'_>, gap: &Gap) -> Result<Vec<OrderKey>, Flaw> {
        let (left, right) = (gap.left.as_deref(), gap.right.as_deref());
        let equal = match (left, right) {
            (Some(left), Some(right)) if left.order() == right.order() => self.value.equals_from(right, party),
            _ => Vec::new(),
        };
        let right = match equal.last() {
            Some(last) => self.value.next_outside(last, party),
            None => right.map(|right| right.order().clone()),
        };
        let count = party.ids.len();
        let mut keys = OrderKey::spread(left.map(Node::order), right.as_ref(), count + equal.len())
            .ok_or(Rule::OrderKeysExhausted)?;
        for (node, key) in equal.iter().zip(keys.split_off(count)) {
            self.rekey(node, key);
        }
        Ok(keys)
    }

    fn rekey(&mut self, old: &Node, key: OrderKey) {
        let moving = |value: &DesignValue, node: &Node| DesignOp::MoveNode {
            id: node.id().clone(),
            parent: None,
            position: Some(Position::Keyed(node.order().clone())),
            siblings: Some(value.siblings_of(node)),
            geometry: GeometryPatch::default(),
        };
        let before = moving(self.value, old);
        self.value.put_node(Node::new(old.content().clone(), key));
        self.commit(|value| value.node(old.id()).map(|node| (moving(value, node), before)));
    }
}

impl Party<'_> {
    /// Takes in the operations that place their nodes one after another at the same place.
    fn gather(&mut self, value: &DesignValue, ops: &[DesignOp]) {
        for op in ops {
            let Some((id, parent, placement)) = placing(value, op) else {
                return;
            };
            let follows = match placement {
                Placement::After(other) => self.ids.last() == Some(other),
                Placement::Before(_) => self.placement == placement,
                Placement::First | Placement::Last => false,
            };
            if !follows || parent != self.parent.as_ref() || self.is_beside(id) || self.contains(id) {
                return;
            }
            self.ids.push(id.clone());
            self.members.insert(id.clone());
        }
    }

    fn contains(&self, id: &Id) -> bool {
        self.members.contains(id)
    }

    /// Says whether the place is given by this node.
    fn is_beside(&self, id: &Id) -> bool {
        matches!(self.placement, Placement::After(other) | Placement::Before(other) if other == id)
    }
}

impl DesignValue {
    /// Finds the siblings between which a party goes.
    fn gap(&self, party: &Party<'_>) -> Result<Gap, Flaw> {
        let outside = |node: &&Node| !party.contains(node.id());
        let shared = |node: &Node| self.nodes.get(node.id()).cloned();
        let parent = party.parent.as_ref();
        Ok(match party.placement {
            Placement::First => Gap {
                left: None,
                right: self.children_of(parent).find(outside).and_then(shared),
            },
            Placement::Last => Gap {
                left: self.children_of(parent).rev().find(outside).and_then(shared),
                right: None,
            },
            Placement::After(id) => {
                let left = self
                    .sibling(id, party)
                    .map_err(|rule| Flaw::new("/placement/after", rule))?;
                let right = self.siblings_after(&left).find(outside).and_then(shared);
                Gap {
                    left: Some(left),
                    right,
                }
            }
            Placement::Before(id) => {
                let right = self
                    .sibling(id, party)
                    .map_err(|rule| Flaw::new("/placement/before", rule))?;
                let left = self.siblings_before(&right).find(outside).and_then(shared);
                Gap {
                    left,
                    right: Some(right),
                }
            }
        })
    }

    fn sibling(&self, id: &Id, party: &Party<'_>) -> Result<Arc<Node>, Rule> {
        let node = self
            .nodes
            .get(id)
            .filter(|node| node.parent() == party.parent.as_ref() && !party.contains(id));
        node.cloned().ok_or_else(|| Rule::SiblingMissing { id: id.to_string() })
    }

    /// Says whether all of a party stand in the gap already, in order.
    fn stands_there(&self, party: &Party<'_>, gap: &Gap) -> bool {
        let there: Vec<&Node> = match &gap.left {
            Some(left) => self.siblings_after(left).take(party.ids.len()).collect(),
            None => self.children_of(party.parent.as_ref()).take(party.ids.len()).collect(),
        };
        there.iter().map(|node| node.id()).eq(party.ids.iter())
    }

    /// Gives the siblings from `right` on that have the same key, the party left out.
    fn equals_from(&self, right: &Node, party: &Party<'_>) -> Vec<Arc<Node>> {
        let equal = self
            .siblings_after(right)
            .take_while(|node| node.order() == right.order());
        let all = self.node(right.id()).into_iter().chain(equal);
        all.filter(|node| !party.contains(node.id()))
            .filter_map(|node| self.nodes.get(node.id()).cloned())
            .collect()
    }

    /// Gives the key of the next sibling after `node` that is not of the party.
    fn next_outside(&self, node: &Node, party: &Party<'_>) -> Option<OrderKey> {
        self.siblings_after(node)
            .find(|next| !party.contains(next.id()))
            .map(|next| next.order().clone())
    }
}

/// Gives the node, the parent and the place, if an operation places a node.
fn placing<'a>(value: &'a DesignValue, op: &'a DesignOp) -> Option<(&'a Id, Option<&'a Id>, &'a Placement)> {
    match op {
        DesignOp::AddNode {
            node,
            position: Position::Placed(placement),
            ..
        } => Some((&node.id, node.parent.as_ref(), placement)),
        DesignOp::MoveNode {
            id,
            parent,
            position: Some(Position::Placed(placement)),
            ..
        } => {
            let parent = match parent {
                Some(parent) => parent.as_ref(),
                None => value.node(id)?.parent(),
            };
            Some((id, parent, placement))
        }
        _ => None,
    }
}
