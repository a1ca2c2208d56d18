//! A text, its weave and the naive model, all going through the same history and compared at every step.

use recto_projections::text::weave::{BlamedRun, EditId, Weave};
use recto_projections::text::{RichText, TextDelta};
use serde_json::Value as Json;

use crate::generator::{self, Random, Style};
use crate::naive::Naive;

/// The authors of a history.
pub(crate) const AUTHORS: usize = 3;

pub(crate) struct History {
    pub(crate) start: TextDelta,
    /// What the committed deltas alone make.
    pub(crate) text: RichText,
    pub(crate) weave: Weave,
    naive: Option<Naive>,
    style: Style,
    /// The author and the event of each edit.
    pub(crate) edits: Vec<(usize, EditId)>,
    /// The delta of the newest edit.
    pub(crate) newest: TextDelta,
    next: u64,
}

impl History {
    pub(crate) fn new(start: &TextDelta, style: Style) -> Self {
        let text = RichText::from_document(start).unwrap();
        let weave = match style {
            Style::Document => Weave::of_document(&text),
            Style::Plain => Weave::new(&text),
        };
        Self {
            start: start.clone(),
            text,
            weave: weave.unwrap(),
            naive: Some(Naive::new(start, style == Style::Document)),
            style,
            edits: Vec::new(),
            newest: TextDelta::new(),
            next: 1,
        }
    }

    /// Does without the naive model, whose steps take time in proportion to the square of the text.
    pub(crate) fn without_naive(mut self) -> Self {
        self.naive = None;
        self
    }

    /// Makes a history of a plain text.
    pub(crate) fn plain(text: &str) -> Self {
        Self::new(&TextDelta::new().insert(text, None), Style::Plain)
    }

    /// Makes a history of a document.
    pub(crate) fn document_of(start: &Json) -> Self {
        Self::new(&crate::delta(start), Style::Document)
    }

    /// Applies a delta as Quill writes it.
    pub(crate) fn quill(&mut self, author: usize, ops: &Json) -> EditId {
        self.commit(author, &crate::delta(ops))
    }

    /// Inserts text.
    pub(crate) fn insert(&mut self, author: usize, at: usize, text: &str) -> EditId {
        self.commit(author, &TextDelta::new().retain(at, None).insert(text, None))
    }

    /// Deletes text from one place to another.
    pub(crate) fn delete(&mut self, author: usize, from: usize, to: usize) -> EditId {
        self.commit(author, &TextDelta::new().retain(from, None).delete(to - from))
    }

    pub(crate) fn edit(&mut self, author: usize, random: &mut Random) {
        let delta = generator::edit(&self.text, author, self.style, random);
        self.commit(author, &delta);
    }

    pub(crate) fn commit(&mut self, author: usize, delta: &TextDelta) -> EditId {
        let event = self.event();
        self.text.replay(delta).unwrap();
        self.weave.edit(event, delta).unwrap();
        if let Some(naive) = &mut self.naive {
            naive.edit(delta);
        }
        self.edits.push((author, event));
        self.newest = delta.clone();
        self.compare();
        event
    }

    /// Switches edits by number.
    pub(crate) fn toggle(&mut self, edits: &[usize], on: bool) -> TextDelta {
        let events: Vec<EditId> = edits.iter().map(|edit| self.edits[*edit].1).collect();
        let delta = self.weave.toggle(&events, on).unwrap();
        assert!(edits.iter().all(|edit| self.is_active(*edit) == on));
        self.follow(&delta);
        delta
    }

    /// Undoes events; returns the event that did.
    pub(crate) fn undo(&mut self, of: &[EditId]) -> EditId {
        let event = self.event();
        let preview = self.weave.preview(of).unwrap();
        assert_eq!(self.weave.rendered(), self.document(), "a preview changed the text");
        let delta = self.weave.undo(event, of).unwrap();
        assert_eq!(delta, preview);
        self.follow(&delta);
        event
    }

    pub(crate) fn is_active(&self, edit: usize) -> bool {
        self.weave.is_active(self.edits[edit].1).unwrap()
    }

    /// Returns the edits that are active, or not, by number.
    pub(crate) fn which(&self, active: bool) -> Vec<usize> {
        (0..self.edits.len())
            .filter(|edit| self.is_active(*edit) == active)
            .collect()
    }

    /// Returns the text, without attributes.
    pub(crate) fn read(&self) -> String {
        self.text.to_plain()
    }

    pub(crate) fn document(&self) -> TextDelta {
        self.text.to_document()
    }

    /// Counts the letters and embeds of edits of some authors that shall show.
    pub(crate) fn letters_of(&self, authors: impl Fn(usize) -> bool) -> Option<usize> {
        self.naive
            .as_ref()
            .map(|naive| naive.letters_of(|edit| authors(self.edits[edit].0)))
    }

    fn event(&mut self) -> EditId {
        self.next += 1;
        EditId(self.next - 1)
    }

    /// Applies a compensation; the naive model makes the same one.
    fn follow(&mut self, delta: &TextDelta) {
        let effective = self.text.effective(delta).unwrap();
        assert_eq!(*effective, *delta, "the delta does more than it must");
        self.text.replay(delta).unwrap();
        let undone = self.which(false).into_iter().collect();
        if let Some(naive) = &mut self.naive {
            assert_eq!(*delta, naive.leave_undone(undone));
        }
        self.compare();
    }

    fn compare(&self) {
        let rendered = self.weave.rendered();
        assert_eq!(rendered, self.text.to_document(), "the weave and its deltas differ");
        assert_eq!(self.weave.len(), self.text.len());
        if let Some(naive) = &self.naive {
            assert_eq!(rendered, naive.rendered(), "the weave and the naive model differ");
            self.compare_blame(naive);
        }
    }

    fn compare_blame(&self, naive: &Naive) {
        let runs = self.weave.blame();
        let alike = |pair: &[BlamedRun]| (pair[0].event, pair[0].format) == (pair[1].event, pair[1].format);
        assert!(!runs.windows(2).any(alike), "neighbours are joined: {runs:?}");
        let units = runs
            .iter()
            .flat_map(|run| std::iter::repeat_n((run.event, run.format), run.units));
        let id = |edit: Option<usize>| edit.map(|edit| self.edits[edit].1);
        let wanted = naive.blame().into_iter().map(|(event, format)| (id(event), id(format)));
        assert_eq!(units.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    }
}
