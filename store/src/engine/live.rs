//! The live feed: from the writer to whoever listens.

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::broadcast;

use super::FeedEntry;
use crate::limits::{LIVE_ENTRIES, LIVE_VALUE_MAX_BYTES};

/// The sending end. Once it is closed, listeners are told so, and new ones at once.
pub(crate) struct Live(RwLock<Option<broadcast::Sender<Arc<FeedEntry>>>>);

impl Live {
    pub(crate) fn new() -> Self {
        Self(RwLock::new(Some(broadcast::Sender::new(LIVE_ENTRIES))))
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>> {
        match &*self.0.read() {
            Some(sender) => sender.subscribe(),
            None => broadcast::channel(1).1,
        }
    }

    /// Whether anybody listens; if not, entries need not even be made.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.read().as_ref().is_some_and(|sender| sender.receiver_count() > 0)
    }

    pub(crate) fn publish(&self, mut entry: FeedEntry) {
        if entry
            .value
            .as_ref()
            .is_some_and(|value| value.len() > LIVE_VALUE_MAX_BYTES)
        {
            entry.value = None;
        }
        if let Some(sender) = &*self.0.read() {
            // It fails only where nobody listens.
            drop(sender.send(Arc::new(entry)));
        }
    }

    pub(crate) fn close(&self) {
        self.0.write().take();
    }
}
