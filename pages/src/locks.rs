//! One writer at a time for a page. It spares the losers of a race their work; that only
//! one of them lands is the store's guard, not this lock.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use recto_store::PageKey;
use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

/// The gates of the pages that are being written to now.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageLocks {
    gates: Arc<Mutex<HashMap<PageKey, Arc<Gate<()>>>>>,
}

/// Held while one command works on a page; lets the next one in when dropped.
#[derive(Debug)]
pub(crate) struct PageLock {
    locks: PageLocks,
    page: PageKey,
    guard: Option<OwnedMutexGuard<()>>,
}

impl PageLocks {
    pub(crate) async fn lock(&self, page: &PageKey) -> PageLock {
        let gate = Arc::clone(self.gates.lock().entry(page.clone()).or_default());
        // The lock exists before the wait, so that a caller who gives up waiting cleans up too.
        let mut lock = PageLock {
            locks: self.clone(),
            page: page.clone(),
            guard: None,
        };
        lock.guard = Some(gate.lock_owned().await);
        lock
    }
}

impl Drop for PageLock {
    fn drop(&mut self) {
        self.guard = None;
        let mut gates = self.locks.gates.lock();
        let unused = gates.get(&self.page).is_some_and(|gate| Arc::strong_count(gate) == 1);
        if unused {
            gates.remove(&self.page);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_store::Id;

    #[tokio::test]
    async fn a_gate_goes_with_its_last_user() {
        let page = PageKey {
            scope: id("w"),
            page: id("p"),
        };
        let locks = PageLocks::default();
        let first = locks.lock(&page).await;
        let waiting = tokio::spawn({
            let (locks, page) = (locks.clone(), page.clone());
            async move { drop(locks.lock(&page).await) }
        });
        tokio::task::yield_now().await;
        assert_eq!(locks.gates.lock().len(), 1);
        drop(first);
        assert!(waiting.await.is_ok());
        assert_eq!(locks.gates.lock().len(), 0);
    }

    #[tokio::test]
    async fn a_wait_given_up_leaves_nothing_behind() {
        let page = PageKey {
            scope: id("w"),
            page: id("p"),
        };
        let locks = PageLocks::default();
        let first = locks.lock(&page).await;
        let waiting = tokio::spawn({
            let (locks, page) = (locks.clone(), page.clone());
            async move { drop(locks.lock(&page).await) }
        });
        tokio::task::yield_now().await;
        waiting.abort();
        assert!(waiting.await.is_err());
        drop(first);
        assert_eq!(locks.gates.lock().len(), 0);
    }

    fn id(text: &str) -> Id {
        Id::new(text).unwrap_or_else(|fault| panic!("{fault}"))
    }
}
