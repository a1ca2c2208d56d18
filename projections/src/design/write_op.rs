//! Writing the operations of a delta as JSON.

use super::op::{DesignOp, Placement, Position, Siblings};
use crate::json::{Json, JsonMap};

/// Gives operations as an array.
pub(crate) fn ops_to_json(ops: &[DesignOp]) -> Json {
    ops.iter().map(|op| Json::Object(write_op(op))).collect()
}

fn write_op(op: &DesignOp) -> JsonMap {
    let mut map = JsonMap::new();
    map.insert("op".into(), Json::from(tag(op)));
    if let Some(id) = id(op) {
        map.insert("id".into(), Json::from(id));
    }
    match op {
        DesignOp::AddNode {
            node,
            position,
            siblings,
        } => {
            let mut fields = JsonMap::new();
            let (order, placement) = match position {
                Position::Keyed(order) => (Some(order), None),
                Position::Placed(placement) => (None, Some(placement)),
            };
            node.write_fields(&mut fields, order);
            map.insert("node".into(), Json::Object(fields));
            write_placement(placement, siblings.as_ref(), &mut map);
        }
        DesignOp::RemoveNode { .. } | DesignOp::RemoveBackground { .. } => {}
        DesignOp::SetNode { patch, .. } | DesignOp::SetAttributes { patch } | DesignOp::SetBackground { patch, .. } => {
            patch.write_fields(&mut map);
        }
        DesignOp::MoveNode {
            parent,
            position,
            siblings,
            geometry,
            ..
        } => {
            if let Some(parent) = parent {
                map.insert("parentId".into(), parent.as_deref().map_or(Json::Null, Json::from));
            }
            let placement = match position {
                Some(Position::Keyed(order)) => {
                    map.insert("order".into(), Json::from(order.as_str()));
                    None
                }
                Some(Position::Placed(placement)) => Some(placement),
                None => None,
            };
            write_placement(placement, siblings.as_ref(), &mut map);
            if !geometry.is_empty() {
                map.insert("geometry".into(), geometry.to_json());
            }
        }
        DesignOp::EditText { pointer, delta, .. } => {
            map.insert("pointer".into(), Json::from(pointer.as_str()));
            map.insert("delta".into(), delta.to_json());
        }
        DesignOp::AddToSet {
            pointer, values, at, ..
        } => {
            map.insert("pointer".into(), Json::from(pointer.as_str()));
            map.insert("values".into(), Json::Array(values.clone()));
            if !at.is_empty() {
                map.insert("at".into(), at.iter().map(|index| Json::from(*index)).collect());
            }
        }
        DesignOp::RemoveFromSet { pointer, values, .. } => {
            map.insert("pointer".into(), Json::from(pointer.as_str()));
            map.insert("values".into(), Json::Array(values.clone()));
        }
        DesignOp::AddBackground {
            background,
            placement,
            siblings,
        } => {
            map.insert("background".into(), Json::Object(background.as_map().clone()));
            write_placement(Some(placement), siblings.as_ref(), &mut map);
        }
        DesignOp::MoveBackground {
            placement, siblings, ..
        } => {
            write_placement(Some(placement), siblings.as_ref(), &mut map);
        }
    }
    map
}

fn tag(op: &DesignOp) -> &'static str {
    match op {
        DesignOp::AddNode { .. } => "addNode",
        DesignOp::RemoveNode { .. } => "removeNode",
        DesignOp::SetNode { .. } => "setNode",
        DesignOp::MoveNode { .. } => "moveNode",
        DesignOp::EditText { .. } => "editText",
        DesignOp::AddToSet { .. } => "addToSet",
        DesignOp::RemoveFromSet { .. } => "removeFromSet",
        DesignOp::SetAttributes { .. } => "setAttributes",
        DesignOp::AddBackground { .. } => "addBackground",
        DesignOp::RemoveBackground { .. } => "removeBackground",
        DesignOp::SetBackground { .. } => "setBackground",
        DesignOp::MoveBackground { .. } => "moveBackground",
    }
}

fn id(op: &DesignOp) -> Option<&str> {
    match op {
        DesignOp::RemoveNode { id }
        | DesignOp::SetNode { id, .. }
        | DesignOp::MoveNode { id, .. }
        | DesignOp::EditText { id, .. }
        | DesignOp::AddToSet { id, .. }
        | DesignOp::RemoveFromSet { id, .. }
        | DesignOp::RemoveBackground { id }
        | DesignOp::SetBackground { id, .. }
        | DesignOp::MoveBackground { id, .. } => Some(id),
        DesignOp::AddNode { .. } | DesignOp::SetAttributes { .. } | DesignOp::AddBackground { .. } => None,
    }
}

fn write_placement(placement: Option<&Placement>, siblings: Option<&Siblings>, map: &mut JsonMap) {
    if let Some(placement) = placement {
        let beside = |word: &str, id: &str| Json::Object([(word.to_owned(), Json::from(id))].into_iter().collect());
        let json = match placement {
            Placement::First => Json::from("first"),
            Placement::Last => Json::from("last"),
            Placement::After(id) => beside("after", id),
            Placement::Before(id) => beside("before", id),
        };
        map.insert("placement".into(), json);
    }
    if let Some(Siblings { left, right }) = siblings {
        let side = |id: &Option<_>| id.as_deref().map_or(Json::Null, Json::from);
        let sides = [("left".to_owned(), side(left)), ("right".to_owned(), side(right))];
        map.insert("siblings".into(), Json::Object(sides.into_iter().collect()));
    }
}
