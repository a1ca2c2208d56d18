//! The fine delta between two values.
//!
//! First the backgrounds that go and the attributes; then new nodes, parents first; then moves, parents first, so that
//! no cycle arises on the way: whatever a node moves below stands at its final place already; then properties; last the
//! nodes that go, deepest and last first: by then their surviving children have moved away.

use std::collections::{HashMap, HashSet};

use super::node::{Id, Node};
use super::nodes::Difference;
use super::op::{Background, DesignOp, Placement, Position};
use super::{BACKGROUNDS, DesignValue};
use crate::fault::{DiffError, Limited};
use crate::flaw::at_most;
use crate::json::{Json, JsonMap};
use crate::limits::OPS_MAX;
use crate::patch::{self, Editing};
use crate::pointer::Pointer;
use crate::sequence::longest_increasing;

impl DesignValue {
    /// Finds the operations that lead from this value to another. Nodes that both share cost nothing.
    pub(crate) fn diff(&self, to: &DesignValue) -> Result<Vec<DesignOp>, DiffError> {
        let mut ops = Vec::new();
        if self.attributes.sum != to.attributes.sum {
            diff_attributes(self.attributes(), to.attributes(), &mut ops);
        }
        let changes = Changes::between(self, to);
        ops.extend(
            in_tree_order(to, changes.added)
                .into_iter()
                .map(|node| DesignOp::AddNode {
                    node: node.content().clone(),
                    position: Position::Keyed(node.order().clone()),
                    siblings: Some(to.siblings_of(node)),
                }),
        );
        let mut before: HashMap<&Id, &Node> = HashMap::new();
        before.extend(changes.kept.iter().map(|(old, new)| (new.id(), *old)));
        let kept = in_tree_order(to, changes.kept.iter().map(|(_, new)| *new).collect());
        let kept: Vec<(&Node, &Node)> = kept
            .into_iter()
            .filter_map(|new| Some((*before.get(new.id())?, new)))
            .collect();
        ops.extend(kept.iter().filter_map(|(old, new)| moving(to, old, new)));
        kept.iter().for_each(|(old, new)| diff_content(old, new, &mut ops));
        let removed = in_tree_order(self, changes.removed).into_iter().rev();
        ops.extend(removed.map(|node| DesignOp::RemoveNode { id: node.id().clone() }));
        at_most(Limited::Operations, OPS_MAX, ops.len()).map_err(|rule| DiffError::TooLarge { rule })?;
        Ok(ops)
    }
}

/// Which nodes differ.
#[derive(Default)]
struct Changes<'a> {
    added: Vec<&'a Node>,
    kept: Vec<(&'a Node, &'a Node)>,
    removed: Vec<&'a Node>,
}

impl<'a> Changes<'a> {
    fn between(from: &'a DesignValue, to: &'a DesignValue) -> Changes<'a> {
        let mut changes = Changes::default();
        for item in from.nodes.diff(&to.nodes) {
            match item {
                Difference::Added(node) => changes.added.push(node),
                Difference::Changed(old, new) => changes.kept.push((old, new)),
                Difference::Removed(node) => changes.removed.push(node),
            }
        }
        changes
    }
}

/// Puts nodes of a value in order: parents before children, siblings in their order.
fn in_tree_order<'a>(value: &'a DesignValue, mut nodes: Vec<&'a Node>) -> Vec<&'a Node> {
    let mut depths: HashMap<&Id, usize> = HashMap::new();
    for node in &nodes {
        let mut path = vec![*node];
        path.extend(
            value
                .ancestors(node)
                .take_while(|above| !depths.contains_key(above.id())),
        );
        let known = path
            .last()
            .and_then(|top| top.parent())
            .and_then(|above| depths.get(above));
        let top = known.map_or(0, |above| above + 1);
        depths.extend(path.iter().rev().map(|node| node.id()).zip(top..));
    }
    nodes.sort_by_cached_key(|node| (depths.get(node.id()).copied(), node.child_key()));
    nodes
}

/// Makes the move from one state of a node to another, if there is one.
fn moving(to: &DesignValue, old: &Node, new: &Node) -> Option<DesignOp> {
    let new_parent = old.parent() != new.parent();
    let new_place = new_parent || old.order() != new.order();
    let geometry = old.geometry().diff(new.geometry());
    if !new_place && geometry.is_empty() {
        return None;
    }
    Some(DesignOp::MoveNode {
        id: new.id().clone(),
        parent: new_parent.then(|| new.parent().cloned()),
        position: new_place.then(|| Position::Keyed(new.order().clone())),
        siblings: new_place.then(|| to.siblings_of(new)),
        geometry: if new_parent {
            new.geometry().to_patch()
        } else {
            geometry
        },
    })
}

/// Finds what leads from one type and properties to others.
fn diff_content(old: &Node, new: &Node, ops: &mut Vec<DesignOp>) {
    let Ok(props) = Pointer::parse("/props") else {
        return;
    };
    let mut found = patch::diff(old.props(), new.props(), &props, Editing::Strings);
    if old.kind() != new.kind()
        && let Ok(pointer) = Pointer::parse("/type")
    {
        found.patch.set.insert(0, (pointer, Json::from(new.kind())));
    }
    let id = new.id();
    if !found.patch.is_empty() {
        ops.push(DesignOp::SetNode {
            id: id.clone(),
            patch: found.patch,
        });
    }
    let edits = found.edits.into_iter();
    ops.extend(edits.map(|(pointer, delta)| DesignOp::EditText {
        id: id.clone(),
        pointer,
        delta,
    }));
}

/// Finds what leads from some attributes, backgrounds among them, to others.
pub(crate) fn diff_attributes(from: &JsonMap, to: &JsonMap, ops: &mut Vec<DesignOp>) {
    let Ok(root) = Pointer::parse("") else { return };
    let (old, new) = (backgrounds(from), backgrounds(to));
    let stays: HashSet<&str> = new.iter().map(|(id, _)| *id).collect();
    for (id, _) in old.iter().filter(|(id, _)| !stays.contains(id)) {
        ops.push(DesignOp::RemoveBackground { id: (*id).into() });
    }
    let patch = patch::diff(
        &without_backgrounds(from),
        &without_backgrounds(to),
        &root,
        Editing::Nothing,
    )
    .patch;
    if !patch.is_empty() {
        ops.push(DesignOp::SetAttributes { patch });
    }
    diff_backgrounds(&old, &new, ops);
}

/// Adds and moves backgrounds from the first to the last, each right after the one before it, and sets what differs.
fn diff_backgrounds(old: &[(&str, &JsonMap)], new: &[(&str, &JsonMap)], ops: &mut Vec<DesignOp>) {
    let places: HashMap<&str, usize> = new.iter().enumerate().map(|(place, (id, _))| (*id, place)).collect();
    let kept: Vec<usize> = old.iter().filter_map(|(id, _)| places.get(id).copied()).collect();
    let stays: HashSet<usize> = kept
        .iter()
        .zip(longest_increasing(&kept))
        .filter(|(_, stays)| *stays)
        .map(|(place, _)| *place)
        .collect();
    let before: HashMap<&str, &JsonMap> = old.iter().copied().collect();
    let mut placement = Placement::First;
    for (place, (id, map)) in new.iter().enumerate() {
        match before.get(id) {
            None => {
                let background = Background((*map).clone());
                ops.push(DesignOp::AddBackground {
                    background,
                    placement,
                    siblings: None,
                });
            }
            Some(old) => {
                if !stays.contains(&place) {
                    ops.push(DesignOp::MoveBackground {
                        id: (*id).into(),
                        placement,
                        siblings: None,
                    });
                }
                set_background(id, old, map, ops);
            }
        }
        placement = Placement::After((*id).into());
    }
}

fn set_background(id: &str, old: &JsonMap, new: &JsonMap, ops: &mut Vec<DesignOp>) {
    let Ok(root) = Pointer::parse("") else { return };
    let patch = patch::diff(old, new, &root, Editing::Nothing).patch;
    if !patch.is_empty() {
        ops.push(DesignOp::SetBackground { id: id.into(), patch });
    }
}

fn backgrounds(attributes: &JsonMap) -> Vec<(&str, &JsonMap)> {
    let list = attributes.get(BACKGROUNDS).and_then(Json::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|json| Some((json.get("id")?.as_str()?, json.as_object()?)))
        .collect()
}

/// The attributes with their list of backgrounds, if there is one, emptied.
fn without_backgrounds(attributes: &JsonMap) -> JsonMap {
    let value = |key: &str, value: &Json| {
        if key == BACKGROUNDS {
            Json::Array(Vec::new())
        } else {
            value.clone()
        }
    };
    attributes
        .iter()
        .map(|(key, json)| (key.clone(), value(key, json)))
        .collect()
}
