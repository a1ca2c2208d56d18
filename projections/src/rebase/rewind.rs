//! The value of a field before an operation, from its value after it and the operation's inverse.

use std::collections::BTreeSet;

use super::field::{Field, Said, said};
use crate::design::DesignOp;
use crate::json::{Json, JsonMap, same};
use crate::patch::Patch;
use crate::sequence::merge_at;
use crate::text::apply_plain;

/// Takes an operation's inverse over a value. What comes back inside it comes back to its place.
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
        DesignOp::AddToSet {
            pointer,
            values,
            at: places,
            ..
        } => {
            if let Some(Json::Array(items)) = part_mut(&mut value, at, pointer.as_str()) {
                // A value without an index comes last.
                let places = places.iter().copied().chain(std::iter::repeat(usize::MAX));
                let placed = places.zip(values.iter().cloned()).collect();
                *items = merge_at(std::mem::take(items), placed);
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
    for pointer in &patch.unset {
        if let Some((parent, key)) = pointer.split_last()
            && let Some(Json::Object(map)) = part_mut(value, at, parent)
        {
            map.shift_remove(&*key);
        }
    }
    for (pointer, json) in &patch.set {
        if let Some((parent, key)) = pointer.split_last()
            && let Some(Json::Object(map)) = part_mut(value, at, parent)
        {
            map.insert(key.into_owned(), json.clone());
        }
    }
    let parents: BTreeSet<&str> = patch
        .at
        .iter()
        .filter_map(|(pointer, _)| Some(pointer.split_last()?.0))
        .collect();
    for parent in parents {
        if let Some(Json::Object(map)) = part_mut(value, at, parent) {
            place(map, parent, patch);
        }
    }
}

/// Puts the keys of one object at the indices that a patch names.
fn place(map: &mut JsonMap, parent: &str, patch: &Patch) {
    let keys = patch.at.iter().filter_map(|(pointer, index)| {
        let (above, key) = pointer.split_last()?;
        (above == parent).then_some((*index, key))
    });
    let placed = keys
        .filter_map(|(index, key)| Some((index, map.shift_remove_entry(&*key)?)))
        .collect();
    let rest = std::mem::take(map).into_iter().collect();
    map.extend(merge_at(rest, placed));
}

/// Finds what `pointer` names in a value that stands at `at`.
fn part_mut<'a>(value: &'a mut Json, at: &str, pointer: &str) -> Option<&'a mut Json> {
    value.pointer_mut(pointer.strip_prefix(at)?)
}
