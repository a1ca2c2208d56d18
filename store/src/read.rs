//! Reading: heads, events, receipts. Nothing is skipped: a hole or a changed bit is an error.

use std::sync::Arc;

use bytes::Bytes;

use crate::append::receipt_of;
use crate::codec::{self, Context};
use crate::engine::{Entry, Fault, FeedEntry, Limit, Place, ReadError};
use crate::event::{Event, Head};
use crate::id::{Id, PageKey};
use crate::keys::{Key, KeyPrefix};
use crate::limits::READ_MAX_ENTRIES;
use crate::receipt::Receipt;
use crate::store::Store;

impl Store {
    /// The newest version of a page; `None` if it has no event.
    ///
    /// # Errors
    /// [`ReadError`], if its newest event is damaged or the engine is away.
    pub async fn head(&self, page: &PageKey) -> Result<Option<Head>, ReadError> {
        match self.inner.heads.get(page) {
            Some(head) => Ok(Some(head)),
            None => self.load_head(page).await,
        }
    }

    /// One event; `None` if the page has no such version.
    ///
    /// # Errors
    /// [`ReadError`], if it is damaged or the engine is away.
    pub async fn event(&self, page: &PageKey, version: u64) -> Result<Option<Event>, ReadError> {
        let key = Key::event(page);
        let entry = self.inner.engine.get(&key, version).await?;
        entry.map(|entry| decode_event(page, &key.encode(), &entry)).transpose()
    }

    /// The events behind a version (0: from the first), oldest first.
    ///
    /// # Errors
    /// [`ReadError`], if one is missing or damaged, or the engine is away.
    pub async fn events(&self, page: &PageKey, after: u64, limit: Limit) -> Result<Vec<Event>, ReadError> {
        let key = Key::event(page);
        let entries = self.inner.engine.history(&key, after, bounded(limit)).await?;
        chained(decode_events(page, &key, &entries)?, page, |one, next| (one, next))
    }

    /// The events in front of a version (`u64::MAX`: from the head), newest first.
    ///
    /// # Errors
    /// [`ReadError`], if one is missing or damaged, or the engine is away.
    pub async fn events_back(&self, page: &PageKey, before: u64, limit: Limit) -> Result<Vec<Event>, ReadError> {
        let key = Key::event(page);
        let entries = self.inner.engine.history_back(&key, before, bounded(limit)).await?;
        chained(decode_events(page, &key, &entries)?, page, |one, next| (next, one))
    }

    /// The pages of a scope that have events, in the order of their ids, behind `after`.
    ///
    /// # Errors
    /// [`ReadError`], if the engine is away or damaged.
    pub async fn pages(&self, scope: &Id, after: Option<&Id>, limit: usize) -> Result<Vec<PageKey>, ReadError> {
        let after = after.map(|page| Key::Event(PageKey::new(scope.clone(), page.clone())));
        let prefix = KeyPrefix::EventsOf(scope.clone());
        let keys = self
            .inner
            .engine
            .keys(&prefix, after.as_ref(), limit.min(READ_MAX_ENTRIES))
            .await?;
        Ok(pages_of(keys))
    }

    /// The pages of all scopes that have events, in the order of scope and id, behind `after`.
    ///
    /// # Errors
    /// [`ReadError`], if the engine is away or damaged.
    pub async fn all_pages(&self, after: Option<&PageKey>, limit: usize) -> Result<Vec<PageKey>, ReadError> {
        let after = after.map(Key::event);
        let found = self
            .inner
            .engine
            .keys(&KeyPrefix::Events, after.as_ref(), limit.min(READ_MAX_ENTRIES));
        Ok(pages_of(found.await?))
    }

    /// What a command did on a page; `None` if it was never done there.
    ///
    /// # Errors
    /// [`ReadError`], if the receipt is damaged or the engine is away.
    pub async fn receipt(&self, page: &PageKey, command: &Id) -> Result<Option<Receipt>, ReadError> {
        let key = Key::command(page, command);
        let entry = self.inner.engine.get(&key, 1).await?;
        entry.map(|entry| decode_receipt(&key, &entry)).transpose()
    }

    /// What many commands did on a page, in their order; each receipt may be damaged by itself. One read, however many.
    ///
    /// # Errors
    /// [`ReadError::Unavailable`], if the engine is away.
    pub async fn receipts(
        &self,
        page: &PageKey,
        commands: &[Id],
    ) -> Result<Vec<Result<Option<Receipt>, ReadError>>, ReadError> {
        let keys: Vec<Key> = commands.iter().map(|command| Key::command(page, command)).collect();
        let found = self.inner.engine.firsts(keys.clone()).await?;
        let decoded = keys
            .iter()
            .zip(found)
            .map(|(key, first)| first?.map(|entry| decode_receipt(key, &entry)).transpose());
        Ok(decoded.collect())
    }

    /// What a command did on every page of a scope that it was sent to.
    ///
    /// # Errors
    /// [`ReadError`], if a receipt is damaged or the engine is away.
    pub async fn receipts_of(&self, scope: &Id, command: &Id) -> Result<Vec<(PageKey, Receipt)>, ReadError> {
        let prefix = KeyPrefix::Command {
            scope: scope.clone(),
            command: command.clone(),
        };
        let found = self.inner.engine.latest(&prefix, None, READ_MAX_ENTRIES).await?;
        let mut receipts = Vec::with_capacity(found.len());
        for (key, entry) in found {
            if let Key::Command { scope, page, .. } = &key {
                receipts.push((PageKey::new(scope.clone(), page.clone()), decode_receipt(&key, &entry)?));
            }
        }
        Ok(receipts)
    }

    /// The event of a live feed entry. Large ones are read from the log.
    ///
    /// # Errors
    /// [`ReadError`], if it is damaged or the engine is away.
    pub async fn event_of(&self, entry: &Arc<FeedEntry>) -> Result<Event, ReadError> {
        match &entry.value {
            Some(value) => decode_feed(entry, value),
            None => {
                let event = self.event(&entry.page, entry.revision).await?;
                let place = || Place::Event {
                    page: entry.page.clone(),
                    version: entry.revision,
                };
                event.ok_or_else(|| ReadError::corrupt(place(), Fault::Missing))
            }
        }
    }

    /// Reads a page's head from the engine, and notes it.
    pub(crate) async fn load_head(&self, page: &PageKey) -> Result<Option<Head>, ReadError> {
        let key = Key::event(page);
        let Some(entry) = self.inner.engine.last(&key).await? else {
            return Ok(None);
        };
        let context = Context {
            key: &key.encode(),
            revision: entry.revision,
        };
        let head = codec::open_head(context, entry.position, &entry.value)
            .map_err(|fault| ReadError::corrupt(Place::of(&key, entry.revision), fault.into()))?;
        self.inner.heads.note(page, head);
        Ok(Some(head))
    }
}

fn pages_of(keys: Vec<Key>) -> Vec<PageKey> {
    keys.into_iter()
        .filter_map(|key| if let Key::Event(page) = key { Some(page) } else { None })
        .collect()
}

/// A read's limit, within what one read may return.
pub(crate) fn bounded(limit: Limit) -> Limit {
    Limit {
        entries: limit.entries.min(READ_MAX_ENTRIES),
        bytes: limit.bytes,
    }
}

pub(crate) fn decode_event(page: &PageKey, key: &[u8], entry: &Entry) -> Result<Event, ReadError> {
    codec::open_event(
        Context {
            key,
            revision: entry.revision,
        },
        entry.position,
        &entry.value,
    )
    .map_err(|fault| {
        ReadError::corrupt(
            Place::Event {
                page: page.clone(),
                version: entry.revision,
            },
            fault.into(),
        )
    })
}

pub(crate) fn decode_receipt(key: &Key, entry: &Entry) -> Result<Receipt, ReadError> {
    let context = Context {
        key: &key.encode(),
        revision: entry.revision,
    };
    codec::open_receipt(context, &entry.value)
        .map(|stored| receipt_of(stored, entry.position))
        .map_err(|fault| ReadError::corrupt(Place::of(key, entry.revision), fault.into()))
}

pub(crate) fn decode_feed(entry: &FeedEntry, value: &Bytes) -> Result<Event, ReadError> {
    let key = Key::event(&entry.page).encode();
    codec::open_event(
        Context {
            key: &key,
            revision: entry.revision,
        },
        entry.position,
        value,
    )
    .map_err(|fault| {
        ReadError::corrupt(
            Place::Event {
                page: entry.page.clone(),
                version: entry.revision,
            },
            fault.into(),
        )
    })
}

fn decode_events(page: &PageKey, key: &Key, entries: &[Entry]) -> Result<Vec<Event>, ReadError> {
    let bytes = key.encode();
    entries.iter().map(|entry| decode_event(page, &bytes, entry)).collect()
}

/// Checks that neighbours follow each other in the chain; `order` says which of two is older.
fn chained(
    events: Vec<Event>,
    page: &PageKey,
    order: for<'a> fn(&'a Event, &'a Event) -> (&'a Event, &'a Event),
) -> Result<Vec<Event>, ReadError> {
    for (one, next) in events.iter().zip(events.iter().skip(1)) {
        let (older, newer) = order(one, next);
        if newer.prev_hash != older.hash {
            let place = Place::Event {
                page: page.clone(),
                version: newer.version,
            };
            return Err(ReadError::corrupt(place, Fault::BrokenChain));
        }
    }
    Ok(events)
}
