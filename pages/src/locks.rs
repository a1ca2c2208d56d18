//! One at a time for a thing: a page, an attachment, a content. It spares the losers of a race their work; that only
//! one of them lands is the store's guard, not this lock.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use recto_store::PageKey;
use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

/// The gates of the pages that are being written to now.
pub(crate) type PageLocks = Locks<PageKey>;

/// The gates of the things that are being worked on now.
#[derive(Clone, Debug)]
pub(crate) struct Locks<K> {
    gates: Gates<K>,
}

type Gates<K> = Arc<Mutex<HashMap<K, Arc<Gate<()>>>>>;

/// Held while one works on a thing; lets the next one in when dropped.
#[derive(Debug)]
pub(crate) struct Lock<K: Eq + Hash> {
    gates: Gates<K>,
    key: K,
    guard: Option<OwnedMutexGuard<()>>,
}

impl<K> Default for Locks<K> {
    fn default() -> Self {
        Self { gates: Arc::default() }
    }
}

impl<K: Clone + Eq + Hash> Locks<K> {
    pub(crate) async fn lock(&self, key: &K) -> Lock<K> {
        let gate = Arc::clone(self.gates.lock().entry(key.clone()).or_default());
        // The lock exists before the wait, so that a caller who gives up waiting cleans up too.
        let mut lock = Lock {
            gates: Arc::clone(&self.gates),
            key: key.clone(),
            guard: None,
        };
        lock.guard = Some(gate.lock_owned().await);
        lock
    }
}

impl<K: Eq + Hash> Drop for Lock<K> {
    fn drop(&mut self) {
        self.guard = None;
        let mut gates = self.gates.lock();
        let unused = gates.get(&self.key).is_some_and(|gate| Arc::strong_count(gate) == 1);
        if unused {
            gates.remove(&self.key);
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
