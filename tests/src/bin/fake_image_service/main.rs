//! An image service for tests and demos: a process of its own that speaks what `api/image-service.json` describes, and
//! fails as it is told to.
//!
//! `fake-image-service --port-file FILE --state FILE`. What it was asked to do, and what it charged for, outlives it in
//! the state file. `PUT /faults` plans faults, `GET /books` tells what happened.

#![expect(clippy::expect_used, reason = "a test tool may panic")]

mod books;
mod faults;

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use recto_tests::png::png;
use serde_json::{Value, json};

use self::books::{Books, Task};
use self::faults::{Fault, Faults};

#[derive(Clone)]
struct App {
    books: Arc<Books>,
    faults: Arc<Faults>,
}

#[tokio::main]
async fn main() {
    let port_file = argument("--port-file").expect("--port-file FILE");
    let state = argument("--state").expect("--state FILE");
    let app = App {
        books: Arc::new(Books::open(state)),
        faults: Arc::default(),
    };
    let router = Router::new()
        .route("/v1/assets/{id}", get(check))
        .route("/v1/tasks", post(submit))
        .route("/v1/tasks/{id}", get(status).delete(cancel))
        .route("/v1/tasks/{id}/image", get(image))
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

fn argument(name: &str) -> Option<PathBuf> {
    let mut arguments = std::env::args().skip_while(|given| given != name);
    arguments.nth(1).map(PathBuf::from)
}

async fn plan(State(app): State<App>, Json(faults): Json<Value>) -> StatusCode {
    app.faults.plan(&faults);
    StatusCode::NO_CONTENT
}

async fn books(State(app): State<App>) -> Json<Value> {
    Json(app.books.to_json())
}

async fn check(State(app): State<App>, Path(id): Path<String>) -> Response {
    app.books.count("check");
    let fault = app.faults.next("check");
    if let Some(refusal) = before(&fault) {
        return refusal;
    }
    if app.faults.is_missing(&id) {
        return no_such_asset(Some(&id));
    }
    after(&fault, Json(json!({ "assetId": id })).into_response())
}

async fn submit(State(app): State<App>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    app.books.count("submit");
    let fault = app.faults.next("submit");
    if let Some(refusal) = before(&fault) {
        return refusal;
    }
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let key = key.expect("an idempotency key").to_owned();
    for asset in body["assets"].as_array().into_iter().flatten() {
        let id = asset["assetId"].as_str().unwrap_or_default();
        if app.faults.goes_missing(id) {
            return no_such_asset(app.faults.names_assets().then_some(id));
        }
    }
    let task = app.books.submit(&key, app.faults.polls());
    after(
        &fault,
        (StatusCode::CREATED, Json(json!({ "taskId": task }))).into_response(),
    )
}

async fn status(State(app): State<App>, Path(id): Path<String>) -> Response {
    app.books.count("status");
    let fault = app.faults.next("status");
    if let Some(refusal) = before(&fault) {
        return refusal;
    }
    let body = match app.books.poll(&id) {
        None => return (StatusCode::NOT_FOUND, Json(json!({ "code": 101 }))).into_response(),
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
    app.books.count("image");
    let fault = app.faults.next("image");
    if let Some(refusal) = before(&fault) {
        return refusal;
    }
    let Some(number) = app.books.number(&id) else {
        return (StatusCode::NOT_FOUND, Json(json!({ "code": 101 }))).into_response();
    };
    let bytes = app.faults.bytes().unwrap_or_else(|| png(64, 48, number));
    after(&fault, ([("content-type", "image/png")], bytes).into_response())
}

async fn cancel(State(app): State<App>, Path(id): Path<String>) -> Response {
    app.books.count("cancel");
    app.books.cancel(&id);
    StatusCode::NO_CONTENT.into_response()
}

/// What a fault answers before anything is done.
fn before(fault: &Fault) -> Option<Response> {
    match fault {
        Fault::None | Fault::Lost | Fault::DieAfter => None,
        Fault::Die => std::process::abort(),
        Fault::Answer(status, body) => {
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Some((status, Json(body.clone())).into_response())
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
            Body::from_stream(futures::stream::iter([broken])).into_response()
        }
        _ => answer,
    }
}

fn no_such_asset(id: Option<&str>) -> Response {
    let body = match id {
        Some(id) => json!({ "code": 102, "assetId": id }),
        None => json!({ "code": 102 }),
    };
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}
