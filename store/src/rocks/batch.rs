//! A commit made ready for the writer, on the caller's side: all keys are bytes already.

use bytes::Bytes;

use super::layout::{Area, revision_key};
use crate::engine::{Guard, Put};
use crate::id::PageKey;
use crate::keys::Key;

/// A commit as bytes.
pub(super) struct Prepared {
    pub(super) partition: u16,
    pub(super) guards: Vec<PreparedGuard>,
    pub(super) puts: Vec<PreparedPut>,
    /// How many of the puts are events.
    pub(super) events: u64,
    /// What it takes in the queue and in the batch, about.
    pub(super) bytes: usize,
}

pub(super) struct PreparedGuard {
    pub(super) guard: Guard,
    pub(super) key: Vec<u8>,
    /// The key's last revision once the commit is done.
    pub(super) after: u64,
}

pub(super) struct PreparedPut {
    pub(super) area: Area,
    /// The key with its revision.
    pub(super) key: Vec<u8>,
    pub(super) revision: u64,
    pub(super) value: Bytes,
    /// Of an event.
    pub(super) page: Option<PageKey>,
}

/// What an entry takes besides its key and value: a feed entry, a batch record, a place here.
const OVERHEAD_BYTES: usize = 128;

impl Prepared {
    /// Takes a commit whose shape was checked; `revisions` are those of its puts.
    pub(super) fn new(partition: u16, guards: Vec<Guard>, puts: Vec<Put>, revisions: &[u64]) -> Self {
        let mut guards: Vec<PreparedGuard> = guards
            .into_iter()
            .map(|guard| PreparedGuard {
                key: guard.key.encode(),
                after: guard.revision,
                guard,
            })
            .collect();
        let mut prepared = Vec::with_capacity(puts.len());
        for (put, &revision) in puts.into_iter().zip(revisions) {
            // Usually the first guard: the events come first, and so does their guard.
            let Some(guard) = guards.iter_mut().find(|guard| guard.guard.key == put.key) else {
                continue;
            };
            guard.after = revision;
            prepared.push(PreparedPut::new(put, &guard.key, revision));
        }
        let bytes = prepared
            .iter()
            .map(|put| put.key.len() + put.value.len() + OVERHEAD_BYTES)
            .sum();
        let events = prepared.iter().filter(|put| put.page.is_some()).count();
        let events = u64::try_from(events).unwrap_or(u64::MAX);
        Self {
            partition,
            guards,
            puts: prepared,
            events,
            bytes,
        }
    }
}

impl PreparedPut {
    fn new(put: Put, key: &[u8], revision: u64) -> Self {
        let page = if let Key::Event(page) = put.key {
            Some(page)
        } else {
            None
        };
        Self {
            area: Area::of(key),
            key: revision_key(key, revision),
            revision,
            value: put.value,
            page,
        }
    }
}
