//! Page values, schema 1.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::super::{CodecError, damaged};
use super::design::{restore_geometry, restore_id, restore_kind, restore_order, store_geometry};
use super::{restore_json, restore_map};
use crate::code::CodeValue;
use crate::design::{DesignValue, Id, NewNode, Part, assemble, check_attributes};
use crate::doc::DocValue;
use crate::json;
use crate::sheet::SheetValue;
use crate::text::{RichText, StoredDelta};
use crate::value::Value;

/// A page value.
#[derive(Serialize, Deserialize)]
pub(in super::super) enum StoredValue {
    Design {
        attributes: String,
        nodes: Vec<StoredNode>,
    },
    Doc(StoredDelta),
    Code {
        files: Vec<(String, String)>,
        entry: Option<String>,
        attributes: String,
    },
    Sheet(String),
}

/// A node, after its parent. Properties are JSON as text, the numbers of the geometry too.
#[derive(Serialize, Deserialize)]
pub(in super::super) struct StoredNode {
    id: String,
    kind: String,
    /// Zero for the page, else one more than the index of the parent among the nodes.
    parent: u64,
    order: String,
    geometry: [String; 5],
    props: String,
}

pub(in super::super) fn store_value(value: &Value) -> StoredValue {
    match value {
        Value::Design(value) => StoredValue::Design {
            attributes: json::text(value.attributes()),
            nodes: store_nodes(value),
        },
        Value::Doc(value) => StoredValue::Doc(value.text().to_stored()),
        Value::Code(value) => StoredValue::Code {
            files: value
                .files()
                .map(|(path, text)| (path.to_string(), text.to_plain()))
                .collect(),
            entry: value.entry().map(|path| path.to_string()),
            attributes: json::text(value.attributes()),
        },
        Value::Sheet(value) => StoredValue::Sheet(json::text(value.json())),
    }
}

pub(in super::super) fn restore_value(stored: StoredValue) -> Result<Value, CodecError> {
    match stored {
        StoredValue::Design { attributes, nodes } => restore_design(&attributes, nodes).map(Value::Design),
        StoredValue::Doc(text) => {
            let text = RichText::from_stored(text).map_err(damaged)?;
            DocValue::new(text).map(Value::Doc).map_err(damaged)
        }
        StoredValue::Code {
            files,
            entry,
            attributes,
        } => {
            let files = files
                .into_iter()
                .map(|(path, text)| (path.into(), RichText::from_plain(&text)))
                .collect();
            let value = CodeValue::assemble(files, entry.map(Into::into), restore_map(&attributes)?);
            value.map(Value::Code).map_err(damaged)
        }
        StoredValue::Sheet(text) => SheetValue::from_json(&restore_json(&text)?)
            .map(Value::Sheet)
            .map_err(damaged),
    }
}

fn store_nodes(value: &DesignValue) -> Vec<StoredNode> {
    let mut places: HashMap<&Id, u64> = HashMap::with_capacity(value.len());
    let mut stored = Vec::with_capacity(value.len());
    for (node, place) in value.tree().zip(1..) {
        places.insert(node.id(), place);
        stored.push(StoredNode {
            id: node.id().to_string(),
            kind: node.kind().to_owned(),
            // Parents come before their children.
            parent: node
                .parent()
                .and_then(|parent| places.get(parent))
                .copied()
                .unwrap_or(0),
            order: node.order().to_string(),
            geometry: store_geometry(node.geometry()),
            props: json::text(node.props()),
        });
    }
    stored
}

fn restore_design(attributes: &str, nodes: Vec<StoredNode>) -> Result<DesignValue, CodecError> {
    let attributes = restore_map(attributes)?;
    check_attributes(&attributes).map_err(damaged)?;
    let mut parts: Vec<Part> = Vec::with_capacity(nodes.len());
    for stored in nodes {
        let parent = match stored.parent.checked_sub(1) {
            None => None,
            Some(index) => Some(parent_at(&parts, index)?),
        };
        let node = NewNode {
            id: restore_id(&stored.id)?,
            kind: restore_kind(&stored.kind)?,
            parent,
            geometry: restore_geometry(stored.geometry)?,
            props: restore_map(&stored.props)?,
        };
        parts.push(Part {
            node,
            order: restore_order(&stored.order)?,
        });
    }
    assemble(attributes, parts).map_err(|fault| damaged(fault.flaw.rule))
}

fn parent_at(parts: &[Part], index: u64) -> Result<Id, CodecError> {
    let part = usize::try_from(index).ok().and_then(|index| parts.get(index));
    part.map(|part| part.node.id.clone())
        .ok_or_else(|| damaged("a node stands before its parent"))
}
