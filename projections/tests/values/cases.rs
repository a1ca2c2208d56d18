//! Cases from the field that need no undo service: apply, inverse and diff alone.

use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::check::{assert_same, check_value, step};

pub(crate) fn design(json: Json) -> Value {
    Value::from_json(Kind::Design, &json).unwrap()
}

/// A page whose top level has these nodes, in order, without properties.
pub(crate) fn row(ids: &[&str]) -> Value {
    design(json!({"nodes": ids.iter().map(|id| json!({"id": id, "type": "shape"})).collect::<Json>()}))
}

pub(crate) fn ops(json: Json) -> Delta {
    Delta::from_json(Kind::Design, &json).unwrap()
}

/// The children of a node or of the page, in order.
pub(crate) fn children(value: &Value, parent: Option<&str>) -> Vec<String> {
    let Value::Design(design) = value else {
        panic!("no design")
    };
    design
        .children_of(parent.map(Into::into).as_ref())
        .map(|node| node.id().to_string())
        .collect()
}

pub(crate) fn order(value: &Value, id: &str) -> String {
    let Value::Design(design) = value else {
        panic!("no design")
    };
    design.node(id).unwrap().order().to_string()
}

fn prop(value: &Value, pointer: &str) -> Option<Json> {
    value.to_json().pointer(pointer).cloned()
}

#[test]
fn e6_set_and_delete_in_one_step_comes_back_as_it_was() {
    let mut value = row(&["n"]);
    let before = value.clone();
    let delta = ops(json!([{"op": "setNode", "id": "n", "set": {"/type": "x"}}, {"op": "removeNode", "id": "n"}]));
    let applied = step(&mut value, &delta).unwrap();
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    assert_eq!(prop(&value, "/nodes/n/type"), Some(json!("shape")));
}

#[test]
fn e8_back_to_creation_and_forth_four_times() {
    let mut value = row(&["s"]);
    let mut states = vec![value.clone()];
    let mut applied = Vec::new();
    let deltas = [
        json!([{"op": "addNode", "node": {"id": "n", "type": "t", "props": {"a": 1, "b": {"c": null}}}, "placement": "first"}]),
        json!([{"op": "moveNode", "id": "n", "placement": "last", "geometry": {"x": 10}}]),
        json!([{"op": "moveNode", "id": "n", "parentId": "s", "geometry": {"x": 1.0, "y": 2}}]),
        json!([{"op": "moveNode", "id": "n", "parentId": null, "placement": {"before": "s"}}]),
    ];
    for delta in deltas {
        applied.push(step(&mut value, &ops(delta)).unwrap());
        states.push(value.clone());
    }
    for _ in 0..4 {
        for (index, applied) in applied.iter().enumerate().rev() {
            value.apply(&applied.inverse).unwrap();
            assert_same(&states[index], &value);
        }
        for (index, applied) in applied.iter().enumerate() {
            value.apply(&applied.delta).unwrap();
            assert_same(&states[index + 1], &value);
        }
    }
}

#[test]
fn e10_a_key_that_was_absent_is_absent_again() {
    let mut value = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"other": null}}]}));
    let before = value.clone();
    let applied = step(
        &mut value,
        &ops(json!([{"op": "setNode", "id": "n", "set": {"/props/title": null}}])),
    )
    .unwrap();
    assert_eq!(prop(&value, "/nodes/n/props/title"), Some(Json::Null));
    assert_eq!(
        applied.inverse.to_json(),
        json!([{"op": "setNode", "id": "n", "unset": ["/props/title"]}])
    );
    value.apply(&applied.inverse).unwrap();
    assert_eq!(prop(&value, "/nodes/n/props/title"), None);
    assert_same(&before, &value);
    let mut value = Value::empty(Kind::Design);
    let set = ops(json!([{"op": "setAttributes", "set": {"/title": "t"}}]));
    let applied = step(&mut value, &set).unwrap();
    value.apply(&applied.inverse).unwrap();
    assert_same(&Value::empty(Kind::Design), &value);
}

#[test]
fn e12_a_change_of_nothing_is_no_change() {
    let json = json!({"attributes": {"backgrounds": [{"id": "b", "type": "color"}], "presetId": "whiteboard"}, "nodes": [
        {"id": "n", "type": "t", "geometry": {"x": 1}, "props": {"a": {"b": 1.0}, "text": "hello", "set": ["x"]}},
        {"id": "m", "type": "t"}]});
    let nothing = [
        json!([]),
        json!([{"op": "setNode", "id": "n"}]),
        json!([{"op": "setNode", "id": "n", "set": {"/type": "t", "/props/a": {"b": 1.0}}}]),
        json!([{"op": "setNode", "id": "n", "set": {"/props/a/b": 1.0}, "unset": ["/props/q", "/props/r/s"], "at": {"/props/a": 0}}]),
        json!([{"op": "moveNode", "id": "n"}]),
        json!([{"op": "moveNode", "id": "n", "parentId": null, "placement": "first", "geometry": {"x": 1, "y": 0}}]),
        json!([{"op": "moveNode", "id": "n", "placement": {"before": "m"}}]),
        json!([{"op": "moveNode", "id": "m", "placement": {"after": "n"}}]),
        json!([{"op": "moveNode", "id": "m", "placement": "last"}]),
        json!([{"op": "moveNode", "id": "n", "placement": "first"}, {"op": "moveNode", "id": "m", "placement": {"after": "n"}}]),
        json!([{"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"retain": 3}]}]),
        json!([{"op": "addToSet", "id": "n", "pointer": "/props/set", "values": ["x"]}]),
        json!([{"op": "removeFromSet", "id": "n", "pointer": "/props/set", "values": ["y"]}]),
        json!([{"op": "removeFromSet", "id": "n", "pointer": "/props/none", "values": ["y"]}]),
        json!([{"op": "setAttributes", "set": {"/presetId": "whiteboard"}, "unset": ["/gone"]}]),
        json!([{"op": "setBackground", "id": "b", "set": {"/type": "color"}}]),
        json!([{"op": "moveBackground", "id": "b", "placement": "last"}]),
    ];
    for delta in nothing {
        let mut value = design(json.clone());
        let applied = step(&mut value, &ops(delta.clone())).unwrap_or_else(|| panic!("{delta}"));
        assert!(
            applied.delta.is_empty() && applied.inverse.is_empty(),
            "{delta} committed {}",
            applied.delta.to_json()
        );
        assert_same(&design(json.clone()), &value);
    }
    // A number that is written otherwise is a change: `1` is not `1.0`.
    let mut value = design(json.clone());
    let applied = step(
        &mut value,
        &ops(json!([{"op": "setNode", "id": "n", "set": {"/props/a/b": 1}}])),
    )
    .unwrap();
    assert!(!applied.delta.is_empty());
    for (kind, delta) in [
        (
            Kind::Design,
            json!([{"op": "setAttributes", "set": {"/a": 1}}, {"op": "setAttributes", "unset": ["/a"]}]),
        ),
        (
            Kind::Design,
            json!([{"op": "addNode", "node": {"id": "n", "type": "t"}}, {"op": "removeNode", "id": "n"}]),
        ),
        (
            Kind::Code,
            json!([{"op": "addFile", "path": "a", "text": ""}, {"op": "removeFile", "path": "a"}]),
        ),
        (Kind::Doc, json!([{"insert": "\n"}, {"delete": 1}])),
    ] {
        let mut value = Value::empty(kind);
        let delta = Delta::from_json(kind, &delta).unwrap();
        assert!(
            step(&mut value, &delta).unwrap().delta.is_empty(),
            "{}",
            delta.to_json()
        );
    }
    let mut value = Value::from_json(Kind::Code, &json!({"files": {"a": "xyz"}})).unwrap();
    let same = json!([{"op": "editFile", "path": "a", "delta": [{"retain": 1}, {"insert": "y"}, {"delete": 1}]}]);
    assert!(
        step(&mut value, &Delta::from_json(Kind::Code, &same).unwrap())
            .unwrap()
            .delta
            .is_empty()
    );
    for kind in [Kind::Doc, Kind::Code, Kind::Sheet] {
        let mut value = Value::empty(kind);
        assert!(step(&mut value, &Delta::empty(kind)).unwrap().delta.is_empty());
    }
    let mut sheet = Value::empty(Kind::Sheet);
    let same = Delta::from_json(
        Kind::Sheet,
        &json!([{"op": "replaceSheet", "value": 1}, {"op": "replaceSheet", "value": null}]),
    );
    assert!(step(&mut sheet, &same.unwrap()).unwrap().delta.is_empty());
}

#[test]
fn e16_line_ends_and_bytes_are_kept() {
    let mut value = Value::from_json(Kind::Code, &json!({"files": {"a.txt": "a\r\nb"}, "entry": "a.txt"})).unwrap();
    let before = value.clone();
    let delta =
        json!([{"op": "editFile", "path": "a.txt", "delta": [{"retain": 3}, {"insert": "x\r"}, {"delete": 1}]}]);
    let applied = step(&mut value, &Delta::from_json(Kind::Code, &delta).unwrap()).unwrap();
    assert_eq!(prop(&value, "/files/a.txt"), Some(json!("a\r\nx\r")));
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    check_value(&before);
}
