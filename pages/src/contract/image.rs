//! Delivering an image to a page. Delivery only ever adds: exactly one node, and never a change of another.

use std::sync::Arc;

use recto_projections::Value;
use recto_store::{Id, PageKey};

use super::billing::{BillingClass, Charge};
use super::placed::adding;
use super::refusal::ContractRefusal;
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

/// The domain of the ids of image nodes for which none is given.
const ID_DOMAIN: &str = "recto 2026 image node from command v1";
/// How many hex digits such an id has behind its lead.
const ID_DIGITS: usize = 20;

/// An image to be added to a page.
#[derive(Clone, Debug)]
pub struct InsertImage {
    /// Who delivers it.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The asset that it shows.
    pub asset: Id,
    /// The id of the node; without one it is made from the command, the same at every retry.
    pub node: Option<Id>,
    /// Where it lies, and how large it is.
    pub bounds: Bounds,
    /// The idempotency key.
    pub command: Id,
}

/// Where an image lies, in px of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The left and the top edge; without them a free place is claimed.
    pub place: Option<(f64, f64)>,
    /// The width and height, both above zero.
    pub size: Option<(f64, f64)>,
}

impl Bounds {
    /// What is asked for, as it counts for retries; it is stored as a hash, so it never changes.
    fn name(&self) -> String {
        format!("{:?} {:?}", self.place, self.size)
    }
}

impl Pages {
    /// Adds an image to a page, whatever came since anybody read it.
    ///
    /// # Errors
    /// [`ContractRefusal::NoCanvas`] for a page that is no DESIGN page, [`ContractRefusal::NodeExists`].
    pub async fn insert_image(&self, insert: InsertImage) -> Result<Written, WriteError> {
        let page = PageKey {
            scope: insert.caller.scope.clone(),
            page: insert.page.clone(),
        };
        let fingerprint = Fingerprint::new(Operation::InsertImage, &insert.caller, &page)
            .with_text(Some(insert.asset.as_str()))
            .with_text(insert.node.as_ref().map(Id::as_str))
            .with_text(Some(&insert.bounds.name()))
            .finish();
        let job = Job {
            caller: &insert.caller,
            page: &page,
            command: &insert.command,
            operation: Operation::InsertImage,
            fingerprint,
            now_ms: self.clock().now_ms(),
        };
        self.write_at_head(&job, &insert).await
    }
}

impl InsertImage {
    fn node_id(&self) -> String {
        if let Some(node) = &self.node {
            return node.to_string();
        }
        let mut hasher = blake3::Hasher::new_derive_key(ID_DOMAIN);
        hasher.update(self.command.as_str().as_bytes());
        format!("i-{}", &hasher.finalize().to_hex()[..ID_DIGITS])
    }
}

impl Change for InsertImage {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, _: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        check_writable(job, on, None)?;
        let Value::Design(design) = &on.value else {
            return Err(ContractRefusal::NoCanvas { kind: on.meta.kind }.into());
        };
        let node = self.node_id();
        if design.node(&node).is_some() {
            return Err(ContractRefusal::NodeExists { node }.into());
        }
        let (design, asset, bounds) = (design.clone(), self.asset.to_string(), self.bounds);
        let plan = pages.compute(on.value.weight(), move || {
            let delta = adding(&design, &node, &asset, &bounds);
            plan_deltas(&Value::Design(design), [&delta], &StepNature::plain(EventKind::Edit))
        });
        let mut plan = plan.await??;
        let floors = &pages.settings().floors;
        plan.charge = Some(Charge::new(BillingClass::Edit, on.meta.kind, &job.caller.actor, floors));
        Ok(plan)
    }
}
