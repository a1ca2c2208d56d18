//! The version that a write was made from: asked for, checked, and told for the next one.

use recto_tests::api::{self, Api, Write, number, page_path, text};
use recto_tests::check::expect_replay;
use recto_tests::server::Server;
use serde_json::json;

fn sheet() -> (Server, Api) {
    let (server, api) = api::start();
    api.write(&api::create("p", "SHEET", &json!(0)));
    (server, api)
}

/// A write without a base on a page that exists is refused, whatever it is.
#[test]
fn d5_a_write_without_a_base_is_428() {
    let (_server, api) = sheet();
    api.send(&api::replace("p", 1, &json!("stale"))).expect(200);
    let conflict = api.send(&api::replace("p", 1, &json!("mine")));
    conflict.expect_problem(409, "version_conflict");
    let writes = [
        api::replace("p", 2, &json!("mine")),
        api::deltas("p", 2, &json!([[{ "op": "replaceSheet", "value": "mine" }]])),
        api::delete("p", 2),
        api::undelete("p", 2),
    ];
    for write in writes {
        api.send(&write.clone().without_base())
            .expect_problem(428, "base_required");
        api.send(&Write {
            base: Some("*".to_owned()),
            ..write.clone()
        })
        .expect_problem(400, "if_match_any");
        api.send(&Write {
            base: Some("W/\"2.0\"".to_owned()),
            ..write.clone()
        })
        .expect_problem(400, "if_match_weak");
        api.send(&Write {
            base: Some("2".to_owned()),
            ..write
        })
        .expect_problem(400, "if_match_malformed");
    }
    assert_eq!(api.page("p")["value"], json!("stale"));
}

/// The tag of another epoch, or of an event that never was, is no base.
#[test]
fn d7_a_tag_that_never_was_is_412() {
    let (_server, api) = sheet();
    for base in ["\"0.0\"", "\"2.0\"", "\"1.1\"", "\"9223372036854775807.0\""] {
        let write = Write {
            base: Some(base.to_owned()),
            ..api::replace("p", 1, &json!(1))
        };
        let refused = api.send(&write).expect_problem(412, "base_unknown").json();
        assert_eq!(
            (number(&refused["actual"]), text(&refused["head"]["etag"])),
            (1, "\"1.0\""),
            "{base}"
        );
    }
    api.write(&api::delete("p", 1));
    for base in [1, 2] {
        api.send(&api::replace("p", base, &json!(1)))
            .expect_problem(410, "page_deleted");
    }
    api.send(&api::delete("p", 1)).expect_problem(409, "version_conflict");
    api.send(&api::create("p", "SHEET", &json!(0)).key("anew"))
        .expect_problem(410, "page_deleted");
    api.write(&api::undelete("p", 2));
    api.send(&api::replace("p", 1, &json!(1)))
        .expect_problem(409, "version_conflict");
    api.send(&api::replace("p", 3, &json!(1))).expect(200);
}

/// Making a page is idempotent by its id, with whatever key.
#[test]
fn d16_initial_content_is_inserted_once() {
    let (server, api) = sheet();
    let template = json!({ "nodes": { "n": { "type": "text", "parentId": null, "props": { "text": "Hi" } } } });
    let first = api.send(&api::create("home", "DESIGN", &template)).expect(201);
    assert_eq!(first.header("location"), Some("/v1/pages/home"));
    for _ in 0..3 {
        let again = api.send(&api::create("home", "DESIGN", &template)).expect(201);
        expect_replay(&first, &again);
    }
    api.write(&api::deltas(
        "home",
        1,
        &json!([[{ "op": "setNode", "id": "n", "set": { "/props/text": "Ho" } }]]),
    ));
    let server = server.restart();
    let api = Api::of(&server);
    expect_replay(&first, &api.send(&api::create("home", "DESIGN", &template)));
    assert_eq!(api.head("home"), 2);
    assert_eq!(text(&api.page("home")["value"]["nodes"]["n"]["props"]["text"]), "Ho");
    api.send(&api::create("home", "DESIGN", &json!({})))
        .expect_problem(409, "page_exists");
    api.send(&api::create("home", "DOC", &json!([{ "insert": "\n" }])))
        .expect_problem(409, "page_exists");
}

/// A page without an id gets one from the key, the same at every retry.
#[test]
fn d16_a_page_that_is_named_by_the_server_is_made_once() {
    let (_server, api) = sheet();
    let write = Write::new("POST", "/v1/pages".to_owned(), &json!({ "kind": "DOC" })).key("new page");
    let first = api.send(&write).expect(201);
    let again = api.send(&write).expect(201);
    expect_replay(&first, &again);
    let page = text(&first.json()["page"]).to_owned();
    assert_eq!(api.page(&page)["value"], json!([{ "insert": "\n" }]));
}

/// As far as it goes without restore: the answer of every write is enough to write again.
#[test]
fn d15_the_answer_of_a_write_is_the_base_of_the_next() {
    let (_server, api) = sheet();
    let mut tag = "\"1.0\"".to_owned();
    for round in 0..30 {
        let write = match round % 6 {
            4 => api::delete("p", 1),
            5 => api::undelete("p", 1),
            _ => api::replace("p", 1, &json!(round % 5)),
        };
        let answer = api
            .send(&Write {
                base: Some(tag),
                ..write
            })
            .expect(200);
        tag = text(&answer.json()["etag"]).to_owned();
        assert_eq!(answer.header("etag"), Some(tag.as_str()));
    }
    assert_eq!(api.get(&page_path("p")).expect(200).header("etag"), Some(tag.as_str()));
}
