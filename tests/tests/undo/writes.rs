//! D: retries, stale reads and whole values, where undo comes into it.

use recto_pages::{At, OnStale, ReadError, Rebasable, SubmitOptions, UndoPage, WriteError};
use recto_store::CommitFault;
use recto_tests::service::{Ground, caller_named, id, tight};
use recto_tests::undo::{
    PAGE, Request, Scene, Text, add, del, edit_file, event, ins, newest, node_of, remove, set, side_by_side, stale,
};
use serde_json::json;

fn canvas() -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": { "p": 1 } }] }))
}

fn p(value: u8) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

fn undo_of(scene: &mut Scene, version: u64) -> UndoPage {
    let base = scene.base(scene.version());
    event(version).of(caller_named("user:a"), id(PAGE), base, scene.command())
}

#[test]
fn d1_an_undo_sent_again_is_done_once_also_after_a_restart() {
    let mut scene = Scene::on(
        &Ground::rocks(),
        tight(),
        recto_pages::projections::Kind::Design,
        &json!({ "nodes": [node_of("n", None)] }),
    );
    let e1 = scene.edit("user:a", p(2));
    let undo = undo_of(&mut scene, e1);
    let first = scene.send(Request::Undo(undo.clone())).unwrap();
    scene.edit("user:b", [add("m")]);
    scene.reopen();
    let again = scene.wait(scene.service.pages.undo(undo.clone())).unwrap();
    assert!(again.replayed);
    assert_eq!((again.version, &again.report), (first.version, &first.report));
    let other = UndoPage { redo: true, ..undo };
    let refused = scene.wait(scene.service.pages.undo(other));
    assert!(
        matches!(refused, Err(WriteError::CommandIdReused { .. })),
        "{refused:?}"
    );
    scene.edit("user:b", [add("o")]);
}

#[test]
fn d1_an_undo_sent_twice_at_once_is_done_once() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(2));
    let undo = undo_of(&mut scene, e1);
    let pages = &scene.service.pages;
    let both = scene.wait(async { tokio::join!(pages.undo(undo.clone()), pages.undo(undo)) });
    let (one, two) = (both.0.unwrap(), both.1.unwrap());
    assert_eq!((one.version, one.replayed != two.replayed), (two.version, true));
    assert_eq!(
        scene.wait(scene.service.read(PAGE, At::Head)).unwrap().at.version,
        e1 + 1
    );
}

#[test]
fn d1_a_restore_sent_again_with_another_version_is_another_request() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(2));
    scene.edit("user:a", p(3));
    let restore = recto_pages::RestorePage {
        caller: caller_named("user:a"),
        page: id(PAGE),
        base: scene.base(scene.version()),
        version: e1,
        command: scene.command(),
    };
    scene.send(Request::Restore(restore.clone())).unwrap();
    let refused = scene.wait(
        scene
            .service
            .pages
            .restore(recto_pages::RestorePage { version: 1, ..restore }),
    );
    assert!(
        matches!(refused, Err(WriteError::CommandIdReused { .. })),
        "{refused:?}"
    );
}

#[test]
fn d3_a_derived_child_with_the_same_id_is_made_once() {
    let mut scene = canvas();
    let label = || [json!({ "op": "addNode", "node": { "id": "n/label", "type": "text", "parentId": "n" } })];
    let v1 = scene.version();
    let e1 = scene.edit("user:a", label());
    scene.expect_conflict(v1, "user:b", label(), "id_taken");
    scene.expect_conflict(v1, "agent:x", label(), "id_taken");
    assert_eq!(scene.children(Some("n")), ["n/label"]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(Some("n")), [] as [&str; 0]);
}

#[test]
fn d4_a_whole_value_from_a_stale_snapshot_is_refused_and_a_merge_keeps_the_padding() {
    let mut scene = canvas();
    let v1 = scene.version();
    let mut turned = scene.json();
    let e1 = scene.edit("user:u", [set("n", "/props/padding", 8)]);
    turned["nodes"]["n"]["props"]["p"] = json!(2);
    let refused = stale(scene.try_replace(v1, "agent:x", &turned));
    let missed: Vec<_> = refused
        .missed
        .events
        .iter()
        .map(recto_pages::PageEvent::version)
        .collect();
    assert_eq!((missed, refused.rebase), (vec![e1], Rebasable::Never));
    let e2 = scene.edit_from(v1, "agent:x", p(2));
    assert_eq!(
        (scene.prop("n", "p"), scene.prop("n", "padding")),
        (Some(json!(2)), Some(json!(8)))
    );
    scene.undo_clean("user:u", e2);
    assert_eq!(
        (scene.prop("n", "p"), scene.prop("n", "padding")),
        (Some(json!(1)), Some(json!(8)))
    );
}

#[test]
fn d4_also_of_words_and_of_files() {
    let mut scene = Scene::doc(&json!([{ "insert": "one\n" }]));
    let v1 = scene.version();
    scene.edit("user:u", ins(3, " two"));
    stale(scene.try_replace(v1, "agent:x", &json!([{ "insert": "ONE\n" }])));
    scene.edit_from(v1, "agent:x", [json!({ "delete": 1 }), json!({ "insert": "O" })]);
    assert_eq!(scene.json(), json!([{ "insert": "One two\n" }]));

    let mut scene = Scene::code(&json!({ "files": { "a": "1", "b": "2" } }));
    let v1 = scene.version();
    scene.edit("user:u", [edit_file("a", ins(1, "!"))]);
    stale(scene.try_replace(v1, "agent:x", &json!({ "files": { "a": "1", "b": "3" } })));
    scene.edit_from(v1, "agent:x", [edit_file("b", ins(1, "?"))]);
    assert_eq!(scene.json()["files"], json!({ "a": "1!", "b": "2?" }));
}

#[test]
fn d4_a_stale_write_that_shall_not_be_rebased_is_told_that_it_could() {
    let mut scene = canvas();
    let v1 = scene.version();
    scene.edit("user:u", [add("m")]);
    let options = SubmitOptions {
        on_stale: OnStale::Reject,
        ..SubmitOptions::default()
    };
    assert_eq!(
        stale(scene.try_edit(v1, "agent:x", p(2), options)).rebase,
        Rebasable::Yes
    );
}

#[test]
fn d6_a_replaced_text_is_a_small_difference_that_others_undo_goes_over() {
    for text in [Text::Doc, Text::Code] {
        let mut scene = text.scene("The quick brown fox jumps");
        let e1 = scene.write("user:a", ins(4, "very "));
        let new = "The very quick red fox jumps over";
        let whole = match text {
            Text::Doc => json!([{ "insert": format!("{new}\n") }]),
            _ => json!({ "files": { "f": new }, "entry": "f" }),
        };
        let e2 = scene.replace("agent:x", &whole);
        scene.undo_clean("user:a", e1);
        assert_eq!(scene.text(), "The quick red fox jumps over", "{text:?}");
        scene.undo_clean("agent:x", e2);
        assert_eq!(scene.text(), "The quick brown fox jumps", "{text:?}");
        scene.expect_as_at(1);
    }
}

#[test]
fn d6_a_replaced_canvas_is_a_small_difference_too() {
    let mut scene = Scene::design(&side_by_side(&["a", "b", "n"]));
    let e1 = scene.edit("user:a", [set("a", "/props/x", 1)]);
    let mut whole = scene.json();
    whole["nodes"]["b"]["props"]["x"] = json!(2);
    let e2 = scene.replace("agent:x", &whole);
    let delta = json!([{ "op": "setNode", "id": "b", "set": { "/props/x": 2 } }]);
    assert_eq!(scene.delta_of(e2), delta);
    scene.undo_clean("user:a", e1);
    assert_eq!((scene.prop("a", "x"), scene.prop("b", "x")), (None, Some(json!(2))));
    scene.undo_clean("agent:x", e2);
    scene.expect_as_at(1);
}

#[test]
fn d6_a_stale_edit_goes_over_a_replaced_text() {
    for text in [Text::Doc, Text::Code] {
        let mut scene = text.scene("one two three");
        let v1 = scene.version();
        let whole = match text {
            Text::Doc => json!([{ "insert": "one 2 three\n" }]),
            _ => json!({ "files": { "f": "one 2 three" }, "entry": "f" }),
        };
        scene.replace("agent:x", &whole);
        let e2 = scene.write_from(v1, "user:a", ins(13, "!"));
        assert_eq!(scene.text(), "one 2 three!", "{text:?}");
        scene.undo_clean("user:a", e2);
        assert_eq!(scene.text(), "one 2 three", "{text:?}");
    }
}

#[test]
fn d7_a_token_from_before_a_deletion_is_not_that_of_the_page_that_came_back() {
    let mut scene = canvas();
    let v1 = scene.version();
    scene.set_deleted("user:b", true);
    scene.set_deleted("user:b", false);
    let value = json!({ "nodes": [] });
    assert_eq!(stale(scene.try_replace(v1, "user:a", &value)).missed.events.len(), 2);
    stale(scene.try_restore(v1, "user:a", 1));
    assert!(scene.has("n"));
}

#[test]
fn d9_replacing_removes_by_name_and_one_undo_brings_all_back() {
    let mut scene = Scene::design(&side_by_side(&["a", "b", "c"]));
    let e1 = scene.replace("agent:x", &json!({ "nodes": [node_of("b", None)] }));
    let delta = scene.delta_of(e1);
    let removed: Vec<_> = delta
        .as_array()
        .unwrap()
        .iter()
        .filter(|op| op["op"] == "removeNode")
        .map(|op| &op["id"])
        .collect();
    assert_eq!(removed.len(), 2);
    let other = scene.edit("user:b", [set("b", "/props/x", 1)]);
    scene.undo_clean("user:u", e1);
    assert_eq!(scene.children(None), ["a", "b", "c"]);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn d10_an_offline_edit_of_what_was_removed_does_not_bring_it_back() {
    let mut scene = canvas();
    let v1 = scene.version();
    let e1 = scene.edit("user:a", [remove("n")]);
    let conflict = scene.expect_conflict(v1, "user:b", p(5), "target_removed");
    assert_eq!(conflict.version, Some(e1));
    assert!(!scene.has("n"));
    // Where the removal was undone in the meantime, the edit has its node.
    scene.undo_clean("user:a", e1);
    scene.edit_from(v1, "user:b", p(5));
    assert_eq!(scene.prop("n", "p"), Some(json!(5)));
}

#[test]
fn d10_nor_one_made_before_an_undo_took_the_creation_back() {
    for text in [false, true] {
        let mut scene = Scene::code(&json!({ "files": { "a": "" } }));
        let e1 = scene.edit("user:a", [json!({ "op": "addFile", "path": "n", "text": "new" })]);
        scene.undo_clean("user:a", e1);
        let late = if text {
            edit_file("n", ins(3, "!"))
        } else {
            json!({ "op": "renameFile", "path": "n", "to": "m" })
        };
        scene.expect_conflict(e1, "user:b", [late], "file_removed");
    }
}

#[test]
fn d11_looking_at_stacks_and_previews_changes_nothing() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(2));
    scene.undo_clean("user:a", e1);
    let undo = undo_of(&mut scene, e1);
    let before = scene.wait(scene.service.bytes());
    for _ in 0..3 {
        assert_eq!(scene.stacks("user:a").redo.len(), 1);
        let redo = UndoPage {
            redo: true,
            ..undo.clone()
        };
        let preview = scene.wait(scene.service.pages.preview_undo(redo)).unwrap();
        assert_eq!((preview.events.len(), preview.digest), (1, scene.value_at(e1).digest()));
        scene.service.pages.forget_cached();
    }
    assert_eq!(scene.wait(scene.service.bytes()), before);
}

#[test]
fn d13_an_undo_or_restore_that_the_store_refuses_leaves_all_bytes() {
    let faults = [
        CommitFault::Rejected,
        CommitFault::Unavailable,
        CommitFault::Indeterminate { applied: false },
    ];
    for fault in faults {
        for restores in [false, true] {
            let mut scene = canvas();
            let e1 = scene.edit("user:a", p(2));
            scene.edit("user:b", [add("m")]);
            let undo = undo_of(&mut scene, e1);
            let restore = recto_pages::RestorePage {
                caller: undo.caller.clone(),
                page: undo.page.clone(),
                base: undo.base,
                version: 1,
                command: undo.command.clone(),
            };
            let request = if restores {
                Request::Restore(restore)
            } else {
                Request::Undo(undo)
            };
            let before = scene.wait(scene.service.bytes());
            scene.service.memory().fail_commit(1, fault);
            let refused = scene.wait(request.clone().send(&scene.service.pages));
            assert!(refused.is_err(), "{refused:?}");
            assert_eq!(scene.wait(scene.service.bytes()), before);
            let written = scene.send(request).unwrap();
            assert_eq!(written.events.len(), 1);
            assert_eq!(scene.prop("n", "p"), Some(json!(1)));
            let back = if restores {
                scene.back("user:a")
            } else {
                scene.forth("user:a")
            };
            back.clean();
            assert_eq!(scene.prop("n", "p"), Some(json!(2)));
        }
    }
}

#[test]
fn d16_a_page_made_twice_is_made_once_also_after_undos() {
    let mut scene = Text::Doc.scene("template");
    let value = scene.value().clone();
    scene.write("user:a", del(0, 8));
    scene.back("user:a").clean();
    let again = scene.wait(scene.service.create(PAGE, value, "make it again")).unwrap();
    assert_eq!((again.version, again.replayed), (1, true));
    assert_eq!(scene.text(), "template");
    scene.write("user:a", ins(0, "x"));
}

#[test]
fn d16_a_page_that_was_never_made_cannot_be_undone() {
    let scene = canvas();
    let base = scene.base(1);
    let refused = scene.wait(scene.service.undo("nowhere", base, newest(), "c"));
    assert!(
        matches!(
            refused,
            Err(WriteError::PageNotFound { .. } | WriteError::Read(ReadError::PageNotFound { .. }))
        ),
        "{refused:?}"
    );
}
