//! What the checks are written with.

use std::sync::Arc;

use bytes::Bytes;

use crate::engine::{CommitError, Committed, Engine, Entry, FeedEntry, Guard, Limit, Put};
use crate::id::{Id, PageKey, RecordKey};
use crate::keys::Key;

pub(super) type Shared = Arc<dyn Engine>;

/// Enough for all that a check writes.
pub(super) const ALL: Limit = Limit {
    entries: 10_000,
    bytes: usize::MAX,
};

pub(super) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(super) fn page(name: &str) -> PageKey {
    PageKey::parse("scope", name).unwrap()
}

pub(super) fn event(name: &str) -> Key {
    Key::event(&page(name))
}

pub(super) fn command(name: &str, command: &str) -> Key {
    Key::command(&page(name), &id(command))
}

pub(super) fn record(table: &str, key: &str) -> Key {
    Key::record(&id("scope"), &id(table), &RecordKey::new(key).unwrap())
}

pub(super) fn guard(key: &Key, revision: u64) -> Guard {
    Guard {
        key: key.clone(),
        revision,
    }
}

pub(super) fn put(key: &Key, value: &str) -> Put {
    Put {
        key: key.clone(),
        value: Bytes::copy_from_slice(value.as_bytes()),
    }
}

/// Appends one event to a page that is at `revision`.
pub(super) async fn append(engine: &Shared, name: &str, revision: u64) -> Result<Committed, CommitError> {
    append_to(engine, &page(name), revision).await
}

pub(super) async fn append_to(engine: &Shared, page: &PageKey, revision: u64) -> Result<Committed, CommitError> {
    let key = Key::event(page);
    let value = format!("{page} {}", revision + 1);
    engine
        .commit(0, vec![guard(&key, revision)], vec![put(&key, &value)])
        .await
}

/// Appends events to a page from revision `from` up to `to`.
pub(super) async fn fill(engine: &Shared, name: &str, from: u64, to: u64) {
    for revision in from..to {
        append(engine, name, revision).await.unwrap();
    }
}

pub(super) async fn history(engine: &Shared, key: &Key) -> Vec<Entry> {
    engine.history(key, 0, ALL).await.unwrap()
}

pub(super) async fn last_revision(engine: &Shared, key: &Key) -> u64 {
    engine.last(key).await.unwrap().map_or(0, |entry| entry.revision)
}

pub(super) fn revisions(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.revision).collect()
}

pub(super) fn positions(entries: &[FeedEntry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.position).collect()
}
