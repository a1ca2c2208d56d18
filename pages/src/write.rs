//! The walk that every command takes: lock, load, plan, append, answer.

use std::sync::Arc;

use recto_store::{Append, AppendError, Cause, CommandClaim, Expected, Id, NewEvent, PageKey, RecordWrite};

use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Operation, Outcome};
use crate::error::{ReadError, WriteError};
use crate::event::{EventKind, PAYLOAD_SCHEMA, PageEvent};
use crate::head::{Base, HeadInfo};
use crate::plan::{Plan, Step};
use crate::preview::Preview;
use crate::service::Pages;

/// How often a command starts over when the cached head turns out to be behind the store.
const TRIES_MAX: usize = 8;

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

/// What a command does to a page that exists.
pub(crate) trait Change: Sync {
    /// Says what it does to the head, given the version that the caller decided from.
    fn plan(
        &self,
        pages: &Pages,
        job: &Job<'_>,
        base: Base,
        on: &Arc<Loaded>,
    ) -> impl Future<Output = Result<Plan, WriteError>> + Send;
}

impl Pages {
    /// Appends a plan on a head, and brings the cache along. `Ok(None)`: the head was not
    /// the head any more, nothing was written, start over.
    pub(crate) async fn commit(
        &self,
        job: &Job<'_>,
        on: Option<&Loaded>,
        plan: &Plan,
        mut records: Vec<RecordWrite>,
    ) -> Result<Option<Written>, WriteError> {
        // Times of a page never go back, so that "the page at a time" has one answer.
        let time_ms = on.map_or(job.now_ms, |on| job.now_ms.max(on.head.time_ms));
        let epoch = plan.epoch.unwrap_or_else(|| on.map_or(0, |on| on.head.epoch));
        records.extend(plan.records.iter().cloned());
        if let Some(charge) = plan.charge.as_ref().filter(|_| !plan.steps.is_empty()) {
            records.push(charge.record(job.page, job.command, time_ms)?);
        }
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
                    report: plan.report.clone(),
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
                    kind: plan.value.kind(),
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
                    report: plan.report.clone(),
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

    /// Carries out a command on a page that exists.
    pub(crate) async fn write_existing<C: Change>(
        &self,
        job: &Job<'_>,
        base: Base,
        change: &C,
    ) -> Result<Written, WriteError> {
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
                    change.plan(self, job, base, &loaded).await.map(|plan| (loaded, plan))
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

    /// Carries out a command that does the same at every head: it names no base.
    pub(crate) async fn write_at_head<C: Change>(&self, job: &Job<'_>, change: &C) -> Result<Written, WriteError> {
        if let Some(written) = self.earlier_answer(job).await? {
            return Ok(written);
        }
        let base = self.load(job.page).await?.head.base();
        self.write_existing(job, base, change).await
    }

    /// Plans a command without carrying it out.
    pub(crate) async fn preview_existing<C: Change>(
        &self,
        job: &Job<'_>,
        base: Base,
        change: &C,
    ) -> Result<Preview, WriteError> {
        let _lock = self.locks().lock(job.page).await;
        let loaded = self.load(job.page).await?;
        let plan = change.plan(self, job, base, &loaded).await?;
        Preview::new(job, &loaded, plan)
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
        let deleted = matches!(plan.steps.last().map(|step| step.nature.kind), Some(EventKind::Delete));
        let mut next = Loaded {
            meta: Arc::clone(&on.meta),
            head: head_of(newest),
            deleted,
            value: plan.value,
            tally,
        };
        next.tally = self.snapshot_if_due(page, &next);
        self.cache().put(page, Arc::new(next));
        self.histories().advance(page, &written.events);
        metrics::counter!("recto_appended_events_total", "kind" => on.meta.kind.as_str())
            .increment(plan.steps.len() as u64);
    }
}

fn new_event(job: &Job<'_>, step: &Step, time_ms: i64, epoch: u64) -> NewEvent {
    let nature = &step.nature;
    NewEvent {
        kind: nature.kind.code(),
        schema: PAYLOAD_SCHEMA,
        time_ms,
        actor: nature.actor.as_ref().unwrap_or(&job.caller.actor).to_string(),
        turn: job.caller.turn.as_ref().map(ToString::to_string),
        cause: nature.cause.map(|version| Cause {
            kind: nature.kind.code(),
            version,
        }),
        epoch,
        flags: nature.flags.bits(),
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
