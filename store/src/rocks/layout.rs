//! Where entries lie in RocksDB, and the bytes of their keys and values. See `FORMAT.md`.

use bytes::Bytes;

use crate::codec::FrameError;
use crate::engine::{Entry, Fault, Place, ReadError};
use crate::id::{Id, PageKey};
use crate::keys::{Key, code, push_texts};

/// The bytes of a revision, a version or a position.
pub(super) const NUMBER_BYTES: usize = 8;
/// The key of a partition's tip begins with this; no key kind has this code.
const TIP: u8 = 0x80;

/// The areas (column families). A name is never used again for anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    Events,
    Records,
    Feed,
    Snapshots,
    Meta,
}

impl Area {
    pub(super) const ALL: [Self; 5] = [Self::Events, Self::Records, Self::Feed, Self::Snapshots, Self::Meta];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Records => "records",
            Self::Feed => "feed",
            Self::Snapshots => "snapshots",
            Self::Meta => "meta",
        }
    }

    /// The area of an encoded key.
    pub(super) fn of(key: &[u8]) -> Self {
        match key.first() {
            Some(&code::EVENT) => Self::Events,
            Some(&code::META) | None => Self::Meta,
            Some(_) => Self::Records,
        }
    }
}

/// The key of one revision: the key's bytes, then the revision.
pub(super) fn revision_key(key: &[u8], revision: u64) -> Vec<u8> {
    [key, &revision.to_be_bytes()].concat()
}

/// Takes a revision's key apart.
pub(super) fn split_revision(key: &[u8]) -> Option<(&[u8], u64)> {
    let (key, revision) = key.split_last_chunk::<NUMBER_BYTES>()?;
    Some((key, u64::from_be_bytes(*revision)))
}

/// Writes the value of an entry: its position, then what was put.
pub(super) fn write_value(out: &mut Vec<u8>, position: u64, value: &[u8]) {
    out.clear();
    out.extend_from_slice(&position.to_be_bytes());
    out.extend_from_slice(value);
}

/// Reads an entry from its stored value, without copying it.
pub(super) fn entry(key: &Key, revision: u64, stored: Bytes) -> Result<Entry, ReadError> {
    match stored.split_first_chunk::<NUMBER_BYTES>() {
        Some((position, _)) => {
            let position = u64::from_be_bytes(*position);
            Ok(Entry {
                revision,
                position,
                value: stored.slice(NUMBER_BYTES..),
            })
        }
        None => Err(ReadError::corrupt(
            Place::of(key, revision),
            Fault::Frame(FrameError::Length),
        )),
    }
}

/// The key of a feed entry: partition, scope, position.
pub(super) fn feed_key(partition: u16, scope: &Id, position: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(2 + scope.as_str().len() + 1 + NUMBER_BYTES);
    key.extend_from_slice(&partition.to_be_bytes());
    push_texts(&mut key, &[scope.as_str()]);
    key.extend_from_slice(&position.to_be_bytes());
    key
}

/// The position of a feed entry.
pub(super) fn feed_position(key: &[u8]) -> Option<u64> {
    split_revision(key).map(|(_, position)| position)
}

/// Writes the value of a feed entry: the version, then the page.
pub(super) fn write_feed_value(out: &mut Vec<u8>, page: &PageKey, version: u64) {
    out.clear();
    out.extend_from_slice(&version.to_be_bytes());
    out.extend_from_slice(page.page.as_str().as_bytes());
}

/// Reads the value of a feed entry.
pub(super) fn feed_value(scope: &Id, value: &[u8]) -> Option<(PageKey, u64)> {
    let (version, page) = value.split_first_chunk::<NUMBER_BYTES>()?;
    let page = Id::new(std::str::from_utf8(page).ok()?).ok()?;
    Some((PageKey::new(scope.clone(), page), u64::from_be_bytes(*version)))
}

/// The key of a partition's tip in the area `meta`.
pub(super) fn tip_key(partition: u16) -> [u8; 3] {
    let [high, low] = partition.to_be_bytes();
    [TIP, high, low]
}

/// Reads a number stored alone.
pub(super) fn number(value: &[u8]) -> Option<u64> {
    value.try_into().ok().map(u64::from_be_bytes)
}

/// The first bytes behind every key that begins with `prefix`; `None` is the end of all keys.
pub(super) fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut end = prefix.get(..=last)?.to_vec();
    if let Some(byte) = end.last_mut() {
        *byte += 1;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix() {
        assert_eq!(after_prefix(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(after_prefix(&[1, 255]), Some(vec![2]));
        assert_eq!(after_prefix(&[255]), None);
    }
}
