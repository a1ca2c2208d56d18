//! Cases from the field about the tree: groups, deletions, cycles.

use recto_projections::design::NewNode;
use recto_projections::{Delta, Value};
use serde_json::json;

use crate::cases::{children, design, ops, row};
use crate::check::{assert_same, step};

fn group(id: &str) -> NewNode {
    NewNode {
        id: id.into(),
        kind: "group".into(),
        parent: None,
        geometry: Default::default(),
        props: Default::default(),
    }
}

#[test]
fn b4_undoing_a_grouping_restores_order_and_keys() {
    let mut value = row(&["a", "b", "c", "d"]);
    let before = value.clone();
    let Value::Design(page) = &value else { unreachable!() };
    let delta = Delta::Design(page.group(group("g"), &["d".into(), "b".into()]).unwrap());
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
    let groups: [(&str, &[&str]); 5] = [
        ("g1", &["b", "d"]),
        ("g2", &["g1", "a"]),
        ("g3", &["g2", "e"]),
        ("h", &["b"]),
        ("k", &["d"]),
    ];
    for (id, members) in groups {
        let Value::Design(page) = &value else { unreachable!() };
        let members: Vec<_> = members.iter().map(|id| (*id).into()).collect();
        let delta = Delta::Design(page.group(group(id), &members).unwrap());
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
    let removed =
        json!([{"op": "removeNode", "id": "1"}, {"op": "removeNode", "id": "2"}, {"op": "removeNode", "id": "3"}]);
    let applied = step(&mut value, &ops(removed)).unwrap();
    let mut foreign = value.clone();
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
    // Someone else's node, put where there was nothing left, does not come between the old ones by their keys.
    step(
        &mut foreign,
        &ops(json!([{"op": "addNode", "node": {"id": "x", "type": "shape"}, "placement": "last"}])),
    )
    .unwrap();
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
    assert_eq!(
        delta.to_json(),
        json!([
        {"op": "removeNode", "id": "b"}, {"op": "removeNode", "id": "a"}, {"op": "removeNode", "id": "g"}])
    );
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
    assert_eq!(
        applied.inverse.to_json(),
        json!([
        {"op": "setNode", "id": "n", "set": {"/props/a": {"c": 2}}, "at": {"/props/a": 0}},
        {"op": "setNode", "id": "n", "set": {"/props/a/b": 1}, "at": {"/props/a/b": 0}}])
    );
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
    step(
        &mut value,
        &ops(json!([{"op": "addNode", "node": {"id": "x", "type": "t"}}])),
    )
    .unwrap();
    step(&mut value, &applied.inverse).unwrap();
    assert_eq!(children(&value, Some("f")), ["1", "2", "3"]);
    step(&mut value, &ops(json!([{"op": "removeNode", "id": "x"}]))).unwrap();
    assert_same(&before, &value);
}

#[test]
fn b22_a_cycle_out_of_two_moves_is_refused() {
    let mut value = row(&["a", "b"]);
    step(
        &mut value,
        &ops(json!([{"op": "moveNode", "id": "a", "parentId": "b"}])),
    )
    .unwrap();
    let before = value.clone();
    let error = value
        .apply(&ops(json!([{"op": "moveNode", "id": "b", "parentId": "a"}])))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.pointer.as_str(), error.op),
        ("cycle", "/0/parentId", 0)
    );
    let error = value
        .apply(&ops(json!([{"op": "moveNode", "id": "b", "parentId": "b"}])))
        .unwrap_err();
    assert_eq!(error.code(), "cycle");
    assert_same(&before, &value);
}
