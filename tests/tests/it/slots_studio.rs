//! A server with an image service, and what the tests of slots ask of it.

use recto_tests::Json;
use recto_tests::api::Api;
use recto_tests::http::Answer;
use recto_tests::images::{FakeService, Files};
use recto_tests::png::png;
use recto_tests::server::Server;
use recto_tests::sse::{Event, Stream};
use serde_json::json;

pub(crate) const SLOT: &str = "agent-image-slot";

/// A server with an image service that is asked without pauses.
pub(crate) fn studio() -> (Server, Api, Files, FakeService) {
    studio_with(&[])
}

pub(crate) fn studio_with(more: &[&str]) -> (Server, Api, Files, FakeService) {
    let service = FakeService::new();
    let url = service.url();
    let arguments = [&["--image-service", &url, "--image-poll-ms", "1"], more].concat();
    let server = Server::start_with(&arguments);
    let (api, files) = (Api::of(&server), Files(server.client()));
    (server, api, files, service)
}

/// An asset of its own.
pub(crate) fn asset(files: &Files, seed: u64) -> String {
    let id = format!("image-{seed}");
    files.upload(&id, "image/png", &png(64, 48, seed)).expect(201);
    let promoted = files.promote(&id).expect(200).json();
    promoted["assetId"].as_str().unwrap().to_owned()
}

/// The request of a task of its own.
pub(crate) fn request(number: usize) -> Json {
    json!({"taskType": "generate", "payload": {"prompt": "a cat", "n": number}})
}

/// Begins a task, and gives its key.
pub(crate) fn begin(files: &Files, number: usize) -> Json {
    let begun = files.json("POST", "/v1/image-tasks", &request(number));
    assert!(begun.status < 300, "{begun}");
    begun.json()["key"].clone()
}

/// A slot for the image of a task.
pub(crate) fn slot_of(key: &Json) -> Json {
    json!({"width": 64, "height": 48, "taskKey": key})
}

pub(crate) fn size() -> Json {
    json!({"width": 64, "height": 48})
}

/// The next news of a slot, whatever else is told.
pub(crate) fn next_slot(stream: &mut Stream) -> Json {
    loop {
        let event: Event = stream.next_event().expect("the stream goes on");
        if event.name == SLOT {
            assert_eq!(event.id, None);
            return event.json();
        }
    }
}

/// What became of a slot, as a feed tells it.
pub(crate) fn end_of(stream: &mut Stream, slot: &str) -> Json {
    loop {
        let news = next_slot(stream);
        if news["slotId"] == slot && news["status"] != "pending" {
            return news;
        }
    }
}

pub(crate) fn follow(server: &Server, page: &str) -> Stream {
    Stream::open(server.address(), &format!("/v1/pages/{page}/feed"), &[]).unwrap()
}

pub(crate) fn overlap(a: &Json, b: &Json) -> bool {
    let side = |bounds: &Json, name: &str| bounds[name].as_f64().unwrap();
    let apart =
        |at: &str, size: &str| side(a, at) + side(a, size) <= side(b, at) || side(b, at) + side(b, size) <= side(a, at);
    !apart("x", "width") && !apart("y", "height")
}

#[track_caller]
pub(crate) fn expect_apart(boxes: &[Json]) {
    for (index, one) in boxes.iter().enumerate() {
        for other in &boxes[..index] {
            assert!(!overlap(one, other), "{one} {other}");
        }
    }
}

pub(crate) fn nodes(api: &Api, page: &str) -> Vec<Json> {
    let page = api.get(&format!("/v1/pages/{page}")).expect(200).json();
    page["value"]["nodes"].as_object().unwrap().values().cloned().collect()
}

/// How many nodes on all pages show an asset.
pub(crate) fn shown(api: &Api, asset: &str) -> usize {
    let pages = api.get("/v1/pages").expect(200).json();
    let pages = pages["pages"].as_array().unwrap().clone();
    let ids = pages.iter().map(|page| page["id"].as_str().unwrap());
    let all = ids.flat_map(|id| nodes(api, id));
    all.filter(|node| node["props"]["assetId"] == asset).count()
}

/// Whether an answer is that to an earlier sending.
pub(crate) fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}
