//! The weave itself, and what it knows at any time.

use std::fmt;

use super::ending::Ending;
use super::fates::{Fates, START};
use super::fault::{Counted, WeaveError};
use super::limits::WeaveLimits;
use super::order::{Order, number};
use super::runs::Run;
use super::source::{Slice, Source};
use super::undo::Undone;
use crate::text::RichText;

/// An event of a page: the version that it made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditId(pub u64);

/// A text with its history since some version: see [the module](super).
///
/// It is fed with the page's events in their order: with [`Weave::edit`] for a delta, with [`Weave::undo`] for an undo or
/// redo.
///
/// ```
/// use recto_projections::text::weave::{EditId, Weave};
/// use recto_projections::text::{RichText, TextDelta};
///
/// let mut weave = Weave::new(&RichText::from_plain("hello"))?;
/// weave.edit(EditId(1), &TextDelta::new().retain(5, None).insert(" there", None))?;
/// weave.edit(EditId(2), &TextDelta::new().retain(6, None).insert("WORLD ", None))?;
/// // Event 3 undoes event 1, event 4 takes that back.
/// let undo = weave.undo(EditId(3), &[EditId(1)])?;
/// assert_eq!(undo, TextDelta::new().retain(5, None).delete(1).retain(6, None).delete(5));
/// let redo = weave.undo(EditId(4), &[EditId(3)])?;
/// assert_eq!(redo, TextDelta::new().retain(5, None).insert(" ", None).retain(6, None).insert("there", None));
/// # Ok::<(), recto_projections::text::weave::WeaveError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Weave {
    pub(super) source: Source,
    pub(super) runs: Vec<Run>,
    pub(super) order: Order,
    pub(super) fates: Fates,
    pub(super) edits: Vec<Edit>,
    pub(super) undone: Vec<Undone>,
    pub(super) ending: Ending,
    /// How many flips there were.
    pub(super) flips: u32,
    /// Units of all runs, whether they show or not.
    pub(super) units: usize,
    pub(super) limits: WeaveLimits,
}

/// An edit of a weave. Its number is its place in the vector of all edits.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) id: EditId,
    /// The first of its fates; they go up to the next edit's.
    pub(super) first_fate: u32,
    /// Whether it is none, but stands for a newline that the edit behind it, of the same event, found at the end. It is
    /// active when that newline is needed.
    pub(super) is_ending: bool,
    pub(super) active: bool,
    /// What `active` becomes when a flip is done.
    pub(super) shall: bool,
}

impl Weave {
    /// Starts a weave with a text, and the default limits. O(1): the text is shared.
    ///
    /// # Errors
    /// [`WeaveError::HistoryTooLong`] for a text longer than the limit.
    pub fn new(start: &RichText) -> Result<Self, WeaveError> {
        Self::with_limits(start, WeaveLimits::default())
    }

    /// Starts a weave with a document, which ends with a newline whatever is undone: where undos leave one that does not,
    /// a plain newline is added to its end, and taken away as soon as it is not needed. It belongs to no edit. Edits that
    /// are made while it is there are made on it as on any other letter: it is there from then on whenever the text would
    /// need it without them.
    ///
    /// # Errors
    /// As [`Weave::new`].
    pub fn of_document(start: &RichText) -> Result<Self, WeaveError> {
        let mut weave = Self::new(start)?;
        weave.ending = Ending::newline();
        weave.settle_ending();
        Ok(weave)
    }

    /// Starts a weave with limits of its own.
    ///
    /// # Errors
    /// As [`Weave::new`].
    pub fn with_limits(start: &RichText, limits: WeaveLimits) -> Result<Self, WeaveError> {
        let limits = limits.capped();
        WeaveError::at_most(Counted::Units, limits.units, start.len())?;
        let mut weave = Self {
            source: Source::new(start.clone()),
            runs: Vec::new(),
            order: Order::new(),
            fates: Fates::new(),
            edits: Vec::new(),
            undone: Vec::new(),
            ending: Ending::free(),
            flips: 0,
            units: start.len(),
            limits,
        };
        if !start.is_empty() {
            let end = weave.order.find(0);
            weave.put(end, Run::new(Slice::Start { at: 0 }, number(start.len()), START));
        }
        Ok(weave)
    }

    /// Returns the length of the text as it shows, in UTF-16 units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.shown() as usize + usize::from(self.ending.is_added())
    }

    /// Says whether nothing shows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the newest event that the weave holds, edit or undo.
    #[must_use]
    pub fn newest(&self) -> Option<EditId> {
        let edit = self.edits.last().map(|edit| edit.id);
        edit.max(self.undone.last().map(|undone| undone.event))
    }

    /// Says whether an edit is active, which is to say not undone; `None` for an event that is no edit of the weave.
    #[must_use]
    pub fn is_active(&self, edit: EditId) -> Option<bool> {
        self.edit_number(edit).map(|number| self.edits[number].active)
    }

    /// Goes over the edits that are active.
    pub fn active(&self) -> impl DoubleEndedIterator<Item = EditId> {
        let active = self.edits.iter().filter(|edit| edit.active && !edit.is_ending);
        active.map(|edit| edit.id)
    }

    /// Returns how many runs of text there are, whether they show or not.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Returns about how many bytes of memory the weave holds beside the starting text.
    #[must_use]
    pub fn weight(&self) -> usize {
        let runs = self.runs.capacity() * size_of::<Run>();
        let edits = self.edits.capacity() * size_of::<Edit>();
        let undone: usize = self.undone.iter().map(Undone::weight).sum();
        let parts = self.source.weight() + self.order.weight() + self.fates.weight() + self.ending.weight();
        size_of::<Self>() + runs + edits + undone + parts
    }

    pub(super) fn edit_number(&self, edit: EditId) -> Option<usize> {
        // What stands for a newline comes before the edit of the same event.
        let number = self.edits.partition_point(|known| known.id <= edit).checked_sub(1)?;
        (self.edits[number].id == edit).then_some(number)
    }

    /// Returns the fates that an edit made.
    pub(super) fn fates_of(&self, edit: usize) -> std::ops::Range<u32> {
        let end = self
            .edits
            .get(edit + 1)
            .map_or(number(self.fates.len()), |next| next.first_fate);
        self.edits[edit].first_fate..end
    }
}

impl fmt::Display for EditId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
