//! The state of the screen, without any I/O: keys and news come in, wants go out.

mod browse;
mod keys;
mod look;
mod trial;
mod typing;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;
use recto_projections::Kind;

pub use self::keys::Effect;
pub(super) use self::look::{Form, Pane, Scroll};
pub(super) use self::trial::Trial;
use super::areas::Areas;
use super::news::{News, Row, Shown, SnapshotCheck, Stacks, Want};

/// How many screens of events beyond those seen are held, on each side.
const HELD_SCREENS: u64 = 4;
/// Events a second, when playing.
const SPEEDS: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];
/// The speed that playing starts with.
const USUAL_SPEED: usize = 1;

/// What is looked at.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The page.
    pub page: String,
    /// Its kind.
    pub kind: Kind,
    /// Its newest version.
    pub head: u64,
    /// What it is read from, in words.
    pub opened: String,
}

/// The state of the screen.
#[derive(Clone, Debug)]
pub struct App {
    pub(super) subject: Subject,
    pub(super) size: Size,
    /// The version that is looked at.
    pub(super) version: u64,
    /// The first version of the list that is seen.
    pub(super) top: u64,
    pub(super) rows: BTreeMap<u64, Row>,
    /// The newest state that came; while another is read, of another version.
    pub(super) shown: Option<Arc<Shown>>,
    pub(super) stacks: Option<Arc<Stacks>>,
    pub(super) snapshot: Option<SnapshotCheck>,
    pub(super) pane: Pane,
    pub(super) form: Form,
    pub(super) scroll: [Scroll; Pane::ALL.len()],
    pub(super) mode: Mode,
    pub(super) hunt: Option<Hunt>,
    pub(super) trial: Option<Trial>,
    /// Whose stacks are looked at, where one was chosen.
    pub(super) actor: Option<String>,
    /// An event to be undone at other versions, and its actor.
    pub(super) mark: Option<(u64, String)>,
    /// Where the last jump came from.
    pub(super) origin: Option<u64>,
    pub(super) playing: bool,
    speed: usize,
    pub(super) message: Option<String>,
    numbers: u64,
}

/// What keys mean now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// To go about.
    Browse,
    /// To type a version.
    Jump(String),
    /// To type what is searched for.
    Search(String),
    /// To read what the keys are, scrolled so far.
    Help(usize),
}

/// A search that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunt {
    pub(super) number: u64,
    pub(super) query: String,
    pub(super) state: HuntState,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HuntState {
    Running(u64),
    Found(u64),
    Nowhere,
}

impl App {
    /// A screen of a size that looks at a version.
    #[must_use]
    pub fn new(subject: Subject, version: u64, size: Size) -> Self {
        let mut app = Self {
            version: version.clamp(1, subject.head.max(1)),
            subject,
            size,
            top: 1,
            rows: BTreeMap::new(),
            shown: None,
            stacks: None,
            snapshot: None,
            pane: Pane::Page,
            form: Form::Outline,
            scroll: [Scroll::default(); Pane::ALL.len()],
            mode: Mode::Browse,
            hunt: None,
            trial: None,
            actor: None,
            mark: None,
            origin: None,
            playing: false,
            speed: USUAL_SPEED,
            message: None,
            numbers: 0,
        };
        app.centre();
        app
    }

    /// The version that is looked at.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The screen has another size now.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.follow();
    }

    /// What is to be shown and is not known yet.
    #[must_use]
    pub fn want(&self) -> Want {
        Want {
            version: self.version,
            state: !self.is_shown(),
            rows: self.missing(),
        }
    }

    /// Takes in what was read.
    pub fn take(&mut self, news: News) {
        match news {
            News::Rows(rows) => self.take_rows(rows),
            News::Shown(shown) => self.take_shown(shown),
            News::Stacks(stacks) => self.stacks = Some(stacks),
            News::Snapshot(check) => self.snapshot = Some(check),
            News::Tried(asked, tried) => self.take_tried(&asked, tried),
            News::Searching { number, at } => self.hunt_is(number, HuntState::Running(at)),
            News::Searched { number, found } => self.take_searched(number, found),
            News::Failed(fault) => self.message = Some(fault),
        }
    }

    /// How long an event is shown while playing; `None` while not.
    #[must_use]
    pub fn pace(&self) -> Option<Duration> {
        self.playing.then(|| Duration::from_secs(1) / self.events_per_second())
    }

    /// The time of an event is over. It is shown longer where its state is not there yet.
    pub fn tick(&mut self) {
        if !self.playing || !self.is_shown() {
            return;
        }
        self.go(self.version + 1);
        self.playing = self.version < self.subject.head;
    }

    /// The events a second, when playing.
    pub(super) fn events_per_second(&self) -> u32 {
        SPEEDS[self.speed.min(SPEEDS.len() - 1)]
    }

    /// Whether the state that is there is that of the version looked at.
    pub(super) fn is_shown(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.version == self.version)
    }

    /// The stacks at the version looked at, once they are there.
    pub(super) fn stacks_here(&self) -> Option<&Stacks> {
        self.stacks.as_deref().filter(|stacks| stacks.version == self.version)
    }

    /// The versions of the list that are seen.
    pub(super) fn seen(&self) -> RangeInclusive<u64> {
        self.top..=self.subject.head.min(self.top + self.list_rows() - 1)
    }

    /// How many events the list shows.
    pub(super) fn list_rows(&self) -> u64 {
        Areas::of(self.size).map_or(1, |areas| u64::from(areas.list.height.max(1)))
    }

    /// A number that was not given out yet.
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The events to be read: where one that is seen is missing, a screen around is read too.
    fn missing(&self) -> Option<RangeInclusive<u64>> {
        let (seen, rows) = (self.seen(), self.list_rows());
        seen.clone().find(|version| !self.rows.contains_key(version))?;
        let mut first = seen.start().saturating_sub(rows).max(1);
        let mut last = self.subject.head.min(seen.end() + rows);
        while first < last && self.rows.contains_key(&first) {
            first += 1;
        }
        while first < last && self.rows.contains_key(&last) {
            last -= 1;
        }
        Some(first..=last)
    }

    fn take_rows(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows.into_iter().map(|row| (row.found.version(), row)));
        let far = HELD_SCREENS * self.list_rows();
        let held = self.top.saturating_sub(far)..=self.top + far;
        self.rows.retain(|version, _| held.contains(version));
    }

    fn take_searched(&mut self, number: u64, found: Option<u64>) {
        self.hunt_is(number, found.map_or(HuntState::Nowhere, HuntState::Found));
        if let Some(version) = found.filter(|_| self.hunt.as_ref().is_some_and(|hunt| hunt.number == number)) {
            self.jump(version);
        }
    }

    fn hunt_is(&mut self, number: u64, state: HuntState) {
        if let Some(hunt) = self.hunt.as_mut().filter(|hunt| hunt.number == number) {
            hunt.state = state;
        }
    }
}
