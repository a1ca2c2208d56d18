//! Faults on demand: slow commits, failing commits, damaged values.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use super::MemoryEngine;
use crate::engine::{CommitError, Rejection, Unavailable};
use crate::keys::{DerivedKey, Key};

/// How a commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitFault {
    /// It is refused for good. Nothing is written.
    Rejected,
    /// The engine is away. Nothing is written.
    Unavailable,
    /// The answer is lost.
    Indeterminate {
        /// Whether it was written all the same (if its guards held; else the conflict is told).
        applied: bool,
    },
}

#[derive(Default)]
pub(super) struct Faults {
    commits: u64,
    planned: BTreeMap<u64, CommitFault>,
    before: Duration,
    after: Duration,
}

impl Faults {
    /// Counts a commit; tells its fault, and how long to wait before and after it is done.
    pub(super) fn next_commit(&mut self) -> (Option<CommitFault>, Duration, Duration) {
        self.commits += 1;
        (self.planned.remove(&self.commits), self.before, self.after)
    }
}

pub(super) fn error(fault: Option<CommitFault>) -> CommitError {
    match fault {
        Some(CommitFault::Rejected) => CommitError::Rejected(Rejection::Injected),
        Some(CommitFault::Unavailable) => CommitError::Unavailable(Unavailable::Injected),
        Some(CommitFault::Indeterminate { .. }) | None => CommitError::Indeterminate {
            reason: "a test injected this".to_owned(),
        },
    }
}

impl MemoryEngine {
    /// Makes the n-th commit from now fail (1: the next).
    pub fn fail_commit(&self, nth: u64, fault: CommitFault) {
        let faults = &mut self.shared.state.lock().faults;
        let at = faults.commits + nth.max(1);
        faults.planned.insert(at, fault);
    }

    /// Makes every commit from now on wait, before it is done and before it is answered.
    pub fn delay_commits(&self, before: Duration, after: Duration) {
        let faults = &mut self.shared.state.lock().faults;
        (faults.before, faults.after) = (before, after);
    }

    /// Refuses all writes from now on, as after a failed sync.
    pub fn poison(&self, reason: &str) {
        self.shared.state.lock().poisoned = Some(reason.to_owned());
    }

    /// As if it were opened again: writes and reads are taken, nothing is lost, no fault is
    /// planned. Listeners that were told that it is closed stay so.
    pub fn reopen(&self) {
        let mut state = self.shared.state.lock();
        state.poisoned = None;
        state.closed = false;
        state.faults = Faults::default();
    }

    /// Edits a stored value; `false` if there is none.
    pub fn corrupt(&self, key: &Key, revision: u64, edit: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut state = self.shared.state.lock();
        let value = state
            .logs
            .get_mut(&key.encode())
            .and_then(|log| log.entries.get_mut(&revision));
        value.map(|(_, value)| *value = edited(value, edit)).is_some()
    }

    /// Edits a stored derived value; `false` if there is none.
    pub fn corrupt_derived(&self, key: &DerivedKey, edit: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut state = self.shared.state.lock();
        state
            .derived
            .get_mut(key)
            .map(|value| *value = edited(value, edit))
            .is_some()
    }

    /// Takes an entry out, which leaves a hole; `false` if there is none.
    pub fn remove(&self, key: &Key, revision: u64) -> bool {
        let mut state = self.shared.state.lock();
        let log = state.logs.get_mut(&key.encode());
        log.and_then(|log| log.entries.remove(&revision)).is_some()
    }

    /// Puts an entry as it is, without guard and without feed.
    pub fn insert(&self, key: Key, revision: u64, position: u64, value: Bytes) {
        self.shared.state.lock().insert(key, revision, position, value);
    }
}

fn edited(value: &Bytes, edit: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut bytes = value.to_vec();
    edit(&mut bytes);
    Bytes::from(bytes)
}
