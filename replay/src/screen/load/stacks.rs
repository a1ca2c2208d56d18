//! Everyone's stacks at any version. The projection goes forwards only: copies of it are kept on the way, to come back to.

use std::collections::{BTreeMap, HashMap};

use recto_pages::{PageKey, Settings};
use recto_projections::manager::{Entry, HistoryManager, Stand};

use crate::failure::Failure;
use crate::history::Found;
use crate::screen::news::{ActorStacks, Stacks};
use crate::source::Source;

/// How many entries of each stack are told.
const ENTRIES_TOLD: usize = 20;
/// How many entries below those are counted at the most.
const ENTRIES_COUNTED: usize = 1000;
/// How far around the version it is told what is undone.
const UNDONE_AROUND: u64 = 512;
/// How many versions apart copies are kept near the version that is looked at.
const NEAR_EVERY: u64 = 512;
/// How far before it such copies are kept.
const NEAR_EVENTS: u64 = 1024;
/// How many versions apart copies are kept elsewhere.
const FAR_EVERY: u64 = 16_384;
/// The most copies kept: on a page with many events one takes some 20 MB.
const KEPT_MAX: usize = 12;

/// Reads stacks.
pub struct StackReader {
    source: Source,
    page: PageKey,
    window: u64,
    /// As far as it is; it goes on from here where that leads to what is asked for.
    current: Stage,
    kept: BTreeMap<u64, Stage>,
}

/// The projection at a version.
#[derive(Clone)]
struct Stage {
    at: u64,
    manager: HistoryManager,
    /// The first event that could not be taken in.
    uncertain_since: Option<u64>,
    /// From this version on it knows all that its window holds.
    complete_from: u64,
}

impl StackReader {
    /// A reader for a page.
    #[must_use]
    pub fn new(source: &Source, page: &PageKey) -> Self {
        let window = Settings::default().undo_events_max;
        Self {
            source: source.clone(),
            page: page.clone(),
            window,
            current: Stage::after(0, window),
            kept: BTreeMap::new(),
        }
    }

    /// The stacks at a version. Where the answer is not waited for, the next one goes on from where this one was.
    ///
    /// # Errors
    /// [`Failure`], where the store is away. Events that cannot be read are passed over, and told.
    pub async fn at(&mut self, version: u64) -> Result<Stacks, Failure> {
        self.start(version);
        while self.current.at < version {
            let next = self.current.at + 1;
            for found in self.source.events(&self.page, next..=version).await? {
                self.current.take(&found);
                if is_worth_keeping(self.current.at, version) {
                    self.keep(version);
                }
            }
        }
        Ok(told(&self.current))
    }

    /// Goes to the nearest stage before a version, or to an empty one far enough before.
    fn start(&mut self, version: u64) {
        // What lies before the window is on no stack; a little more lets the copies on the way be complete too.
        let first = version.saturating_sub(self.window + NEAR_EVENTS);
        let leads_there = |stage: &&Stage| (first..=version).contains(&stage.at) && stage.complete_from <= version;
        let nearest = self.kept.range(first..=version).next_back().map(|(_, stage)| stage);
        let nearest = nearest.filter(leads_there);
        let ahead = |current: &Stage| nearest.is_none_or(|stage| stage.at <= current.at + FAR_EVERY);
        if leads_there(&&self.current) && ahead(&self.current) {
            return;
        }
        self.current = nearest.cloned().unwrap_or_else(|| Stage::after(first, self.window));
    }

    fn keep(&mut self, looked_at: u64) {
        let stage = &self.current;
        if stage.at < stage.complete_from || self.kept.contains_key(&stage.at) {
            return;
        }
        self.kept.insert(stage.at, stage.clone());
        while self.kept.len() > KEPT_MAX {
            let farthest = self.kept.keys().copied().max_by_key(|at| at.abs_diff(looked_at));
            farthest.and_then(|at| self.kept.remove(&at));
        }
    }
}

impl Stage {
    /// Begins with the event after a version.
    fn after(version: u64, window: u64) -> Self {
        Self {
            at: version,
            manager: HistoryManager::new(window),
            uncertain_since: None,
            complete_from: if version == 0 { 0 } else { version + window },
        }
    }

    fn take(&mut self, found: &Found) {
        self.at = found.version();
        match found.event() {
            Some(event) => self.manager.take(&event.header()),
            None => self.uncertain_since = self.uncertain_since.or(Some(self.at)),
        }
    }
}

fn is_worth_keeping(at: u64, looked_at: u64) -> bool {
    at.is_multiple_of(FAR_EVERY) || (at.is_multiple_of(NEAR_EVERY) && looked_at - at <= NEAR_EVENTS)
}

fn told(stage: &Stage) -> Stacks {
    let manager = &stage.manager;
    let actors = manager.actors().map(|actor| of_actor(manager, actor));
    Stacks {
        version: stage.at,
        actors: actors.filter(|stacks| !stacks.is_empty()).collect(),
        undone: undone(stage),
        uncertain_since: stage.uncertain_since,
    }
}

fn undone(stage: &Stage) -> HashMap<u64, u64> {
    let around = stage.at.saturating_sub(UNDONE_AROUND)..=stage.at;
    let undone = around.filter_map(|version| match stage.manager.stand(version) {
        Stand::Undone { by } if by != version => Some((version, by)),
        _ => None,
    });
    undone.collect()
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
    (told, entries.take(ENTRIES_COUNTED).count())
}

impl ActorStacks {
    /// How many entries there are to undo, in words.
    #[must_use]
    pub fn undo_count(&self) -> String {
        count(self.undo.len(), self.undo_more)
    }

    /// How many entries there are to redo, in words.
    #[must_use]
    pub fn redo_count(&self) -> String {
        count(self.redo.len(), self.redo_more)
    }

    fn is_empty(&self) -> bool {
        self.undo.is_empty() && self.redo.is_empty()
    }
}

fn count(told: usize, more: usize) -> String {
    let least = if more >= ENTRIES_COUNTED { "+" } else { "" };
    format!("{}{least}", told + more)
}
