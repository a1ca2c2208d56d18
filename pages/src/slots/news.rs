//! What followers of a page hear of its slots: those that wait, first of all, and then what becomes of each. One who is
//! too slow hears in the end how each slot is all the same.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use recto_store::{Id, PageKey};
use tokio::sync::broadcast::{self, error::RecvError};

use super::Slots;
use super::bounds::Bounds;

/// Why a slot failed, where that went by unheard.
const NOT_HEARD: &str = "not_heard";

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
    /// What is told next, before what is new.
    waiting: VecDeque<Waiting>,
    /// The slots that it heard of and that wait, as far as it heard.
    told: HashMap<(PageKey, Id), Bounds>,
    live: broadcast::Receiver<Arc<SlotNews>>,
}

#[derive(Clone, Debug)]
enum Waiting {
    News(Arc<SlotNews>),
    /// It waited, and the news of its end went by.
    Gone {
        page: PageKey,
        slot: Id,
        bounds: Bounds,
    },
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
        let (waiting, live) = self.boards().follow(|key| is_mine(key, scope, page));
        SlotFollower {
            slots: self.clone(),
            scope: scope.clone(),
            page: page.cloned(),
            waiting: waiting.into_iter().map(|news| Waiting::News(Arc::new(news))).collect(),
            told: HashMap::new(),
            live,
        }
    }

    /// What became of a slot whose end was not heard.
    async fn end_of(&self, page: &PageKey, slot: &Id, bounds: Bounds) -> SlotNews {
        match self.placed_before(page, slot).await {
            Ok(Some(placed)) if placed.written.page == *page => {
                SlotNews::placed(page, slot, placed.bounds, &placed.node)
            }
            _ => SlotNews::failed(page, slot, bounds, NOT_HEARD),
        }
    }
}

impl SlotFollower {
    /// The next news. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Arc<SlotNews> {
        loop {
            if let Some(news) = self.next_waiting().await {
                return self.note(news);
            }
            match self.live.recv().await {
                Ok(news) if is_mine(&news.page, &self.scope, self.page.as_ref()) => return self.note(news),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => self.look_again(),
                // The slots are held on to, so there is a sender as long as this one lives.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    async fn next_waiting(&mut self) -> Option<Arc<SlotNews>> {
        let news = match self.waiting.front()? {
            Waiting::News(news) => Arc::clone(news),
            Waiting::Gone { page, slot, bounds } => Arc::new(self.slots.end_of(page, slot, *bounds).await),
        };
        // Only now: until here the future can be dropped.
        self.waiting.pop_front();
        Some(news)
    }

    fn note(&mut self, news: Arc<SlotNews>) -> Arc<SlotNews> {
        let key = (news.page.clone(), news.slot.clone());
        match news.status {
            SlotStatus::Pending => drop(self.told.insert(key, news.bounds)),
            SlotStatus::Placed | SlotStatus::Failed => drop(self.told.remove(&key)),
        }
        news
    }

    /// It was too slow, and news went by: what it heard of and is no more has ended, and what it did not hear of is told.
    fn look_again(&mut self) {
        let (scope, page) = (&self.scope, self.page.as_ref());
        let (waiting, live) = self.slots.boards().follow(|key| is_mine(key, scope, page));
        self.live = live;
        let here: HashMap<_, _> = waiting
            .iter()
            .map(|news| ((&news.page, &news.slot), news.bounds))
            .collect();
        let is_same = |(page, slot): &(PageKey, Id), bounds: &Bounds| here.get(&(page, slot)) == Some(bounds);
        let gone = self.told.iter().filter(|(key, bounds)| !is_same(key, bounds));
        let gone: Vec<Waiting> = gone
            .map(|((page, slot), bounds)| Waiting::Gone {
                page: page.clone(),
                slot: slot.clone(),
                bounds: *bounds,
            })
            .collect();
        let key = |news: &SlotNews| (news.page.clone(), news.slot.clone());
        let fresh: Vec<Waiting> = waiting
            .iter()
            .filter(|news| self.told.get(&key(news)) != Some(&news.bounds))
            .map(|news| Waiting::News(Arc::new(news.clone())))
            .collect();
        self.waiting.extend(gone.into_iter().chain(fresh));
    }
}

fn is_mine(key: &PageKey, scope: &Id, page: Option<&Id>) -> bool {
    key.scope == *scope && page.is_none_or(|mine| *mine == key.page)
}
