//! What is told of slots: to whom, in which order, and once.

use recto_tests::api::{self, Api};
use recto_tests::images::{Files, slot_path};
use recto_tests::server::{Place, started};
use recto_tests::sse::{Event, Stream};
use serde_json::json;

use crate::slots_studio::{SLOT, asset, end_of, follow, is_replay, next_slot, nodes, size, studio};

const TOKENS: &str = "
writer-of-studio-1 studio write wim
reader-of-studio-1 studio read  rita
writer-of-garage-1 garage write gus
";

/// Reads up to `caught-up`, and gives the names of what came.
fn until_caught_up(stream: &mut Stream) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let event = stream.next_event().expect("the feed goes on");
        if event.name == "caught-up" {
            return events;
        }
        events.push(event);
    }
}

/// L: however much there is to catch up with, what waits is told first, in the order in which it was held.
#[test]
fn who_comes_late_hears_of_what_waits_before_anything_else() {
    let (server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    for version in 1..400 {
        api.write(&api::deltas(
            "p",
            version,
            &json!([[{"op": "setAttributes", "set": {"/a": version}}]]),
        ));
    }
    for slot in ["b", "c", "a"] {
        files.hold("p", slot, &size()).expect(200);
    }
    files.0.send("DELETE", &slot_path("p", "c"), &[], &[]).expect(204);
    for path in ["/v1/pages/p/feed?after=0", "/v1/feed?after=0", "/v1/pages/p/feed"] {
        let mut late = Stream::open(server.address(), path, &[]).unwrap();
        let events = until_caught_up(&mut late);
        let told: Vec<_> = events
            .iter()
            .take(2)
            .map(|event| {
                (
                    event.name.as_str(),
                    event.json()["slotId"].clone(),
                    event.json()["status"].clone(),
                )
            })
            .collect();
        let pending = |slot: &str| (SLOT, json!(slot), json!("pending"));
        assert_eq!(told, [pending("b"), pending("a")], "{path}");
        assert!(events.iter().skip(2).all(|event| event.name != SLOT), "{path}");
        let behind = if path.contains("after") { 400 } else { 0 };
        assert_eq!(events.len(), 2 + behind, "{path}");
    }
}

/// M: sixteen workers have one image each try.
#[test]
fn of_many_workers_one_places_and_one_news_is_told() {
    let (server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let image = asset(&files, 1);
    for round in 0..5 {
        let slot = format!("s{round}");
        let mut feed = follow(&server, "p");
        files.hold("p", &slot, &size()).expect(200);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let place = || files.place("p", &slot, &image).expect(200);
            let all: Vec<_> = (0..16).map(|_| scope.spawn(place)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(answers.iter().filter(|answer| !is_replay(answer)).count(), 1);
        assert!(answers.iter().all(|answer| answer.json() == answers[0].json()));
        // A slot more, so that there is an end to what is told of the first.
        files.hold("p", "end", &size()).expect(200);
        let mut told = Vec::new();
        loop {
            let news = next_slot(&mut feed);
            match news["slotId"] == "end" {
                true => break,
                false => told.push(news["status"].clone()),
            }
        }
        assert_eq!(told, ["pending", "placed"]);
        files.0.send("DELETE", &slot_path("p", "end"), &[], &[]).expect(204);
    }
    assert_eq!(nodes(&api, "p").len(), 5);
}

/// L: slots and chats are of one workspace, and a token that only reads only reads.
#[test]
fn slots_and_chats_keep_to_their_workspace_and_to_the_role_of_the_token() {
    let place = Place::new();
    let tokens = place.write("tokens", TOKENS);
    let server = started(place.start(&["--tokens", &tokens]));
    let [writer, reader, stranger] = ["writer-of-studio-1", "reader-of-studio-1", "writer-of-garage-1"]
        .map(|token| (Api::with_token(&server, token), format!("Bearer {token}")));
    let client = server.client();
    let send = |token: &str, method: &str, path: &str, body: &recto_tests::Json| {
        let headers = [
            ("content-type", "application/json"),
            ("authorization", token),
            ("idempotency-key", "k"),
        ];
        client.send(method, path, &headers, body.to_string().as_bytes())
    };
    for (api, _) in [&writer, &stranger] {
        api.write(&api::create("p", "DESIGN", &json!({})));
    }
    let mut feeds: Vec<Stream> = [&writer, &reader, &stranger]
        .map(|(api, _)| api.follow("/v1/pages/p/feed", None).unwrap())
        .into();
    let slot = slot_path("p", "s");
    let held = send(&writer.1, "PUT", &slot, &size()).expect(200).json();
    let mode = json!({"mode": {"kind": "image"}});
    send(&writer.1, "PUT", "/v1/chats/c/mode", &mode).expect(200);
    let entries = json!({"entries": [{"tool": "paint", "outcome": "done"}]});
    send(&writer.1, "POST", "/v1/chats/c/trajectory", &entries).expect(200);

    // Who only reads hears and sees it, and changes nothing.
    assert_eq!(next_slot(&mut feeds[1]), held);
    assert_eq!(reader.0.read("/v1/chats/c/mode")["stored"], mode["mode"]);
    assert_eq!(
        reader.0.read("/v1/chats/c/trajectory")["entries"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    for (method, path, body) in [
        ("PUT", slot.as_str(), size()),
        ("DELETE", slot.as_str(), json!(null)),
        ("POST", "/v1/pages/p/slots/s/place", json!({"assetId": "a"})),
        ("PUT", "/v1/chats/c/mode", json!({"mode": null})),
        ("POST", "/v1/chats/c/switch", json!({"kind": "design"})),
        ("POST", "/v1/chats/c/trajectory", entries.clone()),
    ] {
        send(&reader.1, method, path, &body).expect_problem(403, "role_insufficient");
    }
    // Another workspace has a page, a slot and a chat of the same names, and they are others.
    send(&stranger.1, "DELETE", &slot, &json!(null)).expect_problem(404, "slot_not_found");
    assert_eq!(stranger.0.read("/v1/chats/c/mode")["stored"], json!(null));
    assert_eq!(stranger.0.read("/v1/chats/c/trajectory")["entries"], json!([]));
    let other = json!({"width": 9, "height": 9});
    let theirs = send(&stranger.1, "PUT", &slot, &other).expect(200).json();
    assert_eq!(next_slot(&mut feeds[2]), theirs);
    assert_eq!(theirs["bounds"]["x"], held["bounds"]["x"]);
    assert_eq!(send(&writer.1, "PUT", &slot, &size()).expect(200).json(), held);
    send(&stranger.1, "DELETE", &slot, &json!(null)).expect(204);
    assert_eq!(send(&writer.1, "PUT", &slot, &size()).expect(200).json(), held);
    send(&writer.1, "DELETE", &slot, &json!(null)).expect(204);
    for feed in &mut feeds[..2] {
        assert_eq!(end_of(feed, "s")["bounds"], held["bounds"]);
    }
    server.assert_calm();
}

/// Whoever lets go of the slot in the moment when it is filled hears the truth: it was dropped, or it was placed.
#[test]
fn a_drop_and_a_place_at_once_end_in_one_news() {
    let (server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let image = asset(&files, 1);
    for round in 0..40 {
        let slot = format!("s{round}");
        let mut feed = follow(&server, "p");
        files.hold("p", &slot, &size()).expect(200);
        let dropped = std::thread::scope(|scope| {
            let placing = scope.spawn(|| files.place("p", &slot, &image).expect(200));
            let dropped = files.0.send("DELETE", &slot_path("p", &slot), &[], &[]).status;
            placing.join().unwrap();
            dropped
        });
        let expected = if dropped == 204 { "failed" } else { "placed" };
        assert_eq!(end_of(&mut feed, &slot)["status"], expected, "{round}: {dropped}");
    }
    assert_eq!(nodes(&api, "p").len(), 40);
    let files = Files(server.client());
    files
        .0
        .send("DELETE", &slot_path("p", "s1"), &[], &[])
        .expect_problem(404, "slot_not_found");
}
