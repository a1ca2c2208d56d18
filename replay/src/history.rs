//! The events of a page as they lie there: those that cannot be read are shown with the reason, and passed over.

use std::ops::RangeInclusive;

use bytes::Bytes;
use recto_pages::{PageEvent, PageKey};
use recto_store::{Fault, Key, Limit, ReadError, frames};

use crate::failure::Failure;
use crate::source::Source;

/// Events read at a time.
const READ_EVENTS: u64 = 1024;
/// Bytes read at a time.
const READ_BYTES: usize = 4 * 1024 * 1024;

/// What lies at a version.
#[derive(Clone, Debug)]
pub enum Found {
    /// An event. Its delta may still not decode.
    Event(PageEvent),
    /// Something that is no event, or nothing.
    Damaged(Damaged),
}

/// A version without a readable event.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// The version.
    pub version: u64,
    /// What lies there; `None` where nothing does.
    pub bytes: Option<Bytes>,
    /// Why it cannot be read.
    pub reason: String,
}

impl Found {
    /// The version.
    #[must_use]
    pub fn version(&self) -> u64 {
        match self {
            Self::Event(event) => event.version(),
            Self::Damaged(damaged) => damaged.version,
        }
    }

    /// The event, where it is one.
    #[must_use]
    pub fn event(&self) -> Option<&PageEvent> {
        match self {
            Self::Event(event) => Some(event),
            Self::Damaged(_) => None,
        }
    }
}

impl Source {
    /// What lies at some versions of a page, rising: at most as many as one read gives, but one at least. Damage is
    /// found, not an error.
    ///
    /// # Errors
    /// [`Failure::Log`], where the store is away.
    pub async fn events(&self, page: &PageKey, versions: RangeInclusive<u64>) -> Result<Vec<Found>, Failure> {
        let (first, last) = (*versions.start(), *versions.end());
        if first > last {
            return Ok(Vec::new());
        }
        let key = Key::event(page);
        let limit = Limit {
            entries: usize::try_from(READ_EVENTS.min(last - first + 1)).unwrap_or(usize::MAX),
            bytes: READ_BYTES,
        };
        match self.engine().history(&key, first.saturating_sub(1), limit).await {
            Ok(entries) if !entries.is_empty() => Ok(entries.iter().map(|entry| found(page, entry)).collect()),
            Err(ReadError::Unavailable(fault)) => Err(ReadError::from(fault).into()),
            // Some of them cannot be read: one by one.
            Ok(_) | Err(ReadError::Corrupt { .. }) => {
                let last = last.min(first + READ_EVENTS - 1);
                let mut all = Vec::new();
                for version in first..=last {
                    all.push(self.event(page, version).await?);
                }
                Ok(all)
            }
        }
    }

    /// What lies at some versions of a page, falling.
    ///
    /// # Errors
    /// As [`Source::events`].
    pub async fn events_back(&self, page: &PageKey, versions: RangeInclusive<u64>) -> Result<Vec<Found>, Failure> {
        let (first, last) = (*versions.start(), *versions.end());
        let mut start = first.max((last + 1).saturating_sub(READ_EVENTS));
        let mut all = Vec::new();
        // A read gives fewer where they are large: the rest of the chunk is fetched behind it.
        while start <= last {
            let part = self.events(page, start..=last).await?;
            start = part.last().map_or(last + 1, |newest| newest.version() + 1);
            all.extend(part);
        }
        all.reverse();
        Ok(all)
    }

    /// What lies at a version of a page.
    ///
    /// # Errors
    /// [`Failure::Log`], where the store is away.
    pub async fn event(&self, page: &PageKey, version: u64) -> Result<Found, Failure> {
        let damaged = |bytes, reason: String| Ok(Found::Damaged(Damaged { version, bytes, reason }));
        match self.engine().get(&Key::event(page), version).await {
            Ok(Some(entry)) => Ok(found(page, &entry)),
            Ok(None) => damaged(None, Fault::Missing.to_string()),
            Err(ReadError::Unavailable(fault)) => Err(ReadError::from(fault).into()),
            Err(ReadError::Corrupt { fault, .. }) => damaged(None, fault.to_string()),
        }
    }
}

fn found(page: &PageKey, entry: &recto_store::Entry) -> Found {
    match frames::open_event(page, entry) {
        Ok(event) => Found::Event(PageEvent::new(page, event)),
        Err(fault) => Found::Damaged(Damaged {
            version: entry.revision,
            bytes: Some(entry.value.clone()),
            reason: match fault {
                ReadError::Corrupt { fault, .. } => fault.to_string(),
                ReadError::Unavailable(fault) => fault.to_string(),
            },
        }),
    }
}
