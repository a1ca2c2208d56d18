//! What the app wants to know, and what it is told: all that goes between the screen and the loader.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use recto_pages::EventKind;
use recto_projections::manager::Entry;

use crate::history::Found;
use crate::states::{Doubt, State};

/// What the screen has to show and does not know yet. The newest counts; an older one may be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Want {
    /// The version that is looked at.
    pub version: u64,
    /// Whether its state is wanted.
    pub state: bool,
    /// The events that are wanted for the list.
    pub rows: Option<RangeInclusive<u64>>,
}

/// What is asked once, and may take long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// What an undo would do.
    Try(Asked),
    /// Where the next event is that fits.
    Search(Search),
    /// The search is over.
    StopSearch,
}

/// What the screen is told.
#[derive(Clone, Debug)]
pub enum News {
    /// Events of the list.
    Rows(Vec<Row>),
    /// The page at a version.
    Shown(Arc<Shown>),
    /// Everyone's stacks at a version.
    Stacks(Arc<Stacks>),
    /// How the nearest snapshot fits.
    Snapshot(SnapshotCheck),
    /// What an undo would do at one version.
    Tried(Asked, Tried),
    /// How far a search is.
    Searching {
        /// Which one.
        number: u64,
        /// The version that it is at.
        at: u64,
    },
    /// Where a search ended; nowhere, if no event fits.
    Searched {
        /// Which one.
        number: u64,
        /// The version that fits.
        found: Option<u64>,
    },
    /// Something could not be read.
    Failed(String),
}

/// An event in the list.
#[derive(Clone, Debug)]
pub struct Row {
    /// What lies there.
    pub found: Found,
    /// What it did.
    pub words: Vec<String>,
    /// From when on states are uncertain, where this one is.
    pub doubt: Option<Doubt>,
}

/// A page at a version, and the event that made it, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The version.
    pub version: u64,
    /// The event.
    pub found: Found,
    /// The state after it.
    pub state: State,
    /// The page as a tree or as its text.
    pub outline: Lines,
    /// The texts of the page.
    pub text: Lines,
    /// The page's boxes, those in front last; of a DESIGN page.
    pub picture: Option<Picture>,
    /// The event's delta, or its bytes where they are none.
    pub delta: Lines,
    /// Its inverse, likewise.
    pub inverse: Lines,
    /// How the event fits its state and its neighbours.
    pub checks: Checks,
}

/// Lines of text, each with whether the event changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines.
    pub all: Vec<(String, bool)>,
    /// How many there are beside them.
    pub more: usize,
}

/// A page as boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The width of the page, in px.
    pub width: f64,
    /// The height of the page, in px.
    pub height: f64,
    /// The nodes, those in front last.
    pub boxes: Vec<Drawn>,
}

/// A node of a picture: where it is on the page, in px.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// What is written on it: its text or name, else its id.
    pub label: String,
    /// Its colour, where it has one: red, green, blue.
    pub fill: Option<[u8; 3]>,
    /// How it is drawn.
    pub look: Look,
    /// Whether the event changed it.
    pub changed: bool,
}

/// How a node is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As a box that hides what is behind it.
    Solid,
    /// As a frame around what is in it.
    Frame,
    /// As its text.
    Text,
}

/// How an event fits its state and its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Whether the state has the digest that the event recorded.
    pub digest: Verdict,
    /// Whether the inverse leads back to the state before.
    pub inverse: Verdict,
    /// Whether the event follows the one before it in the chain of hashes.
    pub chain: Verdict,
}

/// The answer of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is as it should be.
    Fits,
    /// It is not, and how.
    Differs(String),
    /// It cannot be said, and why.
    Unknown(String),
}

/// Everyone's stacks at a version.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// The version.
    pub version: u64,
    /// The events shortly before it that are undone, each with the undo.
    pub undone: HashMap<u64, u64>,
    /// The stacks, by actor.
    pub actors: Vec<ActorStacks>,
    /// The first event that could not be taken in, where there is one.
    pub uncertain_since: Option<u64>,
}

/// The stacks of an actor: the newest entries of each, and how many there are below.
#[derive(Clone, Debug)]
pub struct ActorStacks {
    /// Who.
    pub actor: String,
    /// What an undo takes back, the newest first.
    pub undo: Vec<Entry>,
    /// How many there are below, as far as they are counted.
    pub undo_more: usize,
    /// What a redo takes back, the newest first.
    pub redo: Vec<Entry>,
    /// How many there are below, as far as they are counted.
    pub redo_more: usize,
}

/// How the nearest snapshot fits what the events make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotCheck {
    /// The version that it was asked for.
    pub near: u64,
    /// The snapshot's version; none where the page has none at or before that.
    pub at: Option<u64>,
    /// Whether it is what replay gives.
    pub verdict: Verdict,
    /// Where it differs: from the snapshot to the replayed state, in words.
    pub words: Vec<String>,
    /// How many snapshots the page has.
    pub count: usize,
}

/// A search over the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Tells searches apart.
    pub number: u64,
    /// What is looked for.
    pub query: String,
    /// The version that it starts behind; that one comes last.
    pub from: u64,
    /// Towards newer events.
    pub forward: bool,
}

/// An undo to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Tells trials apart.
    pub number: u64,
    /// What is to be taken back.
    pub target: Target,
    /// On whose behalf.
    pub actor: String,
    /// The versions at which it is tried.
    pub at: Vec<u64>,
}

/// What is to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An event.
    Event(u64),
    /// The newest entry of the actor's undo stack.
    Undo,
    /// The newest entry of the actor's redo stack.
    Redo,
}

/// What an undo would do at a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The version.
    pub at: u64,
    /// What it would do, or why it would do nothing.
    pub would: Result<Would, String>,
}

/// What an undo would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Would {
    /// How much it would take back: `applied`, `partial` or `noop`.
    pub outcome: String,
    /// The events that it would take back, the newest first.
    pub of: Vec<u64>,
    /// What stays as it is, and why.
    pub conflicts: Vec<String>,
    /// What is passed over.
    pub skipped: Vec<String>,
    /// What is decided on the way.
    pub notes: Vec<String>,
    /// The events that it would append.
    pub events: Vec<WouldEvent>,
}

/// An event that an undo would append.
#[derive(Clone, Debug, PartialEq)]
pub struct WouldEvent {
    /// What it would be.
    pub kind: EventKind,
    /// The version that it would answer to.
    pub cause: Option<u64>,
    /// What it would do.
    pub words: Vec<String>,
    /// Its delta.
    pub delta: Lines,
}
