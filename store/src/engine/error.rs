//! What can go wrong in an engine, told so that the caller knows what to do next.

use std::fmt;

use crate::codec::FrameError;
use crate::id::{Id, PageKey, RecordKey};
use crate::keys::Key;

/// Why a commit was not acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// A guard did not hold. Nothing was written: read the key again.
    #[error("{key} is at revision {actual}, not at {expected}")]
    Conflict {
        /// The first key whose guard did not hold.
        key: Key,
        /// The revision that the guard named.
        expected: u64,
        /// The revision that the key has.
        actual: u64,
    },
    /// The commit can never be taken. Nothing was written: change it.
    #[error("the commit is refused: {0}")]
    Rejected(Rejection),
    /// Surely not written: try again later.
    #[error("nothing was written: {0}")]
    Unavailable(Unavailable),
    /// Maybe written: send the same commit again once the engine is back; its guards see to it
    /// that it is applied at most once.
    #[error("the outcome is unknown: {reason}")]
    Indeterminate {
        /// What the engine ran into.
        reason: String,
    },
}

/// Why a commit can never be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// All values together are too large.
    #[error("a commit holds at most {limit} bytes, this one holds {got}")]
    TooLarge {
        /// The most bytes.
        limit: usize,
        /// The bytes that came.
        got: usize,
    },
    /// A key is put without a guard.
    #[error("{key} is put without a guard")]
    Unguarded {
        /// The key.
        key: Key,
    },
    /// A key that is not an event's is put twice.
    #[error("{key} is put twice in one commit")]
    PutTwice {
        /// The key.
        key: Key,
    },
    /// A key is guarded twice.
    #[error("{key} is guarded twice in one commit")]
    GuardedTwice {
        /// The key.
        key: Key,
    },
    /// There is nothing to write.
    #[error("the commit puts nothing")]
    Empty,
    /// A test asked for it.
    #[error("a test injected this")]
    Injected,
}

/// Why an engine could not do what was asked, and surely did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// A write failed earlier: the store takes no writes until it is opened again.
    #[error("a write failed and the store has to be opened again: {reason}")]
    Poisoned {
        /// What failed.
        reason: String,
    },
    /// The engine is closed.
    #[error("the store is closed")]
    Closed,
    /// The engine was opened for reading.
    #[error("the store was opened for reading only")]
    ReadOnly,
    /// The engine reported a failure.
    #[error("the engine failed: {reason}")]
    Failed {
        /// In the engine's words.
        reason: String,
    },
    /// A test asked for it.
    #[error("a test injected this")]
    Injected,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// What is stored is not what was written. Run `verify`, restore from a backup.
    #[error("{at} is damaged: {fault}")]
    Corrupt {
        /// Where.
        at: Place,
        /// What is wrong there.
        fault: Fault,
    },
    /// Not read: try again later.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl ReadError {
    pub(crate) const fn corrupt(at: Place, fault: Fault) -> Self {
        Self::Corrupt { at, fault }
    }
}

/// A place in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An event.
    Event {
        /// The page.
        page: PageKey,
        /// The version.
        version: u64,
    },
    /// The receipt of a command.
    Receipt {
        /// The page.
        page: PageKey,
        /// The command.
        command: Id,
    },
    /// A record.
    Record {
        /// The workspace.
        scope: Id,
        /// The table.
        table: Id,
        /// The key.
        key: RecordKey,
        /// The revision.
        revision: u64,
    },
    /// A snapshot.
    Snapshot {
        /// The page.
        page: PageKey,
        /// The version.
        version: u64,
    },
    /// An entry of the feed.
    Feed {
        /// The partition.
        partition: u16,
        /// The position.
        position: u64,
    },
    /// The store's own description.
    Meta,
    /// Somewhere in an area of the engine that it cannot tell more closely.
    Area {
        /// The area's name.
        name: &'static str,
    },
}

impl Place {
    /// The place of one revision of a key.
    #[must_use]
    pub fn of(key: &Key, revision: u64) -> Self {
        match key {
            Key::Event(page) => Self::Event {
                page: page.clone(),
                version: revision,
            },
            Key::Command { scope, command, page } => Self::Receipt {
                page: PageKey::new(scope.clone(), page.clone()),
                command: command.clone(),
            },
            Key::Record { scope, table, key } => Self::Record {
                scope: scope.clone(),
                table: table.clone(),
                key: key.clone(),
                revision,
            },
            Key::Meta => Self::Meta,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event { page, version } => write!(f, "event {version} of page {page}"),
            Self::Receipt { page, command } => {
                write!(f, "the receipt of command {command} on page {page}")
            }
            Self::Record {
                scope,
                table,
                key,
                revision,
            } => {
                write!(f, "revision {revision} of record {key} of table {table} in {scope}")
            }
            Self::Snapshot { page, version } => {
                write!(f, "the snapshot of page {page} at version {version}")
            }
            Self::Feed { partition, position } => write!(f, "position {position} of partition {partition}"),
            Self::Meta => f.write_str("the store's own description"),
            Self::Area { name } => write!(f, "the area {name}"),
        }
    }
}

/// What is wrong with something stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not there, though something behind it or leading to it is.
    #[error("it is missing")]
    Missing,
    /// Its bytes are not what was written.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The engine found damage in its own files.
    #[error("the engine reports: {reason}")]
    Engine {
        /// In the engine's words.
        reason: String,
    },
    /// The event does not follow the one before it: history was changed.
    #[error("its previous hash is not the hash of the event before it")]
    BrokenChain,
    /// Its position is not behind that of the event before it.
    #[error("its position {position} does not follow {previous}")]
    Position {
        /// The position that it has.
        position: u64,
        /// The position of the event before it.
        previous: u64,
    },
    /// The receipt tells other versions than those of the command's events.
    #[error("it disagrees with the events of its command")]
    Disagrees,
    /// The feed does not tell it.
    #[error("the feed does not tell it")]
    NotInFeed,
    /// The key's bytes cannot be read.
    #[error("its key cannot be read")]
    Key,
}
