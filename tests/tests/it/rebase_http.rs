//! Stale writes over HTTP: brought to the head where nothing stands in their way, else refused with all that does.

use recto_tests::Json;
use recto_tests::api::{self, Write, number, text};
use recto_tests::check::{expect_replay, expect_taken_back};
use recto_tests::http::Answer;
use serde_json::json;

use crate::story::{ANN, BEN, BOT, PAGE, Story, add, codes, delete, edit_file, insert, remove, set};

/// A stale write of one delta, with what it says beside.
fn stale(base: u64, actor: &str, delta: &Json, options: &Json) -> Write {
    let mut body = json!({ "delta": delta });
    for (name, value) in options.as_object().expect("options") {
        body[name] = value.clone();
    }
    api::deltas(PAGE, base, &json!([])).with(&body).by(actor)
}

/// A stale write that is refused and leaves nothing; what it is told of the rebase, and the codes of its conflicts.
#[track_caller]
fn expect_conflict(story: &Story, write: &Write, possible: Json, reason: Json, expected: &[&str]) -> Json {
    let refused = story.expect_nothing_changes(|| story.api.send(write));
    let json = refused.expect_problem(409, "version_conflict").json();
    assert_eq!(
        json["rebase"],
        json!({ "possible": possible, "reason": reason }),
        "{json}"
    );
    assert_eq!(codes(&json["conflicts"]), expected, "{json}");
    json
}

#[test]
fn a5_undo_of_a_winning_write_gives_the_value_that_it_met() {
    let story = Story::design(&json!({ "n": { "x": 1 } }));
    story.edit(ANN, json!([set("n", "x", 2)]));
    let mine = json!([set("n", "x", 3)]);
    let conflict = expect_conflict(
        &story,
        &stale(1, BEN, &mine, &json!({})),
        json!(false),
        json!("conflicts"),
        &["overwritten"],
    );
    let conflict = &conflict["conflicts"][0];
    assert_eq!((number(&conflict["delta"]), number(&conflict["op"])), (0, 0));
    assert_eq!(
        (&conflict["before"], &conflict["mine"], &conflict["theirs"]),
        (&json!(1), &json!(3), &json!(2))
    );
    assert_eq!((number(&conflict["version"]), text(&conflict["actor"])), (2, ANN));
    let written = story
        .api
        .write(&stale(1, BEN, &mine, &json!({ "onOverwrite": "mine" })));
    assert_eq!(codes(&written["rebase"]["notes"]), ["took_over"]);
    assert_eq!(story.props("n"), json!({ "x": 3 }));
    story.undo(BEN, json!({ "event": 3 }));
    assert_eq!(story.props("n"), json!({ "x": 2 }));
    story.expect_stream(&["create", "edit", "edit", "undo 3"]);
    story.expect_way_back();
}

/// The inverse of every accepted stale write is that of what was committed, on the state that it met.
#[test]
fn a15_the_inverse_of_a_rebased_write_leads_back() {
    let story = Story::code("one two three");
    story.edit(ANN, json!([edit_file(json!([{ "retain": 4 }, { "delete": 3 }]))[0]]));
    let written = story.api.write(&api::deltas(PAGE, 1, &json!([delete(2, 4)])).by(BEN));
    assert_eq!(story.text(), "on three");
    assert_ne!(
        written["events"][0]["delta"],
        delete(2, 4),
        "two of its letters were gone"
    );
    expect_taken_back(&story.api, PAGE, &written);

    let story = Story::design(&json!({ "n": { "a": 1, "b": 2 } }));
    story.edit(ANN, json!([set("n", "a", 5)]));
    let both = json!([set("n", "a", 5), set("n", "b", 6)]);
    let written = story.api.write(&api::deltas(PAGE, 1, &json!([both])).by(BEN));
    assert_eq!(written["events"][0]["delta"], json!([set("n", "b", 6)]));
    assert_eq!(written["rebase"]["dropped"][0]["pointer"], "/props/a");
    expect_taken_back(&story.api, PAGE, &written);

    let story = Story::new("DOC", &json!([{ "insert": "one\n" }]));
    story.edit(ANN, json!([{ "insert": "zero " }]));
    let bold = json!([{ "retain": 3, "attributes": { "bold": true } }]);
    let written = story.api.write(&api::deltas(PAGE, 1, &json!([bold])).by(BEN));
    assert_eq!(
        written["events"][0]["delta"],
        json!([{ "retain": 5 }, { "retain": 3, "attributes": { "bold": true } }])
    );
    expect_taken_back(&story.api, PAGE, &written);
}

/// An agent that writes its stale copy back over a user's undo is told so, by the undo's version.
#[test]
fn a17_an_undo_is_not_overwritten_by_a_stale_copy() {
    let story = Story::design(&json!({ "n": { "text": "a" } }));
    let mine = json!([set("n", "text", "agent")]);
    story.edit(BOT, mine.clone());
    story.undo(ANN, json!({ "event": 2 }));
    let conflict = expect_conflict(
        &story,
        &stale(2, BOT, &mine, &json!({})),
        json!(false),
        json!("conflicts"),
        &["overwritten"],
    );
    let conflict = &conflict["conflicts"][0];
    assert_eq!((number(&conflict["version"]), text(&conflict["actor"])), (3, ANN));
    assert_eq!(story.props("n"), json!({ "text": "a" }));
    story.edit(BOT, mine);
    assert_eq!(story.props("n"), json!({ "text": "agent" }));
    story.expect_stream(&["create", "edit", "undo 2", "edit"]);
    story.expect_way_back();
}

/// A stale write whose answer was lost is done once, whatever has happened since.
#[test]
fn d1_a_rebased_write_sent_again_is_done_once() {
    let mut story = Story::code("ab");
    story.edit(ANN, insert(0, "x"));
    let write = api::deltas(PAGE, 1, &json!([insert(2, "y")])).by(BEN).key("lost");
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| story.api.send(&write))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (replays, firsts): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|answer| answer.header("idempotency-replayed").is_some());
    assert_eq!((firsts.len(), firsts[0].status), (1, 200));
    for replay in replays {
        expect_replay(firsts[0], replay);
    }
    let first = firsts[0].clone();
    story.edit(ANN, insert(0, "z"));
    story = Story {
        api: story.api.clone(),
        server: story.server.restart(),
    };
    story.api = api::Api::of(&story.server);
    for base in [1, 2, 3, 4] {
        expect_replay(&first, &story.api.send(&write.clone().on(base)));
    }
    let other = stale(1, BEN, &insert(2, "y"), &json!({ "onOverwrite": "mine" })).key("lost");
    story.api.send(&other).expect_problem(422, "idempotency_key_reused");
    assert_eq!(story.text(), "zxaby");
    story.expect_stream(&["create", "edit", "edit", "edit"]);
}

/// Whoever names a child after its parent makes it once, however many do.
#[test]
fn d3_a_child_with_a_derived_id_is_made_once() {
    let story = Story::design(&json!({ "n": {} }));
    let label = json!([add("n/label", &json!({ "text": "n" }))]);
    story.edit(ANN, label.clone());
    for actor in [BEN, BOT] {
        let conflict = expect_conflict(
            &story,
            &stale(1, actor, &label, &json!({})),
            json!(false),
            json!("conflicts"),
            &["id_taken"],
        );
        assert_eq!(text(&conflict["conflicts"][0]["node"]), "n/label");
    }
    assert_eq!(story.value()["nodes"].as_object().map(serde_json::Map::len), Some(2));
    story.expect_stream(&["create", "edit"]);
}

#[test]
fn d4_a_stale_whole_document_is_refused_and_a_merge_keeps_what_others_set() {
    let story = Story::design(&json!({ "n": { "padding": 0, "text": "a" } }));
    let mut whole = story.value();
    whole["nodes"]["n"]["props"]["text"] = json!("agent");
    story.edit(ANN, json!([set("n", "padding", 8)]));
    let replace = api::replace(PAGE, 1, &whole).by(BOT);
    let refused = expect_conflict(&story, &replace, json!(null), json!("never"), &[]);
    assert_eq!(
        refused["missed"][0]["delta"],
        json!([set("n", "padding", 8)]),
        "what changed"
    );
    let written = story
        .api
        .write(&stale(1, BOT, &json!([set("n", "text", "agent")]), &json!({})));
    assert_eq!(
        (&written["rebase"]["base"], &written["rebase"]["over"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(story.props("n"), json!({ "padding": 8, "text": "agent" }));
    story.expect_stream(&["create", "edit", "edit"]);
    story.expect_way_back();
}

/// A whole new text is stored as the small change that it is, so somebody else's undo still finds its own.
#[test]
fn d6_a_replacement_is_a_small_change_and_the_undo_of_another_survives_it() {
    for (story, wrap) in [
        (
            Story::code("one two three four"),
            (|text: &str| json!({ "files": { "f": text }, "entry": null })) as fn(&str) -> Json,
        ),
        (
            Story::new("DOC", &json!([{ "insert": "one two three four\n" }])),
            |text| json!([{ "insert": format!("{text}\n") }]),
        ),
    ] {
        let is_doc = story.value().is_array();
        let edit = json!([{ "retain": 4 }, { "insert": "ANN " }]);
        story.edit(ANN, if is_doc { edit } else { edit_file(edit) });
        let replaced = story.send(BEN, api::replace(PAGE, 1, &wrap("one ANN two three FOUR")));
        let delta = replaced.expect(200).json()["events"][0]["delta"].to_string();
        assert!(!delta.contains("three"), "{delta}");
        story.undo(ANN, json!({}));
        assert_eq!(story.text().trim_end(), "one two three FOUR");
        story.redo(ANN, json!({}));
        assert_eq!(story.text().trim_end(), "one ANN two three FOUR");
        story.expect_stream(&["create", "edit", "edit", "undo 2", "redo 4"]);
        story.expect_way_back();
    }
}

/// A replacement says what it takes away; deltas take away nothing by leaving it out.
#[test]
fn d9_only_a_replacement_removes_what_it_leaves_out_and_says_so() {
    let story = Story::design(&json!({ "n": { "a": 1 }, "m": { "a": 1 } }));
    story.edit(ANN, json!([set("n", "a", 2)]));
    assert_eq!(story.props("m"), json!({ "a": 1 }));
    let mut without = story.value();
    without["nodes"].as_object_mut().unwrap().shift_remove("m");
    let replaced = story.send(BEN, api::replace(PAGE, 1, &without)).expect(200).json();
    assert_eq!(replaced["events"][0]["delta"], json!([remove("m")]));
    story.undo(BEN, json!({}));
    assert_eq!(story.props("m"), json!({ "a": 1 }));
    story.expect_stream(&["create", "edit", "edit", "undo 3"]);
    story.expect_way_back();
}

#[test]
fn d10_a_stale_edit_does_not_bring_back_what_was_removed() {
    let story = Story::design(&json!({ "n": { "a": 1 } }));
    story.edit(ANN, json!([remove("n")]));
    let write = |options: Json| stale(1, BEN, &json!([set("n", "a", 2)]), &options);
    for options in [json!({}), json!({ "onOverwrite": "mine" }), json!({ "force": true })] {
        let told = expect_conflict(
            &story,
            &write(options),
            json!(false),
            json!("conflicts"),
            &["target_removed"],
        );
        assert_eq!(
            (&told["conflicts"][0]["node"], &told["conflicts"][0]["version"]),
            (&json!("n"), &json!(2))
        );
    }
    assert_eq!(story.value()["nodes"], json!({}));
    // Nor where it was made anew meanwhile: that is another node.
    let anew = stale(1, BEN, &json!([add("n", &json!({}))]), &json!({}));
    expect_conflict(&story, &anew, json!(false), json!("conflicts"), &["id_taken"]);
    story.expect_stream(&["create", "edit"]);
}

/// What a stale write asks for is done: refused as asked, mine, theirs, by force; over a restore or on a SHEET never.
#[test]
fn d4_a_stale_write_is_taken_as_it_asks() {
    let story = Story::design(&json!({ "n": { "a": 1 }, "m": {} }));
    story.edit(ANN, json!([set("n", "a", 2)]));
    let elsewhere = json!([set("m", "b", 1)]);
    let reject = stale(1, BEN, &elsewhere, &json!({ "onStale": "reject" }));
    expect_conflict(&story, &reject, json!(true), json!(null), &[]);
    let written = story.api.write(&stale(
        1,
        BEN,
        &json!([set("n", "a", 3)]),
        &json!({ "onOverwrite": "theirs" }),
    ));
    assert_eq!(
        (&written["changed"], codes(&written["rebase"]["notes"])),
        (&json!(false), vec!["gave_way"])
    );
    let removal = json!([remove("n")]);
    expect_conflict(
        &story,
        &stale(1, BEN, &removal, &json!({})),
        json!(false),
        json!("conflicts"),
        &["edited_since"],
    );
    let written = story.api.write(&stale(1, BEN, &removal, &json!({ "force": true })));
    assert_eq!(codes(&written["rebase"]["notes"]), ["forced"]);
    story.undo(BEN, json!({}));
    assert_eq!(story.props("n"), json!({ "a": 2 }), "the inverse keeps all of it");
    story.send(ANN, api::restore(PAGE, 1, 1)).expect(200);
    let late = stale(4, BEN, &elsewhere, &json!({}));
    let told = expect_conflict(&story, &late, json!(false), json!("conflicts"), &["restored_since"]);
    assert_eq!(number(&told["conflicts"][0]["version"]), 5);
    story.expect_stream(&["create", "edit", "edit", "undo 3", "restore 1"]);

    let sheet = Story::new("SHEET", &json!([1]));
    let replace = |value: u64| json!([{ "op": "replaceSheet", "value": [value] }]);
    sheet.edit(ANN, replace(2));
    expect_conflict(
        &sheet,
        &stale(1, BEN, &replace(3), &json!({ "onOverwrite": "mine" })),
        json!(false),
        json!("conflicts"),
        &["not_rebased"],
    );
    sheet.expect_stream(&["create", "edit"]);
}
