//! Filling a slot: the node is added by a command whose id is the slot's.

use recto_store::{Id, PageKey};

use super::PLACED_ELSEWHERE;
use super::bounds::{Bounds, check};
use super::once::reused;
use super::{SlotError, Slots};
use crate::actor::Caller;
use crate::answer::Written;
use crate::assets::{Asset, FileError};
use crate::crash::Point;
use crate::error::{ReadError, WriteError};

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
    /// The image: an asset, or an attachment, which becomes one.
    pub image: String,
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
    /// The asset that the node was given.
    pub asset: String,
    /// Where it was added.
    pub bounds: Bounds,
    /// Whether its slot was still held; else a place was claimed for it.
    pub held: bool,
}

impl Slots {
    /// Adds the image at the slot's place, or where the slot was lost at one claimed now; where the page was deleted, to
    /// the default canvas of its file, under the same command. Once: a retry, whenever it comes, gets the first answer,
    /// also where the image was undone or moved since. Another image is refused then.
    ///
    /// # Errors
    /// [`SlotError`]. The slot stays held then, except where the image cannot be used: then it failed.
    pub async fn place(&self, place: Place) -> Result<Placed, SlotError> {
        self.place_for(place, None).await
    }

    /// As [`Slots::place`]; for a hold alone, where one is named: what was dropped, ran out or is held anew by now, is not
    /// filled.
    pub(super) async fn place_for(&self, place: Place, hold: Option<u64>) -> Result<Placed, SlotError> {
        check(place.at, place.size)?;
        let page = PageKey::new(place.caller.scope.clone(), place.page.clone());
        let asset = self.assets().promote_text(&page.scope, &place.image).await;
        let _gate = self.inner.gates.lock(&page).await;
        if hold.is_some_and(|hold| !self.is_held(&page, &place.slot, hold)) {
            return Err(SlotError::NotFound {
                slot: place.slot.to_string(),
            });
        }
        if let Some(placed) = self.placed_before(&page, &place.slot).await? {
            return self.placed_again(&place, placed, asset);
        }
        let asset = match asset {
            Ok(asset) => asset,
            Err(fault) => return Err(self.unusable(&page, &place.slot, fault)),
        };
        let placed = match self.place_now(&page, &place, &asset).await {
            // By another way, just now: it is looked at once more.
            Err(SlotError::Write(WriteError::CommandIdReused { .. })) => {
                let placed = self.placed_before(&page, &place.slot).await?;
                let placed = placed.ok_or_else(|| reused(&place.slot))?;
                return self.placed_again(&place, placed, Ok(asset));
            }
            placed => placed?,
        };
        self.crash().reached(Point::SlotPlaced).await;
        // A collection that took it before the node was there did not see it.
        self.assets().bring_back(&page.scope, asset.id).await?;
        self.settle(&place.slot, &placed, PAGE_DELETED);
        Ok(placed)
    }

    async fn place_now(&self, page: &PageKey, place: &Place, asset: &Asset) -> Result<Placed, SlotError> {
        match self.place_here(page, place, asset).await {
            Err(SlotError::Write(WriteError::PageDeleted { .. } | WriteError::Read(ReadError::PageDeleted { .. }))) => {
                self.place_elsewhere(page, place, asset).await
            }
            placed => placed,
        }
    }

    /// The first answer, where it is the same image.
    fn placed_again(
        &self,
        place: &Place,
        placed: Placed,
        asset: Result<Asset, FileError>,
    ) -> Result<Placed, SlotError> {
        self.settle(&place.slot, &placed, PLACED_ELSEWHERE);
        match asset {
            _ if place.image == placed.asset => Ok(placed),
            Ok(asset) if asset.id.to_string() == placed.asset => Ok(placed),
            Ok(_) => Err(reused(&place.slot)),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Fails the slot of an image that cannot be used, now or ever.
    fn unusable(&self, page: &PageKey, slot: &Id, fault: FileError) -> SlotError {
        let reason = reason_of(&fault);
        let fault = SlotError::from(fault);
        if !fault.is_passing() {
            self.fail(page, slot, reason);
        }
        fault
    }

    /// Drops a slot whose image will not come. One that is being filled in this moment is none that can be dropped.
    ///
    /// # Errors
    /// [`SlotError::NotFound`].
    pub async fn drop_slot(&self, page: &PageKey, slot: &Id, reason: &str) -> Result<(), SlotError> {
        let _gate = self.inner.gates.lock(page).await;
        if self.fail(page, slot, reason) {
            return Ok(());
        }
        Err(SlotError::NotFound { slot: slot.to_string() })
    }

    /// Whether a slot is still held by the hold of this number.
    pub(super) fn is_held(&self, page: &PageKey, slot: &Id, hold: u64) -> bool {
        self.boards().find(page, slot).is_some_and(|held| held.hold == hold)
    }

    /// Tells where the image went.
    fn settle(&self, slot: &Id, placed: &Placed, elsewhere: &str) {
        let on = &placed.written.page;
        self.boards()
            .delivered(slot, on, &placed.node, placed.bounds, elsewhere);
    }

    /// `false`: there was no such slot. The page's gate is held, so that nobody is filling it.
    pub(super) fn fail(&self, page: &PageKey, slot: &Id, reason: &str) -> bool {
        self.boards().fail(page, slot, reason)
    }
}

pub(super) fn size_of(place: &Place, asset: &Asset) -> (f64, f64) {
    place.size.unwrap_or((asset.width.into(), asset.height.into()))
}

fn reason_of(fault: &FileError) -> &'static str {
    match fault {
        FileError::AssetNotFound { .. } => "asset_not_found",
        FileError::AttachmentNotFound { .. } => "attachment_not_found",
        FileError::NotAnImage { .. } => "not_an_image",
        _ => "unusable_image",
    }
}
