//! Why a delta cannot be brought to the head, or an undo cannot take something back.

use std::fmt;

use super::subject::Subject;
use crate::design::Id;
use crate::fault::Rule;
use crate::json::{Json, JsonMap};

/// What stands in the way. The codes are stable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// The field was set to another value since.
    Overwritten,
    /// What the operation is about was removed since.
    TargetRemoved,
    /// What shall go was edited since, or got children.
    EditedSince,
    /// The node was moved since.
    MovedSince,
    /// The parent was removed since.
    ParentRemoved,
    /// The node would be its own ancestor.
    Cycle,
    /// The id is taken, or was.
    IdTaken,
    /// The page was restored to an earlier version since.
    RestoredSince,
    /// The file was removed since.
    FileRemoved,
    /// A file has this path now.
    FileExists,
    /// Pages of this kind are replaced whole, and the page changed since.
    NotRebased,
    /// The creation of the node was undone: an undo of its removal does not bring it back.
    CreateUndone,
    /// The property names a node that was removed since.
    RefMissing {
        /// The node.
        id: Id,
    },
    /// What was committed since leaves the operation against a rule.
    Blocked {
        /// The rule.
        rule: Rule,
    },
}

/// Why an operation cannot be brought to the head. Of the values `None` is absent; null is a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The index of the delta, where several are rebased at once.
    pub delta: usize,
    /// The index of the operation in the delta.
    pub op: usize,
    /// What stands in the way.
    pub kind: ConflictKind,
    /// What the operation is about.
    pub subject: Subject,
    /// The field, as a JSON pointer into the node, background or attributes; empty for the whole.
    pub pointer: String,
    /// The value at the base.
    pub before: Option<Json>,
    /// The value that the delta wants.
    pub mine: Option<Json>,
    /// The value at the head.
    pub theirs: Option<Json>,
    /// The version of the event in the way, if one is.
    pub version: Option<u64>,
    /// Who made that event.
    pub actor: Option<String>,
}

impl ConflictKind {
    /// Gives the stable code, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            ConflictKind::Overwritten => "overwritten",
            ConflictKind::TargetRemoved => "target_removed",
            ConflictKind::EditedSince => "edited_since",
            ConflictKind::MovedSince => "moved_since",
            ConflictKind::ParentRemoved => "parent_removed",
            ConflictKind::Cycle => "cycle",
            ConflictKind::IdTaken => "id_taken",
            ConflictKind::RestoredSince => "restored_since",
            ConflictKind::FileRemoved => "file_removed",
            ConflictKind::FileExists => "file_exists",
            ConflictKind::NotRebased => "not_rebased",
            ConflictKind::CreateUndone => "create_undone",
            ConflictKind::RefMissing { .. } => "ref_missing",
            ConflictKind::Blocked { .. } => "blocked",
        }
    }
}

impl fmt::Display for ConflictKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ConflictKind::Overwritten => {
                "it was set to another value since; read it again, or say whose value shall stand"
            }
            ConflictKind::TargetRemoved => "it was removed since; leave it out",
            ConflictKind::EditedSince => "it was edited since, or got children; read it again, or force its removal",
            ConflictKind::MovedSince => "it was moved since; read it again, or say whose place shall stand",
            ConflictKind::ParentRemoved => "its parent was removed since; choose another parent",
            ConflictKind::Cycle => "it would be its own ancestor; choose a parent outside of it",
            ConflictKind::IdTaken => "the id is or was in use; choose another",
            ConflictKind::RestoredSince => "the page was restored to an earlier version since; read it again",
            ConflictKind::FileRemoved => "the file was removed since; leave it out, or add it again",
            ConflictKind::FileExists => "a file has this path now; choose another path",
            ConflictKind::NotRebased => "the page changed since and can only be replaced whole; read it again",
            ConflictKind::CreateUndone => "its creation was undone; redo that to have it back",
            ConflictKind::RefMissing { id } => {
                return write!(out, "it names node {id:?}, which was removed since; choose another");
            }
            ConflictKind::Blocked { rule } => {
                return write!(out, "what was committed since is in the way: {rule}");
            }
        })
    }
}

impl Conflict {
    /// Gives the conflict as JSON. Absent values are left out.
    pub fn to_json(&self) -> Json {
        let mut map = JsonMap::new();
        map.insert("delta".into(), Json::from(self.delta));
        map.insert("op".into(), Json::from(self.op));
        map.insert("code".into(), Json::from(self.kind.code()));
        map.insert("detail".into(), Json::from(self.kind.to_string()));
        self.subject.write(&mut map);
        map.insert("pointer".into(), Json::from(self.pointer.as_str()));
        put(&mut map, "before", self.before.clone());
        put(&mut map, "mine", self.mine.clone());
        put(&mut map, "theirs", self.theirs.clone());
        put(&mut map, "version", self.version.map(Json::from));
        put(&mut map, "actor", self.actor.clone().map(Json::from));
        Json::Object(map)
    }
}

/// Puts a field into an object, if there is a value.
pub(crate) fn put(map: &mut JsonMap, field: &str, value: Option<Json>) {
    if let Some(value) = value {
        map.insert(field.into(), value);
    }
}
