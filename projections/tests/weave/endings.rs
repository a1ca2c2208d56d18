//! The newline at the end of a document.

use recto_projections::text::RichText;
use recto_projections::text::weave::{EditId, Weave};
use serde_json::json;

use crate::delta;
use crate::history::History;

const A: usize = 0;
const B: usize = 1;

/// A document whose last line A wrote, and whose earlier newline B deleted.
fn joined() -> (History, EditId) {
    let mut page = History::document_of(&json!([{ "insert": "abc\n" }]));
    let append = page.insert(A, 4, "x\n");
    page.delete(B, 3, 4);
    assert_eq!(page.read(), "abcx\n");
    (page, append)
}

#[test]
fn a_document_ends_with_a_newline_whatever_is_undone() {
    let (mut page, append) = joined();
    let undo = page.undo(&[append]);
    assert_eq!(page.read(), "abc\n");
    page.undo(&[undo]);
    assert_eq!(page.read(), "abcx\n");
    page.undo(&[append]);
    page.undo(&[EditId(2)]);
    assert_eq!(page.document(), page.start);
}

#[test]
fn text_typed_before_the_added_newline_stays_before_it() {
    let (mut page, append) = joined();
    let undo = page.undo(&[append]);
    page.insert(B, 3, "y");
    assert_eq!(page.read(), "abcy\n");
    page.undo(&[undo]);
    assert_eq!(page.read(), "abcx\ny\n");
}

#[test]
fn an_edit_that_formats_the_added_newline_makes_it_its_own() {
    let (mut page, append) = joined();
    let undo = page.undo(&[append]);
    let header = page.quill(
        B,
        &json!([{ "retain": 3 }, { "retain": 1, "attributes": { "header": 1 } }]),
    );
    let wanted = json!([{ "insert": "abc" }, { "insert": "\n", "attributes": { "header": 1 } }]);
    assert_eq!(page.document(), delta(&wanted));
    page.undo(&[header]);
    assert_eq!(page.read(), "abc\n");
    page.undo(&[undo]);
    assert_eq!(page.read(), "abcx\n");
}

#[test]
fn text_behind_the_added_newline_keeps_it() {
    let (mut page, append) = joined();
    let undo = page.undo(&[append]);
    let line = page.insert(B, 4, "line\n");
    assert_eq!(page.read(), "abc\nline\n");
    page.undo(&[undo]);
    assert_eq!(page.read(), "abcx\nline\n", "it is not needed any more");
    page.undo(&[append]);
    page.undo(&[line]);
    assert_eq!(page.read(), "abc\n");
}

#[test]
fn a_newline_found_at_the_end_is_of_no_edit() {
    let (mut page, append) = joined();
    page.undo(&[append]);
    let header = page.quill(
        B,
        &json!([{ "retain": 3 }, { "retain": 1, "attributes": { "header": 1 } }]),
    );
    let mut late =
        Weave::of_document(&RichText::from_document(&delta(&json!([{ "insert": "abc\n" }]))).unwrap()).unwrap();
    late.edit(header, &page.newest).unwrap();
    let line = page.insert(A, 4, "line\n");
    late.edit(line, &page.newest).unwrap();
    page.undo(&[header]);
    late.undo(EditId(6), &[header]).unwrap();
    assert_eq!(page.read(), "abc\nline\n");
    assert_eq!(late.rendered(), page.document());
}

#[test]
fn a_newline_found_and_deleted_comes_back() {
    let (mut page, append) = joined();
    let undo = page.undo(&[append]);
    let replaced = page.quill(B, &json!([{ "retain": 3 }, { "delete": 1 }, { "insert": "y\n" }]));
    assert_eq!(page.read(), "abcy\n");
    let end = page.insert(A, 5, "z\n");
    page.undo(&[replaced]);
    assert_eq!(page.read(), "abc\nz\n");
    page.undo(&[undo]);
    assert_eq!(page.read(), "abcx\nz\n");
    page.undo(&[end]);
    assert_eq!(page.read(), "abcx\n");
}

#[test]
fn a_newline_put_before_the_added_one_does_not_replace_it() {
    let (mut page, append) = joined();
    page.undo(&[append]);
    let lines = page.insert(B, 3, "\n");
    assert_eq!(page.read(), "abc\n\n");
    page.undo(&[lines]);
    assert_eq!(page.read(), "abc\n");
}

#[test]
fn a_plain_text_may_end_without_a_newline() {
    let mut page = History::plain("abc\n");
    let append = page.insert(A, 4, "x\n");
    page.delete(B, 3, 4);
    page.undo(&[append]);
    assert_eq!(page.read(), "abc");
}

#[test]
fn a_start_without_a_newline_gets_one() {
    let weave = Weave::of_document(&RichText::from_plain("")).unwrap();
    assert_eq!(weave.rendered(), delta(&json!([{ "insert": "\n" }])));
    assert_eq!(weave.len(), 1);
}
