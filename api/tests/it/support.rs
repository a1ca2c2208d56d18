//! An API to send requests to, and answers that are looked at as a caller would.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use recto_api::{App, Limits, Tokens};
use recto_pages::{Clock, Pages, Settings};
use recto_store::{MemoryEngine, Store};
use serde_json::{Value as Json, json};
use tower::ServiceExt;

use crate::contract;

/// An API on a store in memory.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) engine: Arc<MemoryEngine>,
    pub(crate) app: App,
    router: Router,
    keys: Arc<AtomicU64>,
}

/// A request being put together.
pub(crate) struct Call<'a> {
    api: &'a Api,
    method: &'static str,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Body,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Api {
    pub(crate) async fn new() -> Self {
        Self::with(Limits::default(), Tokens::open()).await
    }

    pub(crate) async fn with(limits: Limits, tokens: Tokens) -> Self {
        Self::with_settings(limits, tokens, Settings::default()).await
    }

    pub(crate) async fn with_settings(limits: Limits, tokens: Tokens, settings: Settings) -> Self {
        let engine = Arc::new(MemoryEngine::new());
        let store = Store::open(Arc::<MemoryEngine>::clone(&engine)).await.unwrap();
        let app = App::new(Pages::new(store, settings, Clock::system()), tokens, limits);
        Self {
            engine,
            router: recto_api::router(app.clone()),
            app,
            keys: Arc::default(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call("GET", path)
    }

    pub(crate) fn post(&self, path: &str) -> Call<'_> {
        self.call("POST", path)
    }

    pub(crate) fn put(&self, path: &str) -> Call<'_> {
        self.call("PUT", path)
    }

    pub(crate) fn delete(&self, path: &str) -> Call<'_> {
        self.call("DELETE", path)
    }

    pub(crate) fn call(&self, method: &'static str, path: &str) -> Call<'_> {
        Call {
            api: self,
            method,
            path: path.to_owned(),
            headers: Vec::new(),
            body: Body::empty(),
        }
    }

    /// Sends a request as it is and leaves the body of the answer unread.
    pub(crate) async fn raw(&self, request: Request<Body>) -> axum::response::Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Makes a page and gives its tag.
    pub(crate) async fn make(&self, id: &str, kind: &str, value: Json) -> String {
        let answer = self
            .post("/v1/pages")
            .new_key()
            .json(&json!({"id": id, "kind": kind, "value": value}))
            .await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.etag()
    }

    /// Makes a CODE page with one file `f`.
    pub(crate) async fn make_text(&self, id: &str, text: &str) -> String {
        self.make(id, "CODE", json!({"files": {"f": text}})).await
    }

    /// Inserts text at the beginning of the file `f`, and gives the new tag.
    pub(crate) async fn type_text(&self, id: &str, base: &str, text: &str) -> String {
        let answer = self
            .post(&format!("/v1/pages/{id}/deltas"))
            .new_key()
            .base(base)
            .json(&typing(text))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.etag()
    }

    fn next_key(&self) -> String {
        format!("key-{}", self.keys.fetch_add(1, Ordering::Relaxed))
    }
}

/// A body that inserts text at the beginning of the file `f`.
pub(crate) fn typing(text: &str) -> Json {
    json!({"delta": [{"op": "editFile", "path": "f", "delta": [{"insert": text}]}]})
}

/// The same, to be refused where the page has changed.
pub(crate) fn typing_or_not(text: &str) -> Json {
    let mut body = typing(text);
    body["onStale"] = json!("reject");
    body
}

impl Call<'_> {
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub(crate) fn new_key(self) -> Self {
        let key = self.api.next_key();
        self.key(&key)
    }

    pub(crate) fn base(self, etag: &str) -> Self {
        self.header("if-match", etag)
    }

    pub(crate) fn by(self, actor: &str) -> Self {
        self.header("recto-actor", actor)
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }

    pub(crate) fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Body::from(body.into());
        self
    }

    pub(crate) fn text(self, body: impl Into<Bytes>) -> Self {
        self.header("content-type", "application/json").bytes(body)
    }

    pub(crate) async fn json(self, body: &Json) -> Answer {
        self.text(body.to_string()).await_answer().await
    }

    pub(crate) async fn send(self) -> Answer {
        self.await_answer().await
    }

    pub(crate) fn request(self) -> Request<Body> {
        let mut request = Request::builder().method(self.method).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value.as_slice());
        }
        request.body(self.body).unwrap()
    }

    async fn await_answer(self) -> Answer {
        let (api, method, path) = (self.api, self.method, self.path.clone());
        let response = api.raw(self.request()).await;
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let answer = Answer {
            status: parts.status,
            headers: parts.headers,
            body,
        };
        contract::check(method, &path, &answer);
        answer
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn etag(&self) -> String {
        self.header("etag")
            .unwrap_or_else(|| panic!("no ETag: {self:?}"))
            .to_owned()
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.header("idempotency-replayed") == Some("true")
    }

    /// Expects a success, and gives its JSON.
    #[track_caller]
    pub(crate) fn ok(&self) -> Json {
        assert!(
            self.status.is_success(),
            "{} {}",
            self.status,
            String::from_utf8_lossy(&self.body)
        );
        self.json()
    }

    /// Expects a refusal with this status and code, and gives it.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) -> Json {
        let text = String::from_utf8_lossy(&self.body).into_owned();
        assert_eq!(self.status, status, "{text}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{text}");
        let problem = self.json();
        assert_eq!(problem["code"], code, "{text}");
        problem
    }
}
