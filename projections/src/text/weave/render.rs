//! What shows.

use super::fates::{Deed, NONE};
use super::runs::Run;
use super::woven::Weave;
use crate::text::{Attributes, Content, Piece, TextDelta, TextOp};

impl Weave {
    /// Returns the text as it shows, as a document. Goes over all runs: for checks.
    #[must_use]
    pub fn rendered(&self) -> TextDelta {
        let mut document = TextDelta::new();
        let mut known = (NONE, None, None);
        for (run, _) in self.order.iter().filter(|(_, shown)| *shown > 0) {
            let Run { slice, units, fate, .. } = self.runs[run as usize];
            if known.0 != fate {
                let (inserted, patch) = self.attributes_of(fate);
                known = (fate, inserted, patch);
            }
            for piece in self.source.pieces(slice, units, known.1) {
                let attributes = Attributes::compose(piece.attributes, known.2.as_ref(), false);
                document.push(
                    Piece {
                        attributes: attributes.as_ref(),
                        ..piece
                    }
                    .to_insert(),
                );
            }
        }
        if self.ending.is_added() {
            document.push(TextOp::Insert {
                content: Content::Text("\n".to_owned()),
                attributes: None,
            });
        }
        document
    }

    /// Returns the letters that show.
    pub(crate) fn plain(&self) -> String {
        let document = self.rendered();
        let texts = document.ops().iter().map(|op| match op {
            TextOp::Insert {
                content: Content::Text(text),
                ..
            } => text.as_str(),
            _ => "",
        });
        texts.collect()
    }

    /// Returns the attributes with which runs of a fate were inserted, and what active setters lay over them.
    fn attributes_of(&self, fate: u32) -> (Option<&Attributes>, Option<Attributes>) {
        let path: Vec<_> = self.fates.path(fate).collect();
        let (mut inserted, mut patch) = (None, None);
        for fate in path.iter().rev() {
            let active = self.edits.get(fate.edit as usize).is_none_or(|edit| edit.active);
            match fate.deed {
                Deed::Insert(attributes) => inserted = self.fates.attributes(attributes),
                Deed::Set(set) if active => {
                    patch = Attributes::compose(patch.as_ref(), self.fates.attributes(set), true);
                }
                Deed::Set(_) | Deed::Delete => {}
            }
        }
        (inserted, patch)
    }
}
