//! Hiding a page, and bringing it back. Both are events; its history stays, and its id is
//! not free again.

use bytes::Bytes;
use recto_store::{Id, PageKey};

use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::WriteError;
use crate::event::EventKind;
use crate::head::Base;
use crate::service::Pages;
use crate::write::{Job, Plan, Planning, Step};

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
        self.write_existing(&job, base, |loaded: &Loaded| {
            let plan = plan(loaded, deleted);
            Ok(Planning::new(0, move || Ok(plan)))
        })
        .await
    }
}

fn plan(loaded: &Loaded, deleted: bool) -> Plan {
    let kind = if deleted {
        EventKind::Delete
    } else {
        EventKind::Undelete
    };
    let step = Step {
        kind,
        actor: None,
        delta: Bytes::new(),
        inverse: Bytes::new(),
        digest: loaded.value.digest(),
    };
    let steps = if loaded.deleted == deleted {
        Vec::new()
    } else {
        vec![step]
    };
    Plan {
        steps,
        value: loaded.value.clone(),
    }
}
