//! Events: what a caller appends, and what is read back.

use bytes::Bytes;

use crate::id::Id;

/// An event to append. The log adds version, position, command and hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// What sort of event it is; the caller's code.
    pub kind: u8,
    /// The schema of `delta` and `inverse`; the caller's number.
    pub schema: u16,
    /// When it happened, in milliseconds since 1970, by the caller's clock.
    pub time_ms: i64,
    /// Who acted: at most [`NAME_MAX_BYTES`](crate::limits::NAME_MAX_BYTES).
    pub actor: String,
    /// The turn it belongs to: at most [`NAME_MAX_BYTES`](crate::limits::NAME_MAX_BYTES).
    pub turn: Option<String>,
    /// The version of the page that it answers to, and how.
    pub cause: Option<Cause>,
    /// The page's epoch after the event; the caller's number.
    pub epoch: u64,
    /// The caller's bits.
    pub flags: u32,
    /// The change, opaque.
    pub delta: Bytes,
    /// The delta that takes it back, opaque.
    pub inverse: Bytes,
    /// The digest of the state that the event makes.
    pub digest: [u8; 32],
}

/// Why an event happened: it undoes, redoes, restores … a version of the same page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The caller's code.
    pub kind: u8,
    /// The version that it refers to.
    pub version: u64,
}

/// An event as it stands in a page's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the page: 1, 2, 3, …
    pub version: u64,
    /// Its place in the feed.
    pub position: u64,
    /// The command that appended it.
    pub command: Id,
    /// The hash of the event before it; zeros for the first.
    pub prev_hash: [u8; 32],
    /// Its own hash, computed from the stored bytes when it was read.
    pub hash: [u8; 32],
    /// What sort of event it is; the caller's code.
    pub kind: u8,
    /// The schema of `delta` and `inverse`; the caller's number.
    pub schema: u16,
    /// When it happened, in milliseconds since 1970, by the caller's clock.
    pub time_ms: i64,
    /// Who acted.
    pub actor: String,
    /// The turn it belongs to.
    pub turn: Option<String>,
    /// The version of the page that it answers to, and how.
    pub cause: Option<Cause>,
    /// The page's epoch after the event.
    pub epoch: u64,
    /// The caller's bits.
    pub flags: u32,
    /// The change, opaque. It shares the buffer that was read.
    pub delta: Bytes,
    /// The delta that takes it back, opaque. It shares the buffer that was read.
    pub inverse: Bytes,
    /// The digest of the state that the event makes.
    pub digest: [u8; 32],
}

impl Event {
    /// The page's head, were this its newest event.
    #[must_use]
    pub const fn head(&self) -> Head {
        Head {
            version: self.version,
            position: self.position,
            hash: self.hash,
            epoch: self.epoch,
            time_ms: self.time_ms,
        }
    }
}

/// The newest version of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The version.
    pub version: u64,
    /// Its place in the feed.
    pub position: u64,
    /// The hash of its event: it stands for the whole history.
    pub hash: [u8; 32],
    /// The page's epoch.
    pub epoch: u64,
    /// When it happened, in milliseconds since 1970.
    pub time_ms: i64,
}
