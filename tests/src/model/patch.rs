//! Setting and taking away values below a JSON object by pointer.

use serde_json::Map;

use super::Refusal;
use crate::Json;

/// An object, and a key in it.
type Place<'a> = (&'a mut Map<String, Json>, String);

/// Does what the `set` and `unset` of an operation say.
pub(super) fn apply(root: &mut Map<String, Json>, op: &Json) -> Result<(), Refusal> {
    let set: Vec<_> = op.get("set").and_then(Json::as_object).into_iter().flatten().collect();
    let unset: Vec<_> = op
        .get("unset")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .map(text)
        .collect();
    refuse_overlaps(&set, &unset)?;
    for pointer in unset {
        if let Some((object, key)) = parent(root, pointer, true)? {
            object.shift_remove(&key);
        }
    }
    for (pointer, value) in set {
        if let Some((object, key)) = parent(root, pointer, false)? {
            object.insert(key, value.clone());
        }
    }
    Ok(())
}

/// Finds what a pointer names.
pub(super) fn find<'a>(root: &'a mut Map<String, Json>, pointer: &str) -> Result<&'a mut Json, Refusal> {
    let (object, key) = parent(root, pointer, false)?.ok_or("path_missing")?;
    object.get_mut(&key).ok_or("path_missing")
}

/// The keys that a pointer leads through.
pub(super) fn keys(pointer: &str) -> Vec<String> {
    pointer
        .split('/')
        .skip(1)
        .map(|key| key.replace("~1", "/").replace("~0", "~"))
        .collect()
}

/// A JSON string's text.
pub(super) fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("{json} is no text"))
}

/// The object that holds what a pointer names, and the key there; `None` where the object is
/// missing and that is allowed.
fn parent<'a>(root: &'a mut Map<String, Json>, pointer: &str, may_miss: bool) -> Result<Option<Place<'a>>, Refusal> {
    let mut keys = keys(pointer);
    let last = keys.pop().ok_or("not_writable")?;
    let mut object = root;
    for key in keys {
        object = match object.get_mut(&key) {
            Some(Json::Object(next)) => next,
            Some(Json::Array(_)) => return Err("array_index"),
            Some(_) => return Err("not_an_object"),
            None if may_miss => return Ok(None),
            None => return Err("path_missing"),
        };
    }
    Ok(Some((object, last)))
}

fn refuse_overlaps(set: &[(&String, &Json)], unset: &[&str]) -> Result<(), Refusal> {
    let all: Vec<_> = set
        .iter()
        .map(|(pointer, _)| keys(pointer))
        .chain(unset.iter().map(|pointer| keys(pointer)))
        .collect();
    for (index, one) in all.iter().enumerate() {
        for (other_index, other) in all.iter().enumerate() {
            if index != other_index && other.starts_with(one) {
                return Err("pointers_overlap");
            }
        }
    }
    Ok(())
}
