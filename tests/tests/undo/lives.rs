//! A: what was created, removed and brought back by several; and rounds of undo and redo.

use recto_pages::UndoRefusal;
use recto_pages::projections::undo::Outcome;
use recto_tests::undo::{Scene, add, add_in, edit_file, event, ins, into_set, remove, set};
use serde_json::json;

fn one(props: serde_json::Value) -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": props }] }))
}

fn p(value: impl Into<serde_json::Value>) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

#[test]
fn a7_a_creation_undone_stays_undone_when_its_removal_is_undone() {
    let mut scene = Scene::design(&json!({}));
    let e1 = scene.edit("user:a", [add("n")]);
    let e2 = scene.edit("user:b", [remove("n")]);
    let undo = scene.undo("user:a", event(e1));
    undo.noop();
    assert_eq!(undo.skipped(), ["already_removed"]);
    let version = undo.version();
    let undo = scene.undo("user:b", event(e2));
    undo.noop();
    assert_eq!(undo.conflict("create_undone")["version"], json!(version));
    assert!(!scene.has("n"));
}

#[test]
fn a7_in_the_other_order_and_with_a_redo() {
    let mut scene = Scene::design(&json!({}));
    let e1 = scene.edit("user:a", [add("n")]);
    let e2 = scene.edit("user:b", [remove("n")]);
    scene.undo_clean("user:b", e2);
    assert!(scene.has("n"));
    scene.undo_clean("user:a", e1);
    assert!(!scene.has("n"));
    scene.redo_clean("user:a", e1);
    assert!(scene.has("n"));
    scene.redo_clean("user:b", e2);
    assert!(!scene.has("n"));
}

#[test]
fn a7_a_file_created_by_one_and_removed_by_another() {
    let mut scene = Scene::code(&json!({ "files": { "a": "" } }));
    let before = scene.json();
    let e1 = scene.edit("user:a", [json!({ "op": "addFile", "path": "n", "text": "new" })]);
    let e2 = scene.edit("user:b", [json!({ "op": "removeFile", "path": "n" })]);
    scene.undo("user:a", event(e1)).noop();
    let undo = scene.undo("user:b", event(e2));
    assert_eq!((undo.conflicts(), scene.json()), (vec!["create_undone"], before));
}

#[test]
fn a7_a_background_created_by_one_and_removed_by_another() {
    let mut scene = Scene::design(&json!({ "attributes": { "backgrounds": [] } }));
    let background = json!({ "id": "b", "type": "color", "color": "red" });
    let e1 = scene.edit("user:a", [json!({ "op": "addBackground", "background": background })]);
    let e2 = scene.edit("user:b", [json!({ "op": "removeBackground", "id": "b" })]);
    scene.undo("user:a", event(e1)).noop();
    let undo = scene.undo("user:b", event(e2));
    assert_eq!(undo.conflicts(), ["create_undone"]);
    scene.expect_as_at(1);
}

#[test]
fn a13_fifty_rounds_of_undo_and_redo_stay_the_same_size() {
    let mut scene = Scene::design(&json!({}));
    for id in ["a", "b", "c"] {
        scene.edit("user:a", [add(id)]);
    }
    scene.back("user:a").clean();
    scene.back("user:a").clean();
    scene.forth("user:a").clean();
    assert_eq!(scene.children(None), ["a", "b"]);
    scene.edit("user:b", [set("a", "/props/x", 1)]);
    let mut sizes = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let undo = scene.back("user:a").clean();
        assert_eq!(scene.children(None), ["a"]);
        let redo = scene.forth("user:a").clean();
        assert_eq!(scene.children(None), ["a", "b"]);
        sizes.insert((scene.payload_bytes(undo), scene.payload_bytes(redo)));
    }
    assert_eq!(sizes.len(), 1, "{sizes:?}");
    scene.forth("user:a").clean();
    assert_eq!(scene.children(None), ["a", "b", "c"]);
}

#[test]
fn a13_fifty_rounds_over_an_overwritten_field() {
    let mut scene = one(json!({ "p": 1 }));
    scene.edit("user:a", p(2));
    scene.edit("user:b", p(3));
    for _ in 0..50 {
        scene.back("user:a").applied();
        assert_eq!(scene.prop("n", "p"), Some(json!(1)));
        scene.forth("user:a").applied();
        assert_eq!(scene.prop("n", "p"), Some(json!(3)));
    }
}

#[test]
fn a21_a_removal_that_another_took_back_is_not_undone_again() {
    let mut scene = Scene::design(&json!({}));
    let e1 = scene.edit("user:a", [add("n")]);
    let e2 = scene.edit("user:a", [remove("n")]);
    scene.edit("user:b", [add("n"), set("n", "/props/c", "red")]);
    let undo = scene.undo("user:a", event(e2));
    undo.noop();
    assert_eq!(
        (undo.skipped(), scene.prop("n", "c")),
        (vec!["already_there"], Some(json!("red")))
    );
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(undo.conflict("edited_since")["actor"], json!("user:b"));
    assert!(scene.has("n"));
}

#[test]
fn a21_with_force_the_creation_is_undone_all_the_same() {
    let mut scene = Scene::design(&json!({}));
    let e1 = scene.edit("user:a", [add("n")]);
    let e2 = scene.edit("user:a", [remove("n")]);
    scene.undo_clean("user:b", e2);
    scene.edit("user:b", [set("n", "/props/c", "red")]);
    let before = scene.version();
    match scene.refused_undo("user:a", event(e2)) {
        UndoRefusal::AlreadyUndone { version, .. } => assert_eq!(version, e2),
        other => panic!("{other}"),
    }
    let undo = scene.undo("user:a", event(e1).force());
    assert_eq!(undo.notes(), ["forced"]);
    assert!(!scene.has("n"));
    scene.undo_clean("user:a", undo.version());
    scene.expect_as_at(before);
}

#[test]
fn a21_force_takes_what_others_put_into_it_and_gives_it_back() {
    let mut scene = Scene::design(&json!({}));
    let e1 = scene.edit("user:a", [add("g")]);
    scene.edit("user:b", [add_in("c", "g"), into_set("c", "/props/tags", "t")]);
    let before = scene.version();
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(
        (undo.outcome(), undo.conflicts()),
        (Outcome::Noop, vec!["edited_since"])
    );
    assert!(
        undo.versions().is_empty(),
        "nothing was undone, so it can be asked for again"
    );
    let undo = scene.undo("user:a", event(e1).force());
    assert!(!scene.has("g") && !scene.has("c"));
    scene.redo_clean("user:a", undo.version());
    scene.expect_as_at(before);
}

#[test]
fn a21_a_file_in_which_another_wrote_goes_only_by_force() {
    let mut scene = Scene::code(&json!({ "files": { "a": "" } }));
    let e1 = scene.edit("user:a", [json!({ "op": "addFile", "path": "n", "text": "mine" })]);
    scene.edit("user:b", [edit_file("n", ins(4, " and theirs"))]);
    let before = scene.version();
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(undo.conflicts(), ["edited_since"]);
    assert!(
        undo.versions().is_empty(),
        "nothing was undone, so it can be asked for again"
    );
    let undo = scene.undo("user:a", event(e1).force());
    assert_eq!(scene.at("/files/n"), None);
    scene.undo("user:a", event(undo.version()));
    scene.expect_as_at(before);
}
