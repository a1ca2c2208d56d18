//! Rebase of CODE pages: files are followed by identity.

use recto_projections::Kind;
use recto_projections::rebase::{ConflictKind, Nature, NoteKind, OnOverwrite, Options, Subject};
use serde_json::{Value as Json, json};

use crate::page::Page;

fn page() -> Page {
    Page::new(
        Kind::Code,
        &json!({"files": {"a.rs": "abc", "b.rs": "def", "c.rs": ""}, "entry": "a.rs", "attributes": {"lang": "rust"}}),
    )
}

fn edit(path: &str, delta: Json) -> Json {
    json!([{"op": "editFile", "path": path, "delta": delta}])
}

fn rename(path: &str, to: &str) -> Json {
    json!([{"op": "renameFile", "path": path, "to": to}])
}

fn remove(path: &str) -> Json {
    json!([{"op": "removeFile", "path": path}])
}

fn policy(on_overwrite: OnOverwrite) -> Options<'static> {
    Options {
        on_overwrite,
        ..Options::default()
    }
}

#[test]
fn edits_of_one_file_merge_and_others_are_nobodys_business() {
    let mut page = page();
    page.edit("A", edit("a.rs", json!([{"retain": 1}, {"insert": "A"}])));
    page.edit("A", edit("b.rs", json!([{"delete": 3}])));
    page.edit_from(
        "B",
        0,
        json!([
            {"op": "editFile", "path": "a.rs", "delta": [{"retain": 1}, {"insert": "B"}]},
            {"op": "editFile", "path": "a.rs", "delta": [{"retain": 4}, {"insert": "!"}]},
        ]),
    );
    assert_eq!(
        page.at("/files"),
        Some(json!({"a.rs": "aABbc!", "b.rs": "", "c.rs": ""}))
    );
}

#[test]
fn an_edit_follows_its_file_through_renames() {
    let mut page = page();
    page.edit("A", rename("a.rs", "x.rs"));
    page.edit("A", edit("x.rs", json!([{"insert": "X"}])));
    page.edit("A", rename("x.rs", "y.rs"));
    page.edit("A", json!([{"op": "addFile", "path": "a.rs", "text": "another"}]));
    let mine = edit("a.rs", json!([{"retain": 3}, {"insert": "!"}]));
    let rebased = page.rebased(0, mine.clone(), &Options::default()).unwrap();
    assert_eq!(
        (rebased.notes[0].kind, &rebased.notes[0].subject),
        (NoteKind::Renamed, &Subject::File("a.rs".into()))
    );
    page.edit_from("B", 0, mine);
    assert_eq!(page.at("/files/y.rs"), Some(json!("Xabc!")));
    assert_eq!(page.at("/files/a.rs"), Some(json!("another")));
}

#[test]
fn two_files_that_swap_their_names_keep_their_edits_apart() {
    let mut page = page();
    let swap = [rename("a.rs", "tmp"), rename("b.rs", "a.rs"), rename("tmp", "b.rs")];
    page.edit(
        "A",
        swap.iter().flat_map(|ops| ops.as_array().unwrap().clone()).collect(),
    );
    page.edit_from("B", 0, edit("a.rs", json!([{"insert": "a:"}])));
    assert_eq!(page.at("/files/b.rs"), Some(json!("a:abc")));
    assert_eq!(page.at("/files/a.rs"), Some(json!("def")));
    assert_eq!(page.at("/entry"), Some(json!("b.rs")));
}

#[test]
fn mine_may_rename_and_edit_what_others_edit() {
    let mut page = page();
    page.edit("A", edit("a.rs", json!([{"insert": "A"}])));
    let mut mine = rename("a.rs", "z.rs").as_array().unwrap().clone();
    mine.extend(
        edit("z.rs", json!([{"retain": 3}, {"insert": "!"}]))
            .as_array()
            .unwrap()
            .clone(),
    );
    page.edit_from("B", 0, Json::Array(mine));
    assert_eq!(page.at("/files/z.rs"), Some(json!("Aabc!")));
}

#[test]
fn a_removed_file_is_a_conflict_and_removed_twice_is_none() {
    let mut page = page();
    let e1 = page.edit("A", remove("b.rs"));
    for mine in [edit("b.rs", json!([{"insert": "x"}])), rename("b.rs", "z.rs")] {
        let conflict = page.refused(0, mine);
        assert_eq!((conflict.kind, conflict.version), (ConflictKind::FileRemoved, Some(e1)));
    }
    let entry = json!([{"op": "setEntry", "path": "b.rs"}]);
    assert_eq!(page.refused(0, entry).kind, ConflictKind::FileRemoved);
    assert!(
        page.rebased(0, remove("b.rs"), &Options::default())
            .unwrap()
            .delta
            .is_empty()
    );
}

#[test]
fn removing_what_was_edited_or_renamed_since_takes_force() {
    let mut page = page();
    let e1 = page.edit("A", edit("b.rs", json!([{"insert": "x"}])));
    let conflict = page.refused(0, remove("b.rs"));
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::EditedSince, Some(e1)));
    page.edit("A", rename("c.rs", "z.rs"));
    assert_eq!(page.refused(1, remove("c.rs")).kind, ConflictKind::EditedSince);
    page.edit_with(
        "B",
        1,
        remove("c.rs"),
        &Options {
            force: true,
            ..Options::default()
        },
    );
    assert_eq!(page.at("/files/z.rs"), None);
}

#[test]
fn an_edit_and_its_undo_are_in_nobodys_way() {
    let mut page = page();
    let delta = |json: Json| recto_projections::Delta::from_json(Kind::Code, &json).unwrap();
    let e1 = page.edit("A", edit("b.rs", json!([{"insert": "x"}])));
    page.append("A", &delta(edit("b.rs", json!([{"delete": 1}]))), Nature::Edit, &[e1]);
    page.edit_from("B", 0, remove("b.rs"));
    let e4 = page.edit("A", remove("c.rs"));
    page.append(
        "A",
        &delta(json!([{"op": "addFile", "path": "c.rs", "text": ""}])),
        Nature::Edit,
        &[e4],
    );
    page.edit_from("B", 3, edit("c.rs", json!([{"insert": "still here"}])));
    assert_eq!(page.at("/files/c.rs"), Some(json!("still here")));
}

#[test]
fn a_path_that_is_taken_is_a_conflict() {
    let mut page = page();
    let add = |path: &str| json!([{"op": "addFile", "path": path, "text": "new"}]);
    let e1 = page.edit("A", add("new.rs"));
    let conflict = page.refused(0, add("new.rs"));
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::FileExists, Some(e1)));
    assert_eq!(page.refused(0, rename("b.rs", "new.rs")).kind, ConflictKind::FileExists);
    let frees =
        json!([{"op": "renameFile", "path": "b.rs", "to": "d.rs"}, {"op": "addFile", "path": "b.rs", "text": "2"}]);
    page.edit_from("B", 0, frees);
    assert_eq!(page.at("/files/b.rs"), Some(json!("2")));
}

#[test]
fn two_renames_agree_or_are_decided() {
    let mut page = page();
    page.edit("A", rename("b.rs", "x.rs"));
    assert!(
        page.rebased(0, rename("b.rs", "x.rs"), &Options::default())
            .unwrap()
            .delta
            .is_empty()
    );
    let conflict = page.refused(0, rename("b.rs", "y.rs"));
    assert_eq!(conflict.kind, ConflictKind::MovedSince);
    assert_eq!(
        (conflict.before, conflict.mine, conflict.theirs),
        (Some(json!("b.rs")), Some(json!("y.rs")), Some(json!("x.rs")))
    );
    let theirs = page
        .rebased(0, rename("b.rs", "y.rs"), &policy(OnOverwrite::Theirs))
        .unwrap();
    assert!(theirs.delta.is_empty());
    page.edit_with("B", 0, rename("b.rs", "y.rs"), &policy(OnOverwrite::Mine));
    assert_eq!(page.at("/files/y.rs"), Some(json!("def")));
}

#[test]
fn entries_and_attributes_are_fields() {
    let mut page = page();
    page.edit(
        "A",
        json!([{"op": "setEntry", "path": "b.rs"}, {"op": "setAttributes", "set": {"/lang": "c"}}]),
    );
    assert!(
        page.rebased(0, json!([{"op": "setEntry", "path": "b.rs"}]), &Options::default())
            .unwrap()
            .delta
            .is_empty()
    );
    let conflict = page.refused(0, json!([{"op": "setEntry", "path": null}]));
    assert_eq!(
        (conflict.kind, conflict.subject),
        (ConflictKind::Overwritten, Subject::Entry)
    );
    assert_eq!(
        (conflict.before, conflict.mine, conflict.theirs),
        (Some(json!("a.rs")), Some(Json::Null), Some(json!("b.rs")))
    );
    let conflict = page.refused(0, json!([{"op": "setAttributes", "set": {"/lang": "go", "/tabs": 2}}]));
    assert_eq!(
        (conflict.subject, conflict.before),
        (Subject::Attributes, Some(json!("rust")))
    );
    let both = json!([{"op": "setEntry", "path": "c.rs"}, {"op": "setAttributes", "set": {"/lang": "go", "/tabs": 2}}]);
    page.edit_with("B", 0, both, &policy(OnOverwrite::Theirs));
    assert_eq!(page.at("/attributes"), Some(json!({"lang": "c", "tabs": 2})));
    assert_eq!(page.at("/entry"), Some(json!("b.rs")));
}
