//! The heads of the pages used lately, so that an append on them reads nothing.

use parking_lot::Mutex;

use crate::event::Head;
use crate::generations::Generations;
use crate::id::PageKey;

/// A bounded map of heads. A head only ever gives way to a newer one.
pub(crate) struct Heads(Mutex<Generations<PageKey, Head>>);

impl Heads {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Mutex::new(Generations::new(limit)))
    }

    pub(crate) fn get(&self, page: &PageKey) -> Option<Head> {
        self.0.lock().get(page).copied()
    }

    /// Notes a head, unless a newer one is known.
    pub(crate) fn note(&self, page: &PageKey, head: Head) {
        let mut heads = self.0.lock();
        if heads.get(page).is_none_or(|known| known.version < head.version) {
            heads.insert(page.clone(), head);
        }
    }

    /// Forgets what is known of a page.
    pub(crate) fn forget(&self, page: &PageKey) {
        self.0.lock().remove(page);
    }
}
