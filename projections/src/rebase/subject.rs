//! What an operation, a conflict or a note is about.

use std::sync::Arc;

use super::field::{content_at, map_at};
use crate::design::{DesignOp, DesignValue, Id};
use crate::json::{Json, JsonMap};
use crate::pointer::Pointer;

/// What an operation is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A node.
    Node(Id),
    /// A background.
    Background(Id),
    /// The attributes of the page.
    Attributes,
    /// A file, by the path that the delta gives it.
    File(Arc<str>),
    /// The entry of a CODE page.
    Entry,
    /// The page as a whole.
    Page,
}

impl Subject {
    /// Gives the subject as an object with one field: see [`Subject`] for their names.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut map = JsonMap::new();
        self.write(&mut map);
        Json::Object(map)
    }

    /// Puts the subject into an object: `node`, `background`, `file` with its name, or `attributes`, `entry`, `page`.
    pub(crate) fn write(&self, map: &mut JsonMap) {
        let (field, value) = match self {
            Subject::Node(id) => ("node", Json::from(&**id)),
            Subject::Background(id) => ("background", Json::from(&**id)),
            Subject::File(path) => ("file", Json::from(&**path)),
            Subject::Attributes => ("attributes", Json::Bool(true)),
            Subject::Entry => ("entry", Json::Bool(true)),
            Subject::Page => ("page", Json::Bool(true)),
        };
        map.insert(field.into(), value);
    }

    /// Says whether a DESIGN page has it.
    pub(crate) fn exists(&self, page: &DesignValue) -> bool {
        match self {
            Subject::Node(id) => page.node(id).is_some(),
            Subject::Background(id) => background(page, id).is_some(),
            _ => true,
        }
    }

    /// Gives what a pointer names in it, on a DESIGN page.
    pub(crate) fn read(&self, page: &DesignValue, pointer: &str) -> Option<Json> {
        match self {
            Subject::Node(id) => content_at(page.node(id)?.content(), pointer).map(|json| json.into_owned()),
            Subject::Background(id) => background(page, id)?.pointer(pointer).cloned(),
            Subject::Attributes => map_at(page.attributes(), pointer).cloned(),
            _ => None,
        }
    }

    /// Gives the keys, in order, of the object in it that a pointer names, on a DESIGN page.
    pub(crate) fn keys(&self, page: &DesignValue, pointer: &str) -> Option<Vec<String>> {
        let keys = |map: &JsonMap| map.keys().cloned().collect();
        match (self, pointer) {
            (Subject::Node(id), "/props") => Some(keys(page.node(id)?.props())),
            (Subject::Attributes, "") => Some(keys(page.attributes())),
            _ => self.read(page, pointer)?.as_object().map(keys),
        }
    }

    /// Says whether the object is there, on a DESIGN page, in which a pointer names a key.
    pub(crate) fn is_reachable(&self, page: &DesignValue, pointer: &Pointer) -> bool {
        match pointer.split_last() {
            None => false,
            Some(("" | "/props", _)) => true,
            Some((parent, _)) => self.read(page, parent).is_some_and(|json| json.is_object()),
        }
    }
}

/// Gives what an operation is about.
pub(crate) fn subject_of(op: &DesignOp) -> Option<Subject> {
    Some(match op {
        DesignOp::AddNode { node, .. } => Subject::Node(node.id.clone()),
        DesignOp::RemoveNode { id }
        | DesignOp::SetNode { id, .. }
        | DesignOp::MoveNode { id, .. }
        | DesignOp::EditText { id, .. }
        | DesignOp::AddToSet { id, .. }
        | DesignOp::RemoveFromSet { id, .. } => Subject::Node(id.clone()),
        DesignOp::SetAttributes { .. } => Subject::Attributes,
        DesignOp::AddBackground { background, .. } => Subject::Background(background.id().into()),
        DesignOp::RemoveBackground { id }
        | DesignOp::SetBackground { id, .. }
        | DesignOp::MoveBackground { id, .. } => Subject::Background(id.clone()),
    })
}

/// Says whether an operation puts a node or a background on the page.
pub(crate) fn comes(op: &DesignOp) -> bool {
    matches!(op, DesignOp::AddNode { .. } | DesignOp::AddBackground { .. })
}

/// Says whether an operation takes a node or a background away.
pub(crate) fn goes(op: &DesignOp) -> bool {
    matches!(op, DesignOp::RemoveNode { .. } | DesignOp::RemoveBackground { .. })
}

/// Gives a background of a DESIGN page.
pub(crate) fn background<'v>(page: &'v DesignValue, id: &str) -> Option<&'v Json> {
    let mut backgrounds = page.backgrounds().iter();
    backgrounds.find(|json| json.get("id").and_then(Json::as_str) == Some(id))
}
