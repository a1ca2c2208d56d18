//! Goes over a delta's operations in pieces of any length.

use super::attributes::Attributes;
use super::fault::TextFault;
use super::op::{Content, TextOp};
use super::units::{byte_of, units};

/// A place inside a list of operations. Past the end it reads as one endless plain retain.
pub(super) struct Cursor<'a> {
    ops: &'a [TextOp],
    /// What is left of the first operation, if it has been begun.
    begun: Option<Piece<'a>>,
}

/// An operation or a part of one.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Text {
        text: &'a str,
        len: usize,
        attributes: Option<&'a Attributes>,
    },
    /// An insert of an embed.
    Embed {
        op: &'a TextOp,
    },
    Retain {
        len: usize,
        attributes: Option<&'a Attributes>,
    },
    Delete {
        len: usize,
    },
}

impl<'a> Cursor<'a> {
    pub(super) fn new(ops: &'a [TextOp]) -> Self {
        Self { ops, begun: None }
    }

    /// Says whether all operations have been gone over.
    pub(super) fn is_done(&self) -> bool {
        self.ops.is_empty()
    }

    /// Returns what is left of the operation at this place.
    pub(super) fn peek(&self) -> Piece<'a> {
        const END: Piece<'_> = Piece::Retain {
            len: usize::MAX,
            attributes: None,
        };
        self.begun.or_else(|| self.ops.first().map(Piece::of)).unwrap_or(END)
    }

    /// Goes over what is left of the operation at this place.
    pub(super) fn next(&mut self) -> Piece<'a> {
        let piece = self.peek();
        self.ops = self.ops.get(1..).unwrap_or_default();
        self.begun = None;
        piece
    }

    /// Goes over at most `len` units, never past the operation at this place.
    ///
    /// # Errors
    /// [`TextFault::SplitsSurrogate`] with the place counted from the start of what was left of the operation.
    pub(super) fn take(&mut self, len: usize) -> Result<Piece<'a>, TextFault> {
        let piece = self.peek();
        if len >= piece.len() {
            return Ok(self.next());
        }
        let (taken, left) = piece.split(len)?;
        self.begun = (!self.is_done()).then_some(left);
        Ok(taken)
    }
}

impl<'a> Piece<'a> {
    pub(super) fn of(op: &'a TextOp) -> Self {
        match op {
            TextOp::Insert {
                content: Content::Text(text),
                attributes,
            } => Self::Text {
                text,
                len: units(text),
                attributes: attributes.as_ref(),
            },
            TextOp::Insert {
                content: Content::Embed(_),
                ..
            } => Self::Embed { op },
            TextOp::Retain { len, attributes } => Self::Retain {
                len: *len,
                attributes: attributes.as_ref(),
            },
            TextOp::Delete { len } => Self::Delete { len: *len },
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text { len, .. } | Self::Retain { len, .. } | Self::Delete { len } => *len,
            Self::Embed { .. } => 1,
        }
    }

    pub(super) fn is_insert(&self) -> bool {
        matches!(self, Self::Text { .. } | Self::Embed { .. })
    }

    pub(super) fn attributes(&self) -> Option<&'a Attributes> {
        match self {
            Self::Text { attributes, .. } | Self::Retain { attributes, .. } => *attributes,
            Self::Embed { op } => op.attributes(),
            Self::Delete { .. } => None,
        }
    }

    /// Makes an operation of its own of this piece.
    pub(super) fn to_op(self) -> TextOp {
        match self {
            Self::Embed { op } => op.clone(),
            Self::Text { text, attributes, .. } => TextOp::Insert {
                content: Content::Text(text.to_owned()),
                attributes: attributes.cloned(),
            },
            Self::Retain { len, attributes } => TextOp::Retain {
                len,
                attributes: attributes.cloned(),
            },
            Self::Delete { len } => TextOp::Delete { len },
        }
    }

    /// Makes an operation of this insert or retain, with other attributes.
    pub(super) fn with_attributes(self, attributes: Option<Attributes>) -> TextOp {
        match self.to_op() {
            TextOp::Insert { content, .. } => TextOp::Insert { content, attributes },
            TextOp::Retain { len, .. } => TextOp::Retain { len, attributes },
            delete @ TextOp::Delete { .. } => delete,
        }
    }

    fn split(self, at: usize) -> Result<(Self, Self), TextFault> {
        match self {
            Self::Text { text, len, attributes } => {
                let byte = byte_of(text, at).ok_or(TextFault::SplitsSurrogate { at })?;
                let (left, right) = text.split_at(byte);
                Ok((
                    Self::Text {
                        text: left,
                        len: at,
                        attributes,
                    },
                    Self::Text {
                        text: right,
                        len: len - at,
                        attributes,
                    },
                ))
            }
            Self::Retain { len, attributes } => Ok((
                Self::Retain { len: at, attributes },
                Self::Retain {
                    len: len - at,
                    attributes,
                },
            )),
            Self::Delete { len } => Ok((Self::Delete { len: at }, Self::Delete { len: len - at })),
            // Nothing is shorter than an embed; `take` never comes here with one.
            Self::Embed { op } => Ok((Self::Delete { len: 0 }, Self::Embed { op })),
        }
    }
}
