//! What every engine checks alike: the shape of a commit, the density of what was read.

use super::{Entry, Fault, Guard, Limit, Place, Put, ReadError, Rejection};
use crate::keys::Key;
use crate::limits::BATCH_MAX_BYTES;

/// Checks a commit's shape and tells the revision that each put will get: its guard's and up.
///
/// # Errors
/// [`Rejection`], where the commit can never be taken.
pub(crate) fn revisions(guards: &[Guard], puts: &[Put]) -> Result<Vec<u64>, Rejection> {
    if puts.is_empty() {
        return Err(Rejection::Empty);
    }
    let got = puts.iter().map(|put| put.value.len()).sum();
    if got > BATCH_MAX_BYTES {
        return Err(Rejection::TooLarge {
            limit: BATCH_MAX_BYTES,
            got,
        });
    }
    for (index, guard) in guards.iter().enumerate() {
        if guards.iter().take(index).any(|other| other.key == guard.key) {
            return Err(Rejection::GuardedTwice { key: guard.key.clone() });
        }
    }
    let mut revisions: Vec<u64> = Vec::with_capacity(puts.len());
    for (index, put) in puts.iter().enumerate() {
        let revision = next_revision(guards, puts, &revisions, index, put)?;
        revisions.push(revision);
    }
    Ok(revisions)
}

fn next_revision(guards: &[Guard], puts: &[Put], revisions: &[u64], index: usize, put: &Put) -> Result<u64, Rejection> {
    let earlier = || puts.iter().take(index).rposition(|other| other.key == put.key);
    if matches!(put.key, Key::Event(_)) {
        // The events of a page usually follow each other: the nearest earlier one is next door.
        if let Some(revision) = earlier().and_then(|found| revisions.get(found)) {
            return Ok(revision.saturating_add(1));
        }
    } else if earlier().is_some() {
        return Err(Rejection::PutTwice { key: put.key.clone() });
    }
    match guards.iter().find(|guard| guard.key == put.key) {
        Some(guard) => Ok(guard.revision.saturating_add(1)),
        None => Err(Rejection::Unguarded { key: put.key.clone() }),
    }
}

/// Checks that entries behind `after` are numbered without a hole.
pub(crate) fn dense(key: &Key, after: u64, entries: &[Entry]) -> Result<(), ReadError> {
    let mut expected = after;
    for entry in entries {
        expected = expected.saturating_add(1);
        if entry.revision != expected {
            return Err(ReadError::corrupt(Place::of(key, expected), Fault::Missing));
        }
    }
    Ok(())
}

/// Checks that entries in front of `before`, newest first, are numbered without a hole.
/// `reached_end` says that there was nothing older to read.
pub(crate) fn dense_back(key: &Key, entries: &[Entry], reached_end: bool) -> Result<(), ReadError> {
    let missing = |revision| Err(ReadError::corrupt(Place::of(key, revision), Fault::Missing));
    for (newer, older) in entries.iter().zip(entries.iter().skip(1)) {
        if older.revision + 1 != newer.revision {
            return missing(newer.revision - 1);
        }
    }
    match entries.last() {
        Some(oldest) if reached_end && oldest.revision > 1 => missing(oldest.revision - 1),
        _ => Ok(()),
    }
}

/// Counts what a read has taken against its limit.
pub(crate) struct Meter {
    limit: Limit,
    entries: usize,
    bytes: usize,
}

impl Meter {
    pub(crate) const fn new(limit: Limit) -> Self {
        Self {
            limit,
            entries: 0,
            bytes: 0,
        }
    }

    /// Whether an entry of this size still fits; the first always does.
    pub(crate) const fn takes(&mut self, bytes: usize) -> bool {
        let total = self.bytes.saturating_add(bytes);
        if self.entries >= self.limit.entries || (self.entries > 0 && total > self.limit.bytes) {
            return false;
        }
        self.entries += 1;
        self.bytes = total;
        true
    }
}
