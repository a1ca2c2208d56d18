//! At most one node for a slot: its id follows from the slot, its command is the slot's, and both are looked for before
//! anything is added, on the page and wherever else the image went when the page was deleted.

use recto_projections::design::Side;
use recto_projections::{Delta, DesignOp};
use recto_store::{Id, IdError, PageKey, Receipt};
use uuid::Builder;

use super::bounds::Bounds;
use super::deliver::{Place, Placed, size_of};
use super::{SlotError, Slots};
use crate::answer::Written;
use crate::assets::Asset;
use crate::command::{Operation, Outcome};
use crate::contract::{Bounds as ImageBounds, InsertCanvasImage};
use crate::crash::Point;
use crate::error::{ReadError, WriteError};

const NODE_DOMAIN: &str = "recto 2026 node of slot v1";

impl Slots {
    /// The node that this slot became, whatever became of it since.
    pub(super) async fn placed_before(&self, page: &PageKey, slot: &Id) -> Result<Option<Placed>, SlotError> {
        let receipts = self.pages().store().receipts_of(&page.scope, slot).await;
        let mut is_used = false;
        for (on, receipt) in receipts.map_err(ReadError::from)? {
            is_used |= on == *page;
            if on != *page && !is_image(&receipt) {
                continue;
            }
            let written = self.pages().replay_answer(&on, slot, receipt).await?;
            if let Some(placed) = placed_by(written, node_id(page, slot))? {
                return Ok(Some(placed));
            }
        }
        if is_used {
            return Err(WriteError::CommandIdReused { command: slot.clone() }.into());
        }
        Ok(None)
    }

    /// Adds the image where its page is no more: to the default canvas of the page's file, under the slot's command.
    pub(super) async fn place_elsewhere(
        &self,
        page: &PageKey,
        place: &Place,
        asset: &Asset,
    ) -> Result<Placed, SlotError> {
        let of_ids = |fault: IdError| ReadError::Unavailable {
            reason: fault.to_string(),
        };
        let file = self.pages().meta(page).await?.file;
        let node = node_id(page, &place.slot);
        let insert = InsertCanvasImage {
            caller: place.caller.clone(),
            related: None,
            file: file.map(|file| Id::new(&file)).transpose().map_err(of_ids)?,
            asset: Id::new(&asset.id.to_string()).map_err(of_ids)?,
            node: Some(Id::new(&node).map_err(of_ids)?),
            bounds: ImageBounds {
                place: None,
                size: Some(
                    self.slot(page, &place.slot)
                        .map_or(size_of(place, asset), |slot| (slot.bounds.width, slot.bounds.height)),
                ),
            },
            command: place.slot.clone(),
        };
        self.crash().reached(Point::SlotPlacing).await;
        let written = self.pages().insert_canvas_image(insert).await?;
        let placed = placed_by(written, node)?;
        placed.ok_or_else(|| {
            WriteError::CommandIdReused {
                command: place.slot.clone(),
            }
            .into()
        })
    }
}

/// Whether a receipt is one of an image that was delivered to wherever there was a canvas.
fn is_image(receipt: &Receipt) -> bool {
    Outcome::from_bytes(&receipt.outcome).is_some_and(|outcome| outcome.operation == Operation::InsertImage)
}

/// The node of a slot: the same at every delivery, so that the page itself refuses a second one.
pub(super) fn node_id(page: &PageKey, slot: &Id) -> String {
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

/// What a write placed, where it is the one that added this node.
fn placed_by(written: Written, node: String) -> Result<Option<Placed>, SlotError> {
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
    Ok(None)
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
