//! The fields of nodes, backgrounds and attributes, and what an operation says of one of them.

use std::borrow::Cow;

use crate::design::{Background, DesignOp, NewNode, Position, Side};
use crate::json::{self, Json, JsonMap};
use crate::patch::Patch;
use crate::pointer::holds;

const TYPE: &str = "/type";
const PROPS: &str = "/props";
/// The attribute that holds the list of backgrounds.
pub(crate) const BACKGROUNDS: &str = "/backgrounds";

/// One thing that can be written by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field<'a> {
    /// What a JSON pointer names: the type or a property of a node, an attribute, a part of a background.
    At(&'a str),
    /// Whether a set, named by a JSON pointer, holds an element: true, or absent.
    Element(&'a str, &'a Json),
    /// The parent of a node.
    Parent,
    /// The order key of a node.
    Order,
    /// A field of the geometry of a node.
    Side(Side),
    /// The place of a background in the list.
    Place,
}

/// What an operation says of a field.
#[derive(Clone, Debug)]
pub(crate) enum Said<'a> {
    /// It does not touch it.
    Nothing,
    /// Whatever has the field is gone.
    Gone,
    /// The field has this value; `None` is absent.
    Value(Option<Cow<'a, Json>>),
    /// The value is another; which one, the operation alone does not tell.
    Inside,
}

impl Field<'_> {
    /// Gives the JSON pointer to the field.
    pub(crate) fn pointer(self) -> String {
        match self {
            Field::At(pointer) | Field::Element(pointer, _) => pointer.to_owned(),
            Field::Parent => "/parentId".into(),
            Field::Order => "/order".into(),
            Field::Side(side) => format!("/geometry/{}", side.as_str()),
            Field::Place => String::new(),
        }
    }
}

impl Said<'_> {
    /// Says whether two statements give the same value; nothing if one of them does not tell.
    pub(crate) fn same(&self, other: &Said<'_>) -> Option<bool> {
        match (self, other) {
            (Said::Gone, Said::Gone) => Some(true),
            (Said::Value(a), Said::Value(b)) => Some(same(a.as_deref(), b.as_deref())),
            (Said::Gone, Said::Value(_)) | (Said::Value(_), Said::Gone) => Some(false),
            _ => None,
        }
    }
}

/// Says what an operation says of a field.
pub(crate) fn said<'a>(op: &'a DesignOp, field: Field<'_>) -> Said<'a> {
    if let Field::Element(pointer, element) = field {
        return said_of_element(op, pointer, element);
    }
    match (op, field) {
        (DesignOp::AddNode { node, position, .. }, _) => added(node, position, field),
        (DesignOp::RemoveNode { .. } | DesignOp::RemoveBackground { .. }, _) => Said::Gone,
        (
            DesignOp::SetNode { patch, .. } | DesignOp::SetAttributes { patch } | DesignOp::SetBackground { patch, .. },
            Field::At(pointer),
        ) => patched(patch, pointer),
        (
            DesignOp::EditText { pointer, .. }
            | DesignOp::AddToSet { pointer, .. }
            | DesignOp::RemoveFromSet { pointer, .. },
            Field::At(at),
        ) if holds(at, pointer.as_str()) => Said::Inside,
        (
            DesignOp::MoveNode {
                parent: Some(parent), ..
            },
            Field::Parent,
        ) => value(parent_json(parent.as_deref())),
        (
            DesignOp::MoveNode {
                position: Some(position),
                ..
            },
            Field::Order,
        ) => placed(position),
        (DesignOp::MoveNode { geometry, .. }, Field::Side(side)) => geometry
            .get(side)
            .map_or(Said::Nothing, |number| value(number.to_json())),
        (DesignOp::AddBackground { background, .. }, Field::At(pointer)) => {
            Said::Value(background_at(background, pointer).map(Cow::Borrowed))
        }
        (DesignOp::AddBackground { .. } | DesignOp::MoveBackground { .. }, Field::Place) => Said::Inside,
        _ => Said::Nothing,
    }
}

/// Says what a patch says of what a pointer names.
pub(crate) fn patched<'a>(patch: &'a Patch, at: &str) -> Said<'a> {
    let mut inside = false;
    for (pointer, json) in &patch.set {
        if holds(pointer.as_str(), at) {
            return Said::Value(json.pointer(&at[pointer.as_str().len()..]).map(Cow::Borrowed));
        }
        inside |= holds(at, pointer.as_str());
    }
    for pointer in &patch.unset {
        if holds(pointer.as_str(), at) {
            return Said::Value(None);
        }
        inside |= holds(at, pointer.as_str());
    }
    if inside { Said::Inside } else { Said::Nothing }
}

/// Gives what a pointer names in a node: its type, or something below its properties.
pub(crate) fn content_at<'a>(node: &'a NewNode, pointer: &str) -> Option<Cow<'a, Json>> {
    match pointer.strip_prefix(PROPS) {
        Some(below) => map_at(&node.props, below).map(Cow::Borrowed),
        None => (pointer == TYPE).then(|| Cow::Owned(Json::from(&*node.kind))),
    }
}

/// Gives what a pointer names below an object.
pub(crate) fn map_at<'a>(map: &'a JsonMap, pointer: &str) -> Option<&'a Json> {
    let rest = pointer.strip_prefix('/')?;
    let (first, below) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    map.get(&first.replace("~1", "/").replace("~0", "~"))?.pointer(below)
}

/// Says whether two values, of which each may be absent, are written the same.
pub(crate) fn same(a: Option<&Json>, b: Option<&Json>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => json::same(a, b),
        _ => false,
    }
}

/// Says whether a list holds a value.
pub(crate) fn has(items: &[Json], value: &Json) -> bool {
    items.iter().any(|item| json::same(item, value))
}

/// Gives a parent as it is written in JSON.
pub(crate) fn parent_json(parent: Option<&str>) -> Json {
    parent.map_or(Json::Null, Json::from)
}

fn added<'a>(node: &'a NewNode, position: &Position, field: Field<'_>) -> Said<'a> {
    match field {
        Field::At(pointer) => Said::Value(content_at(node, pointer)),
        Field::Parent => value(parent_json(node.parent.as_deref())),
        Field::Order => placed(position),
        Field::Side(side) => value(node.geometry.get(side).to_json()),
        Field::Place | Field::Element(..) => Said::Nothing,
    }
}

fn said_of_element<'a>(op: &DesignOp, at: &str, element: &Json) -> Said<'a> {
    let holds = |json: Option<&Json>| {
        let items = json.and_then(Json::as_array);
        items.is_some_and(|items| has(items, element))
    };
    let is_in = |is_in: bool| Said::Value(is_in.then_some(Cow::Owned(Json::Bool(true))));
    match op {
        DesignOp::AddNode { node, .. } => is_in(holds(content_at(node, at).as_deref())),
        DesignOp::RemoveNode { .. } => Said::Gone,
        DesignOp::SetNode { patch, .. } => match patched(patch, at) {
            Said::Value(value) => is_in(holds(value.as_deref())),
            _ => Said::Nothing,
        },
        DesignOp::AddToSet { pointer, values, .. } if pointer.as_str() == at && has(values, element) => is_in(true),
        DesignOp::RemoveFromSet { pointer, values, .. } if pointer.as_str() == at && has(values, element) => {
            is_in(false)
        }
        _ => Said::Nothing,
    }
}

fn placed<'a>(position: &Position) -> Said<'a> {
    match position {
        Position::Keyed(key) => value(Json::from(key.as_str())),
        Position::Placed(_) => Said::Inside,
    }
}

fn background_at<'a>(background: &'a Background, pointer: &str) -> Option<&'a Json> {
    map_at(background.as_map(), pointer)
}

fn value<'a>(json: Json) -> Said<'a> {
    Said::Value(Some(Cow::Owned(json)))
}
