//! Versions and what may not change them: refusals, reads, deletions, restores.

use recto_tests::api::{self, Write, number, text};
use serde_json::json;

use crate::story::{ANN, BEN, PAGE, Story, add, insert, remove, set};

/// A page that is deleted takes no write of an earlier version, whatever it is; its id is not free again.
#[test]
fn d7_a_tag_from_before_a_deletion_is_refused() {
    let story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    story.send(ANN, api::delete(PAGE, 1)).expect(200);
    let writes = [
        api::deltas(PAGE, 2, &json!([insert(0, "y")])),
        api::replace(PAGE, 2, &json!({ "files": {} })),
        api::undo(PAGE, 2, &json!({})),
        api::restore(PAGE, 2, 1),
    ];
    for write in &writes {
        let refused = story.expect_nothing_changes(|| story.api.send(&write.clone().by(ANN)));
        refused.expect_problem(410, "page_deleted");
    }
    story
        .api
        .send(&api::create(
            PAGE,
            "CODE",
            &json!({ "files": { "f": "ab" }, "entry": null }),
        ))
        .expect_problem(410, "page_deleted");
    story.send(ANN, api::undelete(PAGE, 1)).expect(200);
    for write in &writes {
        story.api.send(write).expect_problem(409, "version_conflict");
    }
    story.expect_stream(&["create", "edit", "delete", "undelete"]);
}

/// Reading, looking and trying out append nothing and change nothing.
#[test]
fn d11_reading_never_changes_a_page() {
    let story = Story::design(&json!({ "n": { "a": 1 } }));
    story.edit(ANN, json!([set("n", "a", 2)]));
    story.edit(BEN, json!([add("m", &json!({}))]));
    let stacks = story.stacks(ANN);
    story.expect_nothing_changes(|| {
        for path in [
            "/v1/pages/p?at=1",
            "/v1/pages/p/events",
            "/v1/pages/p/events/2",
            "/v1/pages/p/diff?from=1",
            "/v1/pages/p/undo-stack?actor=user:ann&at=2",
            "/v1/pages/p/undo-stack?actor=nobody",
            "/v1/pages?limit=1",
            "/v1/pages/none",
        ] {
            for _ in 0..3 {
                story.api.get(path).assert_sound();
            }
        }
        story
            .api
            .follow("/v1/pages/p/feed", Some(0))
            .expect("a feed")
            .caught_up();
        let trials = [
            api::undo(PAGE, 1, &json!({ "dryRun": true })),
            api::undo(PAGE, 1, &json!({ "event": 2, "force": true, "dryRun": true })),
            api::restore(PAGE, 1, 1).with(&json!({ "version": 1, "dryRun": true })),
        ];
        for trial in trials {
            let told = story.send(ANN, trial).expect(200).json();
            assert_eq!(told["events"].as_array().map(Vec::len), Some(1), "{told}");
        }
    });
    assert_eq!(story.stacks(ANN), stacks);
    story.expect_stream(&["create", "edit", "edit"]);
}

/// A refused write leaves every byte that can be read, and neither a version nor a position is gone.
#[test]
fn d13_a_refused_write_leaves_everything_as_it_is() {
    let story = Story::design(&json!({ "n": { "a": 1 }, "m": {} }));
    story.edit(ANN, json!([set("n", "a", 2)]));
    story.edit(BEN, json!([set("n", "a", 3), remove("m")]));
    let deltas = |base, delta| api::deltas(PAGE, base, &json!([delta]));
    let writes: Vec<(Write, u16)> = vec![
        (deltas(1, json!([set("n", "a", 4)])), 409),
        (deltas(2, json!([set("m", "a", 4)])), 409),
        (deltas(3, json!([set("none", "a", 4)])), 422),
        (deltas(9, json!([set("n", "a", 4)])), 412),
        (api::replace(PAGE, 2, &json!({ "nodes": {} })), 409),
        (api::replace(PAGE, 3, &json!({ "nodes": 1 })), 400),
        (api::undo(PAGE, 3, &json!({ "event": 1 })), 422),
        (api::undo(PAGE, 3, &json!({ "event": 2, "policy": "abort" })), 409),
        (api::redo(PAGE, 3, &json!({})), 409),
        (api::undo(PAGE, 9, &json!({})), 412),
        (api::restore(PAGE, 3, 4), 404),
        (api::restore(PAGE, 2, 1), 409),
    ];
    let position = number(&story.api.events(PAGE)[2]["position"]);
    let feed = story.api.read("/v1/pages/p/events")["events"].clone();
    for (write, status) in writes {
        let answer = story.expect_nothing_changes(|| story.api.send(&write.clone().by(ANN)));
        assert_eq!(answer.status, status, "{answer}");
        let key = write.key.expect("a key");
        let asked = story
            .api
            .get(&format!("/v1/commands/{}", recto_tests::http::percent(&key)));
        asked.expect_problem(404, "command_not_found");
    }
    story.edit(ANN, json!([set("n", "b", 1)]));
    let events = story.api.events(PAGE);
    assert_eq!(number(&events[3]["position"]), position + 1);
    assert_eq!(json!(events[..3]), feed);
    story.expect_stream(&["create", "edit", "edit", "edit"]);
}

/// What a restore answers is enough to write again; whoever wrote before it is told.
#[test]
fn d15_the_answer_of_a_restore_is_the_base_of_the_next_write() {
    let story = Story::code("one");
    story.edit(ANN, insert(3, " two"));
    story.edit(BEN, insert(7, " three"));
    let restored = story.send(ANN, api::restore(PAGE, 1, 2)).expect(200);
    let json = restored.json();
    assert_eq!(
        (
            number(&json["version"]),
            number(&json["epoch"]),
            number(&json["restoredFrom"])
        ),
        (4, 1, 2)
    );
    assert_eq!(json["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(restored.header("etag"), Some("\"4.1\""));
    assert_eq!(story.text(), "one two");
    let tag = text(&json["etag"]);
    let next = api::deltas(PAGE, 1, &json!([insert(0, "zero ")])).on_tag(tag).by(ANN);
    let next = story.api.send(&next).expect(200).json();
    assert_eq!(text(&next["etag"]), "\"5.1\"");
    let late = story
        .api
        .send(&api::deltas(PAGE, 3, &json!([insert(0, "late")])).by(BEN));
    let late = late.expect_problem(409, "version_conflict").json();
    assert_eq!(text(&late["conflicts"][0]["code"]), "restored_since");
    // The version of one epoch is none of another.
    let mixed = api::deltas(PAGE, 4, &json!([insert(0, "late")]));
    story.api.send(&mixed).expect_problem(412, "base_unknown");
    // Nothing happens where the page is so already, and the restore itself is undone like an edit.
    let again = story.send(ANN, api::restore(PAGE, 1, 5)).expect(200).json();
    assert_eq!((&again["changed"], number(&again["restoredFrom"])), (&json!(false), 5));
    let undone = story.undo(ANN, json!({ "event": 4 }));
    assert_eq!(undone["undo"]["of"], json!([4]));
    assert_eq!(story.text(), "zero one two three");
    story.expect_stream(&["create", "edit", "edit", "restore 2", "edit", "undo 4"]);
    story.expect_way_back();
}
