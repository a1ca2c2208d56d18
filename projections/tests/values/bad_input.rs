//! Naughty input: as JSON, as ids, keys, strings, paths; as deltas and values. Typed errors, never a panic.

use base64::Engine as _;
use proptest::prelude::*;
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::check::{check_delta, check_value, step};
use crate::random::{config, json_value};
use crate::support::corpora;

#[test]
fn json_that_must_be_accepted_is_a_sheet() {
    let Some(lines) = corpora::json_lines("badinput/json-test-suite.jsonl.gz") else {
        return;
    };
    let (mut taken, mut refused) = (0, 0);
    for line in &lines {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(line["base64"].as_str().unwrap())
            .unwrap();
        let parsed = serde_json::from_slice::<Json>(&bytes);
        let accept = line["expect"] == "accept";
        match parsed {
            Ok(json) => {
                let sheet = Value::from_json(Kind::Sheet, &json)
                    .unwrap_or_else(|invalid| panic!("{}: {invalid}", line["name"]));
                check_value(&sheet);
                let delta = Delta::from_json(Kind::Sheet, &json!([{"op": "replaceSheet", "value": json}])).unwrap();
                check_delta(&delta);
                taken += 1;
            }
            Err(error) => {
                assert!(!accept, "{}: {error}", line["name"]);
                refused += 1;
            }
        }
        assert!(
            line["expect"] != "reject" || serde_json::from_slice::<Json>(&bytes).is_err(),
            "{}",
            line["name"]
        );
    }
    eprintln!("JSON test suite: {taken} taken, {refused} refused by the parser");
}

#[test]
fn naughty_strings_are_strings() {
    let Some(strings) = corpora::json("badinput/blns.json") else {
        return;
    };
    let mut value = Value::empty(Kind::Design);
    let (mut ids, mut paths) = (0, 0);
    let mut code = Value::empty(Kind::Code);
    for (number, string) in strings.as_array().unwrap().iter().enumerate() {
        let text = string.as_str().unwrap();
        let node = json!({"id": text, "type": text, "props": {text: {text: text}}});
        let add = json!([{"op": "addNode", "node": node}]);
        let named = Delta::from_json(Kind::Design, &add).is_ok_and(|delta| step(&mut value, &delta).is_some());
        ids += usize::from(named);
        let node = json!({"id": format!("plain {number}"), "type": "t", "props": {"s": text}});
        let delta = Delta::from_json(Kind::Design, &json!([{"op": "addNode", "node": node}])).unwrap();
        step(&mut value, &delta).unwrap();
        let add = json!([{"op": "addFile", "path": text, "text": text}]);
        let named = Delta::from_json(Kind::Code, &add).is_ok_and(|delta| step(&mut code, &delta).is_some());
        paths += usize::from(named);
    }
    check_value(&value);
    check_value(&code);
    eprintln!("naughty strings: {ids} are ids, {paths} are paths, all are properties");
}

/// A delta or value with one place of it replaced by anything.
fn broken(template: Json) -> impl Strategy<Value = Json> {
    let pointers = pointers(&template);
    (proptest::sample::select(pointers), json_value()).prop_map(move |(pointer, value)| {
        let mut json = template.clone();
        if let Some(place) = json.pointer_mut(&pointer) {
            *place = value;
        }
        json
    })
}

/// The pointers to every place.
fn pointers(json: &Json) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut below = |key: &str, inner: &Json| {
        let key = key.replace('~', "~0").replace('/', "~1");
        found.extend(pointers(inner).into_iter().map(|pointer| format!("/{key}{pointer}")));
    };
    match json {
        Json::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| below(&index.to_string(), item)),
        Json::Object(map) => map.iter().for_each(|(key, item)| below(key, item)),
        _ => {}
    }
    found
}

fn design_template() -> Json {
    json!({"attributes": {"backgrounds": [{"id": "b", "type": "color"}]}, "nodes": [
        {"id": "n", "type": "t", "parentId": null, "order": "a0", "geometry": {"x": 1}, "props": {"text": "abc", "set": [1]}},
        {"id": "m", "type": "t", "parentId": "n", "geometry": {}, "props": {}}]})
}

fn delta_template() -> Json {
    json!([
        {"op": "addNode", "node": {"id": "x", "type": "t", "parentId": "n", "geometry": {"x": 1}, "props": {"a": 1}}, "placement": {"after": "m"}, "siblings": {"left": "m", "right": null}},
        {"op": "setNode", "id": "n", "set": {"/props/a": 1, "/type": "u"}, "unset": ["/props/text2"], "at": {"/props/a": 0}},
        {"op": "moveNode", "id": "m", "parentId": null, "placement": "first", "geometry": {"x": 1, "y": 2}},
        {"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"retain": 1}, {"insert": "x"}, {"delete": 1}]},
        {"op": "addToSet", "id": "n", "pointer": "/props/set", "values": [2, 3], "at": [0, 1]},
        {"op": "removeFromSet", "id": "n", "pointer": "/props/set", "values": [1]},
        {"op": "setAttributes", "set": {"/a": 1}, "unset": ["/b"]},
        {"op": "addBackground", "background": {"id": "c", "type": "image"}, "placement": {"before": "b"}},
        {"op": "setBackground", "id": "b", "set": {"/x": 1}},
        {"op": "moveBackground", "id": "c", "placement": "last"},
        {"op": "removeBackground", "id": "c"},
        {"op": "removeNode", "id": "x"}])
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn broken_values_give_a_pointer_into_the_input(json in broken(design_template())) {
        match Value::from_json(Kind::Design, &json) {
            Ok(value) => check_value(&value),
            Err(invalid) => {
                let parent = invalid.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                prop_assert!(json.pointer(&invalid.pointer).or(json.pointer(parent)).is_some(), "{} in {}", invalid, json);
            }
        }
    }

    #[test]
    fn broken_deltas_give_a_pointer_into_the_input(json in broken(delta_template())) {
        let mut value = Value::from_json(Kind::Design, &design_template()).unwrap();
        match Delta::from_json(Kind::Design, &json) {
            Ok(delta) => {
                check_delta(&delta);
                if step(&mut value, &delta).is_none() {
                    let error = value.apply(&delta).unwrap_err();
                    let parent = error.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                    prop_assert!(json.pointer(&error.pointer).or(json.pointer(parent)).is_some(), "{} in {}", error, json);
                }
            }
            Err(invalid) => {
                let parent = invalid.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                prop_assert!(json.pointer(&invalid.pointer).or(json.pointer(parent)).is_some(), "{} in {}", invalid, json);
            }
        }
    }

    #[test]
    fn anything_is_a_value_or_an_error(json in json_value()) {
        for kind in Kind::ALL {
            drop(Value::from_json(kind, &json));
            drop(Delta::from_json(kind, &json));
        }
    }
}
