//! How a rebase is asked for, and what it answers.

use super::conflict::put;
use super::subject::Subject;
use crate::delta::Delta;
use crate::json::{Json, JsonMap};

/// Whose value stands where two set one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnOverwrite {
    /// Neither: it is a conflict.
    #[default]
    Refuse,
    /// That of the delta.
    Mine,
    /// The one committed since.
    Theirs,
}

/// How a rebase decides.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Whose value stands where two set one field, or moved one node. Other conflicts stay conflicts.
    pub on_overwrite: OnOverwrite,
    /// Whether a removal takes along what others did to the node, the background or the file since.
    pub force: bool,
    /// Whether of two texts at one place the committed one comes first. It does on the server; a replica that brings a
    /// committed delta over its own pending ones says false, and both meet.
    pub over_first: bool,
    /// Says whether a node of this id has ever been on the page: see [`Lives`](crate::undo::Lives). Without it only the
    /// events that are gone over are asked.
    pub existed: Option<&'a dyn Fn(&str) -> bool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            on_overwrite: OnOverwrite::Refuse,
            force: false,
            over_first: true,
            existed: None,
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Options")
            .field("on_overwrite", &self.on_overwrite)
            .field("force", &self.force)
            .field("over_first", &self.over_first)
            .finish_non_exhaustive()
    }
}

/// A delta at the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebased {
    /// The delta, to be applied to the head. Empty if all of it is there already.
    pub delta: Delta,
    /// For each operation of it, the index of the one that it was made of.
    pub origins: Vec<usize>,
    /// What was left out because it is so already.
    pub dropped: Vec<Dropped>,
    /// What was decided on the way.
    pub notes: Vec<Note>,
}

/// A part of a delta that was left out because the head has it already.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The index of the delta, where several are rebased at once.
    pub delta: usize,
    /// The index of the operation.
    pub op: usize,
    /// What it is about.
    pub subject: Subject,
    /// The field, as a JSON pointer; empty for the whole operation.
    pub pointer: String,
}

/// Something that was decided on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The index of the delta, where several are rebased at once.
    pub delta: usize,
    /// The index of the operation.
    pub op: usize,
    /// What was decided.
    pub kind: NoteKind,
    /// What the operation is about.
    pub subject: Subject,
    /// The field, as a JSON pointer; empty for the whole operation.
    pub pointer: String,
    /// The value that gave way, if one did.
    pub lost: Option<Json>,
    /// The version of the event it is about, if there is one.
    pub version: Option<u64>,
}

/// What was decided. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// As asked, the delta's value stands; `lost` is the committed one.
    TookOver,
    /// As asked, the committed value stands; `lost` is the delta's.
    GaveWay,
    /// As forced, what others did to it since goes along.
    Forced,
    /// What it was to stand beside is gone: it goes beside the nearest that is left.
    PlacedBeside,
    /// The file was renamed since: its new path is used.
    Renamed,
    /// Two edits together would have taken the last newline of the document: it is kept.
    NewlineKept,
}

impl NoteKind {
    /// Gives the stable code, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            NoteKind::TookOver => "took_over",
            NoteKind::GaveWay => "gave_way",
            NoteKind::Forced => "forced",
            NoteKind::PlacedBeside => "placed_beside",
            NoteKind::Renamed => "renamed",
            NoteKind::NewlineKept => "newline_kept",
        }
    }
}

impl Dropped {
    /// Gives what was left out as JSON.
    pub fn to_json(&self) -> Json {
        Json::Object(remark(self.delta, self.op, None, &self.subject, &self.pointer))
    }
}

impl Note {
    /// Gives the note as JSON. Absent values are left out.
    pub fn to_json(&self) -> Json {
        let mut map = remark(
            self.delta,
            self.op,
            Some(self.kind.code()),
            &self.subject,
            &self.pointer,
        );
        put(&mut map, "lost", self.lost.clone());
        put(&mut map, "version", self.version.map(Json::from));
        Json::Object(map)
    }
}

fn remark(delta: usize, op: usize, code: Option<&str>, subject: &Subject, pointer: &str) -> JsonMap {
    let mut map = JsonMap::new();
    map.insert("delta".into(), Json::from(delta));
    map.insert("op".into(), Json::from(op));
    put(&mut map, "code", code.map(Json::from));
    subject.write(&mut map);
    map.insert("pointer".into(), Json::from(pointer));
    map
}
