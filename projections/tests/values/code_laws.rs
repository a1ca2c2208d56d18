//! The laws of CODE and SHEET values, over random values and histories.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::check::{assert_same, check_diff, check_value, step};
use crate::random::{config, json_value};

const PATHS: [&str; 6] = ["a", "b.js", "src/a", "src/b~c", "é😀", "z"];
const TEXTS: [&str; 7] = [
    "",
    "x",
    "a\r\nb",
    "line 1\nline 2\nline 3\n",
    "😀é😀",
    "line 1\nline 2\n",
    "0123456789",
];

fn code_json() -> impl Strategy<Value = Json> {
    let files = btree_map(select(&PATHS[..]), select(&TEXTS[..]), 0..5);
    (
        files,
        any::<prop::sample::Index>(),
        any::<bool>(),
        option::of(json_value()),
    )
        .prop_map(|(files, entry, has_entry, attribute)| {
            let paths: Vec<&str> = files.keys().copied().collect();
            let entry = (has_entry && !paths.is_empty()).then(|| *entry.get(&paths));
            let mut json = json!({"files": files, "entry": entry});
            if let Some(attribute) = attribute {
                json["attributes"] = json!({"a": attribute});
            }
            json
        })
}

fn code() -> impl Strategy<Value = Value> {
    code_json().prop_map(|json| Value::from_json(Kind::Code, &json).unwrap())
}

fn op() -> impl Strategy<Value = Json> {
    let path = || select(&PATHS[..]);
    let delta = vec(
        prop_oneof![
            (1usize..6).prop_map(|len| json!({"retain": len})),
            (1usize..4).prop_map(|len| json!({"delete": len})),
            select(&["x", "é", "😀", "\r\n"][..]).prop_map(|text| json!({"insert": text})),
        ],
        0..4,
    );
    prop_oneof![
        1 => (path(), select(&TEXTS[..])).prop_map(|(path, text)| json!({"op": "addFile", "path": path, "text": text})),
        1 => path().prop_map(|path| json!({"op": "removeFile", "path": path})),
        1 => (path(), path()).prop_map(|(path, to)| json!({"op": "renameFile", "path": path, "to": to})),
        4 => (path(), delta).prop_map(|(path, delta)| json!({"op": "editFile", "path": path, "delta": delta})),
        1 => option::of(path()).prop_map(|path| json!({"op": "setEntry", "path": path})),
        1 => json_value().prop_map(|value| json!({"op": "setAttributes", "set": {"/a": value}, "at": {"/a": 0}})),
        1 => Just(json!({"op": "setAttributes", "unset": ["/a"]})),
    ]
}

pub(crate) fn deltas() -> impl Strategy<Value = Vec<Delta>> {
    let ops = vec(op(), 0..4).prop_map(|ops| Delta::from_json(Kind::Code, &Json::Array(ops)).unwrap());
    vec(ops, 1..10)
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn laws_1_2_4_5_of_code_along_random_histories(first in code(), deltas in deltas()) {
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
    fn law_2_of_code_between_random_values(a in code(), b in code()) {
        check_diff(&a, &b);
        check_diff(&b, &a);
    }

    #[test]
    fn laws_of_sheets(a in json_value(), b in json_value()) {
        let a = Value::from_json(Kind::Sheet, &a).unwrap();
        let b = Value::from_json(Kind::Sheet, &b).unwrap();
        check_value(&a);
        check_diff(&a, &b);
    }
}

fn code_of(json: Json) -> Value {
    Value::from_json(Kind::Code, &json).unwrap()
}

fn ops(json: Json) -> Delta {
    Delta::from_json(Kind::Code, &json).unwrap()
}

#[test]
fn a_moved_file_is_renamed_and_takes_the_entry_along() {
    let from = code_of(json!({"files": {"a": "text of a", "b": "same", "c": "same"}, "entry": "a"}));
    let to = code_of(json!({"files": {"z": "text of a", "b": "same", "d": "same"}, "entry": "z"}));
    assert_eq!(
        check_diff(&from, &to).to_json(),
        json!([
        {"op": "renameFile", "path": "c", "to": "d"}, {"op": "renameFile", "path": "a", "to": "z"}])
    );
    let gone = code_of(json!({"files": {"b": "same"}, "entry": null}));
    assert_eq!(
        check_diff(&from, &gone).to_json(),
        json!([
        {"op": "removeFile", "path": "a"}, {"op": "removeFile", "path": "c"}])
    );
    let mut value = from.clone();
    let applied = step(&mut value, &ops(json!([{"op": "removeFile", "path": "a"}]))).unwrap();
    assert_eq!(
        applied.delta.to_json(),
        json!([{"op": "setEntry", "path": null}, {"op": "removeFile", "path": "a"}])
    );
    assert_eq!(
        applied.inverse.to_json(),
        json!([
        {"op": "addFile", "path": "a", "text": "text of a"}, {"op": "setEntry", "path": "a"}])
    );
}

#[test]
fn what_breaks_a_rule_of_code_is_refused() {
    let value = code_of(json!({"files": {"a": "a😀b", "b": ""}, "entry": "a"}));
    for (code, pointer, delta) in [
        (
            "file_exists",
            "/0/path",
            json!([{"op": "addFile", "path": "a", "text": ""}]),
        ),
        ("file_missing", "/0/path", json!([{"op": "removeFile", "path": "x"}])),
        (
            "file_missing",
            "/0/path",
            json!([{"op": "renameFile", "path": "x", "to": "y"}]),
        ),
        (
            "file_exists",
            "/0/to",
            json!([{"op": "renameFile", "path": "a", "to": "b"}]),
        ),
        (
            "file_missing",
            "/0/path",
            json!([{"op": "editFile", "path": "x", "delta": []}]),
        ),
        (
            "splits_surrogate",
            "/0/delta",
            json!([{"op": "editFile", "path": "a", "delta": [{"retain": 2}, {"insert": "x"}]}]),
        ),
        (
            "out_of_range",
            "/0/delta",
            json!([{"op": "editFile", "path": "a", "delta": [{"retain": 4}, {"delete": 1}]}]),
        ),
        ("entry_missing", "/0", json!([{"op": "setEntry", "path": "x"}])),
        (
            "file_exists",
            "/1/path",
            json!([{"op": "setEntry", "path": "x"}, {"op": "addFile", "path": "a", "text": ""}]),
        ),
        ("not_writable", "/0", json!([{"op": "setAttributes", "set": {"": 1}}])),
    ] {
        let mut changed = value.clone();
        let error = changed.apply(&ops(delta.clone())).unwrap_err();
        assert_eq!((error.code(), error.pointer.as_str()), (code, pointer), "{delta}");
        assert_same(&value, &changed);
    }
    let mut later = value.clone();
    let entry_first = json!([{"op": "setEntry", "path": "x"}, {"op": "addFile", "path": "x", "text": ""}]);
    step(&mut later, &ops(entry_first)).unwrap();
}
