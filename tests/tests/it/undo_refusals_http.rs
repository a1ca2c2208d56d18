//! What cannot be undone over HTTP: each refusal has its own code, and appends nothing.

use std::sync::Barrier;
use std::thread;

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, number, text};
use recto_tests::check::expect_replay;
use recto_tests::http::Answer;
use recto_tests::server::Server;
use serde_json::json;

use crate::story::{ANN, BEN, PAGE, Story, add, codes, insert, set};

/// An undo or a redo from the head that is refused; its problem. Nothing has changed.
#[track_caller]
fn expect_refused(story: &Story, write: Write, status: u16, code: &str) -> Json {
    let answer: Answer = story.expect_nothing_changes(|| story.send(ANN, write));
    answer.expect_problem(status, code).json()
}

fn undo(what: Json) -> Write {
    api::undo(PAGE, 1, &what)
}

fn redo(what: Json) -> Write {
    api::redo(PAGE, 1, &what)
}

#[test]
fn what_is_not_undoable_is_not_undone() {
    let story = Story::code("ab");
    let edit = json!({ "delta": insert(0, "x"), "undoable": false });
    let written = story.send(ANN, api::deltas(PAGE, 1, &json!([])).with(&edit));
    assert_eq!(written.expect(200).json()["events"][0]["undoable"], json!(false));
    story.send(ANN, api::delete(PAGE, 1)).expect(200);
    story.send(ANN, api::undelete(PAGE, 1)).expect(200);
    for (event, kind) in [(1, "create"), (2, "edit"), (3, "delete"), (4, "undelete")] {
        let told = expect_refused(&story, undo(json!({ "event": event })), 422, "not_undoable");
        assert_eq!((number(&told["version"]), text(&told["kind"])), (event, kind));
        expect_refused(
            &story,
            redo(json!({ "event": format!("p@{event}") })),
            422,
            "not_undoable",
        );
    }
    expect_refused(&story, undo(json!({})), 409, "nothing_to_undo");
    story.expect_stream(&["create", "edit", "delete", "undelete"]);
}

#[test]
fn an_event_of_another_page_or_of_none_is_not_undone() {
    let story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    story.api.write(&api::create("q", "CODE", &json!({ "files": {} })));
    let told = expect_refused(&story, undo(json!({ "event": "q@1" })), 422, "event_of_another_page");
    assert_eq!((text(&told["event"]), text(&told["page"])), ("q@1", "q"));
    let told = expect_refused(&story, undo(json!({ "event": "p@3" })), 404, "version_not_found");
    assert_eq!(number(&told["head"]), 2);
    expect_refused(&story, undo(json!({ "turn": "t" })), 404, "turn_not_found");
    for malformed in ["p", "p@", "p@x", "p@-1", "p@02", "@2", "2", "p@2 "] {
        expect_refused(&story, undo(json!({ "event": malformed })), 400, "malformed");
    }
    story.undo(ANN, json!({ "event": "p@2" }));
    story.expect_stream(&["create", "edit", "undo 2"]);
}

#[test]
fn what_is_undone_already_is_not_undone_again() {
    let story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    let told = expect_refused(&story, redo(json!({ "event": 2 })), 409, "not_undone");
    assert_eq!((number(&told["version"]), number(&told["by"])), (2, 2));
    story.undo(ANN, json!({ "event": 2 }));
    let told = expect_refused(&story, undo(json!({ "event": 2 })), 409, "already_undone");
    assert_eq!((number(&told["version"]), number(&told["by"])), (2, 3));
    // To undo the undo is to redo; then what stands for the edit is its redo.
    story.undo(ANN, json!({ "event": 3 }));
    assert_eq!(story.text(), "xab");
    expect_refused(&story, redo(json!({ "event": 2 })), 409, "not_undone");
    story.undo(ANN, json!({ "event": 2 }));
    assert_eq!(story.text(), "ab");
    story.expect_stream(&["create", "edit", "undo 2", "redo 3", "undo 4"]);
}

#[test]
fn with_nothing_to_undo_or_redo_nothing_is() {
    let story = Story::design(&json!({ "n": {} }));
    for actor in [ANN, BEN, "agent:layout", "system:recto"] {
        let told = expect_refused(&story, undo(json!({ "actor": actor })), 409, "nothing_to_undo");
        assert_eq!(text(&told["actor"]), actor);
        expect_refused(&story, redo(json!({ "actor": actor })), 409, "nothing_to_redo");
    }
    story.edit(ANN, json!([set("n", "a", 1)]));
    story.undo(ANN, json!({}));
    story.edit(BEN, json!([set("n", "b", 1)]));
    // Somebody else's edit leaves the redo; an own one takes it.
    assert_eq!(story.stacks(ANN), (json!([]), json!([[2]])));
    story.edit(ANN, json!([set("n", "c", 1)]));
    expect_refused(&story, redo(json!({})), 409, "nothing_to_redo");
    story.expect_stream(&["create", "edit", "undo 2", "edit", "edit"]);
}

#[test]
fn beyond_the_limit_only_a_restore_helps() {
    let server = Server::start_with(&["--undo-events-max", "6"]);
    let story = Story::on(server, "DESIGN", &json!({ "nodes": {} }));
    for number in 0..8 {
        story.edit(ANN, json!([add(&format!("n{number}"), &json!({}))]));
    }
    let told = expect_refused(&story, undo(json!({ "event": 2 })), 422, "history_too_long");
    assert_eq!((number(&told["version"]), number(&told["limit"])), (2, 6));
    for _ in 0..3 {
        story.undo(ANN, json!({}));
    }
    // What moved out of reach meanwhile is off the stack.
    expect_refused(&story, undo(json!({})), 409, "nothing_to_undo");
    let restored = story.send(ANN, api::restore(PAGE, 1, 2)).expect(200).json();
    assert_eq!(number(&restored["restoredFrom"]), 2);
    assert_eq!(story.value()["nodes"].as_object().map(serde_json::Map::len), Some(1));
}

#[test]
fn a_deleted_page_is_neither_undone_nor_restored() {
    let story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    story.send(ANN, api::delete(PAGE, 1)).expect(200);
    for write in [
        undo(json!({})),
        undo(json!({ "event": 2 })),
        redo(json!({})),
        api::restore(PAGE, 1, 1),
    ] {
        let told = expect_refused(&story, write, 410, "page_deleted");
        assert_eq!(number(&told["head"]["version"]), 3);
    }
    story.send(ANN, api::undelete(PAGE, 1)).expect(200);
    story.undo(ANN, json!({}));
    assert_eq!(story.text(), "ab");
    story.expect_stream(&["create", "edit", "delete", "undelete", "undo 2"]);
}

#[test]
fn a_body_that_says_two_things_or_an_unknown_one_is_refused() {
    let story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    for (body, pointer) in [
        (json!({ "policy": "maybe" }), "/policy"),
        (json!({ "policy": 1 }), "/policy"),
        (json!({ "event": 2, "turn": "t" }), ""),
        (json!({ "event": 2, "actor": ANN }), ""),
        (json!({ "event": 2, "version": 2 }), "/version"),
        (json!({ "actor": "ann" }), "/actor"),
        (json!({ "dryRun": 1 }), "/dryRun"),
        (json!("undo"), ""),
    ] {
        for write in [undo(body.clone()), redo(body.clone())] {
            let told = expect_refused(&story, write, 400, "malformed");
            assert_eq!(text(&told["pointer"]), pointer, "{body}");
        }
    }
    for body in [
        json!({}),
        json!({ "version": 0 }),
        json!({ "version": "1" }),
        json!({ "event": 1 }),
    ] {
        expect_refused(&story, api::restore(PAGE, 1, 1).with(&body), 400, "malformed");
    }
    expect_refused(&story, api::restore(PAGE, 1, 3), 404, "version_not_found");
}

#[test]
fn d5_an_undo_without_a_base_is_428() {
    let story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    for write in [undo(json!({})), redo(json!({})), api::restore(PAGE, 1, 1)] {
        story.expect_nothing_changes(|| {
            let bare = write.clone().without_base();
            story.api.send(&bare).expect_problem(428, "base_required");
            story.api.send(&write.clone().on(7)).expect_problem(412, "base_unknown");
            story
                .api
                .send(&write.clone().on_tag("*"))
                .expect_problem(400, "if_match_any");
            let keyless = Write {
                key: None,
                ..write.clone().on(2)
            };
            story.api.send(&keyless).expect_problem(400, "idempotency_key_missing");
        });
    }
}

/// A retry of an undo is no second undo, also after others have written, and after a restart.
#[test]
fn d1_an_undo_sent_again_is_done_once() {
    let mut story = Story::code("");
    for (at, letter) in ["a", "b", "c"].into_iter().enumerate() {
        story.edit(ANN, insert(at, letter));
    }
    let write = undo(json!({})).by(ANN).on(4).key("once");
    let first = story.api.send(&write).expect(200);
    assert_eq!(first.json()["undo"]["of"], json!([4]));
    expect_replay(&first, &story.api.send(&write));
    story.edit(BEN, insert(0, "x"));
    for base in [1, 4, 5, 6] {
        expect_replay(&first, &story.api.send(&write.clone().on(base)));
    }
    story = Story {
        server: story.server.restart(),
        api: story.api,
    };
    story.api = Api::of(&story.server);
    expect_replay(&first, &story.api.send(&write));
    assert_eq!(story.api.read("/v1/commands/once"), first.json());
    for other in [
        json!({ "event": 3 }),
        json!({ "force": true }),
        json!({ "policy": "keep" }),
    ] {
        let other = write.clone().with(&other);
        story.api.send(&other).expect_problem(422, "idempotency_key_reused");
    }
    let other = redo(json!({})).by(ANN).on(6).key("once");
    story.api.send(&other).expect_problem(422, "idempotency_key_reused");
    story.expect_stream(&["create", "edit", "edit", "edit", "undo 4", "edit"]);
    assert_eq!(story.text(), "xab");
}

#[test]
fn a_dry_run_tells_what_the_undo_then_does_and_appends_nothing() {
    let overwritten = || {
        let story = Story::design(&json!({ "n": { "a": 1, "b": 1 } }));
        story.edit(ANN, json!([set("n", "a", 2), set("n", "b", 2)]));
        story.edit(BEN, json!([set("n", "a", 3)]));
        story
    };
    for (policy, outcome) in [("keep", "partial"), ("restore", "applied")] {
        let story = overwritten();
        let trial = json!({ "event": 2, "policy": policy, "dryRun": true });
        let keyless = Write {
            key: None,
            ..undo(trial)
        };
        let told = story.expect_nothing_changes(|| story.send(ANN, keyless));
        assert_eq!(told.header("etag"), Some(story.tag().as_str()));
        let told = told.expect(200).json();
        assert_eq!(
            (&told["dryRun"], text(&told["undo"]["outcome"])),
            (&json!(true), outcome)
        );
        let done = story.undo(ANN, json!({ "event": 2, "policy": policy }));
        assert_eq!(told["undo"], done["undo"]);
        for field in ["kind", "cause", "delta", "inverse"] {
            assert_eq!(told["events"][0][field], done["events"][0][field], "{field}");
        }
        assert_eq!(told["digest"], done["events"][0]["digest"]);
        story.expect_stream(&["create", "edit", "edit", "undo 2"]);
    }
    let story = overwritten();
    for dry_run in [false, true] {
        let abort = json!({ "event": 2, "policy": "abort", "dryRun": dry_run });
        let refused = expect_refused(&story, undo(abort), 409, "undo_conflicts");
        assert_eq!(codes(&refused["conflicts"]), ["overwritten"]);
        assert_eq!(number(&refused["conflicts"][0]["event"]), 2);
    }
}

/// Whoever decided from a state in which the other had not undone yet is told.
#[test]
fn two_undos_of_one_base_have_one_winner() {
    let story = Story::code("");
    let server = &story.server;
    for round in 0..20_u64 {
        story.edit(ANN, insert(0, "a"));
        story.edit(BEN, insert(0, "b"));
        let base = story.head();
        let start = Barrier::new(2);
        let answers: Vec<Answer> = thread::scope(|scope| {
            let undo_of = |actor: &'static str, what: Json| {
                let start = &start;
                scope.spawn(move || {
                    let api = Api::of(server);
                    api.get("/healthz").expect(200);
                    start.wait();
                    api.send(&api::undo(PAGE, base, &what).by(actor))
                })
            };
            let threads = if round % 2 == 0 {
                [undo_of(ANN, json!({})), undo_of(BEN, json!({}))]
            } else {
                [
                    undo_of(ANN, json!({ "event": base })),
                    undo_of(ANN, json!({ "event": base })),
                ]
            };
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!((won.len(), lost.len()), (1, 1), "of {base}");
        let told = lost[0].clone().expect_problem(409, "version_conflict").json();
        assert_eq!(told["missed"], won[0].json()["events"]);
        assert_eq!(told["rebase"], json!({ "possible": null, "reason": "never" }));
        assert_eq!(story.head(), base + 1);
    }
}
