//! What an agent did in a chat, as JSON Lines: what it called and was answered, its image tasks and delivery slots.
//!
//! `RULES.md` tells the form. Fields that are not known are kept, types that are not known are warned of, and a line that
//! cannot be read is named by its number.

mod read;

use std::collections::HashMap;

use serde_json::Value as Json;

/// The version of the form that this build reads.
pub const SCHEMA: u64 = 1;

/// A chat's trajectory.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// The chat, where it is told.
    pub chat: Option<String>,
    /// The agent, as its events name it.
    pub actor: String,
    /// What was recorded, in order.
    pub entries: Vec<Line<Entry>>,
    /// What was passed over, a sentence each.
    pub warnings: Vec<Line<String>>,
    /// What could not be read, a sentence each.
    pub faults: Vec<Line<String>>,
    /// Where the result of each call stands.
    results: HashMap<String, usize>,
}

/// Something with the number of its line, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<T> {
    /// The number.
    pub line: u64,
    /// What stands there.
    pub it: T,
}

/// What is recorded.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A tool was called.
    Call(Call),
    /// It answered.
    Result(Answer),
    /// An image task went a step further.
    Task(Task),
    /// A delivery slot went a step further.
    Slot(Slot),
}

/// A tool that was called.
#[derive(Clone, Debug)]
pub struct Call {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The turn of the chat.
    pub turn: Option<String>,
    /// The page it is about.
    pub page: Option<String>,
    /// The id of the command that it sent, where it sent one.
    pub command: Option<String>,
    /// What it was called with.
    pub arguments: Json,
    /// The line as it stands.
    pub raw: Json,
}

/// What a call was answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The call.
    pub call: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// The code of its failure.
    pub code: Option<String>,
    /// Whether it may be tried again; `None` where it does not say.
    pub retry: Option<bool>,
    /// Whether it failed for good.
    pub terminal: bool,
    /// The page it is about, where it says so.
    pub page: Option<String>,
    /// The page's version then.
    pub version: Option<u64>,
    /// The page's epoch then.
    pub epoch: Option<u64>,
    /// Whether it changed the page.
    pub applied: Option<bool>,
    /// What was read, as a token.
    pub read_token: Option<String>,
    /// The nodes that it says it made.
    pub created: Vec<String>,
    /// The nodes that it says it removed.
    pub removed: Vec<String>,
    /// The line as it stands.
    pub raw: Json,
}

/// A step of an image task.
#[derive(Clone, Debug)]
pub struct Task {
    /// The task's id.
    pub task: String,
    /// Its idempotency key.
    pub key: Option<String>,
    /// The call that it belongs to.
    pub call: Option<String>,
    /// How far it is.
    pub status: TaskStatus,
    /// Whether a failure is for good.
    pub terminal: bool,
    /// The asset that it made.
    pub asset: Option<String>,
    /// The line as it stands.
    pub raw: Json,
}

/// How far an image task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    /// It was given to the image service.
    Submitted,
    /// It made an image.
    Succeeded,
    /// It made none.
    Failed,
}

/// A step of a delivery slot.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The slot's id.
    pub slot: String,
    /// How far it is.
    pub status: SlotStatus,
    /// The page.
    pub page: Option<String>,
    /// The node that was placed.
    pub node: Option<String>,
    /// The id of the command that places it: the slot's own, unless told otherwise.
    pub command: String,
    /// The line as it stands.
    pub raw: Json,
}

/// How far a delivery slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotStatus {
    /// It holds a place.
    Held,
    /// A node stands there.
    Delivered,
    /// It was given up.
    Failed,
}

/// Why a trajectory cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unreadable {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

impl Trajectory {
    /// The calls.
    pub fn calls(&self) -> impl Iterator<Item = Line<&Call>> {
        self.entries.iter().filter_map(|entry| match &entry.it {
            Entry::Call(call) => Some(entry.with(call)),
            _ => None,
        })
    }

    /// The steps of image tasks.
    pub fn tasks(&self) -> impl Iterator<Item = Line<&Task>> {
        self.entries.iter().filter_map(|entry| match &entry.it {
            Entry::Task(task) => Some(entry.with(task)),
            _ => None,
        })
    }

    /// The steps of delivery slots.
    pub fn slots(&self) -> impl Iterator<Item = Line<&Slot>> {
        self.entries.iter().filter_map(|entry| match &entry.it {
            Entry::Slot(slot) => Some(entry.with(slot)),
            _ => None,
        })
    }

    /// The result of a call.
    #[must_use]
    pub fn result_of(&self, call: &str) -> Option<Line<&Answer>> {
        let entry = self.entries.get(*self.results.get(call)?)?;
        match &entry.it {
            Entry::Result(result) => Some(entry.with(result)),
            _ => None,
        }
    }
}

impl<T> Line<T> {
    fn with<'a, U>(&self, it: &'a U) -> Line<&'a U> {
        Line { line: self.line, it }
    }
}
