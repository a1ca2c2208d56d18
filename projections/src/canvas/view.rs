//! What of a page is looked at: the nodes that meet a viewport, and what a fragment of chosen nodes shows.

use std::collections::{BTreeSet, HashSet};

use super::GROUP;
use super::frame::{Frame, frames};
use crate::design::{DesignValue, Id, Node};

/// Gives the nodes that meet a viewport, in the order of the page: those without children, and those that are no group
/// and of whose children none meets it. The groups around them come along in a fragment.
pub fn meeting(value: &DesignValue, viewport: &Frame) -> Vec<Id> {
    let mut inside: Vec<&Node> = Vec::new();
    let mut around: HashSet<&Id> = HashSet::new();
    for (node, _) in frames(value).filter(|(_, frame)| frame.meets(viewport)) {
        let leaf = value.children_of(Some(node.id())).next().is_none();
        if leaf || node.kind() != GROUP {
            inside.push(node);
        }
        let mut next = node.parent();
        while let Some(id) = next.filter(|id| !around.contains(*id)) {
            around.insert(id);
            next = value.node(id).and_then(Node::parent);
        }
    }
    inside.retain(|node| !around.contains(node.id()));
    inside.into_iter().map(|node| node.id().clone()).collect()
}

/// Gives all nodes without children, in the order of the page.
pub fn leaves(value: &DesignValue) -> Vec<Id> {
    let leaf = |node: &&Node| value.children_of(Some(node.id())).next().is_none();
    value.tree().filter(leaf).map(|node| node.id().clone()).collect()
}

/// Gives what a fragment of nodes shows: the nodes, all that lies below them, and the groups that they lie in. Ids that
/// are not on the page are passed over.
pub fn shown<'a>(value: &DesignValue, chosen: impl IntoIterator<Item = &'a str>) -> BTreeSet<Id> {
    let mut found = BTreeSet::new();
    for id in chosen {
        let mut next = value.node(id).and_then(Node::parent);
        while let Some(id) = next {
            if !found.insert(id.clone()) {
                break;
            }
            next = value.node(id).and_then(Node::parent);
        }
        found.extend(value.bottom_up(id));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_window_holds_what_meets_it_and_the_groups_around() {
        let node = |kind: &str, parent: Option<&str>, x: i32| {
            let geometry = json!({ "x": x, "y": 0, "width": 10, "height": 10 });
            json!({ "type": kind, "parentId": parent, "geometry": geometry })
        };
        let value = DesignValue::from_json(&json!({ "nodes": {
            "far": node("shape", None, 500),
            "g": node("group", None, 400),
            "in": node("text", Some("g"), -395),
            "out": node("text", Some("g"), 50),
            "frame": node("frame", None, 0),
            "child": node("text", Some("frame"), 900),
        }}));
        let Ok(value) = value else { unreachable!("{value:?}") };
        let Some(viewport) = Frame::new(0.0, 0.0, 100.0, 100.0) else {
            unreachable!("it is a box")
        };
        let met = meeting(&value, &viewport);
        assert_eq!(met.iter().map(|id| &**id).collect::<Vec<_>>(), ["in", "frame"]);
        let shown = shown(&value, met.iter().map(|id| &**id));
        let shown: Vec<&str> = shown.iter().map(|id| &**id).collect();
        assert_eq!(shown, ["child", "frame", "g", "in"]);
    }
}
