//! The worker of a hold: it waits for the hold's task, and fills the slot or fails it. It ends with its hold.

use std::time::Duration;

use recto_store::{Id, PageKey};

use super::board::Slot;
use super::deliver::Place;
use super::{SlotError, Slots};
use crate::tasks::{TaskKey, TaskResult};

/// How long one question for a task waits at the most.
const WAIT: Duration = Duration::from_secs(30);
/// How often a lease is renewed before it runs out.
const RENEWALS: u32 = 4;
const NOT_PLACED: &str = "not_placed";

/// What one look at the task came to.
enum Step {
    /// The slot was filled, or failed.
    Ended,
    /// The task is under way.
    Waits,
    /// There is no image for it.
    Fails(String),
    /// It may pass later.
    Trouble(SlotError),
}

impl Slots {
    /// Waits for a task, and fills the slot or fails it.
    pub(super) fn deliver_when_done(&self, page: PageKey, slot: Id, hold: u64, task: TaskKey) {
        let slots = self.clone();
        tokio::spawn(async move {
            while let Some(held) = slots.boards().find(&page, &slot)
                && held.hold == hold
            {
                match slots.step(&page, held, task).await {
                    Step::Ended => return,
                    Step::Waits => slots.renew(&page, &slot),
                    Step::Fails(reason) => return slots.fail_hold(&page, &slot, hold, &reason).await,
                    Step::Trouble(fault) => {
                        tracing::warn!(%page, %slot, %fault, "the image of a slot has trouble; it is tried again");
                        slots.renew(&page, &slot);
                        tokio::time::sleep(slots.often().min(slots.inner.settings.look)).await;
                    }
                }
            }
        });
    }

    /// Often enough that what is under way keeps its slot.
    fn often(&self) -> Duration {
        self.inner.settings.lease / RENEWALS
    }

    async fn step(&self, page: &PageKey, held: Slot, task: TaskKey) -> Step {
        let wait = WAIT.min(self.often());
        let image = match self.tasks().resume(&page.scope, task, wait).await {
            Ok(None) => return Step::Waits,
            Ok(Some(TaskResult::Failed(failure))) => return Step::Fails(failure.reason().to_owned()),
            Ok(Some(TaskResult::Succeeded(image))) => image,
            Err(fault) => return after(fault.into()),
        };
        let place = Place {
            caller: held.caller,
            page: page.page.clone(),
            slot: held.id,
            image: image.asset.to_string(),
            at: None,
            size: None,
        };
        match self.place_for(place, Some(held.hold)).await {
            Ok(_) | Err(SlotError::NotFound { .. }) => Step::Ended,
            Err(fault) => after(fault),
        }
    }

    async fn fail_hold(&self, page: &PageKey, slot: &Id, hold: u64, reason: &str) {
        let _gate = self.inner.gates.lock(page).await;
        if self.is_held(page, slot, hold) {
            self.fail(page, slot, reason);
        }
    }
}

fn after(fault: SlotError) -> Step {
    if fault.is_passing() {
        return Step::Trouble(fault);
    }
    tracing::warn!(%fault, "the image of a slot cannot be placed");
    Step::Fails(NOT_PLACED.to_owned())
}
