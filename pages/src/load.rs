//! Finding a state: from the cache, from the nearest snapshot, from the start, or backwards
//! from a later state. All ways give the same digest, and every one is checked against the
//! event of the version it reached.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use recto_projections::{Delta, Kind, Value};
use recto_store::{Limit, Near, PageKey, RecordKey, Snapshot, SnapshotError};

use crate::cache::Loaded;
use crate::decoded::payload_bytes;
use crate::error::ReadError;
use crate::event::{EventKind, PageEvent};
use crate::meta::{PAGE_TABLE, PageMeta};
use crate::page_head::not_found;
use crate::service::Pages;
use crate::snapshot::{self, Tally};

/// Events read at a time while replaying.
const REPLAY_EVENTS: usize = 1024;
/// Bytes read at a time while replaying.
const REPLAY_BYTES: usize = 4 * 1024 * 1024;

/// How a state is found. [`Way::Nearest`] is what everybody wants; the others let a test or
/// a tool compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Whatever is the fewest events away.
    Nearest,
    /// Every delta from the first event on.
    FromStart,
    /// From the nearest snapshot at or before the version; from the start where there is none.
    FromSnapshot,
    /// Every inverse from the head back.
    Backwards,
}

/// A known state to start from.
struct Known {
    version: u64,
    value: Value,
    snapshot_bytes: u64,
}

/// A state found, and the event that made it.
pub(crate) struct Found {
    pub value: Value,
    pub event: PageEvent,
    /// What was replayed, since which snapshot.
    pub tally: Tally,
}

impl Pages {
    /// The page at its head.
    pub(crate) async fn load(&self, page: &PageKey) -> Result<Arc<Loaded>, ReadError> {
        let head = self.page_head(page).await?;
        // A command whose caller went away may have moved the head without moving the cache.
        if let Some(loaded) = self.cache().get(page).filter(|loaded| loaded.head.hash == head.hash) {
            return Ok(loaded);
        }
        let meta = self.meta(page).await?;
        let found = self.state_forwards(page, meta.kind, head.version, true).await?;
        let loaded = Arc::new(Loaded {
            meta: Arc::new(meta),
            deleted: found.event.kind()? == EventKind::Delete,
            head: head.into(),
            value: found.value,
            tally: found.tally,
        });
        self.cache().put(page, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// What the page is. A record read; the stream is not touched.
    pub(crate) async fn meta(&self, page: &PageKey) -> Result<PageMeta, ReadError> {
        let record = self
            .store()
            .record(&page.scope, &PAGE_TABLE, &RecordKey::from(&page.page))
            .await?;
        let record = record.ok_or_else(|| not_found(page))?;
        PageMeta::from_record(&record.value)
    }

    /// The state at a version that exists, with the event that made it.
    pub(crate) async fn state_at(
        &self,
        page: &PageKey,
        head: &Arc<Loaded>,
        version: u64,
        way: Way,
    ) -> Result<Found, ReadError> {
        match way {
            Way::Nearest => self.state_nearest(page, head, version).await,
            way => self.state_by(page, head, version, way).await,
        }
    }

    /// The state at a version that exists and is newer than a head.
    pub(crate) async fn state_ahead(&self, page: &PageKey, head: &Loaded, version: u64) -> Result<Found, ReadError> {
        self.replay_from(page, head.meta.kind, Some(known_head(head)), version)
            .await
    }

    async fn state_nearest(&self, page: &PageKey, head: &Arc<Loaded>, version: u64) -> Result<Found, ReadError> {
        let back = head.head.version - version;
        let before = self.stored_snapshot(page, version).await?;
        let forward = version - before.map_or(0, |found| found.version);
        // A step forwards and a step backwards cost the same; decoding a snapshot costs more.
        let ways = if back <= forward {
            [Way::Backwards, Way::FromSnapshot]
        } else {
            [Way::FromSnapshot, Way::Backwards]
        };
        match self.state_by(page, head, version, ways[0]).await {
            // What is damaged on one way need not lie on the other.
            Err(damage @ ReadError::Corrupt { .. }) => {
                self.state_by(page, head, version, ways[1]).await.map_err(|_| damage)
            }
            answer => answer,
        }
    }

    async fn state_by(&self, page: &PageKey, head: &Arc<Loaded>, version: u64, way: Way) -> Result<Found, ReadError> {
        match way {
            Way::Backwards => self.state_backwards(page, known_head(head), version).await,
            way => {
                self.state_forwards(page, head.meta.kind, version, way != Way::FromStart)
                    .await
            }
        }
    }

    pub(crate) async fn state_forwards(
        &self,
        page: &PageKey,
        kind: Kind,
        version: u64,
        from_snapshot: bool,
    ) -> Result<Found, ReadError> {
        let mut ceiling = if from_snapshot { version } else { 0 };
        // A snapshot that does not fit is dropped and the one before it tried, down to none.
        loop {
            let known = self.snapshot_at_or_before(page, ceiling).await?;
            let from = known.as_ref().map_or(0, |known| known.version);
            match self.replay_from(page, kind, known, version).await {
                // Damage behind the snapshot is not the snapshot's.
                Err(ReadError::Corrupt { version: at, what }) if from > 0 && at <= from => {
                    self.drop_snapshot(page, from, &what).await;
                    ceiling = from - 1;
                }
                answer => return answer,
            }
        }
    }

    /// The newest snapshot up to a version that decodes; those that do not are dropped.
    async fn snapshot_at_or_before(&self, page: &PageKey, mut ceiling: u64) -> Result<Option<Known>, ReadError> {
        while let Some(Snapshot { version, value: bytes }) = self.stored_snapshot(page, ceiling).await? {
            let snapshot_bytes = bytes.len() as u64;
            let decoded = self.compute(bytes.len(), move || snapshot::decode(&bytes)).await?;
            match decoded {
                Ok(value) => {
                    return Ok(Some(Known {
                        version,
                        value,
                        snapshot_bytes,
                    }));
                }
                Err(fault) => self.drop_snapshot(page, version, &fault).await,
            }
            ceiling = version - 1;
        }
        Ok(None)
    }

    /// The newest snapshot up to a version whose frame is whole.
    async fn stored_snapshot(&self, page: &PageKey, mut ceiling: u64) -> Result<Option<Snapshot>, ReadError> {
        while ceiling > 0 {
            match self.store().snapshot_near(page, ceiling, Near::AtOrBefore).await {
                Ok(found) => return Ok(found),
                Err(SnapshotError::Read(fault)) => return Err(fault.into()),
                Err(SnapshotError::Undecodable { version, fault, .. }) => {
                    self.drop_snapshot(page, version, &fault.to_string()).await;
                    ceiling = version - 1;
                }
                Err(fault) => {
                    return Err(ReadError::Unavailable {
                        reason: fault.to_string(),
                    });
                }
            }
        }
        Ok(None)
    }

    async fn drop_snapshot(&self, page: &PageKey, version: u64, fault: &str) {
        tracing::warn!(page = %page.page, version, %fault, "a snapshot does not fit and is dropped; the state is replayed without it");
        metrics::counter!("recto_snapshots_dropped_total").increment(1);
        if let Err(fault) = self.store().delete_snapshot(page, version).await {
            tracing::warn!(page = %page.page, version, %fault, "the snapshot could not be removed");
        }
    }

    /// Replays deltas from a known state, or from the empty value, up to a version.
    async fn replay_from(
        &self,
        page: &PageKey,
        kind: Kind,
        known: Option<Known>,
        version: u64,
    ) -> Result<Found, ReadError> {
        let mut tally = Tally::default();
        let (mut at, mut value) = match known {
            None => (0, Value::empty(kind)),
            Some(known) => {
                let event = self.event_at(page, known.version).await?;
                check_digest(&known.value, &event)?;
                tally.snapshot_bytes = known.snapshot_bytes;
                if known.version == version {
                    return Ok(Found {
                        value: known.value,
                        event,
                        tally,
                    });
                }
                (known.version, known.value)
            }
        };
        let mut last = None;
        while at < version {
            let events = self.events_forward(page, at..version).await?;
            let Some(newest) = events.last().cloned() else {
                return Err(hole(at + 1));
            };
            at = newest.version();
            for event in &events {
                tally.add(event.event.delta.len(), event.event.inverse.len());
            }
            let bytes = events.iter().map(|event| event.event.delta.len()).sum();
            value = self.compute(bytes, move || replay_all(value, &events)).await??;
            last = Some(newest);
        }
        let event = last.ok_or_else(|| hole(version))?;
        check_digest(&value, &event)?;
        metrics::histogram!("recto_replay_events").record(tally.events as f64);
        Ok(Found { value, event, tally })
    }

    /// Applies inverses from a later state down to a version.
    async fn state_backwards(&self, page: &PageKey, known: Known, version: u64) -> Result<Found, ReadError> {
        let Known {
            version: mut at,
            mut value,
            ..
        } = known;
        while at > version {
            let limit = Limit {
                entries: REPLAY_EVENTS.min(steps(version..at)),
                bytes: REPLAY_BYTES,
            };
            let events = self.store().events_back(page, at + 1, limit).await?;
            let events: Vec<_> = events.into_iter().map(|event| PageEvent::new(page, event)).collect();
            let Some(oldest) = events.last().map(PageEvent::version) else {
                return Err(hole(at));
            };
            at = oldest - 1;
            let bytes = events.iter().map(|event| event.event.inverse.len()).sum();
            value = self.compute(bytes, move || unwind_all(value, &events)).await??;
        }
        let event = self.event_at(page, version).await?;
        check_digest(&value, &event)?;
        Ok(Found {
            value,
            event,
            tally: Tally::default(),
        })
    }

    /// The event of a version that must exist.
    pub(crate) async fn event_at(&self, page: &PageKey, version: u64) -> Result<PageEvent, ReadError> {
        let event = self.store().event(page, version).await?.ok_or_else(|| hole(version))?;
        Ok(PageEvent::new(page, event))
    }

    /// Some of the events after `range.start`, up to and with `range.end`.
    pub(crate) async fn events_forward(&self, page: &PageKey, range: Range<u64>) -> Result<Vec<PageEvent>, ReadError> {
        let limit = Limit {
            entries: REPLAY_EVENTS.min(steps(range.clone())),
            bytes: REPLAY_BYTES,
        };
        let events = self.store().events(page, range.start, limit).await?;
        Ok(events.into_iter().map(|event| PageEvent::new(page, event)).collect())
    }

    /// All events from one version to another, both counted; `None` where they hold more bytes than may be.
    pub(crate) async fn events_within(
        &self,
        page: &PageKey,
        versions: RangeInclusive<u64>,
        bytes_max: usize,
    ) -> Result<Option<Vec<PageEvent>>, ReadError> {
        let (mut all, mut bytes) = (Vec::new(), 0);
        let (mut at, last) = (versions.start().saturating_sub(1), *versions.end());
        while at < last {
            let events = self.events_forward(page, at..last).await?;
            at = events.last().map(PageEvent::version).ok_or_else(|| hole(at + 1))?;
            bytes += payload_bytes(&events);
            if bytes > bytes_max {
                return Ok(None);
            }
            all.extend(events);
        }
        Ok(Some(all))
    }

    /// All events from one version to another, both counted.
    pub(crate) async fn events_between(
        &self,
        page: &PageKey,
        first: u64,
        last: u64,
    ) -> Result<Vec<PageEvent>, ReadError> {
        let all = self.events_within(page, first..=last, usize::MAX).await?;
        Ok(all.unwrap_or_default())
    }
}

fn known_head(head: &Loaded) -> Known {
    Known {
        version: head.head.version,
        value: head.value.clone(),
        snapshot_bytes: 0,
    }
}

fn steps(range: Range<u64>) -> usize {
    usize::try_from(range.end - range.start).unwrap_or(usize::MAX)
}

fn replay_all(mut value: Value, events: &[PageEvent]) -> Result<Value, ReadError> {
    for event in events {
        step(&mut value, event, event.delta()?)?;
    }
    Ok(value)
}

fn unwind_all(mut value: Value, events: &[PageEvent]) -> Result<Value, ReadError> {
    for event in events {
        step(&mut value, event, event.inverse()?)?;
    }
    Ok(value)
}

fn step(value: &mut Value, event: &PageEvent, delta: Option<Delta>) -> Result<(), ReadError> {
    let Some(delta) = delta else { return Ok(()) };
    value.replay(&delta).map_err(|fault| ReadError::Corrupt {
        version: event.version(),
        what: format!("the stored change does not apply: {fault}"),
    })
}

fn check_digest(value: &Value, event: &PageEvent) -> Result<(), ReadError> {
    if value.digest() == event.digest() {
        return Ok(());
    }
    Err(ReadError::Corrupt {
        version: event.version(),
        what: format!(
            "the state has digest {}, and its event recorded {}",
            value.digest(),
            event.digest()
        ),
    })
}

pub(crate) fn hole(version: u64) -> ReadError {
    ReadError::Corrupt {
        version,
        what: "the event is missing".to_owned(),
    }
}
