//! Making, reading, replacing, deleting and listing pages.

use serde_json::{Value as Json, json};

use crate::support::Api;

fn samples() -> Vec<(&'static str, Json)> {
    vec![
        (
            "DESIGN",
            json!({"attributes": {"presetId": "whiteboard"}, "nodes": {"a": {"type": "text", "parentId": null,
            "geometry": {"x": 1, "y": 2.5, "width": 3, "height": 4, "rotation": 0}, "props": {"text": "hi"}}}}),
        ),
        (
            "DOC",
            json!([{"insert": "Hello "}, {"insert": "world", "attributes": {"bold": true}}, {"insert": "\n"}]),
        ),
        (
            "CODE",
            json!({"files": {"a/b.rs": "fn main() {}\n"}, "entry": "a/b.rs"}),
        ),
        ("SHEET", json!({"rows": [[1, 1.0, "x", null]]})),
    ]
}

#[tokio::test]
async fn a_page_of_every_kind_is_made_read_and_listed() {
    let api = Api::new().await;
    for (kind, value) in samples() {
        let made = api
            .post("/v1/pages")
            .new_key()
            .json(&json!({"id": kind, "kind": kind, "value": value}))
            .await;
        assert_eq!(made.status, 201, "{made:?}");
        assert_eq!(made.header("location"), Some(format!("/v1/pages/{kind}").as_str()));
        assert_eq!(made.etag(), "\"1.0\"");
        let written = made.json();
        assert_eq!(
            (&written["version"], &written["operation"], &written["changed"]),
            (&json!(1), &json!("create"), &json!(true))
        );
        assert_eq!(written["events"][0]["kind"], "create");

        let read = api.get(&format!("/v1/pages/{kind}")).send().await;
        assert_eq!((read.status.as_u16(), read.etag().as_str()), (200, "\"1.0\""));
        let page = read.json();
        assert_eq!(
            (&page["id"], &page["kind"], &page["version"]),
            (&json!(kind), &json!(kind), &json!(1))
        );
        assert_eq!(page["hash"], written["hash"]);
        if kind != "DESIGN" {
            assert_eq!(without_defaults(&page["value"]), value, "{kind}");
        }
    }
    let list = api.get("/v1/pages").send().await.ok();
    let ids: Vec<_> = list["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["id"].clone())
        .collect();
    assert_eq!(ids, ["CODE", "DESIGN", "DOC", "SHEET"]);
    assert_eq!(list["next"], Json::Null);
}

/// A CODE page comes back with all its fields.
fn without_defaults(value: &Json) -> Json {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, field| name != "attributes" || field.as_object().is_some_and(|map| !map.is_empty()));
    }
    value
}

#[tokio::test]
async fn a_page_without_a_value_is_empty_and_one_without_an_id_gets_the_same_at_every_retry() {
    let api = Api::new().await;
    let call = || api.post("/v1/pages").key("one");
    let first = call().json(&json!({"kind": "DOC"})).await;
    let again = call().json(&json!({"kind": "DOC"})).await;
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201));
    assert_eq!(first.body, again.body);
    assert_eq!(first.header("location"), again.header("location"));
    assert!(again.is_replay() && !first.is_replay());
    let id = first.json()["page"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 36);
    assert_eq!(
        api.get(&format!("/v1/pages/{id}")).send().await.ok()["value"],
        json!([{"insert": "\n"}])
    );
    let other = api
        .post("/v1/pages")
        .key("two")
        .json(&json!({"kind": "DOC"}))
        .await
        .ok();
    assert_ne!(other["page"], json!(id));
}

#[tokio::test]
async fn making_a_page_again_is_no_conflict_and_making_it_otherwise_is_one() {
    let api = Api::new().await;
    let body = json!({"id": "p", "kind": "DOC", "file": "f"});
    let first = api.post("/v1/pages").key("a").json(&body).await;
    let same = api.post("/v1/pages").key("b").json(&body).await;
    assert_eq!((same.status.as_u16(), &same.body), (201, &first.body));
    for other in [
        json!({"id": "p", "kind": "CODE", "file": "f"}),
        json!({"id": "p", "kind": "DOC"}),
        json!({"id": "p", "kind": "DOC", "file": "f", "value": [{"insert": "x\n"}]}),
    ] {
        let refused = api
            .post("/v1/pages")
            .new_key()
            .json(&other)
            .await
            .refused(409, "page_exists");
        assert_eq!(refused["head"]["version"], 1);
    }
    api.post("/v1/pages")
        .key("a")
        .json(&json!({"id": "p", "kind": "CODE"}))
        .await
        .refused(422, "idempotency_key_reused");
}

#[tokio::test]
async fn a_page_is_read_at_a_version_and_at_a_time() {
    let api = Api::new().await;
    let mut tag = api.make_text("p", "0").await;
    for text in ["1", "2", "3"] {
        tag = api.type_text("p", &tag, text).await;
    }
    for (version, text) in [(1, "0"), (2, "10"), (3, "210"), (4, "3210")] {
        let page = api.get(&format!("/v1/pages/p?at={version}")).send().await;
        assert_eq!(page.etag(), format!("\"{version}.0\""));
        let page = page.ok();
        assert_eq!(
            (&page["value"]["files"]["f"], &page["headVersion"]),
            (&json!(text), &json!(4))
        );
        let at = page["updatedAt"].as_str().unwrap();
        let then = api.get(&format!("/v1/pages/p?at={at}")).send().await.ok();
        assert!(then["version"].as_u64().unwrap() >= version && then["updatedAt"] == page["updatedAt"]);
    }
    let newest = api.get("/v1/pages/p?at=2999-01-01T00:00:00%2B01:00").send().await.ok();
    assert_eq!(newest["version"], 4);
    assert_eq!(
        api.get("/v1/pages/p?at=9")
            .send()
            .await
            .refused(404, "version_not_found")["head"],
        4
    );
    api.get("/v1/pages/p?at=0")
        .send()
        .await
        .refused(404, "version_not_found");
    let early = api
        .get("/v1/pages/p?at=1999-01-01T00:00:00Z")
        .send()
        .await
        .refused(404, "before_first_version");
    assert!(early["firstTime"].is_string());
    assert_eq!(
        api.get("/v1/pages/p?at=soon")
            .send()
            .await
            .refused(400, "invalid_parameter")["parameter"],
        "at"
    );
}

#[tokio::test]
async fn a_version_that_the_caller_has_is_not_sent_again() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let call = |tag: &str| api.get("/v1/pages/p").header("if-none-match", tag).send();
    let known = call(&first).await;
    assert_eq!(
        (known.status.as_u16(), known.etag(), known.body.len()),
        (304, first.clone(), 0)
    );
    assert_eq!(call("\"7.0\", W/\"1.0\"").await.status, 304);
    assert_eq!(call("*").await.status, 304);
    let second = api.type_text("p", &first, "y").await;
    assert_eq!(call(&first).await.status, 200);
    assert_eq!(call(&second).await.status, 304);
}

#[tokio::test]
async fn head_answers_as_get_without_the_body() {
    let api = Api::new().await;
    api.make_text("p", "x").await;
    let get = api.get("/v1/pages/p").send().await;
    let head = api.call("HEAD", "/v1/pages/p").send().await;
    assert_eq!((head.status, head.body.len()), (get.status, 0));
    assert_eq!(head.etag(), get.etag());
    assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()));
}

#[tokio::test]
async fn a_replacement_is_stored_as_a_fine_delta_and_an_equal_one_changes_nothing() {
    let api = Api::new().await;
    let text = "a line\n".repeat(1000);
    let first = api.make_text("p", &text).await;
    let value = json!({"value": {"files": {"f": format!("{text}more\n")}}});
    let replaced = api.put("/v1/pages/p").new_key().base(&first).json(&value).await;
    assert!(replaced.body.len() < 2_000, "{} bytes", replaced.body.len());
    assert_eq!(replaced.ok()["version"], 2);
    let again = api
        .put("/v1/pages/p")
        .new_key()
        .base(&replaced.etag())
        .json(&value)
        .await
        .ok();
    assert_eq!(
        (&again["version"], &again["changed"], &again["events"]),
        (&json!(2), &json!(false), &json!([]))
    );
}

#[tokio::test]
async fn a_deleted_page_is_gone_its_history_is_not_and_it_comes_back() {
    let api = Api::new().await;
    let first = api.make_text("p", "x").await;
    let deleted = api.delete("/v1/pages/p").new_key().base(&first).send().await;
    assert_eq!(deleted.ok()["events"][0]["kind"], "delete");
    assert_eq!(deleted.json()["events"][0]["delta"], Json::Null);
    let gone = api.get("/v1/pages/p").send().await.refused(410, "page_deleted");
    assert_eq!(gone["head"]["etag"], deleted.etag());
    assert_eq!(api.get("/v1/pages/p?at=1").send().await.ok()["deleted"], true);
    assert_eq!(
        api.get("/v1/pages/p/events").send().await.ok()["events"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    api.put("/v1/pages/p")
        .new_key()
        .base(&deleted.etag())
        .json(&json!({"value": {"files": {}}}))
        .await
        .refused(410, "page_deleted");
    api.post("/v1/pages")
        .new_key()
        .json(&json!({"id": "p", "kind": "DOC"}))
        .await
        .refused(410, "page_deleted");
    assert_eq!(api.get("/v1/pages").send().await.ok()["pages"], json!([]));
    assert_eq!(
        api.get("/v1/pages?deleted=true").send().await.ok()["pages"][0]["deleted"],
        true
    );

    let back = api
        .post("/v1/pages/p/undelete")
        .new_key()
        .base(&deleted.etag())
        .send()
        .await;
    assert_eq!(back.ok()["version"], 3);
    assert_eq!(api.get("/v1/pages/p").send().await.ok()["value"]["files"]["f"], "x");
    let twice = api
        .post("/v1/pages/p/undelete")
        .new_key()
        .base(&back.etag())
        .send()
        .await
        .ok();
    assert_eq!(twice["changed"], false);
}
