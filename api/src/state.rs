//! What every handler can reach: the pages, the tokens, the limits, the counts.

use std::sync::Arc;

use recto_pages::{Assets, Blobs, Chats, FileSettings, NoService, Pages, SlotSettings, Slots, TaskSettings, Tasks};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::Tokens;
use crate::config::Limits;
use crate::metrics::Metrics;
use crate::problem::{Code, Problem};

/// The application: cloning it gives another handle to the same one.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pages: Pages,
    assets: Assets,
    tasks: Tasks,
    slots: Slots,
    chats: Chats,
    tokens: Tokens,
    limits: Limits,
    requests: Arc<Semaphore>,
    subscribers: Arc<Semaphore>,
    writes: TaskTracker,
    stopping: CancellationToken,
}

impl App {
    /// Puts an application together, with its files in memory. Nothing runs yet.
    #[must_use]
    pub fn new(pages: Pages, tokens: Tokens, limits: Limits) -> Self {
        let assets = Assets::new(pages.clone(), Blobs::memory(), FileSettings::default());
        let tasks = Tasks::new(assets.clone(), Arc::new(NoService), TaskSettings::default());
        let slots = Slots::new(tasks.clone(), SlotSettings::default());
        Self::with_images(pages, assets, tasks, slots, tokens, limits)
    }

    /// Puts an application together. Nothing runs yet.
    #[must_use]
    pub fn with_images(
        pages: Pages,
        assets: Assets,
        tasks: Tasks,
        slots: Slots,
        tokens: Tokens,
        limits: Limits,
    ) -> Self {
        // What is counted before this is lost.
        Metrics::global();
        let permits = |max: usize| Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS)));
        Self(Arc::new(Inner {
            requests: permits(limits.requests_max),
            subscribers: permits(limits.subscribers_max),
            writes: TaskTracker::new(),
            stopping: CancellationToken::new(),
            chats: Chats::new(pages.clone()),
            pages,
            assets,
            slots,
            tasks,
            tokens,
            limits,
        }))
    }

    /// The page service.
    #[must_use]
    pub fn pages(&self) -> &Pages {
        &self.0.pages
    }

    /// The files.
    #[must_use]
    pub fn assets(&self) -> &Assets {
        &self.0.assets
    }

    /// The image tasks.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    /// The delivery slots.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        &self.0.slots
    }

    /// The chats.
    #[must_use]
    pub fn chats(&self) -> &Chats {
        &self.0.chats
    }

    /// Cancelled when the server stops: feeds end.
    #[must_use]
    pub fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// Waits for the writes under way, whose callers may have gone.
    pub async fn writes_done(&self) {
        self.0.writes.close();
        self.0.writes.wait().await;
    }

    pub(crate) fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// A place among the requests being answered; `None` where all are taken.
    pub(crate) fn admit_request(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.requests).try_acquire_owned().ok()
    }

    /// A place among the open feeds.
    pub(crate) fn admit_subscriber(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.0.subscribers).try_acquire_owned().map_err(|_| {
            let limit = self.0.limits.subscribers_max;
            Problem::new(
                Code::TooManySubscribers,
                format!("at most {limit} feeds are open at the same time"),
            )
            .with("limit", limit)
        })
    }

    /// How many feeds are open.
    pub(crate) fn subscribers(&self) -> usize {
        self.0
            .limits
            .subscribers_max
            .saturating_sub(self.0.subscribers.available_permits())
    }

    /// Carries a write through to its end, also when its caller goes away in the middle.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let span = tracing::Span::current();
        let done = self.0.writes.spawn(tracing::Instrument::instrument(work, span)).await;
        done.map_err(|fault| {
            Problem::new(
                Code::Internal,
                "the write was broken off by a fault; whether it was carried out is not known",
            )
            .because(fault.to_string())
        })
    }
}
