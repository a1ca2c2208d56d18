//! The engine on disk: RocksDB in process, one writer thread, one sync for a group of commits.
//!
//! RocksDB is never called on a tokio worker: writes go to the writer thread, reads to tokio's
//! blocking threads.

mod batch;
mod db;
mod derived;
mod group;
mod hooks;
mod layout;
mod lock;
mod options;
mod queue;
mod read;
mod scan;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::ready;
use parking_lot::Mutex;
use tokio::sync::broadcast;

use self::batch::Prepared;
use self::db::{Access, Db};
use self::hooks::Hooks;
pub use self::hooks::WriteFault;
pub use self::options::{Reading, RocksOptions};
use self::queue::{Queue, Request};
use crate::engine::live::Live;
use crate::engine::{
    Answer, CommitError, Committed, Durability, Engine, Entry, FeedEntry, First, Guard, Health, Limit, Near, Put,
    ReadError, Unavailable, check,
};
use crate::id::{Id, PageKey};
use crate::keys::{DerivedKey, Key, KeyPrefix};

/// How often opening to read is tried again where the writer dropped a file in between.
const READ_OPEN_TRIES: u32 = 8;

/// RocksDB under a folder of its own.
///
/// Every acknowledged commit is synced, unless [`RocksOptions::durability`] trades that away by
/// name. After a write or a sync failed (a full disk, a broken one) the engine is *poisoned*: it
/// serves reads and refuses writes, until it is closed and opened again. Opening finds everything
/// acknowledged; what was [`CommitError::Indeterminate`] is there or not.
///
/// Opened with [`RocksEngine::open_to_read`] it takes no commits and writes nothing into the folder.
pub struct RocksEngine {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    access: Access,
    queue: Queue,
    live: Live,
    durability: Durability,
    hooks: Hooks,
}

/// Why the folder does not open. Nothing in it was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RocksError {
    /// Another process, or this one, has it open: stop that one first.
    #[error("the store is already open in process {}", .pid.map_or_else(|| "(unknown)".to_owned(), |pid| pid.to_string()))]
    AlreadyOpen {
        /// The process; `None` if it has not written its number yet.
        pid: Option<u32>,
    },
    /// There is no store in it.
    #[error("there is no store in {}", folder.display())]
    NoStore {
        /// The folder.
        folder: std::path::PathBuf,
    },
    /// It holds an area that this program does not know: a newer one wrote it.
    #[error(
        "the store has an area {name:?} that this program does not know: use the program that wrote it, or a newer one"
    )]
    UnknownArea {
        /// The area's name.
        name: String,
    },
    /// RocksDB found damage: restore from a backup.
    #[error("the store is damaged: {reason}")]
    Damaged {
        /// In RocksDB's words.
        reason: String,
    },
    /// The folder cannot be used: permissions, disk space, no folder.
    #[error("the folder cannot be used: {reason}")]
    Folder {
        /// In the system's words.
        reason: String,
    },
    /// RocksDB does not open it.
    #[error("RocksDB does not open the store: {reason}")]
    Failed {
        /// In RocksDB's words.
        reason: String,
    },
}

impl RocksEngine {
    /// Opens the folder, or makes it. Blocks for some milliseconds, longer after a crash.
    ///
    /// # Errors
    /// [`RocksError`] says who has it open, or what is wrong with it.
    pub fn open(folder: &Path, options: &RocksOptions) -> Result<Self, RocksError> {
        let db = Arc::new(Db::open(folder, options)?);
        let shared = Shared::new(Access::new(Arc::clone(&db)), options);
        let writer = writer::spawn(Arc::clone(&shared), db, options)?;
        Ok(Self {
            shared,
            writer: Mutex::new(Some(writer)),
        })
    }

    /// Whether a store was ever begun in a folder.
    #[must_use]
    pub fn has_begun_in(folder: &Path) -> bool {
        Db::has_begun_in(folder)
    }

    /// Opens a folder for reading, also while a server has it: takes no lock, writes nothing into the folder, and shows
    /// what was acknowledged before. Blocks for some milliseconds, longer where much is not yet in tables.
    ///
    /// Commits are refused with [`Unavailable::ReadOnly`]; what is derived is neither kept nor dropped.
    ///
    /// # Errors
    /// [`RocksError::NoStore`] where there is none; else what is wrong with it.
    pub fn open_to_read(folder: &Path, options: &RocksOptions, reading: Reading) -> Result<Self, RocksError> {
        if !Db::is_in(folder) {
            return Err(RocksError::NoStore {
                folder: folder.to_owned(),
            });
        }
        let mut tried = Db::open_to_read(folder, options, reading);
        for _ in 1..READ_OPEN_TRIES {
            if tried.is_ok() {
                break;
            }
            tried = Db::open_to_read(folder, options, reading);
        }
        Ok(Self {
            shared: Shared::new(Access::to_read(Arc::new(tried?)), options),
            writer: Mutex::new(None),
        })
    }

    async fn commit_queued(
        &self,
        partition: u16,
        guards: Vec<Guard>,
        puts: Vec<Put>,
    ) -> Result<Committed, CommitError> {
        let revisions = check::revisions(&guards, &puts).map_err(CommitError::Rejected)?;
        self.shared.access.writable().map_err(CommitError::Unavailable)?;
        let prepared = Prepared::new(partition, guards, puts, &revisions);
        let room = self.shared.queue.room(prepared.bytes).await?;
        let (request, answered) = Request::new(prepared, room);
        self.shared.queue.push(request)?;
        let lost = || CommitError::Indeterminate {
            reason: "the writer is gone".to_owned(),
        };
        answered.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Runs a read on a blocking thread.
    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Db) -> Result<T, ReadError> + Send + 'static,
    ) -> Answer<'_, T, ReadError> {
        let db = self.shared.access.db();
        async move {
            let db = db?;
            let task = tokio::task::spawn_blocking(move || read(&db));
            task.await.unwrap_or_else(|gone| {
                Err(Unavailable::Failed {
                    reason: gone.to_string(),
                }
                .into())
            })
        }
        .boxed()
    }

    /// Runs a write of something derived on a blocking thread. A write that fails poisons.
    fn write_derived(
        &self,
        write: impl FnOnce(&Db) -> Result<(), ReadError> + Send + 'static,
    ) -> Answer<'_, (), ReadError> {
        match self.shared.access.writable() {
            Ok(()) => {}
            // What is derived may vanish, so whoever only reads may do without.
            Err(Unavailable::ReadOnly) => return ready(Ok(())).boxed(),
            Err(reason) => return ready(Err(reason.into())).boxed(),
        }
        let shared = Arc::clone(&self.shared);
        self.read(move |db| write(db).inspect_err(|error| shared.access.poison(&error.to_string())))
    }
}

impl Shared {
    fn new(access: Access, options: &RocksOptions) -> Arc<Self> {
        Arc::new(Self {
            access,
            queue: Queue::new(),
            live: Live::new(),
            durability: options.durability(),
            hooks: Hooks::default(),
        })
    }

    /// Stops the writer, syncs, and drops the database once no read uses it.
    fn shut(&self, writer: Option<JoinHandle<()>>) -> Result<(), ReadError> {
        self.queue.close();
        if let Some(writer) = writer {
            drop(writer.join());
        }
        self.live.close();
        self.access.close()
    }
}

impl Engine for RocksEngine {
    fn commit(&self, partition: u16, guards: Vec<Guard>, puts: Vec<Put>) -> Answer<'_, Committed, CommitError> {
        self.commit_queued(partition, guards, puts).boxed()
    }

    fn last(&self, key: &Key) -> Answer<'_, Option<Entry>, ReadError> {
        let key = key.clone();
        self.read(move |db| read::last(db, &key))
    }

    fn get(&self, key: &Key, revision: u64) -> Answer<'_, Option<Entry>, ReadError> {
        let key = key.clone();
        self.read(move |db| read::get(db, &key, revision))
    }

    fn firsts(&self, keys: Vec<Key>) -> Answer<'_, Vec<First>, ReadError> {
        self.read(move |db| Ok(keys.iter().map(|key| read::get(db, key, 1)).collect()))
    }

    fn history(&self, key: &Key, after: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError> {
        let key = key.clone();
        self.read(move |db| read::history(db, &key, after, limit))
    }

    fn history_back(&self, key: &Key, before: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError> {
        let key = key.clone();
        self.read(move |db| read::history_back(db, &key, before, limit))
    }

    fn feed(&self, partition: u16, scope: &Id, after: u64, limit: Limit) -> Answer<'_, Vec<FeedEntry>, ReadError> {
        let scope = scope.clone();
        self.read(move |db| scan::feed(db, partition, &scope, after, limit))
    }

    fn keys(&self, prefix: &KeyPrefix, after: Option<&Key>, limit: usize) -> Answer<'_, Vec<Key>, ReadError> {
        let (prefix, after) = (prefix.clone(), after.cloned());
        self.read(move |db| {
            let found = scan::latest(db, &prefix, after.as_ref(), limit)?;
            Ok(found.into_iter().map(|(key, _)| key).collect())
        })
    }

    fn latest(
        &self,
        prefix: &KeyPrefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Answer<'_, Vec<(Key, Entry)>, ReadError> {
        let (prefix, after) = (prefix.clone(), after.cloned());
        self.read(move |db| scan::latest(db, &prefix, after.as_ref(), limit))
    }

    fn tip(&self, partition: u16) -> Answer<'_, u64, ReadError> {
        self.read(move |db| read::tip(db, partition))
    }

    fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>> {
        self.shared.live.subscribe()
    }

    fn health(&self) -> Health {
        let poisoned = self.shared.access.poisoned();
        Health {
            ready: self.shared.access.writable().is_ok(),
            poisoned,
            durability: self.shared.durability,
            engine: "rocksdb",
            queued: self.shared.queue.len(),
        }
    }

    fn put_derived(&self, key: DerivedKey, value: Bytes) -> Answer<'_, (), ReadError> {
        self.write_derived(move |db| derived::put(db, &key, &value))
    }

    fn derived_near(&self, page: &PageKey, version: u64, side: Near) -> Answer<'_, Option<(u64, Bytes)>, ReadError> {
        let page = page.clone();
        self.read(move |db| derived::near(db, &page, version, side))
    }

    fn delete_derived(&self, key: DerivedKey) -> Answer<'_, (), ReadError> {
        self.write_derived(move |db| derived::delete(db, &key))
    }

    fn derived_versions(&self, page: &PageKey) -> Answer<'_, Vec<u64>, ReadError> {
        let page = page.clone();
        self.read(move |db| derived::versions(db, &page))
    }

    fn close(&self) -> Answer<'_, (), ReadError> {
        let writer = self.writer.lock().take();
        let shared = Arc::clone(&self.shared);
        async move {
            let task = tokio::task::spawn_blocking(move || shared.shut(writer));
            task.await.unwrap_or_else(|gone| {
                Err(Unavailable::Failed {
                    reason: gone.to_string(),
                }
                .into())
            })
        }
        .boxed()
    }
}

impl Drop for RocksEngine {
    /// Lets go of the folder; whoever wants to know that the last sync went well closes before.
    fn drop(&mut self) {
        let writer = self.writer.lock().take();
        drop(self.shared.shut(writer));
    }
}
