//! D: a restore does not get in the way of the one who asked for it, and can be undone.

use recto_pages::SubmitOptions;
use recto_tests::undo::{Scene, Text, add, ins, set, stale};
use serde_json::json;

fn canvas() -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": { "p": 1 } }] }))
}

fn p(value: u8) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

#[test]
fn d15_the_answer_of_a_restore_is_the_base_of_the_next_write() {
    let mut scene = canvas();
    scene.edit("user:a", p(2));
    let e2 = scene.edit("user:b", [add("m")]);
    let written = scene.try_restore(e2, "user:a", 1).unwrap();
    assert_eq!((written.version, written.epoch, written.events.len()), (e2 + 1, 1, 1));
    scene.expect_as_at(1);
    scene.edit_from(written.version, "user:a", p(4));
    assert_eq!(scene.prop("n", "p"), Some(json!(4)));
}

#[test]
fn d15_what_was_made_before_a_restore_is_refused_and_the_restore_can_be_undone() {
    for text in [Text::Doc, Text::Code] {
        let mut scene = text.scene("one");
        scene.write("user:a", ins(3, " two"));
        let e2 = scene.write("user:b", ins(7, " three"));
        let restored = scene.restore("user:a", 1);
        let options = SubmitOptions::default();
        let refused = stale(scene.try_edit(e2, "user:b", text.wrap(ins(0, "!")), options));
        let codes: Vec<_> = refused.conflicts.iter().map(|conflict| conflict.kind.code()).collect();
        assert_eq!(codes, ["restored_since"], "{text:?}");
        scene.write("user:b", ins(0, "!"));
        scene.undo_clean("user:a", restored);
        assert_eq!(scene.text(), "!one two three", "{text:?}");
        scene.redo_clean("user:a", restored);
        assert_eq!(scene.text(), "!one", "{text:?}");
    }
}

#[test]
fn d15_a_restored_canvas_takes_later_edits_along_when_the_restore_is_undone() {
    let mut scene = canvas();
    scene.edit("user:a", p(2));
    let e2 = scene.edit("user:b", [add("m")]);
    let restored = scene.restore("user:a", 1);
    scene.expect_conflict(e2, "user:b", [set("n", "/props/q", 1)], "restored_since");
    scene.edit("user:b", [set("n", "/props/q", 1)]);
    scene.undo_clean("user:a", restored);
    assert!(scene.has("m"));
    let props = ["p", "q"].map(|name| scene.prop("n", name).unwrap());
    assert_eq!(props, [json!(2), json!(1)]);
}

#[test]
fn d15_a_restore_to_the_same_value_makes_no_event() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(2));
    scene.undo_clean("user:a", e1);
    let written = scene.try_restore(scene.version(), "user:a", 1).unwrap();
    assert_eq!((written.events.len(), written.epoch), (0, 0));
    scene.forth("user:a").clean();
}
