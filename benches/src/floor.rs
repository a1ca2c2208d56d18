//! The floor: what the disk and the engine cost when nothing of Recto is there.
//!
//! A figure of Recto is worth something only beside these, taken in the same minute.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use rocksdb::{DB, Options, WriteBatch, WriteOptions};
use tokio::sync::{mpsc, oneshot};

/// The size of the raw append that F is measured with.
pub const RAW_APPEND_BYTES: usize = 4096;

/// How many jobs wait before a sender has to: as many as there are clients at most.
const QUEUE: usize = 1024;
/// The most bytes that the bare writer puts into one group.
const GROUP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// F: an append of 4 KiB to a file, and `fdatasync`.
#[derive(Debug)]
pub struct RawFile {
    file: File,
    block: Vec<u8>,
}

/// Synced batches, written straight to RocksDB.
pub struct RawRocks {
    db: DB,
    sync: WriteOptions,
    next: u64,
}

/// A thread that puts what it is given into RocksDB, in groups as large as its queue, and
/// answers after the sync: group commit with nothing else.
///
/// A clone is another handle to the same thread, which ends with the last of them: whoever drops that one waits for it,
/// so that no process ends with RocksDB at work.
#[derive(Clone, Debug)]
pub struct BareWriter {
    // Dropped in this order: without a sender the thread ends.
    jobs: mpsc::Sender<Job>,
    _thread: Arc<Joined>,
}

#[derive(Debug)]
struct Joined(Option<JoinHandle<()>>);

#[derive(Debug)]
struct Job {
    values: Vec<Vec<u8>>,
    done: oneshot::Sender<()>,
}

impl RawFile {
    /// Makes a file in a folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("floor"))?;
        Ok(Self {
            file,
            block: vec![0x5a; RAW_APPEND_BYTES],
        })
    }

    /// Appends one block, and syncs.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn append(&mut self) -> io::Result<()> {
        self.file.write_all(&self.block)?;
        self.file.sync_data()
    }
}

impl RawRocks {
    /// Makes a database in a folder.
    ///
    /// # Errors
    /// RocksDB's.
    pub fn create(folder: &Path) -> Result<Self, rocksdb::Error> {
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_max_background_jobs(2);
        let mut sync = WriteOptions::default();
        sync.set_sync(true);
        Ok(Self {
            db: DB::open(&options, folder.join("raw-rocks"))?,
            sync,
            next: 0,
        })
    }

    /// Writes values under fresh rising keys in one batch, and syncs.
    ///
    /// # Errors
    /// RocksDB's.
    pub fn write<'a>(&mut self, values: impl IntoIterator<Item = &'a [u8]>) -> Result<(), rocksdb::Error> {
        let mut batch = WriteBatch::default();
        self.put_all(&mut batch, values);
        self.db.write_opt(batch, &self.sync)
    }

    fn put_all<'a>(&mut self, batch: &mut WriteBatch, values: impl IntoIterator<Item = &'a [u8]>) {
        for value in values {
            self.next += 1;
            // As long as a key of Recto: kind, scope, page, revision.
            let mut key = *b"e\0\0\0workspace-0\0page-000\0\0\0\0\0\0\0\0\0";
            key[24..32].copy_from_slice(&self.next.to_be_bytes());
            batch.put(key, value);
        }
    }
}

impl BareWriter {
    /// Starts the thread on a database.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(mut rocks: RawRocks) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("bare-writer".to_owned())
            .spawn(move || serve(&mut rocks, queue))?;
        Ok(Self {
            jobs,
            _thread: Arc::new(Joined(Some(thread))),
        })
    }

    /// Writes values and waits until they are on the disk. False: the writer is gone.
    pub async fn write(&self, values: Vec<Vec<u8>>) -> bool {
        let (done, answer) = oneshot::channel();
        self.jobs.send(Job { values, done }).await.is_ok() && answer.await.is_ok()
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            drop(thread.join());
        }
    }
}

fn serve(rocks: &mut RawRocks, mut queue: mpsc::Receiver<Job>) {
    let mut group = Vec::with_capacity(QUEUE);
    while let Some(first) = queue.blocking_recv() {
        group.push(first);
        let mut bytes = 0;
        while bytes < GROUP_BYTES_MAX {
            let Ok(job) = queue.try_recv() else { break };
            bytes += job.values.iter().map(Vec::len).sum::<usize>();
            group.push(job);
        }
        let values = group.iter().flat_map(|job| job.values.iter().map(Vec::as_slice));
        if rocks.write(values).is_err() {
            return;
        }
        for job in group.drain(..) {
            // A client that went away needs no answer.
            let _ = job.done.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn the_bare_writer_answers_everybody() {
        let folder = tempfile::tempdir().unwrap();
        let writer = BareWriter::start(RawRocks::create(folder.path()).unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
        let answers = runtime.block_on(async {
            let writes = (0..8u8).map(|client| writer.write(vec![vec![client; 100]]));
            futures::future::join_all(writes).await
        });
        assert_eq!(answers, [true; 8]);
    }
}
