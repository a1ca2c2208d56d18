//! The worked example: upload, promote, generate, deliver, undo, redo, with the answers that the README shows.

use recto_tests::Json;
use recto_tests::api::{self, Api};
use recto_tests::images::{FakeService, Files};
use recto_tests::png::png;
use recto_tests::server::Server;
use serde_json::json;

/// The fields of an answer that the README shows.
fn shown(answer: &Json, fields: &[&str]) -> Json {
    fields
        .iter()
        .map(|field| ((*field).to_owned(), answer[*field].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn an_image_from_the_attachment_to_the_page_and_back() {
    let service = FakeService::new();
    let server = Server::start_with(&["--image-service", &service.url(), "--image-poll-ms", "1"]);
    let (api, files) = (Api::of(&server), Files(server.client()));
    api.write(&api::create("moodboard", "DESIGN", &json!({})));

    let attached = files.upload("cat-1", "image/png", &png(320, 240, 7)).expect(201).json();
    assert_eq!(
        shown(&attached, &["id", "path", "mediaType"]),
        json!({"id": "cat-1", "path": "/mnt/attachments/cat-1", "mediaType": "image/png"})
    );
    let asset = files.promote("cat-1").expect(200).json();
    assert_eq!(
        shown(&asset, &["width", "height", "mediaType"]),
        json!({"width": 320, "height": 240, "mediaType": "image/png"})
    );

    let edit = json!({"taskType": "edit", "payload": {"prompt": "at night", "sources": ["/mnt/attachments/cat-1"]}});
    let task = files.run(&edit).expect(200).json();
    assert_eq!(
        shown(&task, &["attempt", "status", "width", "height"]),
        json!({"attempt": 1, "status": "succeeded", "width": 64, "height": 48})
    );

    let held = files
        .hold("moodboard", "cat-at-night", &json!({"width": 64, "height": 48}))
        .expect(200)
        .json();
    assert_eq!(
        shown(&held, &["slotId", "bounds", "status"]),
        json!({"slotId": "cat-at-night", "bounds": {"x": 0.0, "y": 0.0, "width": 64.0, "height": 48.0}, "status": "pending"})
    );
    let image = task["assetId"].as_str().unwrap();
    let placed = files.place("moodboard", "cat-at-night", image).expect(200).json();
    assert_eq!(placed["version"], 2);

    let nodes = || api.page("moodboard")["value"]["nodes"].as_object().unwrap().len();
    assert_eq!(nodes(), 1);
    api.write(&api::undo("moodboard", 2, &json!({})));
    assert_eq!(nodes(), 0);
    api.write(&api::redo("moodboard", 3, &json!({})));
    assert_eq!(nodes(), 1);

    // Everything once more: nothing new.
    assert_eq!(files.run(&edit).expect(200).json(), task);
    assert_eq!(
        files.place("moodboard", "cat-at-night", image).expect(200).json(),
        placed
    );
    assert_eq!(service.charged(), 1);
    let assets = api.get("/v1/pages/moodboard/assets").expect(200).json();
    assert_eq!(assets["missing"], json!([]));
    server.assert_calm();
}
