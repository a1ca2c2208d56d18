//! Finding places among siblings by order key, in time that does not follow their number.

use crate::design::{DesignValue, Geometry, Id, NewNode, Node};
use crate::json::JsonMap;
use crate::order::OrderKey;

/// The siblings around an order key: the nearest below it, those that have it, the nearest above it.
pub(crate) struct Around<'v> {
    pub(crate) left: Option<&'v Node>,
    pub(crate) equal: Vec<&'v Node>,
    pub(crate) right: Option<&'v Node>,
}

impl<'v> Around<'v> {
    /// Finds the siblings around a key among the children of a parent; `except` is passed over.
    pub(crate) fn find(value: &'v DesignValue, parent: Option<&Id>, key: &OrderKey, except: &Id) -> Around<'v> {
        let probe = probe(parent, key);
        let other = |node: &&Node| node.id() != except;
        let left = value.siblings_before(&probe).find(other);
        let mut equal = Vec::new();
        let mut right = None;
        for node in value.siblings_after(&probe).filter(other) {
            if node.order() != key {
                right = Some(node);
                break;
            }
            equal.push(node);
        }
        Around { left, equal, right }
    }

    /// Gives the last sibling that is not above the key.
    pub(crate) fn at_or_left(&self) -> Option<&'v Node> {
        self.equal.last().copied().or(self.left)
    }

    /// Gives the first sibling that is not below the key.
    pub(crate) fn at_or_right(&self) -> Option<&'v Node> {
        self.equal.first().copied().or(self.right)
    }
}

/// Gives a node, if it is a child of this parent.
pub(crate) fn child_of<'v>(value: &'v DesignValue, parent: Option<&Id>, id: &Id) -> Option<&'v Node> {
    value.node(id).filter(|node| node.parent() == parent)
}

/// Makes a node that stands before every node with the key, and after all below it.
fn probe(parent: Option<&Id>, key: &OrderKey) -> Node {
    let content = NewNode {
        id: "".into(),
        kind: "".into(),
        parent: parent.cloned(),
        geometry: Geometry::default(),
        props: JsonMap::new(),
    };
    Node::new(content, key.clone())
}
