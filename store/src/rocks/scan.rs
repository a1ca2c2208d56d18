//! Reading over many keys: the feed of a scope, the keys of a prefix.

use bytes::Bytes;
use rocksdb::{Direction, IteratorMode, ReadOptions};

use super::db::{Db, read_error};
use super::layout::{Area, after_prefix, entry, feed_key, feed_position, feed_value, revision_key, split_revision};
use super::{options, read};
use crate::engine::check::Meter;
use crate::engine::{Entry, Fault, FeedEntry, Limit, Place, ReadError};
use crate::id::{Id, PageKey};
use crate::keys::{Key, KeyPrefix};

/// How many events of the feed are fetched at once: few at first, more while they are small.
const FETCH_MIN: usize = 4;
const FETCH_MAX: usize = 128;
const FETCH_BYTES: usize = 256 * 1024;
/// After so many revisions of one key the scan jumps to the next key.
const JUMP_AFTER: usize = 4;

/// A line of the feed: the event that stands at a position.
struct Line {
    position: u64,
    page: PageKey,
    version: u64,
}

/// The events of a scope behind a position, in commit order.
pub(super) fn feed(db: &Db, partition: u16, scope: &Id, after: u64, limit: Limit) -> Result<Vec<FeedEntry>, ReadError> {
    let from = feed_key(partition, scope, after.saturating_add(1));
    let bounds = options::between(from, feed_key(partition, scope, u64::MAX));
    let mut lines = db.db.iterator_cf_opt(db.area(Area::Feed)?, bounds, IteratorMode::Start);
    let mut meter = Meter::new(limit);
    let mut found = Vec::new();
    let mut fetched_at_once = FETCH_MIN;
    loop {
        let mut chunk = Vec::new();
        for line in lines.by_ref().take(fetched_at_once.min(limit.entries - found.len())) {
            let near = Place::Feed {
                partition,
                position: after,
            };
            let (key, value) = line.map_err(|error| read_error(|| near.clone(), error))?;
            chunk.push(parse(scope, &key, &value).ok_or_else(|| ReadError::corrupt(near, Fault::Key))?);
        }
        if chunk.is_empty() {
            return Ok(found);
        }
        let mut bytes = 0;
        for entry in fetch(db, partition, chunk)? {
            let size = entry.value.as_ref().map_or(0, Bytes::len);
            if !meter.takes(size) {
                return Ok(found);
            }
            bytes += size;
            found.push(entry);
        }
        fetched_at_once = if bytes < FETCH_BYTES {
            FETCH_MAX.min(2 * fetched_at_once)
        } else {
            FETCH_MIN
        };
    }
}

/// The keys of a prefix behind `after`, in order, each with its newest entry.
pub(super) fn latest(
    db: &Db,
    prefix: &KeyPrefix,
    after: Option<&Key>,
    limit: usize,
) -> Result<Vec<(Key, Entry)>, ReadError> {
    let prefix = prefix.encode();
    let area = Area::of(&prefix);
    let mut found: Vec<(Key, Entry)> = Vec::new();
    let from = after.map_or_else(Vec::new, |key| revision_key(&key.encode(), u64::MAX));
    let mut bounds = ReadOptions::default();
    bounds.set_iterate_lower_bound(from.max(prefix.clone()));
    if let Some(end) = after_prefix(&prefix) {
        bounds.set_iterate_upper_bound(end);
    }
    let damaged = |fault| ReadError::corrupt(Place::Area { name: area.name() }, fault);
    let mut entries = db.db.iterator_cf_opt(db.area(area)?, bounds, IteratorMode::Start);
    let mut repeated = 0;
    while let Some(next) = entries.next() {
        let (stored_key, value) = next.map_err(|error| read_error(|| Place::Area { name: area.name() }, error))?;
        let (bytes, revision) = split_revision(&stored_key).ok_or_else(|| damaged(Fault::Key))?;
        let key = Key::decode(bytes).ok_or_else(|| damaged(Fault::Key))?;
        let entry = entry(&key, revision, Bytes::from(value))?;
        if let Some((_, newest)) = found.last_mut().filter(|(known, _)| *known == key) {
            *newest = entry;
            repeated += 1;
            if repeated == JUMP_AFTER {
                if let Some(last) = read::last(db, &key)? {
                    *newest = last;
                }
                entries.set_mode(IteratorMode::From(&revision_key(bytes, u64::MAX), Direction::Forward));
            }
        } else if found.len() == limit {
            break;
        } else {
            found.push((key, entry));
            repeated = 0;
        }
    }
    Ok(found)
}

fn parse(scope: &Id, key: &[u8], value: &[u8]) -> Option<Line> {
    let (page, version) = feed_value(scope, value)?;
    Some(Line {
        position: feed_position(key)?,
        page,
        version,
    })
}

/// Fetches the events that lines of the feed name; each must be there, at its position.
fn fetch(db: &Db, partition: u16, lines: Vec<Line>) -> Result<Vec<FeedEntry>, ReadError> {
    let keys: Vec<Vec<u8>> = lines
        .iter()
        .map(|line| revision_key(&Key::event(&line.page).encode(), line.version))
        .collect();
    let stored = db.db.batched_multi_get_cf(db.area(Area::Events)?, &keys, false);
    let mut entries = Vec::with_capacity(lines.len());
    for (line, stored) in lines.into_iter().zip(stored) {
        let key = Key::event(&line.page);
        let place = || Place::of(&key, line.version);
        let stored = stored.map_err(|error| read_error(place, error))?;
        let stored = stored.ok_or_else(|| ReadError::corrupt(place(), Fault::Missing))?;
        let Entry {
            revision,
            position,
            value,
        } = entry(&key, line.version, Bytes::copy_from_slice(&stored))?;
        if position != line.position {
            return Err(ReadError::corrupt(
                Place::Feed {
                    partition,
                    position: line.position,
                },
                Fault::Disagrees,
            ));
        }
        entries.push(FeedEntry {
            partition,
            position,
            page: line.page,
            revision,
            value: Some(value),
        });
    }
    Ok(entries)
}
