//! DOC values through the same door as the others: the laws, and the newline at the end.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::check::{assert_same, check_diff, check_value, step};
use crate::random::config;

fn attributes() -> impl Strategy<Value = Option<Json>> {
    select(&[0u8, 1, 2, 3, 4][..]).prop_map(|choice| match choice {
        0 => Some(json!({"bold": true})),
        1 => Some(json!({"link": {"u": 1}, "bold": true})),
        _ => None,
    })
}

fn with(mut op: Json, attributes: Option<Json>) -> Json {
    if let Some(attributes) = attributes {
        op["attributes"] = attributes;
    }
    op
}

fn insert() -> impl Strategy<Value = Json> {
    let content = prop_oneof![
        4 => select(&["a", "bc", "😀", "é\n", "\n", "👨‍👩‍👧"][..]).prop_map(Json::from),
        1 => Just(json!({"image": "u"})),
        1 => Just(json!({"unknown": {"b": 1.0, "a": [null]}})),
    ];
    (content, attributes()).prop_map(|(content, attributes)| with(json!({"insert": content}), attributes))
}

fn document() -> impl Strategy<Value = Value> {
    vec(insert(), 0..8).prop_map(|mut ops| {
        ops.push(json!({"insert": "\n"}));
        Value::from_json(Kind::Doc, &Json::Array(ops)).unwrap()
    })
}

pub(crate) fn delta() -> impl Strategy<Value = Delta> {
    let op = prop_oneof![
        3 => insert(),
        3 => (1usize..6, attributes()).prop_map(|(len, attributes)| with(json!({"retain": len}), attributes)),
        1 => (1usize..6).prop_map(|len| json!({"retain": len, "attributes": {"bold": null}})),
        2 => (1usize..4).prop_map(|len| json!({"delete": len})),
    ];
    vec(op, 0..6).prop_map(|ops| Delta::from_json(Kind::Doc, &Json::Array(ops)).unwrap())
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn laws_1_2_4_5_of_documents_along_random_histories(first in document(), deltas in vec(delta(), 1..10)) {
        check_value(&first);
        let mut value = first.clone();
        let mut inverses = Vec::new();
        for delta in &deltas {
            inverses.extend(step(&mut value, delta).map(|applied| applied.inverse));
        }
        check_value(&value);
        check_diff(&first, &value);
        for inverse in inverses.iter().rev() {
            value.replay(inverse).unwrap();
        }
        assert_same(&first, &value);
    }

    #[test]
    fn law_2_of_documents_between_random_values(a in document(), b in document()) {
        check_diff(&a, &b);
        check_diff(&b, &a);
    }
}

#[test]
fn a_document_keeps_its_last_newline() {
    let value = Value::from_json(
        Kind::Doc,
        &json!([{"insert": "ab\nc"}, {"insert": {"image": "x"}}, {"insert": "\n"}]),
    )
    .unwrap();
    for (good, ops) in [
        (false, json!([{"retain": 5}, {"delete": 1}])),
        (true, json!([{"retain": 3}, {"delete": 3}])),
        (false, json!([{"delete": 6}])),
        (true, json!([{"delete": 6}, {"insert": "x\n"}])),
        (false, json!([{"retain": 6}, {"insert": "x"}])),
        (true, json!([{"retain": 6}, {"insert": "x\n"}])),
        (false, json!([{"retain": 6}, {"insert": {"image": "y"}}])),
        (true, json!([{"retain": 6, "attributes": {"align": "right"}}])),
        (false, json!([{"retain": 4}, {"delete": 2}])),
        (true, json!([{"insert": "x"}])),
    ] {
        let delta = Delta::from_json(Kind::Doc, &ops).unwrap();
        let mut changed = value.clone();
        match step(&mut changed, &delta) {
            Some(_) => assert!(good, "{ops}"),
            None => {
                assert!(!good, "{ops}");
                assert_eq!(changed.apply(&delta).unwrap_err().code(), "missing_newline");
            }
        }
    }
}

#[test]
fn e11_an_equal_attribute_is_no_change() {
    let mut value = Value::from_json(
        Kind::Doc,
        &json!([{"insert": "a", "attributes": {"link": {"u": 1}}}, {"insert": "\n"}]),
    )
    .unwrap();
    let same = Delta::from_json(Kind::Doc, &json!([{"retain": 1, "attributes": {"link": {"u": 1}}}])).unwrap();
    assert!(step(&mut value, &same).unwrap().delta.is_empty());
}
