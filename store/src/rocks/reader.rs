//! Reading beside whoever writes: the store as it is when it is opened.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::ready;
use parking_lot::RwLock;
use tokio::sync::broadcast;

use super::db::Db;
use super::options::{Reading, RocksOptions};
use super::{RocksError, derived, read, scan};
use crate::engine::live::Live;
use crate::engine::{
    Answer, CommitError, Committed, Durability, Engine, Entry, FeedEntry, First, Guard, Health, Limit, Near, Put,
    ReadError, Unavailable,
};
use crate::id::{Id, PageKey};
use crate::keys::{DerivedKey, Key, KeyPrefix};

/// How often opening is tried again where the writer dropped a file in between.
const OPEN_TRIES: u32 = 8;

/// A store opened for reading, also while a server has it: it takes no lock, writes nothing into the folder, and shows
/// what was acknowledged before it was opened.
///
/// Commits are refused with [`Unavailable::ReadOnly`]; what is derived is neither kept nor dropped.
pub struct RocksReader {
    db: RwLock<Option<Arc<Db>>>,
    live: Live,
}

impl RocksReader {
    /// Opens a folder. Blocks for some milliseconds, longer where much is not yet in tables.
    ///
    /// # Errors
    /// [`RocksError::NoStore`] where there is none; else what is wrong with it.
    pub fn open(folder: &Path, options: &RocksOptions, reading: Reading) -> Result<Self, RocksError> {
        if !Db::is_in(folder) {
            return Err(RocksError::NoStore {
                folder: folder.to_owned(),
            });
        }
        let mut tried = Db::open_to_read(folder, options, reading);
        for _ in 1..OPEN_TRIES {
            if tried.is_ok() {
                break;
            }
            tried = Db::open_to_read(folder, options, reading);
        }
        Ok(Self {
            db: RwLock::new(Some(Arc::new(tried?))),
            live: Live::new(),
        })
    }

    /// Runs a read on a blocking thread.
    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Db) -> Result<T, ReadError> + Send + 'static,
    ) -> Answer<'_, T, ReadError> {
        let db = self.db.read().clone();
        async move {
            let db = db.ok_or(Unavailable::Closed)?;
            let task = tokio::task::spawn_blocking(move || read(&db));
            task.await.unwrap_or_else(|gone| {
                let reason = gone.to_string();
                Err(Unavailable::Failed { reason }.into())
            })
        }
        .boxed()
    }
}

impl Engine for RocksReader {
    fn commit(&self, _: u16, _: Vec<Guard>, _: Vec<Put>) -> Answer<'_, Committed, CommitError> {
        ready(Err(CommitError::Unavailable(Unavailable::ReadOnly))).boxed()
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

    /// Nothing is appended here, so nothing ever comes.
    fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>> {
        self.live.subscribe()
    }

    fn health(&self) -> Health {
        Health {
            ready: false,
            poisoned: None,
            durability: Durability::Synced,
            engine: "rocksdb-reader",
            queued: 0,
        }
    }

    fn put_derived(&self, _: DerivedKey, _: Bytes) -> Answer<'_, (), ReadError> {
        ready(Ok(())).boxed()
    }

    fn derived_near(&self, page: &PageKey, version: u64, side: Near) -> Answer<'_, Option<(u64, Bytes)>, ReadError> {
        let page = page.clone();
        self.read(move |db| derived::near(db, &page, version, side))
    }

    fn delete_derived(&self, _: DerivedKey) -> Answer<'_, (), ReadError> {
        ready(Ok(())).boxed()
    }

    fn derived_versions(&self, page: &PageKey) -> Answer<'_, Vec<u64>, ReadError> {
        let page = page.clone();
        self.read(move |db| derived::versions(db, &page))
    }

    fn close(&self) -> Answer<'_, (), ReadError> {
        self.live.close();
        drop(self.db.write().take());
        ready(Ok(())).boxed()
    }
}
