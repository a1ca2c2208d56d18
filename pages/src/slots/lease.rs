//! Leases: a slot whose holder does not come back fails when its time is up.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use recto_store::{Id, PageKey};

use super::{Inner, Slots};

/// Looks at the leases now and then, for as long as somebody has the slots.
pub(super) fn look_after(slots: &Slots) {
    let (inner, look) = (Arc::downgrade(&slots.inner), slots.inner.settings.look);
    tokio::spawn(look_now_and_then(inner, look));
}

async fn look_now_and_then(inner: Weak<Inner>, look: Duration) {
    loop {
        tokio::time::sleep(look).await;
        let Some(inner) = inner.upgrade() else { return };
        Slots { inner }.expire(Instant::now());
    }
}

impl Slots {
    /// Gives a slot a new lease.
    pub(super) fn renew(&self, page: &PageKey, slot: &Id) {
        let mut boards = self.inner.boards.lock();
        let slots = boards.get_mut(page).map(|board| &mut board.slots);
        if let Some(slot) = slots.and_then(|slots| slots.iter_mut().find(|held| held.id == *slot)) {
            slot.until = Instant::now() + self.inner.settings.lease;
        }
    }

    fn expire(&self, now: Instant) {
        let over: Vec<(PageKey, Id)> = {
            let boards = self.inner.boards.lock();
            let all = boards
                .iter()
                .flat_map(|(page, board)| board.slots.iter().map(move |slot| (page, slot)));
            all.filter(|(_, slot)| slot.until <= now)
                .map(|(page, slot)| (page.clone(), slot.id.clone()))
                .collect()
        };
        for (page, slot) in over {
            self.fail(&page, &slot, "lease_expired");
        }
    }
}
