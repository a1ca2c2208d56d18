//! The cases of selective undo with others' edits, by their ids.

use recto_projections::rebase::{OnOverwrite, Options};
use recto_projections::undo::{Outcome, SkipReason, UndoError};
use serde_json::json;

use crate::page::{FORCE, KEEP, Page, RESTORE, codes, remembers, whole_delta};

fn two_nodes() -> Page {
    Page::design(&json!({"nodes": [
        {"id": "n1", "type": "text", "props": {"text": "a"}},
        {"id": "n2", "type": "shape"},
    ]}))
}

fn set(id: &str, pointer: &str, value: serde_json::Value) -> serde_json::Value {
    json!({"op": "setNode", "id": id, "set": {pointer: value}})
}

#[test]
fn a1_undo_of_a_label_edit_leaves_later_blocks_alone() {
    let mut page = two_nodes();
    let e1 = page.edit("U", json!([set("n1", "/props/text", json!("b"))]));
    let add = json!({"op": "addNode", "node": {"id": "n3", "type": "shape"}});
    page.edit("agent", json!([set("n2", "/props/fill", json!("red")), add]));
    page.undo_clean(e1);
    assert_eq!(page.prop("n1", "text"), Some(json!("a")));
    assert_eq!(page.prop("n2", "fill"), Some(json!("red")));
    assert!(page.has("n3"));
    let inverse = page.events[0].inverse.to_json();
    assert_eq!(
        inverse,
        json!([{"op": "setNode", "id": "n1", "set": {"/props/text": "a"}}])
    );
}

#[test]
fn a2_undo_leaves_a_foreign_change_of_another_field_alone() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"c": "black"}}]}));
    let e1 = page.edit("A", json!([{"op": "moveNode", "id": "n", "geometry": {"x": 10}}]));
    page.edit("B", json!([set("n", "/props/c", json!("red"))]));
    page.undo_clean(e1);
    assert_eq!(page.at("/nodes/n/geometry/x"), Some(json!(0)));
    assert_eq!(page.prop("n", "c"), Some(json!("red")));
}

#[test]
fn a3_undo_of_ones_own_events_keeps_others_work() {
    let mut page = Page::design(&json!({}));
    let add = |id: &str| json!([{"op": "addNode", "node": {"id": id, "type": "shape"}}]);
    page.edit("B", add("text"));
    let e2 = page.edit("A", add("r1"));
    let e3 = page.edit("A", add("r2"));
    page.undo_clean(e3);
    assert!(page.has("r1") && !page.has("r2"));
    page.undo_clean(e2);
    assert_eq!(page.children(None), ["text"]);
    assert_eq!(page.plan(&[e2], KEEP), Err(UndoError::AlreadyUndone { version: e2 }));
    assert_eq!(page.plan(&[e3], KEEP), Err(UndoError::AlreadyUndone { version: e3 }));
}

#[test]
fn a5_undo_of_a_winning_concurrent_write_goes_to_the_value_it_won_over() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"x": 1}}]}));
    page.edit("A", json!([set("n", "/props/x", json!(2))]));
    let mine = Options {
        on_overwrite: OnOverwrite::Mine,
        ..Options::default()
    };
    let e2 = page.edit_with("B", 0, json!([set("n", "/props/x", json!(3))]), &mine);
    assert_eq!(page.prop("n", "x"), Some(json!(3)));
    page.undo_clean(e2);
    assert_eq!(page.prop("n", "x"), Some(json!(2)));
}

#[test]
fn a6_redo_returns_to_what_was_there_at_the_time_of_the_undo() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"p": 3}}]}));
    let e1 = page.edit("A", json!([set("n", "/props/p", json!(0))]));
    page.edit("B", json!([set("n", "/props/p", json!(5))]));
    let undo = page.undo_as("A", &[e1], RESTORE);
    assert_eq!(undo.outcome, Outcome::Applied);
    assert_eq!(page.prop("n", "p"), Some(json!(3)));
    let compensation = page.version();
    page.undo_clean(compensation);
    assert_eq!(page.prop("n", "p"), Some(json!(5)));
}

#[test]
fn a6_undo_and_redo_among_others_edits_return_to_each_others_values() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"p": "first"}}]}));
    let p = |page: &Page| page.prop("n", "p").unwrap();
    let e1 = page.edit("A", json!([set("n", "/props/p", json!("blue"))]));
    page.edit("B", json!([set("n", "/props/p", json!("sausage"))]));
    page.undo_as("A", &[e1], RESTORE);
    assert_eq!(p(&page), "first");
    let undo = page.version();
    page.edit("B", json!([set("n", "/props/p", json!("burrito"))]));
    page.undo_as("A", &[undo], RESTORE);
    assert_eq!(p(&page), "sausage");
    let redo = page.version();
    page.undo_as("A", &[redo], RESTORE);
    assert_eq!(p(&page), "burrito");
}

#[test]
fn a6_an_undo_never_brings_back_what_another_undo_took_away() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"p": 0}}]}));
    let e1 = page.edit("A", json!([set("n", "/props/p", json!(1))]));
    let e2 = page.edit("B", json!([set("n", "/props/p", json!(2))]));
    let undo = page.undo(e1);
    assert_eq!((codes(&undo), undo.outcome), (vec!["overwritten"], Outcome::Noop));
    page.undo_clean(e2);
    assert_eq!(page.prop("n", "p"), Some(json!(0)), "not 1, which A has taken back");
}

#[test]
fn a7_an_undone_creation_stays_undone_when_the_removal_is_undone() {
    let mut page = Page::design(&json!({}));
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "n", "type": "shape"}}]));
    let e2 = page.edit("B", json!([{"op": "removeNode", "id": "n"}]));
    let undo = page.undo(e1);
    assert_eq!(undo.outcome, Outcome::Noop);
    assert_eq!(undo.skipped[0].reason, SkipReason::AlreadyRemoved);
    assert!(remembers(&undo), "or nobody would know of it later");
    let undo = page.undo(e2);
    assert_eq!((codes(&undo), undo.outcome), (vec!["create_undone"], Outcome::Noop));
    assert_eq!(undo.conflicts[0].version, Some(3));
    assert!(!page.has("n"));
}

#[test]
fn a7_redone_the_creation_lets_the_removal_be_undone() {
    let mut page = Page::design(&json!({}));
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "n", "type": "shape"}}]));
    let e2 = page.edit("B", json!([{"op": "removeNode", "id": "n"}]));
    page.undo(e1);
    let undo = page.version();
    let redo = page.undo(undo);
    assert!(remembers(&redo) && whole_delta(&redo).is_empty());
    page.undo_clean(e2);
    assert!(page.has("n"));
}

#[test]
fn a7_in_the_other_order_both_meet() {
    let mut page = Page::design(&json!({}));
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "n", "type": "shape"}}]));
    let e2 = page.edit("B", json!([{"op": "removeNode", "id": "n"}]));
    page.undo_clean(e2);
    assert!(page.has("n"));
    page.undo_clean(e1);
    assert!(!page.has("n"));
}

#[test]
fn a13_repeated_undo_and_redo_lose_nothing() {
    for by_redo in [false, true] {
        let mut page = Page::design(&json!({}));
        let add = |id: &str| json!([{"op": "addNode", "node": {"id": id, "type": "shape", "props": {"k": id}}}]);
        page.edit("A", add("a"));
        let b = page.edit("A", add("b"));
        let c = page.edit("A", add("c"));
        page.undo_clean(c);
        page.undo_clean(b);
        assert_eq!(page.children(None), ["a"]);
        let undo = page.version();
        let mut redo = page.undo_clean(undo);
        assert_eq!(page.children(None), ["a", "b"]);
        let mut sizes = Vec::new();
        for _ in 0..50 {
            let undo = page.undo_clean(if by_redo { redo } else { b });
            assert_eq!(page.children(None), ["a"]);
            redo = page.undo_clean(undo);
            assert_eq!(page.children(None), ["a", "b"]);
            sizes.push(
                page.events
                    .iter()
                    .rev()
                    .take(2)
                    .map(|event| event.delta.to_bytes().unwrap().len())
                    .sum::<usize>(),
            );
        }
        sizes.dedup();
        assert_eq!(sizes.len(), 1, "every round is as large as the first");
    }
}

#[test]
fn a21_undo_of_a_removal_that_another_took_back_does_nothing() {
    let mut page = Page::design(&json!({}));
    let node = json!({"id": "n", "type": "shape"});
    let e1 = page.edit("A", json!([{"op": "addNode", "node": node}]));
    let e2 = page.edit("A", json!([{"op": "removeNode", "id": "n"}]));
    page.edit(
        "B",
        json!([{"op": "addNode", "node": node}, set("n", "/props/c", json!("red"))]),
    );
    let undo = page.undo(e2);
    assert_eq!(
        (undo.outcome, undo.skipped[0].reason),
        (Outcome::Noop, SkipReason::AlreadyThere)
    );
    assert_eq!(page.prop("n", "c"), Some(json!("red")));
    let undo = page.undo_as("A", &[e1], FORCE);
    assert_eq!(undo.outcome, Outcome::Applied);
    assert!(!page.has("n"));
}

#[test]
fn b17_only_ones_own_elements_leave_a_set() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape", "props": {"groups": []}}]}));
    let add = |value: &str| json!([{"op": "addToSet", "id": "n", "pointer": "/props/groups", "values": [value]}]);
    let e1 = page.edit("A", add("A"));
    page.edit("B", add("B"));
    page.undo_clean(e1);
    assert_eq!(page.prop("n", "groups"), Some(json!(["B"])));
}

#[test]
fn b17_a_set_that_the_event_made_stays_while_others_are_in_it() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "shape"}]}));
    let add = |value: &str| json!([{"op": "addToSet", "id": "n", "pointer": "/props/groups", "values": [value]}]);
    let e1 = page.edit("A", add("A"));
    let e2 = page.edit("B", add("B"));
    page.undo_clean(e1);
    assert_eq!(page.prop("n", "groups"), Some(json!(["B"])));
    page.undo_clean(e2);
    assert!(page.is_as_at(0), "nobody needs it any more");
}

#[test]
fn e6_an_attribute_set_and_its_node_deleted_in_one_step_come_back_as_they_were() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "text"}]}));
    let e1 = page.edit(
        "A",
        json!([set("n", "/type", json!("x")), {"op": "removeNode", "id": "n"}]),
    );
    page.edit(
        "B",
        json!([{"op": "addNode", "node": {"id": "other", "type": "shape"}}]),
    );
    page.undo_clean(e1);
    assert_eq!(page.at("/nodes/n/type"), Some(json!("text")));
}

#[test]
fn e8_undo_to_the_creation_and_redo_pass_the_same_states() {
    let mut page = Page::design(&json!({"nodes": [{"id": "m", "type": "shape"}]}));
    let mut edits = vec![page.edit("A", json!([{"op": "addNode", "node": {"id": "n", "type": "shape"}}]))];
    for x in 1..4 {
        edits.push(page.edit(
            "A",
            json!([{"op": "moveNode", "id": "n", "placement": "first", "geometry": {"x": x}}]),
        ));
    }
    let mut undos = Vec::new();
    for edit in edits.iter().rev() {
        undos.push(page.undo_clean(*edit));
        assert!(page.is_as_at(edit - 1));
    }
    for (undo, edit) in undos.iter().rev().zip(&edits) {
        page.undo_clean(*undo);
        assert!(page.is_as_at(*edit));
    }
}

#[test]
fn e10_undo_of_a_first_value_leaves_the_key_absent() {
    let mut page = Page::design(&json!({"nodes": [{"id": "n", "type": "text", "props": {"b": 1}}]}));
    let e1 = page.edit("A", json!([set("n", "/props/title", json!("t"))]));
    page.edit("B", json!([set("n", "/props/b", json!(2))]));
    page.undo_clean(e1);
    assert_eq!(page.at("/nodes/n/props"), Some(json!({"b": 2})));
}

#[test]
fn f7_undo_never_takes_the_first_background() {
    let background = json!({"id": "B", "type": "color", "color": "#fff"});
    let mut page = Page::design(&json!({"attributes": {"backgrounds": [background]}}));
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "n", "type": "shape"}}]));
    page.undo_clean(e1);
    assert_eq!(page.at("/attributes/backgrounds"), Some(json!([background])));
    assert!(page.plan(&[e1], KEEP).is_err());
}

#[test]
fn f8_undo_of_a_second_background_brings_the_first_one_back() {
    let one = json!({"id": "b1", "type": "color", "color": "red"});
    let two = json!({"id": "b2", "type": "image", "asset": "a"});
    let mut page = Page::design(&json!({}));
    page.edit("A", json!([{"op": "addBackground", "background": one}]));
    let e2 = page.edit(
        "A",
        json!([{"op": "removeBackground", "id": "b1"}, {"op": "addBackground", "background": two}]),
    );
    page.edit("B", json!([{"op": "setAttributes", "set": {"/title": "t"}}]));
    page.undo_clean(e2);
    assert_eq!(page.at("/attributes/backgrounds"), Some(json!([one])));
}
