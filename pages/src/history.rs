//! What undo knows of a page beside its head: everyone's stacks, and the woven text. Kept for
//! recently used pages, brought up to the head when somebody asks; the stream alone is true.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use moka::sync::Cache;
use recto_projections::manager::HistoryManager;
use recto_projections::undo::TextHistory;
use recto_store::PageKey;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::decoded::Decoded;
use crate::error::ReadError;
use crate::event::PageEvent;
use crate::load::hole;
use crate::service::Pages;

/// After how many events an entry is weighed again.
const WEIGHED_EVENTS: u64 = 1024;
/// The most decoded events that are kept of a page: twice what undo reaches back by default.
const KEPT_EVENTS_MAX: usize = 200_000;
/// The most bytes of events that are handed on by whoever read them for the stacks.
const READ_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What an event takes beside its payload, in bytes, by estimate.
const EVENT_BYTES: usize = 512;
/// What an entry takes beside its parts, in bytes, by estimate.
const ENTRY_BYTES: usize = 512;

/// What undo knows of a page up to some version.
#[derive(Debug)]
pub(crate) struct PageHistory {
    pub manager: HistoryManager,
    pub texts: Option<Texts>,
    pub events: KeptEvents,
    weighed: u64,
}

/// Events of a DESIGN or SHEET page, decoded, from some version on without a gap.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptEvents(Arc<Vec<Arc<Decoded>>>);

/// The woven text of a DOC or CODE page.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The first event that is woven in.
    pub first: u64,
    /// The newest that is.
    pub newest: u64,
    pub history: TextHistory,
}

/// Histories of recently used pages, bounded in bytes.
#[derive(Debug)]
pub(crate) struct Histories {
    slots: Cache<PageKey, Arc<Slot>>,
    window: u64,
}

#[derive(Debug)]
struct Slot {
    history: Arc<Mutex<PageHistory>>,
    bytes: AtomicU32,
}

/// A page's history, held by one user at a time.
#[derive(Debug)]
pub(crate) struct HeldHistory {
    slot: Arc<Slot>,
    pub history: OwnedMutexGuard<PageHistory>,
    /// What was read to bring the stacks up: an undo over these events need not read them again.
    pub read: ReadEvents,
}

/// The newest events of a page that somebody has just read, without a gap.
#[derive(Debug, Default)]
pub(crate) struct ReadEvents {
    events: VecDeque<PageEvent>,
    bytes: usize,
}

impl Histories {
    pub(crate) fn new(bytes_max: u64, window: u64) -> Self {
        let slots = Cache::builder()
            .max_capacity(bytes_max)
            .weigher(|_, slot: &Arc<Slot>| slot.bytes.load(Ordering::Relaxed))
            .build();
        Self { slots, window }
    }

    /// Takes events in that were just appended, where the history is kept and not in use.
    pub(crate) fn advance(&self, page: &PageKey, events: &[PageEvent]) {
        let Some(slot) = self.slots.get(page) else {
            return;
        };
        if let Ok(mut history) = slot.history.try_lock() {
            history.take(events);
        }
    }

    pub(crate) fn clear(&self) {
        self.slots.invalidate_all();
    }

    async fn hold(&self, page: &PageKey) -> HeldHistory {
        let slot = self.slots.get_with(page.clone(), || {
            let history = PageHistory {
                manager: HistoryManager::new(self.window),
                texts: None,
                events: KeptEvents::default(),
                weighed: 0,
            };
            Arc::new(Slot {
                history: Arc::new(Mutex::new(history)),
                bytes: AtomicU32::new(u32::try_from(ENTRY_BYTES).unwrap_or(u32::MAX)),
            })
        });
        let history = Arc::clone(&slot.history).lock_owned().await;
        let read = ReadEvents::default();
        HeldHistory { slot, history, read }
    }

    /// Weighs a history that grew.
    fn weigh(&self, page: &PageKey, held: &mut HeldHistory) {
        let newest = held.history.newest();
        if held.history.weighed > 0 && newest < held.history.weighed + WEIGHED_EVENTS {
            return;
        }
        held.history.weighed = newest;
        let bytes = u32::try_from(held.history.weight()).unwrap_or(u32::MAX);
        held.slot.bytes.store(bytes, Ordering::Relaxed);
        // The cache weighs when something is put into it.
        self.slots.insert(page.clone(), Arc::clone(&held.slot));
    }
}

impl PageHistory {
    /// Takes the next events in; where one is missing before them, none.
    fn take(&mut self, events: &[PageEvent]) {
        for event in events {
            if event.version() == self.manager.newest() + 1 {
                self.manager.take(&event.header());
            }
        }
    }

    fn newest(&self) -> u64 {
        let texts = self.texts.as_ref().map_or(0, |texts| texts.newest);
        self.manager.newest().max(texts)
    }

    fn weight(&self) -> usize {
        let texts = self.texts.as_ref().map_or(0, |texts| texts.history.weight());
        let events: usize = self.events.0.iter().map(|event| event.weight()).sum();
        ENTRY_BYTES + self.manager.weight() + texts + events
    }
}

impl KeptEvents {
    /// The first and the newest version.
    pub(crate) fn range(&self) -> Option<(u64, u64)> {
        Some((self.0.first()?.version, self.0.last()?.version))
    }

    /// Those from a version on.
    pub(crate) fn since(&self, first: u64) -> &[Arc<Decoded>] {
        &self.0[self.0.partition_point(|event| event.version < first)..]
    }

    /// Puts events before and after those that are kept.
    pub(crate) fn extend(&mut self, before: Vec<Decoded>, after: Vec<Decoded>) {
        let events = Arc::make_mut(&mut self.0);
        if !before.is_empty() {
            events.splice(..0, before.into_iter().map(Arc::new));
        }
        events.extend(after.into_iter().map(Arc::new));
        let over = events.len().saturating_sub(KEPT_EVENTS_MAX);
        events.drain(..over);
    }
}

impl ReadEvents {
    /// Those from one version up to another, both counted; `None` where some were not read.
    pub(crate) fn between(&self, first: u64, last: u64) -> Option<impl Iterator<Item = &PageEvent>> {
        let oldest = self.events.front()?.version();
        let at = |version: u64| usize::try_from(version.checked_sub(oldest)?).ok();
        let (start, end) = (at(first)?, at(last)?);
        (start <= end && end < self.events.len()).then(|| self.events.range(start..=end))
    }

    /// Takes in the events behind those it has; the oldest go where they are too many.
    fn extend(&mut self, events: Vec<PageEvent>) {
        self.bytes += events.iter().map(weight).sum::<usize>();
        self.events.extend(events);
        while self.bytes > READ_BYTES_MAX
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= weight(&oldest);
        }
    }
}

fn weight(event: &PageEvent) -> usize {
    EVENT_BYTES + event.event.delta.len() + event.event.inverse.len()
}

impl HeldHistory {
    /// Forgets what it weighed, because it was built anew.
    pub(crate) fn rebuilt(&mut self) {
        self.history.weighed = 0;
    }
}

impl Pages {
    /// What undo knows of a page, with its stacks as they are at a version or, where somebody was faster, a later one.
    pub(crate) async fn history(&self, page: &PageKey, version: u64) -> Result<HeldHistory, ReadError> {
        let mut held = self.histories().hold(page).await;
        let read = self.bring_up(page, &mut held.history.manager, version).await?;
        held.read = read;
        self.histories().weigh(page, &mut held);
        Ok(held)
    }

    /// Everyone's stacks as they were at a version, from the stream.
    pub(crate) async fn manager_at(&self, page: &PageKey, version: u64) -> Result<HistoryManager, ReadError> {
        let mut manager = HistoryManager::new(self.settings().undo_events_max);
        self.bring_up(page, &mut manager, version).await?;
        Ok(manager)
    }

    pub(crate) fn keep_history(&self, page: &PageKey, mut held: HeldHistory) {
        self.histories().weigh(page, &mut held);
    }

    /// Gives what it read.
    async fn bring_up(
        &self,
        page: &PageKey,
        manager: &mut HistoryManager,
        version: u64,
    ) -> Result<ReadEvents, ReadError> {
        let mut read = ReadEvents::default();
        let window = self.settings().undo_events_max;
        let mut at = manager.newest();
        if version.saturating_sub(at) > window {
            // What lies before the window is on no stack.
            *manager = HistoryManager::new(window);
            at = version - window;
        }
        while at < version {
            let events = self.events_forward(page, at..version).await?;
            let newest = events.last().map(PageEvent::version).ok_or_else(|| hole(at + 1))?;
            for event in &events {
                manager.take(&event.header());
            }
            at = newest;
            read.extend(events);
        }
        Ok(read)
    }
}
