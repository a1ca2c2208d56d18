//! The rules of the weave where more than one would do.

use recto_projections::text::TextDelta;
use recto_projections::text::weave::EditId;
use serde_json::json;

use crate::delta;
use crate::history::History;

const A: usize = 0;
const B: usize = 1;

#[test]
fn an_insert_goes_behind_what_does_not_show_before_it() {
    let mut page = History::plain("[]");
    let first = page.insert(A, 1, "first");
    page.undo(&[first]);
    page.insert(B, 1, "second");
    page.undo(&[EditId(2)]);
    assert_eq!(page.read(), "[firstsecond]");
}

#[test]
fn an_insert_at_the_end_goes_behind_everything() {
    let mut page = History::plain("ab");
    let delete = page.delete(A, 1, 2);
    page.insert(B, 1, "!");
    page.undo(&[delete]);
    assert_eq!(page.read(), "ab!");
}

#[test]
fn text_typed_behind_a_replacement_stands_behind_what_was_replaced() {
    let mut page = History::plain("one two");
    let replace = page.quill(A, &json!([{ "insert": "1" }, { "delete": 3 }]));
    page.insert(B, 1, "st");
    page.undo(&[replace]);
    assert_eq!(page.read(), "onest two");
}

#[test]
fn what_two_edits_deleted_comes_back_when_neither_is_active() {
    let mut page = History::plain("abc");
    let first = page.delete(A, 1, 2);
    let undo = page.undo(&[first]);
    let second = page.delete(B, 1, 2);
    page.undo(&[undo]);
    page.undo(&[second]);
    assert_eq!(page.read(), "ac");
    page.undo(&[first]);
    assert_eq!(page.read(), "abc");
}

#[test]
fn the_newest_active_setter_has_its_way_whoever_was_redone_last() {
    let set = |color: &str| json!([{ "retain": 1, "attributes": { "color": color } }]);
    let text = |color: &str| delta(&json!([{ "insert": "x", "attributes": { "color": color } }, { "insert": "\n" }]));
    let mut page = History::document_of(&text("black").to_json());
    let red = page.quill(A, &set("red"));
    let blue = page.quill(B, &set("blue"));
    let undo = page.undo(&[red]);
    page.undo(&[blue]);
    assert_eq!(page.document(), text("black"));
    page.undo(&[EditId(4)]);
    page.undo(&[undo]);
    assert_eq!(page.document(), text("blue"));
    page.undo(&[blue]);
    assert_eq!(page.document(), text("red"));
}

#[test]
fn a_null_takes_an_attribute_away_as_long_as_its_edit_is_active() {
    let mut page = History::document_of(&json!([{ "insert": "x\n" }]));
    let set = page.quill(A, &json!([{ "retain": 1, "attributes": { "bold": true } }]));
    let unset = page.quill(B, &json!([{ "retain": 1, "attributes": { "bold": null } }]));
    page.undo(&[set]);
    assert_eq!(page.document(), page.start);
    let redo = page.undo(&[EditId(3)]);
    assert_eq!(page.document(), page.start);
    page.undo(&[unset]);
    let bold = json!([{ "insert": "x", "attributes": { "bold": true } }, { "insert": "\n" }]);
    assert_eq!(page.document(), delta(&bold));
    page.undo(&[redo]);
    assert_eq!(page.document(), page.start);
}

#[test]
fn attributes_of_an_insert_are_its_first_value() {
    let mut page = History::document_of(&json!([{ "insert": "\n" }]));
    page.quill(A, &json!([{ "insert": "x", "attributes": { "bold": true } }]));
    let plain = page.quill(
        B,
        &json!([{ "retain": 1, "attributes": { "bold": null, "color": "red" } }]),
    );
    page.undo(&[plain]);
    let wanted = json!([{ "insert": "x", "attributes": { "bold": true } }, { "insert": "\n" }]);
    assert_eq!(page.document(), delta(&wanted));
}

#[test]
fn text_that_an_undo_brings_back_is_the_same_text() {
    let mut page = History::document_of(&json!([{ "insert": "word\n" }]));
    let bold = page.quill(B, &json!([{ "retain": 4, "attributes": { "bold": true } }]));
    let delete = page.delete(A, 0, 4);
    page.undo(&[bold]);
    page.undo(&[delete]);
    assert_eq!(page.document(), page.start);
    // A delete of what came back names the same letters.
    let again = page.delete(B, 0, 2);
    page.undo(&[EditId(4)]);
    assert_eq!(page.read(), "\n");
    page.undo(&[again]);
    page.undo(&[delete]);
    assert_eq!(page.read(), "word\n");
}

#[test]
fn equal_letters_typed_anew_are_other_text() {
    let mut page = History::plain("cat");
    let delete = page.delete(A, 0, 3);
    page.insert(B, 0, "cat");
    page.undo(&[delete]);
    assert_eq!(page.read(), "catcat");
}

#[test]
fn text_typed_into_text_that_came_back_stays_when_that_goes() {
    let mut page = History::plain("()");
    let typed = page.insert(A, 1, "abcd");
    let undo = page.undo(&[typed]);
    let redo = page.undo(&[undo]);
    page.insert(B, 3, "XY");
    assert_eq!(page.read(), "(abXYcd)");
    page.undo(&[redo]);
    assert_eq!(page.read(), "(XY)");
    page.undo(&[EditId(5)]);
    assert_eq!(page.read(), "(abXYcd)");
}

#[test]
fn an_undo_of_several_events_is_one_step_and_so_is_its_redo() {
    let mut page = History::plain("");
    let turn = ["a", "b", "c"].map(|letter| page.insert(A, page.text.len(), letter));
    page.insert(B, 1, "X");
    let alone = page.undo(&[turn[1]]);
    assert_eq!(page.read(), "aXc");
    let undo = page.undo(&turn);
    assert_eq!(page.read(), "X");
    // Only what that undo switched comes back: b was undone before.
    let redo = page.undo(&[undo]);
    assert_eq!(page.read(), "aXc");
    page.undo(&[redo]);
    assert_eq!(page.read(), "X");
    page.undo(&[alone]);
    assert_eq!(page.read(), "Xb");
}

#[test]
fn an_undo_that_changes_nothing_visible_must_be_noted() {
    let mut page = History::plain("BASE");
    let insert = page.insert(A, 2, "x");
    let delete = page.delete(B, 2, 3);
    assert_eq!(page.weave.switches(&[insert]).unwrap(), [(insert, false)]);
    let undo = page.undo(&[insert]);
    assert_eq!(page.weave.switches(&[insert]).unwrap(), []);
    assert_eq!(
        page.weave.switches(&[undo, delete]).unwrap(),
        [(insert, true), (delete, false)]
    );
    page.undo(&[delete]);
    assert_eq!(page.read(), "BASE");
}

#[test]
fn a_compensation_is_as_short_as_the_change() {
    let mut page = History::document_of(&json!([{ "insert": "one two three\n" }]));
    let edit = page.quill(
        A,
        &json!([{ "insert": "1" }, { "delete": 3 }, { "retain": 1 }, { "insert": "2" }, { "delete": 3 }]),
    );
    page.insert(B, 3, "X");
    let undo = page.weave.preview(&[edit]).unwrap();
    let wanted = TextDelta::new()
        .insert("one", None)
        .delete(1)
        .retain(1, None)
        .insert("two", None)
        .delete(1);
    assert_eq!(undo, wanted);
}
