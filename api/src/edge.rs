//! What every request passes on its way in and out: a name, a place, a time limit, a measure, a log line.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::{Instrument, Span};

use crate::problem::{CONTENT_TYPE, Code, Logged, Problem};
use crate::state::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest request id that is taken from a caller, in bytes.
const REQUEST_ID_BYTES_MAX: usize = 128;
/// Routes that are answered however busy the server is.
const UNLIMITED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The outermost layer.
pub(crate) async fn edge(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", MatchedPath::as_str)
        .to_owned();
    let id = request_id(request.headers());
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default(), %method, route, command = command(request.headers()));

    let mut response = answer(&app, &route, request, next).instrument(span.clone()).await;
    if response.status().is_client_error() || response.status().is_server_error() {
        response = as_problem(response);
    }
    let seconds = started.elapsed().as_secs_f64();
    tell(&span, &response, seconds);
    measure(&method, route, response.status(), seconds);
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

async fn answer(app: &App, route: &str, request: Request, next: Next) -> Response {
    let place = app.admit_request();
    if let Err(refusal) = check(app, route, place.is_some(), request.headers(), request.uri()) {
        return refusal.into_response();
    }
    // Twice: a body may take its whole time to arrive, and what is done with it begins only then.
    let time = Duration::from_millis(app.limits().request_timeout_ms.saturating_mul(2));
    let answered = tokio::time::timeout(time, next.run(request)).await;
    answered.unwrap_or_else(|_| Problem::plain(Code::HandlingTimeout).into_response())
}

fn check(app: &App, route: &str, has_place: bool, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
    if !has_place && !UNLIMITED.contains(&route) {
        let limit = app.limits().requests_max;
        let detail = format!("at most {limit} requests are answered at the same time");
        return Err(Problem::new(Code::TooManyRequests, detail).with("limit", limit));
    }
    let (limit, got) = (
        app.limits().uri_bytes_max,
        uri.path_and_query().map_or(0, |path| path.as_str().len()),
    );
    if got > limit {
        let detail = format!("path and query have {got} bytes, and {limit} are allowed");
        return Err(Problem::new(Code::UriTooLong, detail).with("limit", limit));
    }
    if app.tokens().is_open() && !is_loopback(headers.get(header::HOST)) {
        return Err(Problem::plain(Code::HostUnknown));
    }
    Ok(())
}

/// Without tokens, a page of the web must not reach this server through a name that leads to loopback.
fn is_loopback(host: Option<&HeaderValue>) -> bool {
    let Some(host) = host else { return true };
    let host = host.to_str().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || name.ends_with(".localhost") || address.is_ok_and(|ip| ip.is_loopback())
}

/// A refusal that was made outside this crate becomes a problem like all others.
fn as_problem(response: Response) -> Response {
    let is_problem = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind == CONTENT_TYPE);
    if is_problem {
        return response;
    }
    let mut problem = Problem::plain(Code::of_status(response.status())).into_response();
    for name in [header::ALLOW, header::WWW_AUTHENTICATE] {
        if let Some(value) = response.headers().get(&name) {
            problem.headers_mut().insert(name, value.clone());
        }
    }
    problem
}

/// Each request is told once, here. Refusals are no fault of the server, and are told quietly.
fn tell(span: &Span, response: &Response, seconds: f64) {
    let status = response.status();
    let Some(Logged { code, detail, cause }) = response.extensions().get::<Logged>() else {
        tracing::debug!(parent: span, %status, seconds, "answered");
        return;
    };
    let code = code.row().code;
    metrics::counter!("recto_problems_total", "code" => code).increment(1);
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(parent: span, %status, seconds, code, detail, cause, "failed");
    } else if status.is_server_error() {
        tracing::warn!(parent: span, %status, seconds, code, detail, cause, "not now");
    } else {
        tracing::debug!(parent: span, %status, seconds, code, detail, "refused");
    }
}

fn measure(method: &Method, route: String, status: StatusCode, seconds: f64) {
    let method = method_label(method);
    let labels = [
        ("method", method.to_owned()),
        ("route", route),
        ("status", status.as_u16().to_string()),
    ];
    metrics::counter!("recto_http_requests_total", &labels).increment(1);
    let [method, route, _] = labels;
    metrics::histogram!("recto_http_request_seconds", &[method, route]).record(seconds);
}

/// A caller can make up methods; the metrics do not grow with them.
fn method_label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        "PATCH" => "PATCH",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

fn request_id(headers: &HeaderMap) -> HeaderValue {
    let given = headers
        .get(&REQUEST_ID)
        .filter(|id| (1..=REQUEST_ID_BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic));
    given.cloned().unwrap_or_else(|| {
        let id = uuid::Uuid::now_v7().simple().to_string();
        HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("none"))
    })
}

fn command(headers: &HeaderMap) -> &str {
    headers
        .get("idempotency-key")
        .and_then(|key| key.to_str().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        let check = |host: &'static str| is_loopback(Some(&HeaderValue::from_static(host)));
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:7070",
            "127.1.2.3",
            "[::1]:80",
            "a.localhost:1",
        ] {
            assert!(check(host), "{host}");
        }
        for host in ["example.org", "localhost.example.org", "10.0.0.1:80", "[::2]", ""] {
            assert!(!check(host), "{host}");
        }
        assert!(is_loopback(None));
    }
}
