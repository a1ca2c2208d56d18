//! How text deltas and texts are stored, version 1: flat, without recursive types; JSON as canonical text.
//!
//! A new kind of operation may be added at the end of [`StoredOp`]; everything else is a new version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use thiserror::Error;

use super::attributes::Attributes;
use super::delta::TextDelta;
use super::embed::Embed;
use super::fault::TextFault;
use super::op::{Content, TextOp};
use super::rich_text::RichText;

/// A delta or a document as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredDelta {
    /// The operations, in normal form.
    pub ops: Vec<StoredOp>,
}

/// An operation as it is stored. Attributes and embeds are compact JSON objects, attributes sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StoredOp {
    /// Text without attributes.
    Insert(String),
    /// Text and its attributes.
    InsertWith(String, String),
    /// An embed without attributes.
    Embed(String),
    /// An embed and its attributes.
    EmbedWith(String, String),
    /// Units that stay as they are.
    Retain(u64),
    /// Units that stay, and the patch of their attributes.
    RetainWith(u64, String),
    /// Units that go.
    Delete(u64),
}

/// Stored bytes that decode to something that was never stored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoredFault {
    /// The operations are not in normal form.
    #[error("stored operation {op} is empty or belongs to its neighbour")]
    NotNormal {
        /// The operation's index.
        op: usize,
    },
    /// An embed or attributes are not what the encoder writes.
    #[error("stored operation {op} holds JSON that is not in canonical form")]
    NotCanonical {
        /// The operation's index.
        op: usize,
    },
    /// A length does not fit this machine.
    #[error("stored operation {op} is longer than this machine can address")]
    TooLong {
        /// The operation's index.
        op: usize,
    },
    /// The operations break a rule of text.
    #[error(transparent)]
    Rule(#[from] TextFault),
}

impl TextDelta {
    /// Returns the delta as it is stored.
    #[must_use]
    pub fn to_stored(&self) -> StoredDelta {
        StoredDelta {
            ops: self.ops().iter().map(store_op).collect(),
        }
    }

    /// Reads a stored delta back, and checks that it is one that [`TextDelta::to_stored`] can have made.
    ///
    /// # Errors
    /// [`StoredFault`] with the first operation that is none.
    pub fn from_stored(stored: StoredDelta) -> Result<Self, StoredFault> {
        let mut delta = Self::new();
        for (index, op) in stored.ops.into_iter().enumerate() {
            let op = restore_op(op, index)?;
            let out_of_order = op.is_insert() && delta.ops().last().is_some_and(TextOp::is_delete);
            delta.push(op);
            if out_of_order || delta.ops().len() != index + 1 {
                return Err(StoredFault::NotNormal { op: index });
            }
        }
        Ok(delta)
    }
}

impl RichText {
    /// Returns the text as it is stored: as a document.
    #[must_use]
    pub fn to_stored(&self) -> StoredDelta {
        self.to_document().to_stored()
    }

    /// Reads a stored text back.
    ///
    /// # Errors
    /// As [`TextDelta::from_stored`], and [`TextFault::InsertsOnly`].
    pub fn from_stored(stored: StoredDelta) -> Result<Self, StoredFault> {
        Ok(Self::from_document(&TextDelta::from_stored(stored)?)?)
    }
}

fn store_op(op: &TextOp) -> StoredOp {
    let attributes = op.attributes().map(|attributes| attributes.canonical().to_owned());
    // No machine that this builds for has lengths above 64 bits.
    let stored_len = |len: usize| u64::try_from(len).unwrap_or(u64::MAX);
    match (op, attributes) {
        (
            TextOp::Insert {
                content: Content::Text(text),
                ..
            },
            None,
        ) => StoredOp::Insert(text.clone()),
        (
            TextOp::Insert {
                content: Content::Text(text),
                ..
            },
            Some(attributes),
        ) => StoredOp::InsertWith(text.clone(), attributes),
        (
            TextOp::Insert {
                content: Content::Embed(embed),
                ..
            },
            None,
        ) => StoredOp::Embed(embed.canonical().to_owned()),
        (
            TextOp::Insert {
                content: Content::Embed(embed),
                ..
            },
            Some(attributes),
        ) => StoredOp::EmbedWith(embed.canonical().to_owned(), attributes),
        (TextOp::Retain { len, .. }, None) => StoredOp::Retain(stored_len(*len)),
        (TextOp::Retain { len, .. }, Some(attributes)) => StoredOp::RetainWith(stored_len(*len), attributes),
        (TextOp::Delete { len }, _) => StoredOp::Delete(stored_len(*len)),
    }
}

fn restore_op(op: StoredOp, index: usize) -> Result<TextOp, StoredFault> {
    let length = |len: u64| usize::try_from(len).map_err(|_| StoredFault::TooLong { op: index });
    let document = |json: &str| match restore_attributes(json, index)? {
        attributes if attributes.first_null().is_none() => Ok(Some(attributes)),
        _ => Err(StoredFault::NotCanonical { op: index }),
    };
    Ok(match op {
        StoredOp::Insert(text) => TextOp::Insert {
            content: Content::Text(text),
            attributes: None,
        },
        StoredOp::InsertWith(text, json) => TextOp::Insert {
            content: Content::Text(text),
            attributes: document(&json)?,
        },
        StoredOp::Embed(embed) => TextOp::Insert {
            content: Content::Embed(restore_embed(&embed, index)?),
            attributes: None,
        },
        StoredOp::EmbedWith(embed, json) => TextOp::Insert {
            content: Content::Embed(restore_embed(&embed, index)?),
            attributes: document(&json)?,
        },
        StoredOp::Retain(len) => TextOp::Retain {
            len: length(len)?,
            attributes: None,
        },
        StoredOp::RetainWith(len, json) => {
            let attributes = Some(restore_attributes(&json, index)?);
            TextOp::Retain {
                len: length(len)?,
                attributes,
            }
        }
        StoredOp::Delete(len) => TextOp::Delete { len: length(len)? },
    })
}

fn restore_attributes(json: &str, op: usize) -> Result<Attributes, StoredFault> {
    let not_canonical = StoredFault::NotCanonical { op };
    let Ok(map) = serde_json::from_str::<BTreeMap<String, Json>>(json) else {
        return Err(not_canonical);
    };
    match Attributes::new(map)? {
        Some(attributes) if attributes.canonical() == json => Ok(attributes),
        _ => Err(not_canonical),
    }
}

fn restore_embed(json: &str, op: usize) -> Result<Embed, StoredFault> {
    let parsed = serde_json::from_str::<Json>(json)
        .ok()
        .and_then(|json| Embed::new(json).ok());
    match parsed {
        Some(embed) if embed.canonical() == json => Ok(embed),
        _ => Err(StoredFault::NotCanonical { op }),
    }
}
