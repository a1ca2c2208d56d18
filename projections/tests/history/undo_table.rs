//! The table of undo, row by row, and what an undo is refused with.

use recto_projections::rebase::{Nature, Standing, reach};
use recto_projections::undo::{Lives, Outcome, Policy, SkipReason, UndoError, UndoNoteKind};
use recto_projections::{Delta, Json, Value};
use serde_json::json;

use crate::page::{FORCE, How, KEEP, Page, RESTORE, codes};

const ABORT: How = How {
    policy: Policy::Abort,
    force: false,
};

fn page() -> Page {
    Page::design(&json!({
        "attributes": {"title": "t", "style": {"a": 1, "b": 2}},
        "nodes": [
            {"id": "n", "type": "shape", "props": {"p": 1, "style": {"color": "red"}}},
            {"id": "f", "type": "frame"},
            {"id": "g", "type": "group"},
        ],
    }))
}

fn set(id: &str, pointer: &str, value: Json) -> Json {
    json!([{"op": "setNode", "id": id, "set": {pointer: value}}])
}

fn shift(id: &str, geometry: Json) -> Json {
    json!([{"op": "moveNode", "id": id, "geometry": geometry}])
}

#[test]
fn a_field_that_has_the_old_value_again_is_no_conflict() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    page.edit("B", set("n", "/props/p", json!(1)));
    let undo = page.undo(e1);
    assert_eq!((undo.outcome, codes(&undo)), (Outcome::Noop, vec![]));
}

#[test]
fn an_overwritten_field_stays_is_restored_or_refuses_the_undo() {
    let mut page = page();
    let both = json!([{"op": "setNode", "id": "n", "set": {"/props/p": 2, "/props/q": 2}}]);
    let e1 = page.edit("A", both);
    let e2 = page.edit("B", set("n", "/props/p", json!(3)));
    let kept = page.plan(&[e1], KEEP).unwrap();
    assert_eq!((codes(&kept), kept.outcome), (vec!["overwritten"], Outcome::Partial));
    let conflict = &kept.conflicts[0];
    assert_eq!((conflict.target, conflict.pointer.as_str()), (e1, "/props/p"));
    assert_eq!((&conflict.wanted, &conflict.now), (&Some(json!(1)), &Some(json!(3))));
    assert_eq!((conflict.version, conflict.actor.as_deref()), (Some(e2), Some("B")));
    assert_eq!(
        conflict.to_json(),
        json!({
            "event": 1, "code": "overwritten", "detail": conflict.kind.to_string(), "node": "n", "pointer": "/props/p",
            "wanted": 1, "now": 3, "version": 2, "actor": "B",
        })
    );
    let refused = page.plan(&[e1], ABORT).unwrap_err();
    assert_eq!(
        refused,
        UndoError::Aborted {
            conflicts: kept.conflicts
        }
    );
    let restored = page.undo_as("A", &[e1], RESTORE);
    assert_eq!(
        (restored.outcome, restored.notes[0].kind),
        (Outcome::Applied, UndoNoteKind::Restored)
    );
    assert_eq!(
        page.at("/nodes/n/props"),
        Some(json!({"p": 1, "style": {"color": "red"}}))
    );
}

#[test]
fn an_edit_and_its_undo_in_between_are_in_nobodys_way() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    let e2 = page.edit("B", set("n", "/props/p", json!(3)));
    page.undo_clean(e2);
    page.undo_clean(e1);
    assert_eq!(page.prop("n", "p"), Some(json!(1)));
}

#[test]
fn another_who_writes_the_same_value_again_owns_it() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    page.edit("B", set("n", "/props/p", json!(3)));
    page.edit("B", set("n", "/props/p", json!(2)));
    assert_eq!(codes(&page.undo(e1)), ["overwritten"]);
    assert_eq!(page.prop("n", "p"), Some(json!(2)));
}

#[test]
fn a_removed_node_is_skipped_and_not_brought_back() {
    let mut page = page();
    let ops = json!([
        {"op": "setNode", "id": "n", "set": {"/props/p": 2}},
        {"op": "setNode", "id": "f", "set": {"/props/p": 2}},
    ]);
    let e1 = page.edit("A", ops);
    page.edit("B", json!([{"op": "removeNode", "id": "n"}]));
    let undo = page.undo(e1);
    assert_eq!(undo.outcome, Outcome::Partial);
    assert_eq!(
        (undo.skipped[0].reason, undo.skipped[0].pointer.as_str()),
        (SkipReason::Removed, "/props/p")
    );
    assert_eq!(
        undo.skipped[0].to_json(),
        json!({"event": 1, "code": "removed", "node": "n", "pointer": "/props/p"})
    );
    assert!(!page.has("n"));
    assert_eq!(page.prop("f", "p"), None);
}

#[test]
fn a_created_node_that_others_edited_goes_only_by_force() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "new", "type": "group"}}]));
    page.edit("B", set("new", "/props/p", json!(1)));
    page.edit("B", json!([{"op": "moveNode", "id": "n", "parentId": "new"}]));
    assert_eq!(codes(&page.plan(&[e1], KEEP).unwrap()), ["edited_since"]);
    assert_eq!(codes(&page.plan(&[e1], RESTORE).unwrap()), ["edited_since"]);
    let undo = page.undo_as("A", &[e1], FORCE);
    assert_eq!(undo.notes[0].kind, UndoNoteKind::Forced);
    assert!(!page.has("new") && !page.has("n"));
    let forced = page.version();
    page.undo_clean(forced);
    assert!(page.is_as_at(3), "the inverse keeps everything");
}

#[test]
fn a_created_node_that_another_moved_in_the_order_was_edited() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "new", "type": "shape"}}]));
    page.edit("B", json!([{"op": "moveNode", "id": "new", "placement": "first"}]));
    assert_eq!(codes(&page.plan(&[e1], KEEP).unwrap()), ["edited_since"]);
}

#[test]
fn a_rebalance_is_nobodys_edit_and_does_not_lose_a_place() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([{"op": "addNode", "node": {"id": "new", "type": "shape"}, "placement": "first"}]),
    );
    let e2 = page.edit("A", json!([{"op": "moveNode", "id": "n", "placement": {"after": "f"}}]));
    let e3 = page.edit("A", json!([{"op": "removeNode", "id": "f"}]));
    page.edit(
        "B",
        json!([{"op": "addNode", "node": {"id": "b", "type": "shape"}, "placement": {"before": "g"}}]),
    );
    assert_eq!(page.children(None), ["new", "n", "b", "g"]);
    let Value::Design(value) = page.head() else { panic!() };
    let rebalance = Delta::Design(value.rebalance(None));
    assert!(!rebalance.is_empty());
    page.append("system", &rebalance, Nature::Rebalance, &[]);
    page.undo_clean(e3);
    assert_eq!(
        page.children(None).iter().filter(|id| *id != "b").collect::<Vec<_>>(),
        ["new", "f", "n", "g"]
    );
    page.undo_clean(e2);
    assert_eq!(
        page.children(None).iter().filter(|id| *id != "b").collect::<Vec<_>>(),
        ["new", "n", "f", "g"]
    );
    page.undo_clean(e1);
    assert!(!page.has("new"));
}

#[test]
fn fields_of_a_place_go_back_one_by_one_while_the_parent_stays() {
    let mut page = page();
    let e1 = page.edit("A", shift("n", json!({"x": 1, "y": 1})));
    page.edit("B", shift("n", json!({"y": 2, "width": 2})));
    let undo = page.undo(e1);
    assert_eq!(codes(&undo), ["moved_since"]);
    assert_eq!(undo.conflicts[0].pointer, "/geometry/y");
    assert_eq!(
        page.at("/nodes/n/geometry"),
        Some(json!({"x": 0, "y": 2, "width": 2, "height": 0, "rotation": 0}))
    );
}

#[test]
fn a_parent_and_a_geometry_never_mix() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([{"op": "moveNode", "id": "n", "parentId": "f", "geometry": {"x": 5}}]),
    );
    page.edit("B", shift("n", json!({"y": 7})));
    for how in [KEEP, RESTORE] {
        let undo = page.plan(&[e1], how).unwrap();
        assert_eq!((codes(&undo), undo.outcome), (vec!["moved_since"], Outcome::Noop));
    }
    let mut page = self::page();
    let e1 = page.edit("A", shift("n", json!({"x": 5})));
    page.edit("B", json!([{"op": "moveNode", "id": "n", "parentId": "f"}]));
    let undo = page.plan(&[e1], RESTORE).unwrap();
    assert_eq!((codes(&undo), undo.outcome), (vec!["moved_since"], Outcome::Noop));
}

#[test]
fn a_move_back_that_would_make_a_cycle_is_a_conflict() {
    let mut page = Page::design(&json!({"nodes": [
        {"id": "a", "type": "group"},
        {"id": "b", "type": "group", "parentId": "a"},
    ]}));
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "b", "parentId": null}]));
    let e2 = page.edit("B", json!([{"op": "moveNode", "id": "a", "parentId": "b"}]));
    let undo = page.undo(e1);
    assert_eq!(codes(&undo), ["cycle"]);
    assert_eq!(undo.conflicts[0].version, Some(e2));
}

#[test]
fn whole_objects_and_their_parts_know_each_other() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/style", json!({"color": "red", "width": 2})));
    page.edit("B", set("n", "/props/style/color", json!("blue")));
    assert_eq!(codes(&page.plan(&[e1], KEEP).unwrap()), ["overwritten"]);
    let mut page = self::page();
    let e1 = page.edit("A", set("n", "/props/style/color", json!("blue")));
    page.edit("B", set("n", "/props/style", json!({"color": "blue", "width": 2})));
    page.undo_clean(e1);
    assert_eq!(
        page.prop("n", "style"),
        Some(json!({"color": "red", "width": 2})),
        "B has not changed the color"
    );
    let mut page = self::page();
    let e1 = page.edit("A", set("n", "/props/style/color", json!("blue")));
    page.edit("B", json!([{"op": "setNode", "id": "n", "unset": ["/props/style"]}]));
    assert_eq!(
        codes(&page.plan(&[e1], RESTORE).unwrap()),
        ["overwritten"],
        "there is nothing to set it in"
    );
}

#[test]
fn attributes_go_back_like_properties() {
    let mut page = page();
    let ops = json!([{"op": "setAttributes", "set": {"/title": "u", "/style/a": 9}, "unset": ["/style/b"]}]);
    let e1 = page.edit("A", ops);
    page.edit("B", json!([{"op": "setAttributes", "set": {"/title": "v"}}]));
    let undo = page.undo(e1);
    assert_eq!(codes(&undo), ["overwritten"]);
    assert_eq!(undo.conflicts[0].to_json()["attributes"], json!(true));
    assert_eq!(
        page.at("/attributes"),
        Some(json!({"title": "v", "style": {"a": 1, "b": 2}}))
    );
}

#[test]
fn backgrounds_come_back_to_their_places_and_stay_when_others_use_them() {
    let add = |id: &str| json!([{"op": "addBackground", "background": {"id": id, "type": "color"}}]);
    let ids = |page: &Page| -> Vec<String> {
        let list = page.at("/attributes/backgrounds").unwrap_or_default();
        list.as_array()
            .into_iter()
            .flatten()
            .map(|json| json["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let mut page = page();
    let e1 = page.edit("A", add("b1"));
    page.edit("B", add("b2"));
    let e3 = page.edit("B", add("b3"));
    let e4 = page.edit("A", json!([{"op": "removeBackground", "id": "b2"}]));
    page.edit(
        "B",
        json!([{"op": "setBackground", "id": "b3", "set": {"/color": "red"}}]),
    );
    page.undo_clean(e4);
    assert_eq!(ids(&page), ["b1", "b2", "b3"]);
    page.undo_clean(e1);
    assert_eq!(ids(&page), ["b2", "b3"]);
    assert_eq!(codes(&page.undo(e3)), ["edited_since"]);
    let e5 = page.edit("A", json!([{"op": "moveBackground", "id": "b3", "placement": "first"}]));
    page.edit("B", json!([{"op": "moveBackground", "id": "b3", "placement": "last"}]));
    assert_eq!(codes(&page.undo(e5)), ["moved_since"]);
}

#[test]
fn an_element_that_another_put_back_is_theirs() {
    let mut page = page();
    let tag = |op: &str| json!([{"op": op, "id": "n", "pointer": "/props/tags", "values": ["t"]}]);
    let e1 = page.edit("A", tag("addToSet"));
    page.edit("B", tag("removeFromSet"));
    page.edit("B", tag("addToSet"));
    page.undo_clean(e1);
    assert_eq!(page.prop("n", "tags"), Some(json!(["t"])));
}

#[test]
fn an_element_that_an_undone_edit_put_in_does_not_come_back() {
    let mut page = page();
    let tag = |op: &str| json!([{"op": op, "id": "n", "pointer": "/props/tags", "values": ["t"]}]);
    let e1 = page.edit("A", tag("addToSet"));
    let e2 = page.edit("B", tag("removeFromSet"));
    page.undo_clean(e1);
    page.undo_clean(e2);
    assert!(page.is_as_at(0));
}

#[test]
fn what_is_not_there_to_undo_is_refused() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    assert_eq!(page.plan(&[7], KEEP), Err(UndoError::UnknownTarget { version: 7 }));
    page.undo_clean(e1);
    assert_eq!(page.plan(&[e1], KEEP), Err(UndoError::AlreadyUndone { version: e1 }));
}

#[test]
fn what_is_undone_follows_from_the_stream() {
    let events: [(u64, &[u64]); 5] = [(1, &[]), (2, &[]), (3, &[1, 2]), (4, &[3]), (5, &[2])];
    let standing = Standing::of(events);
    assert_eq!(
        [1, 2, 3, 4, 5].map(|version| standing.is_undone(version)),
        [false, true, true, false, false]
    );
    assert_eq!(reach(&[5], 5, events), Some(5), "the newest needs nothing else");
    assert_eq!(reach(&[4], 5, events), Some(1), "3 is undone by it, and takes back 1");
    assert_eq!(reach(&[2], 2, events), Some(2));
    assert_eq!(reach(&[], 5, events), None);
}

#[test]
fn lives_follow_from_the_stream() {
    let add = Delta::from_json(
        recto_projections::Kind::Design,
        &json!([{"op": "addNode", "node": {"id": "n", "type": "x"}}]),
    );
    let add = add.unwrap();
    let mut lives = Lives::default();
    assert!(!lives.existed("n"));
    lives.take(3, &[], &add);
    lives.take(5, &[4], &add);
    assert_eq!(lives.created("n"), Some(3), "what comes back goes on living");
    assert!(lives.creation_undone("n", &Standing::of([(6, &[3_u64][..])])));
    assert!(!lives.creation_undone("n", &Standing::of([(6, &[4_u64][..])])));
    lives.take(7, &[], &add);
    assert_eq!(lives.created("n"), Some(7));
}
