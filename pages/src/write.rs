//! The walk that every command takes: lock, load, plan, append, answer.

use std::sync::Arc;

use bytes::Bytes;
use recto_projections::{Delta, Digest, Value};
use recto_store::{Append, AppendError, CommandClaim, Expected, Id, Limit, NewEvent, PageKey, RecordWrite};

use crate::actor::{Actor, Caller};
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Operation, Outcome};
use crate::error::{Missed, ReadError, Stale, WriteError};
use crate::event::{EventKind, PAYLOAD_SCHEMA, PageEvent};
use crate::head::{Base, HeadInfo};
use crate::service::Pages;

/// How often a command starts over when the cached head turns out to be behind the store.
const TRIES_MAX: usize = 8;
/// The most missed events that a refusal carries, however small they are.
const MISSED_EVENTS_MAX: usize = 1000;

/// One command on its way.
pub(crate) struct Job<'a> {
    pub caller: &'a Caller,
    pub page: &'a PageKey,
    pub command: &'a Id,
    pub operation: Operation,
    pub fingerprint: [u8; 32],
    /// When it came, in ms since 1970.
    pub now_ms: i64,
}

/// One event to be.
pub(crate) struct Step {
    pub kind: EventKind,
    /// Who is named in the event, where it is not the caller.
    pub actor: Option<Actor>,
    pub delta: Bytes,
    pub inverse: Bytes,
    pub digest: Digest,
}

/// The work of making a plan, and about how many bytes it is on.
pub(crate) struct Planning {
    bytes: usize,
    make: Box<dyn FnOnce() -> Result<Plan, WriteError> + Send>,
}

/// What a command will do: the events, and the state after them. No step: nothing changes.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    pub value: Value,
}

impl Planning {
    pub(crate) fn new(bytes: usize, make: impl FnOnce() -> Result<Plan, WriteError> + Send + 'static) -> Self {
        Self {
            bytes,
            make: Box::new(make),
        }
    }
}

impl Pages {
    /// Appends a plan on a head, and brings the cache along. `Ok(None)`: the head was not
    /// the head any more, nothing was written, start over.
    pub(crate) async fn commit(
        &self,
        job: &Job<'_>,
        on: Option<&Loaded>,
        plan: &Plan,
        records: Vec<RecordWrite>,
    ) -> Result<Option<Written>, WriteError> {
        // Times of a page never go back, so that "the page at a time" has one answer.
        let time_ms = on.map_or(job.now_ms, |on| job.now_ms.max(on.head.time_ms));
        let epoch = on.map_or(0, |on| on.head.epoch);
        let append = Append {
            page: job.page.clone(),
            expected: on.map_or(Expected::New, |on| Expected::Exactly(on.head.version)),
            events: plan
                .steps
                .iter()
                .map(|step| new_event(job, step, time_ms, epoch))
                .collect(),
            command: CommandClaim {
                id: job.command.clone(),
                fingerprint: job.fingerprint,
                outcome: Outcome {
                    operation: job.operation,
                    epoch,
                }
                .to_bytes()
                .into(),
                time_ms,
            },
            records,
        };
        match self.store().append(append).await {
            Ok(appended) => {
                let receipt = appended.receipt;
                Ok(Some(Written {
                    page: job.page.clone(),
                    operation: job.operation,
                    command: job.command.clone(),
                    version: receipt.head_version,
                    epoch,
                    time_ms,
                    hash: receipt.head_hash,
                    durability: receipt.durability,
                    events: appended
                        .events
                        .into_iter()
                        .map(|event| PageEvent::new(job.page, event))
                        .collect(),
                    replayed: false,
                }))
            }
            Err(AppendError::AlreadyDone(receipt)) => {
                Ok(Some(self.replay_answer(job.page, job.command, *receipt).await?))
            }
            Err(AppendError::Conflict { .. } | AppendError::RecordConflict { .. }) => {
                self.cache().forget(job.page);
                Ok(None)
            }
            Err(fault) => {
                // What is on disk now is not certain; the next command reads it afresh.
                self.cache().forget(job.page);
                Err(refusal(job, fault))
            }
        }
    }

    /// The first answer to this command, where it was carried out before.
    pub(crate) async fn earlier_answer(&self, job: &Job<'_>) -> Result<Option<Written>, WriteError> {
        let Some(receipt) = self
            .store()
            .receipt(job.page, job.command)
            .await
            .map_err(ReadError::from)?
        else {
            return Ok(None);
        };
        if receipt.fingerprint != job.fingerprint {
            return Err(WriteError::CommandIdReused {
                command: job.command.clone(),
            });
        }
        Ok(Some(self.replay_answer(job.page, job.command, receipt).await?))
    }

    /// A refusal stands only if the command did not pass before.
    pub(crate) async fn refuse_unless_done(&self, job: &Job<'_>, refusal: WriteError) -> Result<Written, WriteError> {
        match self.earlier_answer(job).await? {
            Some(written) => Ok(written),
            None => Err(refusal),
        }
    }

    /// Carries out a command on a page that exists: `plan` says what it does to the head.
    pub(crate) async fn write_existing<F>(&self, job: &Job<'_>, base: Base, plan: F) -> Result<Written, WriteError>
    where
        F: Fn(&Loaded) -> Result<Planning, WriteError>,
    {
        let _lock = self.locks().lock(job.page).await;
        for _ in 0..TRIES_MAX {
            let planned = match self.load(job.page).await {
                Ok(loaded) => {
                    // A retry comes with the base of its first sending: its answer is looked for
                    // before a refusal, with all that was missed, is put together.
                    if base != loaded.head.base()
                        && let Some(written) = self.earlier_answer(job).await?
                    {
                        return Ok(written);
                    }
                    match self.check_base(job.page, &loaded, base).await {
                        Ok(()) => self.plan(plan(&loaded)).await.map(|plan| (loaded, plan)),
                        Err(refusal) => Err(refusal),
                    }
                }
                Err(fault) => Err(fault.into()),
            };
            let (loaded, plan) = match planned {
                Ok(planned) => planned,
                Err(refusal) => return self.refuse_unless_done(job, refusal).await,
            };
            if let Some(written) = self.commit(job, Some(&loaded), &plan, Vec::new()).await? {
                if !written.replayed {
                    self.advance(job.page, &loaded, plan, &written);
                }
                return Ok(written);
            }
        }
        Err(WriteError::Unavailable {
            reason: "the page changes faster than this write can follow".to_owned(),
        })
    }

    async fn plan(&self, planning: Result<Planning, WriteError>) -> Result<Plan, WriteError> {
        let Planning { bytes, make } = planning?;
        self.compute(bytes, make).await?
    }

    /// The base must be the head: older is stale, and anything else never was.
    async fn check_base(&self, page: &PageKey, loaded: &Loaded, base: Base) -> Result<(), WriteError> {
        let head = loaded.head;
        if base == head.base() {
            return Ok(());
        }
        let known = base.version >= 1
            && base.version < head.version
            && self.event_at(page, base.version).await?.event.epoch == base.epoch;
        if !known {
            return Err(WriteError::BaseUnknown { base, head });
        }
        let missed = self.missed(page, base.version, head.version).await?;
        metrics::counter!("recto_conflicts_total", "kind" => "stale").increment(1);
        Err(WriteError::Stale(Box::new(Stale { base, head, missed })))
    }

    /// The events after a base, as many as a refusal may carry, and at least where to go on.
    async fn missed(&self, page: &PageKey, base: u64, head: u64) -> Result<Missed, ReadError> {
        let mut room = self.settings().missed_bytes_max;
        let mut missed = Missed::default();
        for event in self.missed_events(page, base, room).await? {
            let bytes = event.event.delta.len() + event.event.inverse.len();
            if bytes > room {
                break;
            }
            room -= bytes;
            missed.events.push(event);
        }
        let reached = missed.events.last().map_or(base, PageEvent::version);
        missed.more_after = (reached < head).then_some(reached);
        Ok(missed)
    }

    async fn missed_events(&self, page: &PageKey, base: u64, room: usize) -> Result<Vec<PageEvent>, ReadError> {
        let limit = Limit {
            entries: MISSED_EVENTS_MAX,
            bytes: room,
        };
        let events = self.store().events(page, base, limit).await?;
        Ok(events.into_iter().map(|event| PageEvent::new(page, event)).collect())
    }

    /// Puts the new head into the cache and, where it is time, a snapshot behind the answer.
    pub(crate) fn advance(&self, page: &PageKey, on: &Loaded, plan: Plan, written: &Written) {
        let Some(newest) = written.events.last() else {
            return;
        };
        let mut tally = on.tally;
        for step in &plan.steps {
            tally.add(step.delta.len(), step.inverse.len());
        }
        let deleted = matches!(plan.steps.last().map(|step| step.kind), Some(EventKind::Delete));
        let mut next = Loaded {
            meta: Arc::clone(&on.meta),
            head: head_of(newest),
            deleted,
            value: plan.value,
            tally,
        };
        next.tally = self.snapshot_if_due(page, &next);
        self.cache().put(page, Arc::new(next));
        metrics::counter!("recto_appended_events_total", "kind" => on.meta.kind.as_str())
            .increment(plan.steps.len() as u64);
    }
}

/// Applies deltas one after the other, with each inverse tried on the state it was made for.
pub(crate) fn plan_deltas(value: &Value, deltas: &[Delta], kind: EventKind) -> Result<Plan, WriteError> {
    let mut plan = Plan {
        steps: Vec::with_capacity(deltas.len()),
        value: value.clone(),
    };
    let mut committed = Vec::with_capacity(deltas.len());
    for (index, delta) in deltas.iter().enumerate() {
        committed.extend(plan_one(&mut plan, index, delta, kind, None)?);
    }
    rebalance_long_keys(&mut plan, &committed)?;
    Ok(plan)
}

/// Adds the event of one delta to the plan, and returns the delta as committed; none where it
/// changes nothing.
fn plan_one(
    plan: &mut Plan,
    index: usize,
    delta: &Delta,
    kind: EventKind,
    actor: Option<Actor>,
) -> Result<Option<Delta>, WriteError> {
    let before = plan.value.clone();
    let applied = plan
        .value
        .apply(delta)
        .map_err(|fault| WriteError::Illegal { delta: index, fault })?;
    if applied.delta.is_empty() {
        return Ok(None);
    }
    let mut back = plan.value.clone();
    if back.replay(&applied.inverse).is_err() || back.digest() != before.digest() {
        return Err(WriteError::InverseBroken { delta: index });
    }
    let encoded = applied
        .delta
        .to_bytes()
        .and_then(|delta| Ok((delta, applied.inverse.to_bytes()?)));
    let (delta, inverse) = encoded.map_err(|fault| WriteError::Unencodable { fault })?;
    plan.steps.push(Step {
        kind,
        actor,
        delta: delta.into(),
        inverse: inverse.into(),
        digest: plan.value.digest(),
    });
    Ok(Some(applied.delta))
}

/// Order keys that grew over their limit are made short again, in the same commit.
fn rebalance_long_keys(plan: &mut Plan, committed: &[Delta]) -> Result<(), WriteError> {
    let Value::Design(design) = &plan.value else {
        return Ok(());
    };
    let mut ops = Vec::new();
    for delta in committed {
        let Delta::Design(done) = delta else { continue };
        for parent in design.wanting_rebalance(done) {
            ops.extend(design.rebalance(parent.as_ref()));
        }
    }
    if ops.is_empty() {
        return Ok(());
    }
    let index = plan.steps.len();
    plan_one(
        plan,
        index,
        &Delta::Design(ops),
        EventKind::Rebalance,
        Some(Actor::system()),
    )?;
    Ok(())
}

fn new_event(job: &Job<'_>, step: &Step, time_ms: i64, epoch: u64) -> NewEvent {
    NewEvent {
        kind: step.kind.code(),
        schema: PAYLOAD_SCHEMA,
        time_ms,
        actor: step.actor.as_ref().unwrap_or(&job.caller.actor).to_string(),
        turn: job.caller.turn.as_ref().map(ToString::to_string),
        cause: None,
        epoch,
        flags: 0,
        delta: step.delta.clone(),
        inverse: step.inverse.clone(),
        digest: *step.digest.as_bytes(),
    }
}

pub(crate) fn head_of(event: &PageEvent) -> HeadInfo {
    let event = &event.event;
    HeadInfo {
        version: event.version,
        epoch: event.epoch,
        position: event.position,
        time_ms: event.time_ms,
        hash: event.hash,
    }
}

fn refusal(job: &Job<'_>, fault: AppendError) -> WriteError {
    let command = job.command.clone();
    match fault {
        AppendError::CommandIdReused { .. } => WriteError::CommandIdReused { command },
        AppendError::TooLarge { what, limit, got } => WriteError::TooLarge {
            what: what.to_string(),
            limit: limit as u64,
            got: got as u64,
        },
        AppendError::OutcomeUnknown { .. } => WriteError::OutcomeUnknown { command },
        other => WriteError::Unavailable {
            reason: other.to_string(),
        },
    }
}
