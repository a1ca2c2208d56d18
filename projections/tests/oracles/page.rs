//! A text of Recto with its weave, event by event.

use recto_projections::text::weave::{EditId, Weave};
use recto_projections::text::{RichText, TextDelta};

/// A text, and the weave that its events made.
pub(crate) struct Page {
    text: RichText,
    weave: Weave,
    next: u64,
}

impl Page {
    pub(crate) fn new(start: &str) -> Self {
        let text = RichText::from_plain(start);
        let weave = Weave::new(&text).unwrap();
        Self { text, weave, next: 1 }
    }

    /// Commits a delta that was made of the text as it is.
    pub(crate) fn edit(&mut self, delta: &TextDelta) -> EditId {
        let event = self.event();
        self.weave.edit(event, delta).unwrap();
        self.follow(delta);
        event
    }

    /// Undoes an edit, or an undo.
    pub(crate) fn undo(&mut self, of: EditId) -> EditId {
        let event = self.event();
        let delta = self.weave.undo(event, &[of]).unwrap();
        self.follow(&delta);
        event
    }

    pub(crate) fn read(&self) -> String {
        self.text.to_plain()
    }

    fn event(&mut self) -> EditId {
        self.next += 1;
        EditId(self.next - 1)
    }

    fn follow(&mut self, delta: &TextDelta) {
        self.text.replay(delta).unwrap();
        assert_eq!(self.weave.rendered(), self.text.to_document());
    }
}
