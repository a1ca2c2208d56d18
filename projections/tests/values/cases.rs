//! Cases from the field that need no undo service: apply, inverse and diff alone.

use proptest::prelude::*;
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::check::{assert_same, check_diff, check_value, step, text};
use crate::random::config;

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
    let Value::Design(design) = value else { panic!("no design") };
    design.children_of(parent.map(Into::into).as_ref()).map(|node| node.id().to_string()).collect()
}

pub(crate) fn order(value: &Value, id: &str) -> String {
    let Value::Design(design) = value else { panic!("no design") };
    design.node(id).unwrap().order().to_string()
}

fn prop(value: &Value, pointer: &str) -> Option<Json> {
    value.to_json().pointer(pointer).cloned()
}

#[test]
fn b4_undoing_a_grouping_restores_order_and_keys() {
    let mut value = row(&["a", "b", "c", "d"]);
    let before = value.clone();
    let Value::Design(page) = &value else { unreachable!() };
    let group = recto_projections::design::NewNode {
        id: "g".into(),
        kind: "group".into(),
        parent: None,
        geometry: Default::default(),
        props: Default::default(),
    };
    let delta = Delta::Design(page.group(group, &["d".into(), "b".into()]).unwrap());
    let applied = step(&mut value, &delta).unwrap();
    assert_eq!(children(&value, None), ["a", "c", "g"]);
    assert_eq!(children(&value, Some("g")), ["b", "d"]);
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
}

#[test]
fn b4_three_nested_groups_and_two_parents() {
    let mut value = row(&["a", "b", "c", "d", "e"]);
    let mut walked = vec![value.clone()];
    let mut inverses = Vec::new();
    let groups: [(&str, &[&str]); 5] =
        [("g1", &["b", "d"]), ("g2", &["g1", "a"]), ("g3", &["g2", "e"]), ("h", &["b"]), ("k", &["d"])];
    for (group, members) in groups {
        let Value::Design(page) = &value else { unreachable!() };
        let group = recto_projections::design::NewNode {
            id: group.into(),
            kind: "group".into(),
            parent: None,
            geometry: Default::default(),
            props: Default::default(),
        };
        let members: Vec<_> = members.iter().map(|id| (*id).into()).collect();
        let delta = Delta::Design(page.group(group, &members).unwrap());
        inverses.push(step(&mut value, &delta).unwrap().inverse);
        walked.push(value.clone());
    }
    assert_eq!(children(&value, Some("g1")), ["h", "k"]);
    for (inverse, after) in inverses.iter().zip(walked.iter()).rev() {
        value.apply(inverse).unwrap();
        assert_same(after, &value);
    }
}

#[test]
fn b5_undoing_a_bulk_delete_restores_the_order() {
    let mut value = row(&["1", "2", "3"]);
    let before = value.clone();
    let removed = json!([{"op": "removeNode", "id": "1"}, {"op": "removeNode", "id": "2"}, {"op": "removeNode", "id": "3"}]);
    let applied = step(&mut value, &ops(removed)).unwrap();
    let mut foreign = value.clone();
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    // Someone else's node, put where there was nothing left, does not come between the old ones by their keys.
    step(&mut foreign, &ops(json!([{"op": "addNode", "node": {"id": "x", "type": "shape"}, "placement": "last"}]))).unwrap();
    step(&mut foreign, &applied.inverse).unwrap();
    let order: Vec<_> = children(&foreign, None).into_iter().filter(|id| id != "x").collect();
    assert_eq!(order, ["1", "2", "3"]);
}

#[test]
fn b5_also_where_another_node_was_put_between() {
    let mut value = row(&["1", "2", "3"]);
    let removed = json!([{"op": "removeNode", "id": "2"}]);
    let applied = step(&mut value, &ops(removed)).unwrap();
    let between = json!([{"op": "addNode", "node": {"id": "x", "type": "shape"}, "placement": {"after": "1"}}]);
    step(&mut value, &ops(between)).unwrap();
    step(&mut value, &applied.inverse).unwrap();
    let order: Vec<_> = children(&value, None).into_iter().filter(|id| id != "x").collect();
    assert_eq!(order, ["1", "2", "3"]);
}

#[test]
fn b6_a_group_that_goes_with_its_last_members_comes_back_where_it_was() {
    let mut value = design(json!({"nodes": [
        {"id": "p", "type": "shape"}, {"id": "g", "type": "group"}, {"id": "q", "type": "shape"},
        {"id": "a", "type": "shape", "parentId": "g"}, {"id": "b", "type": "shape", "parentId": "g"}]}));
    let before = value.clone();
    let Value::Design(page) = &value else { unreachable!() };
    let delta = Delta::Design(page.delete_with_descendants(&["a".into(), "b".into()]).unwrap());
    assert_eq!(delta.to_json(), json!([
        {"op": "removeNode", "id": "b"}, {"op": "removeNode", "id": "a"}, {"op": "removeNode", "id": "g"}]));
    let applied = step(&mut value, &delta).unwrap();
    assert_eq!(children(&value, None), ["p", "q"]);
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    assert_eq!(children(&value, None), ["p", "g", "q"]);
}

#[test]
fn b15_an_inverse_is_applied_in_exact_reverse() {
    let mut value = design(json!({"nodes": [{"id": "n", "type": "t", "props": {"a": {"b": 1, "c": 2}, "z": 3}}]}));
    let before = value.clone();
    let delta = ops(json!([
        {"op": "setNode", "id": "n", "unset": ["/props/a/b"]}, {"op": "setNode", "id": "n", "unset": ["/props/a"]}]));
    let applied = step(&mut value, &delta).unwrap();
    assert_eq!(applied.inverse.to_json(), json!([
        {"op": "setNode", "id": "n", "set": {"/props/a": {"c": 2}}, "at": {"/props/a": 0}},
        {"op": "setNode", "id": "n", "set": {"/props/a/b": 1}, "at": {"/props/a/b": 0}}]));
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
}

#[test]
fn b18_a_frame_and_its_children_come_back_once() {
    let mut value = design(json!({"nodes": [
        {"id": "f", "type": "frame"}, {"id": "1", "type": "t", "parentId": "f"},
        {"id": "2", "type": "t", "parentId": "f"}, {"id": "3", "type": "t", "parentId": "f"}]}));
    let before = value.clone();
    let Value::Design(page) = &value else { unreachable!() };
    let delta = Delta::Design(page.delete_with_descendants(&["f".into()]).unwrap());
    let applied = step(&mut value, &delta).unwrap();
    assert!(children(&value, None).is_empty());
    // Someone else's edit elsewhere stays: the inverse holds the frame and its children, and nothing more.
    step(&mut value, &ops(json!([{"op": "addNode", "node": {"id": "x", "type": "t"}}]))).unwrap();
    step(&mut value, &applied.inverse).unwrap();
    assert_eq!(children(&value, Some("f")), ["1", "2", "3"]);
    step(&mut value, &ops(json!([{"op": "removeNode", "id": "x"}]))).unwrap();
    assert_same(&before, &value);
}

#[test]
fn b22_a_cycle_out_of_two_moves_is_refused() {
    let mut value = row(&["a", "b"]);
    step(&mut value, &ops(json!([{"op": "moveNode", "id": "a", "parentId": "b"}]))).unwrap();
    let before = value.clone();
    let error = value.apply(&ops(json!([{"op": "moveNode", "id": "b", "parentId": "a"}]))).unwrap_err();
    assert_eq!((error.code(), error.pointer.as_str(), error.op), ("cycle", "/0/parentId", 0));
    let error = value.apply(&ops(json!([{"op": "moveNode", "id": "b", "parentId": "b"}]))).unwrap_err();
    assert_eq!(error.code(), "cycle");
    assert_same(&before, &value);
}

#[test]
fn c1_between_two_equal_keys_there_is_room() {
    let mut value = design(json!({"nodes": [
        {"id": "z", "type": "t", "order": "a1"}, {"id": "a", "type": "t", "order": "a1"},
        {"id": "m", "type": "t", "order": "a1"}, {"id": "q", "type": "t", "order": "a2"}]}));
    assert_eq!(children(&value, None), ["a", "m", "z", "q"]);
    let before = value.clone();
    let delta = ops(json!([{"op": "addNode", "node": {"id": "new", "type": "t"}, "placement": {"after": "a"}}]));
    let applied = step(&mut value, &delta).unwrap();
    assert_eq!(children(&value, None), ["a", "new", "m", "z", "q"]);
    assert_eq!(order(&value, "a"), "a1");
    let committed = applied.delta.to_json();
    let verbs: Vec<_> = committed.as_array().unwrap().iter().map(|op| op["op"].as_str().unwrap()).collect();
    assert_eq!(verbs, ["moveNode", "moveNode", "addNode"]);
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    let delta = ops(json!([{"op": "moveNode", "id": "q", "placement": {"before": "z"}}]));
    step(&mut value, &delta).unwrap();
    assert_eq!(children(&value, None), ["a", "m", "q", "z"]);
}

#[test]
fn c2_two_inserts_at_one_place_get_two_keys_and_runs_stay_together() {
    let mut value = row(&["l", "r"]);
    let run = |name: &str| {
        let node = |number: u8| json!({"id": format!("{name}{number}"), "type": "t"});
        ops(json!([
            {"op": "addNode", "node": node(1), "placement": {"after": "l"}},
            {"op": "addNode", "node": node(2), "placement": {"after": format!("{name}1")}},
            {"op": "addNode", "node": node(3), "placement": {"after": format!("{name}2")}}]))
    };
    step(&mut value, &run("a")).unwrap();
    step(&mut value, &run("b")).unwrap();
    assert_eq!(children(&value, None), ["l", "b1", "b2", "b3", "a1", "a2", "a3", "r"]);
    let keys: std::collections::HashSet<_> = children(&value, None).iter().map(|id| order(&value, id)).collect();
    assert_eq!(keys.len(), 8);
    // Keys of a run are evenly spaced: none is longer than it has to be.
    assert!(keys.iter().all(|key| key.len() <= 4), "{keys:?}");
}

#[test]
fn c4_thousands_of_inserts_into_one_gap_are_different_and_in_order() {
    let mut value = row(&["l", "r"]);
    let mut wants = false;
    for number in 0..4_000 {
        let node = json!({"id": format!("n{number}"), "type": "t"});
        let delta = ops(json!([{"op": "addNode", "node": node, "placement": {"after": "l"}}]));
        let applied = value.apply(&delta).unwrap();
        let (Value::Design(page), Delta::Design(committed)) = (&value, &applied.delta) else { unreachable!() };
        wants |= page.wanting_rebalance(committed) == [None];
    }
    let there = children(&value, None);
    assert_eq!(there.len(), 4_002);
    assert!(there[1..4_001].iter().rev().map(String::as_str).eq((0..4_000).map(|n| format!("n{n}")).collect::<Vec<_>>().iter().map(String::as_str)));
    assert!(wants, "keys over 64 bytes want a rebalance");
    let Value::Design(page) = &value else { unreachable!() };
    let rebalance = Delta::Design(page.rebalance(None));
    let before = value.clone();
    let applied = value.apply(&rebalance).unwrap();
    assert_eq!(children(&value, None), there);
    assert!(there.iter().all(|id| order(&value, id).len() <= 4));
    assert!(value.apply(&rebalance).unwrap().delta.is_empty());
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
}

#[test]
fn c5_a_bad_order_key_is_refused_with_its_pointer() {
    let long = "a".repeat(10_000);
    for bad in ["r00000000", "", "a00", "Z", "é0", &long] {
        let add = json!([{"op": "addNode", "node": {"id": "n", "type": "t", "order": bad}}]);
        let invalid = Delta::from_json(Kind::Design, &add).unwrap_err();
        assert_eq!((invalid.code(), invalid.pointer.as_str()), ("order_key_invalid", "/0/node/order"));
        let moved = json!([{"op": "moveNode", "id": "n", "order": bad}]);
        let invalid = Delta::from_json(Kind::Design, &moved).unwrap_err();
        assert_eq!((invalid.code(), invalid.pointer.as_str()), ("order_key_invalid", "/0/order"));
        let whole = json!({"nodes": {"n": {"type": "t", "order": bad}}});
        let invalid = Value::from_json(Kind::Design, &whole).unwrap_err();
        assert_eq!((invalid.code(), invalid.pointer.as_str()), ("order_key_invalid", "/nodes/n/order"));
    }
}

#[test]
fn c6_an_order_only_change_is_a_change_with_an_inverse() {
    let mut value = row(&["n", "m"]);
    let before = value.clone();
    let front = ops(json!([{"op": "moveNode", "id": "n", "placement": "last"}]));
    let applied = step(&mut value, &front).unwrap();
    assert!(!applied.delta.is_empty());
    step(&mut value, &ops(json!([{"op": "setNode", "id": "m", "set": {"/props/a": 1}}]))).unwrap();
    assert_eq!(children(&value, None), ["m", "n"]);
    step(&mut value, &applied.inverse).unwrap();
    step(&mut value, &ops(json!([{"op": "setNode", "id": "m", "unset": ["/props/a"]}]))).unwrap();
    assert_same(&before, &value);
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
    let applied = step(&mut value, &ops(json!([{"op": "setNode", "id": "n", "set": {"/props/title": null}}]))).unwrap();
    assert_eq!(prop(&value, "/nodes/n/props/title"), Some(Json::Null));
    assert_eq!(applied.inverse.to_json(), json!([{"op": "setNode", "id": "n", "unset": ["/props/title"]}]));
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
        assert!(applied.delta.is_empty() && applied.inverse.is_empty(), "{delta} committed {}", applied.delta.to_json());
        assert_same(&design(json.clone()), &value);
    }
    // A number that is written otherwise is a change: `1` is not `1.0`.
    let mut value = design(json.clone());
    let applied = step(&mut value, &ops(json!([{"op": "setNode", "id": "n", "set": {"/props/a/b": 1}}]))).unwrap();
    assert!(!applied.delta.is_empty());
    for (kind, delta) in [
        (Kind::Design, json!([{"op": "setAttributes", "set": {"/a": 1}}, {"op": "setAttributes", "unset": ["/a"]}])),
        (Kind::Design, json!([{"op": "addNode", "node": {"id": "n", "type": "t"}}, {"op": "removeNode", "id": "n"}])),
        (Kind::Code, json!([{"op": "addFile", "path": "a", "text": ""}, {"op": "removeFile", "path": "a"}])),
        (Kind::Doc, json!([{"insert": "\n"}, {"delete": 1}])),
    ] {
        let mut value = Value::empty(kind);
        let delta = Delta::from_json(kind, &delta).unwrap();
        assert!(step(&mut value, &delta).unwrap().delta.is_empty(), "{}", delta.to_json());
    }
    let mut value = Value::from_json(Kind::Code, &json!({"files": {"a": "xyz"}})).unwrap();
    let same = json!([{"op": "editFile", "path": "a", "delta": [{"retain": 1}, {"insert": "y"}, {"delete": 1}]}]);
    assert!(step(&mut value, &Delta::from_json(Kind::Code, &same).unwrap()).unwrap().delta.is_empty());
    for kind in [Kind::Doc, Kind::Code, Kind::Sheet] {
        let mut value = Value::empty(kind);
        assert!(step(&mut value, &Delta::empty(kind)).unwrap().delta.is_empty());
    }
    let mut sheet = Value::empty(Kind::Sheet);
    let same = Delta::from_json(Kind::Sheet, &json!([{"op": "replaceSheet", "value": 1}, {"op": "replaceSheet", "value": null}]));
    assert!(step(&mut sheet, &same.unwrap()).unwrap().delta.is_empty());
}

#[test]
fn e16_line_ends_and_bytes_are_kept() {
    let mut value = Value::from_json(Kind::Code, &json!({"files": {"a.txt": "a\r\nb"}, "entry": "a.txt"})).unwrap();
    let before = value.clone();
    let delta = json!([{"op": "editFile", "path": "a.txt", "delta": [{"retain": 3}, {"insert": "x\r"}, {"delete": 1}]}]);
    let applied = step(&mut value, &Delta::from_json(Kind::Code, &delta).unwrap()).unwrap();
    assert_eq!(prop(&value, "/files/a.txt"), Some(json!("a\r\nx\r")));
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    check_value(&before);
}

proptest! {
    #![proptest_config(config(60))]

    /// A diff between shuffles of the same siblings moves only those that must move.
    #[test]
    fn a_shuffle_moves_few(order in Just((0..12).collect::<Vec<usize>>()).prop_shuffle()) {
        let ids: Vec<String> = (0..12).map(|number| format!("n{number}")).collect();
        let from = row(&ids.iter().map(String::as_str).collect::<Vec<_>>());
        let shuffled: Vec<&str> = order.iter().map(|at| ids[*at].as_str()).collect();
        let nodes: Json = shuffled.iter().map(|id| json!({"id": id, "type": "shape"})).collect();
        let to = from.successor_from_json(&json!({"nodes": nodes})).unwrap();
        prop_assert_eq!(children(&to, None), shuffled);
        let delta = check_diff(&from, &to);
        let longest = longest_run(&order);
        prop_assert_eq!(delta.to_json().as_array().unwrap().len(), 12 - longest, "{}", text(&to));
    }
}

/// The length of the longest increasing subsequence, by trying all ends.
fn longest_run(items: &[usize]) -> usize {
    let mut best = vec![1; items.len()];
    for end in 0..items.len() {
        for start in 0..end {
            if items[start] < items[end] {
                best[end] = best[end].max(best[start] + 1);
            }
        }
    }
    best.into_iter().max().unwrap_or(0)
}
