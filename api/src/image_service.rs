//! The client of the image service. What it speaks is described in `image-service.json`.

use std::time::Duration;

use bytes::Bytes;
use recto_pages::{
    Answer, AssetId, Failure, ImagePreview, ImageService, ResolutionOf, ServiceFault, Size, Submission, TaskId,
    TaskStatus,
};
use serde_json::{Value as Json, json};
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

/// How long one answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// The largest answer that is no image, in bytes.
const JSON_BYTES_MAX: u64 = 1024 * 1024;
/// The code of a 404 that means an asset.
const NO_SUCH_ASSET: u64 = 102;

/// An image service somewhere else.
#[derive(Clone)]
pub(crate) struct HttpImageService {
    agent: Agent,
    base: String,
    token: Option<String>,
    image_bytes_max: u64,
}

impl HttpImageService {
    /// A client of the service at a base URL, whose images have at most so many bytes.
    pub(crate) fn new(base: &str, token: Option<String>, image_bytes_max: u64) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(ANSWER_MAX))
            .proxy(None)
            .build();
        Self {
            agent: config.into(),
            base: base.trim_end_matches('/').to_owned(),
            token,
            image_bytes_max,
        }
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
        let asking = tokio::task::spawn_blocking(move || {
            let response = client.send(method, &path, key.as_deref(), body)?;
            read(&client, response)
        });
        Box::pin(async move { asking.await.unwrap_or_else(|fault| Err(passing(fault))) })
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
            // One byte more than is taken, so that a larger one is seen to be too large.
            let limit = client.image_bytes_max.saturating_add(1);
            let bytes = response
                .body_mut()
                .with_config()
                .limit(limit.saturating_add(1))
                .read_to_vec();
            bytes.map(Bytes::from).map_err(passing)
        })
    }

    fn cancel(&self, task: TaskId) -> Answer<'_, ()> {
        self.ask("DELETE", path(&task, ""), None, None, |_, response| {
            match response.status().as_u16() {
                200..=299 => Ok(()),
                _ => Err(fault_of(response)),
            }
        })
    }
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
            asset: json.get("assetId").and_then(Json::as_str).map(str::to_owned),
        },
        404 => ServiceFault::TaskNotFound,
        402 | 422 => ServiceFault::Refused(failure_of(&json)),
        _ => passing(format!("it answered with status {status}")),
    }
}

fn status_of(json: &Json) -> Result<TaskStatus, ServiceFault> {
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    match text("state").as_deref() {
        Some("queued" | "running") => Ok(TaskStatus::Running {
            progress: json
                .get("progress")
                .and_then(Json::as_u64)
                .and_then(|percent| u8::try_from(percent.min(100)).ok()),
        }),
        Some("succeeded") => Ok(TaskStatus::Done {
            preview: text("previewUrl").map(|url| ImagePreview {
                url,
                expires_at: text("previewUrlExpiresAt"),
            }),
        }),
        Some("failed") => Ok(TaskStatus::Failed(failure_of(json.get("error").unwrap_or(&Json::Null)))),
        _ => Err(passing("its answer has no state that is known")),
    }
}

fn failure_of(json: &Json) -> Failure {
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let resolution = || {
        Some(Failure::Resolution {
            requested: Size::from_json(json.get("requested")?)?,
            limited: Size::from_json(json.get("limited")?)?,
            of: ResolutionOf::from_name(json.get("of")?.as_str()?)?,
        })
    };
    let other = || Failure::Error {
        code: text("code"),
        message: text("message"),
    };
    match text("code").as_deref() {
        Some("credits") => Failure::Credits {
            can_upgrade: json.get("canUpgrade").and_then(Json::as_bool).unwrap_or_default(),
            refresh_in_seconds: json.get("refreshInSeconds").and_then(Json::as_u64),
        },
        Some("resolution") => resolution().unwrap_or_else(other),
        Some("no_image") => Failure::NoImage {
            message: text("message").unwrap_or_else(|| "the image service made no image".to_owned()),
        },
        _ => other(),
    }
}

fn passing(fault: impl ToString) -> ServiceFault {
    ServiceFault::Passing {
        reason: fault.to_string(),
    }
}
