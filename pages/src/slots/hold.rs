//! Holding a slot: a place is claimed, and everybody on the page sees that something is coming.

use std::time::Instant;

use recto_projections::{Kind, Value};
use recto_store::{Id, PageKey};

use super::bounds::{Bounds, COORDINATE_MAX, SIDE_MAX, boxes, free_place};
use super::news::{SlotNews, SlotStatus};
use super::{SLOTS_MAX, Slot, SlotError, Slots};
use crate::actor::Caller;
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
        check(&hold)?;
        let page = PageKey::new(hold.caller.scope.clone(), hold.page.clone());
        let _gate = self.inner.gates.lock(&page).await;
        if let Some(held) = self.hold_again(&page, &hold)? {
            return Ok(held);
        }
        if let Some(placed) = self.placed_before(&page, &hold.slot).await? {
            return Ok(Held {
                bounds: placed.bounds,
                status: SlotStatus::Placed,
                node: Some(placed.node),
            });
        }
        if let Some(task) = hold.task {
            // Unknown tasks are refused before a place is claimed for them.
            self.tasks().view(&page.scope, task, std::time::Duration::ZERO).await?;
        }
        let bounds = self.claim(&page, hold.at, hold.size).await?;
        let slot = Slot {
            id: hold.slot.clone(),
            bounds,
            caller: hold.caller,
            task: hold.task,
            until: Instant::now() + self.inner.settings.lease,
        };
        {
            let mut boards = self.inner.boards.lock();
            let board = boards.entry(page.clone()).or_default();
            if board.slots.len() >= SLOTS_MAX {
                return Err(SlotError::TooMany);
            }
            board.slots.push(slot);
        }
        self.tell(SlotNews::pending(&page, &hold.slot, bounds));
        if let Some(task) = hold.task {
            self.deliver_when_done(page, hold.slot, task);
        }
        Ok(Held {
            bounds,
            status: SlotStatus::Pending,
            node: None,
        })
    }

    fn hold_again(&self, page: &PageKey, hold: &Hold) -> Result<Option<Held>, SlotError> {
        let mut boards = self.inner.boards.lock();
        let slots = boards.get_mut(page).map(|board| &mut board.slots);
        let Some(slot) = slots.and_then(|slots| slots.iter_mut().find(|slot| slot.id == hold.slot)) else {
            return Ok(None);
        };
        if slot.task != hold.task {
            return Err(SlotError::HeldOtherwise {
                slot: hold.slot.to_string(),
            });
        }
        slot.until = Instant::now() + self.inner.settings.lease;
        Ok(Some(Held {
            bounds: slot.bounds,
            status: SlotStatus::Pending,
            node: None,
        }))
    }

    /// A place that is free now. The page's gate is held.
    pub(super) async fn claim(
        &self,
        page: &PageKey,
        at: Option<(f64, f64)>,
        size: (f64, f64),
    ) -> Result<Bounds, SlotError> {
        let state = self.pages().read(&page.scope, &page.page, At::Head).await?;
        let mut taken = nodes(&state)?;
        if let Some(board) = self.inner.boards.lock().get(page) {
            taken.extend(board.slots.iter().map(|slot| slot.bounds));
        }
        let (x, y) = at.unwrap_or_default();
        let wanted = Bounds {
            x: x.floor(),
            y: y.floor(),
            width: size.0.ceil(),
            height: size.1.ceil(),
        };
        Ok(free_place(wanted, &taken))
    }
}

fn nodes(state: &PageState) -> Result<Vec<Bounds>, SlotError> {
    match &state.value {
        Value::Design(design) => Ok(boxes(design)),
        other => Err(SlotError::Write(WriteError::WrongKind {
            page: state.page.page.to_string(),
            actual: other.kind(),
            given: Kind::Design,
        })),
    }
}

fn check(hold: &Hold) -> Result<(), SlotError> {
    let side = |side: f64| (1.0..=SIDE_MAX).contains(&side);
    let near = |at: f64| at.abs() <= COORDINATE_MAX;
    let fits = side(hold.size.0) && side(hold.size.1) && hold.at.is_none_or(|(x, y)| near(x) && near(y));
    if fits { Ok(()) } else { Err(SlotError::BadBounds) }
}
