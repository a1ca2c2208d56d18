//! DESIGN pages: nodes in a tree, attributes, backgrounds.
//!
//! The parent pointer on the child is the only truth about the tree. Siblings stand in the order of their order keys,
//! equal keys in the order of the ids. The index of children is derived from the nodes and changes with them.

mod apply;
mod background;
mod build;
mod check;
mod diff;
mod geometry;
mod grouping;
mod node;
mod nodes;
mod number;
mod op;
mod place;
mod read;
mod read_op;
mod rebalance;
mod set;
mod set_node;
mod tree;
mod write_op;

use std::sync::Arc;

use imbl::OrdSet;

use crate::digest::{self, Digest, HashSum};
use crate::fault::Invalid;
use crate::json::{self, Json, JsonMap};
use node::ChildKey;
use nodes::Nodes;

pub(crate) use build::{Part, assemble};
pub(crate) use diff::diff_attributes;
pub use geometry::{Geometry, GeometryPatch, Side};
pub use node::{Id, Node};
pub use number::Number;
pub use op::{Background, DesignOp, NewNode, Placement, Position, Siblings};
pub(crate) use read::check_attributes;
pub(crate) use read_op::ops_from_json;
pub(crate) use write_op::ops_to_json;

const PAGE_DOMAIN: &str = "recto.design.page.1";
const ATTRIBUTES_DOMAIN: &[u8] = b"recto.design.attributes.1\0";
/// The attribute that holds the list of backgrounds.
pub(crate) const BACKGROUNDS: &str = "backgrounds";

/// The state of a DESIGN page. A clone is O(1).
#[derive(Clone, Debug)]
pub struct DesignValue {
    attributes: Arc<Attributes>,
    nodes: Nodes,
    children: OrdSet<ChildKey>,
    /// The sum of the hashes of all nodes.
    sum: HashSum,
    /// The weight of all nodes, in bytes.
    weight: usize,
}

/// The attributes of a page, with their hash and weight.
#[derive(Clone, Debug)]
struct Attributes {
    map: JsonMap,
    sum: HashSum,
    weight: usize,
}

impl DesignValue {
    /// Gives a node.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(id).map(Arc::as_ref)
    }

    /// Gives how many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Says whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives the attributes, the backgrounds among them.
    pub fn attributes(&self) -> &JsonMap {
        &self.attributes.map
    }

    /// Reads a whole value.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn from_json(json: &Json) -> Result<DesignValue, Invalid> {
        DesignValue::default().successor_from_json(json)
    }

    /// Gives the value as JSON: nodes by id, parents before their children, siblings in their order.
    pub fn to_json(&self) -> Json {
        let nodes: JsonMap = self
            .tree()
            .map(|node| (node.id().to_string(), node.to_json()))
            .collect();
        let mut map = JsonMap::new();
        map.insert("attributes".into(), Json::Object(self.attributes.map.clone()));
        map.insert("nodes".into(), Json::Object(nodes));
        Json::Object(map)
    }

    /// Appends the value as JSON text.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"attributes\":");
        json::write(&self.attributes.map, out);
        out.extend_from_slice(b",\"nodes\":{");
        for (index, node) in self.tree().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            json::write(&**node.id(), out);
            out.push(b':');
            node.write_json(out);
        }
        out.extend_from_slice(b"}}");
    }

    /// Gives the digest of the state, in O(1).
    pub fn digest(&self) -> Digest {
        let mut hasher = digest::hasher(PAGE_DOMAIN);
        hasher.update(&self.attributes.sum.to_bytes());
        hasher.update(&self.sum.to_bytes());
        digest::finish(&hasher)
    }

    /// Gives roughly how many bytes of memory the value holds, in O(1).
    pub fn weight(&self) -> usize {
        size_of::<DesignValue>() + self.attributes.weight + self.weight
    }

    fn put_attributes(&mut self, map: JsonMap) {
        self.attributes = Arc::new(Attributes::new(map));
    }

    /// Puts a node in, or in another's place.
    fn put_node(&mut self, node: Node) {
        let key = node.child_key();
        self.sum.add(node.sum());
        self.weight += node.weight();
        let old = self.nodes.insert(node);
        let old_key = old.map(|old| {
            self.sum.remove(old.sum());
            self.weight -= old.weight();
            old.child_key()
        });
        if old_key.as_ref() != Some(&key) {
            old_key.and_then(|old_key| self.children.remove(&old_key));
            self.children.insert(key);
        }
    }

    /// Takes a node out.
    fn take_node(&mut self, id: &str) -> Option<Arc<Node>> {
        let node = self.nodes.remove(id)?;
        self.children.remove(&node.child_key());
        self.sum.remove(node.sum());
        self.weight -= node.weight();
        Some(node)
    }
}

impl Default for DesignValue {
    fn default() -> DesignValue {
        DesignValue {
            attributes: Arc::new(Attributes::new(JsonMap::new())),
            nodes: Nodes::default(),
            children: OrdSet::new(),
            sum: HashSum::default(),
            weight: 0,
        }
    }
}

/// Two values are equal if their attributes and nodes are; the index of children follows from the nodes.
impl PartialEq for DesignValue {
    fn eq(&self, other: &DesignValue) -> bool {
        json::same_map(&self.attributes.map, &other.attributes.map) && self.nodes == other.nodes
    }
}

impl Attributes {
    fn new(map: JsonMap) -> Attributes {
        let mut bytes = ATTRIBUTES_DOMAIN.to_vec();
        json::write(&map, &mut bytes);
        let sum = HashSum::of(&blake3::hash(&bytes));
        let weight = json::map_weight(&map);
        Attributes { map, sum, weight }
    }
}
