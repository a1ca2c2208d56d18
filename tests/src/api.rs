//! The page API in few words: requests as values, so that a test sends one again as it was.

use serde_json::json;

use crate::Json;
use crate::http::{Answer, Client, Header, percent};
use crate::server::Server;
use crate::sse::{Refused, Stream};

/// A write that can be sent any number of times.
#[derive(Clone, Debug)]
pub struct Write {
    /// The method.
    pub method: &'static str,
    /// The path.
    pub path: String,
    /// The `Idempotency-Key`, where one is sent.
    pub key: Option<String>,
    /// The `If-Match`, where one is sent.
    pub base: Option<String>,
    /// The `Recto-Actor`, where one is sent.
    pub actor: Option<String>,
    /// The `Recto-Turn`, where one is sent.
    pub turn: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// The API of one server.
#[derive(Clone, Debug)]
pub struct Api {
    client: Client,
    token: Option<String>,
}

/// The tag of a version in the first epoch.
pub fn etag(version: u64) -> String {
    format!("\"{version}.0\"")
}

/// The path of a page.
pub fn page_path(page: &str) -> String {
    format!("/v1/pages/{}", percent(page))
}

/// Makes a page.
pub fn create(page: &str, kind: &str, value: &Json) -> Write {
    Write::new(
        "POST",
        "/v1/pages".to_owned(),
        &json!({ "id": page, "kind": kind, "value": value }),
    )
}

/// Applies deltas to a page at a version.
pub fn deltas(page: &str, base: u64, deltas: &Json) -> Write {
    let path = format!("{}/deltas", page_path(page));
    Write::new("POST", path, &json!({ "deltas": deltas })).on(base)
}

/// Deltas that are refused where the page has changed.
pub fn deltas_or_not(page: &str, base: u64, deltas: &Json) -> Write {
    let body = json!({ "deltas": deltas, "onStale": "reject" });
    self::deltas(page, base, deltas).with(&body)
}

/// Undoes what `what` names on a page at a version.
pub fn undo(page: &str, base: u64, what: &Json) -> Write {
    Write::new("POST", format!("{}/undo", page_path(page)), what).on(base)
}

/// Redoes what `what` names on a page at a version.
pub fn redo(page: &str, base: u64, what: &Json) -> Write {
    Write::new("POST", format!("{}/redo", page_path(page)), what).on(base)
}

/// Brings a page at a version back to another version.
pub fn restore(page: &str, base: u64, version: u64) -> Write {
    let path = format!("{}/restore", page_path(page));
    Write::new("POST", path, &json!({ "version": version })).on(base)
}

/// Replaces the value of a page at a version.
pub fn replace(page: &str, base: u64, value: &Json) -> Write {
    Write::new("PUT", page_path(page), &json!({ "value": value })).on(base)
}

/// Hides a page at a version.
pub fn delete(page: &str, base: u64) -> Write {
    Write {
        body: Vec::new(),
        ..Write::new("DELETE", page_path(page), &Json::Null).on(base)
    }
}

/// Brings a page back at a version.
pub fn undelete(page: &str, base: u64) -> Write {
    let path = format!("{}/undelete", page_path(page));
    Write {
        body: Vec::new(),
        ..Write::new("POST", path, &Json::Null).on(base)
    }
}

/// A server with an empty store, and its API.
///
/// # Panics
/// Where it does not start.
pub fn start() -> (Server, Api) {
    let server = Server::start();
    let api = Api::of(&server);
    (server, api)
}

/// Makes SHEET pages `p0`, `p1`, … that hold 0.
///
/// # Panics
/// Where they cannot be made.
pub fn make_sheets(api: &Api, pages: usize) {
    for page in 0..pages {
        api.write(&create(&format!("p{page}"), "SHEET", &json!(0)));
    }
}

impl Write {
    /// A write without a base.
    pub fn new(method: &'static str, path: String, body: &Json) -> Self {
        let key = Some(format!("key of {:x}", fresh_number()));
        Self {
            method,
            path,
            key,
            base: None,
            actor: None,
            turn: None,
            body: body.to_string().into_bytes(),
        }
    }

    /// The same on a version.
    #[must_use]
    pub fn on(self, version: u64) -> Self {
        Self {
            base: Some(etag(version)),
            ..self
        }
    }

    /// The same without a base.
    #[must_use]
    pub fn without_base(self) -> Self {
        Self { base: None, ..self }
    }

    /// The same on the version that a tag names.
    #[must_use]
    pub fn on_tag(self, tag: &str) -> Self {
        Self {
            base: Some(tag.to_owned()),
            ..self
        }
    }

    /// The same with another body.
    #[must_use]
    pub fn with(self, body: &Json) -> Self {
        Self {
            body: body.to_string().into_bytes(),
            ..self
        }
    }

    /// The same in a turn.
    #[must_use]
    pub fn in_turn(self, turn: &str) -> Self {
        Self {
            turn: Some(turn.to_owned()),
            ..self
        }
    }

    /// The same under an idempotency key.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..self
        }
    }

    /// The same by somebody.
    #[must_use]
    pub fn by(self, actor: &str) -> Self {
        Self {
            actor: Some(actor.to_owned()),
            ..self
        }
    }
}

impl Api {
    /// The API of a server without tokens.
    pub fn of(server: &Server) -> Self {
        Self {
            client: server.client(),
            token: None,
        }
    }

    /// The API as somebody with a token.
    pub fn with_token(server: &Server, token: &str) -> Self {
        Self {
            client: server.client(),
            token: Some(format!("Bearer {token}")),
        }
    }

    /// The client below.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Sends a write.
    ///
    /// # Panics
    /// Where no answer comes, or one that no answer may be.
    #[track_caller]
    pub fn send(&self, write: &Write) -> Answer {
        let answer = self.try_send(write);
        let answer = answer.unwrap_or_else(|fault| panic!("{} {} has no answer: {fault}", write.method, write.path));
        answer.assert_sound();
        answer
    }

    /// Sends a write that may be broken off.
    ///
    /// # Errors
    /// Where no whole answer comes.
    pub fn try_send(&self, write: &Write) -> Result<Answer, ureq::Error> {
        let mut headers: Vec<Header<'_>> = vec![("content-type", "application/json")];
        let optional = [
            ("idempotency-key", &write.key),
            ("if-match", &write.base),
            ("recto-actor", &write.actor),
            ("recto-turn", &write.turn),
            ("authorization", &self.token),
        ];
        headers.extend(
            optional
                .into_iter()
                .filter_map(|(name, value)| Some((name, value.as_deref()?))),
        );
        self.client.try_send(write.method, &write.path, &headers, &write.body)
    }

    /// Sends a write that passes, and gives its answer's JSON.
    ///
    /// # Panics
    /// Where it is refused.
    #[track_caller]
    pub fn write(&self, write: &Write) -> Json {
        let answer = self.send(write);
        assert!(answer.status < 300, "{answer}");
        answer.json()
    }

    /// Reads a path.
    ///
    /// # Panics
    /// Where no answer comes.
    pub fn get(&self, path: &str) -> Answer {
        let token = self.token.as_deref().map(|token| ("authorization", token));
        self.client.send("GET", path, token.as_slice(), &[])
    }

    /// The JSON of something that can be read.
    ///
    /// # Panics
    /// Where it cannot.
    #[track_caller]
    pub fn read(&self, path: &str) -> Json {
        self.get(path).expect(200).json()
    }

    /// A page at its head.
    ///
    /// # Panics
    /// Where it cannot be read.
    #[track_caller]
    pub fn page(&self, page: &str) -> Json {
        self.read(&page_path(page))
    }

    /// A page at a version.
    ///
    /// # Panics
    /// Where it cannot be read.
    #[track_caller]
    pub fn page_at(&self, page: &str, version: u64) -> Json {
        self.read(&format!("{}?at={version}", page_path(page)))
    }

    /// All events of a page, from the first.
    ///
    /// # Panics
    /// Where they cannot be read.
    #[track_caller]
    pub fn events(&self, page: &str) -> Vec<Json> {
        let mut all = Vec::new();
        let mut next = Some(format!("{}/events?after=0&limit=1000", page_path(page)));
        while let Some(path) = next {
            let mut answer = self.read(&path);
            all.append(answer["events"].as_array_mut().expect("a list of events"));
            next = answer["next"].as_str().map(str::to_owned);
        }
        all
    }

    /// The newest version of a page; 0 where it does not exist.
    ///
    /// # Panics
    /// Where that cannot be told.
    pub fn head(&self, page: &str) -> u64 {
        let answer = self.get(&format!("{}/events?after=0&limit=1", page_path(page)));
        if answer.status == 404 {
            return 0;
        }
        let newest = self.read(&format!("{}/events?order=desc&limit=1", page_path(page)));
        number(&newest["events"][0]["version"])
    }

    /// Follows a path that is a feed.
    ///
    /// # Errors
    /// [`Refused`] where it is none for this reader.
    pub fn follow(&self, path: &str, after: Option<u64>) -> Result<Stream, Refused> {
        let after = after.map(|after| after.to_string());
        let mut headers: Vec<Header<'_>> = Vec::new();
        headers.extend(after.as_deref().map(|after| ("last-event-id", after)));
        headers.extend(self.token.as_deref().map(|token| ("authorization", token)));
        Stream::open(self.client.address(), path, &headers)
    }
}

/// A whole number in an answer.
///
/// # Panics
/// Where it is none.
#[track_caller]
pub fn number(json: &Json) -> u64 {
    json.as_u64().unwrap_or_else(|| panic!("{json} is no whole number"))
}

/// A text in an answer.
///
/// # Panics
/// Where it is none.
#[track_caller]
pub fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("{json} is no text"))
}

/// Numbers that no other call gets, in this process.
fn fresh_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    (u64::from(std::process::id()) << 32) | NEXT.fetch_add(1, Ordering::Relaxed)
}
