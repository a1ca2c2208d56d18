//! A client of the page API, over connections that are kept open.

use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};
use ureq::http::Response;
use ureq::{Agent, Body};

/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How often a request is sent before its server counts as gone.
const TRIES: u32 = 6;
/// The wait before the second try; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The largest answer that is read.
const ANSWER_BYTES_MAX: u64 = 1 << 30;
/// How much of a refusal is shown.
const SHOWN_CHARS: usize = 600;
/// How many connections are kept open.
const CONNECTIONS: usize = 64;

/// A client of one server. All threads share its connections.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    server: String,
    authorization: Option<String>,
}

/// The answer to a write.
#[derive(Clone, Debug)]
pub struct Written {
    /// The entity tag: version and epoch.
    pub etag: String,
    /// Whether the command was carried out before.
    pub replayed: bool,
}

/// Why a request has no answer that can be used.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The server refused it.
    #[error("{method} {path} was refused with {status}: {answer}")]
    Refused {
        /// The request's method.
        method: &'static str,
        /// Its path.
        path: String,
        /// The answer's status.
        status: u16,
        /// The beginning of its body.
        answer: String,
    },
    /// The server does not answer.
    #[error("{url} does not answer ({fault}): is a server running there?")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// What went wrong.
        fault: String,
    },
    /// The server answered with something else than was agreed on.
    #[error("{path} was answered without {missing}")]
    Answer {
        /// The request's path.
        path: String,
        /// What the answer lacks.
        missing: &'static str,
    },
}

struct Call<'a> {
    method: &'static str,
    path: &'a str,
    body: Option<&'a [u8]>,
    key: Option<&'a str>,
    base: Option<&'a str>,
}

impl Client {
    /// A client of the server at a URL.
    #[must_use]
    pub fn new(server: &str, token: Option<&str>) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .max_idle_connections(CONNECTIONS)
            .max_idle_connections_per_host(CONNECTIONS)
            .user_agent("recto-load")
            .build()
            .new_agent();
        let authorization = token.map(|token| format!("Bearer {token}"));
        Self {
            agent,
            server: server.trim_end_matches('/').to_owned(),
            authorization,
        }
    }

    /// Makes a page.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn create(&self, page: &str, kind: &str, value: &Json, key: &str) -> Result<Written, RequestError> {
        let body = to_bytes(&json!({ "id": page, "kind": kind, "value": value }));
        self.write(&Call {
            method: "POST",
            path: "/v1/pages",
            body: Some(&body),
            key: Some(key),
            base: None,
        })
    }

    /// Sends one delta as one event.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn delta(&self, page: &str, base: &str, delta: &Json, key: &str) -> Result<Written, RequestError> {
        let body = to_bytes(&json!({ "deltas": [delta] }));
        let path = format!("/v1/pages/{page}/deltas");
        self.write(&Call {
            method: "POST",
            path: &path,
            body: Some(&body),
            key: Some(key),
            base: Some(base),
        })
    }

    /// Replaces the whole value.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn replace(&self, page: &str, base: &str, value: &Json, key: &str) -> Result<Written, RequestError> {
        let body = to_bytes(&json!({ "value": value }));
        let path = format!("/v1/pages/{page}");
        self.write(&Call {
            method: "PUT",
            path: &path,
            body: Some(&body),
            key: Some(key),
            base: Some(base),
        })
    }

    /// The page's value at the version of an entity tag.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn read(&self, page: &str, etag: &str) -> Result<Json, RequestError> {
        let path = format!("/v1/pages/{page}?at={}", version_of(etag));
        self.value(&path)
    }

    /// The page's value at its head.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn read_head(&self, page: &str) -> Result<Json, RequestError> {
        self.value(&format!("/v1/pages/{page}"))
    }

    fn value(&self, path: &str) -> Result<Json, RequestError> {
        let mut answer = self.send(&Call {
            method: "GET",
            path,
            body: None,
            key: None,
            base: None,
        })?;
        let body = read_body(&mut answer).map_err(|fault| self.unreachable(path, &fault))?;
        let mut body: Json = serde_json::from_slice(&body).map_err(|_| missing(path, "JSON"))?;
        body.get_mut("value")
            .map(Json::take)
            .ok_or_else(|| missing(path, "`value`"))
    }

    fn write(&self, call: &Call<'_>) -> Result<Written, RequestError> {
        let mut answer = self.send(call)?;
        // Read to its end, so that the connection can be used again.
        read_body(&mut answer).map_err(|fault| self.unreachable(call.path, &fault))?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let etag = header("etag").ok_or_else(|| missing(call.path, "an ETag"))?.to_owned();
        Ok(Written {
            etag,
            replayed: header("idempotency-replayed") == Some("true"),
        })
    }

    /// Sends until there is an answer: the key makes a second sending harmless.
    fn send(&self, call: &Call<'_>) -> Result<Response<Body>, RequestError> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self.send_once(call) {
                Ok(answer) if !matches!(answer.status().as_u16(), 429 | 503) => {
                    return accepted(call, answer);
                }
                Ok(_) | Err(_) => thread::sleep(wait),
            }
            wait *= 2;
        }
        match self.send_once(call) {
            Ok(answer) => accepted(call, answer),
            Err(fault) => Err(self.unreachable(call.path, &fault)),
        }
    }

    fn send_once(&self, call: &Call<'_>) -> Result<Response<Body>, ureq::Error> {
        let url = format!("{}{}", self.server, call.path);
        let mut request = ureq::http::Request::builder().method(call.method).uri(url);
        let headers = [
            ("authorization", self.authorization.as_deref()),
            ("idempotency-key", call.key),
            ("if-match", call.base),
            ("content-type", call.body.map(|_| "application/json")),
        ];
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        match call.body {
            Some(body) => self.agent.run(request.body(body)?),
            None => self.agent.run(request.body(())?),
        }
    }

    fn unreachable(&self, path: &str, fault: &dyn std::fmt::Display) -> RequestError {
        RequestError::Unreachable {
            url: format!("{}{path}", self.server),
            fault: fault.to_string(),
        }
    }
}

fn accepted(call: &Call<'_>, mut answer: Response<Body>) -> Result<Response<Body>, RequestError> {
    if answer.status().is_success() {
        return Ok(answer);
    }
    let body = read_body(&mut answer).unwrap_or_default();
    let shown = String::from_utf8_lossy(&body).chars().take(SHOWN_CHARS).collect();
    Err(RequestError::Refused {
        method: call.method,
        path: call.path.to_owned(),
        status: answer.status().as_u16(),
        answer: shown,
    })
}

fn read_body(answer: &mut Response<Body>) -> Result<Vec<u8>, ureq::Error> {
    answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec()
}

fn missing(path: &str, missing: &'static str) -> RequestError {
    RequestError::Answer {
        path: path.to_owned(),
        missing,
    }
}

fn to_bytes(body: &Json) -> Vec<u8> {
    body.to_string().into_bytes()
}

/// The version in an entity tag `"version.epoch"`.
#[must_use]
pub fn version_of(etag: &str) -> &str {
    let tag = etag.trim_matches('"');
    tag.split_once('.').map_or(tag, |(version, _)| version)
}
