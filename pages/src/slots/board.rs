//! The boards: which slots are held on which page. What changes on a board is told while it is locked, so that the news
//! come in the order of what happened, and whoever begins to follow gets what waits and then all that is new.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use recto_projections::canvas::Frame;
use recto_store::{Id, PageKey};
use tokio::sync::broadcast;

use super::SLOTS_MAX;
use super::bounds::Bounds;
use super::news::SlotNews;
use crate::actor::Caller;
use crate::tasks::TaskKey;

/// How much news a follower may be behind before it looks at the boards again.
pub(super) const NEWS_MAX: usize = 4_096;

/// The slots of all pages.
#[derive(Debug)]
pub(crate) struct Boards {
    state: Mutex<State>,
    news: broadcast::Sender<Arc<SlotNews>>,
}

#[derive(Debug, Default)]
struct State {
    /// The slots of each page, in the order in which they were held.
    slots: HashMap<PageKey, Vec<Slot>>,
    /// How many holds there were.
    holds: u64,
}

/// A slot that is held.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub id: Id,
    /// The number of the hold: one that was dropped, and held anew, is another one.
    pub hold: u64,
    pub bounds: Bounds,
    pub caller: Caller,
    pub task: Option<TaskKey>,
    pub until: Instant,
}

impl Default for Boards {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            news: broadcast::channel(NEWS_MAX).0,
        }
    }
}

impl Boards {
    /// The places that are held on a page.
    pub(crate) fn places(&self, page: &PageKey) -> Vec<Frame> {
        let state = self.state.lock();
        let slots = state.slots.get(page).into_iter().flatten();
        slots.map(|slot| slot.bounds.into()).collect()
    }

    /// Whether a slot is held on any page of a workspace.
    pub(crate) fn waits(&self, scope: &Id, id: &Id) -> bool {
        let state = self.state.lock();
        let mut boards = state.slots.iter().filter(|(page, _)| page.scope == *scope);
        boards.any(|(_, slots)| slots.iter().any(|slot| slot.id == *id))
    }

    /// Puts a slot on its board, and tells that it waits; gives the number of the hold. `None`: the board is full.
    pub(super) fn hold(&self, page: &PageKey, slot: Slot) -> Option<u64> {
        let mut state = self.state.lock();
        let hold = state.holds + 1;
        let slots = state.slots.entry(page.clone()).or_default();
        if slots.len() >= SLOTS_MAX {
            return None;
        }
        let news = SlotNews::pending(page, &slot.id, slot.bounds);
        slots.push(Slot { hold, ..slot });
        state.holds = hold;
        self.tell(news);
        Some(hold)
    }

    pub(super) fn find(&self, page: &PageKey, id: &Id) -> Option<Slot> {
        let state = self.state.lock();
        state.slots.get(page)?.iter().find(|slot| slot.id == *id).cloned()
    }

    /// Gives a slot a new lease.
    pub(super) fn renew(&self, page: &PageKey, id: &Id, until: Instant) {
        let mut state = self.state.lock();
        let slots = state.slots.get_mut(page).into_iter().flatten();
        for slot in slots.filter(|slot| slot.id == *id) {
            slot.until = until;
        }
    }

    /// Takes a slot off its board, and tells that its image will not come. `false`: there is no such slot.
    pub(super) fn fail(&self, page: &PageKey, id: &Id, reason: &str) -> bool {
        let mut state = self.state.lock();
        let Some(slot) = state.take(page, id) else {
            return false;
        };
        self.tell_end(SlotNews::failed(page, id, slot.bounds, reason));
        true
    }

    /// Takes a slot off its board, and tells where its image went: of one that was held for another page, that it failed.
    pub(crate) fn delivered(&self, id: &Id, on: &PageKey, node: &str, bounds: Bounds, elsewhere: &str) {
        let mut state = self.state.lock();
        let is_held = |slots: &Vec<Slot>| slots.iter().any(|slot| slot.id == *id);
        let boards = state
            .slots
            .iter()
            .filter(|(page, slots)| page.scope == on.scope && is_held(slots));
        let pages: Vec<PageKey> = boards.map(|(page, _)| page.clone()).collect();
        for page in pages {
            let Some(slot) = state.take(&page, id) else { continue };
            self.tell_end(match page == *on {
                true => SlotNews::placed(&page, id, bounds, node),
                false => SlotNews::failed(&page, id, slot.bounds, elsewhere),
            });
        }
    }

    /// The slots of each page whose lease is over.
    pub(super) fn over(&self, now: Instant) -> Vec<(PageKey, Vec<Id>)> {
        let state = self.state.lock();
        let over = |slots: &Vec<Slot>| -> Vec<Id> {
            let over = slots.iter().filter(|slot| slot.until <= now);
            over.map(|slot| slot.id.clone()).collect()
        };
        let pages = state.slots.iter().map(|(page, slots)| (page.clone(), over(slots)));
        pages.filter(|(_, slots)| !slots.is_empty()).collect()
    }

    /// What waits now, and everything from now on.
    pub(super) fn follow(
        &self,
        is_mine: impl Fn(&PageKey) -> bool,
    ) -> (Vec<SlotNews>, broadcast::Receiver<Arc<SlotNews>>) {
        let state = self.state.lock();
        let boards = state.slots.iter().filter(|(page, _)| is_mine(page));
        let mut waiting: Vec<(u64, SlotNews)> = boards
            .flat_map(|(page, slots)| slots.iter().map(move |slot| (page, slot)))
            .map(|(page, slot)| (slot.hold, SlotNews::pending(page, &slot.id, slot.bounds)))
            .collect();
        waiting.sort_by_key(|(hold, _)| *hold);
        let waiting = waiting.into_iter().map(|(_, news)| news).collect();
        (waiting, self.news.subscribe())
    }

    fn tell_end(&self, news: SlotNews) {
        metrics::counter!("recto_slots_total", "outcome" => news.status.as_str()).increment(1);
        self.tell(news);
    }

    /// The state is locked by whoever tells.
    fn tell(&self, news: SlotNews) {
        // No receiver is no fault: nobody listens.
        let _ = self.news.send(Arc::new(news));
    }
}

impl State {
    fn take(&mut self, page: &PageKey, id: &Id) -> Option<Slot> {
        let slots = self.slots.get_mut(page)?;
        let at = slots.iter().position(|slot| slot.id == *id)?;
        let slot = slots.remove(at);
        if slots.is_empty() {
            self.slots.remove(page);
        }
        Some(slot)
    }
}
