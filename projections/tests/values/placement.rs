//! Placements: where nodes and backgrounds go, and what is refused.

use recto_projections::{Kind, Value};
use serde_json::{Value as Json, json};

use crate::cases::{children, design, ops, order, row};
use crate::check::{assert_same, step};

#[test]
fn every_placement_leads_to_its_place() {
    let cases: [(Json, &[&str]); 6] = [
        (json!("first"), &["n", "a", "b", "c"]),
        (json!("last"), &["a", "b", "c", "n"]),
        (json!({"after": "a"}), &["a", "n", "b", "c"]),
        (json!({"after": "c"}), &["a", "b", "c", "n"]),
        (json!({"before": "a"}), &["n", "a", "b", "c"]),
        (json!({"before": "c"}), &["a", "b", "n", "c"]),
    ];
    for (placement, expected) in cases {
        let mut value = row(&["a", "b", "c"]);
        let add = json!([{"op": "addNode", "node": {"id": "n", "type": "t"}, "placement": placement}]);
        step(&mut value, &ops(add)).unwrap();
        assert_eq!(children(&value, None), expected);
        let mut value = row(&["a", "n", "b", "c"]);
        step(
            &mut value,
            &ops(json!([{"op": "moveNode", "id": "n", "placement": placement}])),
        )
        .unwrap();
        assert_eq!(children(&value, None), expected);
    }
}

#[test]
fn a_node_without_a_placement_goes_last_and_a_moved_one_too() {
    let mut value = row(&["a", "b"]);
    let delta = json!([
        {"op": "addNode", "node": {"id": "n", "type": "t"}},
        {"op": "addNode", "node": {"id": "k", "type": "t", "parentId": "a"}},
        {"op": "moveNode", "id": "b", "parentId": "a"}]);
    step(&mut value, &ops(delta)).unwrap();
    assert_eq!(children(&value, None), ["a", "n"]);
    assert_eq!(children(&value, Some("a")), ["k", "b"]);
}

#[test]
fn a_placement_beside_no_sibling_is_refused() {
    let mut value = design(
        json!({"nodes": [{"id": "a", "type": "t"}, {"id": "k", "type": "t", "parentId": "a"}, {"id": "b", "type": "t"}]}),
    );
    let before = value.clone();
    for (op, pointer) in [
        (
            json!({"op": "moveNode", "id": "b", "placement": {"after": "k"}}),
            "/0/placement/after",
        ),
        (
            json!({"op": "moveNode", "id": "b", "placement": {"before": "nobody"}}),
            "/0/placement/before",
        ),
        (
            json!({"op": "moveNode", "id": "b", "placement": {"after": "b"}}),
            "/0/placement/after",
        ),
        (
            json!({"op": "moveNode", "id": "b", "parentId": "a", "placement": {"before": "a"}}),
            "/0/placement/before",
        ),
        (
            json!({"op": "addNode", "node": {"id": "n", "type": "t"}, "placement": {"after": "k"}}),
            "/0/placement/after",
        ),
    ] {
        let error = value.apply(&ops(json!([op]))).unwrap_err();
        assert_eq!((error.code(), error.pointer.as_str()), ("sibling_missing", pointer));
        assert_same(&before, &value);
    }
}

#[test]
fn a_run_of_inserts_gets_evenly_spaced_keys_also_before_a_node() {
    let mut value = row(&["l", "r"]);
    let add = |name: usize, placement: Json| json!({"op": "addNode", "node": {"id": format!("n{name:02}"), "type": "t"}, "placement": placement});
    let before: Json = (0..50).map(|name| add(name, json!({"before": "r"}))).collect();
    step(&mut value, &ops(before)).unwrap();
    let there = children(&value, None);
    assert!(
        there.windows(2).skip(1).take(49).all(|pair| pair[0] < pair[1]),
        "{there:?}"
    );
    assert!(there.iter().all(|id| order(&value, id).len() <= 4));
}

#[test]
fn a_run_of_moves_keeps_its_order_and_one_in_place_keeps_its_keys() {
    let mut value = row(&["a", "b", "c", "d", "e"]);
    let before = value.clone();
    let stay = json!([
        {"op": "moveNode", "id": "b", "placement": {"after": "a"}},
        {"op": "moveNode", "id": "c", "placement": {"after": "b"}},
        {"op": "moveNode", "id": "d", "placement": {"after": "c"}}]);
    assert!(step(&mut value, &ops(stay)).unwrap().delta.is_empty());
    assert_same(&before, &value);
    let turn = json!([
        {"op": "moveNode", "id": "d", "placement": {"after": "a"}},
        {"op": "moveNode", "id": "c", "placement": {"after": "d"}},
        {"op": "moveNode", "id": "b", "placement": {"after": "c"}}]);
    step(&mut value, &ops(turn)).unwrap();
    assert_eq!(children(&value, None), ["a", "d", "c", "b", "e"]);
    assert_eq!(order(&value, "a"), order(&before, "a"));
    assert_eq!(order(&value, "e"), order(&before, "e"));
}

#[test]
fn a_run_that_leans_on_itself_is_resolved_one_by_one() {
    let mut value = row(&["a", "b", "c"]);
    let delta = json!([
        {"op": "moveNode", "id": "c", "placement": {"after": "a"}},
        {"op": "moveNode", "id": "a", "placement": {"after": "c"}},
        {"op": "moveNode", "id": "c", "placement": {"after": "a"}}]);
    step(&mut value, &ops(delta)).unwrap();
    assert_eq!(children(&value, None), ["a", "c", "b"]);
}

#[test]
fn a_committed_delta_says_between_whom() {
    let mut value = row(&["a", "b"]);
    let add = json!([{"op": "addNode", "node": {"id": "n", "type": "t"}, "placement": {"after": "a"}}]);
    let applied = step(&mut value, &ops(add)).unwrap();
    assert_eq!(
        applied.delta.to_json(),
        json!([{"op": "addNode", "node": {
        "id": "n", "type": "t", "parentId": null, "order": "a0V",
        "geometry": {"x": 0, "y": 0, "width": 0, "height": 0, "rotation": 0}, "props": {}},
        "siblings": {"left": "a", "right": "b"}}])
    );
    assert_eq!(applied.inverse.to_json(), json!([{"op": "removeNode", "id": "n"}]));
    let applied = step(
        &mut value,
        &ops(json!([{"op": "moveNode", "id": "n", "parentId": "b", "geometry": {"x": 2}}])),
    )
    .unwrap();
    assert_eq!(
        applied.delta.to_json(),
        json!([{"op": "moveNode", "id": "n", "parentId": "b", "order": "a0",
        "siblings": {"left": null, "right": null}, "geometry": {"x": 2, "y": 0, "width": 0, "height": 0, "rotation": 0}}])
    );
    assert_eq!(
        applied.inverse.to_json(),
        json!([{"op": "moveNode", "id": "n", "parentId": null, "order": "a0V",
        "siblings": {"left": "a", "right": "b"}, "geometry": {"x": 0, "y": 0, "width": 0, "height": 0, "rotation": 0}}])
    );
    let applied = step(
        &mut value,
        &ops(json!([{"op": "moveNode", "id": "n", "geometry": {"x": 2, "y": 5}}])),
    )
    .unwrap();
    assert_eq!(
        applied.delta.to_json(),
        json!([{"op": "moveNode", "id": "n", "geometry": {"y": 5}}])
    );
    assert_eq!(
        applied.inverse.to_json(),
        json!([{"op": "moveNode", "id": "n", "geometry": {"y": 0}}])
    );
}

#[test]
fn backgrounds_are_added_moved_set_and_removed_one_by_one() {
    let mut value = Value::empty(Kind::Design);
    let empty = value.clone();
    let mut inverses = Vec::new();
    for (delta, expected) in [
        (
            json!([{"op": "addBackground", "background": {"id": "b1", "type": "color"}}]),
            vec!["b1"],
        ),
        (
            json!([{"op": "addBackground", "background": {"id": "b2", "type": "image"}, "placement": "first"}]),
            vec!["b2", "b1"],
        ),
        (
            json!([{"op": "addBackground", "background": {"id": "b3", "type": "image"}, "placement": {"after": "b2"}}]),
            vec!["b2", "b3", "b1"],
        ),
        (
            json!([{"op": "moveBackground", "id": "b2", "placement": {"after": "b1"}}]),
            vec!["b3", "b1", "b2"],
        ),
        (
            json!([{"op": "setBackground", "id": "b1", "set": {"/color": "#fff"}}]),
            vec!["b3", "b1", "b2"],
        ),
        (json!([{"op": "removeBackground", "id": "b1"}]), vec!["b3", "b2"]),
    ] {
        inverses.push(step(&mut value, &ops(delta)).unwrap().inverse);
        let Value::Design(page) = &value else { unreachable!() };
        let ids: Vec<_> = page
            .backgrounds()
            .iter()
            .map(|background| background["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids, expected);
    }
    for inverse in inverses.iter().rev() {
        step(&mut value, inverse).unwrap();
    }
    assert_same(&empty, &value);
}

#[test]
fn backgrounds_change_by_their_own_operations_only() {
    let mut value = design(json!({"attributes": {"backgrounds": [{"id": "b", "type": "color"}]}}));
    for (pointer, op) in [
        (
            "/0/set/~1backgrounds",
            json!({"op": "setAttributes", "set": {"/backgrounds": [{"id": "b", "type": "color"}]}}),
        ),
        (
            "/0/set/~1backgrounds~10",
            json!({"op": "setAttributes", "set": {"/backgrounds/0": {}}}),
        ),
        (
            "/0/unset/0",
            json!({"op": "setAttributes", "unset": ["/backgrounds/0/color"]}),
        ),
    ] {
        let invalid = recto_projections::Delta::from_json(Kind::Design, &json!([op])).unwrap_err();
        assert_eq!(
            (invalid.code(), invalid.pointer.as_str()),
            ("backgrounds_by_operation", pointer)
        );
    }
    for (pointer, op) in [
        (
            "/0/set/~1backgrounds",
            json!({"op": "setAttributes", "set": {"/backgrounds": []}}),
        ),
        ("/0/unset/0", json!({"op": "setAttributes", "unset": ["/backgrounds"]})),
    ] {
        let error = value.apply(&ops(json!([op]))).unwrap_err();
        assert_eq!(
            (error.code(), error.pointer.as_str()),
            ("backgrounds_by_operation", pointer)
        );
    }
    for (code, op) in [
        ("background_missing", json!({"op": "removeBackground", "id": "nobody"})),
        (
            "background_missing",
            json!({"op": "moveBackground", "id": "nobody", "placement": "first"}),
        ),
        ("background_missing", json!({"op": "setBackground", "id": "nobody"})),
        (
            "sibling_missing",
            json!({"op": "moveBackground", "id": "b", "placement": {"after": "b"}}),
        ),
        (
            "id_taken",
            json!({"op": "addBackground", "background": {"id": "b", "type": "color"}}),
        ),
    ] {
        assert_eq!(value.apply(&ops(json!([op]))).unwrap_err().code(), code);
    }
}
