//! Following changes: from any point of the log, then live, without gap or double.
//!
//! One task takes every event from the store, decodes it once and hands it on. A follower
//! first reads the log up to its end and then listens; one that falls behind reads the log
//! again. Whoever only listens costs no read.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use recto_store::{FeedEntry, Id, Limit, PageKey, Store};
use tokio::sync::{broadcast, watch};

use crate::error::ReadError;
use crate::event::{EventKind, PageEvent};
use crate::service::Pages;

/// How many events a follower may be behind before it reads the log again.
const LIVE_EVENTS: usize = 4096;
/// How many events a follower that catches up reads at a time.
const CATCH_UP: Limit = Limit {
    entries: 256,
    bytes: 1024 * 1024,
};

/// An event on its way to all who follow.
#[derive(Debug)]
pub struct Published {
    /// The event.
    pub event: PageEvent,
    encoded: OnceLock<Bytes>,
}

/// What a follower gets.
#[derive(Clone, Debug)]
pub enum FeedItem {
    /// The next event.
    Event(Arc<Published>),
    /// Everything up to this cursor was delivered; what follows is live.
    CaughtUp {
        /// The cursor to resume after.
        cursor: u64,
    },
}

/// A follower's place in the feed of a page or of a workspace.
///
/// The cursor is the version in a page's feed and the position in a workspace's.
#[derive(Debug)]
pub struct FeedStream {
    pages: Pages,
    scope: Id,
    page: Option<Id>,
    cursor: u64,
    live: broadcast::Receiver<Live>,
    stopped: watch::Receiver<bool>,
    waiting: VecDeque<Arc<Published>>,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Log,
    Live,
}

#[derive(Clone, Debug)]
enum Live {
    Event(Arc<Published>),
    /// Events went by that were not handed on one by one.
    Gap,
}

/// The task that takes events from the store, and whoever listens to it.
#[derive(Debug)]
pub(crate) struct Hub {
    live: broadcast::Sender<Live>,
    stop: watch::Sender<bool>,
}

impl Published {
    fn new(event: PageEvent) -> Arc<Self> {
        Arc::new(Self {
            event,
            encoded: OnceLock::new(),
        })
    }

    /// The event's bytes on the wire: made by the first who needs them, shared by all.
    pub fn encoded(&self, encode: impl FnOnce(&PageEvent) -> Bytes) -> &Bytes {
        self.encoded.get_or_init(|| encode(&self.event))
    }
}

impl Pages {
    /// Follows a page or, without one, all pages of a workspace: first what the log holds
    /// after `after`, then live. `None` begins with what happens from now on.
    ///
    /// # Errors
    /// [`ReadError::PageNotFound`].
    pub async fn feed(&self, scope: &Id, page: Option<&Id>, after: Option<u64>) -> Result<FeedStream, ReadError> {
        // The ears are open before the log's end is looked for, so that nothing falls between.
        let (live, stopped) = (self.hub().live.subscribe(), self.hub().stop.subscribe());
        let cursor = self.feed_cursor(scope, page, after).await?;
        Ok(FeedStream {
            pages: self.clone(),
            scope: scope.clone(),
            page: page.cloned(),
            cursor,
            live,
            stopped,
            waiting: VecDeque::new(),
            mode: Mode::Log,
        })
    }

    /// Where to begin. A cursor from elsewhere, ahead of this feed, must not hide what happens next.
    async fn feed_cursor(&self, scope: &Id, page: Option<&Id>, after: Option<u64>) -> Result<u64, ReadError> {
        let end = self.feed_end(scope, page).await?;
        let Some(after) = after else { return Ok(end) };
        if let Some(page) = page.filter(|_| after > end) {
            // An event is followed a moment before the head that it makes is noted here.
            let page = PageKey {
                scope: scope.clone(),
                page: page.clone(),
            };
            return Ok(if self.store().event(&page, after).await?.is_some() {
                after
            } else {
                end
            });
        }
        Ok(after.min(end))
    }

    async fn feed_end(&self, scope: &Id, page: Option<&Id>) -> Result<u64, ReadError> {
        let Some(page) = page else {
            return Ok(self.store().tip().await?);
        };
        let page = PageKey {
            scope: scope.clone(),
            page: page.clone(),
        };
        Ok(self.page_head(&page).await?.version)
    }
}

impl FeedStream {
    /// The next item; `None` when the service stops. Dropping the future loses nothing.
    ///
    /// # Errors
    /// Where the log cannot be read; the cursor stands where the last item left it.
    pub async fn next(&mut self) -> Result<Option<FeedItem>, ReadError> {
        loop {
            if *self.stopped.borrow() {
                return Ok(None);
            }
            let item = match self.mode {
                Mode::Log => self.next_from_log().await?,
                Mode::Live => match self.next_live().await {
                    Some(item) => item,
                    None => return Ok(None),
                },
            };
            if let Some(item) = item {
                return Ok(Some(item));
            }
        }
    }

    /// The cursor of the last event delivered: where to resume.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    async fn next_from_log(&mut self) -> Result<Option<FeedItem>, ReadError> {
        if self.waiting.is_empty() {
            self.waiting = self.read_log().await?;
        }
        let Some(event) = self.waiting.pop_front() else {
            self.mode = Mode::Live;
            return Ok(Some(FeedItem::CaughtUp { cursor: self.cursor }));
        };
        self.cursor = self.cursor_of(&event);
        Ok(Some(FeedItem::Event(event)))
    }

    async fn read_log(&self) -> Result<VecDeque<Arc<Published>>, ReadError> {
        let store = self.pages.store();
        let Some(page) = &self.page else {
            return self.read_workspace().await;
        };
        let page = PageKey {
            scope: self.scope.clone(),
            page: page.clone(),
        };
        let events = store.events(&page, self.cursor, CATCH_UP).await?;
        Ok(events
            .into_iter()
            .map(|event| Published::new(PageEvent::new(&page, event)))
            .collect())
    }

    /// The next events of pages; those of chats are passed over.
    async fn read_workspace(&self) -> Result<VecDeque<Arc<Published>>, ReadError> {
        let mut after = self.cursor;
        loop {
            let events = self.pages.store().feed(&self.scope, after, CATCH_UP).await?;
            let Some((last, ..)) = events.last() else {
                return Ok(VecDeque::new());
            };
            after = *last;
            let of_pages: VecDeque<_> = events
                .into_iter()
                .filter(|(_, _, event)| event.kind != EventKind::Trajectory.code())
                .map(|(_, page, event)| Published::new(PageEvent::new(&page, event)))
                .collect();
            if !of_pages.is_empty() {
                return Ok(of_pages);
            }
        }
    }

    /// Outer `None`: the service stops. Inner `None`: nothing for this follower.
    async fn next_live(&mut self) -> Option<Option<FeedItem>> {
        let received = tokio::select! {
            _ = self.stopped.changed() => return None,
            received = self.live.recv() => received,
        };
        match received {
            Ok(Live::Event(event)) => Some(self.take_live(event)),
            Ok(Live::Gap) | Err(broadcast::error::RecvError::Lagged(_)) => {
                metrics::counter!("recto_feed_fallbacks_total").increment(1);
                self.mode = Mode::Log;
                Some(None)
            }
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    fn take_live(&mut self, event: Arc<Published>) -> Option<FeedItem> {
        let key = &event.event.page;
        let of_page = event.event.event.kind != EventKind::Trajectory.code();
        let mine = of_page && key.scope == self.scope && self.page.as_ref().is_none_or(|page| *page == key.page);
        let cursor = self.cursor_of(&event);
        if !mine || cursor <= self.cursor {
            return None;
        }
        self.cursor = cursor;
        Some(FeedItem::Event(event))
    }

    fn cursor_of(&self, event: &Published) -> u64 {
        if self.page.is_some() {
            event.event.version()
        } else {
            event.event.event.position
        }
    }
}

impl Hub {
    pub(crate) fn start(store: &Store) -> Self {
        let hub = Self {
            live: broadcast::channel(LIVE_EVENTS).0,
            stop: watch::channel(false).0,
        };
        tokio::spawn(pump(
            store.clone(),
            store.subscribe(),
            hub.live.clone(),
            hub.stop.subscribe(),
        ));
        hub
    }

    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }
}

/// Hands every event on, in commit order. What cannot be handed on is told as a gap, so
/// that the followers find it in the log.
async fn pump(
    store: Store,
    mut feed: broadcast::Receiver<Arc<FeedEntry>>,
    live: broadcast::Sender<Live>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let received = tokio::select! {
            _ = stop.changed() => return,
            received = feed.recv() => received,
        };
        let message = match received {
            Ok(entry) => publish(&store, &entry).await,
            Err(broadcast::error::RecvError::Lagged(_)) => Live::Gap,
            Err(broadcast::error::RecvError::Closed) => return,
        };
        // No receiver is no fault: nobody listens.
        let _ = live.send(message);
    }
}

async fn publish(store: &Store, entry: &Arc<FeedEntry>) -> Live {
    match store.event_of(entry).await {
        Ok(event) => {
            metrics::gauge!("recto_feed_position").set(event.position as f64);
            Live::Event(Published::new(PageEvent::new(&entry.page, event)))
        }
        Err(fault) => {
            tracing::error!(position = entry.position, %fault, "an event could not be read for the feed; its followers read the log");
            Live::Gap
        }
    }
}
