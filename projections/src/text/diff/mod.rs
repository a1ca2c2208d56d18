//! Finding the delta between two texts: lines first, then words and characters within what differs.
//!
//! The answer depends on the two texts alone, never on the machine or its load: no step has a deadline, every step has a
//! limit on its work, and beyond the limit a stretch is replaced as a whole.

mod anchors;
mod hunk;
mod lines;
mod side;

use std::ops::Range;

use self::side::{Embeds, Side};
use super::attributes::Attributes;
use super::delta::TextDelta;
use super::op::{Content, TextOp};
use super::rich_text::RichText;
use super::rope::Piece;
use super::units::units;

/// Texts above this many bytes together are not compared but replaced as a whole.
const COMPARED_MAX_BYTES: usize = 1 << 30;

/// A stretch of the old text that gives way to a stretch of the new one, in bytes. One of the two can be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    old: Range<usize>,
    new: Range<usize>,
}

/// Finds a delta that leads from one plain text to another: fine, but not always the shortest. Empty if they are equal.
#[must_use]
pub fn diff_plain(old: &str, new: &str) -> TextDelta {
    let mut delta = TextDelta::new();
    let mut at = 0;
    for edit in edits(&Side::plain(old), &Side::plain(new)) {
        delta.push(TextOp::Retain {
            len: units(&old[at..edit.old.start]),
            attributes: None,
        });
        let content = Content::Text(new[edit.new].to_owned());
        delta.push(TextOp::Insert {
            content,
            attributes: None,
        });
        delta.push(TextOp::Delete {
            len: units(&old[edit.old.clone()]),
        });
        at = edit.old.end;
    }
    delta
}

impl RichText {
    /// Finds a delta that leads from this text to another: fine, but not always the shortest. Empty if they are equal.
    ///
    /// The texts are compared with each embed as one unit, equal where it is written the same; then the attributes of
    /// what stays.
    #[must_use]
    pub fn diff(&self, to: &Self) -> TextDelta {
        if self.root().is_same(to.root()) {
            return TextDelta::new();
        }
        let (old, new) = (self.to_plain(), to.to_plain());
        let embeds = Embeds::of(self, to);
        let edits = edits(&Side::new(&old, &embeds.old), &Side::new(&new, &embeds.new));
        let mut delta = TextDelta::new();
        let (mut old_at, mut new_at) = (Place::default(), Place::default());
        let end = Edit {
            old: old.len()..old.len(),
            new: new.len()..new.len(),
        };
        for edit in edits.into_iter().chain([end]) {
            let kept = (
                old_at.move_to(&old, edit.old.start),
                new_at.move_to(&new, edit.new.start),
            );
            push_formats(
                &mut delta,
                self.root().pieces(kept.0.start, kept.0.end),
                to.root().pieces(kept.1.start, kept.1.end),
            );
            let put = new_at.move_to(&new, edit.new.end);
            to.root()
                .pieces(put.start, put.end)
                .for_each(|piece| delta.push(piece.to_insert()));
            delta.push(TextOp::Delete {
                len: old_at.move_to(&old, edit.old.end).len(),
            });
        }
        delta.chop()
    }
}

/// A place in a text, in bytes and in units.
#[derive(Default)]
struct Place {
    byte: usize,
    unit: usize,
}

impl Place {
    /// Moves on to a byte, and returns the units gone over.
    fn move_to(&mut self, text: &str, byte: usize) -> Range<usize> {
        let start = self.unit;
        self.unit += units(&text[self.byte..byte]);
        self.byte = byte;
        start..self.unit
    }
}

/// Finds what differs, in order.
fn edits(old: &Side<'_>, new: &Side<'_>) -> Vec<Edit> {
    if old.text.len() + new.text.len() > COMPARED_MAX_BYTES {
        return vec![Edit {
            old: 0..old.text.len(),
            new: 0..new.text.len(),
        }];
    }
    let mut budget = hunk::Budget::new();
    let mut edits = Vec::new();
    for hunk in lines::hunks(old, new) {
        hunk::refine(old, new, &hunk, &mut budget, &mut edits);
    }
    edits
}

/// Adds retains over text that is equal on both sides, with what changes in its attributes.
fn push_formats<'a>(delta: &mut TextDelta, old: impl Iterator<Item = Piece<'a>>, new: impl Iterator<Item = Piece<'a>>) {
    let (mut old, mut new) = (old.peekable(), new.peekable());
    let (mut old_done, mut new_done) = (0, 0);
    while let (Some(a), Some(b)) = (old.peek(), new.peek()) {
        let len = (a.units - old_done).min(b.units - new_done);
        let attributes = Attributes::diff(a.attributes, b.attributes);
        delta.push(TextOp::Retain { len, attributes });
        old_done += len;
        new_done += len;
        if old_done == a.units {
            old_done = 0;
            old.next();
        }
        if new_done == b.units {
            new_done = 0;
            new.next();
        }
    }
}
