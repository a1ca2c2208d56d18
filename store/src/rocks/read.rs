//! Reading one key: points, histories forwards and backwards, the tip.

use bytes::Bytes;
use rocksdb::{Direction, IteratorMode};

use super::db::{Db, read_error};
use super::layout::{Area, entry, number, revision_key, split_revision, tip_key};
use super::options;
use crate::engine::check::{Meter, dense, dense_back};
use crate::engine::{Entry, Fault, Limit, Place, ReadError};
use crate::keys::Key;

/// The newest entry of a key.
pub(super) fn last(db: &Db, key: &Key) -> Result<Option<Entry>, ReadError> {
    let bytes = key.encode();
    // A filter answers this for a key that was never written.
    if !exists(db, key, &bytes, 1)? {
        return Ok(None);
    }
    newest(db, key, &bytes)
}

/// One entry of a key.
pub(super) fn get(db: &Db, key: &Key, revision: u64) -> Result<Option<Entry>, ReadError> {
    let bytes = key.encode();
    let stored = db.db.get_cf(db.area(Area::of(&bytes))?, revision_key(&bytes, revision));
    let stored = stored.map_err(|error| read_error(|| Place::of(key, revision), error))?;
    stored
        .map(|stored| entry(key, revision, Bytes::from(stored)))
        .transpose()
}

/// The entries behind `after`, in order, without a hole.
pub(super) fn history(db: &Db, key: &Key, after: u64, limit: Limit) -> Result<Vec<Entry>, ReadError> {
    let entries = collect(db, key, after.saturating_add(1), u64::MAX, Direction::Forward, limit)?.0;
    dense(key, after, &entries)?;
    Ok(entries)
}

/// The entries in front of `before`, newest first, without a hole.
pub(super) fn history_back(db: &Db, key: &Key, before: u64, limit: Limit) -> Result<Vec<Entry>, ReadError> {
    let (entries, reached_end) = collect(db, key, 1, before, Direction::Reverse, limit)?;
    let newest = entries.first().map_or(0, |entry| entry.revision);
    if newest < before.saturating_sub(1) && limit.entries > 0 && exists(db, key, &key.encode(), before)? {
        return Err(ReadError::corrupt(Place::of(key, before - 1), Fault::Missing));
    }
    dense_back(key, &entries, reached_end)?;
    Ok(entries)
}

/// The newest position of a partition.
pub(super) fn tip(db: &Db, partition: u16) -> Result<u64, ReadError> {
    let damaged = |fault| ReadError::corrupt(Place::Feed { partition, position: 0 }, fault);
    let stored = db.db.get_pinned_cf(db.area(Area::Meta)?, tip_key(partition));
    let stored = stored.map_err(|error| {
        read_error(
            || Place::Area {
                name: Area::Meta.name(),
            },
            error,
        )
    })?;
    match stored {
        Some(bytes) => number(&bytes).ok_or_else(|| damaged(Fault::Key)),
        None => Ok(0),
    }
}

/// Whether a key's last revision is exactly this. Revisions are dense from 1, so two looks tell.
pub(super) fn is_last(db: &Db, key: &Key, bytes: &[u8], revision: u64) -> Result<bool, ReadError> {
    let next = revision.saturating_add(1);
    Ok(!exists(db, key, bytes, next)? && (revision == 0 || exists(db, key, bytes, revision)?))
}

/// A key's last revision; 0 where it is absent.
pub(super) fn last_revision(db: &Db, key: &Key, bytes: &[u8]) -> Result<u64, ReadError> {
    Ok(newest(db, key, bytes)?.map_or(0, |entry| entry.revision))
}

fn exists(db: &Db, key: &Key, bytes: &[u8], revision: u64) -> Result<bool, ReadError> {
    let found = db
        .db
        .get_pinned_cf(db.area(Area::of(bytes))?, revision_key(bytes, revision));
    Ok(found
        .map_err(|error| read_error(|| Place::of(key, revision), error))?
        .is_some())
}

fn newest(db: &Db, key: &Key, bytes: &[u8]) -> Result<Option<Entry>, ReadError> {
    let bounds = options::between(revision_key(bytes, 1), revision_key(bytes, u64::MAX));
    let mut entries = db
        .db
        .iterator_cf_opt(db.area(Area::of(bytes))?, bounds, IteratorMode::End);
    let Some(found) = entries.next() else {
        return Ok(None);
    };
    let (stored_key, value) = found.map_err(|error| read_error(|| Place::of(key, 0), error))?;
    let (_, revision) = split_revision(&stored_key).ok_or_else(|| ReadError::corrupt(Place::of(key, 0), Fault::Key))?;
    entry(key, revision, Bytes::from(value)).map(Some)
}

/// The entries from `from` up to, not including, `to`, in a direction; and whether the scan came
/// to its end.
fn collect(
    db: &Db,
    key: &Key,
    from: u64,
    to: u64,
    direction: Direction,
    limit: Limit,
) -> Result<(Vec<Entry>, bool), ReadError> {
    let bytes = key.encode();
    let bounds = options::between(revision_key(&bytes, from), revision_key(&bytes, to.max(from)));
    let mode = match direction {
        Direction::Forward => IteratorMode::Start,
        Direction::Reverse => IteratorMode::End,
    };
    let mut meter = Meter::new(limit);
    let mut entries = Vec::new();
    for found in db.db.iterator_cf_opt(db.area(Area::of(&bytes))?, bounds, mode) {
        let near = entries.last().map_or(from, |entry: &Entry| entry.revision);
        let (stored_key, value) = found.map_err(|error| read_error(|| Place::of(key, near), error))?;
        let (_, revision) =
            split_revision(&stored_key).ok_or_else(|| ReadError::corrupt(Place::of(key, near), Fault::Key))?;
        let entry = entry(key, revision, Bytes::from(value))?;
        if !meter.takes(entry.value.len()) {
            return Ok((entries, false));
        }
        entries.push(entry);
    }
    Ok((entries, true))
}
