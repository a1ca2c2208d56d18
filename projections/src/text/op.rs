//! One operation of a text delta.

use super::attributes::Attributes;
use super::embed::Embed;
use super::units::units;

/// One operation of a [`TextDelta`](super::TextDelta). Lengths count UTF-16 code units and are above zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextOp {
    /// Puts content in.
    Insert {
        /// What is put in.
        content: Content,
        /// Its attributes, none of them null.
        attributes: Option<Attributes>,
    },
    /// Goes over text that stays, perhaps with other attributes.
    Retain {
        /// How many units stay.
        len: usize,
        /// The patch of their attributes; null takes one away.
        attributes: Option<Attributes>,
    },
    /// Takes text out.
    Delete {
        /// How many units go.
        len: usize,
    },
}

/// What an insert puts in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text; never empty.
    Text(String),
    /// An embed, one unit long.
    Embed(Embed),
}

impl TextOp {
    /// Returns how many units this operation inserts, retains or deletes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Insert { content, .. } => content.len(),
            Self::Retain { len, .. } | Self::Delete { len } => *len,
        }
    }

    /// Says whether the operation does nothing at all, which no operation of a delta may.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many units of the old text this operation goes over.
    #[must_use]
    pub fn base_len(&self) -> usize {
        match self {
            Self::Insert { .. } => 0,
            Self::Retain { len, .. } | Self::Delete { len } => *len,
        }
    }

    /// Returns the attributes or the patch of attributes.
    #[must_use]
    pub fn attributes(&self) -> Option<&Attributes> {
        match self {
            Self::Insert { attributes, .. } | Self::Retain { attributes, .. } => attributes.as_ref(),
            Self::Delete { .. } => None,
        }
    }

    pub(super) fn is_insert(&self) -> bool {
        matches!(self, Self::Insert { .. })
    }

    pub(super) fn is_delete(&self) -> bool {
        matches!(self, Self::Delete { .. })
    }

    pub(super) fn is_plain_retain(&self) -> bool {
        matches!(self, Self::Retain { attributes: None, .. })
    }
}

impl Content {
    /// Returns the length in UTF-16 code units.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => units(text),
            Self::Embed(_) => 1,
        }
    }

    /// Says whether this is an empty text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }
}
