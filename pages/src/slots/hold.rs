//! Holding a slot: a place is claimed, and everybody on the page sees that something is coming.

use std::time::Duration;

use recto_projections::{DesignValue, Kind, Value};
use recto_store::{Id, PageKey};

use super::board::Slot;
use super::bounds::{Bounds, check};
use super::news::SlotStatus;
use super::{SlotError, Slots};
use crate::actor::Caller;
use crate::contract::{Wanted, placed};
use crate::error::WriteError;
use crate::read::{At, PageState};
use crate::tasks::TaskKey;

/// A slot to be held.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Who will place the image.
    pub caller: Caller,
    /// The page.
    pub page: Id,
    /// The slot, which is the command id of the node to be.
    pub slot: Id,
    /// Where it would be best; the place is this one or one after it.
    pub at: Option<(f64, f64)>,
    /// Its width and height.
    pub size: (f64, f64),
    /// The task whose image is placed when it is there.
    pub task: Option<TaskKey>,
}

/// A slot that is held, or was filled before.
#[derive(Clone, Debug)]
pub struct Held {
    /// The page that it is on; of one that was filled before, the page that the image went to.
    pub page: Id,
    /// Where it is; of one that was filled before, where its node was added.
    pub bounds: Bounds,
    /// How it is.
    pub status: SlotStatus,
    /// The node, where it was filled before.
    pub node: Option<String>,
}

impl Slots {
    /// Claims a place that meets no node and no other slot. The same slot again is the same place, with a new lease;
    /// one that was filled before stays filled.
    ///
    /// # Errors
    /// [`SlotError`]: above all that the page is none of a canvas, or that the slot is held for another task.
    pub async fn hold(&self, hold: Hold) -> Result<Held, SlotError> {
        check(hold.at, Some(hold.size))?;
        let page = PageKey::new(hold.caller.scope.clone(), hold.page.clone());
        let _gate = self.inner.gates.lock(&page).await;
        if let Some(placed) = self.placed_before(&page, &hold.slot).await? {
            return Ok(Held {
                page: placed.written.page.page,
                bounds: placed.bounds,
                status: SlotStatus::Placed,
                node: Some(placed.node),
            });
        }
        if let Some(held) = self.hold_again(&page, &hold)? {
            return Ok(held);
        }
        if let Some(task) = hold.task {
            // Unknown tasks are refused before a place is claimed for them.
            self.tasks().view(&page.scope, task, Duration::ZERO).await?;
        }
        let (id, task) = (hold.slot.clone(), hold.task);
        let slot = self.claim(&page, hold).await?;
        if let Some(task) = task {
            self.deliver_when_done(page.clone(), id, slot.hold, task);
        }
        Ok(pending(&page, slot.bounds))
    }

    fn hold_again(&self, page: &PageKey, hold: &Hold) -> Result<Option<Held>, SlotError> {
        let Some(slot) = self.boards().find(page, &hold.slot) else {
            return Ok(None);
        };
        if slot.task != hold.task {
            return Err(SlotError::HeldOtherwise {
                slot: hold.slot.to_string(),
            });
        }
        self.renew(page, &hold.slot);
        Ok(Some(pending(page, slot.bounds)))
    }

    /// Holds a place that is free now. The page is locked from the look at it until the place is on the board, as it is
    /// where an image is added: so that nobody else claims the same place.
    async fn claim(&self, page: &PageKey, hold: Hold) -> Result<Slot, SlotError> {
        let _lock = self.pages().locks().lock(page).await;
        let state = self.pages().read(&page.scope, &page.page, At::Head).await?;
        let weight = state.value.weight();
        let (design, held) = (design(state)?, self.boards().places(page));
        let (x, y) = hold.at.unwrap_or_default();
        let (width, height) = (hold.size.0.ceil(), hold.size.1.ceil());
        let claimed = move || placed(&design, held, Wanted::Near(x, y), (width, height));
        let (x, y) = self.pages().compute(weight, claimed).await?;
        let slot = Slot {
            id: hold.slot,
            hold: 0,
            bounds: Bounds { x, y, width, height },
            caller: hold.caller,
            task: hold.task,
            until: self.lease(),
        };
        let hold = self.boards().hold(page, slot.clone()).ok_or(SlotError::TooMany)?;
        Ok(Slot { hold, ..slot })
    }
}

fn pending(page: &PageKey, bounds: Bounds) -> Held {
    Held {
        page: page.page.clone(),
        bounds,
        status: SlotStatus::Pending,
        node: None,
    }
}

fn design(state: PageState) -> Result<DesignValue, SlotError> {
    match state.value {
        Value::Design(design) => Ok(design),
        other => Err(SlotError::Write(WriteError::WrongKind {
            page: state.page.page.to_string(),
            actual: other.kind(),
            given: Kind::Design,
        })),
    }
}
