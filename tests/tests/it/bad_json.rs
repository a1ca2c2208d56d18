//! The JSON test suite and random bytes as bodies of every route that takes one: an answer
//! that passes or a problem that tells why not; never a fault of the server, and nothing
//! written unless it passed. What passes comes back exactly.

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, etag, number, text};
use recto_tests::http::Answer;
use recto_tests::seed::Random;
use recto_tests::server::Server;
use recto_tests::{corpora, generate, raw};
use serde_json::json;

/// A server with a page of each kind.
fn start() -> (Server, Api) {
    let server = Server::start();
    let api = Api::of(&server);
    api.write(&api::create(
        "design",
        "DESIGN",
        &json!({ "nodes": { "n": { "type": "t", "parentId": null } } }),
    ));
    api.write(&api::create("doc", "DOC", &json!([{ "insert": "\n" }])));
    api.write(&api::create("code", "CODE", &json!({ "files": {}, "entry": null })));
    api.write(&api::create("sheet", "SHEET", &json!(null)));
    (server, api)
}

/// All pages with their versions and hashes.
fn state(api: &Api) -> Json {
    api.read("/v1/pages?deleted=true&limit=1000")
}

/// A body of any bytes.
fn body(write: &Write, body: Vec<u8>) -> Write {
    Write { body, ..write.clone() }
}

/// Sends a write; whatever the answer, it is sound, and nothing is written unless it passed.
fn send(api: &Api, before: &mut Json, write: &Write) -> Answer {
    let answer = api.send(write);
    let after = state(api);
    if answer.status >= 300 {
        assert_eq!(&after, before, "something was written by {answer}");
    }
    *before = after;
    answer
}

/// Where JSON of any kind is taken: what stands before and behind it, and where it is read back.
fn places(api: &Api, name: usize) -> Vec<(Write, &'static str, &'static str, String)> {
    let of = |page: &str| api.head(page);
    let page = format!("made {name}");
    let field = |field: &str| format!("/value{field}");
    vec![
        (
            api::replace("sheet", of("sheet"), &Json::Null),
            r#"{"value":"#,
            "}",
            field(""),
        ),
        (
            api::deltas("sheet", of("sheet"), &Json::Null),
            r#"{"delta":[{"op":"replaceSheet","value":"#,
            "}]}",
            field(""),
        ),
        (
            api::deltas("design", of("design"), &Json::Null),
            r#"{"deltas":[[{"op":"setNode","id":"n","set":{"/props/x":"#,
            "}}]]}",
            field("/nodes/n/props/x"),
        ),
        (
            api::deltas("code", of("code"), &Json::Null),
            r#"{"delta":[{"op":"setAttributes","set":{"/x":"#,
            "}}]}",
            field("/attributes/x"),
        ),
        (
            Write {
                path: "/v1/pages".to_owned(),
                ..api::create(&page, "SHEET", &Json::Null)
            },
            r#"{"kind":"SHEET","value":"#,
            "}",
            field(""),
        ),
    ]
}

#[test]
fn the_json_test_suite_as_a_value_is_kept_exactly_or_refused() {
    let Some(cases) = corpora::lines("badinput/json-test-suite.jsonl.gz") else {
        return;
    };
    let (server, api) = start();
    let mut before = state(&api);
    let mut passed = 0;
    for (number_of, case) in cases.enumerate() {
        let bytes = corpora::bytes(&case, "base64");
        let name = text(&case["name"]).to_owned();
        for (mut write, front, back, field) in places(&api, number_of) {
            if let Some(base) = write.base.as_mut().filter(|_| write.path.contains("/sheet")) {
                *base = etag(api.head("sheet"));
            }
            let whole = [front.as_bytes(), &bytes, back.as_bytes()].concat();
            let answer = send(&api, &mut before, &body(&write, whole.clone()));
            let valid = serde_json::from_slice::<Json>(&whole).is_ok();
            if answer.status >= 300 {
                assert!(matches!(answer.status, 400 | 413 | 422), "{name}: {answer}");
                continue;
            }
            assert!(valid, "{name} is no JSON and passed: {answer}");
            passed += 1;
            let written = answer.json();
            let page = api.page(text(&written["page"]));
            let sent: Json = serde_json::from_slice(&bytes).expect("JSON");
            let kept = page
                .pointer(&field)
                .unwrap_or_else(|| panic!("{name}: nothing at {field} in {page}"));
            assert_eq!(kept.to_string(), sent.to_string(), "{name}");
        }
    }
    assert!(passed > 300, "only {passed} passed");
    server.assert_calm();
}

#[test]
fn the_json_test_suite_as_a_body_is_answered_by_every_route() {
    let Some(cases) = corpora::lines("badinput/json-test-suite.jsonl.gz") else {
        return;
    };
    let (server, api) = start();
    let mut before = state(&api);
    for case in cases {
        let bytes = corpora::bytes(&case, "base64");
        for write in every_write(&api) {
            let takes_none = write.method == "DELETE" || write.path.ends_with("/undelete");
            if takes_none {
                continue;
            }
            let answer = send(&api, &mut before, &body(&write, bytes.clone()));
            // No case of the suite is a request of this API, but for nothing and `{}` where that is enough.
            let takes_nothing = write.path.ends_with("/undo") || write.path.ends_with("/redo");
            let refused = matches!(answer.status, 400 | 413 | 422) || takes_nothing && answer.status == 409;
            assert!(refused, "{}: {answer}", case["name"]);
        }
    }
    server.assert_calm();
}

fn every_write(api: &Api) -> Vec<Write> {
    let mut writes = vec![api::create("new", "DOC", &Json::Null)];
    for page in ["design", "doc", "code", "sheet"] {
        let head = api.head(page);
        writes.extend([
            api::deltas(page, head, &Json::Null),
            api::replace(page, head, &Json::Null),
            api::delete(page, head),
            api::undelete(page, head),
            api::undo(page, head, &Json::Null),
            api::redo(page, head, &Json::Null),
            api::restore(page, head, 1),
        ]);
    }
    writes
}

/// Bodies that are almost right: legal ones with a few bytes changed, and bytes of any kind.
#[test]
fn changed_and_random_bodies_are_answered_by_every_route() {
    let mut random = Random::of_test("random bodies", 17);
    let (server, api) = start();
    let mut before = state(&api);
    for _ in 0..250 {
        let mut writes = every_write(&api);
        let write = writes.swap_remove(random.below(writes.len()));
        let legal =
            json!({ "delta": generate::json(&mut random, 4), "value": generate::json(&mut random, 2) }).to_string();
        let mut bytes = match random.below(4) {
            0 => {
                let len = random.below(300);
                random.bytes(len)
            }
            1 => json!({ "value": generate::json(&mut random, 5) })
                .to_string()
                .into_bytes(),
            2 => json!({ "deltas": [generate::json(&mut random, 5)] })
                .to_string()
                .into_bytes(),
            _ => legal.into_bytes(),
        };
        for _ in 0..random.below(3) {
            if !bytes.is_empty() {
                let at = random.below(bytes.len());
                bytes[at] = random.bytes(1)[0];
            }
        }
        let answer = send(&api, &mut before, &body(&write, bytes));
        if answer.status == 410 || answer.status == 200 && write.method == "DELETE" {
            let page = write.path.split('/').nth(3).unwrap_or_default().to_owned();
            api.send(&api::undelete(&page, api.head(&page))).expect(200);
            before = state(&api);
        }
    }
    server.assert_calm();
}

/// Deltas that are well formed and hold anything, against pages of every kind.
#[test]
fn wild_deltas_are_answered_and_what_passes_can_be_taken_back() {
    let mut random = Random::of_test("wild deltas", 18);
    let (server, api) = start();
    let mut before = state(&api);
    let ops = [
        "addNode",
        "removeNode",
        "setNode",
        "moveNode",
        "editText",
        "addToSet",
        "removeFromSet",
        "setAttributes",
        "addBackground",
        "removeBackground",
        "setBackground",
        "moveBackground",
        "addFile",
        "removeFile",
        "renameFile",
        "editFile",
        "setEntry",
        "replaceSheet",
        "",
        "undo",
    ];
    let fields = [
        "id",
        "node",
        "placement",
        "set",
        "unset",
        "at",
        "parentId",
        "geometry",
        "order",
        "pointer",
        "delta",
        "values",
        "background",
        "siblings",
        "path",
        "text",
        "to",
        "value",
        "insert",
        "retain",
        "delete",
        "attributes",
        "x",
    ];
    for _ in 0..400 {
        let page = *random.pick(&["design", "doc", "code", "sheet"]);
        let mut op = json!({});
        if random.chance(7, 8) {
            op["op"] = json!(random.pick(&ops));
        }
        for _ in 0..random.below(5) {
            let field = *random.pick(&fields);
            op[field] = match random.below(6) {
                0 => json!(random.pick(&["n", "first", "last", "a/b", "/props/x", "/type", ""])),
                1 => json!({ "/props/x": generate::json(&mut random, 2) }),
                2 => json!({ "after": "n" }),
                3 => json!([generate::json(&mut random, 1), { "insert": "x" }]),
                4 => json!(random.pick(&[0_u64, 1, 2, u64::MAX])),
                _ => generate::json(&mut random, 3),
            };
        }
        let head = api.head(page);
        let answer = send(&api, &mut before, &api::deltas(page, head, &json!([[op]])));
        if answer.status < 300 && number(&answer.json()["version"]) > head {
            let inverse = &answer.json()["events"][0]["inverse"];
            let back = send(&api, &mut before, &api::deltas(page, head + 1, &json!([inverse])));
            assert_eq!(back.status, 200, "{op} back by {inverse}: {back}");
            assert_eq!(
                api.page(page)["digest"],
                api.page_at(page, head)["digest"],
                "{op} back by {inverse}"
            );
        }
    }
    server.assert_calm();
}

/// Limits of the body: told as such, before or after it has arrived.
#[test]
fn a_body_over_the_limit_is_413_and_writes_nothing() {
    let server = Server::start_with(&["--body-bytes-max", "20000"]);
    let api = Api::of(&server);
    api.write(&api::create("p", "SHEET", &json!(0)));
    let refused = api
        .send(&api::replace("p", 1, &json!("x".repeat(20_001))))
        .expect_problem(413, "body_too_large")
        .json();
    assert_eq!(number(&refused["limit"]), 20_000);
    // A body that says it is too long is not waited for.
    let announced = "PUT /v1/pages/p HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nidempotency-key: k\r\n\
                     if-match: \"1.0\"\r\ncontent-length: 3000000\r\n\r\n";
    let answers = raw::throw(server.address(), announced.as_bytes());
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [413]);
    // Nor is one that says nothing and does not end.
    let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
    let endless = announced.replace("content-length: 3000000", "transfer-encoding: chunked") + &chunk + &chunk;
    let answers = raw::throw(server.address(), endless.as_bytes());
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [413]);
    api.send(&api::replace("p", 1, &json!("x".repeat(19_000)))).expect(200);
    assert_eq!(api.head("p"), 2);
    for (media, code, status) in [
        ("text/plain", "media_type_unsupported", 415),
        ("application/json; charset=latin1", "media_type_unsupported", 415),
    ] {
        let headers = [
            ("content-type", media),
            ("idempotency-key", "k"),
            ("if-match", "\"2.0\""),
        ];
        api.client()
            .send("PUT", "/v1/pages/p", &headers, b"{\"value\":1}")
            .expect_problem(status, code);
    }
    server.assert_calm();
}
