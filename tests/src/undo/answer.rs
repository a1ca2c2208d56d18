//! What an undo or a redo answered.

use recto_pages::projections::undo::Outcome;
use recto_pages::{Entries, UndoReport, Written};

use super::one_event;
use crate::Json;

/// What an undo or a redo answered.
#[derive(Clone, Debug)]
pub struct Done {
    /// The whole answer.
    pub written: Written,
}

impl Done {
    pub(super) fn new(written: Written) -> Self {
        Self { written }
    }

    /// What it reports.
    ///
    /// # Panics
    /// Where it reports nothing.
    #[track_caller]
    pub fn report(&self) -> &UndoReport {
        self.written.report.undo.as_ref().expect("a report")
    }

    /// How much was taken back.
    ///
    /// # Panics
    /// Where there is no report.
    #[track_caller]
    pub fn outcome(&self) -> Outcome {
        self.report().outcome
    }

    /// The codes of what stands in the way.
    ///
    /// # Panics
    /// Where there is no report.
    #[track_caller]
    pub fn conflicts(&self) -> Vec<&str> {
        codes(&self.report().conflicts)
    }

    /// The one thing that stands in the way.
    ///
    /// # Panics
    /// Where there is another number of them, or it has another code.
    #[track_caller]
    pub fn conflict(&self, code: &str) -> &Json {
        assert_eq!(self.conflicts(), [code], "{:?}", self.report());
        &self.report().conflicts.listed[0]
    }

    /// The codes of what was passed over.
    ///
    /// # Panics
    /// Where there is no report.
    #[track_caller]
    pub fn skipped(&self) -> Vec<&str> {
        codes(&self.report().skipped)
    }

    /// The codes of what was decided.
    ///
    /// # Panics
    /// Where there is no report.
    #[track_caller]
    pub fn notes(&self) -> Vec<&str> {
        codes(&self.report().notes)
    }

    /// The versions of the events that it made.
    pub fn versions(&self) -> Vec<u64> {
        self.written
            .events
            .iter()
            .map(recto_pages::PageEvent::version)
            .collect()
    }

    /// The version of the one event that it made.
    ///
    /// # Panics
    /// Where it made another number of them.
    #[track_caller]
    pub fn version(&self) -> u64 {
        one_event(&self.written)
    }

    /// All was taken back, in one event, and nothing stood in the way; gives its version.
    ///
    /// # Panics
    /// Where it was not so.
    #[track_caller]
    pub fn clean(&self) -> u64 {
        self.applied();
        self.version()
    }

    /// All was taken back, and nothing stood in the way.
    ///
    /// # Panics
    /// Where it was not so.
    #[track_caller]
    pub fn applied(&self) {
        let report = self.report();
        assert_eq!(report.outcome, Outcome::Applied, "{report:?}");
        assert!(report.conflicts.listed.is_empty(), "{report:?}");
    }

    /// Nothing that shows was changed.
    ///
    /// # Panics
    /// Where it was not so.
    #[track_caller]
    pub fn noop(&self) {
        assert_eq!(self.outcome(), Outcome::Noop, "{:?}", self.report());
    }

    /// Some of it was taken back.
    ///
    /// # Panics
    /// Where it was not so.
    #[track_caller]
    pub fn partial(&self) {
        assert_eq!(self.outcome(), Outcome::Partial, "{:?}", self.report());
    }
}

fn codes(entries: &Entries) -> Vec<&str> {
    let listed = entries.listed.iter();
    listed.map(|entry| entry["code"].as_str().expect("a code")).collect()
}
