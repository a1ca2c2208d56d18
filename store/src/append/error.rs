//! Why an append was not done, told so that the caller knows what to do next.

use std::fmt;

use super::Expected;
use crate::engine::{Fault, Place, ReadError, Rejection, Unavailable};
use crate::event::Head;
use crate::id::{Id, RecordKey};
use crate::receipt::Receipt;

/// Why an append was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The command was done before; nothing was appended. Answer with what it did.
    #[error("the command was done before, at version {}", .0.head_version)]
    AlreadyDone(Box<Receipt>),
    /// The command id was used for something else. Take another id.
    #[error("command id {command} was used for another request")]
    CommandIdReused {
        /// The id.
        command: Id,
    },
    /// The page is at another version. Read it, and decide again.
    #[error("the page is at version {}, not at {}", .actual.map_or(0, |head| head.version), .expected.version())]
    Conflict {
        /// What the caller expected.
        expected: Expected,
        /// The head; `None` where the page has no event.
        actual: Option<Head>,
    },
    /// A record is at another revision. Read it, and decide again.
    #[error("record {key} of table {table} is at revision {actual}, not at {expected}")]
    RecordConflict {
        /// The table.
        table: Id,
        /// The key.
        key: RecordKey,
        /// What the caller expected.
        expected: u64,
        /// The revision it has; 0: there is none.
        actual: u64,
    },
    /// Something is over its limit. Send less.
    #[error("{what} is limited to {limit}, this has {got}")]
    TooLarge {
        /// What is too large.
        what: What,
        /// The most allowed.
        limit: usize,
        /// What came.
        got: usize,
    },
    /// There is neither an event nor a record, and the page has no event to keep a receipt with.
    #[error("there is nothing to append, and the page does not exist")]
    Empty,
    /// The commit can never be taken as it is, for instance since it writes a record twice.
    #[error("the append is refused: {0}")]
    Rejected(Rejection),
    /// Maybe done: send the same command again once the store is back.
    #[error("whether command {command} was done is unknown ({reason}); send it again to find out")]
    OutcomeUnknown {
        /// The command.
        command: Id,
        /// What the engine ran into.
        reason: String,
    },
    /// Surely not done: try again later.
    #[error("nothing was written: {0}")]
    Unavailable(Unavailable),
    /// What the append builds on is damaged. Run `verify`.
    #[error("{at} is damaged: {fault}")]
    Corrupt {
        /// Where.
        at: Box<Place>,
        /// What is wrong there.
        fault: Fault,
    },
}

/// What can be too large in an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The number of events.
    Events,
    /// The number of records.
    Records,
    /// The bytes of one event.
    EventBytes,
    /// The bytes of one record's value.
    RecordBytes,
    /// The bytes of a receipt's outcome.
    OutcomeBytes,
    /// The bytes of an actor's name.
    ActorBytes,
    /// The bytes of a turn's name.
    TurnBytes,
    /// The bytes of all together.
    BatchBytes,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Events => "the number of events in an append",
            Self::Records => "the number of records in an append",
            Self::EventBytes => "an event's size in bytes",
            Self::RecordBytes => "a record's size in bytes",
            Self::OutcomeBytes => "an outcome's size in bytes",
            Self::ActorBytes => "an actor's name in bytes",
            Self::TurnBytes => "a turn's name in bytes",
            Self::BatchBytes => "an append's size in bytes",
        })
    }
}

impl From<ReadError> for AppendError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Corrupt { at, fault } => Self::Corrupt {
                at: Box::new(at),
                fault,
            },
            ReadError::Unavailable(reason) => Self::Unavailable(reason),
        }
    }
}

impl From<Rejection> for AppendError {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::TooLarge { limit, got } => Self::TooLarge {
                what: What::BatchBytes,
                limit,
                got,
            },
            other => Self::Rejected(other),
        }
    }
}
