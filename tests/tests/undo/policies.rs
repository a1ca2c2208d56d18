//! A: what becomes of a field that others set since, by an undo and by a stale copy.

use recto_pages::projections::undo::Outcome;
use recto_pages::{Rebasable, UndoRefusal};
use recto_tests::undo::{Scene, add, edit_file, event, ins, newest, set, stale};
use serde_json::json;

fn one(props: serde_json::Value) -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": props }] }))
}

fn p(value: impl Into<serde_json::Value>) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

#[test]
fn a6_redo_returns_to_what_was_there_at_the_undo() {
    let mut scene = one(json!({ "p": 3 }));
    let e1 = scene.edit("user:a", p(0));
    scene.edit("user:b", p(5));
    let undo = scene.undo("user:a", event(e1).restore());
    assert_eq!(undo.outcome(), Outcome::Applied);
    assert_eq!(undo.notes(), ["restored"]);
    assert_eq!(scene.prop("n", "p"), Some(json!(3)));
    scene.redo_clean("user:a", e1);
    assert_eq!(scene.prop("n", "p"), Some(json!(5)));
}

#[test]
fn a6_undo_and_redo_among_foreign_edits() {
    let mut scene = one(json!({ "p": "first" }));
    let food = |scene: &Scene| scene.prop("n", "p").unwrap();
    scene.edit("user:a", p("blue"));
    scene.edit("user:b", p("sausage"));
    scene.back("user:a");
    assert_eq!(food(&scene), "first");
    scene.edit("user:b", p("burrito"));
    scene.forth("user:a");
    assert_eq!(food(&scene), "sausage");
    scene.back("user:a");
    assert_eq!(food(&scene), "burrito");
}

#[test]
fn a6_policies_decide_about_an_overwritten_field() {
    for (ask, left) in [(event as fn(u64) -> _, 5), (|version| event(version).keep(), 5)] {
        let mut scene = one(json!({ "p": 3, "q": 3 }));
        let e1 = scene.edit("user:a", [set("n", "/props/p", 0), set("n", "/props/q", 0)]);
        let e2 = scene.edit("user:b", p(5));
        let undo = scene.undo("user:a", ask(e1));
        undo.partial();
        let conflict = undo.conflict("overwritten");
        assert_eq!((&conflict["wanted"], &conflict["now"]), (&json!(3), &json!(5)));
        assert_eq!(
            (&conflict["version"], &conflict["actor"]),
            (&json!(e2), &json!("user:b"))
        );
        assert_eq!(
            (&conflict["node"], &conflict["pointer"]),
            (&json!("n"), &json!("/props/p"))
        );
        assert_eq!(
            (scene.prop("n", "p"), scene.prop("n", "q")),
            (Some(json!(left)), Some(json!(3)))
        );
    }
    let mut scene = one(json!({ "p": 3, "q": 3 }));
    let e1 = scene.edit("user:a", [set("n", "/props/p", 0), set("n", "/props/q", 0)]);
    scene.edit("user:b", p(5));
    match scene.refused_undo("user:a", event(e1).abort()) {
        UndoRefusal::Conflicts { conflicts } => assert_eq!(conflicts[0].kind.code(), "overwritten"),
        other => panic!("{other}"),
    }
    scene.undo("user:a", event(e1).restore()).applied();
    assert_eq!(
        (scene.prop("n", "p"), scene.prop("n", "q")),
        (Some(json!(3)), Some(json!(3)))
    );
}

#[test]
fn a6_the_default_restores_for_a_users_own_newest_only() {
    for (actor, restores) in [("user:a", true), ("agent:a", false)] {
        let mut scene = one(json!({ "p": 3, "q": 3 }));
        scene.edit(actor, [set("n", "/props/p", 0), set("n", "/props/q", 0)]);
        scene.edit("user:b", p(5));
        let undo = scene.undo(actor, newest());
        assert_eq!(undo.conflicts().is_empty(), restores, "{actor}");
        assert_eq!(
            scene.prop("n", "p"),
            Some(json!(if restores { 3 } else { 5 })),
            "{actor}"
        );
        assert_eq!(scene.prop("n", "q"), Some(json!(3)), "{actor}");
    }
}

#[test]
fn a6_a_sheet_is_one_field() {
    let mut scene = Scene::new(recto_pages::projections::Kind::Sheet, &json!(3));
    let put = |value: u8| [json!({ "op": "replaceSheet", "value": value })];
    let e1 = scene.edit("user:a", put(0));
    scene.edit("user:b", put(5));
    let kept = scene.undo("user:a", event(e1).keep());
    kept.noop();
    assert_eq!((kept.conflicts(), scene.json()), (vec!["overwritten"], json!(5)));

    let mut scene = Scene::new(recto_pages::projections::Kind::Sheet, &json!(3));
    scene.edit("user:a", put(0));
    scene.edit("user:b", put(5));
    scene.back("user:a").applied();
    assert_eq!(scene.json(), json!(3));
    scene.forth("user:a").applied();
    assert_eq!(scene.json(), json!(5));
}

#[test]
fn a6_a_colour_of_words_is_that_of_its_newest_setter() {
    let colour = |name: &str| [json!({ "retain": 3, "attributes": { "color": name } })];
    for order in [[0, 1], [1, 0]] {
        let mut scene = Scene::doc(&json!([{ "insert": "one\n" }]));
        let first = scene.version();
        let edits = [
            scene.edit("user:a", colour("red")),
            scene.edit("user:b", colour("blue")),
        ];
        scene.undo("user:c", event(edits[order[0]]));
        let left = if order[0] == 0 { "blue" } else { "red" };
        assert_eq!(scene.at("/0/attributes/color"), Some(json!(left)));
        scene.undo("user:c", event(edits[order[1]]));
        scene.expect_as_at(first);
    }
}

#[test]
fn a17_an_agent_writes_its_stale_copy_back_after_an_undo() {
    let mut scene = one(json!({ "p": 1 }));
    let e1 = scene.edit("agent:x", p(2));
    let undo = scene.undo_clean("user:u", e1);
    let conflict = scene.expect_conflict(e1, "agent:x", p(2), "overwritten");
    assert_eq!(
        (conflict.version, conflict.actor.as_deref()),
        (Some(undo), Some("user:u"))
    );
    let value = scene.value_at(e1).to_json();
    let refused = stale(scene.try_replace(e1, "agent:x", &value));
    assert_eq!(refused.missed.events.len(), 1);
    assert_eq!(refused.missed.events[0].version(), undo);
    scene.edit_from(undo, "agent:x", p(2));
    assert_eq!(scene.prop("n", "p"), Some(json!(2)));
}

#[test]
fn a17_what_the_agent_had_added_does_not_come_back_with_its_stale_copy() {
    let mut scene = one(json!({}));
    let e1 = scene.edit("agent:x", [add("m"), set("m", "/props/p", 1)]);
    scene.undo_clean("user:u", e1);
    scene.expect_conflict(e1, "agent:x", [set("m", "/props/p", 1)], "target_removed");
    let refused = stale(scene.try_edit(e1, "agent:x", [add("m")], recto_pages::SubmitOptions::default()));
    assert_eq!(refused.rebase, Rebasable::Conflicts);
    assert!(!scene.has("m"));
}

#[test]
fn a17_of_a_sheet_and_of_a_file() {
    let mut scene = Scene::new(recto_pages::projections::Kind::Sheet, &json!(1));
    let put = |value: u8| [json!({ "op": "replaceSheet", "value": value })];
    let e1 = scene.edit("user:a", put(2));
    let undo = scene.undo_clean("user:u", e1);
    let conflict = scene.expect_conflict(e1, "user:a", put(2), "not_rebased");
    assert_eq!(conflict.version, Some(undo));

    let mut scene = Scene::code(&json!({ "files": { "a": "x" } }));
    let e1 = scene.edit("agent:x", [json!({ "op": "addFile", "path": "b", "text": "y" })]);
    scene.undo_clean("user:u", e1);
    scene.expect_conflict(e1, "agent:x", [edit_file("b", ins(1, "z"))], "file_removed");
    assert_eq!(scene.json()["files"], json!({ "a": "x" }));
}
