//! Limits: each with its own refusal.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use bytes::Bytes;
use futures::stream;
use recto_api::{Limits, Tokens};
use serde_json::json;

use crate::support::{Api, typing};

#[tokio::test]
async fn a_body_over_the_limit_is_refused_announced_or_not() {
    let api = Api::with(
        Limits {
            body_bytes_max: 1000,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let body = |bytes: usize| json!({"id": "p", "kind": "SHEET", "value": "x".repeat(bytes)}).to_string();
    let small = body(900);
    assert!(small.len() < 1000);
    assert_eq!(api.post("/v1/pages").new_key().text(small).send().await.status, 201);
    let announced = api
        .post("/v1/pages")
        .new_key()
        .header("content-length", "1001")
        .text("{}")
        .send()
        .await;
    assert_eq!(announced.refused(413, "body_too_large")["limit"], 1000);
    api.post("/v1/pages")
        .new_key()
        .text(body(1000))
        .send()
        .await
        .refused(413, "body_too_large");
    let pieces = stream::iter((0..20).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 100]))));
    let request = Request::post("/v1/pages")
        .header("content-type", "application/json")
        .header("idempotency-key", "k");
    assert_eq!(
        api.raw(request.body(Body::from_stream(pieces)).unwrap()).await.status(),
        413
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_or_stands_still_is_refused() {
    let api = Api::with(
        Limits {
            request_timeout_ms: 50,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let request = |body: Body| {
        Request::post("/v1/pages")
            .header("content-type", "application/json")
            .header("idempotency-key", "k")
            .body(body)
            .unwrap()
    };
    let broken = stream::iter([Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("gone"))]);
    assert_eq!(api.raw(request(Body::from_stream(broken))).await.status(), 400);
    let silent = stream::pending::<Result<Bytes, std::io::Error>>();
    assert_eq!(api.raw(request(Body::from_stream(silent))).await.status(), 408);
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up_and_the_write_goes_through() {
    let api = Api::with(
        Limits {
            request_timeout_ms: 50,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let tag = api.make_text("p", "x").await;
    api.engine.delay_commits(Duration::from_millis(300), Duration::ZERO);
    let call = || {
        api.post("/v1/pages/p/deltas")
            .key("slow")
            .base(&tag)
            .text(typing("y").to_string())
            .send()
    };
    call().await.refused(503, "handling_timeout");
    api.engine.delay_commits(Duration::ZERO, Duration::ZERO);
    api.app.writes_done().await;
    assert!(
        api.get("/v1/commands/slow").send().await.ok()["changed"]
            .as_bool()
            .unwrap()
    );
    assert!(call().await.is_replay());
}

#[tokio::test]
async fn s4_a_write_whose_caller_goes_away_is_carried_through() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    api.engine
        .delay_commits(Duration::from_millis(50), Duration::from_millis(50));
    let call = api
        .post("/v1/pages/p/deltas")
        .key("gone")
        .base(&tag)
        .text(typing("y").to_string());
    let cut = tokio::time::timeout(Duration::from_millis(20), call.send()).await;
    assert!(cut.is_err());
    api.app.writes_done().await;
    assert_eq!(api.get("/v1/commands/gone").send().await.ok()["version"], 2);
    let page = api.get("/v1/pages/p").send().await;
    assert_eq!(page.ok()["value"]["files"]["f"], "yx");
    api.type_text("p", &page.etag(), "z").await;
}

#[tokio::test]
async fn requests_are_bounded_in_number_and_the_watchers_are_let_through() {
    let api = Api::with(
        Limits {
            requests_max: 0,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let refused = api.get("/v1/pages").send().await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.refused(429, "too_many_requests")["limit"], 0);
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(api.get(path).send().await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_path_over_the_limit_is_refused() {
    let api = Api::with(
        Limits {
            uri_bytes_max: 100,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let path = format!("/v1/pages/{}", "x".repeat(91));
    assert_eq!(api.get(&path).send().await.refused(414, "uri_too_long")["limit"], 100);
    api.get("/v1/pages/x").send().await.refused(404, "page_not_found");
}

#[tokio::test]
async fn more_events_than_a_commit_holds_are_refused_and_nothing_is_written() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    let body = json!({"deltas": vec![typing("y")["delta"].clone(); 1001]});
    let refused = api
        .post("/v1/pages/p/deltas")
        .new_key()
        .base(&tag)
        .json(&body)
        .await
        .refused(413, "too_large");
    assert_eq!((&refused["limit"], &refused["got"]), (&json!(1000), &json!(1001)));
    assert_eq!(api.get("/v1/pages/p").send().await.etag(), tag);
}
