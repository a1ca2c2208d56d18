//! The frames of a feed: events with an id, `caught-up` and heartbeats without.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures::{Stream, stream};
use recto_pages::{AssetFollower, AssetNews, FeedItem, FeedStream, Published, SlotFollower, SlotNews};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::body::compute;
use crate::routes::attachments::PromotedBody;
use crate::routes::slots::SlotBody;
use crate::state::App;
use crate::wire::{EventBody, change_bytes, event_type, json_bytes};

/// The first frame: it opens the stream on the caller's side, and says how soon to come back.
const OPENING: &[u8] = b": recto\nretry: 1000\n\n";
/// What is sent where nothing happens.
const HEARTBEAT: &[u8] = b": heartbeat\n\n";

/// One follower on this side of the wire.
pub(super) struct Feeder {
    feed: FeedStream,
    slots: SlotFollower,
    assets: AssetFollower,
    /// Whether ids are versions of one page, or positions of a workspace.
    of_page: bool,
    stopping: CancellationToken,
    heartbeat: Duration,
    opened: bool,
    live: bool,
    /// Given back when the stream is dropped.
    _place: OwnedSemaphorePermit,
}

impl Feeder {
    pub(super) fn new(
        app: &App,
        feed: FeedStream,
        slots: SlotFollower,
        assets: AssetFollower,
        of_page: bool,
        place: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            feed,
            slots,
            assets,
            of_page,
            stopping: app.stopping().clone(),
            heartbeat: Duration::from_millis(app.limits().heartbeat_ms.max(1)),
            opened: false,
            live: false,
            _place: place,
        }
    }

    /// The frames, until the service stops or the log cannot be read. The caller comes back with its last id.
    pub(super) fn into_frames(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, |mut feeder| async move {
            feeder.next().await.map(|frame| (Ok(frame), feeder))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        if !self.opened {
            self.opened = true;
            return Some(Bytes::from_static(OPENING));
        }
        let item = tokio::select! {
            biased;
            () = self.stopping.cancelled() => return None,
            // Before the events: what waits is told first of all, and there are few of them.
            news = self.slots.next() => return Some(slot_frame(&news)),
            news = self.assets.next() => return Some(asset_frame(&news)),
            item = self.feed.next() => item,
            () = tokio::time::sleep(self.heartbeat) => return Some(Bytes::from_static(HEARTBEAT)),
        };
        match item {
            Ok(Some(FeedItem::Event(event))) => self.event_frame(event).await,
            Ok(Some(FeedItem::CaughtUp { cursor })) => {
                self.live = true;
                Some(format!("event: caught-up\ndata: {{\"cursor\":{cursor}}}\n\n").into())
            }
            Ok(None) => None,
            Err(fault) => {
                tracing::warn!(%fault, cursor = self.feed.cursor(), "a feed ends: the log cannot be read");
                None
            }
        }
    }

    async fn event_frame(&self, published: Arc<Published>) -> Option<Bytes> {
        let event = &published.event;
        let encode = Arc::clone(&published);
        let encoded = compute(change_bytes(event), move || {
            encode.encoded(EventBody::feed_bytes).clone()
        })
        .await;
        // The runtime is shutting down: there is nobody to send to.
        let data = encoded.ok()?;
        let id = if self.of_page {
            event.version()
        } else {
            event.event.position
        };
        if self.live {
            metrics::histogram!("recto_feed_delay_seconds").record(seconds_since(event.event.time_ms));
        }
        let head = format!("id: {id}\nevent: {}\ndata: ", event_type(event));
        // JSON text holds no raw line break, so the data is one line.
        Some([head.as_bytes(), &data, b"\n\n"].concat().into())
    }
}

/// It has no id: a place that is held is nowhere in the log.
fn slot_frame(news: &SlotNews) -> Bytes {
    let data = json_bytes(&SlotBody::news(news));
    [b"event: agent-image-slot\ndata: ", &*data, b"\n\n"].concat().into()
}

/// It has no id: which asset an attachment is stands in the books of the workspace.
fn asset_frame(news: &AssetNews) -> Bytes {
    let data = json_bytes(&PromotedBody::news(news));
    [b"event: asset-promoted\ndata: ", &*data, b"\n\n"].concat().into()
}

fn seconds_since(time_ms: i64) -> f64 {
    let then = Duration::from_millis(u64::try_from(time_ms).unwrap_or_default());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(then).as_secs_f64()
}
