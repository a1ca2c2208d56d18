//! Submitting deltas: each becomes one event, all in one commit.

use std::sync::Arc;

use recto_projections::{Delta, Kind};
use recto_store::{Id, PageKey};

use crate::actor::{ActorKind, Caller};
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation, encode_all};
use crate::error::WriteError;
use crate::event::EventKind;
use crate::head::Base;
use crate::service::Pages;
use crate::write::{Job, Planning, plan_deltas};

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
        self.write_existing(&job, base, |loaded: &Loaded| {
            check_writable(&job, loaded, deltas.first().map(Delta::kind))?;
            let (value, deltas) = (loaded.value.clone(), Arc::clone(&deltas));
            Ok(Planning::new(bytes, move || {
                plan_deltas(&value, &deltas, EventKind::Edit)
            }))
        })
        .await
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
