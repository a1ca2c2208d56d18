//! Why a weave refuses an edit or an undo.

use std::fmt;

use thiserror::Error;

use super::woven::EditId;
use crate::text::TextFault;

/// Why a weave refuses something. It is then as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WeaveError {
    /// The history since the weave's start is too long to be held.
    #[error("the history holds more than {limit} {counted}; undo something newer, or restore a version")]
    HistoryTooLong {
        /// What there is too much of.
        counted: Counted,
        /// The most of it.
        limit: usize,
    },
    /// An event that the weave does not know: it lies before its start, or is neither an edit nor an undo.
    #[error("the weave does not know event {event}; start it earlier")]
    UnknownEvent {
        /// The event.
        event: EditId,
    },
    /// Events come in order.
    #[error("event {event} was given after event {newest}; give events in the order of their versions")]
    OutOfOrder {
        /// The event.
        event: EditId,
        /// The newest one that the weave holds.
        newest: EditId,
    },
    /// The delta does not fit the text as it shows.
    #[error(transparent)]
    Text(#[from] TextFault),
}

/// What a limit of a weave counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Edits.
    Edits,
    /// Runs of text, or their fates.
    Runs,
    /// Bytes of inserted text.
    TextBytes,
    /// UTF-16 units of text, whether they show or not.
    Units,
}

impl WeaveError {
    /// Returns the stable code of this error, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::HistoryTooLong { .. } => "history_too_long",
            Self::UnknownEvent { .. } => "unknown_event",
            Self::OutOfOrder { .. } => "out_of_order",
            Self::Text(fault) => fault.code(),
        }
    }

    /// Refuses more than `limit` of something.
    pub(super) fn at_most(counted: Counted, limit: usize, got: usize) -> Result<(), Self> {
        if got <= limit {
            Ok(())
        } else {
            Err(Self::HistoryTooLong { counted, limit })
        }
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Edits => "edits",
            Self::Runs => "runs of text",
            Self::TextBytes => "bytes of inserted text",
            Self::Units => "UTF-16 units",
        })
    }
}
