//! The nodes of a page by id, in a persistent map.

use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;

use super::node::Node;

/// How many bytes of the hash of an id make its key.
const KEY_BYTES: usize = 16;

/// Nodes by id. A clone is O(1).
///
/// A change copies the path to what it changes wherever a clone is held. So the keys are plain bytes, taken from the hash
/// of the id: copying and comparing them touches no other memory, as counting references to strings would. Two ids with
/// one key would take some 2^64 tries to find.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Nodes(OrdMap<[u8; KEY_BYTES], Arc<Node>>);

/// A node that is not the same in two maps: as it is in the first, in the second, or in both.
pub(super) enum Difference<'a> {
    Added(&'a Node),
    Changed(&'a Node, &'a Node),
    Removed(&'a Node),
}

impl Nodes {
    pub(super) fn get(&self, id: &str) -> Option<&Arc<Node>> {
        self.0.get(&key(id))
    }

    /// Puts a node in; gives the one that it replaces.
    pub(super) fn insert(&mut self, node: Node) -> Option<Arc<Node>> {
        self.0.insert(key(node.id()), Arc::new(node))
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Arc<Node>> {
        self.0.remove(&key(id))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Goes over the nodes, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Node> {
        self.0.values().map(Arc::as_ref)
    }

    /// Goes over what differs, in no order that means anything. What both maps share costs nothing.
    pub(super) fn diff<'a>(&'a self, to: &'a Nodes) -> impl Iterator<Item = Difference<'a>> {
        self.0.diff(&to.0).map(|item| match item {
            DiffItem::Add(_, node) => Difference::Added(node),
            DiffItem::Update { old, new } => Difference::Changed(old.1, new.1),
            DiffItem::Remove(_, node) => Difference::Removed(node),
        })
    }
}

fn key(id: &str) -> [u8; KEY_BYTES] {
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..KEY_BYTES]);
    key
}
