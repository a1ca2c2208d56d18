//! Applying operations, all or nothing, with the delta as committed and the exact inverse.
//!
//! Each operation checks first and changes then, so that one by itself needs no more. Before several the value is cloned,
//! which is O(1); a failed delta puts the clone back, so that nothing of it remains.

use std::collections::VecDeque;
use std::sync::Arc;

use super::DesignValue;
use super::geometry::GeometryPatch;
use super::node::{Id, Node};
use super::op::{DesignOp, NewNode, Placement, Position};
use crate::fault::{ApplyError, Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::json::{check_map, same_map};
use crate::limits::{NODES_MAX, OPS_MAX};
use crate::order::OrderKey;
use crate::wire::{check_id, check_type};

impl DesignValue {
    /// Applies operations; gives them as committed, and their inverse.
    pub(crate) fn apply(&mut self, ops: &[DesignOp]) -> Result<(Vec<DesignOp>, Vec<DesignOp>), ApplyError> {
        let mut record = Record::default();
        self.run(ops, Some(&mut record))?;
        record.inverse.reverse();
        Ok((record.delta, record.inverse))
    }

    /// Applies operations without an inverse.
    pub(crate) fn replay(&mut self, ops: &[DesignOp]) -> Result<(), ApplyError> {
        self.run(ops, None)
    }

    fn run(&mut self, ops: &[DesignOp], mut record: Option<&mut Record>) -> Result<(), ApplyError> {
        at_most(Limited::Operations, OPS_MAX, ops.len()).map_err(|rule| Flaw::from(rule).into_apply_error(0))?;
        self.check_count(ops)
            .map_err(|rule| Flaw::from(rule).into_apply_error(0))?;
        let before = (!is_simple(ops)).then(|| self.clone());
        let done = Run {
            value: self,
            ops,
            record: record.as_deref_mut(),
            planned: VecDeque::new(),
        }
        .all();
        match (&done, before) {
            (Err(_), Some(before)) => *self = before,
            (Ok(()), Some(before)) if self.is_still(&before) => record.into_iter().for_each(Record::clear),
            _ => {}
        }
        done
    }

    /// Says whether several operations led back to where they began. Shared nodes cost nothing.
    fn is_still(&self, before: &DesignValue) -> bool {
        self.digest() == before.digest()
            && same_map(self.attributes(), before.attributes())
            && self.nodes.diff(&before.nodes).next().is_none()
    }

    /// Refuses operations after which there would be too many nodes.
    fn check_count(&self, ops: &[DesignOp]) -> Result<(), Rule> {
        let count = |is: fn(&DesignOp) -> bool| ops.iter().filter(|op| is(op)).count();
        let added = count(|op| matches!(op, DesignOp::AddNode { .. }));
        let removed = count(|op| matches!(op, DesignOp::RemoveNode { .. }));
        at_most(Limited::Nodes, NODES_MAX, (self.len() + added).saturating_sub(removed))
    }
}

/// Says whether operations change nothing unless they succeed: one alone, which comes to no more than one.
fn is_simple(ops: &[DesignOp]) -> bool {
    match ops {
        [op] => !matches!(op, DesignOp::AddToSet { .. } | DesignOp::AddBackground { .. }),
        _ => false,
    }
}

/// What was really done: each operation with the one that takes it back.
#[derive(Default)]
pub(super) struct Record {
    delta: Vec<DesignOp>,
    inverse: Vec<DesignOp>,
}

impl Record {
    /// Forgets operations that together changed nothing.
    fn clear(&mut self) {
        self.delta.clear();
        self.inverse.clear();
    }
}

/// One delta being applied.
pub(super) struct Run<'a> {
    pub(super) value: &'a mut DesignValue,
    pub(super) ops: &'a [DesignOp],
    pub(super) record: Option<&'a mut Record>,
    /// The order keys of the next operations, where several go to one place together.
    pub(super) planned: VecDeque<OrderKey>,
}

impl Run<'_> {
    fn all(mut self) -> Result<(), ApplyError> {
        let ops = self.ops;
        for (index, op) in ops.iter().enumerate() {
            self.one(index, op).map_err(|flaw| flaw.into_apply_error(index))?;
        }
        Ok(())
    }

    fn one(&mut self, index: usize, op: &DesignOp) -> Result<(), Flaw> {
        match op {
            DesignOp::AddNode { node, position, .. } => self.add_node(index, node, position),
            DesignOp::RemoveNode { id } => self.remove_node(id),
            DesignOp::SetNode { id, patch } => self.set_node(id, patch),
            DesignOp::MoveNode {
                id,
                parent,
                position,
                geometry,
                ..
            } => self.move_node(index, id, parent.as_ref(), position.as_ref(), geometry),
            DesignOp::EditText { id, pointer, delta } => self.edit_text(id, pointer, delta),
            DesignOp::AddToSet {
                id,
                pointer,
                values,
                at,
            } => self.add_to_set(id, pointer, values, at),
            DesignOp::RemoveFromSet { id, pointer, values } => self.remove_from_set(id, pointer, values),
            DesignOp::SetAttributes { patch } => self.set_attributes(patch),
            DesignOp::AddBackground {
                background, placement, ..
            } => self.add_background(background, placement),
            DesignOp::RemoveBackground { id } => self.remove_background(id),
            DesignOp::SetBackground { id, patch } => self.set_background(id, patch),
            DesignOp::MoveBackground { id, placement, .. } => self.move_background(id, placement),
        }
    }

    fn add_node(&mut self, index: usize, node: &NewNode, position: &Position) -> Result<(), Flaw> {
        self.check_new(node).map_err(|flaw| flaw.under("/node"))?;
        let key = match position {
            Position::Keyed(key) => key.clone(),
            Position::Placed(placement) => self.key_for(index, &node.id, node.parent.as_ref(), placement)?,
        };
        self.value.put_node(Node::new(node.clone(), key));
        let id = &node.id;
        self.commit(|value| {
            let inverse = DesignOp::RemoveNode { id: id.clone() };
            value.node(id).map(|node| (value.adding(node), inverse))
        });
        Ok(())
    }

    fn check_new(&self, node: &NewNode) -> Result<(), Flaw> {
        check_id(&node.id).map_err(|rule| Flaw::new("/id", rule))?;
        check_type(&node.kind).map_err(|rule| Flaw::new("/type", rule))?;
        check_map(&node.props, 0).map_err(|flaw| flaw.under("/props"))?;
        if self.value.node(&node.id).is_some() {
            return Err(Flaw::new(
                "/id",
                Rule::IdTaken {
                    id: node.id.to_string(),
                },
            ));
        }
        self.check_parent(node.parent.as_ref())
    }

    fn check_parent(&self, parent: Option<&Id>) -> Result<(), Flaw> {
        match parent {
            Some(parent) if self.value.node(parent).is_none() => {
                Err(Flaw::new("/parentId", Rule::ParentMissing { id: parent.to_string() }))
            }
            _ => Ok(()),
        }
    }

    fn remove_node(&mut self, id: &Id) -> Result<(), Flaw> {
        let node = self.node(id)?;
        if let Some(child) = self.value.children_of(Some(id)).next() {
            let rule = Rule::HasChildren {
                id: id.to_string(),
                child: child.id().to_string(),
            };
            return Err(Flaw::new("/id", rule));
        }
        self.commit(|value| Some((DesignOp::RemoveNode { id: id.clone() }, value.adding(&node))));
        self.value.take_node(id);
        Ok(())
    }

    fn move_node(
        &mut self,
        index: usize,
        id: &Id,
        parent: Option<&Option<Id>>,
        position: Option<&Position>,
        geometry: &GeometryPatch,
    ) -> Result<(), Flaw> {
        let old = self.node(id)?;
        let parent = parent.map_or(old.parent(), Option::as_ref);
        let new_parent = parent != old.parent();
        if new_parent {
            self.check_parent(parent)?;
            if parent.is_some_and(|parent| self.value.is_within(parent, id)) {
                return Err(Flaw::new("/parentId", Rule::Cycle { id: id.to_string() }));
            }
        }
        let order = match position {
            Some(Position::Keyed(key)) => key.clone(),
            Some(Position::Placed(placement)) => self.key_for(index, id, parent, placement)?,
            None if new_parent => self.key_for(index, id, parent, &Placement::Last)?,
            None => old.order().clone(),
        };
        let mut content = NewNode {
            parent: parent.cloned(),
            ..old.content().clone()
        };
        let changed = content.geometry.apply(geometry).0;
        let new_place = new_parent || order != *old.order();
        if new_place || !changed.is_empty() {
            let before = self.note(|value| value.moving(&old, new_parent, new_place, &content.geometry));
            self.value.put_node(Node::new(content, order));
            self.commit(|value| {
                let node = value.node(id)?;
                Some((value.moving(node, new_parent, new_place, old.geometry()), before?))
            });
        }
        Ok(())
    }

    /// Gives a node that an operation names.
    pub(super) fn node(&self, id: &Id) -> Result<Arc<Node>, Flaw> {
        let node = self.value.nodes.get(id);
        node.cloned()
            .ok_or_else(|| Flaw::new("/id", Rule::NodeMissing { id: id.to_string() }))
    }

    /// Writes down what was done, and what takes it back.
    pub(super) fn commit(&mut self, made: impl FnOnce(&DesignValue) -> Option<(DesignOp, DesignOp)>) {
        let Some(record) = &mut self.record else {
            return;
        };
        if let Some((op, inverse)) = made(self.value) {
            record.delta.push(op);
            record.inverse.push(inverse);
        }
    }

    /// Makes an operation of the state before the change, if anything is written down at all.
    fn note(&self, made: impl FnOnce(&DesignValue) -> DesignOp) -> Option<DesignOp> {
        self.record.is_some().then(|| made(self.value))
    }
}

impl DesignValue {
    /// Makes the operation that adds a node as it stands here.
    fn adding(&self, node: &Node) -> DesignOp {
        DesignOp::AddNode {
            node: node.content().clone(),
            position: Position::Keyed(node.order().clone()),
            siblings: Some(self.siblings_of(node)),
        }
    }

    /// Makes the operation that moves a node to where it stands here, from a place with another parent, among other
    /// siblings, with another geometry.
    fn moving(&self, node: &Node, new_parent: bool, new_place: bool, from: &super::Geometry) -> DesignOp {
        DesignOp::MoveNode {
            id: node.id().clone(),
            parent: new_parent.then(|| node.parent().cloned()),
            position: new_place.then(|| Position::Keyed(node.order().clone())),
            siblings: new_place.then(|| self.siblings_of(node)),
            // A geometry is local to a parent: with another parent all of it is another.
            geometry: if new_parent {
                node.geometry().to_patch()
            } else {
                from.diff(node.geometry())
            },
        }
    }
}
