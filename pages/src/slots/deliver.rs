//! Filling a slot: the node is added by a command whose id is the slot's.

use std::time::Duration;

use recto_projections::design::{Geometry, NewNode, Number, Placement, Position, Side};
use recto_projections::json::JsonMap;
use recto_projections::{Delta, DesignOp};
use recto_store::{Id, PageKey};
use uuid::Builder;

use super::bounds::Bounds;
use super::news::SlotNews;
use super::{SlotError, Slots};
use crate::actor::Caller;
use crate::answer::Written;
use crate::assets::{Asset, AssetId};
use crate::crash::Point;
use crate::error::WriteError;
use crate::read::At;
use crate::submit::{SubmitDeltas, SubmitOptions};
use crate::tasks::{TaskKey, TaskResult};

/// The type of the node of an image.
const IMAGE: &str = "image";
const NODE_DOMAIN: &str = "recto 2026 node of slot v1";
/// How often the head is read again where the page changes under the writer's hands.
const TRIES_MAX: usize = 8;
/// How long one question for a task waits.
const WAIT: Duration = Duration::from_secs(30);

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
    /// Adds the image at the slot's place, or where the slot was lost at one claimed now. Once: a retry, whenever it
    /// comes, gets the first answer, also where the image was undone or moved since.
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
        let asset = match self.assets().asset(&page.scope, place.asset).await {
            Ok(asset) => asset,
            Err(fault) => {
                self.fail(&page, &place.slot, "asset_not_found");
                return Err(fault.into());
            }
        };
        let held = self.slot(&page, &place.slot);
        let bounds = match &held {
            Some(slot) => slot.bounds,
            None => {
                let size = place.size.unwrap_or((asset.width.into(), asset.height.into()));
                self.claim(&page, place.at, size).await?
            }
        };
        self.crash().reached(Point::SlotPlacing).await;
        let written = self.add(&page, &place, &asset, bounds).await?;
        self.crash().reached(Point::SlotPlaced).await;
        let placed = Placed {
            written,
            node: node_id(&page, &place.slot),
            bounds,
            held: held.is_some(),
        };
        self.placed(&page, &place.slot, &placed);
        Ok(placed)
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
        tokio::spawn(async move {
            while let Some(held) = slots.slot(&page, &slot) {
                match slots.tasks().resume(&page.scope, task, WAIT).await {
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
                        if let Err(fault) = slots.place(place).await {
                            tracing::warn!(%page, %slot, %fault, "an image could not be placed");
                            slots.fail(&page, &slot, "not_placed");
                        }
                        return;
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

    /// The node that this slot became, whatever became of it since.
    pub(super) async fn placed_before(&self, page: &PageKey, slot: &Id) -> Result<Option<Placed>, SlotError> {
        let receipt = self
            .pages()
            .store()
            .receipt(page, slot)
            .await
            .map_err(crate::ReadError::from)?;
        let Some(receipt) = receipt else { return Ok(None) };
        let written = self.pages().replay_answer(page, slot, receipt).await?;
        let node = node_id(page, slot);
        for event in &written.events {
            if let Some(Delta::Design(ops)) = event.delta()?
                && let Some(bounds) = ops.iter().find_map(|op| added(op, &node))
            {
                return Ok(Some(Placed {
                    written,
                    node,
                    bounds,
                    held: false,
                }));
            }
        }
        // The id was used for another command.
        Err(WriteError::CommandIdReused { command: slot.clone() }.into())
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

/// The node of a slot: the same at every delivery, so that the page itself refuses a second one.
fn node_id(page: &PageKey, slot: &Id) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(NODE_DOMAIN);
    // No id holds a control character, so the line break keeps the two apart.
    hasher
        .update(page.page.as_str().as_bytes())
        .update(b"\n")
        .update(slot.as_str().as_bytes());
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    Builder::from_custom_bytes(bytes).into_uuid().to_string()
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

fn added(op: &DesignOp, id: &str) -> Option<Bounds> {
    let DesignOp::AddNode { node, .. } = op else {
        return None;
    };
    let side = |side| node.geometry.get(side).to_f64();
    (*node.id == *id).then(|| Bounds {
        x: side(Side::X),
        y: side(Side::Y),
        width: side(Side::Width),
        height: side(Side::Height),
    })
}
