//! Free JSON: equality, text, weight, and what is refused in it.
//!
//! Two values are the same when they are written the same: `1` is not `1.0`, and the order of an object's keys counts.

use crate::fault::{Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::limits::{JSON_DEPTH_MAX, KEY_MAX_BYTES, STRING_MAX_BYTES};

/// Any JSON value. Numbers keep their text, objects the order of their keys.
pub type Json = serde_json::Value;

/// A JSON object.
pub type JsonMap = serde_json::Map<String, Json>;

/// The beginning of the keys by which the parser marks a number among objects: an object with one would not come back.
const RESERVED_KEY: &str = "$serde_json::private::";

/// What an entry of an object or array takes beside its content, roughly, in bytes.
const ENTRY_WEIGHT: usize = 72;

/// Says whether two values are written the same.
pub(crate) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => same_items(a, b),
        (Json::Object(a), Json::Object(b)) => same_map(a, b),
        (a, b) => a == b,
    }
}

/// Says whether two arrays are written the same.
pub(crate) fn same_items(a: &[Json], b: &[Json]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Says whether two objects are written the same.
pub(crate) fn same_map(a: &JsonMap, b: &JsonMap) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && same(va, vb))
}

/// Appends a value as compact JSON.
pub(crate) fn write<T: serde::Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Writing to memory cannot fail, nor can a value whose keys are strings.
    let _ = serde_json::to_writer(out, value);
}

/// Gives a value as compact JSON.
pub(crate) fn text<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Gives roughly how many bytes of memory a value holds beside itself.
pub(crate) fn weight(json: &Json) -> usize {
    match json {
        Json::Null | Json::Bool(_) => 0,
        Json::Number(number) => number.as_str().len(),
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(|item| ENTRY_WEIGHT + weight(item)).sum(),
        Json::Object(map) => map_weight(map),
    }
}

/// Gives roughly how many bytes of memory an object holds.
pub(crate) fn map_weight(map: &JsonMap) -> usize {
    map.iter()
        .map(|(key, value)| 2 * ENTRY_WEIGHT + key.len() + weight(value))
        .sum()
}

/// Copies a value with its numbers as the parser writes them, and refuses what [`check`] refuses.
pub(crate) fn copy(json: &Json, above: usize) -> Result<Json, Flaw> {
    match json {
        Json::Number(number) => Ok(Json::Number(normal_number(number).unwrap_or_else(|| number.clone()))),
        Json::Array(items) => {
            check_depth(above)?;
            let items = items.iter().enumerate();
            items
                .map(|(index, item)| copy(item, above + 1).map_err(|flaw| flaw.under(&format!("/{index}"))))
                .collect()
        }
        Json::Object(map) => copy_map(map, above).map(Json::Object),
        json => check(json, above).map(|()| json.clone()),
    }
}

/// Copies an object as [`copy`] does.
pub(crate) fn copy_map(map: &JsonMap, above: usize) -> Result<JsonMap, Flaw> {
    check_depth(above)?;
    let entry = |(key, value): (&String, &Json)| {
        check_key(key)?;
        Ok((key.clone(), copy(value, above + 1)?))
    };
    map.iter()
        .map(|(key, value)| entry((key, value)).map_err(|flaw: Flaw| flaw.under_key(key)))
        .collect()
}

/// Refuses a value that nests deeper than [`JSON_DEPTH_MAX`], or has a key or string that is too long or reserved, or a
/// number that would not come back as it is written.
/// `above` is how many levels it will stand below the top.
pub(crate) fn check(json: &Json, above: usize) -> Result<(), Flaw> {
    match json {
        Json::Null | Json::Bool(_) => Ok(()),
        Json::Number(number) if normal_number(number).is_none() => Ok(()),
        Json::Number(_) => Err(Rule::NumberNotNormal.into()),
        Json::String(text) => Ok(at_most(Limited::StringBytes, STRING_MAX_BYTES, text.len())?),
        Json::Array(items) => {
            check_depth(above)?;
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| check(item, above + 1).map_err(|flaw| flaw.under(&format!("/{index}"))))
        }
        Json::Object(map) => check_map(map, above),
    }
}

/// Refuses an object as [`check`] does.
pub(crate) fn check_map(map: &JsonMap, above: usize) -> Result<(), Flaw> {
    check_depth(above)?;
    map.iter().try_for_each(|(key, value)| {
        check_key(key).map_err(Flaw::from).map_err(|flaw| flaw.under_key(key))?;
        check(value, above + 1).map_err(|flaw| flaw.under_key(key))
    })
}

/// Refuses a key that is too long or reserved.
pub(crate) fn check_key(key: &str) -> Result<(), Rule> {
    if key.starts_with(RESERVED_KEY) {
        return Err(Rule::KeyReserved);
    }
    at_most(Limited::KeyBytes, KEY_MAX_BYTES, key.len())
}

/// Gives a number as the parser would write it, unless it is written so already: a stored number comes back from there.
/// A number that was parsed has the sign of its exponent; one that was made of a float may lack it.
pub(crate) fn normal_number(number: &serde_json::Number) -> Option<serde_json::Number> {
    let text = number.as_str();
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'.')
    {
        return None;
    }
    text.parse().ok().filter(|normal| normal != number)
}

fn check_depth(above: usize) -> Result<(), Rule> {
    if above < JSON_DEPTH_MAX {
        Ok(())
    } else {
        Err(Rule::TooDeep { limit: JSON_DEPTH_MAX })
    }
}
