//! The rules of chats: what is kept, what is noted, what a retry is told; and that a chat is no page.

use recto_tests::Json;
use recto_tests::api::{self, start};
use recto_tests::http::{Answer, Client};
use recto_tests::seed::Random;
use recto_tests::server::beside_the_tests;
use serde_json::json;

const KINDS: [&str; 3] = ["design", "image", "document"];

/// A chat, and what must be so of it.
struct Model {
    client: Client,
    random: Random,
    /// The mode that is kept.
    stored: Json,
    /// The modes that were switched to, in order.
    switched: Vec<Json>,
    /// The switches that passed: key, body, answer.
    answered: Vec<(String, Json, Json)>,
}

fn post(client: &Client, path: &str, key: &str, body: &Json) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    client.send("POST", path, &headers, body.to_string().as_bytes())
}

fn switch(client: &Client, key: &str, body: &Json) -> Answer {
    post(client, "/v1/chats/c/switch", key, body)
}

fn notes(client: &Client) -> Vec<Json> {
    let read = client.get("/v1/chats/c/trajectory?limit=1000").expect(200).json();
    let entries = read["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["entry"].clone()).collect()
}

impl Model {
    fn some_mode(&mut self) -> Json {
        let kind = self.random.word(&KINDS);
        let mut mode = json!({"kind": kind});
        let particulars: &[&str] = match kind {
            "design" => &["preset"],
            "image" => &["ratio", "resolution"],
            _ => &[],
        };
        for name in particulars {
            if self.random.chance(1, 2) {
                mode[*name] = json!(self.random.word(&["a", "16:9", "2k", "ä"]));
            }
        }
        mode
    }

    fn kept(mode: &Json) -> Json {
        let mut kept = mode.clone();
        kept.as_object_mut().unwrap().shift_remove("preset");
        kept
    }

    fn say(&mut self) {
        let (body, turn) = match self.random.below(3) {
            0 => (json!({}), [self.stored.clone(), json!(false), self.stored.clone()]),
            1 => (json!({"mode": null}), [json!(null), json!(false), json!(null)]),
            _ => {
                let mode = self.some_mode();
                (json!({"mode": mode}), [mode.clone(), json!(true), Self::kept(&mode)])
            }
        };
        let headers = [("content-type", "application/json")];
        let answer = self
            .client
            .send("PUT", "/v1/chats/c/mode", &headers, body.to_string().as_bytes());
        let [effective, declared, stored] = turn;
        let expected = json!({"effective": effective, "declared": declared, "stored": stored});
        assert_eq!(answer.expect(200).json(), expected, "{body}");
        self.stored = stored;
    }

    fn switch(&mut self, number: usize) {
        let kind = self.random.word(&KINDS);
        let documents = self.random.chance(1, 2);
        let key = format!("k{number}");
        let body = json!({"kind": kind, "documentsAvailable": documents});
        let answer = switch(&self.client, &key, &body);
        let is_same = self.stored["kind"] == kind;
        if !is_same && kind == "document" && !documents {
            answer.expect_problem(409, "documents_unavailable");
            // It has left nothing: under the same id the other request passes later.
            self.client
                .get(&format!("/v1/commands/{key}"))
                .expect_problem(404, "command_not_found");
            return;
        }
        let expected = json!({"changed": !is_same, "kind": kind});
        assert_eq!(answer.expect(200).json(), expected, "{body}");
        if !is_same {
            self.stored = json!({"kind": kind});
            self.switched.push(json!({"event": "mode-switched", "to": kind}));
        }
        self.answered.push((key, body, expected));
    }

    /// A retry is told what was told first, whatever the mode is now; another request under its id is refused.
    fn retry(&mut self) {
        if self.answered.is_empty() {
            return;
        }
        let (key, body, answer) = self.random.pick(&self.answered).clone();
        assert_eq!(switch(&self.client, &key, &body).expect(200).json(), answer);
        let mut other = body.clone();
        match self.random.below(2) {
            0 => other["documentsAvailable"] = json!(body["documentsAvailable"] == false),
            _ => other["kind"] = json!(if body["kind"] == "image" { "design" } else { "image" }),
        }
        switch(&self.client, &key, &other).expect_problem(422, "idempotency_key_reused");
    }

    fn check(&self) {
        let mode = self.client.get("/v1/chats/c/mode").expect(200).json();
        assert_eq!(mode["stored"], self.stored);
        assert_eq!(notes(&self.client), self.switched);
    }
}

#[test]
fn random_messages_switches_and_retries_keep_to_the_table() {
    let mut random = Random::of_test("chats", 20_261_201);
    for _ in 0..8 {
        let (mut server, _) = start();
        let mut model = Model {
            client: server.client(),
            random: random.fork(),
            stored: json!(null),
            switched: Vec::new(),
            answered: Vec::new(),
        };
        for number in 0..40 {
            match model.random.below(8) {
                0..3 => model.say(),
                3..6 => model.switch(number),
                6 => model.retry(),
                _ => model.check(),
            }
            if number == 20 {
                server = server.restart();
                model.client = server.client();
            }
        }
        model.check();
        server.assert_calm();
    }
}

/// A switch to the mode that the chat has, whose answer was lost: when it is sent again, the mode is another one.
#[test]
fn a_switch_that_changed_nothing_is_told_so_at_every_retry() {
    let (server, _) = start();
    let client = server.client();
    let headers = [("content-type", "application/json")];
    client.send(
        "PUT",
        "/v1/chats/c/mode",
        &headers,
        br#"{"mode":{"kind":"image","ratio":"1:1"}}"#,
    );
    let (image, same) = (json!({"kind": "image"}), json!({"changed": false, "kind": "image"}));
    // The chat has no event yet; and later it has one.
    assert_eq!(switch(&client, "1", &image).expect(200).json(), same);
    assert_eq!(
        client.get("/v1/chats/c/mode").json()["stored"],
        json!({"kind": "image", "ratio": "1:1"})
    );
    switch(&client, "2", &json!({"kind": "design"})).expect(200);
    assert_eq!(
        switch(&client, "3", &json!({"kind": "design"})).expect(200).json()["changed"],
        false
    );
    let server = server.restart();
    let client = server.client();
    assert_eq!(switch(&client, "1", &image).expect(200).json(), same);
    assert_eq!(
        client.get("/v1/chats/c/mode").json()["stored"],
        json!({"kind": "design"})
    );
    assert_eq!(notes(&client).len(), 1);
    post(&client, "/v1/chats/empty/switch", "4", &json!({"kind": "design"})).expect(200);
    client.send("PUT", "/v1/chats/none/mode", &headers, br#"{"mode":{"kind":"image"}}"#);
    post(&client, "/v1/chats/none/switch", "5", &image).expect(200);
    let place = server.stop();
    let data = place.data();
    let verified = std::process::Command::new(beside_the_tests("recto"))
        .args(["--data", data.to_str().unwrap(), "verify"])
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

/// What an agent noted is not read, followed, or written to, as if its chat were a page.
#[test]
fn a_chat_is_no_page_on_any_route_of_pages() {
    let (server, api) = start();
    let client = server.client();
    let entries = json!({"entries": [{"tool": "paint", "outcome": "done"}]});
    post(&client, "/v1/chats/c/trajectory", "1", &entries).expect(200);
    for path in [
        "",
        "?at=1",
        "?format=html",
        "/events",
        "/events?order=desc",
        "/events/1",
        "/feed",
        "/feed?after=0",
        "/undo-stack?actor=user:ann",
        "/blame",
        "/diff?from=1",
        "/assets",
    ] {
        let path = format!("/v1/pages/chat:c{path}");
        api.get(&path).expect_problem(404, "page_not_found");
    }
    let delta = json!([[{"op": "replaceSheet", "value": 1}]]);
    for write in [
        api::deltas("chat:c", 1, &delta),
        api::replace("chat:c", 1, &json!(1)),
        api::delete("chat:c", 1),
        api::undelete("chat:c", 1),
        api::undo("chat:c", 1, &json!({})),
        api::redo("chat:c", 1, &json!({})),
        api::restore("chat:c", 1, 1),
        api::Write::new("POST", "/v1/pages/chat:c/images".to_owned(), &json!({"assetId": "a"})),
    ] {
        api.send(&write).expect_problem(404, "page_not_found");
    }
    for kind in ["SHEET", "DESIGN"] {
        for name in ["chat:c", "chat:new"] {
            let value = if kind == "SHEET" { json!(1) } else { json!({}) };
            let refused = api
                .send(&api::create(name, kind, &value))
                .expect_problem(422, "id_illegal");
            assert_eq!(refused.json()["rule"], "id_of_a_chat");
        }
    }
    assert_eq!(notes(&client).len(), 1);
    server.assert_calm();
}

#[test]
fn the_particulars_of_a_mode_have_a_length() {
    let (server, _) = start();
    let client = server.client();
    for (kind, name) in [("design", "preset"), ("image", "ratio"), ("image", "resolution")] {
        for (length, status) in [(128, 200), (129, 400)] {
            let body = json!({"mode": {"kind": kind, name: "x".repeat(length)}}).to_string();
            let headers = [("content-type", "application/json")];
            client
                .send("PUT", "/v1/chats/c/mode", &headers, body.as_bytes())
                .expect(status);
        }
    }
}

/// Entries whose answer was lost are noted once, also by two senders at a time and over a restart.
#[test]
fn what_is_noted_again_is_noted_once() {
    let (server, _) = start();
    let client = server.client();
    let entries = |number: usize| json!({"entries": [{"tool": "paint", "outcome": "done", "n": number}, {"tool": "look", "outcome": "done", "n": number}]});
    let path = "/v1/chats/c/trajectory";
    let mut told: Vec<(Json, Json)> = std::thread::scope(|scope| {
        let note = |number: usize| {
            post(&client, path, &format!("k{}", number % 8), &entries(number % 8))
                .expect(200)
                .json()
        };
        let all: Vec<_> = (0..32)
            .map(|number| (number % 8, scope.spawn(move || note(number))))
            .collect();
        all.into_iter()
            .map(|(number, one)| (json!(number), one.join().unwrap()))
            .collect()
    });
    told.sort_by_key(|(number, _)| number.as_u64());
    told.dedup();
    assert_eq!(told.len(), 8, "{told:?}");
    let server = server.restart();
    let client = server.client();
    for (number, told) in &told {
        let number = usize::try_from(number.as_u64().unwrap()).unwrap();
        let again = post(&client, path, &format!("k{number}"), &entries(number)).expect(200);
        assert_eq!(
            (again.header("idempotency-replayed"), &again.json()),
            (Some("true"), told)
        );
        // Each sending lies in one piece.
        let first = usize::try_from(told["first"].as_u64().unwrap()).unwrap();
        let noted = notes(&client);
        assert_eq!(
            (&noted[first - 1]["n"], &noted[first]["n"]),
            (&json!(number), &json!(number))
        );
    }
    assert_eq!(notes(&client).len(), 16);
}
