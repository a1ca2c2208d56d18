//! A piece of a rich text: what a rope is built of and read as.

use str_indices::utf16;

use super::spans::Span;
use crate::text::attributes::Attributes;
use crate::text::embed::Embed;
use crate::text::hash::{self, Lanes};
use crate::text::op::{Content, TextOp};
use crate::text::units::{byte_of, units};

/// What stands in the text where an embed is.
const EMBED_TEXT: &str = "\u{fffc}";

/// A piece of a rich text with the same attributes throughout: text, or one embed.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The text; U+FFFC for an embed.
    pub text: &'a str,
    /// Its length in UTF-16 code units.
    pub units: usize,
    /// Its attributes.
    pub attributes: Option<&'a Attributes>,
    /// The embed, if it is one.
    pub embed: Option<&'a Embed>,
}

impl<'a> Piece<'a> {
    pub(in crate::text) fn new(content: &'a Content, attributes: Option<&'a Attributes>) -> Self {
        match content {
            Content::Text(text) => Self {
                text,
                units: units(text),
                attributes,
                embed: None,
            },
            Content::Embed(embed) => Self {
                text: EMBED_TEXT,
                units: 1,
                attributes,
                embed: Some(embed),
            },
        }
    }

    /// Makes a piece of plain text.
    pub(in crate::text) fn plain(text: &'a str) -> Self {
        Self {
            text,
            units: units(text),
            attributes: None,
            embed: None,
        }
    }

    /// Makes a piece of an insert.
    pub(in crate::text) fn of(op: &'a TextOp) -> Option<Self> {
        match op {
            TextOp::Insert { content, attributes } => Some(Self::new(content, attributes.as_ref())),
            TextOp::Retain { .. } | TextOp::Delete { .. } => None,
        }
    }

    /// Makes the insert that puts this piece in.
    #[must_use]
    pub fn to_insert(&self) -> TextOp {
        let content = match self.embed {
            Some(embed) => Content::Embed(embed.clone()),
            None => Content::Text(self.text.to_owned()),
        };
        TextOp::Insert {
            content,
            attributes: self.attributes.cloned(),
        }
    }

    /// Says whether the piece that follows belongs to the same run of text.
    pub(in crate::text) fn continues_in(&self, next: &Self) -> bool {
        self.embed.is_none() && next.embed.is_none() && self.attributes == next.attributes
    }

    /// Returns the piece from unit `start` to unit `end` of this one.
    pub(in crate::text) fn part(self, start: usize, end: usize) -> Self {
        let byte = |at| match at {
            0 => 0,
            at if at == self.units => self.text.len(),
            at if self.text.len() == self.units => at,
            at => utf16::to_byte_idx(self.text, at),
        };
        Self {
            text: &self.text[byte(start)..byte(end)],
            units: end - start,
            ..self
        }
    }

    /// Says whether a place is not inside a surrogate pair.
    pub(super) fn is_boundary(&self, at: usize) -> bool {
        at == self.units || byte_of(self.text, at).is_some()
    }

    /// The value of its units.
    pub(super) fn value(&self) -> Lanes {
        let lanes = [self.attributes.map(Attributes::lanes), self.embed.map(Embed::lanes)];
        let add = |value, lanes| hash::sum(value, hash::of_span(lanes, 0, self.units));
        lanes
            .into_iter()
            .flatten()
            .fold(hash::of_units(self.text, self.units), add)
    }

    pub(super) fn to_span(self) -> Span {
        Span {
            units: self.units,
            bytes: self.text.len(),
            attributes: self.attributes.cloned(),
            embed: self.embed.cloned(),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        self.attributes.is_none() && self.embed.is_none()
    }
}
