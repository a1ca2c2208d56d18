//! What is not right: a problem with a code and a place, never a panic, never a 500, nothing written.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};

use crate::support::{Answer, Api};

/// Not a fault of the server, and told as it should be.
#[track_caller]
pub(crate) fn assert_civil(answer: &Answer, told: &dyn std::fmt::Debug) {
    assert!(answer.status.as_u16() < 500, "{} for {told:?}", answer.status);
    if answer.status.is_client_error() {
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json"),
            "{told:?}"
        );
        assert!(answer.json()["next"].is_string());
    }
}

#[tokio::test]
async fn a_private_key_of_the_json_reader_is_no_way_in() {
    let api = Api::new().await;
    for key in ["$serde_json::private::Number", "$serde_json::private::RawValue"] {
        let body = json!({"kind": "SHEET", "value": {"a": [{key: "12"}]}}).to_string();
        let refused = api
            .post("/v1/pages")
            .new_key()
            .text(body)
            .send()
            .await
            .refused(422, "illegal_value");
        assert!(
            refused["pointer"].as_str().unwrap().starts_with("/value/a/0/"),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn a_body_is_told_where_it_is_wrong() {
    let api = Api::new().await;
    let check = async |body: &str, status: u16, code: &str, pointer: &str| {
        let answer = api.post("/v1/pages").new_key().text(body.to_owned()).send().await;
        assert_eq!(answer.refused(status, code)["pointer"], pointer, "{body}");
    };
    check("", 400, "malformed_json", "").await;
    check("[]", 400, "malformed", "").await;
    check("{}", 400, "malformed", "/kind").await;
    check(r#"{"kind":"PAINTING"}"#, 400, "malformed", "/kind").await;
    check(r#"{"kind":7}"#, 400, "malformed", "/kind").await;
    check(r#"{"kind":"DOC","id":7}"#, 400, "malformed", "/id").await;
    check(r#"{"kind":"DOC","id":null}"#, 400, "malformed", "/id").await;
    check(r#"{"kind":"DOC","colour":1}"#, 400, "malformed", "/colour").await;
    check(
        r#"{"kind":"DOC","value":[{"insert":"x"}]}"#,
        422,
        "illegal_value",
        "/value",
    )
    .await;
    check(r#"{"kind":"DOC","kind":"DOC"}"#, 400, "malformed_json", "/kind").await;
    check(
        r#"{"kind":"SHEET","value":{"a":[1,{"b":1,"b":2}]}}"#,
        400,
        "malformed_json",
        "/value/a/1/b",
    )
    .await;
    check(r#"{"kind":"SHEET","value":[1,,2]}"#, 400, "malformed_json", "/value/1").await;
    check(
        r#"{"kind":"DESIGN","value":{"nodes":{"a":{"type":"text","parentId":"zz","props":{}}}}}"#,
        422,
        "illegal_value",
        "/value/nodes/a/parentId",
    )
    .await;
    let deep = format!(r#"{{"kind":"SHEET","value":{}{}}}"#, "[".repeat(120), "]".repeat(120));
    let answer = api.post("/v1/pages").new_key().text(deep).send().await;
    assert_eq!(answer.refused(422, "illegal_value")["rule"], "too_deep");
    let deeper = format!(r#"{{"kind":"SHEET","value":{}"#, "[".repeat(100_000));
    api.post("/v1/pages")
        .new_key()
        .text(deeper)
        .send()
        .await
        .refused(400, "malformed_json");
    let invalid = api
        .post("/v1/pages")
        .new_key()
        .text(b"{\"kind\":\"\xff\"}".to_vec())
        .send()
        .await;
    assert_eq!(invalid.refused(400, "malformed_json")["offset"], 9);
}

#[tokio::test]
async fn a_body_that_is_not_json_by_name_is_refused() {
    let api = Api::new().await;
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "multipart/form-data; boundary=x",
    ] {
        let answer = api
            .post("/v1/pages")
            .new_key()
            .header("content-type", kind)
            .bytes("{}")
            .send()
            .await;
        assert_eq!(answer.header("accept"), Some("application/json"));
        answer.refused(415, "media_type_unsupported");
    }
    api.post("/v1/pages")
        .new_key()
        .bytes("{}")
        .send()
        .await
        .refused(415, "media_type_unsupported");
    let packed = api
        .post("/v1/pages")
        .new_key()
        .header("content-encoding", "gzip")
        .text("{}")
        .send()
        .await;
    packed.refused(415, "content_encoding_unsupported");
}

#[tokio::test]
async fn a_parameter_that_a_route_does_not_know_is_not_passed_over() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    let body = crate::support::typing("y");
    for call in [
        api.post("/v1/pages?dryRun=true"),
        api.put("/v1/pages/p?dryRun=true"),
        api.delete("/v1/pages/p?dryRun=true"),
        api.post("/v1/pages/p/undelete?dryRun=true"),
        api.post("/v1/pages/p/deltas?dryRun=true"),
    ] {
        let refused = call
            .new_key()
            .base(&tag)
            .json(&body)
            .await
            .refused(400, "invalid_parameter");
        assert_eq!(refused["parameter"], "dryRun");
    }
    api.get("/v1/pages/p/events/1?x")
        .send()
        .await
        .refused(400, "invalid_parameter");
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
}

#[tokio::test]
async fn what_there_is_no_route_or_method_for_is_a_problem_too() {
    let api = Api::new().await;
    for path in [
        "/",
        "/v1",
        "/v1/page",
        "/v1/pages/",
        "/v1/pages/p/nothing",
        "/v2/pages",
        "/v1/pages/p/events/1/2",
    ] {
        api.get(path).send().await.refused(404, "route_not_found");
    }
    for (method, path, allow) in [
        ("PATCH", "/v1/pages", "POST,GET,HEAD"),
        ("DELETE", "/v1/pages", "POST,GET,HEAD"),
        ("POST", "/v1/feed", "GET,HEAD"),
        ("BREW", "/v1/pages/p", "GET,HEAD,PUT,DELETE"),
        ("GET", "/v1/pages/p/deltas", "POST"),
    ] {
        let answer = api.call(method, path).send().await;
        let mut allowed: Vec<_> = answer.header("allow").unwrap().split(',').map(str::trim).collect();
        let mut expected: Vec<_> = allow.split(',').collect();
        allowed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(allowed, expected, "{method} {path}");
        answer.refused(405, "method_not_allowed");
    }
    api.get("/v1/pages//events")
        .send()
        .await
        .refused(400, "invalid_parameter");
    api.get("/docs/none.js").send().await.refused(404, "route_not_found");
    api.get("/problems/none").send().await.refused(404, "problem_not_found");
}

/// Random bytes, and bodies that are nearly right, at every route.
#[test]
fn random_requests_are_refused_civilly_and_change_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let api = runtime.block_on(Api::new());
    let tag = runtime.block_on(api.make("p", "DESIGN", json!({"nodes": {}})));
    let routes = prop::sample::select(vec![
        ("POST", "/v1/pages"),
        ("PUT", "/v1/pages/p"),
        ("POST", "/v1/pages/p/deltas"),
        ("POST", "/v1/pages/p/undelete"),
        ("DELETE", "/v1/pages/p"),
    ]);
    let bodies = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        "[\\[\\]{}\",:0-9a-z\\\\ ]{0,80}".prop_map(String::into_bytes),
        "\\{\"(deltas|delta|value|kind|id|file)\": ?(\\[|\\{|\"|[0-9]){0,4}[a-z\"\\]}]{0,6}"
            .prop_map(String::into_bytes),
        any_json().prop_map(|json| json!({"delta": json}).to_string().into_bytes()),
        any_json().prop_map(|json| json!({"value": {"nodes": json}}).to_string().into_bytes()),
    ];
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(cases())
    });
    let outcome = runner.run(&(routes, bodies, any::<bool>()), |((method, path), body, with_base)| {
        runtime.block_on(async {
            let mut call = api.call(method, path).new_key().header("recto-actor", "user:fuzz");
            if with_base {
                call = call.base("\"9.9\"");
            }
            let answer = call.text(body.clone()).send().await;
            assert_civil(&answer, &String::from_utf8_lossy(&body));
            prop_assert!(answer.status.is_client_error(), "{answer:?}");
            Ok(())
        })
    });
    outcome.unwrap();
    runtime.block_on(async {
        assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
        assert_eq!(
            api.get("/v1/pages").send().await.ok()["pages"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    });
}

fn cases() -> u32 {
    let times: u32 = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    500u32.saturating_mul(times)
}

fn any_json() -> impl Strategy<Value = Json> {
    let names = prop::sample::select(vec![
        "op", "id", "set", "node", "type", "parentId", "props", "geometry", "delta", "insert", "retain", "a", "",
    ]);
    let words = prop::sample::select(vec!["addNode", "setNode", "moveNode", "editText", "a", "", "first"]);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        words.prop_map(Json::from)
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            proptest::collection::vec((names.clone(), inner), 0..6).prop_map(|pairs| Json::Object(
                pairs
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            )),
        ]
    })
}
