//! The value of a field before an operation, from its value after it and the operation's inverse.

use super::field::{Field, Said, said};
use crate::design::DesignOp;
use crate::json::{Json, same};
use crate::patch::Patch;
use crate::text::apply_plain;

/// Takes an operation's inverse over a value. Where only a part of the value differs, the order of keys and elements
/// may come out another.
pub(crate) fn rewound(now: Option<Json>, inverse: &DesignOp, field: Field<'_>) -> Option<Json> {
    match (said(inverse, field), field) {
        (Said::Nothing, _) => now,
        (Said::Gone, _) => None,
        (Said::Value(value), _) => value.map(|value| value.into_owned()),
        (Said::Inside, Field::At(at)) => now.map(|now| inside(now, inverse, at)),
        (Said::Inside, _) => now,
    }
}

/// Changes a part of the value that stands at `at`.
fn inside(mut value: Json, inverse: &DesignOp, at: &str) -> Json {
    match inverse {
        DesignOp::SetNode { patch, .. } | DesignOp::SetAttributes { patch } | DesignOp::SetBackground { patch, .. } => {
            patch_below(&mut value, patch, at);
        }
        DesignOp::EditText { pointer, delta, .. } => {
            if let Some(part) = part_mut(&mut value, at, pointer.as_str())
                && let Some(Ok((old, _))) = part.as_str().map(|text| apply_plain(text, delta))
            {
                *part = Json::from(old);
            }
        }
        DesignOp::AddToSet { pointer, values, .. } => {
            if let Some(Json::Array(items)) = part_mut(&mut value, at, pointer.as_str()) {
                items.extend(values.iter().cloned());
            }
        }
        DesignOp::RemoveFromSet { pointer, values, .. } => {
            if let Some(Json::Array(items)) = part_mut(&mut value, at, pointer.as_str()) {
                items.retain(|item| !values.iter().any(|gone| same(gone, item)));
            }
        }
        _ => {}
    }
    value
}

fn patch_below(value: &mut Json, patch: &Patch, at: &str) {
    for (pointer, json) in &patch.set {
        if let Some((parent, key)) = pointer.split_last()
            && let Some(Json::Object(map)) = part_mut(value, at, parent)
        {
            map.insert(key.into_owned(), json.clone());
        }
    }
    for pointer in &patch.unset {
        if let Some((parent, key)) = pointer.split_last()
            && let Some(Json::Object(map)) = part_mut(value, at, parent)
        {
            map.remove(&*key);
        }
    }
}

/// Finds what `pointer` names in a value that stands at `at`.
fn part_mut<'a>(value: &'a mut Json, at: &str, pointer: &str) -> Option<&'a mut Json> {
    value.pointer_mut(pointer.strip_prefix(at)?)
}
