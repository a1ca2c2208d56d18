//! Every limit of the log, as a named constant. Each stands in the error that enforces it.

/// The longest identifier, in bytes of UTF-8.
pub const ID_MAX_BYTES: usize = 128;
/// The longest record key, in bytes: three identifiers and their separators fit.
pub const RECORD_KEY_MAX_BYTES: usize = 512;
/// The largest event: delta, inverse and all its other fields, as stored.
pub const EVENT_MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most events in one append.
pub const BATCH_MAX_EVENTS: usize = 1_000;
/// The most bytes in one append: events, receipt and records together.
pub const BATCH_MAX_BYTES: usize = 32 * 1024 * 1024;
/// The most records written with one append.
pub const BATCH_MAX_RECORDS: usize = 256;
/// The largest value of a record.
pub const RECORD_MAX_BYTES: usize = 1024 * 1024;
/// The largest answer that a receipt can keep.
pub const OUTCOME_MAX_BYTES: usize = 64 * 1024;
/// The longest name of an actor or a turn, in bytes of UTF-8.
pub const NAME_MAX_BYTES: usize = 256;
/// The largest snapshot, as handed over (compressed by the caller).
pub const SNAPSHOT_MAX_BYTES: usize = 256 * 1024 * 1024;
/// The most entries that one read returns, whatever its limit says.
pub const READ_MAX_ENTRIES: usize = 10_000;
/// How many live feed entries a subscriber may lag behind before it has to read the log.
pub const LIVE_ENTRIES: usize = 4_096;
/// Larger values are not carried by the live feed: the subscriber reads them from the log.
pub const LIVE_VALUE_MAX_BYTES: usize = 16 * 1024;
/// How many page heads the log keeps in memory.
pub const HEADS_CACHED: usize = 65_536;
/// The number of partitions of a store in one process. Fixed when the store is made.
pub const PARTITIONS: u16 = 1;
