//! Patches, schema 1.

use serde::{Deserialize, Serialize};

use super::super::{CodecError, damaged};
use super::{all, restore_json};
use crate::json;
use crate::patch::Patch;
use crate::pointer::Pointer;

/// A patch: values are JSON as text.
#[derive(Serialize, Deserialize)]
pub(in super::super) struct StoredPatch {
    set: Vec<(String, String)>,
    unset: Vec<String>,
    at: Vec<(String, u64)>,
}

pub(super) fn store_patch(patch: &Patch) -> StoredPatch {
    StoredPatch {
        set: patch
            .set
            .iter()
            .map(|(pointer, value)| (pointer.to_string(), json::text(value)))
            .collect(),
        unset: patch.unset.iter().map(Pointer::to_string).collect(),
        at: patch
            .at
            .iter()
            .map(|(pointer, index)| (pointer.to_string(), store_index(*index)))
            .collect(),
    }
}

pub(super) fn restore_patch(stored: StoredPatch) -> Result<Patch, CodecError> {
    Ok(Patch {
        set: all(stored.set, |(pointer, value)| {
            Ok((restore_pointer(&pointer)?, restore_json(&value)?))
        })?,
        unset: all(stored.unset, |pointer| restore_pointer(&pointer))?,
        at: all(stored.at, |(pointer, index)| {
            Ok((restore_pointer(&pointer)?, restore_index(index)?))
        })?,
    })
}

pub(super) fn restore_pointer(text: &str) -> Result<Pointer, CodecError> {
    Pointer::parse(text).map_err(damaged)
}

pub(super) fn store_index(index: usize) -> u64 {
    // No machine that this builds for has indices above 64 bits.
    u64::try_from(index).unwrap_or(u64::MAX)
}

pub(super) fn restore_index(index: u64) -> Result<usize, CodecError> {
    usize::try_from(index).map_err(damaged)
}
