//! Delivering an image to a page. Delivery only ever adds: exactly one node, and never a change of another.

use std::sync::Arc;

use recto_projections::Value;
use recto_store::{Id, PageKey};

use super::billing::{BillingClass, Charge};
use super::delivered::Delivered;
use super::placed::{Wanted, adding, placed};
use super::refusal::ContractRefusal;
use crate::actor::Caller;
use crate::answer::Written;
use crate::cache::Loaded;
use crate::command::{Fingerprint, Operation};
use crate::error::{ReadError, WriteError};
use crate::event::EventKind;
use crate::head::Base;
use crate::plan::{Plan, StepNature, plan_deltas};
use crate::service::Pages;
use crate::slots::PLACED_ELSEWHERE;
use crate::submit::check_writable;
use crate::write::{Change, Job};

/// The domain of the ids of image nodes for which none is given.
const ID_DOMAIN: &str = "recto 2026 image node from command v1";
/// How many hex digits such an id has behind its lead.
const ID_DIGITS: usize = 20;
/// The size of an image of which none is given, in px.
const SIDE: f64 = 512.0;

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

/// One image on its way onto a page, whichever way it came in.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub caller: Caller,
    pub page: PageKey,
    pub asset: String,
    pub node: String,
    pub wanted: Wanted,
    pub size: (f64, f64),
    pub is_billed: bool,
    /// Whether it is the image of a slot.
    pub by_slot: bool,
    pub command: Id,
    /// What is asked for, as it counts for retries.
    pub fingerprint: [u8; 32],
}

impl Bounds {
    /// What is asked for, as it counts for retries; it is stored as a hash, so it never changes.
    fn name(&self) -> String {
        format!("{:?} {:?}", self.place, self.size)
    }
}

impl Pages {
    /// Adds an image to a page, whatever came since anybody read it. Once for a command: what a slot of the same id
    /// became on this page is the answer too.
    ///
    /// # Errors
    /// [`ContractRefusal::NoCanvas`] for a page that is no DESIGN page, [`ContractRefusal::NodeExists`],
    /// [`WriteError::CommandIdReused`] where the command delivered another image, or this one to another page.
    pub async fn insert_image(&self, insert: InsertImage) -> Result<Written, WriteError> {
        let written = self.deliver_to_page(insert).await?;
        self.settle_slots(&written).await?;
        Ok(written)
    }

    pub(super) async fn deliver_to_page(&self, insert: InsertImage) -> Result<Written, WriteError> {
        let page = PageKey::new(insert.caller.scope.clone(), insert.page.clone());
        match self.deliver(&insert.delivery(page, false)).await {
            Err(WriteError::CommandIdReused { command }) => {
                let first = self.first_delivery(&insert.caller.scope, &command).await?;
                let first = first.filter(|first| first.delivered.by_slot && insert.is_told_by(&first.delivered));
                first
                    .map(|first| first.written)
                    .ok_or(WriteError::CommandIdReused { command })
            }
            answer => answer,
        }
    }

    /// Tells the slot of this id, where one is held, that its image came by another way.
    pub(super) async fn settle_slots(&self, written: &Written) -> Result<(), ReadError> {
        let waits = self.boards().waits(&written.page.scope, &written.command);
        if waits && let Some(first) = self.first_delivery(&written.page.scope, &written.command).await? {
            let (bounds, node) = (first.bounds()?.into(), &first.delivered.node);
            self.boards()
                .delivered(&written.command, &written.page, node, bounds, PLACED_ELSEWHERE);
        }
        Ok(())
    }

    /// Adds the node of a delivery. Its page is locked while a place is claimed, as it is wherever one is held.
    pub(crate) async fn deliver(&self, delivery: &Delivery) -> Result<Written, WriteError> {
        let job = Job {
            caller: &delivery.caller,
            page: &delivery.page,
            command: &delivery.command,
            operation: Operation::InsertImage,
            fingerprint: delivery.fingerprint,
            now_ms: self.clock().now_ms(),
        };
        self.write_at_head(&job, delivery).await
    }
}

impl InsertImage {
    /// Whether this asks for no more than what was delivered.
    fn is_told_by(&self, delivered: &Delivered) -> bool {
        let same_node = self.node.as_ref().is_none_or(|node| node.as_str() == delivered.node);
        same_node && self.page.as_str() == delivered.page && self.asset.as_str() == delivered.asset
    }

    pub(super) fn delivery(&self, page: PageKey, by_slot: bool) -> Delivery {
        let fingerprint = Fingerprint::new(Operation::InsertImage, &self.caller, &page)
            .with_text(Some(self.asset.as_str()))
            .with_text(self.node.as_ref().map(Id::as_str))
            .with_text(Some(&self.bounds.name()))
            .finish();
        Delivery {
            node: self.node_id(),
            page,
            asset: self.asset.to_string(),
            wanted: self.bounds.place.map_or(Wanted::Anywhere, |(x, y)| Wanted::At(x, y)),
            size: self.bounds.size.unwrap_or((SIDE, SIDE)),
            is_billed: true,
            by_slot,
            fingerprint,
            caller: self.caller.clone(),
            command: self.command.clone(),
        }
    }

    fn node_id(&self) -> String {
        if let Some(node) = &self.node {
            return node.to_string();
        }
        let mut hasher = blake3::Hasher::new_derive_key(ID_DOMAIN);
        hasher.update(self.command.as_str().as_bytes());
        format!("i-{}", &hasher.finalize().to_hex()[..ID_DIGITS])
    }
}

impl Change for Delivery {
    async fn plan(&self, pages: &Pages, job: &Job<'_>, _: Base, on: &Arc<Loaded>) -> Result<Plan, WriteError> {
        check_writable(job, on, None)?;
        let Value::Design(design) = &on.value else {
            return Err(ContractRefusal::NoCanvas { kind: on.meta.kind }.into());
        };
        if design.node(&self.node).is_some() {
            let node = self.node.clone();
            return Err(ContractRefusal::NodeExists { node }.into());
        }
        pages.refuse_delivered(&job.page.scope, job.command).await?;
        let (design, held) = (design.clone(), pages.boards().places(job.page));
        let Self {
            node,
            asset,
            wanted,
            size,
            ..
        } = self.clone();
        let plan = pages.compute(on.value.weight(), move || {
            let place = placed(&design, held, wanted, size);
            let delta = adding(&node, &asset, place, size);
            plan_deltas(&Value::Design(design), [&delta], &StepNature::plain(EventKind::Edit))
        });
        let mut plan = plan.await??;
        let delivered = Delivered::new(job.page, &self.node, &self.asset, self.by_slot);
        plan.records.push(delivered.record(job.command)?);
        let charge = || {
            Charge::new(
                BillingClass::Edit,
                on.meta.kind,
                &job.caller.actor,
                &pages.settings().floors,
            )
        };
        plan.charge = self.is_billed.then(charge);
        Ok(plan)
    }
}
