//! An image service for tests and demos: a process of its own that speaks what `api/image-service.json` describes, and
//! fails as it is told to.
//!
//! `fake-image-service --port-file FILE --state FILE [--token TOKEN]`. What it was asked to do, and what it charged for,
//! outlives it in the state file. `PUT /faults` plans faults, `GET /books` tells what happened, and where a call was
//! against the document.

#![expect(clippy::expect_used, reason = "a test tool may panic")]

mod books;
mod contract;
mod faults;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use recto_tests::png::png;
use serde_json::{Value, json};

use self::books::{Books, Task};
use self::contract::{Call, Contract};
use self::faults::{Fault, Faults};

/// The header of an answer that was planned, and is none of the document's.
const PLANNED: &str = "x-planned";
/// How many bytes of an answer are looked at.
const BYTES_MAX: usize = 256 * 1024 * 1024;
/// In how many pieces an image comes that comes slowly.
const PIECES: u32 = 8;

#[derive(Clone)]
struct App {
    books: Arc<Books>,
    faults: Arc<Faults>,
    contract: Arc<Contract>,
    token: Option<String>,
}

#[tokio::main]
async fn main() {
    let port_file = std::path::PathBuf::from(argument("--port-file").expect("--port-file FILE"));
    let state = argument("--state").expect("--state FILE");
    let app = App {
        books: Arc::new(Books::open(state.into())),
        faults: Arc::default(),
        contract: Arc::new(Contract::read()),
        token: argument("--token"),
    };
    let router = Router::new()
        .route("/v1/assets/{assetId}", get(check))
        .route("/v1/tasks", post(submit).delete(cancel))
        .route("/v1/tasks/{taskId}", get(status))
        .route("/v1/tasks/{taskId}/image", get(image))
        .layer(middleware::from_fn_with_state(app.clone(), held_to_contract))
        .route("/faults", put(plan))
        .route("/books", get(books))
        .with_state(app);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let half = port_file.with_extension("part");
    std::fs::write(&half, format!("{address}\n")).expect("the port file");
    std::fs::rename(half, port_file).expect("the port file");
    axum::serve(listener, router).await.expect("serving");
}

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|given| given != name);
    arguments.nth(1)
}

async fn plan(State(app): State<App>, Json(faults): Json<Value>) -> StatusCode {
    app.faults.plan(&faults);
    StatusCode::NO_CONTENT
}

async fn books(State(app): State<App>) -> Json<Value> {
    Json(app.books.to_json())
}

/// Refuses who has no token, and holds what is asked and answered against the document.
async fn held_to_contract(State(app): State<App>, route: MatchedPath, request: Request, next: Next) -> Response {
    let method = request.method().to_string();
    let has_key = request.headers().contains_key("idempotency-key");
    let bearer = request.headers().get(header::AUTHORIZATION).cloned();
    let bearer = bearer.as_ref().and_then(|value| value.to_str().ok());
    if bearer != app.token.as_ref().map(|token| format!("Bearer {token}")).as_deref() {
        app.books.count("refused");
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let (parts, body) = request.into_parts();
    let asked = to_bytes(body, BYTES_MAX).await.unwrap_or_default();
    let response = next.run(Request::from_parts(parts, Body::from(asked.clone()))).await;
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind == "application/json");
    let is_bare = response.status() == StatusCode::NO_CONTENT;
    if response.headers().contains_key(PLANNED) || !(is_json || is_bare) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let answered = to_bytes(body, BYTES_MAX).await.unwrap_or_default();
    let call = Call {
        method: &method,
        route: route.as_str(),
        has_key,
        request: &asked,
        status: parts.status.as_u16(),
        answer: &answered,
    };
    if let Some(complaint) = app.contract.check(&call) {
        app.books.complain(complaint);
    }
    Response::from_parts(parts, Body::from(answered))
}

async fn check(State(app): State<App>, Path(id): Path<String>) -> Response {
    let fault = app.faults.next("check");
    app.books.count("check");
    if let Some(refusal) = before(&fault).await {
        return refusal;
    }
    if app.faults.is_missing(&id) {
        return no_such_asset(Some(&id));
    }
    after(&fault, Json(json!({ "assetId": id })).into_response())
}

async fn submit(State(app): State<App>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let fault = app.faults.next("submit");
    app.books.count("submit");
    if let Some(refusal) = before(&fault).await {
        return refusal;
    }
    for asset in body["assets"].as_array().into_iter().flatten() {
        let id = asset["assetId"].as_str().unwrap_or_default();
        if app.faults.goes_missing(id) {
            return no_such_asset(app.faults.names_assets().then_some(id));
        }
    }
    let answer = match app.books.submit(&key(&headers), app.faults.polls()) {
        Some(task) => (StatusCode::CREATED, Json(json!({ "taskId": task }))).into_response(),
        None => (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({ "code": "cancelled" }))).into_response(),
    };
    after(&fault, answer)
}

async fn status(State(app): State<App>, Path(id): Path<String>) -> Response {
    let fault = app.faults.next("status");
    app.books.count("status");
    if let Some(refusal) = before(&fault).await {
        return refusal;
    }
    let body = match app.books.poll(&id) {
        None => return no_such_task(),
        Some(Task { cancelled: true, .. }) => json!({ "state": "failed", "error": { "code": "cancelled" } }),
        Some(task) if task.left > 0 || app.faults.holds() => {
            json!({ "state": "running", "progress": 100 / (task.left + 1) })
        }
        Some(_) => match app.faults.ending() {
            Some(error) => json!({ "state": "failed", "error": error }),
            None => json!({ "state": "succeeded", "previewUrl": format!("http://127.0.0.1/preview/{id}") }),
        },
    };
    after(&fault, Json(body).into_response())
}

async fn image(State(app): State<App>, Path(id): Path<String>) -> Response {
    let fault = app.faults.next("image");
    app.books.count("image");
    if let Some(refusal) = before(&fault).await {
        return refusal;
    }
    let Some(number) = app.books.number(&id) else {
        return no_such_task();
    };
    let bytes = app.faults.bytes().unwrap_or_else(|| png(64, 48, number));
    let body = match fault {
        Fault::Slowly(time) => slowly(bytes, time),
        _ => bytes.into(),
    };
    after(&fault, ([("content-type", "image/png")], body).into_response())
}

async fn cancel(State(app): State<App>, headers: HeaderMap) -> Response {
    let fault = app.faults.next("cancel");
    app.books.count("cancel");
    if let Some(refusal) = before(&fault).await {
        return refusal;
    }
    app.books.cancel(&key(&headers));
    after(&fault, StatusCode::NO_CONTENT.into_response())
}

fn key(headers: &HeaderMap) -> String {
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    key.expect("an idempotency key").to_owned()
}

/// The bytes in pieces, over about so long.
fn slowly(bytes: Vec<u8>, time: Duration) -> Body {
    let size = bytes.len().div_ceil(usize::try_from(PIECES).expect("a few")).max(1);
    let pieces: Vec<Bytes> = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
    Body::from_stream(futures::stream::unfold(
        pieces.into_iter(),
        move |mut pieces| async move {
            tokio::time::sleep(time / PIECES).await;
            Some((Ok::<_, std::io::Error>(pieces.next()?), pieces))
        },
    ))
}

/// What a fault answers before anything is done.
async fn before(fault: &Fault) -> Option<Response> {
    match fault {
        Fault::None | Fault::Lost | Fault::DieAfter | Fault::Slowly(_) => None,
        Fault::Late(time) => {
            tokio::time::sleep(*time).await;
            None
        }
        Fault::Held(plans) => {
            // The plan outlives all requests.
            let _ = plans.clone().changed().await;
            None
        }
        Fault::Die => std::process::abort(),
        Fault::Answer(status, body) => {
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Some((status, [(PLANNED, "true")], Json(body.clone())).into_response())
        }
    }
}

/// What a fault does to an answer when all is done.
fn after(fault: &Fault, answer: Response) -> Response {
    match fault {
        Fault::DieAfter => std::process::abort(),
        // The head of an answer, and then the connection breaks.
        Fault::Lost => {
            let broken: Result<Vec<u8>, std::io::Error> = Err(std::io::Error::other("lost"));
            ([(PLANNED, "true")], Body::from_stream(futures::stream::iter([broken]))).into_response()
        }
        _ => answer,
    }
}

fn no_such_task() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "code": 101 }))).into_response()
}

fn no_such_asset(id: Option<&str>) -> Response {
    let body = match id {
        Some(id) => json!({ "code": 102, "assetId": id }),
        None => json!({ "code": 102 }),
    };
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}
