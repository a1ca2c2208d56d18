//! Limits, depth, numbers: what is beyond them is refused, and nothing below them breaks.

use recto_projections::limits::{JSON_DEPTH_MAX, NODES_MAX};
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::{Map, json};

use crate::cases::design;
use crate::check::{check_delta, check_value, text};
use crate::wire::{at, delta_fault, value_fault};

/// The parser marks numbers by a key of its own: an object with that key would come back as a number, or not at all.
#[test]
fn keys_that_the_parser_keeps_for_itself_are_refused() {
    let key = "$serde_json::private::Number";
    let mut map = Map::new();
    map.insert("a".into(), json!(1));
    map.insert(key.into(), json!("1"));
    assert_eq!(
        value_fault(Kind::Sheet, Json::Object(map.clone())),
        at("key_reserved", "/$serde_json::private::Number")
    );
    assert_eq!(
        value_fault(Kind::Doc, json!([{"insert": "\n", "attributes": map}])).0,
        "key_reserved"
    );
    let mut value = design(json!({"nodes": [{"id": "n", "type": "t"}]}));
    let delta = Delta::from_json(
        Kind::Design,
        &json!([{"op": "setNode", "id": "n", "set": {format!("/props/{key}"): 1}}]),
    )
    .unwrap();
    assert_eq!(value.apply(&delta).unwrap_err().code(), "key_reserved");
}

#[test]
fn numbers_keep_their_text() {
    let json = r#"{"nodes":[{"id":"n","type":"t","geometry":{"x":1.0,"y":-0,"width":0.10,"height":1e+2,"rotation":12345678901234567890},"props":{"n":[1,1.0,1e+400,-0,0.1000,123456789012345678901234567890]}}]}"#;
    let value = design(serde_json::from_str(json).unwrap());
    let out = text(&value);
    assert!(
        out.contains(r#"{"x":1.0,"y":-0,"width":0.10,"height":1e+2,"rotation":12345678901234567890}"#),
        "{out}"
    );
    assert!(
        out.contains("[1,1.0,1e+400,-0,0.1000,123456789012345678901234567890]"),
        "{out}"
    );
    check_value(&value);
    // A float that came through no parser is written as the parser writes it, or it would not come back.
    let sheet = Value::from_json(Kind::Sheet, &json!([1e300, 1.5e-9])).unwrap();
    check_value(&sheet);
    check_value(&design(
        json!({"nodes": [{"id": "n", "type": "t", "geometry": {"x": 1e300, "y": 1.5e-9}}]}),
    ));
    check_delta(
        &Delta::from_json(
            Kind::Design,
            &json!([{"op": "moveNode", "id": "n", "geometry": {"x": 1e300}}]),
        )
        .unwrap(),
    );
}

#[test]
fn depth_has_a_limit_and_nothing_below_it_breaks() {
    let nested = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    let objects = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({"a": inner}));
    for nested in [nested(JSON_DEPTH_MAX), objects(JSON_DEPTH_MAX)] {
        check_value(&Value::from_json(Kind::Sheet, &nested).unwrap());
        assert_eq!(value_fault(Kind::Sheet, json!([nested])).0, "too_deep");
    }
    let deepest = design(json!({"attributes": {"a": nested(JSON_DEPTH_MAX - 1)},
        "nodes": [{"id": "n", "type": "t", "props": {"a": nested(JSON_DEPTH_MAX - 1)}}]}));
    check_value(&deepest);
    let mut value = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"a": {}}}]}));
    let set = |levels| json!([{"op": "setNode", "id": "n", "set": {"/props/a/b": nested(levels)}}]);
    let apply = |value: &mut Value, json| value.apply(&Delta::from_json(Kind::Design, &json).unwrap());
    assert_eq!(
        apply(&mut value, set(JSON_DEPTH_MAX - 1)).unwrap_err().code(),
        "too_deep"
    );
    apply(&mut value, set(JSON_DEPTH_MAX - 2)).unwrap();
    check_value(&value);
    // Far deeper than any stack is for: refused before it is walked.
    let far = (0..3_000).fold(json!(null), |inner, _| json!([inner]));
    assert_eq!(value_fault(Kind::Sheet, far.clone()).0, "too_deep");
    assert_eq!(delta_fault(Kind::Doc, json!([{"insert": {"a": far}}])).0, "too_deep");
}

#[test]
fn a_tree_may_be_as_deep_as_it_has_nodes() {
    let count = 20_000;
    let nodes: Json = (0..count)
        .map(|number: u32| {
            let parent = number
                .checked_sub(1)
                .map_or(Json::Null, |parent| Json::from(format!("n{parent}")));
            json!({"id": format!("n{number}"), "type": "group", "parentId": parent})
        })
        .collect();
    let mut value = design(json!({"nodes": nodes}));
    value.check_invariants().unwrap();
    assert_eq!(
        Value::from_bytes(&value.to_bytes().unwrap()).unwrap().digest(),
        value.digest()
    );
    let cycle = json!([{"op": "moveNode", "id": "n0", "parentId": format!("n{}", count - 1)}]);
    assert_eq!(
        value
            .apply(&Delta::from_json(Kind::Design, &cycle).unwrap())
            .unwrap_err()
            .code(),
        "cycle"
    );
    let empty = Value::empty(Kind::Design);
    let gone = value.diff(&empty).unwrap();
    value.apply(&gone).unwrap();
    assert_eq!(text(&value), text(&empty));
}

#[test]
fn more_nodes_than_the_limit_are_refused() {
    let nodes: Json = (0..=NODES_MAX)
        .map(|number| json!({"id": format!("n{number}"), "type": "t"}))
        .collect();
    assert_eq!(
        value_fault(Kind::Design, json!({"nodes": nodes})),
        at("too_large", "/nodes")
    );
}
