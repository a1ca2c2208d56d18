//! CODE operations, schema 1.

use serde::{Deserialize, Serialize};

use super::super::CodecError;
use super::patch::{StoredPatch, restore_patch, store_patch};
use super::restore_text_delta;
use crate::code::CodeOp;
use crate::text::StoredDelta;

/// An operation.
#[derive(Serialize, Deserialize)]
pub(in super::super) enum StoredOp {
    AddFile { path: String, text: String },
    RemoveFile(String),
    RenameFile { path: String, to: String },
    EditFile { path: String, delta: StoredDelta },
    SetEntry(Option<String>),
    SetAttributes(StoredPatch),
}

pub(super) fn store_op(op: &CodeOp) -> StoredOp {
    match op {
        CodeOp::AddFile { path, text } => StoredOp::AddFile {
            path: path.to_string(),
            text: text.clone(),
        },
        CodeOp::RemoveFile { path } => StoredOp::RemoveFile(path.to_string()),
        CodeOp::RenameFile { path, to } => StoredOp::RenameFile {
            path: path.to_string(),
            to: to.to_string(),
        },
        CodeOp::EditFile { path, delta } => StoredOp::EditFile {
            path: path.to_string(),
            delta: delta.to_stored(),
        },
        CodeOp::SetEntry { path } => StoredOp::SetEntry(path.as_deref().map(str::to_owned)),
        CodeOp::SetAttributes { patch } => StoredOp::SetAttributes(store_patch(patch)),
    }
}

/// Paths are checked when the operation is applied: one that is no path cannot name a file.
pub(super) fn restore_op(stored: StoredOp) -> Result<CodeOp, CodecError> {
    Ok(match stored {
        StoredOp::AddFile { path, text } => CodeOp::AddFile {
            path: path.into(),
            text,
        },
        StoredOp::RemoveFile(path) => CodeOp::RemoveFile { path: path.into() },
        StoredOp::RenameFile { path, to } => CodeOp::RenameFile {
            path: path.into(),
            to: to.into(),
        },
        StoredOp::EditFile { path, delta } => CodeOp::EditFile {
            path: path.into(),
            delta: restore_text_delta(delta)?,
        },
        StoredOp::SetEntry(path) => CodeOp::SetEntry {
            path: path.map(Into::into),
        },
        StoredOp::SetAttributes(patch) => CodeOp::SetAttributes {
            patch: restore_patch(patch)?,
        },
    })
}
