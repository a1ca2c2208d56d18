//! Hooks for tests: a write that fails, a stored value that changes.

#[cfg(feature = "conformance")]
use parking_lot::Mutex;

#[cfg(feature = "conformance")]
use super::RocksEngine;

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
}
