//! One page: its events, its chain, its receipts, its snapshots.

use super::{Stop, VerifiedPage, finding};
use crate::engine::{Fault, Limit, Near, Place, ReadError};
use crate::event::{Event, Head};
use crate::id::{Id, PageKey};
use crate::keys::Key;
use crate::read::decode_event;
use crate::receipt::Span;
use crate::snapshots::SnapshotError;
use crate::store::Store;

/// How much of a page is in memory at once.
const CHUNK: Limit = Limit {
    entries: 1_000,
    bytes: 4 * 1024 * 1024,
};

/// The events of one command, as far as seen.
struct Run {
    command: Id,
    versions: Span,
    positions: Span,
}

impl Store {
    /// Verifies a page: no version missing, every checksum, the chain, positions rising, every
    /// receipt as its events say, every snapshot unharmed.
    ///
    /// # Errors
    /// [`ReadError::Unavailable`] only, if the engine is away; what is damaged is in the answer.
    pub async fn verify(&self, page: &PageKey) -> Result<VerifiedPage, ReadError> {
        let mut verified = VerifiedPage {
            events: 0,
            receipts: 0,
            snapshots: 0,
            head: None,
            damage: None,
        };
        verified.damage = finding(self.verify_events(page, &mut verified).await)?;
        if verified.damage.is_none() {
            verified.damage = finding(self.verify_snapshots(page, &mut verified).await)?;
        }
        Ok(verified)
    }

    async fn verify_events(&self, page: &PageKey, verified: &mut VerifiedPage) -> Result<(), Stop> {
        let key = Key::event(page);
        let bytes = key.encode();
        let mut run: Option<Run> = None;
        loop {
            let entries = self.inner.engine.history(&key, verified.events, CHUNK).await?;
            if entries.is_empty() {
                break;
            }
            for entry in &entries {
                let event = decode_event(page, &bytes, entry)?;
                chained(page, verified.head, &event)?;
                // Of two events that disagree about a position, their receipts tell which.
                run = self.verify_run(page, run, &event, verified).await?;
                behind(page, verified.head, &event)?;
                verified.head = Some(event.head());
                verified.events = event.version;
            }
        }
        match run {
            Some(run) => self.verify_receipt(page, &run, verified).await,
            None => Ok(()),
        }
    }

    /// Adds an event to the run of its command, or ends that run and begins the next.
    async fn verify_run(
        &self,
        page: &PageKey,
        run: Option<Run>,
        event: &Event,
        verified: &mut VerifiedPage,
    ) -> Result<Option<Run>, Stop> {
        match run {
            Some(mut run) if run.command == event.command => {
                if event.position != run.positions.last + 1 {
                    let at = Place::Event {
                        page: page.clone(),
                        version: event.version,
                    };
                    let (position, previous) = (event.position, run.positions.last);
                    return Err(Stop::found(at, Fault::Position { position, previous }));
                }
                run.versions.last = event.version;
                run.positions.last = event.position;
                return Ok(Some(run));
            }
            Some(run) => self.verify_receipt(page, &run, verified).await?,
            None => {}
        }
        let (version, position) = (event.version, event.position);
        Ok(Some(Run {
            command: event.command.clone(),
            versions: Span {
                first: version,
                last: version,
            },
            positions: Span {
                first: position,
                last: position,
            },
        }))
    }

    async fn verify_receipt(&self, page: &PageKey, run: &Run, verified: &mut VerifiedPage) -> Result<(), Stop> {
        let place = || Place::Receipt {
            page: page.clone(),
            command: run.command.clone(),
        };
        let Some(receipt) = self.receipt(page, &run.command).await? else {
            return Err(Stop::found(place(), Fault::Missing));
        };
        let same_hash = verified.head.is_some_and(|head| head.hash == receipt.head_hash);
        let same_spans = receipt.versions == Some(run.versions) && receipt.positions == Some(run.positions);
        if !same_hash || !same_spans {
            return Err(Stop::found(place(), Fault::Disagrees));
        }
        verified.receipts += 1;
        Ok(())
    }

    async fn verify_snapshots(&self, page: &PageKey, verified: &mut VerifiedPage) -> Result<(), Stop> {
        for version in self.snapshot_versions(page).await? {
            match self.snapshot_near(page, version, Near::AtOrBefore).await {
                Ok(Some(snapshot)) if snapshot.version == version && version <= verified.events => {
                    verified.snapshots += 1;
                }
                // Dropped in the meantime: it is a cache.
                Ok(None) => {}
                Ok(Some(snapshot)) if snapshot.version < version => {}
                Ok(Some(_)) => {
                    return Err(Stop::found(snapshot_place(page, version), Fault::Disagrees));
                }
                Err(SnapshotError::Undecodable { fault, .. }) => {
                    return Err(Stop::found(snapshot_place(page, version), fault.into()));
                }
                Err(SnapshotError::Read(error)) => return Err(error.into()),
                Err(SnapshotError::TooLarge { .. }) => {}
            }
        }
        Ok(())
    }
}

/// Checks that an event names the hash of the one before it.
fn chained(page: &PageKey, head: Option<Head>, event: &Event) -> Result<(), Stop> {
    if event.prev_hash == head.map_or([0; 32], |head| head.hash) {
        return Ok(());
    }
    Err(Stop::found(
        Place::Event {
            page: page.clone(),
            version: event.version,
        },
        Fault::BrokenChain,
    ))
}

/// Checks that an event's position is behind that of the one before it.
fn behind(page: &PageKey, head: Option<Head>, event: &Event) -> Result<(), Stop> {
    let (position, previous) = (event.position, head.map_or(0, |head| head.position));
    if position > previous {
        return Ok(());
    }
    let at = Place::Event {
        page: page.clone(),
        version: event.version,
    };
    Err(Stop::found(at, Fault::Position { position, previous }))
}

fn snapshot_place(page: &PageKey, version: u64) -> Place {
    Place::Snapshot {
        page: page.clone(),
        version,
    }
}
