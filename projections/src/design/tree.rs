//! Walking the tree.

use std::ops::Bound::Excluded;
use std::sync::LazyLock;

use super::DesignValue;
use super::node::{ChildKey, Id, Node};
use super::op::Siblings;
use crate::order::OrderKey;

static NO_ID: LazyLock<Id> = LazyLock::new(|| "".into());

impl DesignValue {
    /// Goes over all nodes, parents before their children, siblings in their order.
    pub fn tree(&self) -> impl Iterator<Item = &Node> {
        let mut open = vec![self.children_of(None)];
        std::iter::from_fn(move || {
            loop {
                match open.last_mut()?.next() {
                    Some(node) => {
                        open.push(self.children_of(Some(node.id())));
                        return Some(node);
                    }
                    None => drop(open.pop()),
                }
            }
        })
    }

    /// Goes over the children of a node, or of the page, in their order.
    pub fn children_of(&self, parent: Option<&Id>) -> impl DoubleEndedIterator<Item = &Node> {
        let range = (
            Excluded(bound(parent, OrderKey::lowest())),
            Excluded(bound(parent, OrderKey::highest())),
        );
        self.children.range(range).filter_map(|key| self.node(&key.id))
    }

    /// Goes over the siblings that follow a node, in their order.
    pub(crate) fn siblings_after<'a>(&'a self, node: &Node) -> impl Iterator<Item = &'a Node> {
        let parent = node.parent();
        let range = (Excluded(node.child_key()), Excluded(bound(parent, OrderKey::highest())));
        self.children.range(range).filter_map(|key| self.node(&key.id))
    }

    /// Goes over the siblings before a node, the nearest first.
    pub(crate) fn siblings_before<'a>(&'a self, node: &Node) -> impl Iterator<Item = &'a Node> {
        let parent = node.parent();
        let range = (Excluded(bound(parent, OrderKey::lowest())), Excluded(node.child_key()));
        self.children.range(range).rev().filter_map(|key| self.node(&key.id))
    }

    /// Tells between whom a node stands.
    pub(crate) fn siblings_of(&self, node: &Node) -> Siblings {
        Siblings {
            left: self.siblings_before(node).next().map(|left| left.id().clone()),
            right: self.siblings_after(node).next().map(|right| right.id().clone()),
        }
    }

    /// Says whether a node is `ancestor` or lies below it.
    pub(crate) fn is_within(&self, id: &str, ancestor: &str) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            if id == ancestor {
                return true;
            }
            next = self.node(id).and_then(|node| node.parent()).map(AsRef::as_ref);
        }
        false
    }

    /// Goes over a node's descendants, the deepest and last first, and then the node itself.
    pub(crate) fn bottom_up(&self, id: &str) -> Vec<Id> {
        let Some(root) = self.node(id) else {
            return Vec::new();
        };
        let mut found = vec![root.id().clone()];
        let mut open = vec![self.children_of(Some(root.id()))];
        while let Some(children) = open.last_mut() {
            match children.next() {
                Some(node) => {
                    found.push(node.id().clone());
                    open.push(self.children_of(Some(node.id())));
                }
                None => drop(open.pop()),
            }
        }
        found.reverse();
        found
    }
}

fn bound(parent: Option<&Id>, order: OrderKey) -> ChildKey {
    ChildKey {
        parent: parent.cloned(),
        order,
        id: NO_ID.clone(),
    }
}
