//! A plain HTTP client, and what every answer of the server has to be.

use std::net::SocketAddr;
use std::time::Duration;

use ureq::http::{HeaderMap, Request};

use crate::Json;

/// How long one request may take. It only keeps a hanging server from hanging the tests.
const ANSWER_MAX: Duration = Duration::from_secs(120);
/// The largest answer that is read.
const BODY_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A client of one server. It keeps connections open; clones share them.
#[derive(Clone, Debug)]
pub struct Client {
    agent: ureq::Agent,
    address: SocketAddr,
}

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// What was asked, for the messages of failed assertions.
    asked: String,
}

/// A header by name and value.
pub type Header<'a> = (&'a str, &'a str);

impl Client {
    /// A client of the server at an address.
    pub fn new(address: SocketAddr) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(ANSWER_MAX))
            .max_idle_connections_per_host(256)
            .max_idle_connections(256)
            .proxy(None)
            .build();
        Self {
            agent: config.into(),
            address,
        }
    }

    /// The server's address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a request; the error is that of a connection that broke.
    ///
    /// # Errors
    /// Where no whole answer came.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[Header<'_>],
        body: &[u8],
    ) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = match method {
            "GET" | "HEAD" | "DELETE" if body.is_empty() => self.agent.run(request.body(())?)?,
            _ => self.agent.run(request.body(body)?)?,
        };
        let bytes = response.body_mut().with_config().limit(BODY_MAX_BYTES).read_to_vec()?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: bytes,
            asked: format!("{method} {path}"),
        })
    }

    /// Sends a request that is to be answered.
    ///
    /// # Panics
    /// Where no answer came.
    pub fn send(&self, method: &str, path: &str, headers: &[Header<'_>], body: &[u8]) -> Answer {
        let answer = self.try_send(method, path, headers, body);
        answer.unwrap_or_else(|fault| panic!("{method} {path} has no answer: {fault}"))
    }

    /// Reads something.
    ///
    /// # Panics
    /// Where no answer came.
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], &[])
    }
}

impl Answer {
    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// Where it is none.
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|fault| panic!("{self} is no JSON: {fault}"))
    }

    /// The stable code of a problem.
    ///
    /// # Panics
    /// Where the answer is no problem.
    pub fn code(&self) -> String {
        let json = self.json();
        json["code"]
            .as_str()
            .unwrap_or_else(|| panic!("{self} has no code"))
            .to_owned()
    }

    /// This answer, which must have a status.
    ///
    /// # Panics
    /// Where it has another one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// This answer, which must be a problem with a status and a code.
    ///
    /// # Panics
    /// Where it is anything else.
    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> Self {
        self.assert_sound();
        assert_eq!((self.status, self.code().as_str()), (status, code), "{self}");
        self
    }

    /// A problem of the server's side, which is never to be unless a test plans it.
    ///
    /// # Panics
    /// Where it is anything else.
    #[track_caller]
    pub fn expect_trouble(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code().as_str()), (status, code), "{self}");
        assert_eq!(self.header("retry-after").is_some(), status == 503, "{self}");
        self
    }

    /// Checks what holds for every answer whatever was asked: success, not modified, or a
    /// problem in full.
    ///
    /// # Panics
    /// Where it does not.
    #[track_caller]
    pub fn assert_sound(&self) {
        assert!(self.status < 500, "the server is at fault: {self}");
        if self.status < 400 {
            return;
        }
        if self.asked.starts_with("HEAD ") {
            return;
        }
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self}");
        let json = self.json();
        assert_eq!(json["status"].as_u64(), Some(u64::from(self.status)), "{self}");
        for field in ["type", "title", "detail", "code", "next"] {
            let text = json[field].as_str();
            assert!(text.is_some_and(|text| !text.is_empty()), "{field} is missing: {self}");
        }
        assert!(json["retry"].is_boolean(), "retry is missing: {self}");
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = &self.body[..self.body.len().min(2_000)];
        write!(
            out,
            "{} → {}: {}",
            self.asked,
            self.status,
            String::from_utf8_lossy(shown)
        )
    }
}

/// A text as a path segment or a query value.
pub fn percent(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut coded, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            coded.push(char::from(byte));
        } else {
            coded.push_str(&format!("%{byte:02X}"));
        }
        coded
    })
}
