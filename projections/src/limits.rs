//! Every limit on values and deltas, by name.

/// The most bytes an id (of a node or a background) may have.
pub const ID_MAX_BYTES: usize = 128;
/// The most bytes a node's or background's type may have.
pub const TYPE_MAX_BYTES: usize = 128;
/// The most nodes a page may hold after a delta.
pub const NODES_MAX: usize = 250_000;
/// The most backgrounds a page may hold.
pub const BACKGROUNDS_MAX: usize = 1_000;
/// The most files a CODE page may hold.
pub const FILES_MAX: usize = 100_000;
/// The most operations in one delta: enough to put every node of a full page in place and to set it, or to replace them all.
pub const OPS_MAX: usize = 4 * NODES_MAX;
/// The most bytes a JSON pointer may have.
pub const POINTER_MAX_BYTES: usize = 8_192;
/// The deepest nesting of free JSON (properties, attributes, a sheet): below the 127 that common parsers take, so that
/// the whole page, with what is wrapped around the free JSON, can still be parsed.
pub const JSON_DEPTH_MAX: usize = 112;
/// The most bytes a key of a JSON object may have.
pub const KEY_MAX_BYTES: usize = 1_024;
/// The most bytes one string may have: a property, a file, an insert.
pub const STRING_MAX_BYTES: usize = 32 << 20;
/// The most UTF-16 units the text of a DOC page or of a file may have.
pub const TEXT_MAX_UNITS: usize = 32 << 20;
/// The most bytes the text of a number of a geometry may have.
pub const NUMBER_MAX_BYTES: usize = 64;
/// The most bytes the path of a file may have.
pub const PATH_MAX_BYTES: usize = 1_024;
/// An order key longer than this many bytes wants a rebalance of its siblings.
pub const ORDER_KEY_REBALANCE_BYTES: usize = 64;
/// The most bytes an order key may have.
pub const ORDER_KEY_MAX_BYTES: usize = 4_096;
/// The most bytes a stored value or delta may take, in memory too: a decoder refuses what claims more.
pub const STORED_MAX_BYTES: usize = 256 << 20;
