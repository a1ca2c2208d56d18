//! Random steps of a DESIGN history: operations, groupings, replacements.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use recto_projections::design::{DesignValue, Id, NewNode};
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::{Map, json};

use crate::random::{ORDERS, background, design_json, geometry, json_value, props};

/// A step of a history, to be resolved against the value that it meets.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Ops(Vec<OpSpec>),
    Group(Vec<Index>),
    Ungroup(Index),
    Delete(Vec<Index>),
    Rebalance(Index),
    Replace(Json),
}

/// An operation in which nodes are named by chance: some that are there, some that are not.
#[derive(Clone, Debug)]
pub(crate) struct OpSpec {
    verb: &'static str,
    ids: [Index; 3],
    missing: bool,
    place: u8,
    json: Json,
    map: Map<String, Json>,
    geometry: Json,
    background: Map<String, Json>,
    pointers: Vec<(&'static str, Json)>,
    index: usize,
}

const VERBS: [&str; 12] = [
    "addNode",
    "removeNode",
    "setNode",
    "moveNode",
    "editText",
    "addToSet",
    "removeFromSet",
    "setAttributes",
    "addBackground",
    "removeBackground",
    "setBackground",
    "moveBackground",
];

const POINTERS: [&str; 9] = [
    "/type",
    "/props/a",
    "/props/b",
    "/props/a/b",
    "/props/text",
    "/props/set",
    "/props/a~1b",
    "/props/m~0n/a",
    "/props/0",
];

fn op_spec() -> impl Strategy<Value = OpSpec> {
    let pointers = vec((select(&POINTERS[..]), json_value()), 0..4);
    let names = (
        select(&VERBS[..]),
        any::<[Index; 3]>(),
        prop::bool::weighted(0.05),
        any::<u8>(),
    );
    (
        names,
        json_value(),
        props(),
        geometry(),
        background(),
        pointers,
        0usize..5,
    )
        .prop_map(
            |((verb, ids, missing, place), json, map, geometry, background, pointers, index)| OpSpec {
                verb,
                ids,
                missing,
                place,
                json,
                map,
                geometry,
                background,
                pointers,
                index,
            },
        )
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => vec(op_spec(), 1..4).prop_map(Step::Ops),
        1 => vec(any::<Index>(), 1..4).prop_map(Step::Group),
        1 => any::<Index>().prop_map(Step::Ungroup),
        1 => vec(any::<Index>(), 1..3).prop_map(Step::Delete),
        1 => any::<Index>().prop_map(Step::Rebalance),
        1 => design_json().prop_map(Step::Replace),
    ]
}

/// Resolves a step; nothing if it makes no sense here.
pub(crate) fn resolve(value: &Value, step: &Step) -> Option<Delta> {
    let Value::Design(design) = value else {
        return None;
    };
    let ids: Vec<Id> = design.tree().map(|node| node.id().clone()).collect();
    let some = |indices: &[Index]| indices.iter().map(|index| index.get(&ids).clone()).collect::<Vec<_>>();
    if ids.is_empty() && !matches!(step, Step::Ops(_) | Step::Replace(_)) {
        return None;
    }
    match step {
        Step::Ops(specs) => {
            let ops: Json = specs.iter().map(|spec| op_json(design, &ids, spec)).collect();
            Delta::from_json(Kind::Design, &ops).ok()
        }
        Step::Group(members) => {
            let id: Id = format!("g{}", ids.len()).into();
            let group = NewNode {
                id,
                kind: "group".into(),
                parent: None,
                geometry: Default::default(),
                props: Map::new(),
            };
            design.group(group, &some(members)).ok().map(Delta::Design)
        }
        Step::Ungroup(group) => design.ungroup(group.get::<Id>(&ids)).ok().map(Delta::Design),
        Step::Delete(gone) => design.delete_with_descendants(&some(gone)).ok().map(Delta::Design),
        Step::Rebalance(parent) => {
            let id: &Id = parent.get(&ids);
            Some(Delta::Design(design.rebalance(design.node(id)?.parent())))
        }
        Step::Replace(json) => value.diff(&value.successor_from_json(json).unwrap()).ok(),
    }
}

fn op_json(design: &DesignValue, ids: &[Id], spec: &OpSpec) -> Json {
    let pick = |at: usize| match ids {
        _ if spec.missing => Json::from("nobody"),
        [] => Json::from("nobody"),
        ids => Json::from(&**spec.ids[at].get(ids)),
    };
    let fresh = format!("x{}", spec.place);
    let parent = if spec.place.is_multiple_of(3) {
        Json::Null
    } else {
        pick(1)
    };
    let mut op = json!({"op": spec.verb});
    match spec.verb {
        "addNode" => {
            op["node"] =
                json!({"id": fresh, "type": "shape", "parentId": parent, "geometry": spec.geometry, "props": spec.map});
            place(&mut op, spec, pick(2), true);
        }
        "removeNode" => op["id"] = pick(0),
        "setNode" => {
            op["id"] = pick(0);
            patch(&mut op, &spec.pointers, spec, "");
        }
        "moveNode" => {
            op["id"] = pick(0);
            if spec.place & 1 == 0 {
                op["parentId"] = parent;
            }
            place(&mut op, spec, pick(2), false);
            if spec.place & 2 == 0 {
                op["geometry"] = spec.geometry.clone();
            }
        }
        "editText" => {
            op["id"] = pick(0);
            op["pointer"] = Json::from("/props/text");
            op["delta"] = json!([{"retain": spec.index + 1}, {"insert": "é😀"}, {"delete": 1}]);
            if spec.place & 1 == 0 {
                op["delta"] = json!([{"insert": "new "}]);
            }
        }
        "addToSet" | "removeFromSet" => {
            op["id"] = pick(0);
            op["pointer"] = Json::from(if spec.place.is_multiple_of(4) {
                "/props/0"
            } else {
                "/props/set"
            });
            op["values"] = json!([spec.json, "a", "b"]);
            if spec.verb == "addToSet" && spec.place & 1 == 0 {
                op["at"] = json!([spec.index, 0, 1]);
            }
        }
        "setAttributes" => patch(&mut op, &spec.pointers, spec, "/props"),
        "addBackground" => {
            op["background"] = Json::Object(spec.background.clone());
            place_background(&mut op, design, spec);
        }
        "removeBackground" => op["id"] = spec.background["id"].clone(),
        "setBackground" => {
            op["id"] = spec.background["id"].clone();
            patch(&mut op, &spec.pointers, spec, "/props");
        }
        _ => {
            op["id"] = spec.background["id"].clone();
            place_background(&mut op, design, spec);
        }
    }
    op
}

/// Sets some pointers, takes the others away, and gives some of them an index. `strip` is left out of each pointer.
fn patch(op: &mut Json, pointers: &[(&'static str, Json)], spec: &OpSpec, strip: &str) {
    let (mut set, mut unset, mut at) = (Map::new(), Vec::new(), Map::new());
    for (number, (pointer, value)) in pointers.iter().enumerate() {
        let text = pointer.strip_prefix(strip).unwrap_or(pointer).to_owned();
        if set.keys().chain(&unset).any(|other: &String| overlap(other, &text))
            || (text == "/type" && !strip.is_empty())
        {
            continue;
        }
        let is_type = text == "/type";
        match (usize::from(spec.place) >> number) & 3 {
            0 if !is_type => unset.push(text),
            1 if !is_type => {
                set.insert(text.clone(), value.clone());
                at.insert(text, Json::from(spec.index));
            }
            2 if !is_type => drop(at.insert(text, Json::from(spec.index))),
            _ => drop(set.insert(text, if is_type { Json::from("text") } else { value.clone() })),
        }
    }
    op["set"] = Json::Object(set);
    op["unset"] = json!(unset);
    op["at"] = Json::Object(at);
}

fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (format!("{a}/"), format!("{b}/"));
    a.starts_with(&b) || b.starts_with(&a)
}

fn place(op: &mut Json, spec: &OpSpec, other: Json, new: bool) {
    match spec.place % 7 {
        0 => op["placement"] = Json::from("first"),
        1 => op["placement"] = Json::from("last"),
        2 | 3 => op["placement"] = json!({"after": other}),
        4 => op["placement"] = json!({"before": other}),
        5 => {
            let order = ORDERS[usize::from(spec.place) % ORDERS.len()];
            if new {
                op["node"]["order"] = Json::from(order);
            } else {
                op["order"] = Json::from(order);
            }
        }
        _ => {}
    }
}

fn place_background(op: &mut Json, design: &DesignValue, spec: &OpSpec) {
    let other = design
        .backgrounds()
        .first()
        .map_or(json!("b1"), |background| background["id"].clone());
    op["placement"] = match spec.place % 4 {
        0 => json!("first"),
        1 => json!({"after": other}),
        2 => json!({"before": other}),
        _ => json!("last"),
    };
}
