//! Submitting deltas.

use serde_json::{Value as Json, json};

use crate::support::{Api, typing};

#[tokio::test]
async fn one_delta_or_many_each_becomes_one_event() {
    let api = Api::new().await;
    let first = api.make("p", "DOC", json!([{"insert": "ab\n"}])).await;
    let many = json!({"deltas": [[{"retain": 1}, {"insert": "x"}], [{"retain": 4}], [{"delete": 1}]]});
    let written = api
        .post("/v1/pages/p/deltas")
        .new_key()
        .base(&first)
        .header("recto-turn", "t1")
        .header("recto-actor", "agent:writer")
        .json(&many)
        .await;
    let body = written.ok();
    let events = body["events"].as_array().unwrap();
    // The second one changes nothing.
    assert_eq!(events.len(), 2);
    assert_eq!((&events[1]["version"], written.etag().as_str()), (&json!(3), "\"3.0\""));
    for event in events {
        assert_eq!(
            (&event["type"], &event["actor"], &event["turn"]),
            (&json!("agent-page-edit"), &json!("agent:writer"), &json!("t1"))
        );
    }
    assert_eq!(events[0]["delta"], json!([{"retain": 1}, {"insert": "x"}]));
    assert_eq!(events[0]["inverse"], json!([{"retain": 1}, {"delete": 1}]));
    assert_eq!(events[1]["inverse"], json!([{"insert": "a"}]));
    assert_eq!(
        api.get("/v1/pages/p").send().await.ok()["value"],
        json!([{"insert": "xb\n"}])
    );
}

#[tokio::test]
async fn an_inverse_sent_back_leads_back() {
    let api = Api::new().await;
    let value = json!({"nodes": {"g": node(Json::Null, "group"), "a": node(json!("g"), "text"), "b": node(json!("g"), "text")}});
    let first = api.make("p", "DESIGN", value).await;
    let before = api.get("/v1/pages/p").send().await.ok();
    let delta = json!({"delta": [
        {"op": "setNode", "id": "a", "set": {"/props/text": "new"}},
        {"op": "removeNode", "id": "b"},
        {"op": "moveNode", "id": "a", "parentId": null, "placement": "first"}
    ]});
    let written = api.post("/v1/pages/p/deltas").new_key().base(&first).json(&delta).await;
    let inverse = written.ok()["events"][0]["inverse"].clone();
    let back = api
        .post("/v1/pages/p/deltas")
        .new_key()
        .base(&written.etag())
        .json(&json!({"delta": inverse}))
        .await;
    assert_eq!(back.ok()["version"], 3);
    let after = api.get("/v1/pages/p").send().await.ok();
    assert_eq!(
        (&after["value"], &after["digest"]),
        (&before["value"], &before["digest"])
    );
}

fn node(parent: Json, kind: &str) -> Json {
    json!({"type": kind, "parentId": parent, "geometry": {"x": 0, "y": 0, "width": 1, "height": 1, "rotation": 0}, "props": {"text": "old"}})
}

#[tokio::test]
async fn an_illegal_delta_is_told_with_its_rule_and_place_and_nothing_is_written() {
    let api = Api::new().await;
    let tag = api.make_text("p", "a😀").await;
    let send = |body: Json| {
        api.post("/v1/pages/p/deltas")
            .new_key()
            .base(&tag)
            .text(body.to_string())
            .send()
    };
    let edit = |delta: Json| json!([{"op": "editFile", "path": "f", "delta": delta}]);

    let split =
        send(json!({"deltas": [edit(json!([{"insert": "x"}])), edit(json!([{"retain": 3}, {"delete": 1}]))]})).await;
    let split = split.refused(422, "illegal_delta");
    assert_eq!(
        (&split["rule"], &split["delta"]),
        (&json!("splits_surrogate"), &json!(1))
    );
    assert!(split["pointer"].as_str().unwrap().starts_with("/deltas/1/"), "{split}");

    let far = send(json!({"delta": edit(json!([{"retain": 9}, {"insert": "x"}]))}))
        .await
        .refused(422, "illegal_delta");
    assert_eq!(far["rule"], "out_of_range");
    assert!(far["pointer"].as_str().unwrap().starts_with("/delta/0"), "{far}");

    let shape = send(json!({"delta": [{"op": "editFile", "path": "f", "delta": [{"insrt": "x"}]}]})).await;
    assert!(
        shape.refused(400, "malformed")["pointer"]
            .as_str()
            .unwrap()
            .starts_with("/delta/0/delta/0")
    );
    send(json!({"delta": [{"op": "explode"}]}))
        .await
        .refused(400, "malformed");
    send(json!({"delta": [{"op": "setNode", "id": "a", "set": {}}]}))
        .await
        .refused(400, "malformed");
    assert_eq!(
        send(json!({"deltas": []})).await.refused(422, "no_deltas")["pointer"],
        "/deltas/0"
    );
    send(json!({})).await.refused(400, "malformed");
    send(json!({"delta": [], "deltas": []})).await.refused(400, "malformed");
    send(json!({"deltas": 3})).await.refused(400, "malformed");
    assert_eq!(
        send(json!({"delta": [], "x/y": 1})).await.refused(400, "malformed")["pointer"],
        "/x~1y"
    );
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
}

#[tokio::test]
async fn an_agent_cannot_write_to_a_sheet() {
    let api = Api::new().await;
    let tag = api.make("p", "SHEET", json!([1])).await;
    let delta = json!({"delta": [{"op": "replaceSheet", "value": [2]}]});
    let call = || api.post("/v1/pages/p/deltas").new_key().base(&tag);
    call()
        .header("recto-actor", "agent:x")
        .json(&delta)
        .await
        .refused(422, "not_writable_by_agents");
    assert_eq!(call().json(&delta).await.ok()["version"], 2);
}

#[tokio::test]
async fn a_write_to_no_page_is_404() {
    let api = Api::new().await;
    api.post("/v1/pages/none/deltas")
        .new_key()
        .base("\"1.0\"")
        .json(&typing("x"))
        .await
        .refused(404, "page_not_found");
    api.put("/v1/pages/none")
        .new_key()
        .base("\"1.0\"")
        .json(&json!({"value": 1}))
        .await
        .refused(404, "page_not_found");
    api.delete("/v1/pages/none")
        .new_key()
        .base("\"1.0\"")
        .send()
        .await
        .refused(404, "page_not_found");
    api.post("/v1/pages/none/undelete")
        .new_key()
        .base("\"1.0\"")
        .send()
        .await
        .refused(404, "page_not_found");
}
