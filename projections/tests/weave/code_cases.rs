//! CODE pages: the recorded cases that are about files, the registers, what is refused.

use recto_projections::text::weave::{CodeConflict, CodeWeave, CodeWeaveError, EditId, OnConflict, WeaveError};
use recto_projections::{CodeOp, Kind, Rule, Value};
use serde_json::json;

use crate::code_history::{CodeHistory, code, typed};

pub(crate) fn page() -> CodeHistory {
    CodeHistory::new(&json!({ "files": { "a": "alpha", "b": "beta" }, "entry": "a" }))
}

#[test]
fn a7_a_file_created_by_one_and_removed_by_another_stays_away_when_both_are_undone() {
    let mut page = page();
    let create = page.edit(&json!([{ "op": "addFile", "path": "n", "text": "new" }]));
    let remove = page.edit(&json!([{ "op": "removeFile", "path": "n" }]));
    let before = page.json();
    page.undo(&[create]);
    assert_eq!((page.json(), page.codes()), (before.clone(), vec![]));
    page.undo(&[remove]);
    assert_eq!((page.json(), page.codes()), (before, vec!["create_undone"]));
}

#[test]
fn a8_text_of_a_file_that_was_removed_can_be_undone() {
    for text_first in [true, false] {
        let mut page = page();
        let typing = page.edit(&json!([typed("b", 2, "--")]));
        let remove = page.edit(&json!([{ "op": "removeFile", "path": "b" }]));
        if text_first {
            page.undo(&[typing]);
            assert_eq!(page.conflicts, [CodeConflict::FileRemoved { path: "b".into() }]);
            page.undo(&[remove]);
        } else {
            page.undo(&[remove]);
            page.undo(&[typing]);
        }
        assert_eq!(page.files(), json!({ "a": "alpha", "b": "beta" }));
    }
}

#[test]
fn a11_foreign_text_in_a_file_survives_the_undo_of_the_text_around() {
    let mut page = page();
    let own = page.edit(&json!([typed("a", 5, "\r\nhello there")]));
    page.edit(&json!([typed("a", 13, "WORLD ")]));
    let undo = page.undo(&[own]);
    assert_eq!(page.files()["a"], "alphaWORLD ");
    page.undo(&[undo]);
    assert_eq!(page.files()["a"], "alpha\r\nhello WORLD there");
}

#[test]
fn e8_created_and_moved_three_times_undone_and_redone() {
    let mut page = page();
    let rename = |path: &str, to: &str| json!([{ "op": "renameFile", "path": path, "to": to }]);
    let mut states = vec![page.json()];
    let mut events = Vec::new();
    let create = json!([{ "op": "addFile", "path": "n", "text": "new" }, { "op": "setEntry", "path": "n" }]);
    for ops in [create, rename("n", "n2"), rename("n2", "dir/n"), rename("dir/n", "z")] {
        events.push(page.edit(&ops));
        states.push(page.json());
    }
    let mut undos = Vec::new();
    for (event, state) in events.iter().zip(&states).rev() {
        undos.push(page.undo(&[*event]));
        assert_eq!(page.json(), *state);
    }
    for (undo, state) in undos.iter().rev().zip(&states[1..]) {
        page.undo(&[*undo]);
        assert_eq!(page.json(), *state);
    }
}

#[test]
fn the_entry_follows_its_file() {
    let mut page = page();
    let remove = page.edit(&json!([{ "op": "removeFile", "path": "a" }]));
    assert_eq!(page.json()["entry"], json!(null));
    page.undo(&[remove]);
    assert_eq!(page.json()["entry"], "a");
    let create = page.edit(&json!([{ "op": "addFile", "path": "n", "text": "new" }]));
    let entry = page.edit(&json!([{ "op": "setEntry", "path": "n" }]));
    let undo = page.undo(&[create]);
    assert_eq!(page.json()["entry"], json!(null));
    page.undo(&[undo]);
    assert_eq!(page.json()["entry"], "n");
    page.undo(&[entry]);
    assert_eq!(page.json()["entry"], "a");
}

#[test]
fn attributes_are_what_the_active_patches_make() {
    let mut page = CodeHistory::new(&json!({ "attributes": { "theme": "light", "tabs": { "size": 4 } } }));
    let dark = page.edit(&json!([{ "op": "setAttributes", "set": { "/theme": "dark", "/font": {} } }]));
    let size = page.edit(&json!([{ "op": "setAttributes", "set": { "/tabs/size": 2 }, "unset": ["/theme"] }]));
    page.undo(&[dark]);
    assert_eq!(page.json()["attributes"], json!({ "tabs": { "size": 2 } }));
    page.undo(&[size]);
    assert_eq!(
        page.json()["attributes"],
        json!({ "theme": "light", "tabs": { "size": 4 } })
    );
    page.undo(&[EditId(3)]);
    let inner = page.edit(&json!([{ "op": "setAttributes", "set": { "/font/bold": true } }]));
    let before = page.json();
    page.undo(&[dark]);
    assert_eq!(page.conflicts, [CodeConflict::AttributesNeeded { event: inner }]);
    assert_eq!(page.json(), before);
    page.undo(&[dark, inner]);
    assert_eq!(
        page.json()["attributes"],
        json!({ "theme": "light", "tabs": { "size": 4 } })
    );
}

#[test]
fn several_edits_of_a_file_in_one_event_are_one() {
    let mut page = page();
    let edit = page.edit(&json!([
        typed("a", 0, "xyz"), typed("a", 1, "123"), { "op": "editFile", "path": "a", "delta": [{ "delete": 2 }] },
        { "op": "renameFile", "path": "a", "to": "c" }, typed("c", 9, "!"), typed("b", 0, "?"),
        { "op": "addFile", "path": "n", "text": "n" }, typed("n", 1, "ew"),
        { "op": "addFile", "path": "gone", "text": "" }, { "op": "removeFile", "path": "gone" }
    ]));
    assert_eq!(page.files(), json!({ "b": "?beta", "c": "23yzalpha!", "n": "new" }));
    let undo = page.undo(&[edit]);
    assert_eq!(page.files(), json!({ "a": "alpha", "b": "beta" }));
    page.undo(&[undo]);
    assert_eq!(page.files(), json!({ "b": "?beta", "c": "23yzalpha!", "n": "new" }));
}

#[test]
fn operations_that_do_not_fit_are_refused() {
    let start = Value::from_json(Kind::Code, &json!({ "files": { "a": "a😀" } })).unwrap();
    let mut weave = CodeWeave::new(code(&start));
    let before = weave.rendered();
    let ops = |json| match recto_projections::Delta::from_json(Kind::Code, &json).unwrap() {
        recto_projections::Delta::Code(ops) => ops,
        _ => Vec::new(),
    };
    let refused = |op, rule| CodeWeaveError::Refused { op, rule };
    let missing = || Rule::FileMissing { path: "x".to_owned() };
    let fine = || typed("a", 0, "fine");
    let cases = [
        (json!([fine(), typed("x", 0, "t")]), refused(1, missing())),
        (
            json!([fine(), { "op": "removeFile", "path": "x" }]),
            refused(1, missing()),
        ),
        (
            json!([{ "op": "renameFile", "path": "x", "to": "y" }]),
            refused(0, missing()),
        ),
        (
            json!([{ "op": "addFile", "path": "a", "text": "" }]),
            refused(0, Rule::FileExists { path: "a".into() }),
        ),
        (
            json!([fine(), { "op": "setEntry", "path": "x" }]),
            refused(1, Rule::EntryMissing { path: "x".into() }),
        ),
        (
            json!([{ "op": "setAttributes", "set": { "/a/b": 1 } }]),
            refused(0, Rule::PathMissing),
        ),
    ];
    for (json, refusal) in cases {
        assert_eq!(weave.edit(EditId(1), &ops(json)).unwrap_err(), refusal);
        assert_eq!((weave.rendered(), weave.newest()), (before.clone(), None));
    }
    for (at, code) in [(2, "splits_surrogate"), (4, "out_of_range")] {
        let refusal = weave.edit(EditId(1), &ops(json!([typed("a", at, "x")]))).unwrap_err();
        assert_eq!(refusal.code(), code);
        assert_eq!(weave.rendered(), before);
    }
    weave
        .edit(EditId(5), &[CodeOp::RemoveFile { path: "a".into() }])
        .unwrap();
    let out_of_order = WeaveError::OutOfOrder {
        event: EditId(5),
        newest: EditId(5),
    };
    assert_eq!(
        weave.edit(EditId(5), &[]).unwrap_err(),
        CodeWeaveError::Weave(out_of_order)
    );
    let unknown = WeaveError::UnknownEvent { event: EditId(3) };
    let refusal = weave.undo(EditId(6), &[EditId(3)], OnConflict::Keep).unwrap_err();
    assert_eq!(refusal, CodeWeaveError::Weave(unknown));
}
