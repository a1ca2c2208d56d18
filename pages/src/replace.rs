//! Replacing a page's whole value. What is stored is the fine delta that leads there.

use std::sync::Arc;

use recto_projections::{Json, Value};
use recto_store::{Id, PageKey};

use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::WriteError;
use crate::event::EventKind;
use crate::head::Base;
use crate::plan::{Plan, StepNature, plan_deltas};
use crate::service::Pages;
use crate::submit::check_writable;
use crate::write::{Change, Job};

/// A whole value to be put in place of the page's.
#[derive(Clone, Debug)]
pub struct ReplaceValue {
    /// Who sends it.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The version it was made from: the head, or it is stale.
    pub base: Base,
    /// The value in the JSON form of the page's kind.
    pub value: Json,
    /// The idempotency key.
    pub command: Id,
}

impl Pages {
    /// Replaces the value by the fine delta from the old one to the new one, so that others'
    /// later undo still works. An equal value makes no event.
    ///
    /// # Errors
    /// [`WriteError::Invalid`] where the JSON is no value of the page's kind,
    /// [`WriteError::Stale`] where the base is not the head.
    pub async fn replace(&self, replace: ReplaceValue) -> Result<Written, WriteError> {
        let ReplaceValue {
            caller,
            page,
            base,
            value,
            command,
        } = replace;
        let page = PageKey {
            scope: caller.scope.clone(),
            page,
        };
        let text = value.to_string();
        let fingerprint = Fingerprint::new(Operation::Replace, &caller, &page)
            .with_text(Some(&text))
            .finish();
        let now_ms = self.clock().now_ms();
        let job = Job {
            caller: &caller,
            page: &page,
            command: &command,
            operation: Operation::Replace,
            fingerprint,
            now_ms,
        };
        let replacement = Replacement {
            bytes: text.len(),
            value: Arc::new(value),
        };
        self.write_existing(&job, base, &replacement).await
    }
}

struct Replacement {
    value: Arc<Json>,
    bytes: usize,
}

impl Change for Replacement {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        check_writable(job, on, None)?;
        pages.check_base(job.page, on, base).await?;
        let (old, new) = (on.value.clone(), Arc::clone(&self.value));
        let bytes = old.weight().max(self.bytes);
        pages.compute(bytes, move || plan_replace(&old, &new)).await?
    }
}

fn plan_replace(old: &Value, new: &Json) -> Result<Plan, WriteError> {
    let new = old.successor_from_json(new).map_err(WriteError::Invalid)?;
    let delta = old.diff(&new)?;
    plan_deltas(old, [&delta], &StepNature::plain(EventKind::Edit))
}
