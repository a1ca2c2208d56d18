//! A node of a page, with its hash and weight.

use std::sync::Arc;

use super::geometry::Geometry;
use super::op::NewNode;
use crate::digest::HashSum;
use crate::json::{self, Json, JsonMap};
use crate::order::OrderKey;

/// The id of a node or background. A clone is a reference count.
pub type Id = Arc<str>;

/// What a node takes beside its strings and properties, roughly, in bytes.
const NODE_WEIGHT: usize = 320;
const NODE_DOMAIN: &[u8] = b"recto.design.node.1\0";

/// A node of a DESIGN page. It never changes: an operation puts another in its place.
#[derive(Clone, Debug)]
pub struct Node {
    content: NewNode,
    order: OrderKey,
    sum: HashSum,
    weight: usize,
}

/// Where a node stands among all nodes of a page: those with the same parent are neighbours, in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChildKey {
    pub(crate) parent: Option<Id>,
    pub(crate) order: OrderKey,
    pub(crate) id: Id,
}

impl Node {
    /// Makes a node and hashes it: in time proportional to it.
    pub(crate) fn new(content: NewNode, order: OrderKey) -> Node {
        let weight = NODE_WEIGHT
            + 2 * content.id.len()
            + content.kind.len()
            + order.as_str().len()
            + content.geometry.weight()
            + json::map_weight(&content.props);
        let mut node = Node {
            content,
            order,
            sum: HashSum::default(),
            weight,
        };
        let mut bytes = Vec::with_capacity(weight);
        bytes.extend_from_slice(NODE_DOMAIN);
        node.write_json(&mut bytes);
        node.sum = HashSum::of(&blake3::hash(&bytes));
        node
    }

    /// Gives the id.
    pub fn id(&self) -> &Id {
        &self.content.id
    }

    /// Gives the type.
    pub fn kind(&self) -> &str {
        &self.content.kind
    }

    /// Gives the parent; `None` is the page.
    pub fn parent(&self) -> Option<&Id> {
        self.content.parent.as_ref()
    }

    /// Gives the order key among its siblings.
    pub fn order(&self) -> &OrderKey {
        &self.order
    }

    /// Gives where it lies in its parent.
    pub fn geometry(&self) -> &Geometry {
        &self.content.geometry
    }

    /// Gives the properties.
    pub fn props(&self) -> &JsonMap {
        &self.content.props
    }

    /// Gives all but the order key.
    pub fn content(&self) -> &NewNode {
        &self.content
    }

    /// Gives the node as JSON.
    pub fn to_json(&self) -> Json {
        let mut map = JsonMap::new();
        self.content.write_fields(&mut map, Some(&self.order));
        Json::Object(map)
    }

    /// Appends the node as JSON text.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) {
        let content = &self.content;
        out.extend_from_slice(b"{\"id\":");
        json::write(&*content.id, out);
        out.extend_from_slice(b",\"type\":");
        json::write(&*content.kind, out);
        out.extend_from_slice(b",\"parentId\":");
        json::write(&content.parent.as_deref(), out);
        out.extend_from_slice(b",\"order\":");
        json::write(self.order.as_str(), out);
        out.extend_from_slice(b",\"geometry\":");
        content.geometry.write(out);
        out.extend_from_slice(b",\"props\":");
        json::write(&content.props, out);
        out.push(b'}');
    }

    pub(crate) fn child_key(&self) -> ChildKey {
        ChildKey {
            parent: self.content.parent.clone(),
            order: self.order.clone(),
            id: self.content.id.clone(),
        }
    }

    pub(crate) fn sum(&self) -> HashSum {
        self.sum
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

/// Two nodes are equal if they are written the same; their hashes tell.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.sum == other.sum
    }
}

impl NewNode {
    /// Puts the fields of a node into an object, with its order key where it has one.
    pub(crate) fn write_fields(&self, map: &mut JsonMap, order: Option<&OrderKey>) {
        map.insert("id".into(), Json::from(&*self.id));
        map.insert("type".into(), Json::from(&*self.kind));
        map.insert("parentId".into(), self.parent.as_deref().map_or(Json::Null, Json::from));
        if let Some(order) = order {
            map.insert("order".into(), Json::from(order.as_str()));
        }
        map.insert("geometry".into(), self.geometry.to_json());
        map.insert("props".into(), Json::Object(self.props.clone()));
    }
}
