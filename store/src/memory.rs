//! The engine in memory: for tests and simulation. The same promises as on disk, and faults on
//! demand.

mod faults;
mod state;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::ready;
use parking_lot::Mutex;
use tokio::sync::broadcast;

pub use self::faults::CommitFault;
use self::state::State;
use crate::engine::live::Live;
use crate::engine::{
    Answer, CommitError, Committed, Durability, Engine, Entry, FeedEntry, Guard, Health, Limit, Near, Put, ReadError,
    check,
};
use crate::id::{Id, PageKey};
use crate::keys::{DerivedKey, Key, KeyPrefix};

/// An engine in memory. Everything is gone with the last of its clones.
///
/// Its hooks make commits slow or fail, and damage what is stored.
#[derive(Clone)]
pub struct MemoryEngine {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    live: Live,
}

impl MemoryEngine {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State::default()),
                live: Live::new(),
            }),
        }
    }

    async fn commit_slowly(
        &self,
        partition: u16,
        guards: Vec<Guard>,
        puts: Vec<Put>,
    ) -> Result<Committed, CommitError> {
        let revisions = check::revisions(&guards, &puts).map_err(CommitError::Rejected)?;
        let (fault, before, after) = self.shared.state.lock().faults.next_commit();
        pause(before).await;
        let committed = match fault {
            Some(CommitFault::Indeterminate { applied: true }) | None => {
                // Published under the lock: in commit order.
                let mut state = self.shared.state.lock();
                let (committed, entries) = state.commit(partition, &guards, puts, &revisions)?;
                if self.shared.live.is_heard() {
                    entries.into_iter().for_each(|entry| self.shared.live.publish(entry));
                }
                Some(committed)
            }
            Some(_) => None,
        };
        pause(after).await;
        match (fault, committed) {
            (None, Some(committed)) => Ok(committed),
            (fault, _) => Err(faults::error(fault)),
        }
    }
}

impl Default for MemoryEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for MemoryEngine {
    fn commit(&self, partition: u16, guards: Vec<Guard>, puts: Vec<Put>) -> Answer<'_, Committed, CommitError> {
        self.commit_slowly(partition, guards, puts).boxed()
    }

    fn last(&self, key: &Key) -> Answer<'_, Option<Entry>, ReadError> {
        ready(self.shared.state.lock().last(key)).boxed()
    }

    fn get(&self, key: &Key, revision: u64) -> Answer<'_, Option<Entry>, ReadError> {
        ready(self.shared.state.lock().get(key, revision)).boxed()
    }

    fn history(&self, key: &Key, after: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError> {
        ready(self.shared.state.lock().history(key, after, limit)).boxed()
    }

    fn history_back(&self, key: &Key, before: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError> {
        ready(self.shared.state.lock().history_back(key, before, limit)).boxed()
    }

    fn feed(&self, partition: u16, scope: &Id, after: u64, limit: Limit) -> Answer<'_, Vec<FeedEntry>, ReadError> {
        ready(self.shared.state.lock().feed(partition, scope, after, limit)).boxed()
    }

    fn keys(&self, prefix: &KeyPrefix, after: Option<&Key>, limit: usize) -> Answer<'_, Vec<Key>, ReadError> {
        let found = self.shared.state.lock().latest(prefix, after, limit);
        ready(found.map(|found| found.into_iter().map(|(key, _)| key).collect())).boxed()
    }

    fn latest(
        &self,
        prefix: &KeyPrefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Answer<'_, Vec<(Key, Entry)>, ReadError> {
        ready(self.shared.state.lock().latest(prefix, after, limit)).boxed()
    }

    fn tip(&self, partition: u16) -> Answer<'_, u64, ReadError> {
        ready(self.shared.state.lock().tip(partition)).boxed()
    }

    fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>> {
        self.shared.live.subscribe()
    }

    fn health(&self) -> Health {
        let state = self.shared.state.lock();
        Health {
            ready: !state.closed && state.poisoned.is_none(),
            poisoned: state.poisoned.clone(),
            durability: Durability::Memory,
            engine: "memory",
            queued: 0,
        }
    }

    fn put_derived(&self, key: DerivedKey, value: Bytes) -> Answer<'_, (), ReadError> {
        ready(self.shared.state.lock().put_derived(&key, value)).boxed()
    }

    fn derived_near(&self, page: &PageKey, version: u64, side: Near) -> Answer<'_, Option<(u64, Bytes)>, ReadError> {
        ready(self.shared.state.lock().derived_near(page, version, side)).boxed()
    }

    fn delete_derived(&self, key: DerivedKey) -> Answer<'_, (), ReadError> {
        ready(self.shared.state.lock().delete_derived(&key)).boxed()
    }

    fn derived_versions(&self, page: &PageKey) -> Answer<'_, Vec<u64>, ReadError> {
        ready(self.shared.state.lock().derived_versions(page)).boxed()
    }

    fn close(&self) -> Answer<'_, (), ReadError> {
        self.shared.state.lock().closed = true;
        self.shared.live.close();
        ready(Ok(())).boxed()
    }
}

async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}
