//! Where a page's stream stands, and the base that a write names.

use recto_store::Head;

/// The version a write was made from, with the epoch it was read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// The version, from 1.
    pub version: u64,
    /// The epoch; a restore raises it.
    pub epoch: u64,
}

/// Where a page's stream stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadInfo {
    /// The newest version.
    pub version: u64,
    /// How often the page was restored to an earlier version.
    pub epoch: u64,
    /// The place of the newest event in the feed.
    pub position: u64,
    /// When the newest event was made, in ms since 1970.
    pub time_ms: i64,
    /// The hash of the newest event: it covers the page's whole history.
    pub hash: [u8; 32],
}

impl HeadInfo {
    /// The base of a write that was made from this head.
    #[must_use]
    pub fn base(&self) -> Base {
        Base {
            version: self.version,
            epoch: self.epoch,
        }
    }
}

impl From<Head> for HeadInfo {
    fn from(head: Head) -> Self {
        Self {
            version: head.version,
            epoch: head.epoch,
            position: head.position,
            time_ms: head.time_ms,
            hash: head.hash,
        }
    }
}
