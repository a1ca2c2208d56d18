//! G: what holds of undo, redo and restore themselves.

use recto_pages::projections::Kind;
use recto_pages::{At, EventKind, ReadError, Rebasable, Settings, SubmitOptions, UndoPage, UndoRefusal, WriteError};
use recto_store::Key;
use recto_tests::service::{Ground, caller_named, id, key};
use recto_tests::undo::{
    PAGE, Scene, Text, add, add_at, add_in, event, ins, move_to, newest, remove, set, stale, turn, unset,
};
use serde_json::json;

fn canvas() -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": { "p": 0 } }] }))
}

fn p(value: u8) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

fn reaching(undo_events_max: u64, rebase_events_max: u64) -> Scene {
    let settings = Settings {
        undo_events_max,
        rebase_events_max,
        ..Settings::default()
    };
    Scene::on(&Ground::memory(), settings, Kind::Design, &canvas().json())
}

#[test]
fn g2_nested_changes_of_one_command_are_one_event_with_a_whole_inverse() {
    let mut scene = canvas();
    let e1 = scene.edit(
        "user:a",
        [
            add_at("f", "first"),
            add_in("g", "f"),
            move_to("n", json!({ "parentId": "g", "geometry": { "x": 5 } })),
            set("n", "/props/p", 1),
            set("n", "/props/p", 2),
            unset("n", "/props/p"),
            add("gone"),
            remove("gone"),
            set("f", "/props/name", "Frame"),
        ],
    );
    let other = scene.edit("user:b", [add("x")]);
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn g3_a_creation_is_on_no_stack() {
    for text in Text::ALL {
        let mut scene = text.scene("first");
        scene.expect_no_undo("user:ada");
        assert!(scene.stacks("user:ada").undo.is_empty());
        match scene.refused_undo("user:ada", event(1)) {
            UndoRefusal::NotUndoable { version, kind } => assert_eq!((version, kind), (1, EventKind::Create)),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn g3_what_is_marked_not_undoable_is_on_no_stack() {
    let mut scene = canvas();
    let options = SubmitOptions {
        undoable: false,
        ..SubmitOptions::default()
    };
    let import = scene.try_edit(1, "user:a", [add("imported")], options).unwrap().version;
    scene.edit("user:a", p(1));
    scene.back("user:a").clean();
    scene.expect_no_undo("user:a");
    assert!(scene.has("imported"));
    assert!(matches!(
        scene.refused_undo("user:a", event(import)),
        UndoRefusal::NotUndoable { .. }
    ));
    scene.set_deleted("user:a", true);
    let hidden = scene.set_deleted("user:a", false);
    assert!(matches!(
        scene.refused_undo("user:a", event(hidden)),
        UndoRefusal::NotUndoable { .. }
    ));
    scene.expect_no_undo("user:a");
    scene.forth("user:a").clean();
}

#[test]
fn g4_an_undo_that_fails_leaves_no_mode_behind() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(1));
    scene.edit("user:b", p(2));
    assert!(matches!(
        scene.refused_undo("user:a", event(e1).abort()),
        UndoRefusal::Conflicts { .. }
    ));
    let missing = scene.try_undo("user:a", event(99));
    assert!(
        matches!(
            missing,
            Err(WriteError::Read(ReadError::NoSuchVersion { version: 99, .. }))
        ),
        "{missing:?}"
    );
    assert!(matches!(
        scene.try_undo("user:a", event(0)),
        Err(WriteError::Read(ReadError::NoSuchVersion { .. }))
    ));
    scene.edit("user:a", [add("m")]);
    scene.back("user:a").clean();
    scene.forth("user:a").clean();
    assert!(scene.has("m"));
}

#[test]
fn g6_with_a_damaged_entry_the_states_before_it_are_served() {
    let mut scene = canvas();
    for value in 1..=6 {
        scene.edit("user:a", p(value));
    }
    let damaged = 4;
    let stored = Key::Event(key(PAGE));
    assert!(
        scene
            .service
            .memory()
            .corrupt(&stored, damaged, |bytes| *bytes.last_mut().unwrap() ^= 4)
    );
    scene.service.pages.forget_cached();
    for version in 1..damaged {
        let state = scene.wait(scene.service.read(PAGE, At::Version(version))).unwrap();
        assert_eq!(state.digest(), scene.value_at(version).digest());
    }
    let base = scene.base(scene.version());
    let undo = event(damaged).of(caller_named("user:a"), id(PAGE), base, id("over the damage"));
    let refused = scene.wait(scene.service.pages.undo(undo));
    assert!(
        matches!(refused, Err(WriteError::Read(ReadError::Corrupt { version, .. })) if version == damaged),
        "{refused:?}"
    );
}

#[test]
fn g8_a_restore_takes_a_version_and_tells_it() {
    let mut scene = canvas();
    let v2 = scene.edit("user:a", p(1));
    scene.edit("user:a", p(2));
    let head = scene.version();
    for version in [1, v2] {
        // Looking at one version first does not change which one comes.
        scene.wait(scene.service.read(PAGE, At::Version(head))).unwrap();
        let restored = scene.restore("user:a", version);
        scene.expect_as_at(version);
        let event = scene.event(restored);
        assert_eq!(
            (event.kind().unwrap(), event.cause()),
            (EventKind::Restore, Some(version))
        );
    }
    scene.back("user:a").clean();
    scene.back("user:a").clean();
    scene.expect_as_at(head);
}

#[test]
fn g9_a_restore_that_fails_says_why() {
    let mut scene = canvas();
    scene.edit("user:a", p(1));
    for version in [0, 3] {
        let refused = scene.try_restore(2, "user:a", version);
        assert!(
            matches!(refused, Err(WriteError::Read(ReadError::NoSuchVersion { .. }))),
            "{refused:?}"
        );
    }
    assert_eq!(stale(scene.try_restore(1, "user:a", 1)).rebase, Rebasable::Never);
    scene.set_deleted("user:a", true);
    let refused = scene.try_restore(3, "user:a", 1);
    assert!(matches!(refused, Err(WriteError::PageDeleted { .. })), "{refused:?}");
}

#[test]
fn g11_a_base_or_an_event_out_of_reach_is_told_and_never_guessed() {
    let mut scene = reaching(6, 4);
    let e1 = scene.edit("user:a", p(1));
    for id in ["a", "b", "c", "d", "e", "f"] {
        scene.edit("user:b", [add(id)]);
    }
    let refused = stale(scene.try_edit(1, "user:a", [add("z")], SubmitOptions::default()));
    assert_eq!(
        (refused.rebase, refused.head.version),
        (Rebasable::TooFar, scene.version())
    );
    match scene.refused_undo("user:a", event(e1)) {
        UndoRefusal::HistoryTooLong { version, limit } => assert_eq!((version, limit), (e1, 6)),
        other => panic!("{other}"),
    }
    scene.expect_no_undo("user:a");
    assert!(matches!(
        scene.refused_undo("user:b", turn("t")),
        UndoRefusal::TurnNotFound { .. }
    ));
    scene.back("user:b").clean();
    scene.restore("user:a", 1);
}

#[test]
fn g12_a_history_on_disk_replays_to_the_same_digests() {
    let mut scene = Scene::on(
        &Ground::rocks(),
        recto_tests::service::tight(),
        Kind::Doc,
        &json!([{ "insert": "BASE\n" }]),
    );
    for round in 0..6 {
        scene.edit("user:a", ins(2, "a"));
        scene.edit("user:b", ins(round, "b"));
        scene.back("user:a").clean();
        scene.forth("user:a").clean();
        scene.back("user:b").clean();
        if round % 3 == 2 {
            scene.restore("user:a", round as u64 + 1);
            scene.reopen();
        }
    }
    for version in 1..=scene.version() {
        let state = scene.wait(scene.service.read(PAGE, At::Version(version))).unwrap();
        assert_eq!(state.digest(), scene.value_at(version).digest());
        assert_eq!(scene.event(version).digest(), state.digest());
    }
    let verified = scene.wait(scene.service.verify(PAGE));
    assert!(verified.damage.is_none());
}

#[test]
fn g15_consecutive_undos_never_undo_an_undo() {
    let mut scene = canvas();
    for value in 1..=4 {
        scene.edit("user:a", p(value));
    }
    for value in [3, 2, 1, 0] {
        let undo = scene.back("user:a").clean();
        assert_eq!(scene.prop("n", "p"), Some(json!(value)));
        assert_eq!(scene.event(undo).kind().unwrap(), EventKind::Undo);
    }
    scene.expect_no_undo("user:a");
    for value in 1..=4 {
        let redo = scene.forth("user:a").clean();
        assert_eq!(scene.prop("n", "p"), Some(json!(value)));
        assert_eq!(scene.event(redo).kind().unwrap(), EventKind::Redo);
    }
}

#[test]
fn g15_an_undo_is_undone_by_its_id_and_that_is_a_redo() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(1));
    let undo = scene.undo_clean("user:a", e1);
    let redo = scene.undo_clean("user:b", undo);
    let event_of = scene.event(redo);
    assert_eq!(
        (event_of.kind().unwrap(), event_of.cause()),
        (EventKind::Redo, Some(undo))
    );
    assert_eq!(scene.prop("n", "p"), Some(json!(1)));
    assert!(matches!(
        scene.refused_undo("user:b", event(undo)),
        UndoRefusal::AlreadyUndone { .. }
    ));
    assert!(matches!(
        scene.refused_redo("user:b", event(e1)),
        UndoRefusal::NotUndone { .. }
    ));
    // The edit is back on the stack of the one who made it.
    scene.back("user:a").clean();
    assert_eq!(scene.prop("n", "p"), Some(json!(0)));
}

#[test]
fn g15_of_two_undos_decided_from_one_version_one_wins() {
    let mut scene = canvas();
    scene.edit("user:a", p(1));
    scene.edit("user:a", p(2));
    let base = scene.base(scene.version());
    let ask = |command: &str| newest().of(caller_named("user:a"), id(PAGE), base, id(command));
    let pages = &scene.service.pages;
    let (one, two) = scene.wait(async { tokio::join!(pages.undo(ask("tab 1")), pages.undo(ask("tab 2"))) });
    let lost = if one.is_ok() { two } else { one };
    assert!(matches!(lost, Err(WriteError::Stale(_))), "{lost:?}");
    let head = scene.wait(scene.service.read(PAGE, At::Head)).unwrap();
    assert_eq!(
        (
            head.at.version,
            head.value.to_json()["nodes"]["n"]["props"]["p"].clone()
        ),
        (4, json!(1))
    );
}

#[test]
fn g17_a_compensation_names_who_did_it_and_what_it_is_of() {
    let mut scene = canvas();
    let e1 = scene.edit("agent:x", [remove("n")]);
    scene.edit("user:b", [add("m")]);
    let undo = scene.undo_clean("user:u", e1);
    let told = scene.event(undo);
    assert_eq!((told.event.actor.as_str(), told.cause()), ("user:u", Some(e1)));
    assert_eq!(scene.event(told.cause().unwrap()).event.actor, "agent:x");
    let redo = scene.redo_clean("user:b", undo);
    let told = scene.event(redo);
    assert_eq!((told.event.actor.as_str(), told.cause()), ("user:b", Some(undo)));
}

#[test]
fn g17_a_retry_by_somebody_else_is_another_request() {
    let mut scene = canvas();
    let e1 = scene.edit("user:a", p(1));
    let base = scene.base(e1);
    let ask = |actor: &str| event(e1).of(caller_named(actor), id(PAGE), base, id("one command"));
    scene.wait(scene.service.pages.undo(ask("user:a"))).unwrap();
    let refused = scene.wait(scene.service.pages.undo(UndoPage { base, ..ask("user:b") }));
    assert!(
        matches!(refused, Err(WriteError::CommandIdReused { .. })),
        "{refused:?}"
    );
}
