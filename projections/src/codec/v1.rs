//! Schema 1. Frozen: a new variant at the end of an enum is allowed, all else is another schema.

mod code;
mod design;
mod patch;
mod value;

use serde::{Deserialize, Serialize};

use super::{CodecError, damaged};
use crate::delta::Delta;
use crate::json::{self, Json, JsonMap};
use crate::sheet::SheetOp;
use crate::text::{StoredDelta, TextDelta};

pub(super) use value::{restore_value, store_value};

/// A delta.
#[derive(Serialize, Deserialize)]
pub(super) enum StoredPageDelta {
    Design(Vec<design::StoredOp>),
    Doc(StoredDelta),
    Code(Vec<code::StoredOp>),
    Sheet(Vec<StoredSheetOp>),
}

/// An operation of a SHEET delta. JSON is text.
#[derive(Serialize, Deserialize)]
pub(super) enum StoredSheetOp {
    Replace(String),
}

pub(super) fn store_delta(delta: &Delta) -> StoredPageDelta {
    match delta {
        Delta::Design(ops) => StoredPageDelta::Design(ops.iter().map(design::store_op).collect()),
        Delta::Doc(delta) => StoredPageDelta::Doc(delta.to_stored()),
        Delta::Code(ops) => StoredPageDelta::Code(ops.iter().map(code::store_op).collect()),
        Delta::Sheet(ops) => StoredPageDelta::Sheet(ops.iter().map(store_sheet_op).collect()),
    }
}

pub(super) fn restore_delta(stored: StoredPageDelta) -> Result<Delta, CodecError> {
    Ok(match stored {
        StoredPageDelta::Design(ops) => Delta::Design(all(ops, design::restore_op)?),
        StoredPageDelta::Doc(delta) => Delta::Doc(restore_text_delta(delta)?),
        StoredPageDelta::Code(ops) => Delta::Code(all(ops, code::restore_op)?),
        StoredPageDelta::Sheet(ops) => Delta::Sheet(all(ops, restore_sheet_op)?),
    })
}

fn store_sheet_op(SheetOp::ReplaceSheet { value }: &SheetOp) -> StoredSheetOp {
    StoredSheetOp::Replace(json::text(value))
}

fn restore_sheet_op(StoredSheetOp::Replace(text): StoredSheetOp) -> Result<SheetOp, CodecError> {
    Ok(SheetOp::ReplaceSheet {
        value: restore_json(&text)?,
    })
}

fn restore_text_delta(stored: StoredDelta) -> Result<TextDelta, CodecError> {
    TextDelta::from_stored(stored).map_err(damaged)
}

/// Parses JSON, and refuses what breaks a rule of free JSON.
fn restore_json(text: &str) -> Result<Json, CodecError> {
    let value: Json = serde_json::from_str(text).map_err(damaged)?;
    json::check(&value, 0).map_err(|flaw| damaged(flaw.rule))?;
    Ok(value)
}

fn restore_map(text: &str) -> Result<JsonMap, CodecError> {
    match restore_json(text)? {
        Json::Object(map) => Ok(map),
        _ => Err(damaged("no object where one belongs")),
    }
}

fn all<A, B>(items: Vec<A>, restore: impl Fn(A) -> Result<B, CodecError>) -> Result<Vec<B>, CodecError> {
    items.into_iter().map(restore).collect()
}
