//! Hooks for tests: a write that fails, a stored value that changes.

#[cfg(feature = "conformance")]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "conformance")]
use parking_lot::Mutex;

#[cfg(feature = "conformance")]
use super::{
    RocksEngine,
    layout::{Area, feed_key, revision_key},
};
#[cfg(feature = "conformance")]
use crate::id::Id;
#[cfg(feature = "conformance")]
use crate::keys::Key;

/// How the next group's write fails. Both ways the engine is poisoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFault {
    /// Nothing reaches the disk.
    Lost,
    /// All of it reaches the disk, but the sync reports a failure.
    Unacknowledged,
}

/// What tests have planned; nothing without the feature `conformance`.
#[derive(Default)]
pub(super) struct Hooks {
    #[cfg(feature = "conformance")]
    fault: Mutex<Option<WriteFault>>,
    #[cfg(feature = "conformance")]
    sync_fails: AtomicBool,
}

impl Hooks {
    /// Writes, or fails as planned.
    #[cfg(feature = "conformance")]
    pub(super) fn around(&self, write: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let failed = || Err("a test injected this".to_owned());
        match self.fault.lock().take() {
            None => write(),
            Some(WriteFault::Lost) => failed(),
            Some(WriteFault::Unacknowledged) => write().and_then(|()| failed()),
        }
    }

    /// Syncs what relaxed commits have left, or fails as planned.
    #[cfg(feature = "conformance")]
    pub(super) fn around_sync(&self, sync: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        if self.sync_fails.swap(false, Ordering::SeqCst) {
            return Err("a test injected this".to_owned());
        }
        sync()
    }

    /// Syncs what relaxed commits have left.
    #[cfg(not(feature = "conformance"))]
    pub(super) fn around_sync(&self, sync: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        sync()
    }

    /// Writes.
    #[cfg(not(feature = "conformance"))]
    pub(super) fn around(&self, write: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        write()
    }
}

#[cfg(feature = "conformance")]
impl RocksEngine {
    /// Makes the next group's write fail.
    pub fn fail_write(&self, fault: WriteFault) {
        *self.shared.hooks.fault.lock() = Some(fault);
    }

    /// Makes the next sync of relaxed commits fail.
    pub fn fail_sync(&self) {
        self.shared.hooks.sync_fails.store(true, Ordering::SeqCst);
    }
}

#[cfg(feature = "conformance")]
impl RocksEngine {
    /// Edits the stored bytes of an entry: its position, then its frame; `false` if there is none.
    pub fn tamper(&self, key: &Key, revision: u64, edit: impl FnOnce(&mut Vec<u8>)) -> bool {
        let Ok(db) = self.shared.access.db() else {
            return false;
        };
        let bytes = key.encode();
        let Ok(area) = db.area(Area::of(&bytes)) else {
            return false;
        };
        let stored_key = revision_key(&bytes, revision);
        let Ok(Some(mut stored)) = db.db.get_cf(area, &stored_key) else {
            return false;
        };
        edit(&mut stored);
        db.db.put_cf(area, stored_key, stored).is_ok()
    }

    /// Takes an entry out of the feed; `false` if that fails.
    pub fn forget_told(&self, partition: u16, scope: &Id, position: u64) -> bool {
        let Ok(db) = self.shared.access.db() else {
            return false;
        };
        let key = feed_key(partition, scope, position);
        db.area(Area::Feed).is_ok_and(|area| db.db.delete_cf(area, key).is_ok())
    }

    /// Writes what is in memory to tables; `false` if that fails.
    pub fn flush(&self) -> bool {
        let Ok(db) = self.shared.access.db() else {
            return false;
        };
        Area::ALL
            .iter()
            .all(|&area| db.area(area).is_ok_and(|area| db.db.flush_cf(area).is_ok()))
    }

    /// The tables on disk, by the name of their area and of their file.
    pub fn tables(&self) -> Vec<(String, String)> {
        let files = self.shared.access.db().ok().and_then(|db| db.db.live_files().ok());
        let files = files.unwrap_or_default().into_iter();
        files
            .map(|file| (file.column_family_name, file.name.trim_start_matches('/').to_owned()))
            .collect()
    }
}
