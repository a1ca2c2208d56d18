//! The engine: a keyed log with conditional atomic batches.
//!
//! Every key is a small append-only log whose revisions are 1, 2, 3, …; writing is appending to
//! one or more keys of one partition, all or nothing, if every guard holds. Whoever implements
//! [`Engine`] is held to its promises by the module `conformance` (feature of that name).

pub(crate) mod check;
mod error;
pub(crate) mod live;

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::broadcast;

pub use self::error::{CommitError, Fault, Place, ReadError, Rejection, Unavailable};
use crate::id::{Id, PageKey};
use crate::keys::{DerivedKey, Key, KeyPrefix};

/// What an engine answers, later.
pub type Answer<'a, T, E> = BoxFuture<'a, Result<T, E>>;

/// The first entry of a key, where there is one; or what is wrong with it.
pub type First = Result<Option<Entry>, ReadError>;

/// A keyed log with conditional atomic batches.
///
/// Engines are called from tokio tasks and never block them.
pub trait Engine: Send + Sync + 'static {
    /// Appends the puts to their keys, all or nothing, if every guard holds, and answers when
    /// they are durable.
    ///
    /// Every key that is put must be guarded, so that sending a commit again after
    /// [`CommitError::Indeterminate`] applies it at most once. A key may be put several times
    /// only if it is an [`Key::Event`]. Events get the partition's next positions in their
    /// order. A commit whose future is dropped may still be applied.
    fn commit(&self, partition: u16, guards: Vec<Guard>, puts: Vec<Put>) -> Answer<'_, Committed, CommitError>;

    /// The newest entry of a key. It includes every commit that was answered before the call.
    fn last(&self, key: &Key) -> Answer<'_, Option<Entry>, ReadError>;

    /// One entry of a key.
    fn get(&self, key: &Key, revision: u64) -> Answer<'_, Option<Entry>, ReadError>;

    /// The first entries of many keys at once, in the order of the keys; each may be damaged by itself. For whoever
    /// needs the receipts of a whole stretch of history.
    fn firsts(&self, keys: Vec<Key>) -> Answer<'_, Vec<First>, ReadError> {
        async move {
            let mut found = Vec::with_capacity(keys.len());
            for key in &keys {
                match self.get(key, 1).await {
                    Err(away @ ReadError::Unavailable(_)) => return Err(away),
                    first => found.push(first),
                }
            }
            Ok(found)
        }
        .boxed()
    }

    /// The entries of a key behind `after`, in order. A hole is [`ReadError::Corrupt`].
    fn history(&self, key: &Key, after: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError>;

    /// The entries of a key in front of `before`, newest first. A hole is [`ReadError::Corrupt`].
    fn history_back(&self, key: &Key, before: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError>;

    /// The events of a scope in one partition behind a position, in commit order.
    fn feed(&self, partition: u16, scope: &Id, after: u64, limit: Limit) -> Answer<'_, Vec<FeedEntry>, ReadError>;

    /// The keys that begin with a prefix, in order, behind `after`.
    fn keys(&self, prefix: &KeyPrefix, after: Option<&Key>, limit: usize) -> Answer<'_, Vec<Key>, ReadError>;

    /// The keys that begin with a prefix, in order, behind `after`, each with its newest entry.
    fn latest(&self, prefix: &KeyPrefix, after: Option<&Key>, limit: usize)
    -> Answer<'_, Vec<(Key, Entry)>, ReadError>;

    /// The newest position of a partition; 0 where there is none.
    fn tip(&self, partition: u16) -> Answer<'_, u64, ReadError>;

    /// The live feed of all scopes and partitions: every event once, in commit order, after it
    /// is durable and before its commit is answered. Who lags too far behind is told so, and
    /// reads [`Engine::feed`].
    fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>>;

    /// How the engine is doing. Never waits.
    fn health(&self) -> Health;

    /// Keeps something derived. Not guarded, not synced: it may vanish.
    fn put_derived(&self, key: DerivedKey, value: Bytes) -> Answer<'_, (), ReadError>;

    /// The derived entry of a page that is nearest to a version on one side.
    fn derived_near(&self, page: &PageKey, version: u64, side: Near) -> Answer<'_, Option<(u64, Bytes)>, ReadError>;

    /// Drops a derived entry, if it is there.
    fn delete_derived(&self, key: DerivedKey) -> Answer<'_, (), ReadError>;

    /// The versions of a page that have a derived entry, rising.
    fn derived_versions(&self, page: &PageKey) -> Answer<'_, Vec<u64>, ReadError>;

    /// Stops taking commits, finishes those taken, makes everything durable and lets go of the
    /// storage. Later calls answer [`Unavailable::Closed`].
    fn close(&self) -> Answer<'_, (), ReadError>;
}

/// A condition of a commit: the last revision of a key is exactly this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The key.
    pub key: Key,
    /// Its last revision; 0: the key is absent.
    pub revision: u64,
}

/// One entry to append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// The key to append to.
    pub key: Key,
    /// What to append.
    pub value: Bytes,
}

/// What a commit assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Revision and position of every put, in their order.
    pub entries: Vec<(u64, u64)>,
    /// What the answer promises.
    pub durability: Durability,
}

/// One entry of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the key: 1, 2, 3, …
    pub revision: u64,
    /// Of an event: its place in its partition's feed. Of anything else: the partition's tip
    /// when its commit was done.
    pub position: u64,
    /// What was put.
    pub value: Bytes,
}

/// One event in a partition's feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEntry {
    /// The partition.
    pub partition: u16,
    /// The place in its feed; dense over all scopes.
    pub position: u64,
    /// The page.
    pub page: PageKey,
    /// The page's version.
    pub revision: u64,
    /// What was put. The live feed leaves out values over
    /// [`LIVE_VALUE_MAX_BYTES`](crate::limits::LIVE_VALUE_MAX_BYTES): get them by page and
    /// revision. [`Engine::feed`] always has them.
    pub value: Option<Bytes>,
}

/// How much one read returns: it stops at whichever comes first, but returns one entry at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most entries.
    pub entries: usize,
    /// The most bytes of values.
    pub bytes: usize,
}

impl Limit {
    /// A limit in entries, with 16 MiB of values as the other bound.
    #[must_use]
    pub const fn entries(entries: usize) -> Self {
        Self {
            entries,
            bytes: crate::limits::EVENT_MAX_BYTES,
        }
    }
}

/// On which side of a version a derived entry may lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// At the version or before it.
    AtOrBefore,
    /// At the version or after it.
    AtOrAfter,
}

/// What an acknowledgement promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Durability {
    /// Synced to the disk before the answer.
    Synced,
    /// Handed to the operating system; synced soon. A power cut can lose it.
    Relaxed,
    /// In memory only: for tests and simulation.
    Memory,
}

impl Durability {
    /// The name in settings and answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Synced => "synced",
            Self::Relaxed => "relaxed",
            Self::Memory => "memory",
        }
    }
}

/// How an engine is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether commits are taken.
    pub ready: bool,
    /// Why commits are refused until the store is opened again; reads are served all the same.
    pub poisoned: Option<String>,
    /// What an acknowledgement promises.
    pub durability: Durability,
    /// The engine's name.
    pub engine: &'static str,
    /// Commits that wait for their turn.
    pub queued: usize,
}
