//! Undo and redo: what is to be taken back, found in the stacks; the plan, made by the
//! projections; and one event for each event taken back, the newest first, in one commit.

mod plan;
mod refusal;
mod select;

use std::sync::Arc;

use recto_projections::Json;
use recto_projections::undo::{Outcome, Policy};
use recto_store::{Id, PageKey};
use serde_json::json;

pub use self::refusal::UndoRefusal;

use self::plan::{Planner, Taken};
use crate::actor::{Actor, ActorKind, Caller};
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::WriteError;
use crate::event::PageEvent;
use crate::head::Base;
use crate::load::hole;
use crate::plan::Plan;
use crate::preview::Preview;
use crate::report::{Entries, Report, UndoReport};
use crate::service::Pages;
use crate::stale::Rebasable;
use crate::submit::check_writable;
use crate::write::{Change, Job};

/// The most events that one undo takes back: each makes an event, and a commit holds 1,000.
const TARGETS_MAX: usize = 900;

/// Something to be undone or redone.
#[derive(Clone, Debug)]
pub struct UndoPage {
    /// Who asks.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The version it was decided from. An older one than the head does where nobody has undone, redone or restored
    /// since, nor, for the newest of an actor, that actor edited.
    pub base: Base,
    /// Take undos back, not edits.
    pub redo: bool,
    /// What is to be taken back.
    pub target: UndoTarget,
    /// What becomes of a field that was overwritten since. Without it: [`Policy::Restore`] where a user takes back the
    /// newest of their own, else [`Policy::Keep`].
    pub policy: Option<Policy>,
    /// Whether what an event created goes even if others edited it since.
    pub force: bool,
    /// The idempotency key.
    pub command: Id,
}

/// What is to be undone or redone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoTarget {
    /// The newest entry in the stack of an actor that still has an effect; without an actor, of the caller.
    Newest {
        /// Whose stack.
        actor: Option<Actor>,
    },
    /// An event by its version, or what stands for it now.
    Event(u64),
    /// All edits of a turn, as far as they stand (undo) or are undone (redo).
    Turn(Id),
}

impl Pages {
    /// Undoes or redoes. Each event taken back makes one event; one that has nothing left to take back makes none,
    /// unless what it stands for may show later.
    ///
    /// # Errors
    /// [`WriteError::Undo`] where there is nothing to take back as asked, [`WriteError::Stale`] where somebody else's
    /// undo came first.
    pub async fn undo(&self, undo: UndoPage) -> Result<Written, WriteError> {
        let page = undo.key();
        let job = undo.job(&page, self.clock().now_ms());
        let written = self.write_existing(&job, undo.base, &undo).await?;
        if let Some(report) = written.report.undo.as_ref().filter(|_| !written.replayed) {
            metrics::counter!("recto_undos_total", "outcome" => report.outcome.as_str()).increment(1);
        }
        Ok(written)
    }

    /// Says what [`Pages::undo`] would do.
    ///
    /// # Errors
    /// As [`Pages::undo`].
    pub async fn preview_undo(&self, undo: UndoPage) -> Result<Preview, WriteError> {
        let page = undo.key();
        let job = undo.job(&page, self.clock().now_ms());
        self.preview_existing(&job, undo.base, &undo).await
    }
}

impl UndoPage {
    fn key(&self) -> PageKey {
        PageKey {
            scope: self.caller.scope.clone(),
            page: self.page.clone(),
        }
    }

    fn job<'a>(&'a self, page: &'a PageKey, now_ms: i64) -> Job<'a> {
        let operation = if self.redo { Operation::Redo } else { Operation::Undo };
        let target = match &self.target {
            UndoTarget::Newest { actor: None } => "newest".to_owned(),
            UndoTarget::Newest { actor: Some(actor) } => format!("newest of {actor}"),
            UndoTarget::Event(version) => format!("event {version}"),
            UndoTarget::Turn(turn) => format!("turn {turn}"),
        };
        let policy = self.policy.map_or("usual", Policy::as_str);
        let asked = format!("{policy} {} {target}", self.force);
        Job {
            caller: &self.caller,
            page,
            command: &self.command,
            operation,
            fingerprint: Fingerprint::new(operation, &self.caller, page)
                .with_text(Some(&asked))
                .finish(),
            now_ms,
        }
    }

    /// The actor whose newest entry is meant, if that is what is asked for.
    fn owner(&self) -> Option<&Actor> {
        match &self.target {
            UndoTarget::Newest { actor } => Some(actor.as_ref().unwrap_or(&self.caller.actor)),
            UndoTarget::Event(_) | UndoTarget::Turn(_) => None,
        }
    }

    fn policy(&self) -> Policy {
        let own = self.owner() == Some(&self.caller.actor);
        let by_user = self.caller.actor.kind() == ActorKind::User;
        let usual = if own && by_user { Policy::Restore } else { Policy::Keep };
        self.policy.unwrap_or(usual)
    }
}

impl Change for UndoPage {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        let fresh = pages.is_head(job.page, on, base).await?;
        check_writable(job, on, None)?;
        if !fresh && self.is_too_late(pages, job.page, base, on).await? {
            return Err(pages.stale(job.page, on, base, Vec::new(), Rebasable::Never).await?);
        }
        let mut planner = Planner::new(pages, job.page, on, self).await?;
        let plan = match &self.target {
            UndoTarget::Newest { .. } => self.newest(&mut planner).await,
            UndoTarget::Event(version) => match planner.event(*version).await {
                Ok(target) => self.plan_taken(&mut planner, &[target]).await,
                Err(refusal) => Err(refusal),
            },
            UndoTarget::Turn(turn) => match planner.turn(turn.as_str()) {
                Ok(targets) => self.plan_taken(&mut planner, &targets).await,
                Err(refusal) => Err(refusal),
            },
        };
        planner.finish();
        plan
    }
}

impl UndoPage {
    /// Whether something happened since the base that the caller must see before it decides.
    async fn is_too_late(&self, pages: &Pages, page: &PageKey, base: Base, on: &Loaded) -> Result<bool, WriteError> {
        let head = on.head;
        if base.epoch != head.epoch || head.version - base.version > pages.settings().rebase_events_max {
            return Ok(true);
        }
        let owner = self.owner().map(Actor::to_string);
        let mut at = base.version;
        while at < head.version {
            let since = pages.events_forward(page, at..head.version).await?;
            if since.iter().any(|event| select::decides(event, owner.as_deref())) {
                return Ok(true);
            }
            at = since.last().map(PageEvent::version).ok_or_else(|| hole(at + 1))?;
        }
        Ok(false)
    }

    /// Steps over the entries that would change nothing, down to one that does.
    async fn newest(&self, planner: &mut Planner<'_>) -> Result<Plan, WriteError> {
        let owner = self.owner().unwrap_or(&self.caller.actor).to_string();
        let before = planner.on.value.digest();
        let mut skipped = Vec::new();
        for targets in planner.entries(&owner) {
            let mut plan = self.plan_taken(planner, &targets).await?;
            // What a redo takes back stands in the stream, also where it does not show.
            if plan.value.digest() != before || (self.redo && !plan.steps.is_empty()) {
                plan.step_over(&skipped);
                return Ok(plan);
            }
            skipped.push(json!({ "code": "no_effect", "events": targets }));
        }
        Err(UndoRefusal::Nothing {
            actor: owner,
            redo: self.redo,
            skipped: skipped.len(),
        }
        .into())
    }

    async fn plan_taken(&self, planner: &mut Planner<'_>, targets: &[u64]) -> Result<Plan, WriteError> {
        // The newest part of what is too much for one commit; the next undo takes the rest.
        let (targets, left) = targets.split_at(targets.len().min(TARGETS_MAX));
        let mut plan = self.plan_all(planner, targets).await?;
        if !left.is_empty() {
            plan.leave(left);
        }
        Ok(plan)
    }

    async fn plan_all(&self, planner: &mut Planner<'_>, targets: &[u64]) -> Result<Plan, WriteError> {
        let taken = planner.take(targets).await?;
        let (value, force) = (planner.on.value.clone(), self.force);
        let bytes = value.weight().min(taken.weight());
        planner
            .pages
            .compute(bytes, move || taken.into_plan(&value, force))
            .await?
    }
}

impl Plan {
    /// Tells which events are left to be taken back.
    fn leave(&mut self, left: &[u64]) {
        if let Some(undo) = &mut self.report.undo {
            undo.skipped
                .put_first(&[json!({ "code": "left", "count": left.len() })]);
            if undo.outcome == Outcome::Applied {
                undo.outcome = Outcome::Partial;
            }
        }
    }

    /// Tells which entries were passed over to come to this one.
    fn step_over(&mut self, passed: &[Json]) {
        if let Some(undo) = &mut self.report.undo {
            undo.skipped.put_first(passed);
        }
    }
}

impl Taken {
    /// The events that take it back.
    fn into_plan(self, value: &recto_projections::Value, force: bool) -> Result<Plan, WriteError> {
        let mut plan = Plan::on(value);
        let mut committed = Vec::new();
        for (index, step) in self.undo.steps.iter().enumerate() {
            let nature = self.nature(step.target, force);
            match plan.add(index, &step.delta, &nature)? {
                Some(delta) => committed.push(delta),
                None if step.remember => plan.add_unseen(&nature)?,
                None => {}
            }
        }
        plan.rebalance_long_keys(&committed)?;
        let outcome = if committed.is_empty() {
            Outcome::Noop
        } else {
            self.undo.outcome
        };
        plan.report = Report::of_undo(UndoReport {
            outcome,
            of: self.undo.steps.iter().map(|step| step.target).collect(),
            conflicts: Entries::of(&self.undo.conflicts),
            skipped: Entries::of(&self.undo.skipped),
            notes: Entries::of(&self.undo.notes),
        });
        Ok(plan)
    }
}
