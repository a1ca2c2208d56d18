//! Who wrote what, and what changed in words.

use recto_tests::Json;
use serde_json::json;

use crate::story::{ANN, BEN, BOT, Story, add, insert, set};

fn blame(story: &Story, query: &str) -> Json {
    story.api.read(&format!("/v1/pages/p/blame{query}"))
}

/// The version that last wrote a field of what was asked about.
fn writer(blame: &Json, pointer: &str) -> Json {
    let fields = blame["fields"].as_array().expect("fields").iter();
    let found = fields.filter(|field| field["pointer"] == pointer);
    found.map(|field| field["version"].clone()).next().unwrap_or_default()
}

/// Each property of a node has the event that wrote it last; an undo is blamed for what it puts back, and names both
/// itself and what it took back.
#[test]
fn g17_each_property_has_its_writer_and_an_undo_names_what_it_took_back() {
    let story = Story::design(&json!({ "n": { "a": 1, "b": 1 } }));
    let by_ann = story.edit(ANN, json!([set("n", "a", 2)]));
    let by_bot = story.edit(BOT, json!([set("n", "b", 2)]));
    let found = blame(&story, "?node=n");
    assert_eq!(writer(&found, "/props/a"), json!(by_ann), "{found}");
    assert_eq!(writer(&found, "/props/b"), json!(by_bot), "{found}");
    assert_eq!(writer(&found, "/type"), json!(1), "{found}");
    story.undo(BEN, json!({ "event": by_bot }));
    let found = blame(&story, "?node=n");
    assert_eq!(writer(&found, "/props/b"), json!(by_bot + 1), "{found}");
    let events = found["events"].as_array().expect("events");
    let undo = events
        .iter()
        .find(|event| event["version"] == json!(by_bot + 1))
        .expect("the undo");
    assert_eq!((&undo["actor"], &undo["kind"]), (&json!(BEN), &json!("undo")));
    assert_eq!(undo["cause"]["version"], json!(by_bot), "{undo}");
    // As it was before.
    let earlier = blame(&story, &format!("?node=n&at={by_bot}"));
    assert_eq!(writer(&earlier, "/props/b"), json!(by_bot), "{earlier}");
}

/// Of a page, each node has the newest event that touched it.
#[test]
fn each_node_of_a_page_has_the_event_that_touched_it_last() {
    let story = Story::design(&json!({ "m": {}, "n": {} }));
    let by_ann = story.edit(ANN, json!([set("n", "a", 2)]));
    let by_ben = story.edit(BEN, json!([add("k", &json!({}))]));
    let found = blame(&story, "");
    let of = |id: &str| {
        let fields = found["fields"].as_array().expect("fields").iter();
        let mut found = fields.filter(|field| field["of"]["node"] == id);
        found.next().map(|field| field["version"].clone())
    };
    assert_eq!(
        [of("m"), of("n"), of("k")],
        [Some(json!(1)), Some(json!(by_ann)), Some(json!(by_ben))],
        "{found}"
    );
    assert_eq!(found["runs"], Json::Null);
}

/// Each stretch of a text has the event that typed it, also after an undo brought it back.
#[test]
fn each_stretch_of_a_text_has_the_event_that_typed_it() {
    let story = Story::code("ab");
    let by_ann = story.edit(ANN, insert(1, "X"));
    let by_ben = story.edit(
        BEN,
        json!([{ "op": "editFile", "path": "f", "delta": [{ "delete": 2 }] }]),
    );
    story.undo(ANN, json!({ "event": by_ben }));
    let found = blame(&story, "?file=f");
    let run = |at: u64, length: u64, version: Json| json!({ "at": at, "length": length, "version": version, "formatted": null });
    assert_eq!(
        found["runs"],
        json!([run(0, 1, json!(1)), run(1, 1, json!(by_ann)), run(2, 1, json!(1))]),
        "{found}"
    );
    assert_eq!(found["lines"], json!([{ "line": 1, "version": by_ann }]), "{found}");
    assert_eq!(found["fields"], Json::Null);
}

#[test]
fn what_is_not_there_is_a_problem() {
    let design = Story::design(&json!({ "n": {} }));
    let code = Story::code("ab");
    design
        .api
        .get("/v1/pages/p/blame?node=m")
        .expect_problem(404, "nothing_there");
    design
        .api
        .get("/v1/pages/p/blame?file=f")
        .expect_problem(404, "nothing_there");
    code.api.get("/v1/pages/p/blame").expect_problem(404, "nothing_there");
    code.api
        .get("/v1/pages/p/blame?file=g")
        .expect_problem(404, "nothing_there");
    code.api
        .get("/v1/pages/p/blame?file=f&node=n")
        .expect_problem(400, "invalid_parameter");
    code.api
        .get("/v1/pages/p/blame?file=f&at=9")
        .expect_problem(404, "version_not_found");
}

#[test]
fn a_difference_is_told_in_words() {
    let story = Story::design(&json!({ "n": { "name": "Title", "fill": "red" } }));
    story.edit(ANN, json!([set("n", "fill", "blue")]));
    story.edit(ANN, json!([add("m", &json!({ "name": "Box" }))]));
    let diff = story.api.read("/v1/pages/p/diff?from=1");
    let words: Vec<&str> = diff["words"]
        .as_array()
        .expect("words")
        .iter()
        .filter_map(Json::as_str)
        .collect();
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(
        words
            .iter()
            .any(|line| line.contains("fill") && line.contains("\"Title\"")),
        "{words:?}"
    );
    assert!(
        words
            .iter()
            .any(|line| line.starts_with("added") && line.contains("\"Box\"")),
        "{words:?}"
    );
    assert_eq!(story.api.read("/v1/pages/p/diff?from=3")["words"], json!([]));
}
