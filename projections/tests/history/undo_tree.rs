//! The cases of trees, groups and references, by their ids.

use recto_projections::design::{Geometry, Id, NewNode};
use recto_projections::undo::{Outcome, UndoNoteKind};
use recto_projections::{Delta, Json, Value};
use serde_json::{Map, json};

use crate::page::{KEEP, Page, codes};

fn page(nodes: Json) -> Page {
    Page::design(&json!({"nodes": nodes}))
}

fn node(id: &str, parent: Option<&str>) -> Json {
    json!({"id": id, "type": if id.starts_with('g') { "group" } else { "shape" }, "parentId": parent})
}

fn add(id: &str, placement: Json) -> Json {
    json!([{"op": "addNode", "node": {"id": id, "type": "shape"}, "placement": placement}])
}

fn ids(ids: &[&str]) -> Vec<Id> {
    ids.iter().map(|id| Id::from(*id)).collect()
}

fn group(page: &mut Page, id: &str, members: &[&str]) -> u64 {
    let Value::Design(value) = page.head() else { panic!() };
    let group = NewNode {
        id: id.into(),
        kind: "group".into(),
        parent: None,
        geometry: Geometry::default(),
        props: Map::new(),
    };
    let ops = value.group(group, &ids(members)).unwrap();
    page.edit("A", Delta::Design(ops).to_json())
}

fn delete(page: &mut Page, actor: &str, nodes: &[&str]) -> u64 {
    let Value::Design(value) = page.head() else { panic!() };
    let ops = value.delete_with_descendants(&ids(nodes)).unwrap();
    page.edit(actor, Delta::Design(ops).to_json())
}

#[test]
fn b1_undo_of_a_move_out_of_a_frame_that_is_gone_leaves_the_node() {
    let mut page = page(json!([node("f", None), node("n", Some("f"))]));
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "n", "parentId": null}]));
    page.edit("B", json!([{"op": "removeNode", "id": "f"}]));
    let undo = page.undo(e1);
    assert_eq!((codes(&undo), undo.outcome), (vec!["parent_removed"], Outcome::Noop));
    assert_eq!(undo.conflicts[0].wanted, Some(json!("f")));
    assert_eq!(page.children(None), ["n"]);
}

#[test]
fn b3_undo_does_not_bind_an_arrow_to_a_shape_that_is_gone() {
    let binding = json!({"elementId": "s", "gap": 4});
    let mut page = page(json!([
        node("s", None),
        {"id": "arrow", "type": "arrow", "props": {"startBinding": binding, "color": "red"}},
    ]));
    let unbind =
        json!([{"op": "setNode", "id": "arrow", "unset": ["/props/startBinding"], "set": {"/props/color": "blue"}}]);
    let e1 = page.edit("A", unbind);
    page.edit("B", json!([{"op": "removeNode", "id": "s"}]));
    let undo = page.undo(e1);
    assert_eq!((codes(&undo), undo.outcome), (vec!["ref_missing"], Outcome::Partial));
    assert_eq!(undo.conflicts[0].wanted, Some(binding));
    assert_eq!(page.at("/nodes/arrow/props"), Some(json!({"color": "red"})));
}

#[test]
fn b3_an_arrow_that_comes_back_is_not_bound_to_a_shape_that_is_gone() {
    let mut page = page(json!([
        node("s", None),
        {"id": "arrow", "type": "arrow", "props": {"style": {"boundTo": ["s"]}, "color": "red"}},
    ]));
    let e1 = page.edit("A", json!([{"op": "removeNode", "id": "arrow"}]));
    let e2 = page.edit("B", json!([{"op": "removeNode", "id": "s"}]));
    let undo = page.undo(e1);
    assert_eq!(codes(&undo), ["ref_missing"]);
    assert_eq!(undo.conflicts[0].pointer, "/props/style/boundTo");
    assert_eq!(
        page.at("/nodes/arrow/props"),
        Some(json!({"style": {}, "color": "red"}))
    );
    page.undo_clean(e2);
}

#[test]
fn b3_a_reference_is_whole_where_both_come_back() {
    let mut page = page(json!([
        {"id": "arrow", "type": "arrow", "props": {"toId": "s"}},
        node("s", None),
        node("other", None),
    ]));
    let e1 = page.edit(
        "A",
        json!([{"op": "removeNode", "id": "s"}, {"op": "removeNode", "id": "arrow"}]),
    );
    page.edit("B", json!([{"op": "removeNode", "id": "other"}]));
    page.undo_clean(e1);
    assert_eq!(page.prop("arrow", "toId"), Some(json!("s")));
}

#[test]
fn b4_undo_of_grouping_restores_the_order_and_its_keys() {
    let mut page = page(json!([
        node("a", None),
        node("b", None),
        node("c", None),
        node("d", None)
    ]));
    let e1 = group(&mut page, "g", &["b", "d"]);
    assert_eq!(page.children(None), ["a", "c", "g"]);
    page.edit("B", json!([{"op": "setNode", "id": "c", "set": {"/props/x": 1}}]));
    page.undo_clean(e1);
    page.undo_clean(2);
    assert!(page.is_as_at(0), "the same keys too");
}

#[test]
fn b4_undo_of_nested_grouping_restores_two_parents() {
    let nodes = ["a", "b", "c", "d"].map(|id| node(id, Some("f1"))).into_iter();
    let nodes = nodes.chain(["u", "v", "w"].map(|id| node(id, Some("f2"))));
    let mut page = page([node("f1", None), node("f2", None)].into_iter().chain(nodes).collect());
    let edits = [
        group(&mut page, "g1", &["b", "d"]),
        group(&mut page, "g2", &["a", "g1"]),
        group(&mut page, "g3", &["u", "w"]),
    ];
    page.edit("B", add("x", json!("last")));
    for edit in edits.iter().rev() {
        page.undo_clean(*edit);
    }
    page.undo_clean(4);
    assert!(page.is_as_at(0));
}

#[test]
fn b5_undo_of_a_bulk_deletion_keeps_the_order() {
    let mut page = page(json!([
        node("0", None),
        node("1", None),
        node("2", None),
        node("3", None),
        node("4", None)
    ]));
    let e1 = delete(&mut page, "A", &["1", "2", "3"]);
    page.edit("B", json!([{"op": "setNode", "id": "0", "set": {"/props/x": 1}}]));
    page.undo_clean(e1);
    assert_eq!(page.children(None), ["0", "1", "2", "3", "4"]);
    page.undo_clean(2);
    assert!(page.is_as_at(0));
}

#[test]
fn b5_undo_of_a_bulk_deletion_keeps_the_order_around_a_newcomer() {
    let mut page = page(json!([
        node("0", None),
        node("1", None),
        node("2", None),
        node("3", None),
        node("4", None)
    ]));
    let e1 = delete(&mut page, "A", &["1", "2", "3"]);
    page.edit("B", add("x", json!({"after": "0"})));
    page.undo_clean(e1);
    let order = page.children(None);
    let back: Vec<_> = order.iter().filter(|id| *id != "x").cloned().collect();
    assert_eq!(back, ["0", "1", "2", "3", "4"]);
    assert_eq!(order.len(), 6);
    let undo = page.undo_clean(2);
    assert!(page.is_as_at(0), "with the old keys");
    page.undo_clean(undo);
    assert_eq!(page.children(None), order);
}

#[test]
fn b6_a_group_that_went_with_its_members_comes_back_to_its_place() {
    let mut page = page(json!([
        node("p", None),
        node("g", None),
        node("a", Some("g")),
        node("b", Some("g")),
        node("q", None)
    ]));
    let e1 = delete(&mut page, "A", &["a", "b"]);
    assert_eq!(page.children(None), ["p", "q"]);
    page.edit("B", json!([{"op": "setNode", "id": "p", "set": {"/props/x": 1}}]));
    page.undo_clean(e1);
    assert_eq!(page.children(None), ["p", "g", "q"]);
    assert_eq!(page.children(Some("g")), ["a", "b"]);
    page.undo_clean(2);
    assert!(page.is_as_at(0));
}

#[test]
fn b9_undo_of_ungrouping_groups_only_what_was_grouped() {
    let mut page = page(json!([
        node("g", None),
        node("a", Some("g")),
        node("b", Some("g")),
        node("c", None)
    ]));
    let Value::Design(value) = page.head() else { panic!() };
    let ops = value.ungroup(&"g".into()).unwrap();
    let e1 = page.edit("A", Delta::Design(ops).to_json());
    assert_eq!(page.children(None), ["a", "b", "c"]);
    page.edit("B", json!([{"op": "setNode", "id": "c", "set": {"/props/x": 1}}]));
    page.undo_clean(e1);
    assert_eq!(page.children(None), ["g", "c"]);
    assert_eq!(page.children(Some("g")), ["a", "b"]);
}

#[test]
fn b10_a_group_system_comes_back_where_it_was() {
    let at = |x: i32, mut node: Json| {
        node["geometry"] = json!({"x": x, "y": x, "rotation": x});
        node
    };
    let mut page = page(json!([
        at(100, node("g", None)),
        at(10, node("g2", Some("g"))),
        at(1, node("n", Some("g2")))
    ]));
    let e1 = delete(&mut page, "A", &["g"]);
    page.edit("B", add("x", json!("first")));
    page.undo_clean(e1);
    for (id, x) in [("g", 100), ("g2", 10), ("n", 1)] {
        assert_eq!(page.at(&format!("/nodes/{id}/geometry/x")), Some(json!(x)));
    }
}

#[test]
fn b10_without_its_parent_a_node_comes_back_to_the_same_place_on_the_page() {
    let mut page = page(json!([
        node("first", None),
        {"id": "g", "type": "group", "geometry": {"x": 100, "y": 200}},
        {"id": "n1", "type": "shape", "parentId": "g", "geometry": {"x": 10, "y": 20}},
        {"id": "n2", "type": "shape", "parentId": "g"},
        {"id": "n3", "type": "shape", "parentId": "g"},
        node("last", None),
    ]));
    let e1 = page.edit(
        "A",
        json!(["n3", "n2", "n1"].map(|id| json!({"op": "removeNode", "id": id}))),
    );
    page.edit("B", json!([{"op": "removeNode", "id": "g"}]));
    let undo = page.undo(e1);
    assert!(undo.conflicts.is_empty());
    assert_eq!(
        undo.notes.iter().map(|note| note.kind).collect::<Vec<_>>(),
        [UndoNoteKind::Reparented; 3]
    );
    assert_eq!(undo.outcome, Outcome::Partial);
    assert_eq!(page.children(None), ["first", "n1", "n2", "n3", "last"]);
    assert_eq!(page.at("/nodes/n1/geometry/x"), Some(json!(110)));
    assert_eq!(page.at("/nodes/n1/geometry/y"), Some(json!(220)));
}

#[test]
fn b13_undo_finds_a_node_by_id_wherever_it_stands() {
    let mut page = page(json!([node("0", None), node("1", None), node("2", None)]));
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "0", "placement": {"after": "1"}}]));
    page.edit("B", add("x", json!("first")));
    page.undo_clean(e1);
    assert_eq!(
        page.children(None),
        ["0", "x", "1", "2"],
        "before whatever else came to the front"
    );
}

#[test]
fn b15_a_child_and_its_parent_come_back_in_reverse() {
    let mut page = page(json!([node("a", None), node("b", Some("a"))]));
    let e1 = page.edit(
        "A",
        json!([{"op": "removeNode", "id": "b"}, {"op": "removeNode", "id": "a"}]),
    );
    page.edit("B", add("x", json!("last")));
    page.undo_clean(e1);
    page.undo_clean(2);
    assert!(page.is_as_at(0));
}

#[test]
fn b18_a_deleted_frame_comes_back_with_each_child_once() {
    let mut page = page(json!([
        node("f", None),
        node("1", Some("f")),
        node("2", Some("f")),
        node("3", Some("f"))
    ]));
    let e1 = delete(&mut page, "A", &["f"]);
    page.edit("B", add("x", json!("last")));
    page.undo_clean(e1);
    assert_eq!(page.children(None), ["f", "x"]);
    assert_eq!(page.children(Some("f")), ["1", "2", "3"]);
}

#[test]
fn b19_undo_of_grouping_takes_the_group_away() {
    let mut page = page(json!([node("a", None), node("b", None)]));
    let e1 = group(&mut page, "g", &["a", "b"]);
    page.edit("B", add("x", json!("last")));
    page.undo_clean(e1);
    assert!(!page.has("g"));
    assert_eq!(page.children(None), ["a", "b", "x"]);
}

#[test]
fn b19_a_group_into_which_another_put_something_stays() {
    let mut page = page(json!([node("a", None), node("b", None), node("c", None)]));
    let e1 = group(&mut page, "g", &["a", "b"]);
    page.edit("B", json!([{"op": "moveNode", "id": "c", "parentId": "g"}]));
    let undo = page.undo(e1);
    assert_eq!((codes(&undo), undo.outcome), (vec!["edited_since"], Outcome::Partial));
    assert_eq!(undo.conflicts[0].actor.as_deref(), Some("B"));
    assert_eq!(page.children(Some("g")), ["c"]);
    assert_eq!(page.children(None), ["a", "b", "g"]);
}

#[test]
fn c6_a_change_of_order_alone_is_an_event_with_an_inverse() {
    let mut page = page(json!([node("n", None), node("m", None)]));
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "n", "placement": "last"}]));
    page.edit_from("B", 0, json!([{"op": "setNode", "id": "m", "set": {"/props/x": 1}}]));
    assert_eq!(page.children(None), ["m", "n"]);
    page.undo_clean(e1);
    assert_eq!(page.children(None), ["n", "m"]);
    assert!(page.plan(&[e1], KEEP).is_err());
}
