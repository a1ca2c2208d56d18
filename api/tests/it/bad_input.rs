//! What is not right: a problem with a code and a place, never a panic, never a 500, nothing written.

use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use flate2::read::GzDecoder;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};

use crate::support::{Answer, Api};

fn corpora() -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = std::env::var_os("RECTO_CORPORA").map_or_else(|| here.join("../../shared/corpora"), PathBuf::from);
    root.join("badinput").is_dir().then_some(root.join("badinput"))
}

/// The lines of a packed corpus; none where it is missing.
fn lines(name: &str) -> Vec<Json> {
    let Some(folder) = corpora() else { return Vec::new() };
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(folder.join(name)).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn decoded(line: &Json) -> Vec<u8> {
    base64::prelude::BASE64_STANDARD.decode(line["base64"].as_str().unwrap()).unwrap()
}

/// Not a fault of the server, and told as it should be.
#[track_caller]
fn assert_civil(answer: &Answer, told: &dyn std::fmt::Debug) {
    assert!(answer.status.as_u16() < 500, "{} for {told:?}", answer.status);
    if answer.status.is_client_error() {
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{told:?}");
        assert!(answer.json()["next"].is_string());
    }
}

#[tokio::test]
async fn json_that_must_be_refused_is_and_json_that_must_be_taken_is() {
    let api = Api::new().await;
    let cases = lines("json-test-suite.jsonl.gz");
    for (index, case) in cases.iter().enumerate() {
        let text = decoded(case);
        // The value inside a body that is right otherwise, so that only the text decides.
        let body = [br#"{"kind":"SHEET","value":"#.as_slice(), &text, b"}"].concat();
        let answer = api.post("/v1/pages").key(&format!("suite-{index}")).text(body).send().await;
        assert_civil(&answer, case);
        let expect = case["expect"].as_str().unwrap_or_default();
        match expect {
            "reject" => {
                let problem = answer.refused(400, "malformed_json");
                assert!(problem["offset"].is_u64() && (problem["pointer"].is_string() || problem["detail"].as_str().unwrap().contains("UTF-8")));
            }
            // Two keys that are the same are legal JSON, and refused here on purpose.
            "accept" if case["name"].as_str().unwrap().contains("duplicated_key") => {
                answer.refused(400, "malformed_json");
            }
            "accept" => assert_eq!(answer.status, 201, "{case}: {answer:?}"),
            _ => {}
        }
        let alone = api.post("/v1/pages").new_key().text(text).send().await;
        assert_civil(&alone, case);
        assert!(alone.status.is_client_error());
    }
    println!("{} texts", cases.len());
}

#[tokio::test]
async fn naughty_strings_are_ids_values_keys_and_headers_or_refused() {
    let api = Api::new().await;
    let Some(folder) = corpora() else { return println!("passed over: no corpora") };
    let strings: Vec<String> = serde_json::from_slice(&std::fs::read(folder.join("blns.json")).unwrap()).unwrap();
    let fuzz: Vec<Vec<u8>> = lines("fuzzdb-inputs.jsonl.gz").iter().map(decoded).collect();
    let inputs = strings.iter().map(|text| text.as_bytes().to_vec()).chain(fuzz);
    let mut kept = 0;
    for (index, input) in inputs.enumerate() {
        let text = String::from_utf8_lossy(&input).into_owned();
        let body = json!({"id": text, "kind": "SHEET", "value": {text.clone(): [text]}});
        let made = api.post("/v1/pages").key(&format!("naughty-{index}")).json(&body).await;
        assert_civil(&made, &text);
        if made.status == 201 {
            kept += 1;
            let page = api.get(made.header("location").unwrap()).send().await.ok();
            assert_eq!((&page["id"], &page["value"]), (&body["id"], &body["value"]));
        }
        let escaped: String = input.iter().map(|byte| format!("%{byte:02X}")).collect();
        for path in [format!("/v1/pages/{escaped}"), format!("/v1/pages/{escaped}/events?after={escaped}"), format!("/v1/pages?file={escaped}&after={escaped}"),
            format!("/v1/commands/{escaped}?page={escaped}"), format!("/v1/pages/x?at={escaped}"), format!("/{escaped}"), format!("/problems/{escaped}")] {
            if path.len() < 8000 {
                assert_civil(&api.get(&path).send().await, &path);
            }
        }
        if axum::http::HeaderValue::from_bytes(&input).is_ok() {
            for name in ["idempotency-key", "if-match", "recto-actor", "recto-turn", "content-type", "x-request-id", "content-encoding"] {
                let call = api.put("/v1/pages/none").header(name, &input).bytes("{}");
                assert_civil(&call.send().await, &(name, &input));
            }
            for name in ["if-none-match", "authorization", "last-event-id", "host"] {
                let call = api.get("/v1/pages/none").header(name, &input);
                assert_civil(&call.send().await, &(name, &input));
            }
        }
    }
    println!("{kept} became pages");
}

#[tokio::test]
async fn a_private_key_of_the_json_reader_is_no_way_in() {
    let api = Api::new().await;
    for key in ["$serde_json::private::Number", "$serde_json::private::RawValue"] {
        let body = json!({"kind": "SHEET", "value": {"a": [{key: "12"}]}}).to_string();
        let refused = api.post("/v1/pages").new_key().text(body).send().await.refused(422, "illegal_value");
        assert!(refused["pointer"].as_str().unwrap().starts_with("/value/a/0/"), "{refused}");
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
    check(r#"{"kind":"DOC","value":[{"insert":"x"}]}"#, 422, "illegal_value", "/value").await;
    check(r#"{"kind":"DOC","kind":"DOC"}"#, 400, "malformed_json", "/kind").await;
    check(r#"{"kind":"SHEET","value":{"a":[1,{"b":1,"b":2}]}}"#, 400, "malformed_json", "/value/a/1/b").await;
    check(r#"{"kind":"SHEET","value":[1,,2]}"#, 400, "malformed_json", "/value/1").await;
    check(r#"{"kind":"DESIGN","value":{"nodes":{"a":{"type":"text","parentId":"zz","props":{}}}}}"#, 422, "illegal_value", "/value/nodes/a/parentId").await;
    let deep = format!(r#"{{"kind":"SHEET","value":{}{}}}"#, "[".repeat(120), "]".repeat(120));
    let answer = api.post("/v1/pages").new_key().text(deep).send().await;
    assert_eq!(answer.refused(422, "illegal_value")["rule"], "too_deep");
    let deeper = format!(r#"{{"kind":"SHEET","value":{}"#, "[".repeat(100_000));
    api.post("/v1/pages").new_key().text(deeper).send().await.refused(400, "malformed_json");
    let invalid = api.post("/v1/pages").new_key().text(b"{\"kind\":\"\xff\"}".to_vec()).send().await;
    assert_eq!(invalid.refused(400, "malformed_json")["offset"], 9);
}

#[tokio::test]
async fn a_body_that_is_not_json_by_name_is_refused() {
    let api = Api::new().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "multipart/form-data; boundary=x"] {
        let answer = api.post("/v1/pages").new_key().header("content-type", kind).bytes("{}").send().await;
        assert_eq!(answer.header("accept"), Some("application/json"));
        answer.refused(415, "media_type_unsupported");
    }
    api.post("/v1/pages").new_key().bytes("{}").send().await.refused(415, "media_type_unsupported");
    let packed = api.post("/v1/pages").new_key().header("content-encoding", "gzip").text("{}").send().await;
    packed.refused(415, "content_encoding_unsupported");
}

#[tokio::test]
async fn what_there_is_no_route_or_method_for_is_a_problem_too() {
    let api = Api::new().await;
    for path in ["/", "/v1", "/v1/page", "/v1/pages/", "/v1/pages/p/nothing", "/v2/pages", "/v1/pages/p/events/1/2"] {
        api.get(path).send().await.refused(404, "route_not_found");
    }
    for (method, path, allow) in [("PATCH", "/v1/pages", "POST,GET,HEAD"), ("DELETE", "/v1/pages", "POST,GET,HEAD"),
        ("POST", "/v1/feed", "GET,HEAD"), ("BREW", "/v1/pages/p", "GET,HEAD,PUT,DELETE"), ("GET", "/v1/pages/p/deltas", "POST")] {
        let answer = api.call(method, path).send().await;
        let mut allowed: Vec<_> = answer.header("allow").unwrap().split(',').map(str::trim).collect();
        let mut expected: Vec<_> = allow.split(',').collect();
        allowed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(allowed, expected, "{method} {path}");
        answer.refused(405, "method_not_allowed");
    }
    api.get("/v1/pages//events").send().await.refused(400, "invalid_parameter");
    api.get("/docs/none.js").send().await.refused(404, "route_not_found");
    api.get("/problems/none").send().await.refused(404, "problem_not_found");
}

/// Random bytes, and bodies that are nearly right, at every route.
#[test]
fn random_requests_are_refused_civilly_and_change_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let api = runtime.block_on(Api::new());
    let tag = runtime.block_on(api.make("p", "DESIGN", json!({"nodes": {}})));
    let routes = prop::sample::select(vec![
        ("POST", "/v1/pages"), ("PUT", "/v1/pages/p"), ("POST", "/v1/pages/p/deltas"), ("POST", "/v1/pages/p/undelete"), ("DELETE", "/v1/pages/p"),
    ]);
    let bodies = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        "[\\[\\]{}\",:0-9a-z\\\\ ]{0,80}".prop_map(String::into_bytes),
        "\\{\"(deltas|delta|value|kind|id|file)\": ?(\\[|\\{|\"|[0-9]){0,4}[a-z\"\\]}]{0,6}".prop_map(String::into_bytes),
        any_json().prop_map(|json| json!({"delta": json}).to_string().into_bytes()),
        any_json().prop_map(|json| json!({"value": {"nodes": json}}).to_string().into_bytes()),
    ];
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases()) });
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
        assert_eq!(api.get("/v1/pages").send().await.ok()["pages"].as_array().unwrap().len(), 1);
    });
}

fn cases() -> u32 {
    let times: u32 = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    500u32.saturating_mul(times)
}

fn any_json() -> impl Strategy<Value = Json> {
    let names = prop::sample::select(vec!["op", "id", "set", "node", "type", "parentId", "props", "geometry", "delta", "insert", "retain", "a", ""]);
    let words = prop::sample::select(vec!["addNode", "setNode", "moveNode", "editText", "a", "", "first"]);
    let leaf = prop_oneof![Just(Json::Null), any::<bool>().prop_map(Json::from), any::<i64>().prop_map(Json::from), words.prop_map(Json::from)];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            proptest::collection::vec((names.clone(), inner), 0..6)
                .prop_map(|pairs| Json::Object(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())),
        ]
    })
}
