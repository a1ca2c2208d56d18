//! A weave of a short text: every piece that ever stood in it, in order, each with the edit that put it in and those
//! that took it out. A piece is visible when the edit that put it in is on and all that took it out are off.
//!
//! An insert goes after the invisible pieces between its visible neighbours. Undo and redo weave nothing in: they switch
//! an edit off or on, so the text does not depend on the order in which edits are undone.

use std::collections::HashSet;

use crate::text::{Content, TextDelta, TextOp, units};

/// A text with all that ever stood in it, in runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Weave {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    text: String,
    units: usize,
    /// The edit that put it in; nothing for what stood there from the start.
    by: Option<u64>,
    /// The edits that took it out.
    out: Vec<u64>,
}

/// A place in a weave: before the piece of this index.
struct Cursor<'w> {
    weave: &'w mut Weave,
    at: usize,
    off: &'w HashSet<u64>,
}

impl Weave {
    /// Makes the weave of a text that nobody has edited yet.
    pub(super) fn new(text: &str) -> Weave {
        let mut weave = Weave::default();
        weave
            .pieces
            .extend((!text.is_empty()).then(|| Piece::new(text.to_owned(), None)));
        weave
    }

    /// Works an edit in that was made on what is visible while the edits in `off` are off.
    pub(super) fn edit(&mut self, by: u64, delta: &TextDelta, off: &HashSet<u64>) {
        let mut cursor = Cursor {
            weave: self,
            at: 0,
            off,
        };
        for op in delta.ops() {
            match op {
                TextOp::Insert {
                    content: Content::Text(text),
                    ..
                } => cursor.insert(text, by),
                // A plain text has none.
                TextOp::Insert {
                    content: Content::Embed(_),
                    ..
                } => {}
                TextOp::Retain { len, .. } => cursor.pass(*len, |_| {}),
                TextOp::Delete { len } => cursor.pass(*len, |piece| piece.out.push(by)),
            }
        }
    }

    /// Works in that the text was set as a whole: whatever stood there, visible or not, is out.
    pub(super) fn replace(&mut self, by: u64, text: &str) {
        self.pieces.iter_mut().for_each(|piece| piece.out.push(by));
        self.pieces
            .extend((!text.is_empty()).then(|| Piece::new(text.to_owned(), Some(by))));
    }

    /// Gives the text that is visible while the edits in `off` are off.
    pub(super) fn text(&self, off: &HashSet<u64>) -> String {
        self.pieces
            .iter()
            .filter(|piece| piece.is_visible(off))
            .map(|piece| piece.text.as_str())
            .collect()
    }

    /// Gives the delta from what is visible now to what is visible then.
    pub(super) fn change(&self, now: &HashSet<u64>, then: &HashSet<u64>) -> TextDelta {
        let mut delta = TextDelta::new();
        for piece in &self.pieces {
            delta.push(match (piece.is_visible(now), piece.is_visible(then)) {
                (true, true) => TextOp::Retain {
                    len: piece.units,
                    attributes: None,
                },
                (true, false) => TextOp::Delete { len: piece.units },
                (false, true) => TextOp::Insert {
                    content: Content::Text(piece.text.clone()),
                    attributes: None,
                },
                (false, false) => continue,
            });
        }
        delta.chop()
    }
}

impl Piece {
    fn new(text: String, by: Option<u64>) -> Piece {
        Piece {
            units: units(&text),
            text,
            by,
            out: Vec::new(),
        }
    }

    fn is_visible(&self, off: &HashSet<u64>) -> bool {
        self.by.is_none_or(|by| !off.contains(&by)) && self.out.iter().all(|edit| off.contains(edit))
    }

    /// Takes what follows the first `units` off. A place inside a surrogate pair is moved behind it.
    fn split(&mut self, at: usize) -> Piece {
        let mut passed = 0;
        let ends = self.text.char_indices().map(|(byte, letter)| {
            passed += letter.len_utf16();
            (byte + letter.len_utf8(), passed)
        });
        let (byte, units) = ends
            .into_iter()
            .find(|(_, units)| *units >= at)
            .unwrap_or((self.text.len(), self.units));
        let rest = self.text.split_off(byte);
        let rest = Piece {
            text: rest,
            units: self.units - units,
            by: self.by,
            out: self.out.clone(),
        };
        self.units = units;
        rest
    }
}

impl Cursor<'_> {
    fn skip_invisible(&mut self) {
        while self
            .weave
            .pieces
            .get(self.at)
            .is_some_and(|piece| !piece.is_visible(self.off))
        {
            self.at += 1;
        }
    }

    fn insert(&mut self, text: &str, by: u64) {
        self.skip_invisible();
        self.weave.pieces.insert(self.at, Piece::new(text.to_owned(), Some(by)));
        self.at += 1;
    }

    /// Goes over so many visible units, and does something to each piece.
    fn pass(&mut self, mut len: usize, change: impl Fn(&mut Piece)) {
        while len > 0 {
            self.skip_invisible();
            let Some(piece) = self.weave.pieces.get_mut(self.at) else {
                return;
            };
            let rest = (piece.units > len).then(|| piece.split(len));
            len = len.saturating_sub(piece.units);
            change(piece);
            self.at += 1;
            if let Some(rest) = rest.filter(|rest| rest.units > 0) {
                self.weave.pieces.insert(self.at, rest);
            }
        }
    }
}
