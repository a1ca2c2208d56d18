//! Grouping, ungrouping, and deleting with descendants: the operations for it, made from the value as it is.

use std::collections::HashSet;

use super::DesignValue;
use super::geometry::{Geometry, GeometryPatch, Side};
use super::node::{Id, Node};
use super::number::Number;
use super::op::{DesignOp, NewNode, Placement, Position};
use crate::fault::Rule;

/// The type of a group.
const GROUP: &str = "group";

impl DesignValue {
    /// Makes the operations that group nodes: the group is added at the place of the topmost (last) member, then the
    /// members move into it in their order. Their places on the page stay: what the group's x and y add is taken off
    /// theirs. A rotation of the group is not taken off.
    ///
    /// Members that lie below other members come along with those and are passed over.
    ///
    /// # Errors
    /// [`Rule::NodeMissing`] for a member that is not there, [`Rule::IdTaken`] for the group's id, and
    /// [`Rule::SiblingMissing`] if there is no member at all, or the members have different parents.
    pub fn group(&self, group: NewNode, members: &[Id]) -> Result<Vec<DesignOp>, Rule> {
        if self.node(&group.id).is_some() {
            return Err(Rule::IdTaken {
                id: group.id.to_string(),
            });
        }
        let mut nodes = self.members(members)?;
        nodes.sort_by_key(|node| node.child_key());
        let Some(top) = nodes.last() else {
            return Err(Rule::SiblingMissing {
                id: group.id.to_string(),
            });
        };
        if let Some(other) = nodes.iter().find(|node| node.parent() != top.parent()) {
            return Err(Rule::SiblingMissing {
                id: other.id().to_string(),
            });
        }
        let group = NewNode {
            parent: top.parent().cloned(),
            ..group
        };
        let (id, origin) = (group.id.clone(), group.geometry.clone());
        let placement = Placement::After(top.id().clone());
        let mut ops = vec![DesignOp::AddNode {
            node: group,
            position: Position::Placed(placement),
            siblings: None,
        }];
        let mut last = Placement::First;
        for node in nodes {
            ops.push(moving(
                node,
                Some(id.clone()),
                last,
                shifted(node.geometry(), &origin, -1.0),
            ));
            last = Placement::After(node.id().clone());
        }
        Ok(ops)
    }

    /// Makes the operations that ungroup a group: its members move to its place in their order, then it is removed.
    /// Their places on the page stay, as with [`DesignValue::group`].
    ///
    /// # Errors
    /// [`Rule::NodeMissing`] if there is no such node.
    pub fn ungroup(&self, id: &Id) -> Result<Vec<DesignOp>, Rule> {
        let group = self.node(id).ok_or_else(|| Rule::NodeMissing { id: id.to_string() })?;
        let mut ops = Vec::new();
        let mut last = group.id();
        for node in self.children_of(Some(id)) {
            let geometry = shifted(node.geometry(), group.geometry(), 1.0);
            ops.push(moving(
                node,
                group.parent().cloned(),
                Placement::After(last.clone()),
                geometry,
            ));
            last = node.id();
        }
        ops.push(DesignOp::RemoveNode { id: id.clone() });
        Ok(ops)
    }

    /// Makes the operations that delete nodes with everything below them, the deepest and last first. A group that is
    /// left without a child goes too, and so on upwards.
    ///
    /// # Errors
    /// [`Rule::NodeMissing`] for a node that is not there.
    pub fn delete_with_descendants(&self, ids: &[Id]) -> Result<Vec<DesignOp>, Rule> {
        let mut going: HashSet<Id> = HashSet::new();
        let mut open = Vec::new();
        for node in self.members(ids)? {
            going.extend(self.bottom_up(node.id()));
            open.push(node);
        }
        while let Some(node) = open.pop() {
            let Some(group) = node
                .parent()
                .and_then(|id| self.node(id))
                .filter(|node| node.kind() == GROUP)
            else {
                continue;
            };
            let empty = self
                .children_of(Some(group.id()))
                .all(|child| going.contains(child.id()));
            if empty && going.insert(group.id().clone()) {
                open.push(group);
            }
        }
        // What goes is a few whole subtrees: their roots, last first, and each from the bottom up.
        let root = |id: &&Id| {
            self.node(id)
                .and_then(Node::parent)
                .is_none_or(|parent| !going.contains(parent))
        };
        let mut roots: Vec<&Node> = going.iter().filter(root).filter_map(|id| self.node(id)).collect();
        roots.sort_by_key(|node| std::cmp::Reverse((self.depth(node), node.child_key())));
        let ids = roots.into_iter().flat_map(|root| self.bottom_up(root.id()));
        Ok(ids.map(|id| DesignOp::RemoveNode { id }).collect())
    }

    /// Gives the nodes of a selection, without those that lie below others of it.
    fn members(&self, ids: &[Id]) -> Result<Vec<&Node>, Rule> {
        let chosen: HashSet<&Id> = ids.iter().collect();
        let mut seen: HashSet<&Id> = HashSet::new();
        let mut members = Vec::new();
        for id in ids {
            let node = self.node(id).ok_or_else(|| Rule::NodeMissing { id: id.to_string() })?;
            let covered = self.ancestors(node).any(|above| chosen.contains(above.id()));
            if !covered && seen.insert(id) {
                members.push(node);
            }
        }
        Ok(members)
    }

    /// Goes over the ancestors of a node, the nearest first.
    pub(super) fn ancestors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        std::iter::successors(Some(node), |node| self.node(node.parent()?)).skip(1)
    }

    fn depth(&self, node: &Node) -> usize {
        self.ancestors(node).count()
    }
}

fn moving(node: &Node, parent: Option<Id>, placement: Placement, geometry: GeometryPatch) -> DesignOp {
    DesignOp::MoveNode {
        id: node.id().clone(),
        parent: Some(parent),
        position: Some(Position::Placed(placement)),
        siblings: None,
        geometry,
    }
}

/// Moves x and y by those of another geometry, times `sign`. What would not be finite stays as it is.
fn shifted(geometry: &Geometry, by: &Geometry, sign: f64) -> GeometryPatch {
    let mut patch = GeometryPatch::default();
    for side in [Side::X, Side::Y] {
        let offset = by.get(side).to_f64();
        if offset != 0.0
            && let Some(number) = Number::from_f64(geometry.get(side).to_f64() + sign * offset)
        {
            patch.set(side, number);
        }
    }
    patch
}
