//! Grouping, ungrouping and deleting with descendants.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use recto_projections::design::{DesignValue, Geometry, Id, NewNode, Number, Side};
use recto_projections::{Delta, Value};
use serde_json::json;

use crate::cases::{children, design, row};
use crate::check::{assert_same, step};
use crate::random::{self, config};

fn group(id: &str, x: &str, y: &str) -> NewNode {
    let mut geometry = Geometry::default().to_patch();
    let number = |text: &str| Number::from_json(&text.parse().unwrap()).unwrap();
    geometry.set(Side::X, number(x));
    geometry.set(Side::Y, number(y));
    let zero = Number::ZERO;
    let geometry = Geometry::new(Side::ALL.map(|side| geometry.get(side).cloned().unwrap_or(zero.clone())));
    NewNode {
        id: id.into(),
        kind: "group".into(),
        parent: None,
        geometry,
        props: Default::default(),
    }
}

fn page(value: &Value) -> &DesignValue {
    let Value::Design(page) = value else {
        panic!("no design")
    };
    page
}

#[test]
fn a_group_stands_at_the_place_of_its_topmost_member() {
    let mut value = design(json!({"nodes": [
        {"id": "a", "type": "t", "geometry": {"x": 10, "y": 20}}, {"id": "b", "type": "t"},
        {"id": "c", "type": "t", "geometry": {"x": 15.5, "y": 0}}, {"id": "d", "type": "t"}]}));
    let before = value.clone();
    let ops = page(&value)
        .group(group("g", "10", "0"), &["c".into(), "a".into()])
        .unwrap();
    let applied = step(&mut value, &Delta::Design(ops)).unwrap();
    assert_eq!(children(&value, None), ["b", "g", "d"]);
    assert_eq!(children(&value, Some("g")), ["a", "c"]);
    let json = value.to_json();
    assert_eq!(json.pointer("/nodes/a/geometry/x"), Some(&json!(0)));
    assert_eq!(json.pointer("/nodes/a/geometry/y"), Some(&json!(20)));
    assert_eq!(json.pointer("/nodes/c/geometry/x").unwrap().to_string(), "5.5");
    let mut undone = value.clone();
    undone.apply(&applied.inverse).unwrap();
    assert_same(&before, &undone);
    let ops = page(&value).ungroup(&"g".into()).unwrap();
    step(&mut value, &Delta::Design(ops)).unwrap();
    assert_eq!(children(&value, None), ["b", "a", "c", "d"]);
    assert_eq!(
        value.to_json().pointer("/nodes/c/geometry/x").unwrap().to_string(),
        "15.5"
    );
}

#[test]
fn what_cannot_be_grouped_is_refused() {
    let value = design(
        json!({"nodes": [{"id": "a", "type": "t"}, {"id": "b", "type": "t"}, {"id": "k", "type": "t", "parentId": "b"}]}),
    );
    let refused = |id: &str, members: &[&str]| {
        let members: Vec<Id> = members.iter().map(|id| (*id).into()).collect();
        page(&value).group(group(id, "0", "0"), &members).unwrap_err().code()
    };
    assert_eq!(refused("g", &[]), "sibling_missing");
    assert_eq!(refused("g", &["nobody"]), "node_missing");
    assert_eq!(refused("a", &["b"]), "id_taken");
    assert_eq!(refused("g", &["a", "k"]), "sibling_missing");
    assert!(page(&value).ungroup(&"nobody".into()).is_err());
    assert!(page(&value).delete_with_descendants(&["nobody".into()]).is_err());
}

#[test]
fn b19_undoing_a_group_leaves_none() {
    let mut value = row(&["a", "b"]);
    let before = value.clone();
    let ops = page(&value)
        .group(group("g", "0", "0"), &["a".into(), "b".into()])
        .unwrap();
    let applied = step(&mut value, &Delta::Design(ops)).unwrap();
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
}

#[test]
fn b9_undoing_an_ungroup_groups_only_what_was_grouped() {
    let mut value = design(json!({"nodes": [
        {"id": "g", "type": "group"}, {"id": "a", "type": "t", "parentId": "g"},
        {"id": "b", "type": "t", "parentId": "g"}, {"id": "c", "type": "t"}]}));
    let before = value.clone();
    let ops = page(&value).ungroup(&"g".into()).unwrap();
    let applied = step(&mut value, &Delta::Design(ops)).unwrap();
    assert_eq!(children(&value, None), ["a", "b", "c"]);
    value.apply(&applied.inverse).unwrap();
    assert_same(&before, &value);
}

#[test]
fn empty_groups_go_all_the_way_up_and_others_stay() {
    let mut value = design(json!({"nodes": [
        {"id": "g1", "type": "group"}, {"id": "g2", "type": "group", "parentId": "g1"},
        {"id": "a", "type": "t", "parentId": "g2"}, {"id": "f", "type": "frame"}, {"id": "b", "type": "t", "parentId": "f"}]}));
    let ops = page(&value).delete_with_descendants(&["a".into(), "b".into()]).unwrap();
    step(&mut value, &Delta::Design(ops)).unwrap();
    assert_eq!(children(&value, None), ["f"]);
}

proptest! {
    #![proptest_config(config(200))]

    /// Deleting takes exactly the nodes, all below them, and groups left empty: and it always applies.
    #[test]
    fn deleting_applies_and_leaves_no_group_empty(value in random::design(), chosen in vec(any::<Index>(), 1..4)) {
        let ids: Vec<Id> = page(&value).tree().map(|node| node.id().clone()).collect();
        prop_assume!(!ids.is_empty());
        let chosen: Vec<Id> = chosen.iter().map(|index| index.get::<Id>(&ids).clone()).collect();
        let mut after = value.clone();
        let ops = page(&value).delete_with_descendants(&chosen).unwrap();
        step(&mut after, &Delta::Design(ops)).unwrap();
        for node in page(&after).tree() {
            let was_empty = page(&value).children_of(Some(node.id())).next().is_none();
            let is_empty = page(&after).children_of(Some(node.id())).next().is_none();
            prop_assert!(!chosen.contains(node.id()));
            prop_assert!(node.kind() != "group" || was_empty || !is_empty);
        }
    }
}
