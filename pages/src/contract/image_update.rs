//! Moving, resizing and restyling an image. The asset that it shows changes only where the write says that it shall.

use std::sync::Arc;

use recto_projections::{Delta, Json, Kind, Value};
use recto_store::{Id, PageKey};
use serde_json::{Map, json};

use super::billing::{BillingClass, Charge};
use super::placed::{ASSET, IMAGE};
use super::refusal::ContractRefusal;
use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::WriteError;
use crate::head::Base;
use crate::load::Way;
use crate::plan::Plan;
use crate::service::Pages;
use crate::submit::{Submission, SubmitOptions, check_writable};
use crate::write::{Change, Job};

/// An image node to be changed.
#[derive(Clone, Debug)]
pub struct UpdateImage {
    /// Who changes it.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The node.
    pub node: Id,
    /// The version that it was decided from. A stale change is brought to the head where nothing stands in its way.
    pub base: Base,
    /// What becomes otherwise.
    pub change: ImageChange,
    /// The idempotency key.
    pub command: Id,
}

/// What becomes otherwise of an image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageChange {
    /// Fields of the geometry: `x`, `y`, `width`, `height`, `rotation`.
    pub geometry: Map<String, Json>,
    /// Properties by name; null takes one away.
    pub props: Map<String, Json>,
    /// Another asset.
    pub asset: Option<Id>,
    /// Whether the asset shall be replaced: without it another asset is refused.
    pub replace_asset: bool,
}

impl ImageChange {
    /// All that it says, as it counts for retries; it is stored as a hash, so it never changes.
    fn name(&self) -> String {
        let asset = self.asset.as_ref().map(Id::as_str);
        json!([self.geometry, self.props, asset, self.replace_asset]).to_string()
    }

    /// The operations on a node.
    fn operations(&self, node: &str) -> Json {
        let mut ops = Vec::new();
        if !self.geometry.is_empty() {
            ops.push(json!({ "op": "moveNode", "id": node, "geometry": self.geometry }));
        }
        let (mut set, mut unset) = (Map::new(), Vec::new());
        for (name, value) in &self.props {
            let pointer = format!("/props/{}", name.replace('~', "~0").replace('/', "~1"));
            match value {
                Json::Null => unset.push(Json::from(pointer)),
                value => drop(set.insert(pointer, value.clone())),
            }
        }
        if let Some(asset) = &self.asset {
            set.insert(format!("/props/{ASSET}"), asset.as_str().into());
        }
        if !set.is_empty() || !unset.is_empty() {
            ops.push(json!({ "op": "setNode", "id": node, "set": set, "unset": unset }));
        }
        Json::Array(ops)
    }
}

impl Pages {
    /// Changes an image node.
    ///
    /// # Errors
    /// [`ContractRefusal::NodesUnknown`], [`ContractRefusal::NotAnImage`], [`ContractRefusal::AssetKept`]; where the page
    /// has changed, as [`Pages::submit`].
    pub async fn update_image(&self, update: UpdateImage) -> Result<Written, WriteError> {
        let page = PageKey {
            scope: update.caller.scope.clone(),
            page: update.page.clone(),
        };
        let fingerprint = Fingerprint::new(Operation::UpdateImage, &update.caller, &page)
            .with_text(Some(update.node.as_str()))
            .with_text(Some(&update.change.name()))
            .finish();
        let job = Job {
            caller: &update.caller,
            page: &page,
            command: &update.command,
            operation: Operation::UpdateImage,
            fingerprint,
            now_ms: self.clock().now_ms(),
        };
        self.write_existing(&job, update.base, &update).await
    }
}

impl Change for UpdateImage {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, base: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        check_writable(job, on, None)?;
        if on.meta.kind != Kind::Design {
            return Err(ContractRefusal::NoCanvas { kind: on.meta.kind }.into());
        }
        // The node is looked at as the caller saw it.
        let then = match pages.is_head(job.page, on, base).await? {
            true => on.value.clone(),
            false => pages.state_at(job.page, on, base.version, Way::Nearest).await?.value,
        };
        self.check(&then)?;
        let ops = self.change.operations(self.node.as_str());
        let delta = Delta::from_json(Kind::Design, &ops).map_err(ContractRefusal::ContentInvalid)?;
        let submission = Submission::new(vec![delta], SubmitOptions::default())?;
        let mut plan = submission.plan(pages, job, base, on).await?;
        let floors = &pages.settings().floors;
        plan.charge = Some(Charge::new(BillingClass::Edit, on.meta.kind, &job.caller.actor, floors));
        Ok(plan)
    }
}

impl UpdateImage {
    fn check(&self, then: &Value) -> Result<(), ContractRefusal> {
        let name = || self.node.to_string();
        let found = match then {
            Value::Design(design) => design.node(self.node.as_str()),
            _ => None,
        };
        let node = found.ok_or_else(|| ContractRefusal::NodesUnknown { nodes: vec![name()] })?;
        if node.kind() != IMAGE {
            return Err(ContractRefusal::NotAnImage {
                node: name(),
                actual: node.kind().to_owned(),
            });
        }
        let shown = node.props().get(ASSET).and_then(Json::as_str);
        let asked = self.change.asset.as_ref().map(Id::as_str);
        let other = asked.is_some() && asked != shown;
        let as_prop = self
            .change
            .props
            .get(ASSET)
            .is_some_and(|asset| asset.as_str() != shown);
        if (other && !self.change.replace_asset) || as_prop {
            return Err(ContractRefusal::AssetKept { node: name() });
        }
        Ok(())
    }
}
