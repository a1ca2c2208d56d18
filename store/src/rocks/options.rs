//! How RocksDB is set up. Every value has its reason; most were paid for by somebody.

use std::time::Duration;

use rocksdb::{BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, Options, ReadOptions, WriteOptions};

use super::layout::Area;
use crate::engine::Durability;

/// Memory for blocks, indexes and filters of all areas, unless set otherwise.
const BLOCK_CACHE_BYTES: usize = 256 * MIB;
/// Unflushed writes of all areas together.
const WRITE_BUFFERS_BYTES: usize = 128 * MIB;
/// Unflushed writes of each area.
const EVENTS_BUFFER_BYTES: usize = 64 * MIB;
const RECORDS_BUFFER_BYTES: usize = 16 * MIB;
const FEED_BUFFER_BYTES: usize = 16 * MIB;
const SNAPSHOTS_BUFFER_BYTES: usize = 32 * MIB;
const META_BUFFER_BYTES: usize = MIB;
/// Bounds the time that recovery takes: small areas would otherwise pin old logs.
const WAL_TOTAL_BYTES: u64 = 256 * 1024 * 1024;
/// Smooths the writing of tables. The log is synced anyway.
const TABLE_BYTES_PER_SYNC: u64 = 1024 * 1024;
/// Scanned areas have larger blocks than those that are read by the point.
const SCAN_BLOCK_BYTES: usize = 16 * 1024;
const POINT_BLOCK_BYTES: usize = 4 * 1024;
/// One in a hundred absent keys costs a read. "No such page", "no such command" and "nothing
/// behind the head" are absent keys.
const BLOOM_BITS: f64 = 10.0;
/// The part of a write buffer that its filter takes.
const MEMTABLE_BLOOM_RATIO: f64 = 0.05;
/// One flush and one compaction: two cores.
const BACKGROUND_JOBS: i32 = 2;
const COMPACTION_THREADS: u32 = 1;
/// With -1 every table would be opened at the start.
const OPEN_FILES: i32 = 512;
/// RocksDB's text logs pile up otherwise.
const TEXT_LOGS: usize = 5;
const TEXT_LOG_BYTES: usize = 16 * MIB;
/// How long a relaxed acknowledgement may stay unsynced.
const RELAXED_SYNC_EVERY: Duration = Duration::from_millis(100);

const MIB: usize = 1024 * 1024;

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RocksOptions {
    relaxed: bool,
    block_cache_bytes: usize,
    relaxed_sync_every: Duration,
}

/// How a reader takes a log that is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It refuses: what it shows is all that was acknowledged.
    Strict,
    /// It shows what is left: what stood behind the damage in the log may be missing.
    Salvage,
}

impl RocksOptions {
    /// Everything acknowledged is synced.
    #[must_use]
    pub const fn synced() -> Self {
        Self {
            relaxed: false,
            block_cache_bytes: BLOCK_CACHE_BYTES,
            relaxed_sync_every: RELAXED_SYNC_EVERY,
        }
    }

    /// Acknowledged before it is synced: a power cut loses up to the last 100 ms, a crash of the
    /// process nothing.
    #[must_use]
    pub const fn relaxed() -> Self {
        Self {
            relaxed: true,
            ..Self::synced()
        }
    }

    /// Sets the memory for blocks, indexes and filters.
    #[must_use]
    pub const fn with_block_cache_bytes(self, bytes: usize) -> Self {
        Self {
            block_cache_bytes: bytes,
            ..self
        }
    }

    /// Sets how long a relaxed acknowledgement may stay unsynced.
    #[must_use]
    pub const fn with_relaxed_sync_every(self, every: Duration) -> Self {
        Self {
            relaxed_sync_every: every,
            ..self
        }
    }

    /// What an acknowledgement promises.
    #[must_use]
    pub const fn durability(&self) -> Durability {
        if self.relaxed {
            Durability::Relaxed
        } else {
            Durability::Synced
        }
    }

    /// The cache that all areas share.
    pub(super) fn cache(&self) -> Cache {
        Cache::new_lru_cache(self.block_cache_bytes)
    }

    pub(super) const fn relaxed_sync_every(&self) -> Duration {
        self.relaxed_sync_every
    }
}

impl Default for RocksOptions {
    fn default() -> Self {
        Self::synced()
    }
}

/// The options of the database as a whole.
pub(super) fn database() -> Options {
    let mut database = Options::default();
    database.create_if_missing(true);
    database.create_missing_column_families(true);

    // A torn tail is what a crash leaves; anything else is damage. The default silently drops
    // acknowledged records behind a corrupt one, the strictest refuses to open after SIGKILL.
    database.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    database.set_track_and_verify_wals_in_manifest(true);
    database.set_recycle_log_file_num(0);
    database.set_manual_wal_flush(false);
    database.set_wal_bytes_per_sync(0);
    database.set_paranoid_checks(true);
    database.set_use_fsync(false);
    // Every write uses the log, so replaying it keeps the areas together.
    database.set_atomic_flush(false);
    // One writer thread has nothing to pipeline or to reorder.
    database.set_unordered_write(false);
    database.set_enable_pipelined_write(false);

    database.set_max_total_wal_size(WAL_TOTAL_BYTES);
    database.set_db_write_buffer_size(WRITE_BUFFERS_BYTES);
    database.set_bytes_per_sync(TABLE_BYTES_PER_SYNC);
    database.set_max_background_jobs(BACKGROUND_JOBS);
    database.set_max_subcompactions(COMPACTION_THREADS);
    database.set_max_open_files(OPEN_FILES);
    database.set_keep_log_file_num(TEXT_LOGS);
    database.set_max_log_file_size(TEXT_LOG_BYTES);
    database
}

/// The options of a database that is only read, beside whoever writes it.
pub(super) fn reader(reading: Reading) -> Options {
    let mut database = Options::default();
    let (recovery, verified) = match reading {
        Reading::Strict => (DBRecoveryMode::TolerateCorruptedTailRecords, true),
        Reading::Salvage => (DBRecoveryMode::SkipAnyCorruptedRecord, false),
    };
    database.set_wal_recovery_mode(recovery);
    // Notices a log that the writer dropped while it was being opened.
    database.set_track_and_verify_wals_in_manifest(verified);
    database.set_paranoid_checks(reading == Reading::Strict);
    // Every table is open from the start, so that the writer can drop it.
    database.set_max_open_files(-1);
    database
}

/// The options of one area.
///
/// There is no prefix filter: since revisions are dense from 1, "no such key" is "no revision 1",
/// which the filter of whole keys answers; and without a prefix extractor every scan is in total
/// order.
pub(super) fn area(area: Area, cache: &Cache) -> Options {
    let mut options = Options::default();
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(cache);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    blocks.set_block_size(if area == Area::Records {
        POINT_BLOCK_BYTES
    } else {
        SCAN_BLOCK_BYTES
    });
    if matches!(area, Area::Events | Area::Records) {
        blocks.set_bloom_filter(BLOOM_BITS, false);
        blocks.set_whole_key_filtering(true);
        options.set_memtable_whole_key_filtering(true);
        options.set_memtable_prefix_bloom_ratio(MEMTABLE_BLOOM_RATIO);
    }
    options.set_block_based_table_factory(&blocks);
    options.set_write_buffer_size(buffer_bytes(area));
    let (compression, bottommost) = compression(area);
    options.set_compression_type(compression);
    options.set_bottommost_compression_type(bottommost);
    options
}

/// How commits are written.
pub(super) fn write(durability: Durability) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.set_sync(durability == Durability::Synced);
    options
}

/// How derived things are written: never synced, and after everything else.
pub(super) fn write_derived() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.set_sync(false);
    options.set_low_pri(true);
    options
}

/// Reading from `from` up to, not including, `to`: a scan always has both bounds.
pub(super) fn between(from: Vec<u8>, to: Vec<u8>) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.set_iterate_range(from..to);
    options
}

const fn buffer_bytes(area: Area) -> usize {
    match area {
        Area::Events => EVENTS_BUFFER_BYTES,
        Area::Records => RECORDS_BUFFER_BYTES,
        Area::Feed => FEED_BUFFER_BYTES,
        Area::Snapshots => SNAPSHOTS_BUFFER_BYTES,
        Area::Meta => META_BUFFER_BYTES,
    }
}

/// Snapshots come compressed from the caller.
const fn compression(area: Area) -> (DBCompressionType, DBCompressionType) {
    match area {
        Area::Snapshots => (DBCompressionType::None, DBCompressionType::None),
        _ => (DBCompressionType::Lz4, DBCompressionType::Zstd),
    }
}
