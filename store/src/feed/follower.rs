//! Following a scope: the log first, then live, and the log again after a lag.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::engine::{FeedEntry, Limit, ReadError, Unavailable};
use crate::event::Event;
use crate::id::{Id, PageKey};
use crate::read::decode_feed;
use crate::store::Store;

/// How much of the log is read at once while catching up.
const CATCH_UP: Limit = Limit {
    entries: 256,
    bytes: 1024 * 1024,
};

/// Every event of one scope behind a position, once, in order, for ever.
///
/// It asks the log once for every [`LIVE_ENTRIES`](crate::limits::LIVE_ENTRIES) that it lags
/// behind; while it waits it reads nothing.
pub struct Follower {
    store: Store,
    scope: Id,
    after: u64,
    live: broadcast::Receiver<Arc<FeedEntry>>,
    /// Read from the log and not handed out yet.
    ready: VecDeque<(u64, PageKey, Event)>,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Reading the log, and telling when it is done.
    CatchUp,
    /// Reading the log for something that the live feed did not carry; not worth telling.
    Fetch,
    Live,
}

/// What a follower hands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The next event of the scope.
    Event {
        /// Its place in the feed.
        position: u64,
        /// The page.
        page: PageKey,
        /// The event.
        event: Box<Event>,
    },
    /// Everything that was in the log has been handed out; what follows is live. Told again
    /// after every lag.
    CaughtUp {
        /// The position up to which all of the scope was handed out.
        position: u64,
    },
}

impl Follower {
    pub(super) fn new(store: Store, scope: Id, after: u64) -> Self {
        // Subscribed before the log is read: what is committed in between is in both.
        let live = store.subscribe();
        Self {
            store,
            scope,
            after,
            live,
            ready: VecDeque::new(),
            phase: Phase::CatchUp,
        }
    }

    /// Waits for the next event. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`ReadError`], if the log is damaged or the store is closed. Calling again tries again.
    pub async fn next(&mut self) -> Result<Followed, ReadError> {
        loop {
            if let Some((position, page, event)) = self.ready.pop_front() {
                self.after = position;
                return Ok(Followed::Event {
                    position,
                    page,
                    event: Box::new(event),
                });
            }
            if self.phase != Phase::Live {
                self.ready = self.store.feed(&self.scope, self.after, CATCH_UP).await?.into();
                if self.ready.is_empty() {
                    let told = std::mem::replace(&mut self.phase, Phase::Live);
                    if told == Phase::CatchUp {
                        return Ok(Followed::CaughtUp { position: self.after });
                    }
                }
                continue;
            }
            if let Some(followed) = self.live().await? {
                return Ok(followed);
            }
        }
    }

    /// The position of the last event handed out: where a later follower goes on.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.after
    }

    async fn live(&mut self) -> Result<Option<Followed>, ReadError> {
        let entry = match self.live.recv().await {
            Ok(entry) => entry,
            Err(RecvError::Lagged(_)) => {
                self.phase = Phase::CatchUp;
                return Ok(None);
            }
            Err(RecvError::Closed) => return Err(Unavailable::Closed.into()),
        };
        if entry.page.scope != self.scope || entry.position <= self.after {
            return Ok(None);
        }
        let Some(value) = &entry.value else {
            // Too large to be carried: the log has it.
            self.phase = Phase::Fetch;
            return Ok(None);
        };
        // Should it not decode, the next call finds it in the log again.
        self.phase = Phase::Fetch;
        let event = decode_feed(&entry, value)?;
        self.phase = Phase::Live;
        self.after = entry.position;
        Ok(Some(Followed::Event {
            position: entry.position,
            page: entry.page.clone(),
            event: Box::new(event),
        }))
    }
}
