//! At most one node for a slot: its command is the slot's, and what was delivered under it, on whichever page and by
//! whichever way, is looked for before anything is added.

use recto_store::{Id, IdError, PageKey};
use uuid::Builder;

use super::deliver::{Place, Placed, size_of};
use super::{SlotError, Slots};
use crate::answer::Written;
use crate::assets::Asset;
use crate::command::{Fingerprint, Operation};
use crate::contract::{Bounds as ImageBounds, Delivery, FirstDelivery, InsertCanvasImage, Wanted};
use crate::crash::Point;
use crate::error::{ReadError, WriteError};

const NODE_DOMAIN: &str = "recto 2026 node of slot v1";

impl Slots {
    /// The node that this slot became, whatever became of it since.
    pub(super) async fn placed_before(&self, page: &PageKey, slot: &Id) -> Result<Option<Placed>, SlotError> {
        if let Some(first) = self.pages().first_delivery(&page.scope, slot).await? {
            return Ok(Some(placed_by(first)?));
        }
        let other = self
            .pages()
            .store()
            .receipt(page, slot)
            .await
            .map_err(ReadError::from)?;
        match other {
            None => Ok(None),
            Some(_) => Err(reused(slot)),
        }
    }

    /// Adds the image to its page: at the slot's place, or where the slot was lost at one that is claimed now.
    pub(super) async fn place_here(&self, page: &PageKey, place: &Place, asset: &Asset) -> Result<Placed, SlotError> {
        let held = self.boards().find(page, &place.slot).map(|slot| slot.bounds);
        let (x, y) = place.at.unwrap_or_default();
        let (wanted, size) = match held {
            Some(bounds) => (Wanted::At(bounds.x, bounds.y), (bounds.width, bounds.height)),
            None => (Wanted::Near(x, y), size_of(place, asset)),
        };
        let asset = asset.id.to_string();
        let fingerprint = Fingerprint::new(Operation::InsertImage, &place.caller, page).with_text(Some(&asset));
        let delivery = Delivery {
            caller: place.caller.clone(),
            page: page.clone(),
            asset,
            node: node_id(page, &place.slot),
            wanted,
            size,
            is_billed: false,
            by_slot: true,
            command: place.slot.clone(),
            fingerprint: fingerprint.finish(),
        };
        self.crash().reached(Point::SlotPlacing).await;
        let written = self.pages().deliver(&delivery).await?;
        self.placed_now(page, place, written, held.is_some()).await
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
        let held = self.boards().find(page, &place.slot).map(|slot| slot.bounds);
        let size = held.map_or(size_of(place, asset), |bounds| (bounds.width, bounds.height));
        let file = self.pages().meta(page).await?.file;
        let insert = InsertCanvasImage {
            caller: place.caller.clone(),
            related: None,
            file: file.map(|file| Id::new(&file)).transpose().map_err(of_ids)?,
            asset: Id::new(&asset.id.to_string()).map_err(of_ids)?,
            node: Some(Id::new(&node_id(page, &place.slot)).map_err(of_ids)?),
            bounds: ImageBounds {
                place: None,
                size: Some(size),
            },
            instead_of: Some(page.page.clone()),
            command: place.slot.clone(),
        };
        self.crash().reached(Point::SlotPlacing).await;
        let written = self.pages().deliver_to_canvas(insert).await?;
        self.placed_now(page, place, written, false).await
    }

    /// What was placed a moment ago, as a retry will hear of it.
    async fn placed_now(
        &self,
        page: &PageKey,
        place: &Place,
        written: Written,
        held: bool,
    ) -> Result<Placed, SlotError> {
        let placed = self.placed_before(page, &place.slot).await?;
        let placed = placed.ok_or_else(|| reused(&place.slot))?;
        Ok(Placed {
            written,
            held,
            ..placed
        })
    }
}

pub(super) fn reused(slot: &Id) -> SlotError {
    WriteError::CommandIdReused { command: slot.clone() }.into()
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

fn placed_by(first: FirstDelivery) -> Result<Placed, SlotError> {
    Ok(Placed {
        bounds: first.bounds()?.into(),
        node: first.delivered.node,
        asset: first.delivered.asset,
        written: first.written,
        held: false,
    })
}
