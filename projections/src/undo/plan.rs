//! How an undo is asked for, and what it answers.

use crate::delta::Delta;
use crate::json::{Json, JsonMap};
use crate::rebase::{Committed, ConflictKind, Subject, put};
use crate::value::Value;

/// What becomes of a field that was overwritten since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It stays, and is reported. The default of agents and of the API.
    #[default]
    Keep,
    /// It is set back all the same; a redo returns to what overwrote it. The default of a user's Cmd+Z.
    Restore,
    /// The whole undo is refused.
    Abort,
}

/// An undo, or a redo: that is the undo of an undo.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The events up to the head, in order and without a gap, from the version that
    /// [`reach`](crate::rebase::reach) gives or an earlier one.
    pub history: &'a [Committed<'a>],
    /// The versions of the events to undo: one, or all of a turn. They are undone newest first.
    pub targets: &'a [u64],
    /// The page at the head.
    pub head: &'a Value,
    /// What becomes of fields that were overwritten since.
    pub policy: Policy,
    /// Whether what an event created goes even if others edited it or put something into it.
    pub force: bool,
}

/// What an undo does.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoPlan {
    /// What is to be committed, one event after the other: for each of the events to undo a step, the newest first. The
    /// first delta applies to the head, each other one to what the one before leaves.
    pub steps: Vec<UndoStep>,
    /// How much of the events they take back.
    pub outcome: Outcome,
    /// What stays as it is although the events had changed it, and why.
    pub conflicts: Vec<UndoConflict>,
    /// What had not to be taken back, or could not be, because it is gone or there again.
    pub skipped: Vec<Skipped>,
    /// What was decided on the way.
    pub notes: Vec<UndoNote>,
}

/// The undo of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    /// The version of the event to undo.
    pub target: u64,
    /// What takes it back. It may be empty.
    pub delta: Delta,
    /// Whether the undo matters although it changes nothing visible now: then an event must be appended even if the
    /// delta is empty, so that a later undo of somebody else's does not bring back what this one has taken back.
    pub remember: bool,
}

/// How much of the events an undo takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it that was still there.
    Applied,
    /// Some of it.
    Partial,
    /// Nothing: every delta is empty.
    Noop,
}

/// Something that stays as it is although an event had changed it.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoConflict {
    /// The version of the event to undo.
    pub target: u64,
    /// What stands in the way.
    pub kind: ConflictKind,
    /// What it is about.
    pub subject: Subject,
    /// The field, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// The value that the undo would have put back; `None` is absent.
    pub wanted: Option<Json>,
    /// The value at the head; `None` is absent.
    pub now: Option<Json>,
    /// The version of the event in the way, if one is.
    pub version: Option<u64>,
    /// Who made that event.
    pub actor: Option<String>,
}

/// Something that an undo passed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// The version of the event to undo.
    pub target: u64,
    /// Why.
    pub reason: SkipReason,
    /// What it is about.
    pub subject: Subject,
    /// The field, as a JSON pointer; empty for the whole.
    pub pointer: String,
}

/// Why an undo passed over something. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// What has the field was removed since; an undo of a field never brings it back.
    Removed,
    /// What the event created is removed already.
    AlreadyRemoved,
    /// What the event removed is there again.
    AlreadyThere,
}

/// Something that an undo decided.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoNote {
    /// The version of the event to undo.
    pub target: u64,
    /// What was decided.
    pub kind: UndoNoteKind,
    /// What it is about.
    pub subject: Subject,
    /// The field, as a JSON pointer; empty for the whole.
    pub pointer: String,
}

/// What an undo decided. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoNoteKind {
    /// The parent is gone too: the node came back under its nearest ancestor that is left.
    Reparented,
    /// As asked, the field was set back over what others set it to since.
    Restored,
    /// As forced, what others did to it since goes along.
    Forced,
}

impl Policy {
    /// Gives the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Policy::Keep => "keep",
            Policy::Restore => "restore",
            Policy::Abort => "abort",
        }
    }
}

impl Outcome {
    /// Gives the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Applied => "applied",
            Outcome::Partial => "partial",
            Outcome::Noop => "noop",
        }
    }
}

impl SkipReason {
    /// Gives the stable code, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            SkipReason::Removed => "removed",
            SkipReason::AlreadyRemoved => "already_removed",
            SkipReason::AlreadyThere => "already_there",
        }
    }
}

impl UndoNoteKind {
    /// Gives the stable code, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            UndoNoteKind::Reparented => "reparented",
            UndoNoteKind::Restored => "restored",
            UndoNoteKind::Forced => "forced",
        }
    }
}

impl UndoConflict {
    /// Gives the conflict as JSON. Absent values are left out.
    pub fn to_json(&self) -> Json {
        let mut map = JsonMap::new();
        map.insert("event".into(), Json::from(self.target));
        map.insert("code".into(), Json::from(self.kind.code()));
        map.insert("detail".into(), Json::from(self.kind.to_string()));
        self.subject.write(&mut map);
        map.insert("pointer".into(), Json::from(self.pointer.as_str()));
        put(&mut map, "wanted", self.wanted.clone());
        put(&mut map, "now", self.now.clone());
        put(&mut map, "version", self.version.map(Json::from));
        put(&mut map, "actor", self.actor.clone().map(Json::from));
        Json::Object(map)
    }
}

impl Skipped {
    /// Gives what was passed over as JSON.
    pub fn to_json(&self) -> Json {
        remark(self.target, self.reason.code(), &self.subject, &self.pointer)
    }
}

impl UndoNote {
    /// Gives the note as JSON.
    pub fn to_json(&self) -> Json {
        remark(self.target, self.kind.code(), &self.subject, &self.pointer)
    }
}

fn remark(target: u64, code: &str, subject: &Subject, pointer: &str) -> Json {
    let mut map = JsonMap::new();
    map.insert("event".into(), Json::from(target));
    map.insert("code".into(), Json::from(code));
    subject.write(&mut map);
    map.insert("pointer".into(), Json::from(pointer));
    Json::Object(map)
}
