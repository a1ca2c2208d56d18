//! JSON values as parts of a text: equality, depth, canonical bytes.
//!
//! Two values are the same when they are written the same: `1` is not `1.0`, and the order of an object's keys counts.
//! So what was written comes back to the byte, and a digest needs no second definition of equality.

use serde_json::Value as Json;

use super::fault::TextFault;
use crate::limits::JSON_DEPTH_MAX;

/// Says whether two values are written the same.
pub(super) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && same(va, vb))
        }
        (a, b) => a == b,
    }
}

/// Refuses a value nested deeper than [`JSON_DEPTH_MAX`].
pub(super) fn check_depth(json: &Json) -> Result<(), TextFault> {
    if fits(json, JSON_DEPTH_MAX) { Ok(()) } else { Err(TextFault::TooDeep { max: JSON_DEPTH_MAX }) }
}

fn fits(json: &Json, levels: usize) -> bool {
    match json {
        Json::Array(items) => levels > 0 && items.iter().all(|item| fits(item, levels - 1)),
        Json::Object(fields) => levels > 0 && fields.values().all(|item| fits(item, levels - 1)),
        _ => true,
    }
}
