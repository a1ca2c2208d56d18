//! JSON in and out: one example of each operation, every fault with its pointer, whole values, limits.

use recto_projections::limits::{ID_MAX_BYTES, KEY_MAX_BYTES, POINTER_MAX_BYTES};
use recto_projections::{Delta, Invalid, Json, Kind, Value};
use serde_json::json;

use crate::cases::design;
use crate::check::{check_delta, check_value, text};

pub(crate) fn delta_fault(kind: Kind, json: Json) -> (&'static str, String) {
    let Invalid { pointer, fault } = Delta::from_json(kind, &json).unwrap_err();
    (fault.code(), pointer)
}

pub(crate) fn value_fault(kind: Kind, json: Json) -> (&'static str, String) {
    let invalid = Value::from_json(kind, &json).unwrap_err();
    assert!(
        invalid.to_string().len() > 20,
        "an error says what to do next: {invalid}"
    );
    (invalid.code(), invalid.pointer)
}

pub(crate) fn at(code: &'static str, pointer: &str) -> (&'static str, String) {
    (code, pointer.to_owned())
}

#[test]
fn every_design_operation_reads_back_as_it_is_written() {
    let geometry = json!({"x": 1, "y": 2.50, "width": 1e+3, "height": -0, "rotation": 90});
    let written = json!([
        {"op": "addNode", "node": {"id": "n", "type": "text", "parentId": null, "geometry": geometry, "props": {"text": "hi"}}, "placement": {"after": "m"}},
        {"op": "addNode", "node": {"id": "o", "type": "text", "parentId": "g", "order": "a1V", "geometry": geometry, "props": {}}, "siblings": {"left": "n", "right": null}},
        {"op": "removeNode", "id": "n"},
        {"op": "setNode", "id": "n", "set": {"/type": "image", "/props/a": {"b": [null]}}, "unset": ["/props/c"], "at": {"/props/a": 0}},
        {"op": "moveNode", "id": "n", "parentId": "g", "placement": "first", "geometry": {"x": 3}},
        {"op": "moveNode", "id": "n", "order": "Zz", "siblings": {"left": null, "right": "m"}},
        {"op": "moveNode", "id": "n", "parentId": null, "placement": {"before": "m"}},
        {"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"retain": 1}, {"insert": "é"}, {"delete": 1}]},
        {"op": "addToSet", "id": "n", "pointer": "/props/tags", "values": ["a", 1.0], "at": [0, 3]},
        {"op": "addToSet", "id": "n", "pointer": "/props/tags", "values": ["a"]},
        {"op": "removeFromSet", "id": "n", "pointer": "/props/tags", "values": ["a"]},
        {"op": "setAttributes", "set": {"/presetId": "whiteboard", "/dimensions": {"width": 1, "height": 2}}, "unset": ["/x~1y"]},
        {"op": "addBackground", "background": {"id": "b", "type": "color", "color": "#fff"}, "placement": "last", "siblings": {"left": "a", "right": null}},
        {"op": "removeBackground", "id": "b"},
        {"op": "setBackground", "id": "b", "set": {"/color": "#000"}},
        {"op": "moveBackground", "id": "b", "placement": {"after": "a"}}]);
    let delta = Delta::from_json(Kind::Design, &written).unwrap();
    assert_eq!(delta.to_json().to_string(), written.to_string());
    check_delta(&delta);
}

#[test]
fn every_operation_of_the_other_kinds_reads_back_as_it_is_written() {
    let code = json!([
        {"op": "addFile", "path": "src/a.js", "text": "x\r\n"},
        {"op": "removeFile", "path": "b.js"},
        {"op": "renameFile", "path": "a.js", "to": "c/a.js"},
        {"op": "editFile", "path": "a.js", "delta": [{"retain": 2}, {"delete": 1}]},
        {"op": "setEntry", "path": "a.js"},
        {"op": "setEntry", "path": null},
        {"op": "setAttributes", "set": {"/a": 1}, "unset": ["/b"], "at": {"/a": 0}}]);
    let sheet = json!([{"op": "replaceSheet", "value": {"b": 1.0, "a": [null]}}]);
    let doc = json!([{"retain": 1, "attributes": {"bold": null}}, {"insert": "x"}, {"insert": {"image": "u"}, "attributes": {"alt": "y"}}, {"delete": 2}]);
    for (kind, written) in [(Kind::Code, code), (Kind::Sheet, sheet), (Kind::Doc, doc.clone())] {
        let delta = Delta::from_json(kind, &written).unwrap();
        assert_eq!(delta.to_json().to_string(), written.to_string());
        check_delta(&delta);
    }
    let wrapped = Delta::from_json(Kind::Doc, &json!({"ops": doc})).unwrap();
    assert_eq!(wrapped.to_json(), doc);
}

#[test]
fn faults_of_deltas_have_their_pointer() {
    let design = |json| delta_fault(Kind::Design, json);
    assert_eq!(design(json!({})), at("malformed", ""));
    assert_eq!(design(json!([1])), at("malformed", "/0"));
    assert_eq!(design(json!([{}])), at("malformed", "/0/op"));
    assert_eq!(design(json!([{"op": "nothing"}])), at("malformed", "/0/op"));
    assert_eq!(design(json!([{"op": 1}])), at("malformed", "/0/op"));
    assert_eq!(
        design(json!([{"op": "removeNode", "id": "n"}, {"op": "removeNode"}])),
        at("malformed", "/1/id")
    );
    assert_eq!(
        design(json!([{"op": "removeNode", "id": ""}])),
        at("id_invalid", "/0/id")
    );
    assert_eq!(
        design(json!([{"op": "removeNode", "id": "a\nb"}])),
        at("id_invalid", "/0/id")
    );
    assert_eq!(
        design(json!([{"op": "removeNode", "id": "x".repeat(ID_MAX_BYTES + 1)}])),
        at("too_large", "/0/id")
    );
    assert_eq!(
        design(json!([{"op": "removeNode", "id": "n", "a/b": 1}])),
        at("malformed", "/0/a~1b")
    );
    assert_eq!(design(json!([{"op": "addNode"}])), at("malformed", "/0/node"));
    assert_eq!(
        design(json!([{"op": "addNode", "node": {"id": "n"}}])),
        at("malformed", "/0/node/type")
    );
    assert_eq!(
        design(json!([{"op": "addNode", "node": {"type": "t"}}])),
        at("malformed", "/0/node/id")
    );
    assert_eq!(
        design(json!([{"op": "addNode", "node": {"id": "n", "type": "t", "x": 1}}])),
        at("malformed", "/0/node/x")
    );
    assert_eq!(
        design(json!([{"op": "addNode", "node": {"id": "n", "type": "t", "geometry": {"x": null}}}])),
        at("malformed", "/0/node/geometry/x")
    );
    let huge: Json = serde_json::from_str("1e400").unwrap();
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "geometry": {"y": huge}}])),
        at("number_not_finite", "/0/geometry/y")
    );
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "geometry": {"z": 1}}])),
        at("malformed", "/0/geometry/z")
    );
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "placement": "middle"}])),
        at("malformed", "/0/placement")
    );
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "placement": {"after": "a", "before": "b"}}])),
        at("malformed", "/0/placement")
    );
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "placement": {"after": 1}}])),
        at("malformed", "/0/placement/after")
    );
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "placement": "first", "order": "a0"}])),
        at("malformed", "/0/placement")
    );
    assert_eq!(
        design(json!([{"op": "moveNode", "id": "n", "parentId": 7}])),
        at("malformed", "/0/parentId")
    );
    assert_eq!(
        design(json!([{"op": "setNode", "id": "n", "set": []}])),
        at("malformed", "/0/set")
    );
    assert_eq!(
        design(json!([{"op": "setNode", "id": "n", "at": {"/props/a": -1}}])),
        at("malformed", "/0/at/~1props~1a")
    );
    assert_eq!(
        design(json!([{"op": "setNode", "id": "n", "unset": [1]}])),
        at("malformed", "/0/unset/0")
    );
    let long = format!("/props/{}", "x".repeat(POINTER_MAX_BYTES));
    assert_eq!(
        design(json!([{"op": "setNode", "id": "n", "unset": [long]}])),
        at("malformed", "/0/unset/0")
    );
    assert_eq!(
        design(json!([{"op": "addToSet", "id": "n", "pointer": "/props/a", "values": [1], "at": []}])),
        at("malformed", "/0/at")
    );
    assert_eq!(
        design(json!([{"op": "addBackground", "background": {"id": "b"}}])),
        at("malformed", "/0/background/type")
    );
    assert_eq!(
        delta_fault(
            Kind::Code,
            json!([{"op": "editFile", "path": "a", "delta": [{"delete": -1}]}])
        ),
        at("malformed", "/0/delta/0/delete")
    );
    assert_eq!(
        delta_fault(Kind::Doc, json!({"ops": [{"insert": ""}]})),
        at("empty_operation", "/ops/0/insert")
    );
    assert_eq!(delta_fault(Kind::Doc, json!({"ops": 1})), at("malformed", "/ops"));
    assert_eq!(
        delta_fault(Kind::Sheet, json!([{"op": "replaceSheet"}])),
        at("malformed", "/0/value")
    );
}

#[test]
fn faults_of_values_have_their_pointer() {
    let design = |json| value_fault(Kind::Design, json);
    assert_eq!(design(json!([])), at("malformed", ""));
    assert_eq!(design(json!({"node": {}})), at("malformed", "/node"));
    assert_eq!(design(json!({"nodes": 1})), at("malformed", "/nodes"));
    assert_eq!(
        design(json!({"nodes": {"a/b": {"id": "c", "type": "t"}}})),
        at("id_mismatch", "/nodes/a~1b/id")
    );
    assert_eq!(
        design(json!({"nodes": {"": {"type": "t"}}})),
        at("id_invalid", "/nodes/")
    );
    assert_eq!(
        design(json!({"nodes": [{"id": "a", "type": "t"}, {"id": "a", "type": "t"}]})),
        at("id_taken", "/nodes/1/id")
    );
    assert_eq!(
        design(json!({"nodes": [{"id": "a", "type": "t", "parentId": "b"}]})),
        at("parent_missing", "/nodes/0/parentId")
    );
    assert_eq!(
        design(json!({"nodes": {"a": {"type": "t", "parentId": "b"}, "b": {"type": "t", "parentId": "a"}}})),
        at("cycle", "/nodes/a/parentId")
    );
    assert_eq!(
        design(json!({"nodes": {"a": {"type": "t", "parentId": "a"}}})),
        at("cycle", "/nodes/a/parentId")
    );
    assert_eq!(
        design(json!({"attributes": {"backgrounds": null}})),
        at("malformed", "/attributes/backgrounds")
    );
    assert_eq!(
        design(json!({"attributes": {"backgrounds": [{"id": "b", "type": "x"}, {"id": "b", "type": "x"}]}})),
        at("id_taken", "/attributes/backgrounds/1/id")
    );
    assert_eq!(
        design(json!({"nodes": {"a": {"type": "t", "props": {"b": {"x".repeat(KEY_MAX_BYTES + 1): 1}}}}})).0,
        "too_large"
    );
    let code = |json| value_fault(Kind::Code, json);
    assert_eq!(code(json!({"files": {"a": 1}})), at("malformed", "/files/a"));
    for path in ["", "/a", "a//b", "a/", "./a", "a/../b", "..", "a\0b"] {
        assert_eq!(code(json!({"files": {path: ""}})).0, "path_invalid", "{path:?}");
    }
    assert_eq!(code(json!({"files": {"a".repeat(1_025): ""}})).0, "too_large");
    assert_eq!(code(json!({"entry": "a"})), at("entry_missing", "/entry"));
    assert_eq!(
        value_fault(Kind::Doc, json!([{"insert": "no newline"}])),
        at("missing_newline", "")
    );
    assert_eq!(
        value_fault(Kind::Doc, json!({"ops": [{"insert": "a"}, {"retain": 1}]})),
        at("inserts_only", "/ops/1")
    );
    assert_eq!(
        value_fault(Kind::Doc, json!([{"insert": "a\n", "attributes": {"bold": null}}])),
        at("null_attribute", "/0/attributes/bold")
    );
    assert_eq!(value_fault(Kind::Doc, json!([])), at("missing_newline", ""));
}

#[test]
fn whole_values_come_in_both_shapes_and_go_out_in_tree_order() {
    let array = design(json!({"nodes": [
        {"id": "k", "type": "t", "parentId": "g"}, {"id": "a", "type": "t"}, {"id": "g", "type": "group"}, {"id": "j", "type": "t", "parentId": "g"}]}));
    let object = design(json!({"nodes": {
        "k": {"type": "t", "parentId": "g"}, "a": {"type": "t"}, "g": {"type": "group", "props": {}}, "j": {"type": "t", "parentId": "g"}}}));
    assert_eq!(text(&array), text(&object));
    let ids: Vec<String> = array.to_json()["nodes"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(ids, ["a", "g", "k", "j"]);
    check_value(&array);
    let mixed = design(json!({"nodes": [
        {"id": "f", "type": "t"}, {"id": "y", "type": "t", "order": "a5"}, {"id": "after y", "type": "t"},
        {"id": "x", "type": "t", "order": "a1"}, {"id": "after x", "type": "t"}]}));
    let ids: Vec<String> = mixed.to_json()["nodes"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(ids, ["f", "x", "after x", "y", "after y"]);
    for (kind, json) in [
        (Kind::Design, r#"{"attributes":{},"nodes":{}}"#),
        (Kind::Doc, r#"[{"insert":"\n"}]"#),
        (Kind::Code, r#"{"files":{},"entry":null}"#),
        (Kind::Sheet, "null"),
    ] {
        assert_eq!(text(&Value::empty(kind)), json);
        check_value(&Value::empty(kind));
    }
}
