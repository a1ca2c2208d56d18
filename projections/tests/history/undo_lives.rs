//! Faults that random histories have found where things come and go: nodes, backgrounds, lists, and what names them.

use recto_projections::Json;
use recto_projections::undo::Outcome;
use serde_json::json;

use crate::page::{FORCE, KEEP, Page, RESTORE, codes};

pub(crate) fn page() -> Page {
    Page::design(&json!({"nodes": [
        {"id": "n", "type": "text", "props": {"x": 0, "text": "ab", "tags": [1, 2], "boundTo": "q"}},
        {"id": "g", "type": "group"},
        {"id": "m", "type": "shape", "geometry": {"x": 1}},
    ]}))
}

fn set(id: &str, pointer: &str, value: Json) -> Json {
    json!({"op": "setNode", "id": id, "set": {pointer: value}})
}

pub(crate) fn add(id: &str, x: u64) -> Json {
    json!({"op": "addNode", "node": {"id": id, "type": "text", "props": {"x": x}}})
}

pub(crate) fn remove(id: &str) -> Json {
    json!({"op": "removeNode", "id": id})
}

/// Somebody else's edit, so that an undo is no stored inverse.
pub(crate) fn elsewhere(page: &mut Page) -> u64 {
    page.edit("B", json!([set("m", "/props/z", json!(1))]))
}

/// What one event did to a node before it took it away and made another of the same id is taken back in the node that comes
/// back, and what it did to the other goes with that.
#[test]
fn r18_a_node_made_anew_in_one_event_goes_back_to_the_one_before() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            set("n", "/props/x", json!(1)),
            {"op": "editText", "id": "n", "pointer": "/props/text", "delta": [{"insert": "A"}]},
            {"op": "moveNode", "id": "n", "geometry": {"x": 5}},
            remove("n"),
            add("n", 9),
            set("n", "/props/x", json!(4)),
        ]),
    );
    let e2 = elsewhere(&mut page);
    let undo = page.undo_clean(e1);
    page.undo_clean(e2);
    assert!(page.is_as_at(0));
    page.undo_clean(undo);
    assert_eq!(page.prop("n", "x"), Some(json!(4)));
    assert_eq!(page.prop("n", "text"), None);
}

/// What another has taken back in the node that comes back stays taken back.
#[test]
fn r19_a_node_that_comes_back_follows_who_stands_in_its_own_life() {
    let mut page = page();
    let e1 = page.edit("B", json!([set("n", "/props/x", json!(5))]));
    let e2 = page.edit("A", json!([set("n", "/props/x", json!(1)), remove("n"), add("n", 9)]));
    page.undo(e1);
    page.undo_clean(e2);
    assert_eq!(page.prop("n", "x"), Some(json!(0)));
}

/// A node that an event put on the page only for a while is none of its undo: one of the same id that another made stays.
#[test]
fn r20_a_node_that_was_there_for_a_while_is_not_taken_from_another() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            add("t", 1),
            set("t", "/props/y", json!(1)),
            remove("t"),
            set("n", "/props/x", json!(1))
        ]),
    );
    page.edit(
        "B",
        json!([{"op": "addNode", "node": {"id": "t", "type": "text", "props": {"x": 1, "y": 1}}}]),
    );
    let undo = page.undo_clean(e1);
    assert!(page.has("t"));
    assert_eq!(page.prop("n", "x"), Some(json!(0)));
    page.undo_clean(undo);
    assert_eq!(page.prop("n", "x"), Some(json!(1)));
}

/// A node of the same id in another life is somebody else's also where it looks the same: it goes only by force.
#[test]
fn r21_the_undo_of_a_creation_leaves_another_life_alone() {
    let mut page = page();
    let e1 = page.edit("A", json!([add("t", 1)]));
    page.edit("A", json!([remove("t")]));
    page.edit("B", json!([add("t", 1)]));
    let plan = page.plan(&[e1], KEEP).unwrap();
    assert_eq!((codes(&plan), plan.outcome), (vec!["edited_since"], Outcome::Noop));
    assert_eq!(plan.conflicts[0].actor.as_deref(), Some("B"));
    let then = page.version();
    page.undo_as("A", &[e1], FORCE);
    assert!(!page.has("t"));
    page.undo_clean(page.version());
    assert!(page.is_as_at(then));
}

/// What the event did itself to the node that it created need not go back first, and so can stand in nobody's way.
#[test]
fn r22_a_creation_is_undone_wherever_its_event_put_the_node_first() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([
            {"op": "addNode", "node": {"id": "t", "type": "text", "parentId": "g"}},
            {"op": "moveNode", "id": "t", "parentId": null},
        ]),
    );
    page.edit("B", json!([remove("g")]));
    page.undo_clean(e1);
    assert!(!page.has("t"));
}

/// A background has lives as a node has: what it was added with is there from the start, and it comes back to its own life.
#[test]
fn r23_a_background_set_by_the_event_that_added_it_goes_with_it() {
    let mut page = page();
    let background =
        |color: u64| json!({"op": "addBackground", "background": {"id": "b", "type": "color", "color": color}});
    let color = |color: u64| json!({"op": "setBackground", "id": "b", "set": {"/color": color}});
    let gone = json!({"op": "removeBackground", "id": "b"});
    let edits = [
        page.edit("A", json!([background(1), color(2)])),
        page.edit("A", json!([gone])),
        page.edit("A", json!([background(7)])),
        page.edit("A", json!([color(8), gone, background(9), color(3)])),
        page.edit("A", json!([set("n", "/props/x", json!(1))])),
    ];
    let mut undos = Vec::new();
    for edit in edits.into_iter().rev() {
        undos.push((page.undo_clean(edit), edit));
        assert!(page.is_as_at(edit - 1), "undo of {edit}");
    }
    for (undo, edit) in undos.into_iter().rev() {
        page.undo_clean(undo);
        assert!(page.is_as_at(edit), "redo of {edit}");
    }
}

/// A list that an event made and set to something else has not been made by it, all in all.
#[test]
fn r24_a_list_made_and_overwritten_by_one_event_goes() {
    for value in [json!(null), json!("s"), json!({"k": 1})] {
        let mut page = page();
        let e1 = page.edit(
            "A",
            json!([
                {"op": "addToSet", "id": "m", "pointer": "/props/tags", "values": ["a", "b"]},
                set("m", "/props/tags", value),
            ]),
        );
        let e2 = page.edit("A", json!([set("n", "/props/x", json!(1))]));
        let undo2 = page.undo_clean(e2);
        let undo1 = page.undo_clean(e1);
        assert!(page.is_as_at(0));
        page.undo_clean(undo1);
        assert!(page.is_as_at(e1));
        page.undo_clean(undo2);
        assert!(page.is_as_at(e2));
    }
}

/// Whoever takes a whole list away has overwritten what was in it, and what was not.
#[test]
fn r25_an_element_does_not_come_back_into_a_list_that_is_taken_away() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([{"op": "removeFromSet", "id": "n", "pointer": "/props/tags", "values": [1]}]),
    );
    page.edit("B", json!([{"op": "setNode", "id": "n", "unset": ["/props/tags"]}]));
    let kept = page.plan(&[e1], KEEP).unwrap();
    assert_eq!(codes(&kept), ["overwritten"]);
    let restored = page.undo_as("A", &[e1], RESTORE);
    assert_eq!((restored.conflicts.len(), restored.notes.len()), (0, 1));
    assert_eq!(page.prop("n", "tags"), Some(json!([1])));
    let undo = page.version();
    page.edit("C", json!([set("m", "/props/z", json!(1))]));
    page.undo_clean(undo);
    assert_eq!(page.prop("n", "tags"), None);
}

/// A property that named a node that was not there at the time may name it again.
#[test]
fn r26_a_property_may_name_again_what_was_not_there_then() {
    let mut page = page();
    let e1 = page.edit("A", json!([set("n", "/props/boundTo", json!("m"))]));
    let e2 = page.edit("A", json!([add("q", 1)]));
    let e3 = elsewhere(&mut page);
    page.undo_clean(e2);
    page.undo_clean(e1);
    page.undo_clean(e3);
    assert!(page.is_as_at(0));
}

/// A list that an edit had emptied, and that nobody who stands has made, is left empty again by the redo of that edit.
#[test]
fn r27_the_redo_of_a_removal_leaves_the_list_that_the_removal_left() {
    let background = |id: &str| json!({"op": "addBackground", "background": {"id": id, "type": "color"}});
    let element = |op: &str, value: u64| json!({"op": op, "id": "m", "pointer": "/props/tags", "values": [value]});
    let mut page = page();
    let e1 = page.edit("A", json!([background("b1"), element("addToSet", 1)]));
    page.edit("B", json!([background("b2"), element("addToSet", 2)]));
    page.undo_clean(e1);
    let e4 = page.edit(
        "B",
        json!([{"op": "removeBackground", "id": "b2"}, element("removeFromSet", 2)]),
    );
    let e5 = page.edit("B", json!([set("n", "/props/x", json!(1))]));
    page.undo_clean(e5);
    let undo = page.undo_clean(e4);
    page.undo_clean(undo);
    assert!(page.is_as_at(e4));
}

/// A redo leaves what its undo had left, also where nothing stands in its way any more.
#[test]
fn r28_a_redo_moves_nothing_that_its_undo_had_not_moved() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([{"op": "moveNode", "id": "m", "parentId": "g", "geometry": {"x": 7}}]),
    );
    let undo = page.undo_clean(e1);
    let e3 = page.edit("B", json!([remove("g")]));
    assert_eq!(codes(&page.undo(undo)), ["parent_removed"]);
    let redo = page.version();
    page.undo_clean(e3);
    let then = page.version();
    page.undo(redo);
    let again = page.version();
    page.undo_clean(again);
    assert!(page.is_as_at(then));
}

/// The list of backgrounds is made and unmade, never set back as a whole: what others have in it stands in nobody's way.
#[test]
fn r29_the_list_of_backgrounds_comes_back_around_those_of_others() {
    let background = |id: &str| json!({"op": "addBackground", "background": {"id": id, "type": "color"}});
    let mut page = page();
    page.edit(
        "A",
        json!([background("b1"), {"op": "setAttributes", "set": {"/t": 0}}]),
    );
    let e2 = page.edit(
        "A",
        json!([
            {"op": "removeBackground", "id": "b1"},
            {"op": "setAttributes", "set": {"/t": 1}, "unset": ["/backgrounds"]},
        ]),
    );
    page.edit("B", json!([background("b2")]));
    let plan = page.undo_as("A", &[e2], RESTORE);
    assert!(plan.conflicts.is_empty(), "{plan:?}");
    assert_eq!(page.at("/attributes/t"), Some(json!(0)));
    assert_eq!(page.at("/attributes/backgrounds").unwrap().as_array().unwrap().len(), 2);
}

/// A list that was there for another reason than that an event had made it stays when that event is undone.
#[test]
fn r30_a_list_goes_only_with_who_had_made_it() {
    let mut page = page();
    let background = json!({"op": "addBackground", "background": {"id": "b1", "type": "color"}});
    let gone = json!({"op": "removeBackground", "id": "b1"});
    let e1 = page.edit("A", json!([background]));
    let e2 = page.edit("C", json!([gone]));
    page.edit("B", json!([{"op": "setAttributes", "unset": ["/backgrounds"]}]));
    page.undo(e2);
    let undo2 = page.version();
    page.edit("C", json!([gone]));
    page.undo(undo2);
    let then = page.version();
    page.undo(e1);
    let undo1 = page.version();
    page.undo(undo1);
    assert!(page.is_as_at(then));
}

/// A list that a redo brings back comes back behind the same key, also where nobody who stands had made it.
#[test]
fn r31_a_list_comes_back_in_its_place_around_what_is_put_in() {
    let background = |id: &str| json!({"op": "addBackground", "background": {"id": id, "type": "color"}});
    let element = |value: u64| json!({"op": "addToSet", "id": "m", "pointer": "/props/tags", "values": [value]});
    let behind = json!([{"op": "setAttributes", "set": {"/z": 1}}, set("m", "/props/z", json!(1))]);
    let mut page = page();
    let e1 = page.edit("A", json!([background("b1"), element(1)]));
    let e2 = page.edit("B", json!([background("b2"), element(2)]));
    page.undo_clean(e1);
    page.edit("C", behind);
    let e5 = page.edit("C", json!([set("n", "/props/x", json!(1))]));
    let then = page.version();
    let undo5 = page.undo_clean(e5);
    let undo2 = page.undo_clean(e2);
    assert_eq!(page.at("/attributes/backgrounds"), None);
    assert_eq!(page.prop("m", "tags"), None);
    page.undo_clean(undo5);
    page.undo_clean(undo2);
    assert!(page.is_as_at(then));
}

/// What a redo left to the one who had overwritten it goes back to who stands once that one is taken back.
#[test]
fn r32_a_field_that_a_redo_had_left_is_not_left_by_whom_it_belonged_to() {
    let mut page = page();
    let e1 = page.edit(
        "A",
        json!([set("m", "/props/b", json!(2)), set("m", "/props/a", json!(1))]),
    );
    let unset = json!({"op": "setNode", "id": "m", "unset": ["/props/b"]});
    let e2 = page.edit("B", json!([unset, set("m", "/props/c", json!(1))]));
    let undo1 = page.undo_clean(e1);
    let redo1 = page.undo_clean(undo1);
    let undo1 = page.undo_clean(redo1);
    let undo2 = page.undo_clean(e2);
    let redo2 = page.undo_clean(undo2);
    page.undo_clean(undo1);
    assert_eq!(page.prop("m", "b"), None);
    page.undo_clean(redo2);
    assert_eq!(page.prop("m", "b"), Some(json!(2)));
}

/// A node that names itself, and is there when that comes back, is no missing one, though a later step takes it away.
#[test]
fn r33_a_property_may_name_what_a_later_step_takes_away() {
    let mut page = page();
    let e1 = page.edit("A", json!([add("t", 1)]));
    let e2 = page.edit("A", json!([set("t", "/props/targetId", json!("t"))]));
    let e3 = page.edit("A", json!([remove("t")]));
    elsewhere(&mut page);
    let all = page.plan(&[e1, e2, e3], KEEP).unwrap();
    assert!(all.conflicts.is_empty(), "{all:?}");
    let undo3 = page.undo_clean(e3);
    let undo2 = page.undo_clean(e2);
    let undo1 = page.undo_clean(e1);
    page.undo_clean(undo1);
    let plan = page.undo_by_steps("A", &[undo2, undo3], KEEP);
    assert!(plan.conflicts.is_empty(), "{plan:?}");
    assert!(!page.has("t"));
}

/// A list that an undo had found there, and so had not made, is left by the redo, though nobody who stands had made it.
#[test]
fn r34_a_redo_leaves_the_list_that_its_undo_had_found() {
    let background = |id: &str| json!({"op": "addBackground", "background": {"id": id, "type": "color"}});
    let gone = |id: &str| json!({"op": "removeBackground", "id": id});
    let mut page = page();
    let e1 = page.edit("A", json!([background("b1")]));
    let unset = json!({"op": "setAttributes", "unset": ["/backgrounds"]});
    let e2 = page.edit("C", json!([gone("b1"), unset]));
    let undo2 = page.undo_clean(e2);
    page.edit("B", json!([background("b2")]));
    let redo2 = page.undo_clean(undo2);
    page.edit("B", json!([gone("b2")]));
    let then = page.version();
    let undo2 = page.undo_clean(redo2);
    let undo1 = page.undo_clean(e1);
    page.undo_clean(undo1);
    page.undo_clean(undo2);
    assert!(page.is_as_at(then));
}
