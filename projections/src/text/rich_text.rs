//! A persistent rich text: what DOC and CODE pages hold.

use std::fmt;

use super::delta::TextDelta;
use super::fault::TextFault;
use super::hash::TextDigest;
use super::rope::{Builder, Node, Piece};
use super::wire;

/// Text with attributes and embeds, counted in UTF-16 code units.
///
/// A clone is O(1) and shares everything; a change costs the logarithm of the length, whether or not a clone is held.
/// Length, digest and weight are known at any time.
#[derive(Clone)]
pub struct RichText {
    root: Node,
}

impl RichText {
    /// Makes an empty text.
    #[must_use]
    pub fn new() -> Self {
        Self { root: Node::empty() }
    }

    /// Makes a text without attributes.
    #[must_use]
    pub fn from_plain(text: &str) -> Self {
        let mut builder = Builder::default();
        builder.push(Piece::plain(text));
        Self { root: builder.finish() }
    }

    /// Makes a text of a document: inserts only, no null among their attributes.
    ///
    /// # Errors
    /// [`TextFault::InsertsOnly`], [`TextFault::NullAttribute`].
    pub fn from_document(document: &TextDelta) -> Result<Self, TextFault> {
        document.require_document()?;
        let mut builder = Builder::default();
        document
            .ops()
            .iter()
            .filter_map(Piece::of)
            .for_each(|piece| builder.push(piece));
        Ok(Self { root: builder.finish() })
    }

    /// Returns the length in UTF-16 code units. An embed is one unit.
    #[must_use]
    pub fn len(&self) -> usize {
        self.root.summary().units
    }

    /// Says whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the digest. O(1).
    #[must_use]
    pub fn digest(&self) -> TextDigest {
        let summary = self.root.summary();
        // No machine that this builds for has lengths above 64 bits.
        let len = u64::try_from(summary.units).unwrap_or(u64::MAX);
        TextDigest {
            len,
            lanes: summary.poly.value,
        }
    }

    /// Returns about how many bytes of memory the text holds, as if it shared nothing. O(1).
    #[must_use]
    pub fn weight(&self) -> usize {
        self.root.summary().weight
    }

    /// Says whether a place lies in the text and not inside a surrogate pair.
    #[must_use]
    pub fn is_boundary(&self, at: usize) -> bool {
        at <= self.len() && self.root.is_boundary(at)
    }

    /// Goes over the text in pieces. Neighbours can have the same attributes: where the pieces end says nothing about the
    /// text. [`RichText::to_document`] joins them.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.root.pieces(0, self.len())
    }

    /// Goes over the plain text in pieces of at most some hundred units. An embed reads as U+FFFC.
    pub fn plain_chunks(&self) -> impl Iterator<Item = &str> {
        self.root.chunks()
    }

    /// Returns the plain text. An embed reads as U+FFFC.
    #[must_use]
    pub fn to_plain(&self) -> String {
        let mut plain = String::with_capacity(self.len());
        plain.extend(self.plain_chunks());
        plain
    }

    /// Returns the text as a document in normal form.
    #[must_use]
    pub fn to_document(&self) -> TextDelta {
        document_of(self.pieces())
    }

    /// Returns the text between two places as a document.
    ///
    /// # Errors
    /// [`TextFault::OutOfRange`], [`TextFault::SplitsSurrogate`].
    pub fn slice(&self, start: usize, end: usize) -> Result<TextDelta, TextFault> {
        let len = self.len();
        for at in [start, end] {
            if at > len {
                return Err(TextFault::OutOfRange { reach: at, len });
            }
            if !self.is_boundary(at) {
                return Err(TextFault::SplitsSurrogate { at });
            }
        }
        Ok(document_of(self.root.pieces(start, end)))
    }

    /// Appends the document as JSON text: the same as [`RichText::to_document`] writes, without a document in between.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut pieces = self.pieces().peekable();
        out.push(b'[');
        while let Some(piece) = pieces.next() {
            out.extend_from_slice(b"{\"insert\":");
            match piece.embed {
                Some(embed) => out.extend_from_slice(embed.canonical().as_bytes()),
                None => {
                    out.push(b'"');
                    wire::write_escaped(piece.text, out);
                    while let Some(more) = pieces.next_if(|next| piece.continues_in(next)) {
                        wire::write_escaped(more.text, out);
                    }
                    out.push(b'"');
                }
            }
            wire::write_attributes(piece.attributes, out);
            out.extend_from_slice(if pieces.peek().is_some() { b"}," } else { b"}" });
        }
        out.push(b']');
    }

    /// Appends the plain text as a JSON string.
    pub fn write_plain_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        for chunk in self.plain_chunks() {
            wire::write_escaped(chunk, out);
        }
        out.push(b'"');
    }

    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    pub(super) fn root_mut(&mut self) -> &mut Node {
        &mut self.root
    }
}

impl Default for RichText {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&str> for RichText {
    fn from(text: &str) -> Self {
        Self::from_plain(text)
    }
}

/// Compares the texts, not how they are stored.
impl PartialEq for RichText {
    fn eq(&self, other: &Self) -> bool {
        self.root.is_same(&other.root) || self.digest() == other.digest() && self.to_document() == other.to_document()
    }
}

impl Eq for RichText {}

impl fmt::Debug for RichText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.to_document().ops()).finish()
    }
}

fn document_of<'a>(pieces: impl Iterator<Item = Piece<'a>>) -> TextDelta {
    let mut document = TextDelta::new();
    pieces.for_each(|piece| document.push(piece.to_insert()));
    document
}
