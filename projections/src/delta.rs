//! A delta of any kind.

use crate::code::{self, CodeOp};
use crate::codec::{self, CodecError};
use crate::design::{self, DesignOp};
use crate::doc;
use crate::fault::Invalid;
use crate::json::Json;
use crate::kind::Kind;
use crate::sheet::{self, SheetOp};
use crate::text::TextDelta;

/// A change of a page: a list of operations, applied in order, all or nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// Operations on nodes, attributes and backgrounds.
    Design(Vec<DesignOp>),
    /// One rich-text delta.
    Doc(TextDelta),
    /// Operations on files.
    Code(Vec<CodeOp>),
    /// Replacements of the whole value.
    Sheet(Vec<SheetOp>),
}

/// What an apply did.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The delta as committed: order keys assigned, what changed nothing left out. Replaying it gives the same state.
    pub delta: Delta,
    /// The delta that takes it back, made from the very state that it was applied to.
    pub inverse: Delta,
}

impl Delta {
    /// Makes the delta of a kind that changes nothing.
    pub fn empty(kind: Kind) -> Delta {
        match kind {
            Kind::Design => Delta::Design(Vec::new()),
            Kind::Doc => Delta::Doc(TextDelta::new()),
            Kind::Code => Delta::Code(Vec::new()),
            Kind::Sheet => Delta::Sheet(Vec::new()),
        }
    }

    /// Tells the kind of page that it is for.
    pub fn kind(&self) -> Kind {
        match self {
            Delta::Design(_) => Kind::Design,
            Delta::Doc(_) => Kind::Doc,
            Delta::Code(_) => Kind::Code,
            Delta::Sheet(_) => Kind::Sheet,
        }
    }

    /// Tells whether it has no operation.
    pub fn is_empty(&self) -> bool {
        match self {
            Delta::Design(ops) => ops.is_empty(),
            Delta::Doc(delta) => delta.is_empty(),
            Delta::Code(ops) => ops.is_empty(),
            Delta::Sheet(ops) => ops.is_empty(),
        }
    }

    /// Reads a delta: an array of operations; for DOC a Quill Delta, its array of operations or an object with it as `ops`.
    ///
    /// # Errors
    /// [`Invalid`] with the pointer of the first fault.
    pub fn from_json(kind: Kind, json: &Json) -> Result<Delta, Invalid> {
        match kind {
            Kind::Design => design::ops_from_json(json).map(Delta::Design),
            Kind::Doc => doc::delta_from_json(json).map(Delta::Doc),
            Kind::Code => code::ops_from_json(json).map(Delta::Code),
            Kind::Sheet => sheet::ops_from_json(json).map(Delta::Sheet),
        }
    }

    /// Gives the delta as JSON; reading it gives the same delta.
    pub fn to_json(&self) -> Json {
        match self {
            Delta::Design(ops) => design::ops_to_json(ops),
            Delta::Doc(delta) => delta.to_json(),
            Delta::Code(ops) => code::ops_to_json(ops),
            Delta::Sheet(ops) => sheet::ops_to_json(ops),
        }
    }

    /// Encodes the delta to store it: versioned, self-contained, its kind included.
    ///
    /// # Errors
    /// [`CodecError::TooLarge`] if it does not fit into a record.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CodecError> {
        codec::encode_delta(self)
    }

    /// Decodes a delta. Bytes that do not come from [`Delta::to_bytes`] give an error or another valid delta, never a panic.
    ///
    /// # Errors
    /// [`CodecError`] if the bytes are no delta.
    pub fn from_bytes(bytes: &[u8]) -> Result<Delta, CodecError> {
        codec::decode_delta(bytes)
    }
}

impl Applied {
    pub(crate) fn design((delta, inverse): (Vec<DesignOp>, Vec<DesignOp>)) -> Applied {
        Applied {
            delta: Delta::Design(delta),
            inverse: Delta::Design(inverse),
        }
    }

    pub(crate) fn doc((delta, inverse): (TextDelta, TextDelta)) -> Applied {
        Applied {
            delta: Delta::Doc(delta),
            inverse: Delta::Doc(inverse),
        }
    }

    pub(crate) fn code((delta, inverse): (Vec<CodeOp>, Vec<CodeOp>)) -> Applied {
        Applied {
            delta: Delta::Code(delta),
            inverse: Delta::Code(inverse),
        }
    }

    pub(crate) fn sheet((delta, inverse): (Vec<SheetOp>, Vec<SheetOp>)) -> Applied {
        Applied {
            delta: Delta::Sheet(delta),
            inverse: Delta::Sheet(inverse),
        }
    }
}
