//! The service itself: what it is made of, how it starts and how it stops.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use recto_store::{Health, Store};
use tokio::sync::Semaphore;

use crate::cache::HeadCache;
use crate::contract::{Floors, ReadKeys};
use crate::error::ReadError;
use crate::feed::Hub;
use crate::history::Histories;
use crate::locks::PageLocks;
use crate::slots::Boards;
use crate::snapshot::SnapshotPolicy;

/// Work on more bytes than this leaves the async threads: about 0.1 ms of work.
const INLINE_BYTES_MAX: usize = 64 * 1024;

/// What can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Memory for the states of recently used pages, in bytes.
    pub cache_bytes: u64,
    /// When a snapshot is written.
    pub snapshots: SnapshotPolicy,
    /// Memory for what undo knows of recently used pages, in bytes.
    pub history_bytes: u64,
    /// How many events back undo reaches: the stacks hold what was done in the newest ones, and an event whose undo has
    /// to go over more is refused. Restoring a version has no such limit.
    pub undo_events_max: u64,
    /// Over how many events a stale write is brought to the head at the most.
    pub rebase_events_max: u64,
    /// How many bytes of missed events a refusal for a stale base carries at the most.
    pub missed_bytes_max: usize,
    /// The least units that a billed command costs, by the kind of its page.
    pub floors: Floors,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
            snapshots: SnapshotPolicy::default(),
            history_bytes: 128 * 1024 * 1024,
            undo_events_max: 100_000,
            rebase_events_max: 10_000,
            missed_bytes_max: 64 * 1024,
            floors: Floors::default(),
        }
    }
}

/// Where times come from: ms since 1970.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// The clock of the machine.
    #[must_use]
    pub fn system() -> Self {
        Self::from_fn(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
    }

    /// A clock made of a function, for tests and replays.
    pub fn from_fn(now_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now_ms))
    }

    pub(crate) fn now_ms(&self) -> i64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Clock")
    }
}

/// The page service over one store. Cloning it gives another handle to the same service.
#[derive(Clone, Debug)]
pub struct Pages {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    settings: Settings,
    clock: Clock,
    cache: HeadCache,
    histories: Histories,
    locks: PageLocks,
    read_keys: ReadKeys,
    hub: Hub,
    boards: Boards,
    /// One snapshot is written at a time, so that they never crowd out the answers.
    snapshot_turn: Arc<Semaphore>,
}

impl Pages {
    /// Starts the service over an open store. Must be called within a tokio runtime.
    #[must_use]
    pub fn new(store: Store, settings: Settings, clock: Clock) -> Self {
        let hub = Hub::start(&store);
        let inner = Inner {
            cache: HeadCache::new(settings.cache_bytes),
            histories: Histories::new(settings.history_bytes, settings.undo_events_max),
            locks: PageLocks::default(),
            read_keys: ReadKeys::default(),
            boards: Boards::default(),
            snapshot_turn: Arc::new(Semaphore::new(1)),
            store,
            settings,
            clock,
            hub,
        };
        Self { inner: Arc::new(inner) }
    }

    /// How the store is.
    #[must_use]
    pub fn health(&self) -> Health {
        self.store().health()
    }

    /// Ends the feeds, waits for the snapshot being written, and closes the store.
    ///
    /// # Errors
    /// Where the store cannot be closed cleanly; what was acknowledged is safe all the same.
    pub async fn close(&self) -> Result<(), ReadError> {
        self.inner.hub.stop();
        self.settle().await;
        self.inner.snapshot_turn.close();
        self.store().close().await.map_err(ReadError::from)
    }

    /// Waits for the snapshot that is being written behind the answers.
    pub async fn settle(&self) {
        // An error means that the service is closed, and then none is being written.
        drop(self.inner.snapshot_turn.acquire().await);
    }

    /// Forgets every cached state. Answers stay the same; the next ones are slower.
    pub fn forget_cached(&self) {
        self.cache().clear();
        self.histories().clear();
    }

    /// The store below, for reading what has no meaning here: verification, backups.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    pub(crate) fn cache(&self) -> &HeadCache {
        &self.inner.cache
    }

    pub(crate) fn histories(&self) -> &Histories {
        &self.inner.histories
    }

    pub(crate) fn locks(&self) -> &PageLocks {
        &self.inner.locks
    }

    pub(crate) fn read_keys(&self) -> &ReadKeys {
        &self.inner.read_keys
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    pub(crate) fn boards(&self) -> &Boards {
        &self.inner.boards
    }

    pub(crate) fn snapshot_turn(&self) -> &Arc<Semaphore> {
        &self.inner.snapshot_turn
    }

    /// Runs pure work: on this thread where it is small, else where it blocks nobody.
    pub(crate) async fn compute<T, F>(&self, bytes: usize, work: F) -> Result<T, ReadError>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        if bytes <= INLINE_BYTES_MAX {
            return Ok(work());
        }
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|fault| ReadError::Unavailable {
                reason: format!("work was broken off: {fault}"),
            })
    }
}
