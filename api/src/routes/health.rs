//! `/healthz`, `/readyz`, `/metrics`: for those who watch over the server.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::metrics::Metrics;
use crate::problem::{Code, Problem};
use crate::state::App;
use crate::wire::{json_bytes, json_response};

/// The process runs.
#[derive(Serialize, ToSchema)]
#[schema(as = Alive)]
pub(crate) struct AliveBody {
    /// `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// The server takes writes.
#[derive(Serialize, ToSchema)]
#[schema(as = Readiness)]
pub(crate) struct ReadyBody {
    /// `true`.
    ready: bool,
    /// Where the data is kept.
    #[schema(example = "rocksdb")]
    engine: &'static str,
    /// What an acknowledgement promises: `synced`, `relaxed` or `memory`.
    #[schema(example = "synced")]
    durability: &'static str,
    /// Commits that wait for their turn.
    queued: usize,
}

/// Say whether the process runs
#[utoipa::path(get, path = "/healthz", tag = "operations", operation_id = "healthz", security(()),
    responses((status = 200, body = AliveBody, description = "It runs.")))]
pub(crate) async fn alive() -> Response {
    json_response(json_bytes(&AliveBody { status: "ok" }))
}

/// Say whether the server takes writes
#[utoipa::path(get, path = "/readyz", tag = "operations", operation_id = "readyz", security(()),
    responses((status = 200, body = ReadyBody, description = "It takes writes.")))]
pub(crate) async fn ready(State(app): State<App>) -> Result<Response, Problem> {
    let health = app.pages().health();
    let durability = health.durability.as_str();
    if app.stopping().is_cancelled() || !health.ready {
        let reason = health.poisoned.unwrap_or_else(|| "the server is stopping".to_owned());
        return Err(Problem::new(Code::NotReady, format!("no writes are taken: {reason}"))
            .with("ready", false)
            .with("engine", health.engine)
            .with("durability", durability)
            .with("queued", health.queued)
            .with("reason", reason));
    }
    let body = ReadyBody {
        ready: true,
        engine: health.engine,
        durability,
        queued: health.queued,
    };
    Ok(json_response(json_bytes(&body)))
}

/// Read the metrics
///
/// In the text format of Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "operations", operation_id = "metrics", security(()),
    responses((status = 200, body = String, content_type = "text/plain", description = "All metrics.")))]
pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let health = app.pages().health();
    let text = Metrics::global().render(app.subscribers(), &health);
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        text,
    )
        .into_response()
}
