//! Text deltas as JSON: an array of operations as Quill writes them, read strictly.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::attributes::{Attributes, VALUE_LEVEL};
use super::delta::TextDelta;
use super::embed::Embed;
use super::fault::{TextFault, TextInvalid};
use super::op::{Content, TextOp};
use crate::json;
use crate::pointer::below;

const LENGTH: &str = "a whole number of units above zero";

impl TextDelta {
    /// Reads a delta from an array of operations. `pointer` is where the array stands; faults are given below it.
    ///
    /// Strict: an operation is an object with exactly one of `insert` (text or an object), `retain`, `delete`, and
    /// `attributes` beside the first two. Neighbours that can be one are joined.
    ///
    /// # Errors
    /// [`TextInvalid`] with the RFC 6901 pointer of the first fault.
    pub fn from_json(json: &Json, pointer: &str) -> Result<Self, TextInvalid> {
        let Json::Array(ops) = json else {
            return Err(TextInvalid::malformed(pointer, "an array of operations"));
        };
        let mut delta = Self::new();
        for (index, op) in ops.iter().enumerate() {
            delta.push(read_op(op, &format!("{pointer}/{index}"))?);
        }
        Ok(delta)
    }

    /// Reads a document: a delta of inserts without nulls.
    ///
    /// # Errors
    /// As [`TextDelta::from_json`], and [`TextFault::InsertsOnly`] for a retain or a delete.
    pub fn document_from_json(json: &Json, pointer: &str) -> Result<Self, TextInvalid> {
        let delta = Self::from_json(json, pointer)?;
        if delta.is_document() {
            return Ok(delta);
        }
        let ops = json.as_array().into_iter().flatten();
        let op = ops.take_while(|op| op.get("insert").is_some()).count();
        Err(TextInvalid::rule(
            format!("{pointer}/{op}"),
            TextFault::InsertsOnly { op },
        ))
    }

    /// Returns the delta as a JSON array; [`TextDelta::from_json`] reads it back equal.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::Array(self.ops().iter().map(op_to_json).collect())
    }

    /// Appends the same JSON as [`TextDelta::to_json`] as text, without a tree in between.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, op) in self.ops().iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_op(op, out);
        }
        out.push(b']');
    }
}

/// Appends a string as JSON text.
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Appends text as it stands inside a JSON string.
pub(super) fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    write_string(text, out);
    out.pop();
    out.remove(start);
}

/// Appends `,"attributes":{…}` where there are attributes.
pub(super) fn write_attributes(attributes: Option<&Attributes>, out: &mut Vec<u8>) {
    if let Some(attributes) = attributes {
        out.extend_from_slice(b",\"attributes\":");
        out.extend_from_slice(attributes.canonical().as_bytes());
    }
}

fn read_op(json: &Json, pointer: &str) -> Result<TextOp, TextInvalid> {
    let Json::Object(fields) = json else {
        return Err(TextInvalid::malformed(pointer, "an operation, an object"));
    };
    let mut verbs = ["insert", "retain", "delete"]
        .into_iter()
        .filter(|verb| fields.contains_key(*verb));
    let (Some(verb), None) = (verbs.next(), verbs.next()) else {
        return Err(TextInvalid::malformed(pointer, "exactly one of insert, retain, delete"));
    };
    for name in fields.keys() {
        if name != verb && (name != "attributes" || verb == "delete") {
            return Err(TextInvalid::malformed(below(pointer, name), "no such field"));
        }
    }
    let operand = &fields[verb];
    match verb {
        "insert" => Ok(TextOp::Insert {
            content: read_content(operand, &below(pointer, "insert"))?,
            attributes: read_attributes(fields, pointer, false)?,
        }),
        "retain" => Ok(TextOp::Retain {
            len: read_length(operand, &below(pointer, "retain"))?,
            attributes: read_attributes(fields, pointer, true)?,
        }),
        _ => Ok(TextOp::Delete {
            len: read_length(operand, &below(pointer, "delete"))?,
        }),
    }
}

fn read_content(json: &Json, pointer: &str) -> Result<Content, TextInvalid> {
    match json {
        Json::String(text) if text.is_empty() => Err(TextInvalid::rule(pointer, TextFault::EmptyOperation)),
        Json::String(text) => {
            json::check(json, 0).map_err(|flaw| TextInvalid::flaw(pointer, flaw))?;
            Ok(Content::Text(text.clone()))
        }
        json => match Embed::new(json.clone()) {
            Ok(embed) => Ok(Content::Embed(embed)),
            Err(mut invalid) => {
                invalid.pointer.insert_str(0, pointer);
                Err(invalid)
            }
        },
    }
}

fn read_length(json: &Json, pointer: &str) -> Result<usize, TextInvalid> {
    let len = json.as_u64().and_then(|len| usize::try_from(len).ok());
    match len {
        Some(0) => Err(TextInvalid::rule(pointer, TextFault::EmptyOperation)),
        Some(len) => Ok(len),
        None => Err(TextInvalid::malformed(pointer, LENGTH)),
    }
}

fn read_attributes(op: &Map<String, Json>, pointer: &str, nulls: bool) -> Result<Option<Attributes>, TextInvalid> {
    let pointer = below(pointer, "attributes");
    let fields = match op.get("attributes") {
        None => return Ok(None),
        Some(Json::Object(fields)) => fields,
        Some(_) => return Err(TextInvalid::malformed(pointer, "an object of attributes")),
    };
    let mut map = BTreeMap::new();
    for (name, value) in fields {
        if value.is_null() && !nulls {
            let fault = TextFault::NullAttribute { name: name.clone() };
            return Err(TextInvalid::rule(below(&pointer, name), fault));
        }
        let pointer = below(&pointer, name);
        json::check_key(name).map_err(|rule| TextInvalid::flaw(&pointer, rule.into()))?;
        let value = json::copy(value, VALUE_LEVEL).map_err(|flaw| TextInvalid::flaw(&pointer, flaw))?;
        map.insert(name.clone(), value);
    }
    Ok(Attributes::of(map))
}

fn op_to_json(op: &TextOp) -> Json {
    let mut fields = Map::new();
    match op {
        TextOp::Insert {
            content: Content::Text(text),
            ..
        } => {
            fields.insert("insert".to_owned(), Json::String(text.clone()));
        }
        TextOp::Insert {
            content: Content::Embed(embed),
            ..
        } => {
            fields.insert("insert".to_owned(), embed.json().clone());
        }
        TextOp::Retain { len, .. } => {
            fields.insert("retain".to_owned(), Json::from(*len));
        }
        TextOp::Delete { len } => {
            fields.insert("delete".to_owned(), Json::from(*len));
        }
    }
    if let Some(attributes) = op.attributes() {
        fields.insert("attributes".to_owned(), attributes.to_json());
    }
    Json::Object(fields)
}

fn write_op(op: &TextOp, out: &mut Vec<u8>) {
    match op {
        TextOp::Insert {
            content: Content::Text(text),
            ..
        } => {
            out.extend_from_slice(b"{\"insert\":");
            write_string(text, out);
        }
        TextOp::Insert {
            content: Content::Embed(embed),
            ..
        } => {
            out.extend_from_slice(b"{\"insert\":");
            out.extend_from_slice(embed.canonical().as_bytes());
        }
        TextOp::Retain { len, .. } => out.extend_from_slice(format!("{{\"retain\":{len}").as_bytes()),
        TextOp::Delete { len } => out.extend_from_slice(format!("{{\"delete\":{len}").as_bytes()),
    }
    write_attributes(op.attributes(), out);
    out.push(b'}');
}
