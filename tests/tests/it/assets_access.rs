//! Who may do what with files and image tasks: a workspace knows nothing of another one, and who only reads begins and
//! changes nothing.

use recto_tests::Json;
use recto_tests::http::{Answer, Client};
use recto_tests::images::FakeService;
use recto_tests::png::png;
use recto_tests::server::{Place, Server, started};
use recto_tests::sse::Stream;
use serde_json::json;

const TOKENS: &str = "
reader-of-studio-1 studio read  rita
writer-of-studio-1 studio write wim
admin-of-studio-01 studio admin ann
writer-of-garage-1 garage write gus
";
const READER: &str = "reader-of-studio-1";
const WRITER: &str = "writer-of-studio-1";
const ADMIN: &str = "admin-of-studio-01";
const STRANGER: &str = "writer-of-garage-1";

struct Both {
    server: Server,
    client: Client,
    service: FakeService,
}

impl Both {
    fn new() -> Self {
        let service = FakeService::new();
        let place = Place::new();
        let tokens = place.write("tokens", TOKENS);
        let server = started(place.start(&[
            "--tokens",
            &tokens,
            "--image-service",
            &service.url(),
            "--image-poll-ms",
            "1",
        ]));
        let client = server.client();
        Self {
            server,
            client,
            service,
        }
    }

    fn send(&self, token: &str, method: &str, path: &str, body: &[u8]) -> Answer {
        let bearer = format!("Bearer {token}");
        let kind = if path.contains("tasks") {
            "application/json"
        } else {
            "image/png"
        };
        let headers = [("authorization", bearer.as_str()), ("content-type", kind)];
        self.client.send(method, path, &headers, body)
    }

    fn run(&self, token: &str, body: &Json) -> Answer {
        self.send(token, "POST", "/v1/image-tasks?wait=20", body.to_string().as_bytes())
    }
}

#[test]
fn two_workspaces_share_no_file_and_no_task() {
    let both = Both::new();
    let (mine, theirs) = (png(16, 16, 1), png(16, 16, 2));
    both.send(WRITER, "PUT", "/v1/attachments/cat", &mine).expect(201);
    let promote = "/v1/attachments/cat/promote";
    both.send(STRANGER, "POST", promote, &[])
        .expect_problem(404, "attachment_not_found");
    // The same name is another file there.
    both.send(STRANGER, "PUT", "/v1/attachments/cat", &theirs).expect(201);
    let asset = both.send(WRITER, "POST", promote, &[]).expect(200).json();
    let other = both.send(STRANGER, "POST", promote, &[]).expect(200).json();
    assert_ne!(asset["assetId"], other["assetId"]);
    let id = asset["assetId"].as_str().unwrap();
    for path in [format!("/v1/assets/{id}"), format!("/v1/assets/{id}/content")] {
        both.send(STRANGER, "GET", &path, &[])
            .expect_problem(404, "asset_not_found");
    }
    assert_eq!(
        both.send(READER, "GET", &format!("/v1/assets/{id}/content"), &[])
            .expect(200)
            .body,
        mine
    );
    let path = format!("/v1/attachments/{id}/promote");
    both.send(STRANGER, "POST", &path, &[])
        .expect_problem(404, "asset_not_found");

    // A source of another workspace is none; the same request in both is two tasks.
    let edit = json!({"taskType": "edit", "payload": {"sources": [id]}});
    assert_eq!(
        both.run(STRANGER, &edit).expect(200).json()["errorCode"],
        "source_asset_not_found"
    );
    assert_eq!(both.service.calls("submit"), 0);
    let make = json!({"taskType": "generate", "payload": {"prompt": "a cat"}});
    let one = both.run(WRITER, &make).expect(200).json();
    let path = format!("/v1/image-tasks/{}", one["key"].as_str().unwrap());
    for method in ["GET", "DELETE"] {
        both.send(STRANGER, method, &path, &[])
            .expect_problem(404, "image_task_not_found");
    }
    let two = both.run(STRANGER, &make).expect(200).json();
    assert_eq!(one["key"], two["key"]);
    assert_ne!(one["assetId"], two["assetId"]);
    assert_eq!((both.service.charged(), both.service.calls("submit")), (2, 2));
    both.server.assert_calm();
}

#[test]
fn who_only_reads_begins_and_changes_nothing() {
    let both = Both::new();
    both.send(WRITER, "PUT", "/v1/attachments/cat", &png(16, 16, 1))
        .expect(201);
    let make = json!({"taskType": "generate", "payload": {"prompt": "a cat"}});
    let end = both.run(WRITER, &make).expect(200).json();
    let path = format!("/v1/image-tasks/{}", end["key"].as_str().unwrap());
    let calls = both.service.books()["calls"].clone();
    for (method, path) in [
        ("PUT", "/v1/attachments/dog"),
        ("POST", "/v1/attachments/cat/promote"),
        ("POST", "/v1/image-tasks"),
        ("DELETE", path.as_str()),
        ("POST", "/v1/assets/collect"),
    ] {
        let refused = both.send(READER, method, path, b"{}");
        refused.expect_problem(403, "role_insufficient");
    }
    both.send(WRITER, "POST", "/v1/assets/collect", &[])
        .expect_problem(403, "role_insufficient");
    both.send("nobody-knows-this", "GET", &path, &[])
        .expect_problem(401, "token_invalid");
    assert_eq!(both.send(READER, "GET", &path, &[]).expect(200).json(), end);
    assert_eq!(both.service.books()["calls"], calls);
    both.send(WRITER, "POST", "/v1/attachments/dog/promote", &[])
        .expect_problem(404, "attachment_not_found");
    let all = both
        .send(ADMIN, "POST", "/v1/assets/collect?dryRun=true", &[])
        .expect(200)
        .json();
    assert_eq!(all["assets"], 1);
}

#[test]
fn everybody_in_the_workspace_and_nobody_else_hears_that_an_attachment_became_an_asset() {
    let both = Both::new();
    let feed = |token: &str| {
        let bearer = format!("Bearer {token}");
        Stream::open(both.server.address(), "/v1/feed", &[("authorization", &bearer)]).unwrap()
    };
    let (mut mine, mut theirs) = (feed(READER), feed(STRANGER));
    let promote = |token: &str, name: &str, seed: u64| {
        both.send(token, "PUT", &format!("/v1/attachments/{name}"), &png(16, 16, seed))
            .expect(201);
        let path = format!("/v1/attachments/{name}/promote");
        // Told once, however often it is asked for.
        let all = [(); 3].map(|()| both.send(token, "POST", &path, &[]).expect(200).json()["assetId"].clone());
        json!({"attachmentId": name, "assetId": all[0]})
    };
    let told = [promote(WRITER, "cat", 1), promote(WRITER, "dog", 2)];
    let other = promote(STRANGER, "owl", 3);
    let next = |stream: &mut Stream| loop {
        let event = stream.next_event().expect("the stream goes on");
        if event.name == "asset-promoted" {
            assert_eq!(event.id, None);
            return event.json();
        }
    };
    assert_eq!([next(&mut mine), next(&mut mine)], told);
    assert_eq!(next(&mut theirs), other);
}
