//! A: whose step comes next: own stacks, turns, others' work left alone.

use recto_pages::{UndoRefusal, WriteError};
use recto_tests::undo::{Scene, Text, add, del, edit_text, event, ins, newest, newest_of, remove, set, stale, turn};
use serde_json::json;

fn canvas() -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": { "p": 0 } }] }))
}

fn p(value: u8) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

#[test]
fn a3_undo_my_last_never_takes_others_work() {
    let mut scene = Scene::design(&json!({}));
    scene.edit("user:b", [add("text")]);
    scene.edit("user:a", [add("r1")]);
    scene.edit("user:a", [add("r2")]);
    scene.back("user:a").clean();
    assert_eq!(scene.children(None), ["text", "r1"]);
    scene.back("user:a").clean();
    assert_eq!(scene.children(None), ["text"]);
    let head = scene.version();
    for _ in 0..3 {
        scene.expect_no_undo("user:a");
    }
    assert_eq!((scene.children(None), scene.version()), (vec!["text".to_owned()], head));
}

#[test]
fn a3_also_of_words_and_of_three_actors() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        for (at, actor) in ["user:a", "user:b", "agent:c"].iter().cycle().take(9).enumerate() {
            scene.write(actor, ins(at, &actor[actor.len() - 1..]));
        }
        assert_eq!(scene.text(), "abcabcabc", "{text:?}");
        for left in ["abcabcbc", "abcbcbc", "bcbcbc"] {
            scene.back("user:a").clean();
            assert_eq!(scene.text(), left, "{text:?}");
        }
        scene.expect_no_undo("user:a");
        for left in ["bcbcb", "bcbb", "bbb"] {
            scene.back("agent:c").clean();
            assert_eq!(scene.text(), left, "{text:?}");
        }
        scene.expect_no_undo("agent:c");
        assert_eq!(scene.text(), "bbb", "{text:?}");
    }
}

#[test]
fn a3_an_entry_without_effect_is_stepped_over_and_told() {
    let mut scene = canvas();
    scene.edit("user:a", p(1));
    let e2 = scene.edit("user:a", [add("m")]);
    scene.edit("user:b", [remove("m")]);
    let undo = scene.back("user:a");
    undo.applied();
    assert_eq!(undo.skipped(), ["no_effect"]);
    assert_eq!(undo.report().skipped.listed[0]["events"], json!([e2]));
    assert_eq!(scene.prop("n", "p"), Some(json!(0)));
    match scene.refused_undo("user:a", newest()) {
        UndoRefusal::Nothing { actor, redo, skipped } => assert_eq!((&*actor, redo, skipped), ("user:a", false, 1)),
        other => panic!("{other}"),
    }
}

#[test]
fn a3_an_own_edit_clears_redo_and_a_foreign_one_does_not() {
    let mut scene = canvas();
    scene.edit("user:a", p(1));
    scene.back("user:a").clean();
    scene.edit("user:b", [add("m")]);
    scene.forth("user:a").clean();
    assert_eq!(scene.prop("n", "p"), Some(json!(1)));
    scene.back("user:a").clean();
    scene.edit("user:a", [add("o")]);
    scene.expect_no_redo("user:a");
    assert!(scene.has("m") && scene.has("o"));
}

#[test]
fn a18_the_next_undo_of_a_client_is_the_agents_whole_turn() {
    let mut scene = canvas();
    let e1 = scene.edit("user:u", p(1));
    let before = scene.version();
    scene.edit_in("agent:x", "t", [add("m1")]);
    scene.edit_in("agent:x", "t", [set("m1", "/props/fill", "red"), add("m2")]);
    scene.edit_in("agent:x", "t", [set("n", "/props/p", 2)]);
    let undo = scene.undo("user:u", turn("t"));
    undo.applied();
    assert_eq!(undo.report().of, [5, 4, 3]);
    assert_eq!(undo.versions().len(), 3);
    scene.expect_as_at(before);
    scene.undo_clean("user:u", e1);
    scene.expect_as_at(1);
}

#[test]
fn a18_a_turn_is_one_step_of_the_agents_own_stack() {
    let mut scene = canvas();
    scene.edit_in("agent:x", "t1", [add("m1")]);
    scene
        .edit_all("agent:x", "t2", [[add("m2")], [add("m3")], [set("m3", "/props/x", 1)]])
        .unwrap();
    scene.edit("user:u", [add("own")]);
    scene.back("agent:x").applied();
    assert_eq!(scene.children(None), ["n", "m1", "own"]);
    scene.back("agent:x").clean();
    assert_eq!(scene.children(None), ["n", "own"]);
    scene.expect_no_undo("agent:x");
    scene.forth("agent:x").clean();
    scene.forth("agent:x").applied();
    assert_eq!(scene.children(None), ["n", "m1", "m2", "m3", "own"]);
    assert_eq!(scene.prop("m3", "x"), Some(json!(1)));
}

#[test]
fn a18_a_turn_of_text_with_the_user_typing_into_it() {
    for text in Text::ALL {
        let mut scene = text.scene("BASE");
        scene
            .edit_all(
                "agent:x",
                "t",
                [
                    text.wrap(ins(4, " one")),
                    text.wrap(ins(8, " two")),
                    text.wrap(del(0, 2)),
                ],
            )
            .unwrap();
        assert_eq!(scene.text(), "SE one two");
        scene.write("user:u", ins(4, "!"));
        let undo = scene.undo("user:u", turn("t"));
        undo.applied();
        assert_eq!(scene.text(), "BASE!", "{text:?}");
        scene.redo("user:u", turn("t")).applied();
        assert_eq!(scene.text(), "SE o!ne two", "{text:?}");
        match scene.refused_redo("user:u", turn("t")) {
            UndoRefusal::NotUndone { .. } => {}
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a18_of_a_turn_what_another_undid_already_is_left_out() {
    let mut scene = canvas();
    scene.edit_in("agent:x", "t", [add("m1")]);
    let e2 = scene.edit_in("agent:x", "t", [add("m2")]);
    scene.edit_in("agent:x", "t", [add("m3")]);
    scene.undo_clean("user:u", e2);
    let undo = scene.undo("user:u", turn("t"));
    assert_eq!(
        (undo.report().of.len(), scene.children(None)),
        (2, vec!["n".to_owned()])
    );
    assert!(matches!(
        scene.refused_undo("user:u", turn("t")),
        UndoRefusal::AlreadyUndone { .. }
    ));
    assert!(matches!(
        scene.refused_undo("user:u", turn("nobody's")),
        UndoRefusal::TurnNotFound { .. }
    ));
}

#[test]
fn a18_somebody_else_undoes_the_newest_of_an_agent() {
    let mut scene = canvas();
    scene.edit("agent:x", [add("m")]);
    scene.edit("user:u", p(1));
    scene.undo("user:u", newest_of("agent:x")).clean();
    assert_eq!((scene.has("m"), scene.prop("n", "p")), (false, Some(json!(1))));
    // Whoever undid it can redo it.
    scene.forth("user:u").clean();
    assert!(scene.has("m"));
    scene.back("agent:x").clean();
    assert!(!scene.has("m"));
}

#[test]
fn a13_as_many_redos_as_undos_end_where_they_began() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        let mut states = vec![scene.version()];
        for (at, letter) in "abcdef".char_indices() {
            states.push(scene.write("user:a", ins(at, &letter.to_string())));
        }
        for steps in [1, 3, 6, 2] {
            for step in 0..steps {
                scene.back("user:a").clean();
                scene.expect_as_at(states[5 - step]);
            }
            for step in (0..steps).rev() {
                scene.forth("user:a").clean();
                scene.expect_as_at(states[6 - step]);
            }
            scene.expect_no_redo("user:a");
        }
    }
}

#[test]
fn a13_fifty_rounds_of_text_stay_the_same_size() {
    for text in Text::ALL {
        let mut scene = text.scene("BASE");
        for letter in ["a", "b", "c"] {
            scene.write("user:a", ins(2, letter));
        }
        scene.back("user:a").clean();
        scene.back("user:a").clean();
        scene.forth("user:a").clean();
        scene.write("user:b", ins(0, "x"));
        let mut sizes = std::collections::BTreeSet::new();
        for _ in 0..50 {
            let undo = scene.back("user:a").clean();
            assert_eq!(scene.text(), "xBAaSE");
            let redo = scene.forth("user:a").clean();
            assert_eq!(scene.text(), "xBAbaSE");
            sizes.insert((scene.payload_bytes(undo), scene.payload_bytes(redo)));
        }
        assert_eq!(sizes.len(), 1, "{text:?}: {sizes:?}");
    }
}

#[test]
fn a13_the_second_undo_of_an_event_is_of_its_redo() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", [add("m")]);
    let undo = scene.undo_clean("user:a", e1);
    let redo = scene.redo_clean("user:a", undo);
    assert_eq!(scene.event(redo).cause(), Some(undo));
    let again = scene.undo_clean("user:a", e1);
    assert_eq!(scene.event(again).cause(), Some(redo));
    assert!(!scene.has("m"));
    match scene.refused_undo("user:a", event(e1)) {
        UndoRefusal::AlreadyUndone { version, by } => assert_eq!((version, by), (e1, again)),
        other => panic!("{other}"),
    }
}

#[test]
fn a17_an_undo_that_was_decided_before_anothers_undo_is_stale() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(1));
    let e2 = scene.edit("user:b", [add("m")]);
    let undo = scene.undo_clean("user:b", e1);
    let refused = stale(scene.try_undo_from(e2, "user:a", event(e1)));
    assert_eq!(
        refused.missed.events.last().map(recto_pages::PageEvent::version),
        Some(undo)
    );
}

#[test]
fn a18_an_undo_decided_before_a_foreign_edit_still_does_what_it_means() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(1));
    scene.edit("user:b", [add("m")]);
    scene.try_undo_from(e1, "user:a", newest()).unwrap().clean();
    assert_eq!((scene.prop("n", "p"), scene.has("m")), (Some(json!(0)), true));
    // With an own edit in between the newest is another one.
    let e3 = scene.edit("user:a", p(5));
    scene.edit("user:a", p(6));
    let refused = scene.try_undo_from(e3, "user:a", newest());
    assert!(matches!(refused, Err(WriteError::Stale(_))), "{refused:?}");
}

#[test]
fn a8_a_text_in_a_node_that_comes_and_goes() {
    let mut scene = Scene::design(&json!({ "nodes": [{ "id": "n", "type": "text", "props": { "t": "BASE" } }] }));
    let e1 = scene.edit("user:a", [edit_text("n", "/props/t", ins(2, "x"))]);
    let e2 = scene.edit("user:b", [remove("n")]);
    let undo = scene.undo("user:a", event(e1));
    undo.noop();
    assert_eq!(undo.skipped(), ["removed"]);
    scene.undo("user:b", event(e2));
    assert!(scene.has("n"));
}
