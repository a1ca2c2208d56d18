//! JSON that is the same text where it means the same: keys in order, no white space.

use serde_json::{Map, Value as Json};

/// The canonical text of a value.
pub(super) fn canonical(json: &Json) -> String {
    sorted(json).to_string()
}

/// The canonical text of an object without some of its fields.
pub(super) fn canonical_without(json: &Json, fields: &[&str]) -> String {
    match json {
        Json::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !fields.contains(&key.as_str()));
            let kept: Map<String, Json> = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
            canonical(&Json::Object(kept))
        }
        other => canonical(other),
    }
}

fn sorted(json: &Json) -> Json {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            Json::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
