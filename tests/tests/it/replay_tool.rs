//! The replay tool beside a running server: it tells what the API tells, and the server does not notice.

use std::path::Path;
use std::process::{Command, Output};

use recto_tests::Json;
use recto_tests::api::{self, number};
use recto_tests::server::beside_the_tests;
use serde_json::json;

use crate::story::{ANN, BEN, BOT, Story};

fn recto(data: &Path, arguments: &[&str]) -> Output {
    let program = beside_the_tests("recto");
    let mut command = Command::new(program);
    command.args(arguments).arg("--data").arg(data);
    command.env_remove("RECTO_DATA").env_remove("RECTO_WORKSPACE");
    command.output().expect("the tool runs")
}

/// The tool's answer, a value a line.
fn told(data: &Path, arguments: &[&str]) -> Vec<Json> {
    let output = recto(data, &[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        output.status.code().is_some_and(|code| code <= 1),
        "{arguments:?}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn it_tells_what_the_api_tells() {
    let story = Story::design(&json!({ "a": { "text": "one" }, "b": { "fill": "red" } }));
    let data = story.server.place().data();
    story.edit(
        ANN,
        json!([{ "op": "setNode", "id": "b", "set": { "/props/fill": "blue" } }]),
    );
    story.edit(
        BOT,
        json!([{ "op": "editText", "id": "a", "pointer": "/props/text", "delta": [{ "insert": "to " }] }]),
    );
    story.edit(
        BEN,
        json!([{ "op": "setNode", "id": "b", "set": { "/props/fill": "green" } }]),
    );
    story.undo(BOT, json!({}));

    // The events, with their deltas, inverses and hashes.
    let events = story.api.read("/v1/pages/p/events?limit=100");
    let log = told(&data, &["log", "p", "--oldest-first"]);
    let of_api = events["events"].as_array().expect("events");
    assert_eq!(log.len(), of_api.len());
    for (ours, theirs) in log.iter().zip(of_api) {
        for field in [
            "version", "actor", "command", "digest", "hash", "prevHash", "delta", "inverse", "time", "kind",
        ] {
            assert_eq!(ours[field], theirs[field], "{field}");
        }
    }
    // The page at each version.
    for version in 1..=story.head() {
        let page = story.api.read(&format!("/v1/pages/p?at={version}"));
        let shown = told(&data, &["show", "p", "--at", &version.to_string()]);
        assert_eq!(shown[0]["value"], page["value"], "version {version}");
    }
    // An undo, tried here and there.
    let answer = story
        .send(ANN, api::undo("p", 1, &json!({ "dryRun": true })))
        .expect(200)
        .json();
    let tried = told(&data, &["undo", "p", "--dry-run", "--actor", ANN]);
    assert_eq!(tried[0]["outcome"], answer["undo"]["outcome"]);
    assert_eq!(tried[0]["events"][0]["delta"], answer["events"][0]["delta"]);
    // Blame and difference.
    let blame = story.api.read("/v1/pages/p/blame?node=b");
    assert_eq!(told(&data, &["blame", "p", "b"])[0]["fields"], blame["fields"]);
    let diff = story.api.read("/v1/pages/p/diff?from=1&to=4");
    assert_eq!(told(&data, &["diff", "p", "1", "4"])[0]["delta"], diff["delta"]);
    assert!(told(&data, &["verify"]).iter().all(|page| page["damage"].is_null()));
}

#[test]
fn the_server_writes_on_while_it_is_read() {
    let story = Story::code("");
    let data = story.server.place().data();
    let mut seen = 0;
    for round in 0..8 {
        for step in 0..25 {
            story.edit(
                ANN,
                json!([{ "op": "editFile", "path": "f", "delta": [{ "insert": format!("{round}.{step} ") }] }]),
            );
        }
        let head = story.head();
        let log = told(&data, &["log", "p", "-n", "1"]);
        assert_eq!(number(&log[0]["version"]), head);
        assert!(head > seen);
        seen = head;
    }
    assert_eq!(recto(&data, &["verify"]).status.code(), Some(0));
}

#[test]
fn a_page_goes_from_a_server_to_another() {
    let story = Story::code("one\n");
    story.edit(
        ANN,
        json!([{ "op": "editFile", "path": "f", "delta": [{ "retain": 4 }, { "insert": "two\n" }] }]),
    );
    story.undo(ANN, json!({}));
    let place = story.server.place();
    let file = place.data().with_file_name("page.recto");
    let path = file.to_str().expect("a path of UTF-8");
    let exported = recto(&place.data(), &["export", "p", "-o", path]);
    assert!(
        exported.status.success(),
        "{}",
        String::from_utf8_lossy(&exported.stderr)
    );

    // Another server, empty; while it runs its folder cannot be written to.
    let other = Story::on(recto_tests::server::Server::start(), "SHEET", &json!(1));
    let refused = recto(&other.server.place().data(), &["import", path]);
    assert!(!refused.status.success());
    let there = other.server.stop();
    let imported = recto(&there.data(), &["import", path, "--as", "copy"]);
    assert!(
        imported.status.success(),
        "{}",
        String::from_utf8_lossy(&imported.stderr)
    );
    let server = recto_tests::server::started(there.start(&[]));
    let api = api::Api::of(&server);
    assert_eq!(
        api.read("/v1/pages/copy")["value"],
        story.api.read("/v1/pages/p")["value"]
    );
    assert_eq!(
        api.read("/v1/pages/copy?at=2")["value"],
        story.api.read("/v1/pages/p?at=2")["value"]
    );
    // It can be worked on there.
    let redone = api.send(&api::redo("copy", 3, &json!({})).by(ANN)).expect(200).json();
    assert_eq!(redone["undo"]["outcome"], "applied");
}

#[test]
fn a_chat_is_no_page_and_is_verified_all_the_same() {
    let story = Story::code("one\n");
    let data = story.server.place().data();
    let headers = [("content-type", "application/json"), ("idempotency-key", "noted")];
    let entries = json!({ "entries": [{ "tool": "paint", "outcome": "succeeded" }] });
    let client = story.server.client();
    let noted = client.send(
        "POST",
        "/v1/chats/c/trajectory",
        &headers,
        entries.to_string().as_bytes(),
    );
    noted.expect(200);

    let pages = told(&data, &["pages"]);
    let names: Vec<_> = pages.iter().map(|page| page["page"].as_str()).collect();
    assert_eq!(names, [Some("p")]);
    assert_eq!(recto(&data, &["verify"]).status.code(), Some(0));
    let verified = told(&data, &["verify"]);
    let chat = verified.iter().find(|line| line["page"] == "chat:c").expect("the chat");
    assert_eq!((&chat["kind"], &chat["sound"]), (&json!("chat"), &json!(true)));
    let why = told(&data, &["why", "noted"]);
    assert_eq!(
        (&why[0]["operation"], &why[0]["version"]),
        (&json!("trajectory"), &json!(1))
    );
    assert_eq!(recto(&data, &["log", "chat:c"]).status.code(), Some(3));
}
