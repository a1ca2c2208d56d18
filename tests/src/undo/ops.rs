//! Operations in few words.

use serde_json::json;

use crate::Json;

/// Sets a field of a node.
pub fn set(node: &str, pointer: &str, value: impl Into<Json>) -> Json {
    json!({ "op": "setNode", "id": node, "set": { pointer: value.into() } })
}

/// Takes a field of a node away.
pub fn unset(node: &str, pointer: &str) -> Json {
    json!({ "op": "setNode", "id": node, "unset": [pointer] })
}

/// A node as JSON: what begins with `g` is a group, all others are shapes.
pub fn node_of(id: &str, parent: Option<&str>) -> Json {
    let kind = if id.starts_with('g') { "group" } else { "shape" };
    json!({ "id": id, "type": kind, "parentId": parent })
}

/// A page of nodes side by side, as JSON.
pub fn side_by_side(ids: &[&str]) -> Json {
    let nodes: Vec<_> = ids.iter().map(|id| node_of(id, None)).collect();
    json!({ "nodes": nodes })
}

/// Adds a node to the page.
pub fn add(id: &str) -> Json {
    add_at(id, "last")
}

/// Adds a node to the page at a place.
pub fn add_at(id: &str, placement: impl Into<Json>) -> Json {
    json!({ "op": "addNode", "node": node_of(id, None), "placement": placement.into() })
}

/// Adds a node below another.
pub fn add_in(id: &str, parent: &str) -> Json {
    json!({ "op": "addNode", "node": node_of(id, Some(parent)) })
}

/// Removes a node.
pub fn remove(id: &str) -> Json {
    json!({ "op": "removeNode", "id": id })
}

/// Moves a node: the fields of `moveNode`.
///
/// # Panics
/// Where the fields are no object.
pub fn move_to(id: &str, fields: Json) -> Json {
    let mut op = fields;
    let map = op.as_object_mut().expect("fields");
    map.insert("op".into(), "moveNode".into());
    map.insert("id".into(), id.into());
    op
}

/// Puts a value into a set.
pub fn into_set(node: &str, pointer: &str, value: impl Into<Json>) -> Json {
    json!({ "op": "addToSet", "id": node, "pointer": pointer, "values": [value.into()] })
}

/// Takes a value out of a set.
pub fn out_of_set(node: &str, pointer: &str, value: impl Into<Json>) -> Json {
    json!({ "op": "removeFromSet", "id": node, "pointer": pointer, "values": [value.into()] })
}

/// Edits the text in a property.
pub fn edit_text(node: &str, pointer: &str, delta: impl IntoIterator<Item = Json>) -> Json {
    json!({ "op": "editText", "id": node, "pointer": pointer, "delta": Vec::from_iter(delta) })
}

/// Edits a file.
pub fn edit_file(path: &str, delta: impl IntoIterator<Item = Json>) -> Json {
    json!({ "op": "editFile", "path": path, "delta": Vec::from_iter(delta) })
}

/// A text delta that inserts at an offset.
pub fn ins(at: usize, text: &str) -> Vec<Json> {
    after(at, json!({ "insert": text }))
}

/// A text delta that deletes from an offset on.
pub fn del(at: usize, units: usize) -> Vec<Json> {
    after(at, json!({ "delete": units }))
}

/// A text delta that sets attributes from an offset on.
pub fn format(at: usize, units: usize, attributes: &Json) -> Vec<Json> {
    after(at, json!({ "retain": units, "attributes": attributes }))
}

fn after(at: usize, op: Json) -> Vec<Json> {
    let skip = (at > 0).then(|| json!({ "retain": at }));
    skip.into_iter().chain([op]).collect()
}
