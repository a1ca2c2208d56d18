//! Faults that random histories have found, each as small as it can be.

use serde_json::json;

use crate::page::{KEEP, Page, RESTORE};

fn page() -> Page {
    Page::design(&json!({"nodes": [
        {"id": "n", "type": "text", "props": {"x": 0, "text": "ab"}},
        {"id": "g", "type": "group"},
        {"id": "m", "type": "shape", "geometry": {"x": 1}},
    ]}))
}

/// What a node was created with is no part of its creator's edits: the undo of the creation takes no letter out first.
#[test]
fn r1_the_text_of_a_creation_is_there_from_the_start() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            {"op": "addNode", "node": {"id": "t", "type": "text", "props": {"text": "new"}}},
            {"op": "editText", "id": "t", "pointer": "/props/text", "delta": [{"insert": "A"}]},
        ]),
    );
    page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 1}}]));
    page.undo_clean(e1);
    assert!(!page.has("t"));
}

/// An event undone twice does not come back when one of the two undos is undone.
#[test]
fn r2_an_event_undone_twice_stays_undone() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "m", "geometry": {"x": 5}}]));
    let undo = page.undo_clean(e1);
    let redo = page.undo_clean(undo);
    let again = page.undo_clean(e1);
    page.undo_clean(redo);
    page.undo(again);
    assert_eq!(page.at("/nodes/m/geometry/x"), Some(json!(1)));
}

/// An undo that found its field as it should be has not changed it; its redo sets it all the same.
#[test]
fn r3_a_redo_sets_what_its_undo_had_found_done() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 1}}]));
    let e2 = page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 0}}]));
    let undo = page.undo_clean(e1);
    page.undo_clean(e2);
    assert_eq!(page.prop("n", "x"), Some(json!(0)), "nobody who stands has set it");
    page.undo_clean(undo);
    assert_eq!(page.prop("n", "x"), Some(json!(1)));
}

/// What an event set in a node that it created itself goes back to what it was created with.
#[test]
fn r4_a_field_set_at_birth_is_set_again_by_the_redo() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            {"op": "addNode", "node": {"id": "t", "type": "text", "props": {"x": 5}}},
            {"op": "setNode", "id": "t", "set": {"/props/x": 4}},
        ]),
    );
    let e2 = page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 1}}]));
    let undo2 = page.undo_clean(e2);
    let undo1 = page.undo_clean(e1);
    page.undo_clean(undo1);
    assert_eq!(page.prop("t", "x"), Some(json!(4)));
    page.undo_clean(undo2);
    assert!(page.is_as_at(e2));
}

/// A text that one event edits and sets as a whole is set back once, not edited on top of that.
#[test]
fn r5_a_text_edited_and_set_in_one_event_goes_back_once() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            {"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"delete": 1}]},
            {"op": "setNode", "id": "n", "set": {"/props/text": "AA"}},
        ]),
    );
    page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 1}}]));
    page.undo_clean(e1);
    assert_eq!(page.prop("n", "text"), Some(json!("ab")));
}

/// A key that one event takes out and puts in again returns to its old place among the keys.
#[test]
fn r6_a_key_touched_twice_returns_to_its_place() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            {"op": "setNode", "id": "n", "unset": ["/props/x"]},
            {"op": "setNode", "id": "n", "set": {"/props/x": 2}},
        ]),
    );
    let e2 = page.edit("A", json!([{"op": "setNode", "id": "m", "set": {"/props/x": 1}}]));
    page.undo_clean(e2);
    page.undo_clean(e1);
    assert!(page.is_as_at(0));
}

/// A move below another parent whose undo stood in somebody's way has not been undone there: the numbers set since
/// go back to those of that parent.
#[test]
fn r7_an_undo_that_could_not_move_a_node_leaves_its_place_to_who_brought_it() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([{"op": "moveNode", "id": "m", "parentId": "g", "geometry": {"x": 7}}]),
    );
    let e2 = page.edit("B", json!([{"op": "moveNode", "id": "m", "geometry": {"x": 9}}]));
    assert_eq!(page.undo(e1).conflicts.len(), 1);
    page.undo_clean(e2);
    assert_eq!(page.at("/nodes/m/geometry/x"), Some(json!(7)));
    assert_eq!(page.at("/nodes/m/parentId"), Some(json!("g")));
}

/// Whoever sets a text as a whole to what it was once before has replaced it all the same, however far the history goes.
#[test]
fn r8_a_text_set_to_an_older_text_is_replaced() {
    let mut page = page();
    page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/text": "c"}}]));
    let e2 = page.edit(
        "A",
        json!([{"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"insert": "A"}]}]),
    );
    page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/text": "c"}}]));
    page.plan(&[e2], KEEP).unwrap();
}

/// A key that one event takes out and puts in again with the same value goes back to its place; and a redo puts it behind
/// the others again.
#[test]
fn r9_a_key_put_in_again_unchanged_goes_back_to_its_place() {
    let mut page = Page::design(&json!({
        "attributes": {"b": 0, "c": 1},
        "nodes": [{"id": "n", "type": "text", "props": {"x": 0, "text": "ab"}}],
    }));
    let again = |op: &str, id: Option<&str>, key: &str| {
        let ops = json!([{"op": op, "unset": [key]}, {"op": op, "set": {key: 0}}]);
        let mut ops = ops.as_array().unwrap().clone();
        if let Some(id) = id {
            ops.iter_mut().for_each(|op| op["id"] = json!(id));
        }
        json!(ops)
    };
    let e1 = page.edit("A", again("setAttributes", None, "/b"));
    let e2 = page.edit("A", again("setNode", Some("n"), "/props/x"));
    let e3 = page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/y": 1}}]));
    let undo3 = page.undo_clean(e3);
    let undo2 = page.undo_clean(e2);
    assert!(page.is_as_at(e1));
    let undo1 = page.undo_clean(e1);
    assert!(page.is_as_at(0));
    for (undo, edit) in [(undo1, e1), (undo2, e2), (undo3, e3)] {
        page.undo_clean(undo);
        assert!(page.is_as_at(edit), "redo of {edit}");
    }
}

/// An element that one event takes out and puts in again goes back to its place too.
#[test]
fn r10_an_element_put_in_again_goes_back_to_its_place() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "text", "props": {"tags": [1, 2], "x": 0}}]}));
    let e1 = page.edit(
        "A",
        json!([
            {"op": "removeFromSet", "id": "n", "pointer": "/props/tags", "values": [1]},
            {"op": "addToSet", "id": "n", "pointer": "/props/tags", "values": [1, 0]},
        ]),
    );
    let e2 = page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 1}}]));
    let undo2 = page.undo_clean(e2);
    let undo1 = page.undo_clean(e1);
    assert!(page.is_as_at(0));
    page.undo_clean(undo1);
    assert!(page.is_as_at(e1));
    page.undo_clean(undo2);
    assert!(page.is_as_at(e2));
}

/// A node whose removal is undone is in its old life again, also where it had another since: what was set in the old one
/// goes back, what was set in the other does not.
#[test]
fn r11_a_node_returns_to_the_life_that_its_removal_ended() {
    let mut page = page();
    let node = |x: u64| json!({"op": "addNode", "node": {"id": "t", "type": "text", "props": {"x": x, "text": "ab"}}});
    page.edit("B", json!([node(0)]));
    let e2 = page.edit(
        "A",
        json!([
            {"op": "setNode", "id": "t", "set": {"/props/tags": []}},
            {"op": "addToSet", "id": "t", "pointer": "/props/tags", "values": [1, 2]},
            {"op": "setNode", "id": "t", "set": {"/props/x": 7}},
            {"op": "moveNode", "id": "t", "geometry": {"x": 3}},
            {"op": "editText", "id": "t", "pointer": "/props/text", "delta": [{"retain": 2}, {"insert": "c"}]},
        ]),
    );
    let e3 = page.edit("A", json!([{"op": "removeNode", "id": "t"}]));
    let e4 = page.edit("A", json!([node(5)]));
    let e5 = page.edit("A", json!([{"op": "setNode", "id": "t", "set": {"/props/x": 6}}]));
    let undos = [e5, e4, e3, e2].map(|edit| {
        let undo = page.undo_clean(edit);
        assert!(page.is_as_at(edit - 1), "undo of {edit}");
        (undo, edit)
    });
    for (undo, edit) in undos.into_iter().rev() {
        page.undo_clean(undo);
        assert!(page.is_as_at(edit), "redo of {edit}");
    }
}

/// The redo of an undo that has left a field to whoever had overwritten it leaves it to them too.
#[test]
fn r12_a_redo_changes_no_field_that_its_undo_had_left() {
    let mut page = page();
    let e1 = page.edit("A", json!([{"op": "setNode", "id": "n", "unset": ["/props/x"]}]));
    let undo1 = page.undo_clean(e1);
    let e3 = page.edit(
        "B",
        json!([
            {"op": "setNode", "id": "n", "set": {"/props/x": 3, "/props/y": 1}},
        ]),
    );
    page.undo_as("A", &[undo1], RESTORE);
    assert_eq!(page.prop("n", "x"), None);
    page.undo_as("B", &[e3], RESTORE);
    let undo3 = page.version();
    page.edit("C", json!([{"op": "setNode", "id": "m", "set": {"/props/x": 1}}]));
    let plan = page.undo_as("B", &[undo3], RESTORE);
    assert!(plan.notes.is_empty() && plan.conflicts.is_empty(), "{plan:?}");
    assert_eq!(page.prop("n", "x"), None);
    assert_eq!(page.prop("n", "y"), Some(json!(1)));
}

/// A sheet that was set by an event undone twice keeps what is there when one of the two undos is undone.
#[test]
fn r13_a_sheet_set_by_an_event_undone_twice_stays_as_it_is() {
    let sheet = |value: u64| json!([{"op": "replaceSheet", "value": {"a": value}}]);
    let mut page = Page::new(recto_projections::Kind::Sheet, &json!({"a": 0}));
    let e1 = page.edit("A", sheet(1));
    let undo = page.undo_clean(e1);
    let redo = page.undo_clean(undo);
    let again = page.undo_clean(e1);
    page.undo_clean(redo);
    page.undo(again);
    assert_eq!(page.json(), json!({"a": 0}));
}

/// A node that is back in its old life stays away once the creation of that is undone, whatever was created since.
#[test]
fn r14_a_creation_undone_counts_for_the_life_that_it_began() {
    let mut page = page();
    let node = json!([{"op": "addNode", "node": {"id": "t", "type": "text"}}]);
    let e1 = page.edit("A", node.clone());
    let e2 = page.edit("A", json!([{"op": "removeNode", "id": "t"}]));
    let e3 = page.edit("A", node);
    page.undo_clean(e3);
    page.undo_clean(e2);
    let e6 = page.edit("A", json!([{"op": "removeNode", "id": "t"}]));
    page.undo(e1);
    let plan = page.undo(e6);
    assert!(!page.has("t"), "{plan:?}");
    assert_eq!(plan.conflicts.len(), 1, "{plan:?}");
}

/// What comes back inside a value comes back to its place: elements of a set, and keys of an object.
#[test]
fn r15_what_is_inside_a_value_comes_back_in_order() {
    let mut page = Page::design(&json!({"nodes": [
        {"id": "n", "type": "text", "props": {"tags": ["a", "b", 1.0], "x": 0}},
    ]}));
    let e1 = page.edit(
        "A",
        json!([
            {"op": "removeFromSet", "id": "n", "pointer": "/props/tags", "values": ["a", 1.0]},
            {"op": "setNode", "id": "n", "set": {"/props/tags": []}},
        ]),
    );
    let e2 = page.edit(
        "A",
        json!([
            {"op": "setNode", "id": "n", "set": {"/props/o": {"c": 0, "b": 1, "a": 2}}},
            {"op": "setNode", "id": "n", "unset": ["/props/o/c"]},
        ]),
    );
    let e3 = page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 1}}]));
    let undo3 = page.undo_clean(e3);
    let undo2 = page.undo_clean(e2);
    let undo1 = page.undo_clean(e1);
    assert!(page.is_as_at(0));
    for (undo, edit) in [(undo1, e1), (undo2, e2), (undo3, e3)] {
        page.undo_clean(undo);
        assert!(page.is_as_at(edit), "redo of {edit}");
    }
}

/// A key that one event puts in again behind the others stands there again after the redo, also where its undo was the
/// stored inverse.
#[test]
fn r16_a_redo_puts_a_key_behind_the_others_again() {
    let mut page = page();
    page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 3}}]));
    let e2 = page.edit("A", json!([{"op": "setNode", "id": "n", "set": {"/props/b": 2}}]));
    let e3 = page.edit(
        "A",
        json!([
            {"op": "setNode", "id": "n", "unset": ["/props/x"]},
            {"op": "setNode", "id": "n", "set": {"/props/x": 3}},
        ]),
    );
    let undo3 = page.undo_clean(e3);
    let undo2 = page.undo_clean(e2);
    page.undo_clean(undo2);
    assert!(page.is_as_at(e2));
    page.undo_clean(undo3);
    assert!(page.is_as_at(e3));
}

/// Whoever takes a value out and puts the same in again has not set it: it goes with the one who did.
#[test]
fn r17_a_value_put_in_again_belongs_to_who_set_it() {
    let mut page = page();
    page.edit("A", json!([{"op": "setNode", "id": "n", "unset": ["/props/x"]}]));
    let e2 = page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/x": 2}}]));
    // Another key behind it, so that to put it in again changes its place.
    page.edit("B", json!([{"op": "setNode", "id": "n", "set": {"/props/y": 1}}]));
    page.edit(
        "C",
        json!([
            {"op": "setNode", "id": "n", "unset": ["/props/x"]},
            {"op": "setNode", "id": "n", "set": {"/props/x": 2}},
        ]),
    );
    let e5 = page.edit("C", json!([{"op": "setNode", "id": "n", "unset": ["/props/x"]}]));
    page.edit("C", json!([{"op": "setNode", "id": "m", "set": {"/props/x": 1}}]));
    page.undo_clean(e2);
    page.undo_clean(e5);
    assert_eq!(page.prop("n", "x"), None);
}
