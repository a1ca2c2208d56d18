//! A leaf of the rope: a short text with its spans. An embed stands in the text as U+FFFC.

use std::ops::Range;

use str_indices::utf16;

use super::LEAF_MIN;
use super::node::Summary;
use super::piece::Piece;
use super::spans::{Span, Spans};
use crate::text::attributes::Attributes;
use crate::text::delta::TextDelta;
use crate::text::hash::{self, Change, Lanes, Poly, Rest};
use crate::text::op::TextOp;
use crate::text::units::pairs;

/// A leaf: at most [`LEAF_MAX`](super::LEAF_MAX) units.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    text: String,
    spans: Spans,
    summary: Summary,
}

impl Leaf {
    pub(super) fn new() -> Self {
        let summary = Summary {
            weight: size_of::<Self>(),
            ..Summary::EMPTY
        };
        Self {
            text: String::new(),
            spans: Spans::default(),
            summary,
        }
    }

    pub(super) fn summary(&self) -> Summary {
        self.summary
    }

    pub(super) fn units(&self) -> usize {
        self.summary.units
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Says whether the leaf is large enough to stand below a branch.
    pub(super) fn is_full_enough(&self) -> bool {
        self.units() >= LEAF_MIN
    }

    /// Says whether a place is not inside a surrogate pair.
    pub(super) fn is_boundary(&self, at: usize) -> bool {
        self.summary.pairs == 0 || utf16::from_byte_idx(&self.text, self.byte(at)) == at
    }

    /// Takes a range out, and adds it to the inverse.
    pub(super) fn remove(&mut self, start: usize, end: usize, inverse: Option<&mut TextDelta>) {
        if let Some(inverse) = inverse {
            self.pieces(start, end)
                .for_each(|piece| inverse.push(piece.to_insert()));
        }
        let bytes = self.byte(start)..self.byte(end);
        let removed = self.value(start..end, bytes.clone());
        self.rehash(start..end, bytes.clone(), removed, 0, [0; 2]);
        if !self.spans.is_plain() {
            let first = self.spans.cut(start, bytes.start);
            let last = self.spans.cut(end, bytes.end);
            self.spans.remove(first, last);
        }
        self.summary.pairs -= pairs(&self.text[bytes.clone()]);
        self.text.replace_range(bytes, "");
        self.reweigh();
    }

    /// Puts a piece in. The leaf must have room for it.
    pub(super) fn insert(&mut self, at: usize, piece: Piece<'_>) {
        let byte = self.byte(at);
        if !(self.spans.is_plain() && piece.is_plain()) {
            self.spans.spell_out(self.summary.units, self.text.len());
        }
        self.rehash(at..at, byte..byte, [0; 2], piece.units, piece.value());
        if !self.spans.is_plain() || !piece.is_plain() {
            let index = self.spans.cut(at, byte);
            self.spans.insert(index, piece.to_span());
        }
        self.summary.pairs += pairs(piece.text);
        self.text.insert_str(byte, piece.text);
        self.reweigh();
    }

    /// Lays a patch over the attributes of a range, and adds the patches that take it back to the inverse.
    pub(super) fn format(&mut self, start: usize, end: usize, patch: &Attributes, mut inverse: Option<&mut TextDelta>) {
        self.spans.spell_out(self.summary.units, self.text.len());
        let first = self.spans.cut(start, self.byte(start));
        let last = self.spans.cut(end, self.byte(end));
        self.spans.update(first, last, |span| {
            let old = span.attributes.take();
            span.attributes = Attributes::compose(old.as_ref(), Some(patch), false);
            if let Some(inverse) = inverse.as_deref_mut() {
                let attributes = Attributes::diff(span.attributes.as_ref(), old.as_ref());
                inverse.push(TextOp::Retain {
                    len: span.units,
                    attributes,
                });
            }
        });
        self.settle();
    }

    /// Takes what lies behind a place away.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let byte = self.byte(at);
        let mut right = Self::new();
        if !self.spans.is_plain() {
            let index = self.spans.cut(at, byte);
            right.spans = self.spans.split_off(index);
        }
        right.text = self.text.split_off(byte);
        right.summary.units = self.summary.units - at;
        right.summary.pairs = pairs(&right.text);
        right.settle();
        self.summary.units = at;
        self.summary.pairs -= right.summary.pairs;
        self.settle();
        right
    }

    /// Puts the text that follows behind this one. Together they fit into a leaf.
    pub(super) fn append(&mut self, mut other: Self) {
        if !(self.spans.is_plain() && other.spans.is_plain()) {
            self.spans.spell_out(self.summary.units, self.text.len());
            other.spans.spell_out(other.summary.units, other.text.len());
            self.spans.append(other.spans);
        }
        self.text.push_str(&other.text);
        self.summary.units += other.summary.units;
        self.summary.pairs += other.summary.pairs;
        self.settle();
    }

    /// Cuts an overfull leaf's worth of two leaves in halves that fit.
    pub(super) fn balance(mut self, mut right: Self) -> (Self, Self) {
        let half = (self.units() + right.units()) / 2;
        if self.units() > half {
            let mut moved = self.split_off(self.boundary(half));
            moved.append(right);
            (self, moved)
        } else {
            let at = right.boundary(half - self.units());
            let rest = right.split_off(at);
            self.append(right);
            (self, rest)
        }
    }

    /// Goes over the pieces between two places.
    pub(super) fn pieces(&self, start: usize, end: usize) -> impl Iterator<Item = Piece<'_>> {
        let plain = self.spans.is_plain().then_some(Piece {
            text: &self.text,
            units: self.summary.units,
            attributes: None,
            embed: None,
        });
        let mut rest = self.text.as_str();
        let spans = self.spans.iter().map(move |span| {
            let (text, behind) = rest.split_at(span.bytes);
            rest = behind;
            let (attributes, embed) = (span.attributes.as_ref(), span.embed.as_ref());
            Piece {
                text,
                units: span.units,
                attributes,
                embed,
            }
        });
        let mut at = 0;
        plain.into_iter().chain(spans).filter_map(move |piece| {
            let from = start.saturating_sub(at).min(piece.units);
            let to = end.saturating_sub(at).min(piece.units);
            at += piece.units;
            (from < to).then(|| piece.part(from, to))
        })
    }

    /// Returns the nearest place at or before one that is not inside a surrogate pair.
    fn boundary(&self, at: usize) -> usize {
        if self.is_boundary(at) { at } else { at - 1 }
    }

    /// Returns the byte at which a unit begins.
    fn byte(&self, at: usize) -> usize {
        if self.text.len() == self.summary.units {
            at
        } else {
            utf16::to_byte_idx(&self.text, at)
        }
    }

    /// The value of a range of the units, as if they stood at the start.
    fn value(&self, units: Range<usize>, bytes: Range<usize>) -> Lanes {
        let mut value = hash::of_units(&self.text[bytes], units.len());
        let mut at = 0;
        for span in self.spans.iter() {
            let (from, to) = (units.start.max(at), units.end.min(at + span.units));
            if from < to {
                for lanes in span.lanes() {
                    let of_span = hash::of_span(lanes, from - units.start, to - units.start);
                    value = hash::sum(value, of_span);
                }
            }
            at += span.units;
        }
        value
    }

    /// Brings length and hash up to date before a range gives way to units of a given value. Goes over the shorter of what
    /// stays before it and behind it.
    fn rehash(&mut self, units: Range<usize>, bytes: Range<usize>, removed: Lanes, by: usize, inserted: Lanes) {
        let len = self.summary.units;
        let rest = if bytes.start < self.text.len() - bytes.end {
            Rest::Before(self.value(0..units.start, 0..bytes.start))
        } else {
            Rest::Behind(self.value(units.end..len, bytes.end..self.text.len()))
        };
        let change = Change {
            start: units.start,
            end: units.end,
            removed,
            by,
            inserted,
            rest,
        };
        let value = hash::changed(self.summary.poly.value, &change);
        self.summary.units = len - units.len() + by;
        self.summary.poly = Poly::new(value, self.summary.units);
    }

    /// Brings spans, hash and weight up to date after a change of the text as a whole.
    fn settle(&mut self) {
        let value = self.value(0..self.summary.units, 0..self.text.len());
        self.summary.poly = Poly::new(value, self.summary.units);
        self.reweigh();
    }

    /// Brings spans and weight up to date after any change.
    fn reweigh(&mut self) {
        self.spans.fold_up();
        let spans: usize = self.spans.iter().map(Span::weight).sum();
        self.summary.weight = size_of::<Self>() + self.text.len() + spans;
    }
}
