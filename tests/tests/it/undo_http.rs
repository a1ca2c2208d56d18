//! Undo over HTTP on DESIGN pages: one's own part is taken back, everybody else's stays, and the stream tells it.

use recto_tests::Json;
use recto_tests::api::{self, number, text};
use serde_json::json;

use crate::story::{ANN, BEN, BOT, PAGE, Story, add, codes, move_to, remove, set};

/// The inverse of a label's edit holds the label and nothing else, so later edits of the agent survive it.
#[test]
fn a1_undo_of_a_label_leaves_what_an_agent_did_since() {
    let story = Story::design(&json!({ "n1": { "text": "a" }, "n2": {} }));
    story.edit(ANN, json!([set("n1", "text", "b")]));
    story.edit(BOT, json!([set("n2", "fill", "red"), add("n3", &json!({}))]));
    let undone = story.undo(ANN, json!({ "event": 2 }));
    assert_eq!(undone["undo"]["outcome"], "applied");
    let inverse = &story.api.events(PAGE)[1]["inverse"];
    assert_eq!(inverse, &json!([set("n1", "text", "a")]));
    for story in [&story, &reloaded(&story)] {
        assert_eq!(story.props("n1"), json!({ "text": "a" }));
        assert_eq!(story.props("n2"), json!({ "fill": "red" }));
        assert_eq!(story.props("n3"), json!({}));
    }
    story.expect_stream(&["create", "edit", "edit", "undo 2"]);
    story.expect_way_back();
}

/// The same page for somebody who has just come.
fn reloaded(story: &Story) -> Story {
    let other = Story::new("DESIGN", &story.value());
    assert_eq!(other.api.page(PAGE)["digest"], story.api.page(PAGE)["digest"]);
    other
}

#[test]
fn a2_undo_leaves_another_field_that_somebody_else_set() {
    let story = Story::design(&json!({ "n": { "c": "black" } }));
    story.edit(ANN, json!([move_to("n", 10)]));
    story.edit(BEN, json!([set("n", "c", "red")]));
    let undone = story.undo(ANN, json!({ "event": 2 }));
    assert_eq!(undone["undo"]["conflicts"], json!([]));
    let node = &story.value()["nodes"]["n"];
    assert_eq!((number(&node["geometry"]["x"]), text(&node["props"]["c"])), (0, "red"));
    story.expect_stream(&["create", "edit", "edit", "undo 2"]);
    story.expect_way_back();
}

#[test]
fn a3_undo_of_ones_newest_never_takes_what_others_did() {
    let story = Story::design(&json!({}));
    story.edit(BEN, json!([add("text", &json!({}))]));
    story.edit(ANN, json!([add("r1", &json!({}))]));
    story.edit(ANN, json!([add("r2", &json!({}))]));
    for left in [json!(["text", "r1"]), json!(["text"])] {
        story.undo(ANN, json!({}));
        let nodes: Json = story.value()["nodes"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(nodes, left);
    }
    for _ in 0..3 {
        let refused = story.expect_nothing_changes(|| story.send(ANN, api::undo(PAGE, 1, &json!({}))));
        let refused = refused.expect_problem(409, "nothing_to_undo").json();
        assert_eq!(text(&refused["actor"]), ANN);
    }
    story.expect_stream(&["create", "edit", "edit", "edit", "undo 4", "undo 3"]);
    assert_eq!(story.stacks(ANN), (json!([]), json!([[3], [4]])));
    assert_eq!(story.stacks(BEN), (json!([[2]]), json!([])));
    story.expect_way_back();
}

/// A redo returns to what was there at the time of the undo, not to what the edit had set.
#[test]
fn a6_redo_returns_to_what_was_there_at_the_undo() {
    let story = Story::design(&json!({ "n": { "p": 3 } }));
    story.edit(ANN, json!([set("n", "p", 0)]));
    story.edit(BEN, json!([set("n", "p", 5)]));
    let kept = story.expect_nothing_changes(|| {
        let trial = json!({ "event": 2, "policy": "keep", "dryRun": true });
        story.undo(ANN, trial)
    });
    assert_eq!(codes(&kept["undo"]["conflicts"]), ["overwritten"]);
    let undone = story.undo(ANN, json!({ "event": 2, "policy": "restore" }));
    assert_eq!(codes(&undone["undo"]["notes"]), ["restored"]);
    assert_eq!(story.props("n"), json!({ "p": 3 }));
    story.redo(ANN, json!({}));
    assert_eq!(story.props("n"), json!({ "p": 5 }));
    story.expect_stream(&["create", "edit", "edit", "undo 2", "redo 4"]);
    story.expect_way_back();
}

#[test]
fn a6_blue_sausage_burrito() {
    let story = Story::design(&json!({ "n": { "p": "first" } }));
    let expect = |value: &str| assert_eq!(story.props("n"), json!({ "p": value }));
    story.edit(ANN, json!([set("n", "p", "blue")]));
    story.edit(BEN, json!([set("n", "p", "sausage")]));
    // A user who takes back the newest of their own sets it back over what others wrote.
    story.undo(ANN, json!({}));
    expect("first");
    story.edit(BEN, json!([set("n", "p", "burrito")]));
    story.redo(ANN, json!({}));
    expect("sausage");
    story.undo(ANN, json!({}));
    expect("burrito");
    story.expect_stream(&["create", "edit", "edit", "undo 2", "edit", "redo 4", "undo 6"]);
    story.expect_way_back();
}

#[test]
fn a7_a_removal_undone_does_not_bring_back_what_was_never_to_be() {
    let story = Story::design(&json!({}));
    story.edit(ANN, json!([add("n", &json!({}))]));
    story.edit(BEN, json!([remove("n")]));
    let undone = story.undo(ANN, json!({ "event": 2 }));
    assert_eq!(undone["undo"]["outcome"], "noop");
    assert_eq!(codes(&undone["undo"]["skipped"]), ["already_removed"]);
    // It shows nothing, and is remembered.
    story.expect_stream(&["create", "edit", "edit", "undo 2"]);
    let undone = story.undo(BEN, json!({ "event": 3 }));
    assert_eq!(codes(&undone["undo"]["conflicts"]), ["create_undone"]);
    assert_eq!(story.value()["nodes"], json!({}));
    story.expect_way_back();
}

/// An agent's turn as a live client takes it back: it comes on the feed with its turn, and goes in one step; the next
/// step is the user's own edit.
#[test]
fn a18_undo_takes_back_the_agents_turn_and_then_ones_own_edit() {
    let story = Story::design(&json!({ "n": { "text": "a" } }));
    let mut feed = story.api.follow("/v1/pages/p/feed", None).expect("a feed");
    feed.caught_up();
    story.edit(ANN, json!([set("n", "text", "b")]));
    let turn = json!([[set("n", "text", "c")], [add("m", &json!({}))], [set("m", "text", "d")]]);
    let written = story.send(BOT, api::deltas(PAGE, 1, &turn).in_turn("turn-7"));
    assert_eq!(number(&written.expect(200).json()["version"]), 5);
    let told = feed.read_upto(1, 5);
    assert_eq!(told[0].name, "page-edit");
    let mut on_the_clients_stack = None;
    for (event, version) in told[1..].iter().zip(3..) {
        let json = event.json();
        assert_eq!((event.name.as_str(), text(&json["actor"])), ("agent-page-edit", BOT));
        assert_eq!(json, story.api.read(&format!("/v1/pages/p/events/{version}")));
        assert!(json["delta"].is_array() && json["inverse"].is_array() && json["undoable"] == json!(true));
        on_the_clients_stack = Some(text(&json["turn"]).to_owned());
    }
    let undone = story.undo(ANN, json!({ "turn": on_the_clients_stack }));
    assert_eq!(
        (&undone["undo"]["of"], &undone["undo"]["outcome"]),
        (&json!([5, 4, 3]), &json!("applied"))
    );
    assert_eq!(story.value()["nodes"].as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(story.props("n"), json!({ "text": "b" }));
    // The undos are the user's, and say so on the feed.
    for event in feed.read_upto(5, 8) {
        assert_eq!((event.name.as_str(), text(&event.json()["actor"])), ("page-edit", ANN));
    }
    story.undo(ANN, json!({}));
    assert_eq!(story.props("n"), json!({ "text": "a" }));
    story.expect_stream(&[
        "create", "edit", "edit", "edit", "edit", "undo 5", "undo 4", "undo 3", "undo 2",
    ]);
    // One step each, back again.
    story.redo(ANN, json!({}));
    assert_eq!(story.props("n"), json!({ "text": "b" }));
    story.redo(ANN, json!({}));
    assert_eq!(
        (story.props("n"), story.props("m")),
        (json!({ "text": "c" }), json!({ "text": "d" }))
    );
    story.expect_way_back();
}

/// What another made anew is live already; what others edited since its creation stays unless it is forced.
#[test]
fn a21_what_another_has_made_anew_is_not_brought_back_twice() {
    let story = Story::design(&json!({}));
    story.edit(ANN, json!([add("n", &json!({}))]));
    story.edit(ANN, json!([remove("n")]));
    story.edit(BEN, json!([add("n", &json!({})), set("n", "colour", "red")]));
    let undone = story.undo(ANN, json!({ "event": 3 }));
    assert_eq!(undone["undo"]["outcome"], "noop");
    assert_eq!(codes(&undone["undo"]["skipped"]), ["already_there"]);
    assert_eq!(story.props("n"), json!({ "colour": "red" }));
    let kept = story.undo(ANN, json!({ "event": 2, "dryRun": true }));
    assert_eq!(codes(&kept["undo"]["conflicts"]), ["edited_since"]);
    assert_eq!(
        (&kept["undo"]["outcome"], &kept["events"]),
        (&json!("noop"), &json!([]))
    );
    let gone = story.undo(ANN, json!({ "event": 2, "force": true }));
    assert_eq!(codes(&gone["undo"]["notes"]), ["forced"]);
    assert_eq!(story.value()["nodes"], json!({}));
    story.expect_way_back();
}

/// The same where the other has undone the removal.
#[test]
fn a21_a_removal_that_another_has_undone_is_undone_already() {
    let story = Story::design(&json!({}));
    story.edit(ANN, json!([add("n", &json!({}))]));
    story.edit(ANN, json!([remove("n")]));
    story.undo(BEN, json!({ "event": 3 }));
    story.edit(BEN, json!([set("n", "colour", "red")]));
    let refused = story.expect_nothing_changes(|| story.send(ANN, api::undo(PAGE, 1, &json!({ "event": 3 }))));
    let refused = refused.expect_problem(409, "already_undone").json();
    assert_eq!(number(&refused["by"]), 4);
    let kept = story.undo(ANN, json!({ "event": 2 }));
    assert_eq!(
        (&kept["undo"]["outcome"], &kept["changed"]),
        (&json!("noop"), &json!(false))
    );
    assert_eq!(codes(&kept["undo"]["conflicts"]), ["edited_since"]);
    assert_eq!(story.props("n"), json!({ "colour": "red" }));
    story.undo(ANN, json!({ "event": 2, "force": true }));
    assert_eq!(story.value()["nodes"], json!({}));
    story.expect_stream(&["create", "edit", "edit", "undo 3", "edit", "undo 2"]);
    // What went by force comes back whole.
    story.redo(ANN, json!({}));
    assert_eq!(story.props("n"), json!({ "colour": "red" }));
    story.expect_way_back();
}
