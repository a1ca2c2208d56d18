//! Where the files of a CODE page are, and what stands in their way.

use recto_projections::text::weave::{CodeConflict, OnConflict};
use serde_json::json;

use crate::code_cases::page;
use crate::code_history::{CodeHistory, typed};

#[test]
fn a_rename_takes_the_history_along() {
    let mut page = page();
    let typing = page.edit(&json!([typed("a", 0, "> ")]));
    let rename = page.edit(&json!([{ "op": "renameFile", "path": "a", "to": "src/a" }]));
    page.edit(&json!([typed("src/a", 7, "!")]));
    page.undo(&[typing]);
    assert_eq!(page.files(), json!({ "b": "beta", "src/a": "alpha!" }));
    page.undo(&[rename]);
    assert_eq!(
        page.json(),
        json!({ "files": { "a": "alpha!", "b": "beta" }, "entry": "a" })
    );
}

#[test]
fn a_later_rename_keeps_its_path() {
    let mut page = page();
    let first = page.edit(&json!([{ "op": "renameFile", "path": "a", "to": "a1" }]));
    let second = page.edit(&json!([{ "op": "renameFile", "path": "a1", "to": "a2" }]));
    page.undo(&[first]);
    assert_eq!(page.conflicts, [CodeConflict::RenamedSince { path: "a2".into() }]);
    assert_eq!(page.files(), json!({ "a2": "alpha", "b": "beta" }));
    page.undo(&[second]);
    assert_eq!(page.files(), json!({ "a": "alpha", "b": "beta" }));
}

#[test]
fn a_file_whose_path_is_taken_stays_where_it_is() {
    let mut page = page();
    let rename = page.edit(&json!([{ "op": "renameFile", "path": "a", "to": "c" }, typed("c", 5, "!")]));
    let other = page.edit(&json!([{ "op": "addFile", "path": "a", "text": "another" }]));
    let undo = page.undo(&[rename]);
    assert_eq!(page.conflicts, [CodeConflict::PathTaken { path: "a".into() }]);
    assert!(page.conflicts[0].is_refusal());
    // The text is undone all the same, and only that is redone.
    assert_eq!(page.files(), json!({ "a": "another", "b": "beta", "c": "alpha" }));
    page.undo(&[other]);
    assert_eq!(page.files(), json!({ "b": "beta", "c": "alpha" }));
    page.undo(&[undo]);
    assert_eq!(page.files(), json!({ "b": "beta", "c": "alpha!" }));
    page.undo(&[rename]);
    assert_eq!(
        (page.files(), page.codes()),
        (json!({ "a": "alpha", "b": "beta" }), vec![])
    );
}

#[test]
fn a_removed_file_whose_path_is_taken_stays_away() {
    let mut page = page();
    let remove = page.edit(&json!([{ "op": "removeFile", "path": "b" }]));
    page.edit(&json!([{ "op": "renameFile", "path": "a", "to": "b" }]));
    let before = page.json();
    let undo = page.undo(&[remove]);
    assert_eq!((page.json(), page.codes()), (before.clone(), vec!["path_taken"]));
    page.undo(&[undo]);
    assert_eq!((page.json(), page.codes()), (before, vec![]));
}

#[test]
fn a_new_file_at_the_path_of_a_removed_one_is_another_file() {
    let mut page = page();
    let replace = page.edit(&json!([
        { "op": "removeFile", "path": "a" }, { "op": "addFile", "path": "a", "text": "new" }, { "op": "setEntry", "path": "a" }
    ]));
    let undo = page.undo(&[replace]);
    assert_eq!(
        page.json(),
        json!({ "files": { "a": "alpha", "b": "beta" }, "entry": "a" })
    );
    page.undo(&[undo]);
    assert_eq!(
        page.json(),
        json!({ "files": { "a": "new", "b": "beta" }, "entry": "a" })
    );
    // Now something is written in the new one: it stays, so the old one cannot come back.
    let typing = page.edit(&json!([typed("a", 3, "er")]));
    page.undo(&[replace]);
    assert_eq!(page.codes(), ["edited_since", "path_taken"]);
    assert_eq!(page.files()["a"], "newer");
    page.undo(&[typing]);
    page.undo(&[replace]);
    assert_eq!(
        page.json(),
        json!({ "files": { "a": "alpha", "b": "beta" }, "entry": "a" })
    );
}

#[test]
fn a_file_edited_since_it_was_created_stays_unless_forced() {
    let mut page = page();
    let create = page.edit(&json!([{ "op": "addFile", "path": "n", "text": "new" }]));
    let typing = page.edit(&json!([typed("n", 3, "er")]));
    let before = page.json();
    page.undo(&[create]);
    let edited = CodeConflict::EditedSince {
        path: "n".into(),
        event: typing,
    };
    assert_eq!((page.json(), &*page.conflicts), (before.clone(), &[edited][..]));
    let forced = page.undo_with(&[create], OnConflict::Force);
    assert_eq!(page.files(), json!({ "a": "alpha", "b": "beta" }));
    page.undo(&[forced]);
    assert_eq!(page.json(), before);
    // Undone together with what was written since, nothing stands in the way.
    let undo = page.undo(&[create, typing]);
    assert_eq!(
        (page.files(), page.codes()),
        (json!({ "a": "alpha", "b": "beta" }), vec![])
    );
    page.undo(&[undo]);
    assert_eq!(page.json(), before);
}

#[test]
fn a_removal_is_not_redone_over_what_was_written_since() {
    let mut page = page();
    let remove = page.edit(&json!([{ "op": "removeFile", "path": "b" }]));
    let undo = page.undo(&[remove]);
    page.edit(&json!([typed("b", 0, "x")]));
    page.undo(&[undo]);
    assert_eq!(page.codes(), ["edited_since"]);
    assert_eq!(page.files()["b"], "xbeta");
}

#[test]
fn files_that_swap_their_paths_swap_them_back() {
    let mut page = CodeHistory::new(&json!({ "files": { "a": "1", "b": "2", "c": "3" }, "entry": "b" }));
    let before = page.json();
    let swap = page.edit(&json!([
        { "op": "renameFile", "path": "a", "to": "x" }, { "op": "renameFile", "path": "b", "to": "a" },
        { "op": "renameFile", "path": "c", "to": "b" }, { "op": "renameFile", "path": "x", "to": "c" }
    ]));
    assert_eq!(page.files(), json!({ "a": "2", "b": "3", "c": "1" }));
    let after = page.json();
    let undo = page.undo(&[swap]);
    assert_eq!(page.json(), before);
    page.undo(&[undo]);
    assert_eq!(page.json(), after);
}

#[test]
fn renames_make_room_for_each_other() {
    let mut page = page();
    let before = page.json();
    let shift = page.edit(&json!([
        { "op": "renameFile", "path": "b", "to": "c" }, { "op": "renameFile", "path": "a", "to": "b" },
        { "op": "addFile", "path": "a", "text": "new" }
    ]));
    let after = page.json();
    let undo = page.undo(&[shift]);
    assert_eq!(page.json(), before);
    page.undo(&[undo]);
    assert_eq!(page.json(), after);
}
