//! Random JSON and DESIGN values.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use recto_projections::{Json, Kind, Value};
use serde_json::{Map, json};

/// How many cases a property gets unless `PROPTEST_CASES` says otherwise.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        failure_persistence: None,
        cases: asked.unwrap_or(cases),
        ..ProptestConfig::default()
    }
}

/// Numbers by their text: pairs that are equal as floats, and what no float holds.
const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "1",
    "1.0",
    "10",
    "1e+1",
    "-3.25",
    "1e+400",
    "12345678901234567890",
    "0.1",
    "0.10",
    "7",
];
const KEYS: [&str; 10] = ["a", "b", "c", "a/b", "m~n", "", "0", "é😀", "text", "set"];
const WORDS: [&str; 8] = ["", "a", "b", "😀", "👨‍👩‍👧 flag 🇩🇪", "e\u{301}", "line\nbreak", "\u{7}\"\\"];
const LONG: &str = "The quick brown fox jumps over the lazy dog, 😀 and over the 👨‍👩‍👧 family of dogs behind it, twice.";
const IDS: [&str; 10] = ["n0", "n1", "n2", "n3", "n4", "n5", "a/b", "m~n", "é😀", "n 9"];
pub(crate) const ORDERS: [&str; 9] = ["a0", "a1", "a1", "a1V", "a2", "Zz", "b00", "a1VV", "a3"];

fn number(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&WORDS[..]).prop_map(str::to_owned),
        1 => (0usize..LONG.chars().count(), select(&WORDS[..]))
            .prop_map(|(at, word)| LONG.chars().take(at).chain(word.chars()).chain(LONG.chars().skip(at)).collect()),
    ]
}

pub(crate) fn json_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        select(&NUMBERS[..]).prop_map(number),
        string().prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::Array),
            entries(inner, 4).prop_map(Json::Object)
        ]
    })
}

fn entries(value: impl Strategy<Value = Json>, most: usize) -> impl Strategy<Value = Map<String, Json>> {
    vec((select(&KEYS[..]), value), 0..most).prop_map(|entries| {
        entries
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    })
}

pub(crate) fn props() -> impl Strategy<Value = Map<String, Json>> {
    (
        entries(json_value(), 6),
        option::of(string()),
        option::of(vec(select(&WORDS[..]), 0..4)),
    )
        .prop_map(|(mut props, text, set)| {
            if let Some(text) = text {
                props.insert("text".into(), Json::from(text));
            }
            if let Some(mut set) = set {
                set.sort_unstable();
                set.dedup();
                props.insert("set".into(), json!(set));
            }
            props
        })
}

pub(crate) fn geometry() -> impl Strategy<Value = Json> {
    const SIDES: [&str; 5] = ["x", "y", "width", "height", "rotation"];
    vec(
        (
            select(&SIDES[..]),
            select(&["0", "1", "1.0", "-20", "3.5", "1e+30", "-0"][..]),
        ),
        0..4,
    )
    .prop_map(|fields| {
        Json::Object(
            fields
                .into_iter()
                .map(|(side, text)| (side.to_owned(), number(text)))
                .collect(),
        )
    })
}

pub(crate) fn background() -> impl Strategy<Value = Map<String, Json>> {
    (
        select(&["b1", "b2", "b3", "b4"][..]),
        select(&["color", "image"][..]),
        entries(json_value(), 3),
    )
        .prop_map(|(id, kind, mut rest)| {
            rest.insert("id".into(), Json::from(id));
            rest.insert("type".into(), Json::from(kind));
            rest
        })
}

fn attributes() -> impl Strategy<Value = Json> {
    (entries(json_value(), 4), option::of(vec(background(), 0..4))).prop_map(|(mut map, backgrounds)| {
        if let Some(backgrounds) = backgrounds {
            let mut seen = std::collections::HashSet::new();
            let different = backgrounds
                .into_iter()
                .filter(|background| seen.insert(background["id"].to_string()));
            map.insert("backgrounds".into(), different.map(Json::Object).collect());
        }
        Json::Object(map)
    })
}

#[derive(Clone, Debug)]
struct NodeSpec {
    id: &'static str,
    kind: &'static str,
    parent: Option<Index>,
    order: Option<&'static str>,
    geometry: Json,
    props: Map<String, Json>,
}

fn node_spec() -> impl Strategy<Value = NodeSpec> {
    let kind = select(&["text", "group", "shape"][..]);
    let order = option::of(select(&ORDERS[..]));
    (
        select(&IDS[..]),
        kind,
        option::of(any::<Index>()),
        order,
        geometry(),
        props(),
    )
        .prop_map(|(id, kind, parent, order, geometry, props)| NodeSpec {
            id,
            kind,
            parent,
            order,
            geometry,
            props,
        })
}

/// A random whole DESIGN value, as JSON; with order keys, without, or mixed.
pub(crate) fn design_json() -> impl Strategy<Value = Json> {
    (vec(node_spec(), 0..9), attributes()).prop_map(|(specs, attributes)| {
        let mut nodes: Vec<Json> = Vec::new();
        for spec in specs {
            if nodes.iter().any(|node| node["id"] == spec.id) {
                continue;
            }
            let parent = match spec.parent {
                Some(index) if !nodes.is_empty() => index.get(&nodes)["id"].clone(),
                _ => Json::Null,
            };
            let mut node = json!({"id": spec.id, "type": spec.kind, "parentId": parent});
            if let Some(order) = spec.order {
                node["order"] = Json::from(order);
            }
            node["geometry"] = spec.geometry;
            node["props"] = Json::Object(spec.props);
            nodes.push(node);
        }
        json!({"attributes": attributes, "nodes": nodes})
    })
}

pub(crate) fn design() -> impl Strategy<Value = Value> {
    design_json().prop_map(|json| Value::from_json(Kind::Design, &json).unwrap())
}
