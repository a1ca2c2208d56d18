//! What the engine in memory holds, and how it answers; one lock is around all of it.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;

use super::faults::Faults;
use crate::engine::check::{Meter, dense, dense_back};
use crate::engine::{
    CommitError, Committed, Durability, Entry, Fault, FeedEntry, Guard, Limit, Near, Place, Put, ReadError, Unavailable,
};
use crate::id::{Id, PageKey};
use crate::keys::{DerivedKey, Key, KeyPrefix};

#[derive(Default)]
pub(super) struct State {
    /// By the bytes of the key, as on disk.
    pub(super) logs: BTreeMap<Vec<u8>, Log>,
    pub(super) derived: BTreeMap<DerivedKey, Bytes>,
    feeds: BTreeMap<(u16, Id, u64), (PageKey, u64)>,
    tips: BTreeMap<u16, u64>,
    pub(super) faults: Faults,
    pub(super) poisoned: Option<String>,
    pub(super) closed: bool,
}

pub(super) struct Log {
    key: Key,
    pub(super) entries: BTreeMap<u64, (u64, Bytes)>,
}

impl State {
    pub(super) fn commit(
        &mut self,
        partition: u16,
        guards: &[Guard],
        puts: Vec<Put>,
        revisions: &[u64],
    ) -> Result<(Committed, Vec<FeedEntry>), CommitError> {
        self.writable()?;
        for guard in guards {
            let actual = self.revision(&guard.key);
            if actual != guard.revision {
                return Err(CommitError::Conflict {
                    key: guard.key.clone(),
                    expected: guard.revision,
                    actual,
                });
            }
        }
        let mut tip = self.tips.get(&partition).copied().unwrap_or_default();
        let events = puts.iter().filter(|put| matches!(put.key, Key::Event(_))).count();
        let tip_after = tip + u64::try_from(events).unwrap_or_default();
        let mut entries = Vec::with_capacity(puts.len());
        let mut feed = Vec::new();
        for (put, &revision) in puts.into_iter().zip(revisions) {
            let mut position = tip_after;
            if let Key::Event(page) = &put.key {
                tip += 1;
                position = tip;
                let value = Some(put.value.clone());
                feed.push(FeedEntry {
                    partition,
                    position: tip,
                    page: page.clone(),
                    revision,
                    value,
                });
                self.feeds
                    .insert((partition, page.scope.clone(), tip), (page.clone(), revision));
            }
            entries.push((revision, position));
            self.insert(put.key, revision, position, put.value);
        }
        self.tips.insert(partition, tip_after);
        Ok((
            Committed {
                entries,
                durability: Durability::Memory,
            },
            feed,
        ))
    }

    pub(super) fn insert(&mut self, key: Key, revision: u64, position: u64, value: Bytes) {
        let log = self.logs.entry(key.encode()).or_insert_with(|| Log {
            key,
            entries: BTreeMap::new(),
        });
        log.entries.insert(revision, (position, value));
    }

    pub(super) fn last(&self, key: &Key) -> Result<Option<Entry>, ReadError> {
        self.open()?;
        let newest = self
            .logs
            .get(&key.encode())
            .and_then(|log| log.entries.last_key_value());
        Ok(newest.map(entry))
    }

    pub(super) fn get(&self, key: &Key, revision: u64) -> Result<Option<Entry>, ReadError> {
        self.open()?;
        let found = self
            .logs
            .get(&key.encode())
            .and_then(|log| log.entries.get_key_value(&revision));
        Ok(found.map(entry))
    }

    pub(super) fn history(&self, key: &Key, after: u64, limit: Limit) -> Result<Vec<Entry>, ReadError> {
        self.open()?;
        let Some(log) = self.logs.get(&key.encode()) else {
            return Ok(Vec::new());
        };
        let mut meter = Meter::new(limit);
        let range = log.entries.range((Bound::Excluded(after), Bound::Unbounded));
        let entries: Vec<Entry> = range
            .map(entry)
            .take_while(|entry| meter.takes(entry.value.len()))
            .collect();
        dense(key, after, &entries)?;
        Ok(entries)
    }

    pub(super) fn history_back(&self, key: &Key, before: u64, limit: Limit) -> Result<Vec<Entry>, ReadError> {
        self.open()?;
        let Some(log) = self.logs.get(&key.encode()) else {
            return Ok(Vec::new());
        };
        let mut meter = Meter::new(limit);
        let mut reached_end = true;
        let mut entries = Vec::new();
        for found in log.entries.range(..before).rev().map(entry) {
            if !meter.takes(found.value.len()) {
                reached_end = false;
                break;
            }
            entries.push(found);
        }
        let newest = entries.first().map_or(0, |entry| entry.revision);
        if newest < before.saturating_sub(1) && log.entries.range(before..).next().is_some() && limit.entries > 0 {
            return Err(ReadError::corrupt(Place::of(key, before - 1), Fault::Missing));
        }
        dense_back(key, &entries, reached_end)?;
        Ok(entries)
    }

    pub(super) fn feed(
        &self,
        partition: u16,
        scope: &Id,
        after: u64,
        limit: Limit,
    ) -> Result<Vec<FeedEntry>, ReadError> {
        self.open()?;
        let from = Bound::Excluded((partition, scope.clone(), after));
        let to = Bound::Included((partition, scope.clone(), u64::MAX));
        let mut meter = Meter::new(limit);
        let mut found = Vec::new();
        for (&(_, _, position), (page, revision)) in self.feeds.range((from, to)) {
            let Some(entry) = self.get(&Key::event(page), *revision)? else {
                return Err(ReadError::corrupt(
                    Place::of(&Key::event(page), *revision),
                    Fault::Missing,
                ));
            };
            if !meter.takes(entry.value.len()) {
                break;
            }
            let (page, revision, value) = (page.clone(), *revision, Some(entry.value));
            found.push(FeedEntry {
                partition,
                position,
                page,
                revision,
                value,
            });
        }
        Ok(found)
    }

    pub(super) fn latest(
        &self,
        prefix: &KeyPrefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<(Key, Entry)>, ReadError> {
        self.open()?;
        let prefix = prefix.encode();
        let from = match after {
            Some(key) => Bound::Excluded(key.encode().max(prefix.clone())),
            None => Bound::Included(prefix.clone()),
        };
        let range = self
            .logs
            .range((from, Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(&prefix));
        let newest = range.filter_map(|(_, log)| Some((log.key.clone(), entry(log.entries.last_key_value()?))));
        Ok(newest.take(limit).collect())
    }

    pub(super) fn tip(&self, partition: u16) -> Result<u64, ReadError> {
        self.open()?;
        Ok(self.tips.get(&partition).copied().unwrap_or_default())
    }

    pub(super) fn put_derived(&mut self, key: &DerivedKey, value: Bytes) -> Result<(), ReadError> {
        self.writable_derived()?;
        self.derived.insert(key.clone(), value);
        Ok(())
    }

    pub(super) fn delete_derived(&mut self, key: &DerivedKey) -> Result<(), ReadError> {
        self.writable_derived()?;
        self.derived.remove(key);
        Ok(())
    }

    pub(super) fn derived_near(
        &self,
        page: &PageKey,
        version: u64,
        side: Near,
    ) -> Result<Option<(u64, Bytes)>, ReadError> {
        self.open()?;
        let at = |version| DerivedKey::new(page, version);
        let found = match side {
            Near::AtOrBefore => self.derived.range(at(0)..=at(version)).next_back(),
            Near::AtOrAfter => self.derived.range(at(version)..=at(u64::MAX)).next(),
        };
        Ok(found.map(|(key, value)| (key.version, value.clone())))
    }

    pub(super) fn derived_versions(&self, page: &PageKey) -> Result<Vec<u64>, ReadError> {
        self.open()?;
        let range = self
            .derived
            .range(DerivedKey::new(page, 0)..=DerivedKey::new(page, u64::MAX));
        Ok(range.map(|(key, _)| key.version).collect())
    }

    fn revision(&self, key: &Key) -> u64 {
        let newest = self
            .logs
            .get(&key.encode())
            .and_then(|log| log.entries.last_key_value());
        newest.map_or(0, |(&revision, _)| revision)
    }

    fn open(&self) -> Result<(), Unavailable> {
        if self.closed { Err(Unavailable::Closed) } else { Ok(()) }
    }

    fn writable(&self) -> Result<(), CommitError> {
        self.writable_derived().map_err(CommitError::Unavailable)
    }

    fn writable_derived(&self) -> Result<(), Unavailable> {
        self.open()?;
        match &self.poisoned {
            Some(reason) => Err(Unavailable::Poisoned { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

fn entry((&revision, (position, value)): (&u64, &(u64, Bytes))) -> Entry {
    Entry {
        revision,
        position: *position,
        value: value.clone(),
    }
}
