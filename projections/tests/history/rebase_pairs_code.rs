//! Rebase of CODE deltas over edits, renames and removals and their undos.

use recto_projections::rebase::{Conflict, ConflictKind, Options};
use serde_json::{Value as Json, json};

use crate::page::KEEP;
use crate::text_history::Text;

fn page() -> Text {
    Text::new(
        recto_projections::Kind::Code,
        &json!({"files": {"a": "abcd", "b": "efgh"}, "entry": "a", "attributes": {}}),
    )
}

/// What a delta that was made of the first version makes of the files at the head.
fn stale(text: &Text, ops: Json) -> Result<Json, Vec<Conflict>> {
    let rebased = text.page.rebased(0, ops, &Options::default())?;
    let mut head = text.page.head().clone();
    head.apply(&rebased.delta).unwrap();
    Ok(head.to_json()["files"].clone())
}

fn edit(path: &str, delta: Json) -> Json {
    json!([{"op": "editFile", "path": path, "delta": delta}])
}

fn insert_inside(path: &str) -> Json {
    edit(path, json!([{"retain": 2}, {"insert": "X"}]))
}

fn delete_inside(path: &str) -> Json {
    edit(path, json!([{"retain": 1}, {"delete": 2}]))
}

fn remove(path: &str) -> Json {
    json!({"op": "removeFile", "path": path})
}

fn rename(path: &str, to: &str) -> Json {
    json!({"op": "renameFile", "path": path, "to": to})
}

#[test]
fn edits_of_text_deleted_and_brought_back_hold() {
    let mut text = page();
    let deletion = text.edit(&delete_inside("a"));
    text.undo(&[deletion], KEEP);
    let files = |a: &str| Ok(json!({"a": a, "b": "efgh"}));
    assert_eq!(stale(&text, insert_inside("a")), files("abXcd"));
    assert_eq!(stale(&text, delete_inside("a")), files("ad"));
    text.undo(&[2], KEEP);
    assert_eq!(stale(&text, insert_inside("a")), files("aXd"));
}

#[test]
fn they_hold_where_the_event_renamed_the_file_too() {
    let mut text = page();
    let both = text.edit(&json!([rename("a", "z"), delete_inside("z")[0]]));
    text.edit(&edit("z", json!([{"insert": "T"}])));
    let undo = text.undo(&[both], KEEP).1[0];
    assert_eq!(
        stale(&text, insert_inside("a")),
        Ok(json!({"a": "TabXcd", "b": "efgh"}))
    );
    text.undo(&[undo], KEEP);
    assert_eq!(stale(&text, insert_inside("a")), Ok(json!({"b": "efgh", "z": "TaXd"})));
}

#[test]
fn they_hold_where_the_event_removed_the_file_too() {
    let mut text = page();
    let all = text.edit(&json!([
        delete_inside("a")[0],
        rename("a", "z"),
        remove("z"),
        remove("b")
    ]));
    let conflicts = stale(&text, insert_inside("a")).unwrap_err();
    assert_eq!(conflicts[0].kind, ConflictKind::FileRemoved);
    text.undo(&[all], KEEP);
    assert_eq!(
        stale(&text, json!([insert_inside("a")[0], insert_inside("b")[0]])),
        Ok(json!({"a": "abXcd", "b": "efXgh"}))
    );
}

#[test]
fn an_edit_undone_while_its_file_is_away_leaves_no_trace() {
    let mut text = page();
    let deletion = text.edit(&delete_inside("a"));
    let removal = text.edit(&json!([remove("a")]));
    text.undo(&[deletion], KEEP);
    text.undo(&[removal], KEEP);
    assert_eq!(stale(&text, insert_inside("a")), Ok(json!({"a": "abXcd", "b": "efgh"})));
}

#[test]
fn an_older_edit_undone_while_the_file_is_away_is_gone_over() {
    let mut text = page();
    let typed = text.edit(&edit("a", json!([{"insert": "T"}])));
    let removal = text.edit(&json!([remove("a")]));
    text.undo(&[typed], KEEP);
    text.undo(&[removal], KEEP);
    let rebased = text.page.rebased(
        1,
        edit("a", json!([{"retain": 3}, {"insert": "X"}])),
        &Options::default(),
    );
    let mut head = text.page.head().clone();
    head.apply(&rebased.unwrap().delta).unwrap();
    assert_eq!(head.to_json()["files"]["a"], json!("abXcd"));
}

#[test]
fn a_file_comes_back_to_where_it_would_be_by_then() {
    let mut text = page();
    let renaming = text.edit(&json!([rename("a", "z")]));
    let removal = text.edit(&json!([remove("z"), remove("b")]));
    text.undo(&[renaming], KEEP);
    text.undo(&[removal], KEEP);
    assert_eq!(
        stale(&text, json!([insert_inside("a")[0], insert_inside("b")[0]])),
        Ok(json!({"a": "abXcd", "b": "efXgh"}))
    );
}

#[test]
fn a_removal_undone_for_the_second_time_brings_the_same_file_back() {
    let mut text = page();
    let removal = text.edit(&json!([remove("a")]));
    let undo = text.undo(&[removal], KEEP).1[0];
    let again = text.edit(&json!([remove("a")]));
    let redo = text.undo(&[undo], KEEP).1[0];
    text.undo(&[again], KEEP);
    text.undo(&[redo], KEEP);
    assert_eq!(stale(&text, insert_inside("a")), Ok(json!({"a": "abXcd", "b": "efgh"})));
}

#[test]
fn another_file_at_the_path_is_another_file() {
    let mut text = page();
    text.edit(&json!([remove("a")]));
    let added = text.edit(&json!([{"op": "addFile", "path": "a", "text": "other"}]));
    let undo = text.undo(&[added], KEEP).1[0];
    text.undo(&[undo], KEEP);
    assert_eq!(text.page.at("/files/a"), Some(json!("other")));
    let conflicts = stale(&text, insert_inside("a")).unwrap_err();
    assert_eq!(conflicts[0].kind, ConflictKind::FileRemoved);
}

#[test]
fn a_rename_undone_leaves_the_path_to_whoever_gave_it() {
    let mut text = page();
    let first = text.edit(&json!([rename("a", "y")]));
    let second = text.edit(&json!([rename("y", "z")]));
    text.undo(&[second], KEEP);
    let conflicts = stale(&text, json!([rename("a", "x")])).unwrap_err();
    assert_eq!(
        (&conflicts[0].kind, conflicts[0].version),
        (&ConflictKind::MovedSince, Some(first))
    );
    text.undo(&[first], KEEP);
    assert_eq!(
        stale(&text, json!([rename("a", "x"), remove("b")])),
        Ok(json!({"x": "abcd"}))
    );
}

/// A file was edited and removed in one event, whose undo brings it back as it was before both.
#[test]
fn two_edits_hold_where_an_event_that_edited_and_removed_the_file_is_undone() {
    let mut text = Text::new(recto_projections::Kind::Code, &json!({"files": {"a": "0123456789"}}));
    let both = text.edit(&json!([
        edit("a", json!([{"retain": 1}, {"insert": "xxxx"}]))[0],
        remove("a")
    ]));
    text.edit(&json!([{"op": "setAttributes", "set": {"/n": 1}}]));
    text.undo(&[both], KEEP);
    let [first, second] = [(5, "!"), (8, "?")].map(|(at, text)| edit("a", json!([{"retain": at}, {"insert": text}])));
    assert_eq!(
        stale(&text, json!([first[0], second[0]])),
        Ok(json!({"a": "01234!56?789"}))
    );
}

#[test]
fn an_entry_and_attributes_that_are_as_they_were_are_in_nobodys_way() {
    let mut text = page();
    let sets = |value: Json| json!({"op": "setAttributes", "set": {"/x": value}});
    let entry = |path: &str| json!({"op": "setEntry", "path": path});
    let first = text.edit(&json!([sets(json!(1)), entry("b")]));
    let second = text.edit(&json!([sets(json!(2)), entry("a")]));
    let third = text.edit(&json!([sets(json!(3)), rename("a", "z"), remove("z")]));
    // Not the newest first.
    for undone in [first, third, second] {
        text.undo(&[undone], KEEP);
    }
    assert_eq!(text.page.json(), text.page.states[0].to_json());
    let mine = json!([sets(json!(9)), entry("b")]);
    let rebased = text.page.rebased(0, mine, &Options::default()).unwrap();
    assert!(rebased.notes.is_empty() && rebased.dropped.is_empty());
}

#[test]
fn an_attribute_below_one_that_was_taken_away_is_blocked() {
    let mut text = Text::new(
        recto_projections::Kind::Code,
        &json!({"files": {"a": ""}, "attributes": {"y": {}}}),
    );
    text.edit(&json!([{"op": "setAttributes", "unset": ["/y"]}]));
    let conflicts = stale(&text, json!([{"op": "setAttributes", "set": {"/y/z": 1}}])).unwrap_err();
    assert!(
        matches!(conflicts[0].kind, ConflictKind::Blocked { .. }),
        "{conflicts:?}"
    );
}
