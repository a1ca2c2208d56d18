//! A DESIGN page as lists of children.

use std::collections::BTreeMap;

use serde_json::Map;

use super::patch::text;
use crate::Json;

/// The fields of a geometry, in their order.
pub(super) const SIDES: [&str; 5] = ["x", "y", "width", "height", "rotation"];

/// The value of a DESIGN page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Design {
    /// The attributes but the backgrounds, as JSON text by key, in their order.
    pub(super) attributes: Vec<(String, String)>,
    /// The backgrounds in their order.
    pub(super) backgrounds: Vec<String>,
    /// The nodes by id.
    pub(super) nodes: BTreeMap<String, Node>,
    /// The children of the page (`None`) and of every node that has some, in their order.
    pub(super) children: BTreeMap<Option<String>, Vec<String>>,
}

/// A node of a DESIGN page. Objects are kept as text, so that numbers and the order of keys
/// count.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The type.
    pub kind: String,
    /// The parent; `None` is the page.
    pub parent: Option<String>,
    /// The geometry in the order of `SIDES`.
    pub geometry: [String; 5],
    /// The properties.
    pub props: String,
}

impl Design {
    /// The value that a page's JSON tells. The order of appearance is that of siblings.
    pub(super) fn from_json(json: &Json) -> Self {
        let mut design = Self::default();
        design.set_attributes(object(&json["attributes"]));
        let nodes: Vec<&Json> = match &json["nodes"] {
            Json::Array(nodes) => nodes.iter().collect(),
            nodes => nodes.as_object().into_iter().flatten().map(|(_, node)| node).collect(),
        };
        for json in nodes {
            let id = text(&json["id"]).to_owned();
            let node = Node::from_json(json);
            design.children.entry(node.parent.clone()).or_default().push(id.clone());
            assert!(design.nodes.insert(id, node).is_none(), "{json} stands twice");
        }
        design
    }

    /// The ids of all nodes, sorted.
    pub fn ids(&self) -> Vec<&str> {
        self.nodes.keys().map(String::as_str).collect()
    }

    /// A node.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(id)
    }

    /// The children of a node or of the page, in their order.
    pub fn children(&self, parent: Option<&str>) -> &[String] {
        self.children
            .get(&parent.map(str::to_owned))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The backgrounds' ids, in their order.
    pub fn background_ids(&self) -> Vec<String> {
        self.backgrounds
            .iter()
            .map(|background| text(&parse(background)["id"]).to_owned())
            .collect()
    }

    /// The attributes but the backgrounds.
    pub(super) fn attributes_map(&self) -> Map<String, Json> {
        self.attributes
            .iter()
            .map(|(key, value)| (key.clone(), parse(value)))
            .collect()
    }

    pub(super) fn set_attributes(&mut self, mut map: Map<String, Json>) {
        if let Some(backgrounds) = map.shift_remove("backgrounds") {
            self.backgrounds = backgrounds
                .as_array()
                .into_iter()
                .flatten()
                .map(ToString::to_string)
                .collect();
        }
        self.attributes = map.into_iter().map(|(key, value)| (key, value.to_string())).collect();
    }
}

impl Node {
    /// The node that an `addNode` or a page's JSON tells.
    pub(super) fn from_json(json: &Json) -> Self {
        Self {
            kind: text(&json["type"]).to_owned(),
            parent: json["parentId"].as_str().map(str::to_owned),
            geometry: SIDES.map(|side| {
                json["geometry"]
                    .get(side)
                    .map_or_else(|| "0".to_owned(), ToString::to_string)
            }),
            props: Json::Object(object(&json["props"])).to_string(),
        }
    }

    /// The properties as JSON.
    pub fn props(&self) -> Json {
        parse(&self.props)
    }
}

/// JSON that was JSON before.
pub(super) fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// An object, or the empty one where there is none.
pub(super) fn object(json: &Json) -> Map<String, Json> {
    json.as_object().cloned().unwrap_or_default()
}
