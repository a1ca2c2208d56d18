//! Chats over HTTP: the mode that is kept, switches, what an agent did.

use recto_tests::Json;
use recto_tests::api::{self, start};
use recto_tests::http::{Answer, Client};
use recto_tests::images::Files;
use recto_tests::sse::Stream;
use serde_json::json;

fn post(client: &Client, path: &str, key: &str, body: &Json) -> Answer {
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", key),
        ("recto-actor", "agent:painter"),
    ];
    client.send("POST", path, &headers, body.to_string().as_bytes())
}

/// One whose answer was lost asks what became of it.
#[test]
fn what_was_noted_in_a_chat_is_found_by_its_command() {
    let (server, api) = recto_tests::api::start();
    let headers = [("content-type", "application/json"), ("idempotency-key", "noted")];
    let entries = serde_json::json!({ "entries": [{ "tool": "paint", "outcome": "succeeded" }] });
    let path = "/v1/chats/c/trajectory";
    let client = server.client();
    client
        .send("POST", path, &headers, entries.to_string().as_bytes())
        .expect(200);
    let found = api.get("/v1/commands/noted").expect(200).json();
    assert_eq!(
        (&found["operation"], &found["page"], &found["version"]),
        (
            &serde_json::json!("trajectory"),
            &serde_json::json!("chat:c"),
            &serde_json::json!(1)
        )
    );
}

#[test]
fn a_chat_keeps_its_mode_as_the_table_says() {
    let (server, _) = start();
    let files = Files(server.client());
    let say = |body: Json| files.json("PUT", "/v1/chats/c/mode", &body).expect(200).json();
    let turn = |effective: Json, declared: bool, stored: Json| json!({"effective": effective, "declared": declared, "stored": stored});
    assert_eq!(say(json!({})), turn(Json::Null, false, Json::Null));
    let poster = json!({"kind": "design", "preset": "poster"});
    assert_eq!(
        say(json!({"mode": poster})),
        turn(poster.clone(), true, json!({"kind": "design"}))
    );
    assert_eq!(
        say(json!({})),
        turn(json!({"kind": "design"}), false, json!({"kind": "design"}))
    );
    let wide = json!({"kind": "image", "ratio": "16:9", "resolution": "2k"});
    assert_eq!(say(json!({"mode": wide})), turn(wide.clone(), true, wide.clone()));
    let server = server.restart();
    let files = Files(server.client());
    assert_eq!(
        files.0.get("/v1/chats/c/mode").expect(200).json(),
        turn(wide.clone(), false, wide)
    );
    let cleared = files
        .json("PUT", "/v1/chats/c/mode", &json!({"mode": null}))
        .expect(200)
        .json();
    assert_eq!(cleared, turn(Json::Null, false, Json::Null));
    files
        .json("PUT", "/v1/chats/c/mode", &json!({"mode": {"kind": "film"}}))
        .expect_problem(400, "malformed");
}

#[test]
fn a_switch_is_kept_and_noted_once_and_documents_can_be_refused() {
    let (server, _) = start();
    let client = server.client();
    let switch = |key: &str, body: Json| post(&client, "/v1/chats/c/switch", key, &body);
    let changed = json!({"changed": true, "kind": "image"});
    assert_eq!(switch("1", json!({"kind": "image"})).expect(200).json(), changed);
    assert_eq!(switch("1", json!({"kind": "image"})).expect(200).json(), changed);
    assert_eq!(
        switch("2", json!({"kind": "image"})).expect(200).json(),
        json!({"changed": false, "kind": "image"})
    );
    switch("1", json!({"kind": "design"})).expect_problem(422, "idempotency_key_reused");
    let refused = switch("3", json!({"kind": "document", "documentsAvailable": false}));
    refused.expect_problem(409, "documents_unavailable");
    assert_eq!(
        client.get("/v1/chats/c/mode").json()["stored"],
        json!({"kind": "image"})
    );
    let entries = client.get("/v1/chats/c/trajectory").expect(200).json()["entries"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 1);
    assert_eq!(entries[0]["entry"], json!({"event": "mode-switched", "to": "image"}));
}

#[test]
fn what_an_agent_did_is_noted_in_order_and_is_in_no_feed_of_pages() {
    let (server, api) = start();
    let client = server.client();
    let mut feed = Stream::open(server.address(), "/v1/feed", &[]).unwrap();
    let entries = json!({"entries": [
        {"tool": "switch_mode", "outcome": "switched"},
        {"tool": "generate_image", "outcome": "succeeded", "key": "k"}
    ]});
    let path = "/v1/chats/c/trajectory";
    let noted = post(&client, path, "1", &entries).expect(200);
    assert_eq!(noted.json(), json!({"first": 1, "last": 2}));
    let again = post(&client, path, "1", &entries).expect(200);
    assert_eq!(
        (again.header("idempotency-replayed"), again.json()),
        (Some("true"), noted.json())
    );
    post(&client, path, "1", &json!({"entries": [{"tool": "x", "outcome": "y"}]}))
        .expect_problem(422, "idempotency_key_reused");
    post(&client, path, "2", &json!({"entries": [{"tool": "x"}]})).expect_problem(400, "malformed");
    post(&client, path, "2", &json!({"entries": []})).expect_problem(413, "too_large");

    let first = client.get("/v1/chats/c/trajectory?limit=1").expect(200).json();
    assert_eq!(first["entries"][0]["entry"], entries["entries"][0]);
    let rest = client.get(first["next"].as_str().unwrap()).expect(200).json();
    assert_eq!(
        (&rest["entries"][0]["entry"], &rest["entries"][0]["actor"]),
        (&entries["entries"][1], &json!("agent:painter"))
    );

    api.write(&api::create("p", "DOC", &json!([{"insert": "x\n"}])));
    let mut from_the_start = Stream::open(server.address(), "/v1/feed?after=0", &[]).unwrap();
    for stream in [&mut feed, &mut from_the_start] {
        let event = std::iter::from_fn(|| stream.next_event())
            .find(|event| event.name != "caught-up")
            .unwrap();
        assert_eq!((event.json()["page"].as_str(), event.number()), (Some("p"), 3));
    }
    // A page and a chat do not get into each other's way.
    assert_eq!(api.get("/v1/pages").json()["pages"].as_array().unwrap().len(), 1);
    api.get("/v1/pages/chat:c").expect_problem(404, "page_not_found");
    post(&client, "/v1/chats/d/trajectory", "1", &entries).expect(200);
    let collection = Files(client).collection();
    assert_eq!(collection["assets"], 0);
}

/// The stream of a chat has a name of its own: what leaves no room for that is no chat, whatever is asked of it.
#[test]
fn an_id_too_long_for_a_chat_is_refused_everywhere() {
    let (server, api) = start();
    let client = server.client();
    for (length, status) in [(123, 200), (124, 422)] {
        let path = format!("/v1/chats/{}/mode", "x".repeat(length));
        let answer = api.get(&path).expect(status);
        let said = client
            .send("PUT", &path, &[("content-type", "application/json")], b"{}")
            .expect(status);
        if status == 422 {
            for answer in [answer, said] {
                assert_eq!(answer.json()["code"], "chat_id_illegal");
            }
        }
    }
}
