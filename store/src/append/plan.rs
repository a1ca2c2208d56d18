//! Turning an append into guards and puts.

use super::{Append, AppendError, What};
use crate::codec::{self, Context, StoredReceipt};
use crate::engine::{Committed, Durability, Guard, Put};
use crate::event::{Event, Head, NewEvent};
use crate::id::Id;
use crate::keys::Key;
use crate::limits::{
    BATCH_MAX_BYTES, BATCH_MAX_EVENTS, BATCH_MAX_RECORDS, EVENT_MAX_BYTES, NAME_MAX_BYTES, OUTCOME_MAX_BYTES,
    RECORD_MAX_BYTES,
};
use crate::receipt::{Receipt, Span};

/// An append as guards and puts: the events first, then the receipt, then the records.
pub(super) struct Plan {
    pub(super) guards: Vec<Guard>,
    pub(super) puts: Vec<Put>,
    base: u64,
    head_version: u64,
    head_hash: [u8; 32],
    /// The hash of the event that the new ones follow, and their own, in order.
    hashes: Vec<[u8; 32]>,
    durability: Durability,
}

/// Checks the limits that need no reading.
pub(super) fn check(append: &Append) -> Result<(), AppendError> {
    within(What::Events, BATCH_MAX_EVENTS, append.events.len())?;
    within(What::Records, BATCH_MAX_RECORDS, append.records.len())?;
    within(What::OutcomeBytes, OUTCOME_MAX_BYTES, append.command.outcome.len())?;
    for event in &append.events {
        within(What::ActorBytes, NAME_MAX_BYTES, event.actor.len())?;
        within(
            What::TurnBytes,
            NAME_MAX_BYTES,
            event.turn.as_ref().map_or(0, String::len),
        )?;
        within(
            What::EventBytes,
            EVENT_MAX_BYTES,
            event.delta.len().saturating_add(event.inverse.len()),
        )?;
    }
    for record in &append.records {
        within(What::RecordBytes, RECORD_MAX_BYTES, record.value.len())?;
    }
    if append.expected.version() == 0 && append.events.is_empty() && append.records.is_empty() {
        return Err(AppendError::Empty);
    }
    Ok(())
}

impl Plan {
    /// Plans an append on a page whose head is `head`, the version that the caller expects.
    pub(super) fn new(append: &Append, head: Option<Head>, durability: Durability) -> Result<Self, AppendError> {
        let base = head.map_or(0, |head| head.version);
        let base_hash = head.map_or([0; 32], |head| head.hash);
        let mut plan = Self {
            guards: Vec::with_capacity(2 + append.records.len()),
            puts: Vec::with_capacity(1 + append.events.len() + append.records.len()),
            base,
            head_version: base,
            head_hash: base_hash,
            hashes: vec![base_hash],
            durability,
        };
        plan.events(append)?;
        plan.receipt_put(append)?;
        plan.records(append);
        let bytes = plan.puts.iter().map(|put| put.value.len()).sum();
        within(What::BatchBytes, BATCH_MAX_BYTES, bytes)?;
        Ok(plan)
    }

    /// The receipt of the commit, and the page's new head if it has one.
    pub(super) fn receipt(&self, append: &Append, committed: &Committed) -> (Receipt, Option<Head>) {
        let index = committed
            .entries
            .get(append.events.len())
            .map_or(0, |&(_, position)| position);
        let stored = self.stored_receipt(append);
        let head = append.events.last().map(|event| Head {
            version: self.head_version,
            position: index,
            hash: self.head_hash,
            epoch: event.epoch,
            time_ms: event.time_ms,
        });
        (receipt_of(stored, index), head)
    }

    /// The events of the commit, as they will be read back.
    pub(super) fn appended(&self, events: Vec<NewEvent>, command: &Id, index: u64) -> Vec<Event> {
        let before = index.saturating_sub(events.len() as u64);
        let placed = (1..).zip(events).zip(self.hashes.windows(2));
        placed
            .filter_map(|((number, event), hashes)| {
                let &[prev_hash, hash] = hashes else {
                    return None;
                };
                Some(Event {
                    version: self.base + number,
                    position: before + number,
                    command: command.clone(),
                    prev_hash,
                    hash,
                    kind: event.kind,
                    schema: event.schema,
                    time_ms: event.time_ms,
                    actor: event.actor,
                    turn: event.turn,
                    cause: event.cause,
                    epoch: event.epoch,
                    flags: event.flags,
                    delta: event.delta,
                    inverse: event.inverse,
                    digest: event.digest,
                })
            })
            .collect()
    }

    fn events(&mut self, append: &Append) -> Result<(), AppendError> {
        let key = Key::event(&append.page);
        let bytes = key.encode();
        for event in &append.events {
            self.event(append, event, &key, &bytes)?;
        }
        self.guards.push(Guard {
            key,
            revision: self.base,
        });
        Ok(())
    }

    fn event(&mut self, append: &Append, event: &NewEvent, key: &Key, bytes: &[u8]) -> Result<(), AppendError> {
        let context = Context {
            key: bytes,
            revision: self.head_version + 1,
        };
        let sealed =
            codec::seal_event(context, event, &append.command.id, self.head_hash).map_err(AppendError::Unavailable)?;
        within(What::EventBytes, EVENT_MAX_BYTES, sealed.bytes.len())?;
        self.head_version += 1;
        self.head_hash = sealed.hash;
        self.hashes.push(sealed.hash);
        self.puts.push(Put {
            key: key.clone(),
            value: sealed.bytes,
        });
        Ok(())
    }

    fn receipt_put(&mut self, append: &Append) -> Result<(), AppendError> {
        let key = Key::command(&append.page, &append.command.id);
        let context = Context {
            key: &key.encode(),
            revision: 1,
        };
        let sealed = codec::seal_receipt(context, &self.stored_receipt(append)).map_err(AppendError::Unavailable)?;
        self.guards.push(Guard {
            key: key.clone(),
            revision: 0,
        });
        self.puts.push(Put {
            key,
            value: sealed.bytes,
        });
        Ok(())
    }

    fn records(&mut self, append: &Append) {
        for record in &append.records {
            let key = Key::record(&append.page.scope, &record.table, &record.key);
            let context = Context {
                key: &key.encode(),
                revision: record.expected_revision.saturating_add(1),
            };
            let sealed = codec::seal_record(context, &record.value);
            self.guards.push(Guard {
                key: key.clone(),
                revision: record.expected_revision,
            });
            self.puts.push(Put {
                key,
                value: sealed.bytes,
            });
        }
    }

    fn stored_receipt(&self, append: &Append) -> StoredReceipt {
        StoredReceipt {
            events: self.head_version - self.base,
            head_version: self.head_version,
            head_hash: self.head_hash,
            time_ms: append.command.time_ms,
            fingerprint: append.command.fingerprint,
            durability: self.durability,
            outcome: append.command.outcome.clone(),
        }
    }
}

/// A stored receipt with the positions that its entry tells: the events of a command end at the
/// tip of its commit.
pub(crate) fn receipt_of(stored: StoredReceipt, index: u64) -> Receipt {
    let span = |last: u64| {
        let first = last.checked_sub(stored.events)? + 1;
        (stored.events > 0).then_some(Span { first, last })
    };
    Receipt {
        versions: span(stored.head_version),
        positions: span(index),
        head_version: stored.head_version,
        head_hash: stored.head_hash,
        time_ms: stored.time_ms,
        fingerprint: stored.fingerprint,
        outcome: stored.outcome,
        durability: stored.durability,
        index,
    }
}

fn within(what: What, limit: usize, got: usize) -> Result<(), AppendError> {
    if got > limit {
        Err(AppendError::TooLarge { what, limit, got })
    } else {
        Ok(())
    }
}
