//! What followers of a page hear of its slots: those that wait, first of all, and then what becomes of each.

use std::collections::VecDeque;
use std::sync::Arc;

use recto_store::{Id, PageKey};
use tokio::sync::broadcast::{self, error::RecvError};

use super::Slots;
use super::bounds::Bounds;

/// How a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotStatus {
    /// Its image is being made.
    Pending,
    /// Its image is a node.
    Placed,
    /// Its image will not come; the place is free.
    Failed,
}

/// What happened to a slot.
#[derive(Clone, Debug)]
pub struct SlotNews {
    /// The page.
    pub page: PageKey,
    /// The slot.
    pub slot: Id,
    /// Its place.
    pub bounds: Bounds,
    /// How it is.
    pub status: SlotStatus,
    /// The node, where it was placed.
    pub node: Option<String>,
    /// Why it failed.
    pub reason: Option<String>,
}

/// One who hears of the slots of a page, or of all pages of a workspace.
#[derive(Debug)]
pub struct SlotFollower {
    slots: Slots,
    scope: Id,
    page: Option<Id>,
    waiting: VecDeque<Arc<SlotNews>>,
    live: broadcast::Receiver<Arc<SlotNews>>,
}

impl SlotStatus {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Placed => "placed",
            Self::Failed => "failed",
        }
    }
}

impl SlotNews {
    pub(super) fn pending(page: &PageKey, slot: &Id, bounds: Bounds) -> Self {
        Self {
            page: page.clone(),
            slot: slot.clone(),
            bounds,
            status: SlotStatus::Pending,
            node: None,
            reason: None,
        }
    }

    pub(super) fn placed(page: &PageKey, slot: &Id, bounds: Bounds, node: &str) -> Self {
        Self {
            status: SlotStatus::Placed,
            node: Some(node.to_owned()),
            ..Self::pending(page, slot, bounds)
        }
    }

    pub(super) fn failed(page: &PageKey, slot: &Id, bounds: Bounds, reason: &str) -> Self {
        Self {
            status: SlotStatus::Failed,
            reason: Some(reason.to_owned()),
            ..Self::pending(page, slot, bounds)
        }
    }
}

impl Slots {
    /// Hears of the slots of a page, or without one of all pages of a workspace: first those that wait now.
    #[must_use]
    pub fn follow(&self, scope: &Id, page: Option<&Id>) -> SlotFollower {
        // The ears are open before the board is read: what is told twice is the same, and nothing is missed.
        let live = self.inner.news.subscribe();
        let mut follower = SlotFollower {
            slots: self.clone(),
            scope: scope.clone(),
            page: page.cloned(),
            waiting: VecDeque::new(),
            live,
        };
        follower.read_boards();
        follower
    }

    pub(super) fn tell(&self, news: SlotNews) {
        // No receiver is no fault: nobody listens.
        let _ = self.inner.news.send(Arc::new(news));
    }
}

impl SlotFollower {
    /// The next news. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Arc<SlotNews> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                return news;
            }
            match self.live.recv().await {
                Ok(news) if self.is_mine(&news.page) => return news,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => self.read_boards(),
                // The slots are held on to, so there is a sender as long as this one lives.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    fn read_boards(&mut self) {
        let boards = self.slots.inner.boards.lock();
        let mine = boards.iter().filter(|(page, _)| self.is_mine(page));
        let slots = mine.flat_map(|(page, board)| board.slots.iter().map(move |slot| (page, slot)));
        let news: Vec<_> = slots
            .map(|(page, slot)| Arc::new(SlotNews::pending(page, &slot.id, slot.bounds)))
            .collect();
        drop(boards);
        self.waiting.extend(news);
    }

    fn is_mine(&self, page: &PageKey) -> bool {
        page.scope == self.scope && self.page.as_ref().is_none_or(|mine| *mine == page.page)
    }
}
