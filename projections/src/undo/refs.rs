//! Properties that name another node: an undo does not make one name a node that was removed since.
//!
//! A property names a node if its key is one of [`REFERENCE_KEYS`]. Its value is the node's id, or an object that holds
//! the id under one of [`ID_KEYS`], or an array of those.

use std::collections::HashSet;

use super::planner::Planner;
use crate::design::{DesignOp, Id};
use crate::json::{Json, JsonMap};
use crate::pointer::{self, Pointer};

/// The keys of properties that name a node: ends of arrows and connectors, containers of labels, masks.
pub const REFERENCE_KEYS: [&str; 16] = [
    "binding",
    "bindTo",
    "boundTo",
    "containerId",
    "endBinding",
    "endNodeId",
    "frameId",
    "fromId",
    "labelOf",
    "maskId",
    "nodeId",
    "sourceId",
    "startBinding",
    "startNodeId",
    "targetId",
    "toId",
];

/// The keys under which an object that is such a value holds the id.
pub const ID_KEYS: [&str; 3] = ["elementId", "id", "nodeId"];

/// Gives the nodes that the plan makes properties name, and that are not there.
pub(super) fn gone(plan: &Planner<'_>) -> HashSet<Id> {
    let mut named = Vec::new();
    for (op, _) in &plan.made {
        match op {
            DesignOp::AddNode { node, .. } => in_object(&node.props, "", &mut |_, id| named.push(Id::from(id))),
            DesignOp::SetNode { patch, .. } => {
                for (pointer, value) in &patch.set {
                    in_value(&last_key(pointer), value, "", &mut |_, id| named.push(Id::from(id)));
                }
            }
            _ => {}
        }
    }
    named.retain(|id| plan.work.node(id).is_none());
    named.into_iter().collect()
}

impl Planner<'_> {
    /// Gives a node by its id if it went away since the event, for good. One that was not there at its time either was
    /// named all the same, and may be again; so may one that is there, also where a later step of the plan takes it away:
    /// one undo after the other leads to the same.
    pub(super) fn gone_since(&self, id: &str) -> Option<Id> {
        let gone = self.went_away.get(id)?;
        let is_there = self.work.node(id).is_some() || self.coming.contains(id);
        (!is_there).then(|| gone.clone())
    }
}

/// Gives the first node that a value names which a pointer leads to, and that is gone.
pub(super) fn first_gone(pointer: &Pointer, value: Option<&Json>, gone: impl Fn(&str) -> Option<Id>) -> Option<Id> {
    let mut found = None;
    in_value(&last_key(pointer), value?, "", &mut |_, id| {
        found = found.take().or_else(|| gone(id))
    });
    found
}

/// Takes the properties out that name a node that is gone; gives their pointers and the nodes.
pub(super) fn strip(props: &mut JsonMap, gone: impl Fn(&str) -> Option<Id>) -> Vec<(String, Id)> {
    let mut found = Vec::new();
    in_object(props, "", &mut |at, id| {
        found.extend(gone(id).map(|id| (at.to_owned(), id)))
    });
    for (at, _) in &found {
        let Some((parent, key)) = at.rsplit_once('/') else {
            continue;
        };
        let key = key.replace("~1", "/").replace("~0", "~");
        match below(props, parent) {
            Some(map) => drop(map.shift_remove(&key)),
            None => continue,
        }
    }
    found.into_iter().map(|(at, id)| (format!("/props{at}"), id)).collect()
}

fn below<'a>(props: &'a mut JsonMap, pointer: &str) -> Option<&'a mut JsonMap> {
    let mut map = props;
    for segment in pointer.split('/').skip(1) {
        map = map
            .get_mut(&segment.replace("~1", "/").replace("~0", "~"))?
            .as_object_mut()?;
    }
    Some(map)
}

/// Goes over the nodes that the properties in an object name, with the pointer to each property.
fn in_object(map: &JsonMap, at: &str, met: &mut dyn FnMut(&str, &str)) {
    for (key, value) in map {
        in_value(key, value, &pointer::below(at, key), met);
    }
}

fn in_value(key: &str, value: &Json, at: &str, met: &mut dyn FnMut(&str, &str)) {
    if REFERENCE_KEYS.contains(&key) {
        return ids(value, &mut |id| met(at, id));
    }
    if let Json::Object(map) = value {
        in_object(map, at, met);
    }
}

fn ids(value: &Json, met: &mut dyn FnMut(&str)) {
    match value {
        Json::String(id) => met(id),
        Json::Array(items) => items.iter().for_each(|item| ids(item, met)),
        Json::Object(map) => {
            let held = ID_KEYS.iter().filter_map(|key| map.get(*key)?.as_str());
            held.for_each(met);
        }
        _ => {}
    }
}

fn last_key(pointer: &Pointer) -> String {
    pointer
        .split_last()
        .map(|(_, key)| key.into_owned())
        .unwrap_or_default()
}
