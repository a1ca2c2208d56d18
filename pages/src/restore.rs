//! Going back to an earlier version: one event, with the delta from now to then.

use std::sync::Arc;

use recto_projections::{Json, Value};
use recto_store::{Id, PageKey};
use serde_json::json;

use crate::actor::Caller;
use crate::answer::Written;
use crate::assets::{PageAsset, PageAssetState};
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::{ReadError, WriteError};
use crate::event::EventKind;
use crate::head::Base;
use crate::load::Way;
use crate::plan::{Plan, StepNature};
use crate::preview::Preview;
use crate::report::{Entries, Report};
use crate::service::Pages;
use crate::submit::check_writable;
use crate::write::{Change, Job};

/// A page to go back to an earlier version.
#[derive(Clone, Debug)]
pub struct RestorePage {
    /// Who asks.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The version it was decided from: the head, or it is stale.
    pub base: Base,
    /// The version to go back to.
    pub version: u64,
    /// The idempotency key.
    pub command: Id,
}

impl Pages {
    /// Gives the page the value that it had at a version. The event raises the page's epoch: writes made before it are
    /// not rebased over it. Where the page has that value already, no event is made. It can be undone. Assets
    /// that it refers to and that are gone are told as warnings.
    ///
    /// # Errors
    /// [`ReadError::NoSuchVersion`] for a version that never was, [`WriteError::Stale`] where the base is not the head.
    pub async fn restore(&self, restore: RestorePage) -> Result<Written, WriteError> {
        let page = restore.key();
        let job = restore.job(&page, self.clock().now_ms());
        self.write_existing(&job, restore.base, &restore).await
    }

    /// Says what [`Pages::restore`] would do.
    ///
    /// # Errors
    /// As [`Pages::restore`].
    pub async fn preview_restore(&self, restore: RestorePage) -> Result<Preview, WriteError> {
        let page = restore.key();
        let job = restore.job(&page, self.clock().now_ms());
        self.preview_existing(&job, restore.base, &restore).await
    }
}

impl RestorePage {
    fn key(&self) -> PageKey {
        PageKey {
            scope: self.caller.scope.clone(),
            page: self.page.clone(),
        }
    }

    fn job<'a>(&'a self, page: &'a PageKey, now_ms: i64) -> Job<'a> {
        let fingerprint = Fingerprint::new(Operation::Restore, &self.caller, page);
        Job {
            caller: &self.caller,
            page,
            command: &self.command,
            operation: Operation::Restore,
            fingerprint: fingerprint.with_text(Some(&self.version.to_string())).finish(),
            now_ms,
        }
    }
}

impl Change for RestorePage {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        check_writable(job, on, None)?;
        pages.check_base(job.page, on, base).await?;
        let (version, head) = (self.version, on.head);
        if version == 0 || version > head.version {
            let head = head.version;
            return Err(ReadError::NoSuchVersion { version, head }.into());
        }
        let then = pages.state_at(job.page, on, version, Way::Nearest).await?.value;
        let now = on.value.clone();
        let bytes = now.weight().max(then.weight());
        let mut plan = pages.compute(bytes, move || back_to(&now, &then, version)).await??;
        if !plan.steps.is_empty() {
            plan.epoch = Some(head.epoch + 1);
            plan.report.warnings = missing(&pages.assets_of(&job.page.scope, &plan.value).await?);
        }
        Ok(plan)
    }
}

/// What the restored value refers to and is not there any more: it is restored all the same.
fn missing(assets: &[PageAsset]) -> Entries {
    let missing = assets.iter().filter(|asset| asset.state == PageAssetState::Missing);
    let warnings: Vec<Json> = missing
        .map(|asset| {
            json!({
                "code": "asset_missing",
                "detail": "the page shows an image that is not there any more; upload it again, or take the node away",
                "assetId": asset.id,
            })
        })
        .collect();
    Entries::of(&warnings)
}

fn back_to(now: &Value, then: &Value, version: u64) -> Result<Plan, WriteError> {
    let mut plan = Plan::on(now);
    let delta = now.diff(then)?;
    plan.add(0, &delta, &StepNature::caused(EventKind::Restore, version))?;
    if plan.value.digest() != then.digest() {
        return Err(WriteError::InverseBroken { delta: 0 });
    }
    plan.report = Report {
        restored_from: Some(version),
        ..Report::default()
    };
    Ok(plan)
}
