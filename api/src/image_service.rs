//! The client of the image service. What it speaks is described in `image-service.json`.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use recto_pages::{
    Answer, AssetId, Failure, ImagePreview, ImageService, ResolutionOf, ServiceFault, Size, Submission, TaskId,
    TaskStatus,
};
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;
use ureq::http::{Request, Response, Uri};
#[cfg(feature = "tls")]
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// How long a connection may take to come about.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// The slowest that an image may come on the whole, in bytes a second.
const IMAGE_BYTES_PER_SECOND_MIN: u64 = 64 * 1024;
/// How many requests are under way at the same time; the others wait for a place.
const REQUESTS_MAX: usize = 32;
/// The largest answer that is no image, in bytes.
const JSON_BYTES_MAX: u64 = 1024 * 1024;
/// The longest code that is kept of an answer, in characters.
const CODE_CHARS_MAX: usize = 128;
/// The longest other text.
const TEXT_CHARS_MAX: usize = 2000;
/// The code of a 404 that means an asset.
const NO_SUCH_ASSET: u64 = 102;

/// An image service somewhere else.
#[derive(Clone)]
pub(crate) struct HttpImageService {
    agent: Agent,
    base: String,
    token: Option<String>,
    image_bytes_max: u64,
    places: Arc<Semaphore>,
}

/// The setting names no image service.
#[derive(Debug, thiserror::Error)]
#[error("{url:?} is no image service: {reason}")]
pub struct BadImageService {
    /// The setting.
    url: String,
    /// Why, and what would be one.
    reason: &'static str,
}

impl HttpImageService {
    /// A client of the service at a base URL, whose images have at most so many bytes. `answer_max` is how long it may
    /// take until an answer begins, and between two pieces of it.
    pub(crate) fn new(
        base: &str,
        token: Option<String>,
        image_bytes_max: u64,
        answer_max: Duration,
    ) -> Result<Self, BadImageService> {
        check_base(base)?;
        let body_max = Duration::from_secs(image_bytes_max / IMAGE_BYTES_PER_SECOND_MIN).saturating_add(answer_max);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_MAX.min(answer_max)))
            .timeout_per_write(Some(answer_max))
            .timeout_recv_response(Some(answer_max))
            .timeout_per_read(Some(answer_max))
            .timeout_recv_body(Some(body_max))
            .proxy(None);
        #[cfg(feature = "tls")]
        let config = config.tls_config(tls());
        Ok(Self {
            agent: config.build().into(),
            base: base.trim_end_matches('/').to_owned(),
            token,
            image_bytes_max,
            places: Arc::new(Semaphore::new(REQUESTS_MAX)),
        })
    }

    /// Sends a request away from the async threads, and makes something of the answer there.
    fn ask<T, F>(
        &self,
        method: &'static str,
        path: String,
        key: Option<String>,
        body: Option<Json>,
        read: F,
    ) -> Answer<'_, T>
    where
        T: Send + 'static,
        F: FnOnce(&Self, Response<Body>) -> Result<T, ServiceFault> + Send + 'static,
    {
        let client = self.clone();
        Box::pin(async move {
            let place = Arc::clone(&client.places).acquire_owned().await.map_err(passing)?;
            let asking = tokio::task::spawn_blocking(move || {
                let _place = place;
                let response = client.send(method, &path, key.as_deref(), body)?;
                read(&client, response)
            });
            asking.await.unwrap_or_else(|fault| Err(passing(fault)))
        })
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: Option<Json>,
    ) -> Result<Response<Body>, ServiceFault> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let sent = match body {
            Some(body) => {
                let request = request
                    .header("content-type", "application/json")
                    .body(body.to_string());
                self.agent.run(request.map_err(passing)?)
            }
            None => self.agent.run(request.body(()).map_err(passing)?),
        };
        sent.map_err(passing)
    }
}

impl std::fmt::Debug for HttpImageService {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "HttpImageService({})", self.base)
    }
}

impl ImageService for HttpImageService {
    fn check(&self, asset: AssetId) -> Answer<'_, ()> {
        self.ask("GET", format!("/v1/assets/{asset}"), None, None, |_, response| {
            json_of(response).map(drop)
        })
    }

    fn submit(&self, submission: Submission) -> Answer<'_, TaskId> {
        let assets: Vec<Json> = submission
            .assets
            .iter()
            .map(|(asset, role)| json!({ "assetId": asset.to_string(), "role": role.as_str() }))
            .collect();
        let body = json!({ "taskType": submission.task_type, "payload": submission.payload, "assets": assets });
        let path = "/v1/tasks".to_owned();
        self.ask("POST", path, Some(submission.key), Some(body), |_, response| {
            let json = json_of(response)?;
            let task = json
                .get("taskId")
                .and_then(Json::as_str)
                .and_then(|text| TaskId::new(text).ok());
            task.ok_or_else(|| passing("its answer names no task"))
        })
    }

    fn status(&self, task: TaskId) -> Answer<'_, TaskStatus> {
        self.ask("GET", path(&task, ""), None, None, |_, response| {
            status_of(&json_of(response)?)
        })
    }

    fn image(&self, task: TaskId) -> Answer<'_, Bytes> {
        self.ask("GET", path(&task, "/image"), None, None, |client, mut response| {
            if response.status().as_u16() != 200 {
                return Err(fault_of(response));
            }
            // One byte more than is taken, so that a larger one is seen to be too large; the rest is left.
            let limit = client.image_bytes_max.saturating_add(1);
            let mut bytes = Vec::new();
            let read = response.body_mut().as_reader().take(limit).read_to_end(&mut bytes);
            read.map(|_| bytes.into()).map_err(passing)
        })
    }

    fn cancel(&self, key: String) -> Answer<'_, ()> {
        let path = "/v1/tasks".to_owned();
        self.ask("DELETE", path, Some(key), None, |_, response| {
            match response.status().as_u16() {
                200..=299 => Ok(()),
                _ => Err(fault_of(response)),
            }
        })
    }
}

/// What else would fail for ever, once it is used.
fn check_base(base: &str) -> Result<(), BadImageService> {
    let bad = |reason| {
        Err(BadImageService {
            url: shown(base),
            reason,
        })
    };
    let Ok(uri) = base.parse::<Uri>() else {
        return bad("it cannot be read as a URL; it looks like https://images.example.org");
    };
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") if cfg!(feature = "tls") => {}
        Some("https") => return bad("this server was built without TLS; it takes http:// only"),
        _ => return bad("it begins with https:// or http://"),
    }
    if uri.query().is_some() || uri.authority().is_some_and(|host| host.as_str().contains('@')) {
        return bad("it has no user and no query in it; the token is set by RECTO_IMAGE_SERVICE_TOKEN");
    }
    Ok(())
}

/// A URL that can hold a secret is not shown.
fn shown(base: &str) -> String {
    match base.split_once("://") {
        Some((scheme, rest)) if rest.contains(['@', '?']) => format!("{scheme}://…"),
        _ => base.to_owned(),
    }
}

/// The roots that the system trusts, and the cryptography that the rest of the server uses.
#[cfg(feature = "tls")]
fn tls() -> TlsConfig {
    TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .build()
}

fn path(task: &TaskId, rest: &str) -> String {
    format!("/v1/tasks/{}{rest}", crate::wire::escaped(task.as_str()))
}

fn json_of(mut response: Response<Body>) -> Result<Json, ServiceFault> {
    if !response.status().is_success() {
        return Err(fault_of(response));
    }
    let text = response.body_mut().with_config().limit(JSON_BYTES_MAX).read_to_string();
    serde_json::from_str(&text.map_err(passing)?).map_err(passing)
}

/// What an answer that is no success means. Only what is told to be for good is for good.
fn fault_of(mut response: Response<Body>) -> ServiceFault {
    let status = response.status().as_u16();
    let text = response.body_mut().with_config().limit(JSON_BYTES_MAX).read_to_string();
    let json: Json = text
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or(Json::Null);
    match status {
        404 if json.get("code").and_then(Json::as_u64) == Some(NO_SUCH_ASSET) => ServiceFault::AssetNotFound {
            asset: text_of(&json, "assetId", CODE_CHARS_MAX),
        },
        404 => ServiceFault::TaskNotFound,
        402 | 422 => ServiceFault::Refused(failure_of(&json)),
        _ => passing(format!("it answered with status {status}")),
    }
}

/// A text of an answer, cut to what is kept.
fn text_of(json: &Json, name: &str, chars_max: usize) -> Option<String> {
    let text = json.get(name)?.as_str()?;
    Some(text.chars().take(chars_max).collect())
}

fn status_of(json: &Json) -> Result<TaskStatus, ServiceFault> {
    // A URL that is cut leads nowhere.
    let whole = |name: &str| text_of(json, name, usize::MAX).filter(|text| text.chars().count() <= TEXT_CHARS_MAX);
    match json.get("state").and_then(Json::as_str) {
        Some("queued" | "running") => Ok(TaskStatus::Running {
            progress: json
                .get("progress")
                .and_then(Json::as_u64)
                .and_then(|percent| u8::try_from(percent.min(100)).ok()),
        }),
        Some("succeeded") => Ok(TaskStatus::Done {
            preview: whole("previewUrl").map(|url| ImagePreview {
                url,
                expires_at: whole("previewUrlExpiresAt"),
            }),
        }),
        Some("failed") => Ok(TaskStatus::Failed(failure_of(json.get("error").unwrap_or(&Json::Null)))),
        _ => Err(passing("its answer has no state that is known")),
    }
}

fn failure_of(json: &Json) -> Failure {
    let code = text_of(json, "code", CODE_CHARS_MAX);
    let message = text_of(json, "message", TEXT_CHARS_MAX);
    let resolution = || {
        Some(Failure::Resolution {
            requested: Size::from_json(json.get("requested")?)?,
            limited: Size::from_json(json.get("limited")?)?,
            of: ResolutionOf::from_name(json.get("of")?.as_str()?)?,
        })
    };
    let other = || Failure::Error {
        code: code.clone(),
        message: message.clone(),
    };
    match code.as_deref() {
        Some("credits") => Failure::Credits {
            can_upgrade: json.get("canUpgrade").and_then(Json::as_bool).unwrap_or_default(),
            refresh_in_seconds: json.get("refreshInSeconds").and_then(Json::as_u64),
        },
        Some("resolution") => resolution().unwrap_or_else(other),
        Some("no_image") => Failure::NoImage {
            message: message
                .clone()
                .unwrap_or_else(|| "the image service made no image".to_owned()),
        },
        _ => other(),
    }
}

fn passing(fault: impl ToString) -> ServiceFault {
    ServiceFault::Passing {
        reason: fault.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::expect_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn what_is_no_service_is_refused_with_what_would_be_one() {
        let check = |base: &str| {
            HttpImageService::new(base, None, 1, Duration::from_secs(1)).map_err(|fault| fault.to_string())
        };
        assert!(check("http://127.0.0.1:7").is_ok());
        assert_eq!(check("https://images.example.org/v2/").is_ok(), cfg!(feature = "tls"));
        for base in [
            "images.example.org",
            "ftp://images.example.org",
            "",
            "https://",
            "/images",
            "http://a b",
        ] {
            let refused = check(base).expect_err(base);
            assert!(refused.contains("https://"), "{refused}");
        }
        for base in [
            "https://key:secret@images.example.org",
            "http://images.example.org?key=secret",
        ] {
            let refused = check(base).expect_err(base);
            assert!(
                refused.contains("RECTO_IMAGE_SERVICE_TOKEN") && !refused.contains("secret"),
                "{refused}"
            );
        }
    }

    #[test]
    fn what_a_service_says_is_cut_to_what_a_record_can_hold() {
        let long = "é".repeat(500_000);
        let failure = failure_of(&json!({"code": long, "message": long}));
        let Failure::Error { code, message } = failure else {
            panic!("{failure:?}")
        };
        assert_eq!(code.map(|code| code.chars().count()), Some(CODE_CHARS_MAX));
        assert_eq!(message.map(|message| message.chars().count()), Some(TEXT_CHARS_MAX));
        let done = status_of(&json!({"state": "succeeded", "previewUrl": long}));
        assert_eq!(done, Ok(TaskStatus::Done { preview: None }));
    }
}
