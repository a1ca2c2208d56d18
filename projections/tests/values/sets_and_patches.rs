//! Setting by pointer, editing strings, and sets: what they do, and what they refuse.

use recto_projections::{Delta, Kind, Value};
use serde_json::{Value as Json, json};

use crate::cases::{design, ops};
use crate::check::{assert_same, check_diff, step};

fn page() -> Value {
    design(json!({"nodes": [{"id": "n", "type": "t", "props": {
        "a": {"b": 1, "c": 2, "d": 3}, "list": [1, {"x": 1}], "text": "a😀b", "m~n": {"a/b": 1}, "": {"": 0}, "set": ["p", "q", "r"]}}]}))
}

fn props(value: &Value) -> Json {
    value.to_json().pointer("/nodes/n/props").unwrap().clone()
}

fn refused(op: Json) -> (&'static str, String) {
    let mut value = page();
    match Delta::from_json(Kind::Design, &json!([op])) {
        Err(invalid) => (invalid.code(), invalid.pointer),
        Ok(delta) => {
            let error = value.apply(&delta).unwrap_err();
            assert_same(&page(), &value);
            (error.code(), error.pointer)
        }
    }
}

#[test]
fn pointers_are_escaped_and_empty_keys_are_keys() {
    let mut value = page();
    let delta = json!([{"op": "setNode", "id": "n", "set": {"/props/m~0n/a~1b": 2, "/props//": 3}}]);
    step(&mut value, &ops(delta)).unwrap();
    assert_eq!(props(&value)["m~n"]["a/b"], json!(2));
    assert_eq!(props(&value)[""][""], json!(3));
}

#[test]
fn key_order_comes_back_with_the_inverse() {
    let mut value = page();
    let before = value.clone();
    let delta = json!([{"op": "setNode", "id": "n", "unset": ["/props/a/b", "/props/a/d", "/props/list"], "set": {"/props/a/e": 4}}]);
    let applied = step(&mut value, &ops(delta)).unwrap();
    assert_eq!(props(&value)["a"].to_string(), r#"{"c":2,"e":4}"#);
    assert_eq!(
        applied.inverse.to_json(),
        json!([{"op": "setNode", "id": "n",
        "set": {"/props/a/b": 1, "/props/a/d": 3, "/props/list": [1, {"x": 1}]}, "unset": ["/props/a/e"],
        "at": {"/props/a/b": 0, "/props/a/d": 2, "/props/list": 1}}])
    );
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    // The last key comes last by itself.
    let applied = step(
        &mut value,
        &ops(json!([{"op": "setNode", "id": "n", "unset": ["/props/set"]}])),
    )
    .unwrap();
    assert_eq!(
        applied.inverse.to_json(),
        json!([{"op": "setNode", "id": "n", "set": {"/props/set": ["p", "q", "r"]}}])
    );
}

#[test]
fn an_index_is_a_hint() {
    let mut value = page();
    let delta = json!([{"op": "setNode", "id": "n", "set": {"/props/a/e": 0},
        "at": {"/props/a/e": 99, "/props/a/d": 0, "/props/a/none": 1, "/props/none/x": 0, "/props/text/x": 0, "/props/list/0": 7}}]);
    let applied = step(&mut value, &ops(delta)).unwrap();
    assert_eq!(props(&value)["a"].to_string(), r#"{"d":3,"b":1,"c":2,"e":0}"#);
    assert_eq!(
        applied.delta.to_json()[0]["at"],
        json!({"/props/a/e": 99, "/props/a/d": 0})
    );
}

/// An index that moved nothing was in the inverse all the same, so that a committed delta did not commit as it was.
#[test]
fn an_index_that_moves_nothing_leaves_no_trace() {
    let mut value = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"text": "", "set": []}}]}));
    let delta = json!([{"op": "setNode", "id": "n", "set": {"/props/set": null},
        "unset": ["/props/text"], "at": {"/props/set": 0}}]);
    let applied = step(&mut value, &ops(delta)).unwrap();
    assert_eq!(applied.inverse.to_json()[0]["at"], json!({"/props/text": 0}));
}

#[test]
fn what_a_pointer_may_not_name_is_refused() {
    let set = |pointer: &str| refused(json!({"op": "setNode", "id": "n", "set": {pointer: 1}}));
    let unset = |pointer: &str| refused(json!({"op": "setNode", "id": "n", "unset": [pointer]}));
    assert_eq!(set("/props/list/0"), ("array_index", "/0/set/~1props~1list~10".into()));
    assert_eq!(
        set("/props/list/1/x"),
        ("array_index", "/0/set/~1props~1list~11~1x".into())
    );
    assert_eq!(set("/props/list/-"), ("array_index", "/0/set/~1props~1list~1-".into()));
    assert_eq!(unset("/props/list/0"), ("array_index", "/0/unset/0".into()));
    assert_eq!(set("/props/none/x"), ("path_missing", "/0/set/~1props~1none~1x".into()));
    assert_eq!(
        set("/props/text/x"),
        ("not_an_object", "/0/set/~1props~1text~1x".into())
    );
    assert_eq!(unset("/props/text/x"), ("not_an_object", "/0/unset/0".into()));
    for pointer in [
        "",
        "/",
        "/props",
        "/id",
        "/parentId",
        "/order",
        "/geometry",
        "/geometry/x",
        "/propsx",
        "/props2/a",
        "/type/x",
    ] {
        assert_eq!(set(pointer).0, "not_writable", "{pointer}");
        assert_eq!(unset(pointer).0, "not_writable", "{pointer}");
    }
    assert_eq!(unset("/type").0, "not_writable");
    assert_eq!(set("/type"), ("not_a_string", "/0/set/~1type".into()));
    for pointer in ["props/a", "/props/~2", "/props/a~", "#/props/a"] {
        assert_eq!(set(pointer).0, "malformed", "{pointer}");
    }
}

#[test]
fn pointers_that_overlap_are_refused() {
    let overlap = |op: Json| refused(op).0;
    for op in [
        json!({"op": "setNode", "id": "n", "set": {"/props/a": 1, "/props/a/b": 1}}),
        json!({"op": "setNode", "id": "n", "set": {"/props/a/b": 1}, "unset": ["/props/a"]}),
        json!({"op": "setNode", "id": "n", "set": {"/props/a": 1}, "unset": ["/props/a"]}),
        json!({"op": "setNode", "id": "n", "unset": ["/props/a", "/props/a-b", "/props/a/b"]}),
        json!({"op": "setNode", "id": "n", "unset": ["/props/a", "/props/a"]}),
        json!({"op": "setNode", "id": "n", "unset": ["/props/a"], "at": {"/props/a": 0}}),
        json!({"op": "setNode", "id": "n", "set": {"/props/a": {"b": 1}}, "at": {"/props/a/b": 0}}),
    ] {
        assert_eq!(overlap(op.clone()), "pointers_overlap", "{op}");
    }
    let mut value = page();
    let apart = json!([{"op": "setNode", "id": "n", "set": {"/props/a/b": 9, "/props/a-b": 1}, "at": {"/props/a": 3, "/props/a/b": 2}}]);
    step(&mut value, &ops(apart)).unwrap();
    assert_eq!(props(&value)["a"].to_string(), r#"{"c":2,"d":3,"b":9}"#);
}

#[test]
fn a_string_is_edited_and_nothing_else() {
    let mut value = page();
    let before = value.clone();
    let delta = json!([{"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"retain": 1}, {"insert": "x"}, {"delete": 2}]}]);
    let applied = step(&mut value, &ops(delta)).unwrap();
    assert_eq!(props(&value)["text"], json!("axb"));
    assert_eq!(
        applied.inverse.to_json()[0]["delta"],
        json!([{"retain": 1}, {"insert": "😀"}, {"delete": 1}])
    );
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    let edit =
        |pointer: &str, delta: Json| refused(json!({"op": "editText", "id": "n", "pointer": pointer, "delta": delta}));
    assert_eq!(
        edit("/props/text", json!([{"retain": 2}, {"insert": "x"}])),
        ("splits_surrogate", "/0/delta".into())
    );
    assert_eq!(
        edit("/props/text", json!([{"retain": 9}])),
        ("out_of_range", "/0/delta".into())
    );
    assert_eq!(
        edit("/props/text", json!([{"insert": "x", "attributes": {"bold": true}}])).0,
        "plain_text_only"
    );
    assert_eq!(
        edit("/props/text", json!([{"insert": {"image": "x"}}])).0,
        "plain_text_only"
    );
    assert_eq!(
        edit("/props/text", json!([{"retain": 0}])),
        ("empty_operation", "/0/delta/0/retain".into())
    );
    assert_eq!(edit("/props/a", json!([])), ("not_a_string", "/0/pointer".into()));
    assert_eq!(edit("/props/none", json!([])), ("path_missing", "/0/pointer".into()));
    assert_eq!(edit("/props/list/0", json!([])), ("array_index", "/0/pointer".into()));
    assert_eq!(edit("/type", json!([])), ("not_writable", "/0/pointer".into()));
}

#[test]
fn b17_sets_change_by_their_own_elements_only() {
    let mut value = page();
    let add = |values: Json| ops(json!([{"op": "addToSet", "id": "n", "pointer": "/props/set", "values": values}]));
    let mine = step(&mut value, &add(json!(["A", "p"]))).unwrap();
    assert_eq!(mine.inverse.to_json()[0]["values"], json!(["A"]));
    step(&mut value, &add(json!(["B"]))).unwrap();
    step(&mut value, &mine.inverse).unwrap();
    assert_eq!(props(&value)["set"], json!(["p", "q", "r", "B"]));
    let before = value.clone();
    let remove = json!([{"op": "removeFromSet", "id": "n", "pointer": "/props/set", "values": ["r", "p", "none"]}]);
    let applied = step(&mut value, &ops(remove)).unwrap();
    assert_eq!(
        applied.inverse.to_json()[0],
        json!({"op": "addToSet", "id": "n", "pointer": "/props/set", "values": ["p", "r"], "at": [0, 2]})
    );
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
}

#[test]
fn an_absent_set_is_made_and_unmade() {
    let mut value = page();
    let before = value.clone();
    let add = json!([{"op": "addToSet", "id": "n", "pointer": "/props/groups", "values": [{"a": 1, "b": 2}, {"b": 2, "a": 1}, 1, 1.0, 1]}]);
    let applied = step(&mut value, &ops(add)).unwrap();
    assert_eq!(
        props(&value)["groups"].to_string(),
        r#"[{"a":1,"b":2},{"b":2,"a":1},1,1.0]"#
    );
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    let add = |pointer: &str| refused(json!({"op": "addToSet", "id": "n", "pointer": pointer, "values": ["x"]}));
    assert_eq!(add("/props/text"), ("not_a_set", "/0/pointer".into()));
    assert_eq!(add("/props/none/set"), ("path_missing", "/0/pointer".into()));
    assert_eq!(add("/type"), ("not_writable", "/0/pointer".into()));
    let mut twice = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"set": [1, 1]}}]}));
    let delta = ops(json!([{"op": "addToSet", "id": "n", "pointer": "/props/set", "values": [2]}]));
    assert_eq!(twice.apply(&delta).unwrap_err().code(), "not_a_set");
}

#[test]
fn a_diff_names_the_deepest_difference_and_edits_long_strings() {
    let long = "The quick brown fox jumps over the lazy dog. ".repeat(4);
    let from = design(
        json!({"nodes": [{"id": "n", "type": "t", "props": {"a": {"b": {"c": 1, "d": 2}, "e": [1, 2]}, "text": long, "x": 1}}]}),
    );
    let to = design(
        json!({"nodes": [{"id": "n", "type": "u", "props": {"a": {"b": {"c": 1, "d": 3}, "e": [1]}, "text": long.replacen("quick", "slow", 1), "y": 1}}]}),
    );
    let delta = check_diff(&from, &to);
    assert_eq!(
        delta.to_json(),
        json!([
        {"op": "setNode", "id": "n", "set": {"/type": "u", "/props/a/b/d": 3, "/props/a/e": [1], "/props/y": 1}, "unset": ["/props/x"]},
        {"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"retain": 4}, {"insert": "slow"}, {"delete": 5}]}])
    );
    let turned = design(
        json!({"nodes": [{"id": "n", "type": "t", "props": {"x": 1, "a": {"e": [1, 2], "b": {"c": 1, "d": 2}}, "text": long}}]}),
    );
    assert_eq!(
        check_diff(&from, &turned).to_json(),
        json!([
        {"op": "setNode", "id": "n", "at": {"/props/a/b": 1, "/props/x": 0}}])
    );
}

#[test]
fn keys_too_long_for_a_pointer_are_set_with_their_parent() {
    let deep = |leaf: Json| {
        let key = "~".repeat(1_000);
        (0..5).fold(leaf, |inner, _| json!({ key.as_str(): inner }))
    };
    let from = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"a": deep(json!(1)), "b": 1}}]}));
    let to = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"a": deep(json!({"x": [2]})), "b": 2}}]}));
    check_diff(&from, &to);
}
