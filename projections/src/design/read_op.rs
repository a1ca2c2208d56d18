//! Reading the operations of a delta from JSON.

use super::background::{check_background_writable, check_writable};
use super::geometry::GeometryPatch;
use super::op::{Background, DesignOp, Placement, Position, Siblings};
use super::read::{read_node, read_order};
use super::set_node::{self, check_below_props};
use crate::fault::Invalid;
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::text::TextDelta;
use crate::wire::{Fields, free, free_map, id, index, nullable_id, read_ops, unknown_op};

/// Reads an array of operations.
pub(crate) fn ops_from_json(json: &Json) -> Result<Vec<DesignOp>, Invalid> {
    read_ops(json, read_op)
}

fn read_op(tag: &str, json: &Json, place: String) -> Result<DesignOp, Invalid> {
    match tag {
        "addNode" => add_node(json, place),
        "removeNode" => Ok(DesignOp::RemoveNode {
            id: Fields::open(json, place, &["op", "id"])?.id("id")?,
        }),
        "setNode" => {
            let fields = Fields::open(json, place, &["op", "id", "set", "unset", "at"])?;
            let patch = Patch::from_fields(&fields)?;
            set_node::check_writable(&patch).map_err(|flaw| flaw.into_invalid(&fields.place()))?;
            Ok(DesignOp::SetNode {
                id: fields.id("id")?,
                patch,
            })
        }
        "moveNode" => move_node(json, place),
        "editText" => edit_text(json, place),
        "addToSet" => add_to_set(json, place),
        "removeFromSet" => {
            let fields = Fields::open(json, place, &["op", "id", "pointer", "values"])?;
            let (pointer, values) = set_values(&fields)?;
            Ok(DesignOp::RemoveFromSet {
                id: fields.id("id")?,
                pointer,
                values,
            })
        }
        "setAttributes" => {
            let fields = Fields::open(json, place, &["op", "set", "unset", "at"])?;
            let patch = Patch::from_fields(&fields)?;
            check_writable(&patch).map_err(|flaw| flaw.into_invalid(&fields.place()))?;
            Ok(DesignOp::SetAttributes { patch })
        }
        "addBackground" => add_background(json, place),
        "removeBackground" => Ok(DesignOp::RemoveBackground {
            id: Fields::open(json, place, &["op", "id"])?.id("id")?,
        }),
        "setBackground" => {
            let fields = Fields::open(json, place, &["op", "id", "set", "unset", "at"])?;
            let patch = Patch::from_fields(&fields)?;
            check_background_writable(&patch).map_err(|flaw| flaw.into_invalid(&fields.place()))?;
            Ok(DesignOp::SetBackground {
                id: fields.id("id")?,
                patch,
            })
        }
        "moveBackground" => {
            let fields = Fields::open(json, place, &["op", "id", "placement", "siblings"])?;
            let placement = fields.required("placement", PLACEMENT)?;
            Ok(DesignOp::MoveBackground {
                id: fields.id("id")?,
                placement: read_placement(placement, fields.at("placement"))?,
                siblings: read_siblings(&fields)?,
            })
        }
        _ => Err(unknown_op(
            &place,
            "one of addNode, removeNode, setNode, moveNode, editText, addToSet, removeFromSet, setAttributes, \
             addBackground, removeBackground, setBackground, moveBackground",
        )),
    }
}

fn add_node(json: &Json, place: String) -> Result<DesignOp, Invalid> {
    let fields = Fields::open(json, place, &["op", "node", "placement", "siblings"])?;
    let (node, order) = read_node(fields.required("node", "a node")?, fields.at("node"), None)?;
    let placement = fields
        .optional("placement")
        .map(|json| read_placement(json, fields.at("placement")))
        .transpose()?;
    let position = match (order, placement) {
        (Some(_), Some(_)) => return Err(Invalid::malformed(fields.at("placement"), EITHER)),
        (Some(order), None) => Position::Keyed(order),
        (None, placement) => Position::Placed(placement.unwrap_or(Placement::Last)),
    };
    Ok(DesignOp::AddNode {
        node,
        position,
        siblings: read_siblings(&fields)?,
    })
}

fn move_node(json: &Json, place: String) -> Result<DesignOp, Invalid> {
    let known = ["op", "id", "parentId", "order", "placement", "siblings", "geometry"];
    let fields = Fields::open(json, place, &known)?;
    let placement = fields
        .optional("placement")
        .map(|json| read_placement(json, fields.at("placement")))
        .transpose()?;
    let position = match (read_order(&fields)?, placement) {
        (Some(_), Some(_)) => return Err(Invalid::malformed(fields.at("placement"), EITHER)),
        (order, placement) => order.map(Position::Keyed).or(placement.map(Position::Placed)),
    };
    let parent = fields.optional("parentId");
    Ok(DesignOp::MoveNode {
        id: fields.id("id")?,
        parent: parent
            .map(|json| nullable_id(json, || fields.at("parentId")))
            .transpose()?,
        position,
        siblings: read_siblings(&fields)?,
        geometry: match fields.optional("geometry") {
            Some(json) => GeometryPatch::from_json(json, fields.at("geometry"))?,
            None => GeometryPatch::default(),
        },
    })
}

fn edit_text(json: &Json, place: String) -> Result<DesignOp, Invalid> {
    let fields = Fields::open(json, place, &["op", "id", "pointer", "delta"])?;
    let delta = fields.required("delta", "a text delta, an array of operations")?;
    let delta = TextDelta::from_json(delta, &fields.at("delta"))?;
    delta
        .require_plain()
        .map_err(|fault| Invalid::rule(fields.at("delta"), fault.into()))?;
    Ok(DesignOp::EditText {
        id: fields.id("id")?,
        pointer: props_pointer(&fields)?,
        delta,
    })
}

fn add_to_set(json: &Json, place: String) -> Result<DesignOp, Invalid> {
    let fields = Fields::open(json, place, &["op", "id", "pointer", "values", "at"])?;
    let (pointer, values) = set_values(&fields)?;
    let mut at = Vec::new();
    if fields.optional("at").is_some() {
        for (number, json) in fields.array("at")?.iter().enumerate() {
            at.push(index(json, || format!("{}/{number}", fields.at("at")))?);
        }
        if at.len() != values.len() {
            return Err(Invalid::malformed(
                fields.at("at"),
                "as many indices as there are values",
            ));
        }
    }
    Ok(DesignOp::AddToSet {
        id: fields.id("id")?,
        pointer,
        values,
        at,
    })
}

fn add_background(json: &Json, place: String) -> Result<DesignOp, Invalid> {
    let fields = Fields::open(json, place, &["op", "background", "placement", "siblings"])?;
    let at = fields.at("background");
    let map = free_map(fields.required("background", "a background, an object")?, || at.clone())?;
    let background = Background::read(map, &at)?;
    let placement = fields
        .optional("placement")
        .map(|json| read_placement(json, fields.at("placement")))
        .transpose()?;
    Ok(DesignOp::AddBackground {
        background,
        placement: placement.unwrap_or(Placement::Last),
        siblings: read_siblings(&fields)?,
    })
}

const PLACEMENT: &str = "\"first\", \"last\", {\"after\": id} or {\"before\": id}";
const EITHER: &str = "no placement beside an order key";

fn read_placement(json: &Json, place: String) -> Result<Placement, Invalid> {
    match json {
        Json::String(word) if word == "first" => Ok(Placement::First),
        Json::String(word) if word == "last" => Ok(Placement::Last),
        Json::Object(map) if map.len() == 1 => {
            let fields = Fields::open(json, place, &["after", "before"])?;
            match fields.optional("after") {
                Some(_) => fields.id("after").map(Placement::After),
                None => fields.id("before").map(Placement::Before),
            }
        }
        _ => Err(Invalid::malformed(place, PLACEMENT)),
    }
}

fn read_siblings(fields: &Fields<'_>) -> Result<Option<Siblings>, Invalid> {
    let Some(json) = fields.optional("siblings") else {
        return Ok(None);
    };
    let fields = Fields::open(json, fields.at("siblings"), &["left", "right"])?;
    let side = |name| match fields.optional(name) {
        None | Some(Json::Null) => Ok(None),
        Some(json) => id(json, || fields.at(name)).map(Some),
    };
    Ok(Some(Siblings {
        left: side("left")?,
        right: side("right")?,
    }))
}

fn set_values(fields: &Fields<'_>) -> Result<(Pointer, Vec<Json>), Invalid> {
    let pointer = props_pointer(fields)?;
    let above = pointer.segments().count();
    let values = fields.array("values")?.iter().enumerate();
    let values = values.map(|(number, json)| free(json, above, || format!("{}/{number}", fields.at("values"))));
    Ok((pointer, values.collect::<Result<_, _>>()?))
}

fn props_pointer(fields: &Fields<'_>) -> Result<Pointer, Invalid> {
    let pointer = fields.pointer("pointer")?;
    check_below_props(&pointer).map_err(|rule| Invalid::rule(fields.at("pointer"), rule))?;
    Ok(pointer)
}
