//! Health, readiness, metrics, request ids.

use serde_json::json;

use crate::support::{Api, typing, typing_or_not};

#[tokio::test]
async fn a_poisoned_store_is_alive_not_ready_and_reads_go_on() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    let ready = api.get("/readyz").send().await.ok();
    assert_eq!(
        (&ready["ready"], &ready["durability"]),
        (&json!(true), &json!("memory"))
    );
    api.engine.poison("the disk is gone");
    assert_eq!(api.get("/healthz").send().await.ok()["status"], "ok");
    let unready = api.get("/readyz").send().await.refused(503, "not_ready");
    assert_eq!(
        (&unready["ready"], &unready["reason"]),
        (&json!(false), &json!("the disk is gone"))
    );
    let refused = api
        .post("/v1/pages/p/deltas")
        .key("k")
        .base(&tag)
        .json(&typing("y"))
        .await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.refused(503, "unavailable")["retry"], true);
    assert_eq!(api.get("/v1/pages/p").send().await.ok()["value"]["files"]["f"], "x");
    api.engine.reopen();
    assert_eq!(
        api.post("/v1/pages/p/deltas")
            .key("k")
            .base(&tag)
            .json(&typing("y"))
            .await
            .ok()["version"],
        2
    );
}

#[tokio::test]
async fn a_stopping_server_is_not_ready() {
    let api = Api::new().await;
    api.app.stopping().cancel();
    api.get("/readyz").send().await.refused(503, "not_ready");
}

#[tokio::test]
async fn metrics_count_requests_by_route_and_refusals_by_code() {
    let api = Api::new().await;
    let tag = api.make_text("metric-page", "x").await;
    api.type_text("metric-page", &tag, "y").await;
    api.post("/v1/pages/metric-page/deltas")
        .new_key()
        .base(&tag)
        .json(&typing_or_not("z"))
        .await
        .refused(409, "version_conflict");
    let late = || api.post("/v1/pages/metric-page/deltas").new_key().base(&tag);
    late().json(&typing("w")).await.ok();
    api.post("/v1/pages/metric-page/undo")
        .new_key()
        .base("\"3.0\"")
        .send()
        .await
        .ok();
    api.call("BREW", "/v1/pages/metric-page")
        .send()
        .await
        .refused(405, "method_not_allowed");
    let metrics = api.get("/metrics").send().await;
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain"));
    let text = String::from_utf8(metrics.body.to_vec()).unwrap();
    for expected in [
        r#"recto_http_requests_total{method="POST",route="/v1/pages/{id}/deltas",status="200"}"#,
        r#"recto_http_requests_total{method="other",route="/v1/pages/{id}",status="405"}"#,
        r#"recto_http_request_seconds_bucket{method="POST",route="/v1/pages",le="0.0001"}"#,
        r#"recto_problems_total{code="version_conflict"}"#,
        r#"recto_conflicts_total{kind="stale"}"#,
        r#"recto_rebases_total{kind="CODE"}"#,
        r#"recto_undos_total{outcome="applied"}"#,
        r#"recto_appended_events_total{kind="CODE"}"#,
        r#"recto_head_cache_total{result="hit"}"#,
        "recto_feed_subscribers ",
        "recto_engine_queue ",
        "recto_ready ",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    assert!(!text.contains("metric-page"), "an id stands in the metrics");
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let api = Api::new().await;
    let given = api.get("/healthz").header("x-request-id", "abc-1").send().await;
    assert_eq!(given.header("x-request-id"), Some("abc-1"));
    assert_eq!(given.header("x-content-type-options"), Some("nosniff"));
    for bad in ["", "a b", &"x".repeat(129)] {
        let made = api.get("/nowhere").header("x-request-id", bad).send().await;
        assert_eq!(made.header("x-request-id").unwrap().len(), 32);
    }
}
