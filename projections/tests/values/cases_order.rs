//! Cases from the field about order keys, in pages.

use proptest::prelude::*;
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::cases::{children, design, ops, order, row};
use crate::check::{assert_same, check_diff, step, text};
use crate::random::config;

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
    let verbs: Vec<_> = committed
        .as_array()
        .unwrap()
        .iter()
        .map(|op| op["op"].as_str().unwrap())
        .collect();
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
        let (Value::Design(page), Delta::Design(committed)) = (&value, &applied.delta) else {
            unreachable!()
        };
        wants |= page.wanting_rebalance(committed) == [None];
    }
    let there = children(&value, None);
    assert_eq!(there.len(), 4_002);
    assert!(
        there[1..4_001].iter().rev().map(String::as_str).eq((0..4_000)
            .map(|n| format!("n{n}"))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str))
    );
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
        assert_eq!(
            (invalid.code(), invalid.pointer.as_str()),
            ("order_key_invalid", "/0/node/order")
        );
        let moved = json!([{"op": "moveNode", "id": "n", "order": bad}]);
        let invalid = Delta::from_json(Kind::Design, &moved).unwrap_err();
        assert_eq!(
            (invalid.code(), invalid.pointer.as_str()),
            ("order_key_invalid", "/0/order")
        );
        let whole = json!({"nodes": {"n": {"type": "t", "order": bad}}});
        let invalid = Value::from_json(Kind::Design, &whole).unwrap_err();
        assert_eq!(
            (invalid.code(), invalid.pointer.as_str()),
            ("order_key_invalid", "/nodes/n/order")
        );
    }
}

#[test]
fn c6_an_order_only_change_is_a_change_with_an_inverse() {
    let mut value = row(&["n", "m"]);
    let before = value.clone();
    let front = ops(json!([{"op": "moveNode", "id": "n", "placement": "last"}]));
    let applied = step(&mut value, &front).unwrap();
    assert!(!applied.delta.is_empty());
    step(
        &mut value,
        &ops(json!([{"op": "setNode", "id": "m", "set": {"/props/a": 1}}])),
    )
    .unwrap();
    assert_eq!(children(&value, None), ["m", "n"]);
    step(&mut value, &applied.inverse).unwrap();
    step(
        &mut value,
        &ops(json!([{"op": "setNode", "id": "m", "unset": ["/props/a"]}])),
    )
    .unwrap();
    assert_same(&before, &value);
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
