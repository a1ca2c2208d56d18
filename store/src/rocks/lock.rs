//! The lock file: one process has the folder, and its number can be read.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::RocksError;

/// The file's name in the store's folder.
pub(super) const LOCK_FILE: &str = "recto.lock";
/// A holder writes its number right after it has the lock: how often and how long to look.
const PID_TRIES: u32 = 20;
const PID_WAIT: Duration = Duration::from_millis(5);

/// A lock on a folder; the system takes it away from a process that dies.
pub(super) struct FolderLock {
    file: File,
}

impl FolderLock {
    pub(super) fn take(folder: &Path) -> Result<Self, RocksError> {
        let failed = |error: std::io::Error| RocksError::Folder {
            reason: error.to_string(),
        };
        let path = folder.join(LOCK_FILE);
        let mut open = OpenOptions::new();
        let mut file = open
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(RocksError::AlreadyOpen { pid: holder(&mut file) });
            }
            Err(error) => return Err(failed(error.into())),
        }
        let lock = Self { file };
        lock.write_pid().map_err(failed)?;
        Ok(lock)
    }

    fn write_pid(&self) -> std::io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        writeln!(file, "{}", std::process::id())
    }
}

impl Drop for FolderLock {
    /// Whoever looks now finds no stale number. The lock itself goes with the file.
    fn drop(&mut self) {
        if let Err(error) = self.file.set_len(0) {
            tracing::warn!(%error, "the lock file could not be emptied");
        }
    }
}

/// The number that the holder wrote, or is about to write.
fn holder(file: &mut File) -> Option<u32> {
    for attempt in 0..PID_TRIES {
        if attempt > 0 {
            std::thread::sleep(PID_WAIT);
        }
        let mut text = String::new();
        let read = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_string(&mut text));
        if read.is_ok() && text.ends_with('\n') {
            return text.trim().parse().ok();
        }
    }
    None
}
