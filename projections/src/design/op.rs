//! The operations on a DESIGN page.

use super::geometry::{Geometry, GeometryPatch};
use super::node::Id;
use crate::json::{Json, JsonMap, same_map};
use crate::order::OrderKey;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::text::TextDelta;

/// One operation of a DESIGN delta.
#[derive(Clone, Debug, PartialEq)]
pub enum DesignOp {
    /// Adds a node without children.
    AddNode {
        /// The node.
        node: NewNode,
        /// Where it goes among its siblings.
        position: Position,
        /// Between whom it came to stand; only a note.
        siblings: Option<Siblings>,
    },
    /// Removes a node that has no children.
    RemoveNode {
        /// The node.
        id: Id,
    },
    /// Sets and takes away the type and properties of a node.
    SetNode {
        /// The node.
        id: Id,
        /// Pointers `/type`, and below `/props`.
        patch: Patch,
    },
    /// Moves a node: to another parent, to another place among its siblings, to other coordinates.
    MoveNode {
        /// The node.
        id: Id,
        /// The new parent (`Some(None)` is the page); `None` keeps the parent.
        parent: Option<Option<Id>>,
        /// The place among the siblings; without one a node with a new parent goes last, any other stays.
        position: Option<Position>,
        /// Between whom it came to stand; only a note.
        siblings: Option<Siblings>,
        /// The fields of the geometry that change.
        geometry: GeometryPatch,
    },
    /// Edits a string property as text.
    EditText {
        /// The node.
        id: Id,
        /// The pointer to the string, below `/props`.
        pointer: Pointer,
        /// Plain inserts, retains and deletes, in UTF-16 units.
        delta: TextDelta,
    },
    /// Adds values to an array property that is a set; an absent one is made.
    AddToSet {
        /// The node.
        id: Id,
        /// The pointer to the array, below `/props`.
        pointer: Pointer,
        /// The values. Those that are there are passed over.
        values: Vec<Json>,
        /// The index of each value in the array afterwards, or nothing: then they come last.
        at: Vec<usize>,
    },
    /// Takes values out of an array property that is a set.
    RemoveFromSet {
        /// The node.
        id: Id,
        /// The pointer to the array, below `/props`.
        pointer: Pointer,
        /// The values. Those that are not there are passed over.
        values: Vec<Json>,
    },
    /// Sets and takes away attributes of the page.
    SetAttributes {
        /// Pointers below the attributes; `/backgrounds` can only be set to the empty list, and be taken away empty.
        patch: Patch,
    },
    /// Adds a background.
    AddBackground {
        /// The background, with its `id` and `type`.
        background: Background,
        /// Where it goes.
        placement: Placement,
        /// Between whom it came to stand; only a note.
        siblings: Option<Siblings>,
    },
    /// Removes a background.
    RemoveBackground {
        /// The background.
        id: Id,
    },
    /// Sets and takes away what a background holds.
    SetBackground {
        /// The background.
        id: Id,
        /// Pointers below the background, except `/id`.
        patch: Patch,
    },
    /// Moves a background.
    MoveBackground {
        /// The background.
        id: Id,
        /// Where it goes.
        placement: Placement,
        /// Between whom it came to stand; only a note.
        siblings: Option<Siblings>,
    },
}

/// A node before it has a place.
#[derive(Clone, Debug)]
pub struct NewNode {
    /// The id, unique on the page.
    pub id: Id,
    /// The type, any string.
    pub kind: Box<str>,
    /// The parent; `None` is the page.
    pub parent: Option<Id>,
    /// Where it lies in its parent.
    pub geometry: Geometry,
    /// Its properties.
    pub props: JsonMap,
}

/// A background: a JSON object with an `id` and a `type`.
#[derive(Clone, Debug)]
pub struct Background(pub(crate) JsonMap);

/// Where something goes among its siblings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Right after one of them.
    After(Id),
    /// Right before one of them.
    Before(Id),
}

/// Where a node goes among its siblings: as asked for, or as committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// At a place, which gets an order key when it is applied.
    Placed(Placement),
    /// At an order key.
    Keyed(OrderKey),
}

/// Between whom something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Siblings {
    /// The one before it.
    pub left: Option<Id>,
    /// The one after it.
    pub right: Option<Id>,
}

impl PartialEq for NewNode {
    fn eq(&self, other: &NewNode) -> bool {
        self.id == other.id
            && self.kind == other.kind
            && self.parent == other.parent
            && self.geometry == other.geometry
            && same_map(&self.props, &other.props)
    }
}

impl Background {
    /// Gives the id.
    pub fn id(&self) -> &str {
        self.0.get("id").and_then(Json::as_str).unwrap_or_default()
    }

    /// Gives the whole object.
    pub fn as_map(&self) -> &JsonMap {
        &self.0
    }
}

impl PartialEq for Background {
    fn eq(&self, other: &Background) -> bool {
        same_map(&self.0, &other.0)
    }
}
