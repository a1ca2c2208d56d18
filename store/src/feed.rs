//! The feed: all events of a scope in commit order, from the log and live.

mod follower;

use std::sync::Arc;

use tokio::sync::broadcast;

pub use self::follower::{Followed, Follower};
use crate::engine::{Fault, FeedEntry, Limit, Place, ReadError};
use crate::event::Event;
use crate::id::{Id, PageKey};
use crate::read::{bounded, decode_feed};
use crate::store::{FEED_PARTITION, Store};

impl Store {
    /// The events of a scope behind a position (0: from the first), in commit order.
    ///
    /// # Errors
    /// [`ReadError`], if one is missing or damaged, or the engine is away.
    pub async fn feed(&self, scope: &Id, after: u64, limit: Limit) -> Result<Vec<(u64, PageKey, Event)>, ReadError> {
        let entries = self
            .inner
            .engine
            .feed(FEED_PARTITION, scope, after, bounded(limit))
            .await?;
        entries.into_iter().map(decode).collect()
    }

    /// The newest position of all scopes: who has read up to here has seen all that was
    /// acknowledged before the call.
    ///
    /// # Errors
    /// [`ReadError`], if the engine is away.
    pub async fn tip(&self) -> Result<u64, ReadError> {
        self.inner.engine.tip(FEED_PARTITION).await
    }

    /// The live feed of all scopes, undecoded: every event once, in commit order, after it is
    /// durable. Who lags behind [`LIVE_ENTRIES`](crate::limits::LIVE_ENTRIES) is told so, and
    /// has to read the log; [`Store::follow`] does that by itself.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>> {
        self.inner.engine.subscribe()
    }

    /// Follows a scope from a position on: first from the log, then live, without gap or double.
    #[must_use]
    pub fn follow(&self, scope: Id, after: u64) -> Follower {
        Follower::new(self.clone(), scope, after)
    }
}

fn decode(entry: FeedEntry) -> Result<(u64, PageKey, Event), ReadError> {
    let Some(value) = &entry.value else {
        let place = Place::Feed {
            partition: entry.partition,
            position: entry.position,
        };
        return Err(ReadError::corrupt(place, Fault::Missing));
    };
    let event = decode_feed(&entry, value)?;
    Ok((entry.position, entry.page, event))
}
