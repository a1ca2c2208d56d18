//! The cases of stale writes, by their ids.

use recto_projections::rebase::{ConflictKind, Options};
use recto_projections::{Delta, Value};
use serde_json::{Value as Json, json};

use crate::page::Page;

fn page() -> Page {
    Page::design(&json!({"nodes": [
        {"id": "n", "type": "shape", "props": {"p": 1}},
        {"id": "m", "type": "shape"},
        {"id": "a", "type": "group"},
        {"id": "b", "type": "group"},
    ]}))
}

fn set(id: &str, pointer: &str, value: Json) -> Json {
    json!([{"op": "setNode", "id": id, "set": {pointer: value}}])
}

#[test]
fn a15_the_inverse_of_a_rebased_write_is_made_where_it_was_applied() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "text", "props": {"t": "ab"}}]}));
    let edit = |delta: Json| json!([{"op": "editText", "id": "n", "pointer": "/props/t", "delta": delta}]);
    page.edit("B", edit(json!([{"retain": 1}, {"insert": "X"}])));
    page.edit_from("A", 0, edit(json!([{"delete": 2}])));
    assert_eq!(page.prop("n", "t"), Some(json!("X")));
    page.undo_clean(2);
    assert_eq!(page.prop("n", "t"), Some(json!("aXb")));
}

#[test]
fn a17_a_stale_copy_of_what_was_undone_since_is_refused() {
    let mut page = page();
    let e1 = page.edit("agent", set("n", "/props/p", json!(2)));
    let undo = page.undo_clean(e1);
    let conflict = page.refused(e1, set("n", "/props/p", json!(2)));
    assert_eq!(conflict.kind, ConflictKind::Overwritten);
    assert_eq!(
        (conflict.version, conflict.actor.as_deref()),
        (Some(undo), Some("undoer"))
    );
    assert_eq!(
        (conflict.before, conflict.mine, conflict.theirs),
        (Some(json!(2)), Some(json!(2)), Some(json!(1)))
    );
    page.edit_from("agent", undo, set("n", "/props/p", json!(2)));
    assert_eq!(page.prop("n", "p"), Some(json!(2)));
}

#[test]
fn b22_two_moves_that_would_make_a_cycle() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "a", "parentId": "b"}]));
    let conflict = page.refused(0, json!([{"op": "moveNode", "id": "b", "parentId": "a"}]));
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::Cycle, Some(e1)));
    assert_eq!(conflict.mine, Some(json!("a")));
}

#[test]
fn c2_two_runs_at_one_place_have_distinct_keys_and_stay_together() {
    let run = |ids: [&str; 3]| {
        let mut ops = Vec::new();
        let mut placement = json!({"after": "n"});
        for id in ids {
            ops.push(json!({"op": "addNode", "node": {"id": id, "type": "shape"}, "placement": placement}));
            placement = json!({"after": id});
        }
        Json::Array(ops)
    };
    let mut page = page();
    page.edit("A", run(["x1", "x2", "x3"]));
    page.edit_from("B", 0, run(["y1", "y2", "y3"]));
    assert_eq!(page.children(None)[..7], ["n", "y1", "y2", "y3", "x1", "x2", "x3"]);
    let Value::Design(value) = page.head() else { panic!() };
    let mut keys: Vec<_> = value.tree().map(|node| node.order().clone()).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), value.len());
}

#[test]
fn c2_keys_that_the_base_gave_are_made_anew_where_their_gap_was_filled() {
    let page = page();
    let mut mine = page.head().clone();
    let run = json!([
        {"op": "addNode", "node": {"id": "y1", "type": "shape"}, "placement": {"after": "n"}},
        {"op": "addNode", "node": {"id": "y2", "type": "shape"}, "placement": {"after": "y1"}},
    ]);
    mine.apply(&Delta::from_json(page.head().kind(), &run).unwrap())
        .unwrap();
    let keyed = page.head().diff(&mine).unwrap().to_json();
    let mut page = page;
    let other = json!([
        {"op": "addNode", "node": {"id": "x1", "type": "shape"}, "placement": {"after": "n"}},
        {"op": "addNode", "node": {"id": "x2", "type": "shape"}, "placement": {"after": "x1"}},
    ]);
    page.edit("A", other);
    page.edit_from("B", 0, keyed);
    assert_eq!(page.children(None)[..6], ["n", "x1", "x2", "y1", "y2", "m"]);
}

#[test]
fn c6_a_change_of_order_survives_a_stale_write_elsewhere() {
    let mut page = page();
    page.edit("A", json!([{"op": "moveNode", "id": "n", "placement": "last"}]));
    page.edit_from(
        "B",
        0,
        json!([
            {"op": "setNode", "id": "m", "set": {"/props/x": 1}},
            {"op": "moveNode", "id": "n", "geometry": {"x": 4}},
        ]),
    );
    assert_eq!(page.children(None), ["m", "a", "b", "n"]);
    assert_eq!(page.at("/nodes/n/geometry/x"), Some(json!(4)));
    let conflict = page.refused(0, json!([{"op": "moveNode", "id": "n", "placement": {"after": "m"}}]));
    assert_eq!(
        (conflict.kind, conflict.pointer.as_str()),
        (ConflictKind::MovedSince, "/order")
    );
}

#[test]
fn d4_a_stale_merge_of_other_fields_keeps_the_users_padding() {
    let mut page = page();
    page.edit("user", set("n", "/props/padding", json!(8)));
    page.edit_from("agent", 0, set("n", "/props/p", json!(2)));
    assert_eq!(page.at("/nodes/n/props"), Some(json!({"p": 2, "padding": 8})));
    let conflict = page.refused(0, set("n", "/props/padding", json!(4)));
    assert_eq!(
        (conflict.kind, conflict.actor.as_deref()),
        (ConflictKind::Overwritten, Some("user"))
    );
}

#[test]
fn d10_an_edit_of_what_was_removed_since_does_not_create_it_again() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "removeNode", "id": "n"}]));
    for ops in [
        set("n", "/props/p", json!(5)),
        json!([{"op": "moveNode", "id": "n", "geometry": {"x": 1}}]),
        json!([{"op": "addToSet", "id": "n", "pointer": "/props/tags", "values": [1]}]),
    ] {
        let conflict = page.refused(0, ops);
        assert_eq!(
            (conflict.kind, conflict.version),
            (ConflictKind::TargetRemoved, Some(e1))
        );
    }
    let again = json!([{"op": "addNode", "node": {"id": "n", "type": "shape"}}]);
    assert_eq!(page.refused(0, again.clone()).kind, ConflictKind::IdTaken);
    // Also where the node was removed before the base.
    page.edit("A", set("m", "/props/p", json!(5)));
    let existed = |id: &str| id == "n";
    let options = Options {
        existed: Some(&existed),
        ..Options::default()
    };
    let conflicts = page.rebased(1, again, &options).unwrap_err();
    assert_eq!(conflicts[0].kind, ConflictKind::IdTaken);
}
