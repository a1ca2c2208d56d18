//! Submitting deltas: each becomes one event, all in one commit.

use std::sync::Arc;

use recto_projections::rebase::OnOverwrite;
use recto_projections::{Delta, Kind};
use recto_store::{Id, PageKey};

use crate::actor::{ActorKind, Caller};
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation, encode_all};
use crate::error::WriteError;
use crate::event::{EventFlags, EventKind};
use crate::head::Base;
use crate::plan::{Plan, StepNature, plan_deltas};
use crate::rebase::Rebasing;
use crate::report::{Entries, RebaseReport};
use crate::service::Pages;
use crate::stale::Rebasable;
use crate::write::{Change, Job};

/// Deltas to be applied.
#[derive(Clone, Debug)]
pub struct SubmitDeltas {
    /// Who sends them.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The version they were made from.
    pub base: Base,
    /// The deltas in order; each is made from the state that the one before it leaves.
    pub deltas: Vec<Delta>,
    /// The idempotency key.
    pub command: Id,
    /// What becomes of them where the page has changed since.
    pub options: SubmitOptions,
}

/// How deltas are taken.
#[derive(Clone, Copy, Debug)]
pub struct SubmitOptions {
    /// What becomes of a write that was made from an earlier version.
    pub on_stale: OnStale,
    /// Whose value stands where such a write sets what was set since.
    pub on_overwrite: OnOverwrite,
    /// Whether a removal takes along what was done to the thing since.
    pub force: bool,
    /// Whether `undo` can take the edit back.
    pub undoable: bool,
}

impl SubmitOptions {
    /// What is asked for, as it counts for retries; it is stored, so it never changes.
    fn name(self) -> String {
        let on_stale = match self.on_stale {
            OnStale::Rebase => "rebase",
            OnStale::Reject => "reject",
        };
        let on_overwrite = match self.on_overwrite {
            OnOverwrite::Refuse => "refuse",
            OnOverwrite::Mine => "mine",
            OnOverwrite::Theirs => "theirs",
        };
        format!("{on_stale} {on_overwrite} {} {}", self.force, self.undoable)
    }
}

/// What becomes of a write that was made from an earlier version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnStale {
    /// It is brought to the head where nothing stands in its way.
    #[default]
    Rebase,
    /// It is refused.
    Reject,
}

impl Default for SubmitOptions {
    fn default() -> Self {
        Self {
            on_stale: OnStale::default(),
            on_overwrite: OnOverwrite::default(),
            force: false,
            undoable: true,
        }
    }
}

impl Pages {
    /// Applies deltas, all or none. One that changes nothing makes no event.
    ///
    /// # Errors
    /// [`WriteError::Stale`] with all that is needed to try again, [`WriteError::Illegal`]
    /// where a delta breaks a rule, and the others that its variants tell.
    pub async fn submit(&self, submit: SubmitDeltas) -> Result<Written, WriteError> {
        let SubmitDeltas {
            caller,
            page,
            base,
            deltas,
            command,
            options,
        } = submit;
        if deltas.is_empty() {
            return Err(WriteError::Empty);
        }
        let page = PageKey {
            scope: caller.scope.clone(),
            page,
        };
        let encoded = encode_all(&deltas).map_err(|fault| WriteError::Unencodable { fault })?;
        let bytes = encoded.iter().map(Vec::len).sum::<usize>();
        let fingerprint = Fingerprint::new(Operation::Deltas, &caller, &page)
            .with_deltas(&encoded)
            .with_text(Some(&options.name()))
            .finish();
        let now_ms = self.clock().now_ms();
        let job = Job {
            caller: &caller,
            page: &page,
            command: &command,
            operation: Operation::Deltas,
            fingerprint,
            now_ms,
        };
        let deltas = Arc::new(deltas);
        self.write_existing(&job, base, &Submission { deltas, bytes, options })
            .await
    }
}

/// Deltas as a change of a page, for whatever command they come from.
pub(crate) struct Submission {
    deltas: Arc<Vec<Delta>>,
    bytes: usize,
    options: SubmitOptions,
}

impl Change for Submission {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        let fresh = pages.is_head(job.page, on, base).await?;
        check_writable(job, on, self.deltas.first().map(Delta::kind))?;
        if !fresh {
            return self.plan_stale(pages, job, base, on).await;
        }
        let (value, deltas, nature) = (on.value.clone(), Arc::clone(&self.deltas), self.nature());
        pages
            .compute(self.bytes, move || plan_deltas(&value, &*deltas, &nature))
            .await?
    }
}

impl Submission {
    pub(crate) fn new(deltas: Vec<Delta>, options: SubmitOptions) -> Result<Self, WriteError> {
        let encoded = encode_all(&deltas).map_err(|fault| WriteError::Unencodable { fault })?;
        Ok(Self {
            bytes: encoded.iter().map(Vec::len).sum(),
            deltas: Arc::new(deltas),
            options,
        })
    }

    fn nature(&self) -> StepNature {
        let flags = if self.options.undoable {
            EventFlags::NONE
        } else {
            EventFlags::NOT_UNDOABLE
        };
        StepNature {
            flags,
            ..StepNature::plain(EventKind::Edit)
        }
    }

    /// Brings deltas that were made from an earlier version to the head.
    async fn plan_stale(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        let rebased = pages.rebase(job.page, base, on, &self.deltas, self.options).await?;
        let rebased = match rebased {
            Rebasing::Done(rebased) if self.options.on_stale == OnStale::Rebase => rebased,
            Rebasing::Done(_) => return Err(pages.stale(job.page, on, base, Vec::new(), Rebasable::Yes).await?),
            Rebasing::Conflicts(conflicts) => {
                return Err(pages.stale(job.page, on, base, conflicts, Rebasable::Conflicts).await?);
            }
            Rebasing::DeletedSince => {
                return Err(pages.stale(job.page, on, base, Vec::new(), Rebasable::Never).await?);
            }
            Rebasing::TooFar => return Err(pages.stale(job.page, on, base, Vec::new(), Rebasable::TooFar).await?),
        };
        metrics::counter!("recto_rebases_total", "kind" => on.meta.kind.as_str()).increment(1);
        let (value, nature, over) = (on.value.clone(), self.nature(), on.head.version);
        pages
            .compute(self.bytes, move || {
                let mut plan = plan_deltas(&value, rebased.iter().map(|rebased| &rebased.delta), &nature)?;
                let dropped: Vec<_> = rebased.iter().flat_map(|rebased| rebased.dropped.clone()).collect();
                let notes: Vec<_> = rebased.iter().flat_map(|rebased| rebased.notes.clone()).collect();
                plan.report.rebase = Some(RebaseReport {
                    base: base.version,
                    over,
                    dropped: Entries::of(&dropped),
                    notes: Entries::of(&notes),
                });
                Ok(plan)
            })
            .await?
    }
}

/// Whether this caller may write a value or delta of this kind to this page now.
pub(crate) fn check_writable(job: &Job<'_>, loaded: &Loaded, given: Option<Kind>) -> Result<(), WriteError> {
    let page = job.page.page.to_string();
    if loaded.deleted {
        return Err(WriteError::PageDeleted {
            page,
            head: loaded.head,
        });
    }
    let actual = loaded.meta.kind;
    if let Some(given) = given.filter(|given| *given != actual) {
        return Err(WriteError::WrongKind { page, actual, given });
    }
    if actual == Kind::Sheet && job.caller.actor.kind() == ActorKind::Agent {
        return Err(WriteError::NotForAgents { kind: actual });
    }
    Ok(())
}
