//! The writer thread: takes what waits, checks it, writes it, syncs once, answers all.
//!
//! A group never waits for company: while the disk is busy with one, the next one gathers.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rocksdb::WriteOptions;

use super::db::Db;
use super::group::{Group, State};
use super::options::{self, RocksOptions};
use super::queue::{Request, Taken};
use super::{RocksError, Shared};
use crate::engine::{CommitError, Durability, Unavailable};

/// A group is closed at this size; a larger commit is a group of its own.
const GROUP_MAX_BYTES: usize = 4 * 1024 * 1024;

struct Writer {
    shared: Arc<Shared>,
    db: Arc<Db>,
    write: WriteOptions,
    state: State,
    /// Of relaxed durability: how long to leave writes unsynced, and since when there are some.
    sync_every: Duration,
    unsynced_since: Option<Instant>,
}

/// Starts the thread. It ends when the queue is closed and empty.
pub(super) fn spawn(shared: Arc<Shared>, db: Arc<Db>, options: &RocksOptions) -> Result<JoinHandle<()>, RocksError> {
    let mut writer = Writer {
        write: options::write(shared.durability),
        state: State::new(shared.durability),
        sync_every: options.relaxed_sync_every(),
        unsynced_since: None,
        shared,
        db,
    };
    let thread = std::thread::Builder::new().name("recto-writer".to_owned());
    thread.spawn(move || writer.run()).map_err(|error| RocksError::Failed {
        reason: error.to_string(),
    })
}

impl Writer {
    fn run(&mut self) {
        self.shared.queue.attach();
        let mut worked = false;
        loop {
            match self.shared.queue.take(GROUP_MAX_BYTES) {
                Taken::Group(requests) => {
                    self.group(requests);
                    worked = true;
                }
                Taken::Nothing => {
                    let deadline = self.unsynced_since.map(|since| since + self.sync_every);
                    self.shared.queue.wait(worked, deadline);
                    worked = false;
                }
                Taken::Closed => return,
            }
            self.sync_if_due();
        }
    }

    fn group(&mut self, requests: Vec<Request>) {
        if let Err(reason) = self.shared.access.writable() {
            return refuse(requests, &reason);
        }
        let mut group = Group::new();
        for request in requests {
            group.add(&self.db, &mut self.state, request);
        }
        if group.is_empty() {
            return group.answer_refused();
        }
        let batch = match group.batch(&self.db) {
            Ok(batch) => batch,
            Err(reason) => return group.fail(&CommitError::Unavailable(reason)),
        };
        let write = || {
            self.db
                .db
                .write_opt(batch, &self.write)
                .map_err(rocksdb::Error::into_string)
        };
        match self.shared.hooks.around(write) {
            Ok(()) => self.acknowledge(group),
            Err(reason) => {
                self.shared.access.poison(&reason);
                group.fail(&CommitError::Indeterminate { reason });
            }
        }
    }

    fn acknowledge(&mut self, group: Group) {
        if self.shared.durability == Durability::Relaxed {
            self.unsynced_since.get_or_insert_with(Instant::now);
        }
        // Told before it is answered: what is acknowledged is in the live feed already.
        if self.shared.live.is_heard() {
            group.events().for_each(|entry| self.shared.live.publish(entry));
        }
        group.acknowledge(&mut self.state);
    }

    /// Syncs what relaxed commits have left, once it is old enough. A sync that fails is never
    /// tried again.
    fn sync_if_due(&mut self) {
        if self
            .unsynced_since
            .is_none_or(|since| since.elapsed() < self.sync_every)
        {
            return;
        }
        self.unsynced_since = None;
        let sync = || self.db.db.flush_wal(true).map_err(rocksdb::Error::into_string);
        if let Err(reason) = self.shared.hooks.around_sync(sync) {
            self.shared.access.poison(&reason);
        }
    }
}

impl Drop for Writer {
    /// Should the thread ever panic, nobody may wait for it.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.access.poison("the writer has panicked");
            self.shared.queue.close();
            let reason = Unavailable::Failed {
                reason: "the writer has panicked".to_owned(),
            };
            refuse(self.shared.queue.drain(), &reason);
        }
    }
}

fn refuse(requests: impl IntoIterator<Item = Request>, reason: &Unavailable) {
    for request in requests {
        request.answer(Err(CommitError::Unavailable(reason.clone())));
    }
}
