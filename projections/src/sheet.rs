//! SHEET pages: opaque JSON, replaced whole.

use std::sync::Arc;

use crate::digest::{self, Digest};
use crate::fault::{ApplyError, Invalid, Limited};
use crate::flaw::{Flaw, at_most};
use crate::json::{self, Json, JsonMap};
use crate::limits::OPS_MAX;
use crate::wire::{Fields, free, read_ops, unknown_op};

const PAGE_DOMAIN: &str = "recto.sheet.page.1";
/// What a sheet takes beside its content, roughly, in bytes.
const SHEET_WEIGHT: usize = 128;

/// The state of a SHEET page. A clone is O(1).
#[derive(Clone, Debug)]
pub struct SheetValue(Arc<Sheet>);

#[derive(Debug)]
struct Sheet {
    json: Json,
    digest: Digest,
    weight: usize,
}

/// One operation of a SHEET delta.
#[derive(Clone, Debug)]
pub enum SheetOp {
    /// Replaces the whole value.
    ReplaceSheet {
        /// The new value.
        value: Json,
    },
}

impl SheetValue {
    /// Gives the value.
    pub fn json(&self) -> &Json {
        &self.0.json
    }

    /// Reads a value: any JSON within the limits.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn from_json(json: &Json) -> Result<SheetValue, Invalid> {
        free(json, 0, String::new).map(SheetValue::new)
    }

    /// Gives the value as JSON.
    pub fn to_json(&self) -> Json {
        self.json().clone()
    }

    /// Appends the value as JSON text.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        json::write(self.json(), out);
    }

    /// Gives the digest of the state, in O(1).
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// Gives roughly how many bytes of memory the value holds, in O(1).
    pub fn weight(&self) -> usize {
        self.0.weight
    }

    /// Checks the kept digest and weight, and the limits.
    ///
    /// # Errors
    /// A sentence that names the first thing that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        json::check(self.json(), 0).map_err(|flaw| format!("the value is not valid: {}", flaw.rule))?;
        let fresh = SheetValue::new(self.json().clone());
        match fresh.digest() == self.digest() && fresh.weight() == self.weight() {
            true => Ok(()),
            false => Err("the kept digest or weight is wrong".into()),
        }
    }

    pub(crate) fn apply(&mut self, ops: &[SheetOp]) -> Result<(Vec<SheetOp>, Vec<SheetOp>), ApplyError> {
        let before = self.clone();
        self.replay(ops)?;
        Ok((before.diff(self), self.diff(&before)))
    }

    pub(crate) fn replay(&mut self, ops: &[SheetOp]) -> Result<(), ApplyError> {
        at_most(Limited::Operations, OPS_MAX, ops.len()).map_err(|rule| Flaw::from(rule).into_apply_error(0))?;
        for (index, SheetOp::ReplaceSheet { value }) in ops.iter().enumerate() {
            json::check(value, 0).map_err(|flaw| flaw.under("/value").into_apply_error(index))?;
        }
        if let Some(SheetOp::ReplaceSheet { value }) = ops.last() {
            *self = SheetValue::new(value.clone());
        }
        Ok(())
    }

    pub(crate) fn diff(&self, to: &SheetValue) -> Vec<SheetOp> {
        if self == to {
            Vec::new()
        } else {
            vec![SheetOp::ReplaceSheet { value: to.to_json() }]
        }
    }

    fn new(json: Json) -> SheetValue {
        let mut hasher = digest::hasher(PAGE_DOMAIN);
        hasher.update(json::text(&json).as_bytes());
        let weight = SHEET_WEIGHT + json::weight(&json);
        SheetValue(Arc::new(Sheet {
            digest: digest::finish(&hasher),
            weight,
            json,
        }))
    }
}

impl Default for SheetValue {
    fn default() -> SheetValue {
        SheetValue::new(Json::Null)
    }
}

impl PartialEq for SheetValue {
    fn eq(&self, other: &SheetValue) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || json::same(self.json(), other.json())
    }
}

impl PartialEq for SheetOp {
    fn eq(&self, other: &SheetOp) -> bool {
        let (SheetOp::ReplaceSheet { value: a }, SheetOp::ReplaceSheet { value: b }) = (self, other);
        json::same(a, b)
    }
}

/// Reads an array of operations.
pub(crate) fn ops_from_json(json: &Json) -> Result<Vec<SheetOp>, Invalid> {
    read_ops(json, |tag, json, place| match tag {
        "replaceSheet" => {
            let fields = Fields::open(json, place, &["op", "value"])?;
            let value = free(fields.required("value", "any JSON")?, 0, || fields.at("value"))?;
            Ok(SheetOp::ReplaceSheet { value })
        }
        _ => Err(unknown_op(&place, "replaceSheet")),
    })
}

/// Gives operations as an array.
pub(crate) fn ops_to_json(ops: &[SheetOp]) -> Json {
    let write = |SheetOp::ReplaceSheet { value }: &SheetOp| {
        let mut map = JsonMap::new();
        map.insert("op".into(), Json::from("replaceSheet"));
        map.insert("value".into(), value.clone());
        Json::Object(map)
    };
    ops.iter().map(write).collect()
}
