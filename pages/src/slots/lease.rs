//! Leases: a slot whose holder does not come back fails when its time is up.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures::future::join_all;
use recto_store::{Id, PageKey};

use super::{Inner, Slots};

const LEASE_EXPIRED: &str = "lease_expired";

/// Looks at the leases now and then, for as long as somebody has the slots.
pub(super) fn look_after(slots: &Slots) {
    let (inner, look) = (Arc::downgrade(&slots.inner), slots.inner.settings.look);
    tokio::spawn(look_now_and_then(inner, look));
}

async fn look_now_and_then(inner: Weak<Inner>, look: Duration) {
    loop {
        tokio::time::sleep(look).await;
        let Some(inner) = inner.upgrade() else { return };
        Slots { inner }.expire().await;
    }
}

impl Slots {
    /// Until when a lease that begins now is.
    pub(super) fn lease(&self) -> Instant {
        Instant::now() + self.inner.settings.lease
    }

    pub(super) fn renew(&self, page: &PageKey, slot: &Id) {
        self.boards().renew(page, slot, self.lease());
    }

    async fn expire(&self) {
        let over = self.boards().over(Instant::now());
        join_all(over.iter().map(|(page, slots)| self.expire_on(page, slots))).await;
    }

    /// A slot that is being filled, or was given a new lease meanwhile, is none that is over.
    async fn expire_on(&self, page: &PageKey, slots: &[Id]) {
        let _gate = self.inner.gates.lock(page).await;
        for slot in slots {
            let held = self.boards().find(page, slot);
            if held.is_some_and(|held| held.until <= Instant::now()) {
                self.fail(page, slot, LEASE_EXPIRED);
            }
        }
    }
}
