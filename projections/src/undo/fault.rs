//! Why there is no plan of an undo.

use super::plan::UndoConflict;
use crate::fault::Rule;
use crate::kind::Kind;
use crate::text::weave::{Counted, WeaveError};

/// Why there is no plan at all, or why a history does not take an event.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// There is nothing to undo.
    #[error("an undo names at least one event")]
    NoTarget,
    /// An event is not among those given.
    #[error("event {version} is not in the history given; give the history from it on")]
    UnknownTarget {
        /// Its version.
        version: u64,
    },
    /// A page, or an event, of a kind that is undone in the other way.
    #[error(
        "a {kind} page is not undone this way: DESIGN and SHEET by a plan over events, DOC and CODE by a text history"
    )]
    WrongKind {
        /// The kind.
        kind: Kind,
    },
    /// An event is undone already.
    #[error("event {version} is undone already; redo it first, or undo another")]
    AlreadyUndone {
        /// Its version.
        version: u64,
    },
    /// The policy refuses an undo that meets conflicts.
    #[error("{} things stand in the way of the undo; undo with another policy to take back the rest", conflicts.len())]
    Aborted {
        /// The conflicts.
        conflicts: Vec<UndoConflict>,
    },
    /// The history since the oldest event needed is too long to be held.
    #[error("the history holds more than {limit} {counted}; undo something newer, or restore a version")]
    HistoryTooLong {
        /// What there is too much of.
        counted: Counted,
        /// The most of it.
        limit: usize,
    },
    /// Events come in order.
    #[error("event {version} was given after event {newest}; give events in the order of their versions")]
    OutOfOrder {
        /// Its version.
        version: u64,
        /// The newest that the history holds.
        newest: u64,
    },
    /// The delta of an event does not fit what the events before it left.
    #[error(
        "event {version} does not follow from the events before it ({rule}); give the history from its start again"
    )]
    DoesNotFollow {
        /// Its version.
        version: u64,
        /// The rule that it breaks.
        rule: Rule,
    },
}

impl UndoError {
    /// Says why a weave does not take an event.
    pub(super) fn of_weave(version: u64, error: WeaveError) -> UndoError {
        match error {
            WeaveError::HistoryTooLong { counted, limit } => UndoError::HistoryTooLong { counted, limit },
            WeaveError::UnknownEvent { event } => UndoError::UnknownTarget { version: event.0 },
            WeaveError::OutOfOrder { event, newest } => UndoError::OutOfOrder {
                version: event.0,
                newest: newest.0,
            },
            WeaveError::Text(fault) => UndoError::DoesNotFollow {
                version,
                rule: fault.into(),
            },
        }
    }
}
