//! Everyone's stacks at any version: the projection goes forwards only, so that copies of it are kept on the way.

use std::collections::BTreeMap;
use std::sync::Arc;

use recto_pages::{PageKey, Settings};
use recto_projections::manager::{Entry, HistoryManager};

use crate::failure::Failure;
use crate::history::Found;
use crate::screen::news::{ActorStacks, Stacks};
use crate::source::Source;

/// How many entries of each stack are told.
const ENTRIES_TOLD: usize = 20;
/// How many versions apart copies are kept near the version that is looked at.
const NEAR_EVERY: u64 = 256;
/// How far before it such copies are kept.
const NEAR_EVENTS: u64 = 2048;
/// How many versions apart copies are kept elsewhere.
const FAR_EVERY: u64 = 16_384;
/// The most copies kept: one takes up to some 20 MB.
const KEPT_MAX: usize = 24;

/// Reads stacks.
pub struct StackReader {
    source: Source,
    page: PageKey,
    window: u64,
    kept: BTreeMap<u64, Kept>,
}

/// The projection at a version.
#[derive(Clone)]
struct Kept {
    at: u64,
    manager: Arc<HistoryManager>,
    /// The first event that could not be taken in.
    uncertain_since: Option<u64>,
    /// From this version on it knows all that its window holds.
    complete_from: u64,
}

impl StackReader {
    /// A reader for a page.
    #[must_use]
    pub fn new(source: &Source, page: &PageKey) -> Self {
        Self {
            source: source.clone(),
            page: page.clone(),
            window: Settings::default().undo_events_max,
            kept: BTreeMap::new(),
        }
    }

    /// The stacks at a version.
    ///
    /// # Errors
    /// [`Failure`], where the store is away. Events that cannot be read are passed over, and told.
    pub async fn at(&mut self, version: u64) -> Result<Stacks, Failure> {
        let mut kept = self.start(version);
        while kept.at < version {
            for found in self.source.events(&self.page, kept.at + 1..=version).await? {
                kept.take(&found);
                if is_worth_keeping(kept.at, version) {
                    self.keep(version, &kept);
                }
            }
        }
        self.keep(version, &kept);
        Ok(told(&kept))
    }

    /// The nearest copy, or an empty projection far enough before.
    fn start(&self, version: u64) -> Kept {
        // What lies before the window is on no stack; a little more lets the copies on the way be complete too.
        let first = version.saturating_sub(self.window + NEAR_EVENTS);
        let nearest = self.kept.range(first..=version).next_back();
        nearest.map_or_else(|| Kept::after(first, self.window), |(_, kept)| kept.clone())
    }

    fn keep(&mut self, looked_at: u64, kept: &Kept) {
        if kept.at < kept.complete_from {
            return;
        }
        self.kept.insert(kept.at, kept.clone());
        while self.kept.len() > KEPT_MAX {
            let farthest = self.kept.keys().copied().max_by_key(|at| at.abs_diff(looked_at));
            farthest.and_then(|at| self.kept.remove(&at));
        }
    }
}

impl Kept {
    /// Begins with the event after a version.
    fn after(version: u64, window: u64) -> Self {
        Self {
            at: version,
            manager: Arc::new(HistoryManager::new(window)),
            uncertain_since: None,
            complete_from: if version == 0 { 0 } else { version + window },
        }
    }

    fn take(&mut self, found: &Found) {
        self.at = found.version();
        match found.event() {
            Some(event) => Arc::make_mut(&mut self.manager).take(&event.header()),
            None => self.uncertain_since = self.uncertain_since.or(Some(self.at)),
        }
    }
}

fn is_worth_keeping(at: u64, looked_at: u64) -> bool {
    at.is_multiple_of(FAR_EVERY) || (at.is_multiple_of(NEAR_EVERY) && looked_at - at <= NEAR_EVENTS)
}

fn told(kept: &Kept) -> Stacks {
    let manager = &kept.manager;
    let actors = manager.actors().map(|actor| of_actor(manager, actor));
    Stacks {
        version: kept.at,
        actors: actors.filter(|stacks| !stacks.is_empty()).collect(),
        manager: Arc::clone(manager),
        uncertain_since: kept.uncertain_since,
    }
}

fn of_actor(manager: &HistoryManager, actor: &str) -> ActorStacks {
    let (undo, undo_more) = newest(manager.undo_stack(actor));
    let (redo, redo_more) = newest(manager.redo_stack(actor));
    ActorStacks {
        actor: actor.to_owned(),
        undo,
        undo_more,
        redo,
        redo_more,
    }
}

fn newest(mut entries: impl Iterator<Item = Entry>) -> (Vec<Entry>, usize) {
    let told = entries.by_ref().take(ENTRIES_TOLD).collect();
    (told, entries.count())
}

impl ActorStacks {
    fn is_empty(&self) -> bool {
        self.undo.is_empty() && self.redo.is_empty()
    }
}
