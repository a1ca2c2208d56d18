//! What became of the starting text.

use super::fates::{Deed, NONE, START_EDIT};
use super::runs::Run;
use super::source::Slice;
use super::woven::Weave;
use crate::text::{Attributes, Content, Piece, TextDelta, TextOp};

/// How the runs of a fate look: the number of the attributes with which they were inserted, and what active setters lay
/// over those.
#[derive(Debug, Clone)]
struct Look {
    inserted: u32,
    patch: Option<Attributes>,
}

impl Weave {
    /// Returns the delta from the starting text to the text as it shows. Starting text that shows is retained, with what
    /// active edits set on it, also where that repeats what was there; starting text that does not show is deleted; all
    /// else that shows is inserted at its place among the runs. What was inserted and is gone, or was deleted and came
    /// back, leaves no trace. Goes once over everything that ever stood in the text.
    #[must_use]
    pub fn change(&self) -> TextDelta {
        let looks = self.looks();
        let mut delta = TextDelta::new();
        for (run, shown) in self.order.iter() {
            let run = &self.runs[run as usize];
            match (run.slice, shown > 0) {
                (Slice::Start { .. }, true) => delta.push(TextOp::Retain {
                    len: run.units as usize,
                    attributes: looks[run.fate as usize].patch.clone(),
                }),
                (Slice::Start { .. }, false) => delta.push(TextOp::Delete {
                    len: run.units as usize,
                }),
                (_, true) => self.put_in(run, &looks[run.fate as usize], &mut delta),
                (_, false) => {}
            }
        }
        if self.ending.is_added() {
            delta.push(TextOp::Insert {
                content: Content::Text("\n".to_owned()),
                attributes: None,
            });
        }
        delta.chop()
    }

    fn put_in(&self, run: &Run, look: &Look, delta: &mut TextDelta) {
        let inserted = self.fates.attributes(look.inserted);
        for piece in self.source.pieces(run.slice, run.units, inserted) {
            let attributes = Attributes::compose(piece.attributes, look.patch.as_ref(), false);
            let attributes = attributes.as_ref();
            delta.push(Piece { attributes, ..piece }.to_insert());
        }
    }

    /// Tells of every fate how its runs look where they show. A parent comes before its children.
    fn looks(&self) -> Vec<Look> {
        let mut looks: Vec<Look> = Vec::with_capacity(self.fates.len());
        for fate in self.fates.iter() {
            let above = looks.get(fate.parent as usize).cloned();
            let mut look = above.unwrap_or(Look {
                inserted: NONE,
                patch: None,
            });
            let active = || fate.edit == START_EDIT || self.edits[fate.edit as usize].active;
            match fate.deed {
                Deed::Insert(attributes) => look.inserted = attributes,
                Deed::Set(patch) if active() => {
                    look.patch = Attributes::compose(look.patch.as_ref(), self.fates.attributes(patch), true);
                }
                Deed::Set(_) | Deed::Delete => {}
            }
            looks.push(look);
        }
        looks
    }
}
