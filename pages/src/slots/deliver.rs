//! Filling a slot: the node is added by a command whose id is the slot's.

use std::time::Duration;

use recto_projections::design::{Geometry, NewNode, Number, Placement, Position};
use recto_projections::json::JsonMap;
use recto_projections::{Delta, DesignOp};
use recto_store::{Id, PageKey};

use super::bounds::Bounds;
use super::news::SlotNews;
use super::once::node_id;
use super::{SlotError, Slots};
use crate::actor::Caller;
use crate::answer::Written;
use crate::assets::{Asset, AssetId};
use crate::crash::Point;
use crate::error::{ReadError, WriteError};
use crate::read::At;
use crate::submit::{SubmitDeltas, SubmitOptions};
use crate::tasks::{TaskKey, TaskResult};

/// The type of the node of an image.
const IMAGE: &str = "image";
/// How often the head is read again where the page changes under the writer's hands.
const TRIES_MAX: usize = 8;
/// How long one question for a task waits at the most.
const WAIT: Duration = Duration::from_secs(30);
/// How often a lease is renewed before it runs out.
const RENEWALS: u32 = 4;
const ASSET_NOT_FOUND: &str = "asset_not_found";
const NOT_PLACED: &str = "not_placed";
const PAGE_DELETED: &str = "page_deleted";

/// An image to be placed.
#[derive(Clone, Debug)]
pub struct Place {
    /// Who places it.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The slot.
    pub slot: Id,
    /// The image.
    pub asset: AssetId,
    /// Where it would be best, where the slot was lost.
    pub at: Option<(f64, f64)>,
    /// How large, where the slot was lost; else as large as the image.
    pub size: Option<(f64, f64)>,
}

/// An image on a page.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The write that added it.
    pub written: Written,
    /// The node.
    pub node: String,
    /// Where it was added.
    pub bounds: Bounds,
    /// Whether its slot was still held; else a place was claimed for it.
    pub held: bool,
}

impl Slots {
    /// Adds the image at the slot's place, or where the slot was lost at one claimed now; where the page was deleted, to
    /// the default canvas of its file, under the same command. Once: a retry, whenever it comes, gets the first answer,
    /// also where the image was undone or moved since.
    ///
    /// # Errors
    /// [`SlotError`]. The slot stays held then, except where the image cannot be used.
    pub async fn place(&self, place: Place) -> Result<Placed, SlotError> {
        let page = PageKey::new(place.caller.scope.clone(), place.page.clone());
        let _gate = self.inner.gates.lock(&page).await;
        if let Some(placed) = self.placed_before(&page, &place.slot).await? {
            self.placed(&page, &place.slot, &placed);
            return Ok(placed);
        }
        let asset = match self.assets().use_asset(&page.scope, place.asset).await {
            Ok(asset) => asset,
            Err(fault) => {
                let fault = SlotError::from(fault);
                if !fault.is_passing() {
                    self.fail(&page, &place.slot, ASSET_NOT_FOUND);
                }
                return Err(fault);
            }
        };
        let placed = match self.place_here(&page, &place, &asset).await {
            Err(SlotError::Write(WriteError::PageDeleted { .. }) | SlotError::Read(ReadError::PageDeleted { .. })) => {
                let placed = self.place_elsewhere(&page, &place, &asset).await?;
                self.fail(&page, &place.slot, PAGE_DELETED);
                placed
            }
            placed => placed?,
        };
        self.crash().reached(Point::SlotPlaced).await;
        // A collection that took it before the node was there did not see it.
        self.assets().bring_back(&page.scope, asset.id).await?;
        self.placed(&page, &place.slot, &placed);
        Ok(placed)
    }

    async fn place_here(&self, page: &PageKey, place: &Place, asset: &Asset) -> Result<Placed, SlotError> {
        let held = self.slot(page, &place.slot);
        let bounds = match &held {
            Some(slot) => slot.bounds,
            None => self.claim(page, place.at, size_of(place, asset)).await?,
        };
        self.crash().reached(Point::SlotPlacing).await;
        Ok(Placed {
            written: self.add(page, place, asset, bounds).await?,
            node: node_id(page, &place.slot),
            bounds,
            held: held.is_some(),
        })
    }

    /// Drops a slot whose image will not come.
    ///
    /// # Errors
    /// [`SlotError::NotFound`].
    pub fn drop_slot(&self, page: &PageKey, slot: &Id, reason: &str) -> Result<(), SlotError> {
        if self.fail(page, slot, reason) {
            return Ok(());
        }
        Err(SlotError::NotFound { slot: slot.to_string() })
    }

    /// Waits for a task, and fills the slot or fails it.
    pub(super) fn deliver_when_done(&self, page: PageKey, slot: Id, task: TaskKey) {
        let slots = self.clone();
        // Often enough that a task under way keeps its slot.
        let wait = WAIT.min(self.inner.settings.lease / RENEWALS);
        tokio::spawn(async move {
            while let Some(held) = slots.slot(&page, &slot) {
                match slots.tasks().resume(&page.scope, task, wait).await {
                    Ok(None) => slots.renew(&page, &slot),
                    Ok(Some(TaskResult::Succeeded(image))) => {
                        let place = Place {
                            caller: held.caller,
                            page: page.page.clone(),
                            slot: slot.clone(),
                            asset: image.asset,
                            at: None,
                            size: None,
                        };
                        match slots.place(place).await {
                            Ok(_) => return,
                            Err(fault) if fault.is_passing() => {
                                tracing::warn!(%page, %slot, %fault, "an image cannot be placed now; it is tried again");
                                tokio::time::sleep(slots.inner.settings.look).await;
                            }
                            Err(fault) => {
                                tracing::warn!(%page, %slot, %fault, "an image could not be placed");
                                slots.fail(&page, &slot, NOT_PLACED);
                                return;
                            }
                        }
                    }
                    Ok(Some(TaskResult::Failed(failure))) => {
                        slots.fail(&page, &slot, failure.reason());
                        return;
                    }
                    Err(fault) => {
                        tracing::warn!(%page, %slot, %fault, "the task of a slot has trouble; it is asked for again");
                        tokio::time::sleep(slots.inner.settings.look).await;
                    }
                }
            }
        });
    }

    async fn add(&self, page: &PageKey, place: &Place, asset: &Asset, bounds: Bounds) -> Result<Written, SlotError> {
        let op = DesignOp::AddNode {
            node: new_node(node_id(page, &place.slot), asset, bounds)?,
            position: Position::Placed(Placement::Last),
            siblings: None,
        };
        for _ in 0..TRIES_MAX {
            let state = self.pages().read(&page.scope, &page.page, At::Head).await?;
            let submit = SubmitDeltas {
                caller: place.caller.clone(),
                page: page.page.clone(),
                base: state.at.base(),
                deltas: vec![Delta::Design(vec![op.clone()])],
                command: place.slot.clone(),
                options: SubmitOptions::default(),
            };
            match self.pages().submit(submit).await {
                Err(WriteError::Stale(_)) => {}
                written => return Ok(written?),
            }
        }
        Err(WriteError::Unavailable {
            reason: "the page changes faster than this image can be placed".to_owned(),
        }
        .into())
    }

    fn placed(&self, page: &PageKey, slot: &Id, placed: &Placed) {
        if self.take(page, slot).is_some() {
            metrics::counter!("recto_slots_total", "outcome" => "placed").increment(1);
            self.tell(SlotNews::placed(page, slot, placed.bounds, &placed.node));
        }
    }

    /// `false`: there was no such slot.
    pub(super) fn fail(&self, page: &PageKey, slot: &Id, reason: &str) -> bool {
        let Some(taken) = self.take(page, slot) else {
            return false;
        };
        metrics::counter!("recto_slots_total", "outcome" => "failed").increment(1);
        self.tell(SlotNews::failed(page, slot, taken.bounds, reason));
        true
    }
}

fn new_node(id: String, asset: &Asset, bounds: Bounds) -> Result<NewNode, SlotError> {
    let number = |number: f64| Number::from_f64(number).ok_or(SlotError::BadBounds);
    let geometry = Geometry::new([
        number(bounds.x)?,
        number(bounds.y)?,
        number(bounds.width)?,
        number(bounds.height)?,
        Number::ZERO,
    ]);
    let mut props = JsonMap::new();
    props.insert("assetId".to_owned(), asset.id.to_string().into());
    Ok(NewNode {
        id: id.into(),
        kind: IMAGE.into(),
        parent: None,
        geometry,
        props,
    })
}

pub(super) fn size_of(place: &Place, asset: &Asset) -> (f64, f64) {
    place.size.unwrap_or((asset.width.into(), asset.height.into()))
}
