//! A page value of any kind.

use crate::code::CodeValue;
use crate::codec::{self, CodecError};
use crate::delta::{Applied, Delta};
use crate::design::DesignValue;
use crate::digest::Digest;
use crate::doc::DocValue;
use crate::fault::{ApplyError, DiffError, Invalid, Rule};
use crate::json::Json;
use crate::kind::Kind;
use crate::sheet::SheetValue;

/// The state of a page. A clone is O(1): structure is shared.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nodes in a tree.
    Design(DesignValue),
    /// Rich text.
    Doc(DocValue),
    /// Files by path.
    Code(CodeValue),
    /// Opaque JSON.
    Sheet(SheetValue),
}

impl Value {
    /// Makes the empty value of a kind: no node, one newline, no file, null.
    pub fn empty(kind: Kind) -> Value {
        match kind {
            Kind::Design => Value::Design(DesignValue::default()),
            Kind::Doc => Value::Doc(DocValue::default()),
            Kind::Code => Value::Code(CodeValue::default()),
            Kind::Sheet => Value::Sheet(SheetValue::default()),
        }
    }

    /// Tells the kind.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Design(_) => Kind::Design,
            Value::Doc(_) => Kind::Doc,
            Value::Code(_) => Kind::Code,
            Value::Sheet(_) => Kind::Sheet,
        }
    }

    /// Reads a whole value.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn from_json(kind: Kind, json: &Json) -> Result<Value, Invalid> {
        Value::empty(kind).successor_from_json(json)
    }

    /// Reads a whole value that is to replace this one: as [`Value::from_json`], but nodes that come without an order key
    /// keep the one they have here wherever the order of the siblings allows it, so that the diff moves as few as possible.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn successor_from_json(&self, json: &Json) -> Result<Value, Invalid> {
        Ok(match self {
            Value::Design(base) => Value::Design(base.successor_from_json(json)?),
            Value::Doc(_) => Value::Doc(DocValue::from_json(json)?),
            Value::Code(_) => Value::Code(CodeValue::from_json(json)?),
            Value::Sheet(_) => Value::Sheet(SheetValue::from_json(json)?),
        })
    }

    /// Gives the value as JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Design(value) => value.to_json(),
            Value::Doc(value) => value.to_json(),
            Value::Code(value) => value.to_json(),
            Value::Sheet(value) => value.to_json(),
        }
    }

    /// Appends the value as JSON text, the same as the text of [`Value::to_json`], without a tree in between.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Value::Design(value) => value.write_json(out),
            Value::Doc(value) => value.write_json(out),
            Value::Code(value) => value.write_json(out),
            Value::Sheet(value) => value.write_json(out),
        }
    }

    /// Gives the digest of the state. O(1): it is kept up to date as deltas are applied.
    pub fn digest(&self) -> Digest {
        match self {
            Value::Design(value) => value.digest(),
            Value::Doc(value) => value.digest(),
            Value::Code(value) => value.digest(),
            Value::Sheet(value) => value.digest(),
        }
    }

    /// Gives roughly how many bytes of memory the value holds. O(1).
    pub fn weight(&self) -> usize {
        match self {
            Value::Design(value) => value.weight(),
            Value::Doc(value) => value.weight(),
            Value::Code(value) => value.weight(),
            Value::Sheet(value) => value.weight(),
        }
    }

    /// Applies a delta, all or nothing, and gives it as committed with its inverse. The cost follows the delta.
    ///
    /// # Errors
    /// [`ApplyError`] with the first operation that cannot be applied; the value is then as it was.
    pub fn apply(&mut self, delta: &Delta) -> Result<Applied, ApplyError> {
        match (self, delta) {
            (Value::Design(value), Delta::Design(ops)) => value.apply(ops).map(Applied::design),
            (Value::Doc(value), Delta::Doc(delta)) => value.apply(delta).map(Applied::doc),
            (Value::Code(value), Delta::Code(ops)) => value.apply(ops).map(Applied::code),
            (Value::Sheet(value), Delta::Sheet(ops)) => value.apply(ops).map(Applied::sheet),
            _ => Err(kind_differs()),
        }
    }

    /// Makes the same change as [`Value::apply`] without building the inverse.
    ///
    /// # Errors
    /// [`ApplyError`] with the first operation that cannot be applied; the value is then as it was.
    pub fn replay(&mut self, delta: &Delta) -> Result<(), ApplyError> {
        match (self, delta) {
            (Value::Design(value), Delta::Design(ops)) => value.replay(ops),
            (Value::Doc(value), Delta::Doc(delta)) => value.replay(delta),
            (Value::Code(value), Delta::Code(ops)) => value.replay(ops),
            (Value::Sheet(value), Delta::Sheet(ops)) => value.replay(ops),
            _ => Err(kind_differs()),
        }
    }

    /// Finds the fine delta that leads from this value to another: empty if they are equal.
    ///
    /// # Errors
    /// [`DiffError`] if the kinds differ, or the delta would break a limit.
    pub fn diff(&self, to: &Value) -> Result<Delta, DiffError> {
        match (self, to) {
            (Value::Design(from), Value::Design(to)) => from.diff(to).map(Delta::Design),
            (Value::Doc(from), Value::Doc(to)) => Ok(Delta::Doc(from.diff(to))),
            (Value::Code(from), Value::Code(to)) => from.diff(to).map(Delta::Code),
            (Value::Sheet(from), Value::Sheet(to)) => Ok(Delta::Sheet(from.diff(to))),
            _ => Err(DiffError::KindDiffers),
        }
    }

    /// Encodes the value for a snapshot: versioned, self-contained.
    ///
    /// # Errors
    /// [`CodecError::TooLarge`] if it does not fit into a record.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CodecError> {
        codec::encode_value(self)
    }

    /// Decodes a value. Bytes that do not come from [`Value::to_bytes`] give an error or another valid value, never a panic.
    ///
    /// # Errors
    /// [`CodecError`] if the bytes are no value.
    pub fn from_bytes(bytes: &[u8]) -> Result<Value, CodecError> {
        codec::decode_value(bytes)
    }

    /// Checks everything that always holds of a value, in time proportional to it: the tree, the order keys, the kept
    /// digest and weight. For tests and for verification.
    ///
    /// # Errors
    /// A sentence that names the first thing that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        match self {
            Value::Design(value) => value.check_invariants(),
            Value::Doc(value) => value.check_invariants(),
            Value::Code(value) => value.check_invariants(),
            Value::Sheet(value) => value.check_invariants(),
        }
    }
}

fn kind_differs() -> ApplyError {
    ApplyError {
        op: 0,
        pointer: String::new(),
        rule: Rule::KindDiffers,
    }
}
