//! DESIGN operations, schema 1.

use serde::{Deserialize, Serialize};

use super::super::{CodecError, damaged};
use super::patch::{StoredPatch, restore_index, restore_patch, restore_pointer, store_index, store_patch};
use super::{all, restore_json, restore_map, restore_text_delta};
use crate::design::{
    Background, DesignOp, Geometry, GeometryPatch, Id, NewNode, Number, Placement, Position, Siblings, Side,
};
use crate::json;
use crate::order::OrderKey;
use crate::text::StoredDelta;
use crate::wire::{check_id, check_type};

/// An operation.
#[derive(Serialize, Deserialize)]
pub(in super::super) enum StoredOp {
    AddNode {
        node: StoredNewNode,
        position: StoredPosition,
        siblings: Option<StoredSiblings>,
    },
    RemoveNode(String),
    SetNode(String, StoredPatch),
    MoveNode {
        id: String,
        parent: Option<Option<String>>,
        position: Option<StoredPosition>,
        siblings: Option<StoredSiblings>,
        /// Fields by their index in [`Side::ALL`], numbers as text.
        geometry: Vec<(u8, String)>,
    },
    EditText {
        id: String,
        pointer: String,
        delta: StoredDelta,
    },
    AddToSet {
        id: String,
        pointer: String,
        values: Vec<String>,
        at: Vec<u64>,
    },
    RemoveFromSet {
        id: String,
        pointer: String,
        values: Vec<String>,
    },
    SetAttributes(StoredPatch),
    AddBackground {
        background: String,
        placement: StoredPlacement,
        siblings: Option<StoredSiblings>,
    },
    RemoveBackground(String),
    SetBackground(String, StoredPatch),
    MoveBackground {
        id: String,
        placement: StoredPlacement,
        siblings: Option<StoredSiblings>,
    },
}

/// A node without a place. Properties are JSON as text, the numbers of the geometry too.
#[derive(Serialize, Deserialize)]
pub(in super::super) struct StoredNewNode {
    id: String,
    kind: String,
    parent: Option<String>,
    geometry: [String; 5],
    props: String,
}

#[derive(Serialize, Deserialize)]
pub(in super::super) enum StoredPosition {
    Placed(StoredPlacement),
    Keyed(String),
}

#[derive(Serialize, Deserialize)]
pub(in super::super) enum StoredPlacement {
    First,
    Last,
    After(String),
    Before(String),
}

#[derive(Serialize, Deserialize)]
pub(in super::super) struct StoredSiblings {
    left: Option<String>,
    right: Option<String>,
}

pub(super) fn store_op(op: &DesignOp) -> StoredOp {
    match op {
        DesignOp::AddNode {
            node,
            position,
            siblings,
        } => StoredOp::AddNode {
            node: store_new_node(node),
            position: store_position(position),
            siblings: siblings.as_ref().map(store_siblings),
        },
        DesignOp::RemoveNode { id } => StoredOp::RemoveNode(id.to_string()),
        DesignOp::SetNode { id, patch } => StoredOp::SetNode(id.to_string(), store_patch(patch)),
        DesignOp::MoveNode {
            id,
            parent,
            position,
            siblings,
            geometry,
        } => StoredOp::MoveNode {
            id: id.to_string(),
            parent: parent.as_ref().map(|parent| parent.as_deref().map(str::to_owned)),
            position: position.as_ref().map(store_position),
            siblings: siblings.as_ref().map(store_siblings),
            geometry: store_geometry_patch(geometry),
        },
        DesignOp::EditText { id, pointer, delta } => StoredOp::EditText {
            id: id.to_string(),
            pointer: pointer.to_string(),
            delta: delta.to_stored(),
        },
        DesignOp::AddToSet {
            id,
            pointer,
            values,
            at,
        } => StoredOp::AddToSet {
            id: id.to_string(),
            pointer: pointer.to_string(),
            values: values.iter().map(json::text).collect(),
            at: at.iter().map(|index| store_index(*index)).collect(),
        },
        DesignOp::RemoveFromSet { id, pointer, values } => StoredOp::RemoveFromSet {
            id: id.to_string(),
            pointer: pointer.to_string(),
            values: values.iter().map(json::text).collect(),
        },
        DesignOp::SetAttributes { patch } => StoredOp::SetAttributes(store_patch(patch)),
        DesignOp::AddBackground {
            background,
            placement,
            siblings,
        } => StoredOp::AddBackground {
            background: json::text(background.as_map()),
            placement: store_placement(placement),
            siblings: siblings.as_ref().map(store_siblings),
        },
        DesignOp::RemoveBackground { id } => StoredOp::RemoveBackground(id.to_string()),
        DesignOp::SetBackground { id, patch } => StoredOp::SetBackground(id.to_string(), store_patch(patch)),
        DesignOp::MoveBackground {
            id,
            placement,
            siblings,
        } => StoredOp::MoveBackground {
            id: id.to_string(),
            placement: store_placement(placement),
            siblings: siblings.as_ref().map(store_siblings),
        },
    }
}

pub(super) fn restore_op(stored: StoredOp) -> Result<DesignOp, CodecError> {
    Ok(match stored {
        StoredOp::AddNode {
            node,
            position,
            siblings,
        } => DesignOp::AddNode {
            node: restore_new_node(node)?,
            position: restore_position(position)?,
            siblings: siblings.map(restore_siblings).transpose()?,
        },
        StoredOp::RemoveNode(id) => DesignOp::RemoveNode { id: restore_id(&id)? },
        StoredOp::SetNode(id, patch) => DesignOp::SetNode {
            id: restore_id(&id)?,
            patch: restore_patch(patch)?,
        },
        StoredOp::MoveNode {
            id,
            parent,
            position,
            siblings,
            geometry,
        } => DesignOp::MoveNode {
            id: restore_id(&id)?,
            parent: parent
                .map(|parent| parent.as_deref().map(restore_id).transpose())
                .transpose()?,
            position: position.map(restore_position).transpose()?,
            siblings: siblings.map(restore_siblings).transpose()?,
            geometry: restore_geometry_patch(geometry)?,
        },
        StoredOp::EditText { id, pointer, delta } => DesignOp::EditText {
            id: restore_id(&id)?,
            pointer: restore_pointer(&pointer)?,
            delta: restore_text_delta(delta)?,
        },
        StoredOp::AddToSet {
            id,
            pointer,
            values,
            at,
        } => DesignOp::AddToSet {
            id: restore_id(&id)?,
            pointer: restore_pointer(&pointer)?,
            values: all(values, |text| restore_json(&text))?,
            at: all(at, restore_index)?,
        },
        StoredOp::RemoveFromSet { id, pointer, values } => DesignOp::RemoveFromSet {
            id: restore_id(&id)?,
            pointer: restore_pointer(&pointer)?,
            values: all(values, |text| restore_json(&text))?,
        },
        StoredOp::SetAttributes(patch) => DesignOp::SetAttributes {
            patch: restore_patch(patch)?,
        },
        StoredOp::AddBackground {
            background,
            placement,
            siblings,
        } => DesignOp::AddBackground {
            background: Background::new(restore_map(&background)?).map_err(damaged)?,
            placement: restore_placement(placement)?,
            siblings: siblings.map(restore_siblings).transpose()?,
        },
        StoredOp::RemoveBackground(id) => DesignOp::RemoveBackground { id: restore_id(&id)? },
        StoredOp::SetBackground(id, patch) => DesignOp::SetBackground {
            id: restore_id(&id)?,
            patch: restore_patch(patch)?,
        },
        StoredOp::MoveBackground {
            id,
            placement,
            siblings,
        } => DesignOp::MoveBackground {
            id: restore_id(&id)?,
            placement: restore_placement(placement)?,
            siblings: siblings.map(restore_siblings).transpose()?,
        },
    })
}

pub(super) fn store_geometry(geometry: &Geometry) -> [String; 5] {
    Side::ALL.map(|side| geometry.get(side).to_text())
}

pub(super) fn restore_geometry(stored: [String; 5]) -> Result<Geometry, CodecError> {
    let [x, y, width, height, rotation] = stored.map(|text| restore_number(&text));
    Ok(Geometry::new([x?, y?, width?, height?, rotation?]))
}

pub(super) fn restore_id(text: &str) -> Result<Id, CodecError> {
    check_id(text).map_err(damaged)?;
    Ok(text.into())
}

pub(super) fn restore_kind(kind: &str) -> Result<Box<str>, CodecError> {
    check_type(kind).map_err(damaged)?;
    Ok(kind.into())
}

pub(super) fn restore_order(text: &str) -> Result<OrderKey, CodecError> {
    OrderKey::parse(text).map_err(damaged)
}

fn store_new_node(node: &NewNode) -> StoredNewNode {
    StoredNewNode {
        id: node.id.to_string(),
        kind: node.kind.to_string(),
        parent: node.parent.as_deref().map(str::to_owned),
        geometry: store_geometry(&node.geometry),
        props: json::text(&node.props),
    }
}

fn restore_new_node(stored: StoredNewNode) -> Result<NewNode, CodecError> {
    Ok(NewNode {
        id: restore_id(&stored.id)?,
        kind: restore_kind(&stored.kind)?,
        parent: stored.parent.as_deref().map(restore_id).transpose()?,
        geometry: restore_geometry(stored.geometry)?,
        props: restore_map(&stored.props)?,
    })
}

fn store_geometry_patch(patch: &GeometryPatch) -> Vec<(u8, String)> {
    let sides = (0u8..).zip(Side::ALL);
    sides
        .filter_map(|(index, side)| Some((index, patch.get(side)?.to_text())))
        .collect()
}

fn restore_geometry_patch(stored: Vec<(u8, String)>) -> Result<GeometryPatch, CodecError> {
    let mut patch = GeometryPatch::default();
    for (index, text) in stored {
        let side = Side::ALL
            .get(usize::from(index))
            .filter(|side| patch.get(**side).is_none());
        let side = side.ok_or_else(|| damaged("no such field of a geometry"))?;
        patch.set(*side, restore_number(&text)?);
    }
    Ok(patch)
}

fn restore_number(text: &str) -> Result<Number, CodecError> {
    let number = Number::parse(text).filter(|number| number.to_text() == text);
    number.ok_or_else(|| damaged("no finite number where one belongs"))
}

fn store_position(position: &Position) -> StoredPosition {
    match position {
        Position::Placed(placement) => StoredPosition::Placed(store_placement(placement)),
        Position::Keyed(key) => StoredPosition::Keyed(key.to_string()),
    }
}

fn restore_position(stored: StoredPosition) -> Result<Position, CodecError> {
    Ok(match stored {
        StoredPosition::Placed(placement) => Position::Placed(restore_placement(placement)?),
        StoredPosition::Keyed(key) => Position::Keyed(restore_order(&key)?),
    })
}

fn store_placement(placement: &Placement) -> StoredPlacement {
    match placement {
        Placement::First => StoredPlacement::First,
        Placement::Last => StoredPlacement::Last,
        Placement::After(id) => StoredPlacement::After(id.to_string()),
        Placement::Before(id) => StoredPlacement::Before(id.to_string()),
    }
}

fn restore_placement(stored: StoredPlacement) -> Result<Placement, CodecError> {
    Ok(match stored {
        StoredPlacement::First => Placement::First,
        StoredPlacement::Last => Placement::Last,
        StoredPlacement::After(id) => Placement::After(restore_id(&id)?),
        StoredPlacement::Before(id) => Placement::Before(restore_id(&id)?),
    })
}

fn store_siblings(siblings: &Siblings) -> StoredSiblings {
    let side = |id: &Option<Id>| id.as_deref().map(str::to_owned);
    StoredSiblings {
        left: side(&siblings.left),
        right: side(&siblings.right),
    }
}

fn restore_siblings(stored: StoredSiblings) -> Result<Siblings, CodecError> {
    let side = |id: Option<String>| id.as_deref().map(restore_id).transpose();
    Ok(Siblings {
        left: side(stored.left)?,
        right: side(stored.right)?,
    })
}
