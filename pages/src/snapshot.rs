//! Snapshots: when one is written, and what its bytes are. They are a cache: every read
//! checks them against the event of their version, and drops those that do not fit.

use std::sync::Arc;

use recto_projections::Value;
use recto_store::PageKey;

use crate::cache::Loaded;
use crate::service::Pages;

/// The first byte of a snapshot: zstd over the bytes of the value.
const FORMAT_ZSTD: u8 = 1;
/// zstd's level 1: 270 MB/s at almost the ratio of level 3.
const ZSTD_LEVEL: i32 = 1;
/// What an event holds beside its delta and inverse, by estimate.
const EVENT_BYTES: usize = 150;
/// The largest value that a snapshot holds, decompressed, in bytes.
const VALUE_BYTES_MAX: usize = 1 << 30;

/// When a snapshot is written: when the events since the last one outweigh it, but not
/// before `events_min`, and at the latest after `events_max`.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotPolicy {
    /// Fewer events than this are replayed faster than a snapshot is worth.
    pub events_min: u64,
    /// More events than this are never replayed in a row.
    pub events_max: u64,
}

impl Default for SnapshotPolicy {
    fn default() -> Self {
        Self {
            events_min: 256,
            events_max: 4096,
        }
    }
}

/// What came since a page's newest snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Events since then.
    pub events: u64,
    /// What they hold, in bytes.
    pub bytes: u64,
    /// The size of that snapshot, in bytes; 0 where there is none.
    pub snapshot_bytes: u64,
}

impl Tally {
    /// Counts an event by what it holds: to read it costs more than its delta alone.
    pub(crate) fn add(&mut self, delta_bytes: usize, inverse_bytes: usize) {
        self.events += 1;
        self.bytes += (delta_bytes + inverse_bytes + EVENT_BYTES) as u64;
    }
}

impl SnapshotPolicy {
    fn is_due(&self, tally: &Tally) -> bool {
        let outweighs = tally.bytes >= tally.snapshot_bytes;
        tally.events >= self.events_max || (tally.events >= self.events_min && outweighs)
    }
}

impl Pages {
    /// Writes a snapshot of this state behind the answer, where one is due. Returns the
    /// tally to go on with.
    pub(crate) fn snapshot_if_due(&self, page: &PageKey, loaded: &Loaded) -> Tally {
        if !self.settings().snapshots.is_due(&loaded.tally) {
            return loaded.tally;
        }
        // Whoever is writing one now is ahead; the next event asks again.
        let Ok(turn) = Arc::clone(self.snapshot_turn()).try_acquire_owned() else {
            return loaded.tally;
        };
        let (pages, page) = (self.clone(), page.clone());
        let (version, value) = (loaded.head.version, loaded.value.clone());
        let guess = u64::try_from(value.weight() / 3).unwrap_or(u64::MAX);
        tokio::spawn(async move {
            pages.write_snapshot(&page, version, value).await;
            drop(turn);
        });
        Tally {
            events: 0,
            bytes: 0,
            snapshot_bytes: guess,
        }
    }

    async fn write_snapshot(&self, page: &PageKey, version: u64, value: Value) {
        let encoded = tokio::task::spawn_blocking(move || encode(&value)).await;
        let written = match encoded {
            Ok(Ok(bytes)) => self
                .store()
                .put_snapshot(page, version, bytes.into())
                .await
                .map_err(|fault| fault.to_string()),
            Ok(Err(fault)) => Err(fault),
            Err(fault) => Err(fault.to_string()),
        };
        match written {
            Ok(()) => metrics::counter!("recto_snapshots_written_total").increment(1),
            Err(fault) => {
                tracing::warn!(page = %page.page, version, %fault, "no snapshot was written; reads of this page stay slower")
            }
        }
    }
}

/// Makes the bytes of a snapshot.
///
/// # Errors
/// A sentence, where the value is too large for one.
pub fn encode(value: &Value) -> Result<Vec<u8>, String> {
    let plain = value.to_bytes().map_err(|fault| fault.to_string())?;
    let packed = zstd::bulk::compress(&plain, ZSTD_LEVEL).map_err(|fault| fault.to_string())?;
    let length = u32::try_from(plain.len()).map_err(|_| "larger than a snapshot can be".to_owned())?;
    let mut bytes = Vec::with_capacity(packed.len() + 5);
    bytes.push(FORMAT_ZSTD);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&packed);
    Ok(bytes)
}

/// Reads a snapshot's bytes back, for tools that compare it with what the events make.
///
/// # Errors
/// A sentence that says what is wrong with them.
pub fn decode(bytes: &[u8]) -> Result<Value, String> {
    let (head, packed) = bytes.split_at_checked(5).ok_or("shorter than its head")?;
    if head[0] != FORMAT_ZSTD {
        return Err(format!("format {} is not known", head[0]));
    }
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if length > VALUE_BYTES_MAX {
        return Err(format!("says it holds {length} bytes; the limit is {VALUE_BYTES_MAX}"));
    }
    let plain = zstd::bulk::decompress(packed, length).map_err(|fault| fault.to_string())?;
    Value::from_bytes(&plain).map_err(|fault| fault.to_string())
}
