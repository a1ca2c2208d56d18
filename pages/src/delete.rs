//! Hiding a page, and bringing it back. Both are events; its history stays, and its id is
//! not free again.

use std::sync::Arc;

use bytes::Bytes;
use recto_store::{Id, PageKey};

use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::WriteError;
use crate::event::EventKind;
use crate::head::Base;
use crate::plan::{Plan, Step, StepNature};
use crate::service::Pages;
use crate::write::{Change, Job};

/// A page to be hidden or brought back.
#[derive(Clone, Debug)]
pub struct SetDeleted {
    /// Who asks.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The version it was decided from.
    pub base: Base,
    /// Hide it, or bring it back.
    pub deleted: bool,
    /// The idempotency key.
    pub command: Id,
}

impl Pages {
    /// Hides a page or brings it back. Where it is so already, no event is made.
    ///
    /// # Errors
    /// [`WriteError::Stale`] where the page changed since it was read, and the others that
    /// its variants tell.
    pub async fn set_deleted(&self, set: SetDeleted) -> Result<Written, WriteError> {
        let SetDeleted {
            caller,
            page,
            base,
            deleted,
            command,
        } = set;
        let page = PageKey {
            scope: caller.scope.clone(),
            page,
        };
        let operation = if deleted {
            Operation::Delete
        } else {
            Operation::Undelete
        };
        let fingerprint = Fingerprint::new(operation, &caller, &page).finish();
        let now_ms = self.clock().now_ms();
        let job = Job {
            caller: &caller,
            page: &page,
            command: &command,
            operation,
            fingerprint,
            now_ms,
        };
        self.write_existing(&job, base, &Hiding { deleted }).await
    }
}

struct Hiding {
    deleted: bool,
}

impl Change for Hiding {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        pages.check_base(job.page, on, base).await?;
        Ok(plan(on, self.deleted))
    }
}

fn plan(loaded: &Loaded, deleted: bool) -> Plan {
    let kind = if deleted {
        EventKind::Delete
    } else {
        EventKind::Undelete
    };
    let mut plan = Plan::on(&loaded.value);
    if loaded.deleted != deleted {
        plan.steps.push(Step {
            nature: StepNature::plain(kind),
            delta: Bytes::new(),
            inverse: Bytes::new(),
            digest: loaded.value.digest(),
        });
    }
    plan
}
