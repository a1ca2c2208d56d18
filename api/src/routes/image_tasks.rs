//! `/v1/image-tasks`: long image jobs, each submitted once, each with an end that a model can act on.

use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::Response;
use recto_pages::{Failure, Id, Started, TaskKey, TaskRequest, TaskResult, TaskView};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};

use crate::access::{Reader, Writer};
use crate::body::{Fields, JsonText, malformed};
use crate::params::{Name, NoQuery, Params, invalid};
use crate::problem::{Problem, of_task};
use crate::state::App;
use crate::wire::{add_header, json_bytes, json_response};

/// The longest that an answer waits for the end of a task, in seconds.
const WAIT_MAX_SECONDS: u64 = 25;

/// A task to be found or begun.
#[derive(ToSchema)]
#[schema(as = NewImageTask, rename_all = "camelCase", examples(
    json!({"taskType": "generate", "payload": {"prompt": "a cat in a hat", "width": 512, "height": 512}}),
    json!({"taskType": "edit", "payload": {"prompt": "at night", "sources": ["/mnt/attachments/cat-1"], "references": []}})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct NewImageTask {
    /// What is to be done, as the image service names it.
    #[schema(min_length = 1, max_length = 128)]
    task_type: String,
    /// With what: `sources` and `references` are lists of attachments or assets, all else is the service's.
    #[schema(value_type = Object)]
    payload: Json,
    /// To try anew what failed: the `attempt` whose failure you have seen. Where that is the newest, the next attempt is
    /// begun and paid for; else, so for a retry of this request, that newer attempt is found.
    #[schema(required = false, minimum = 1)]
    again: u32,
}

/// How long to wait.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes a parameter that is read by hand")]
pub(crate) struct WaitQuery {
    /// How long to wait for the end, in seconds.
    #[param(minimum = 0, maximum = 25, default = 0, required = false)]
    wait: u64,
}

/// The task in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct TaskPath {
    /// The key of the task.
    #[param(min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
    key: String,
}

/// A task as it is now. Its end is told by `status`, and where it failed by `reason`.
#[derive(ToSchema)]
#[schema(as = ImageTask, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes what is put together by hand")]
pub(crate) struct ImageTaskBody {
    /// The key of the task; null where the request was refused before there was one.
    #[schema(required = true, min_length = 64, max_length = 64)]
    key: Option<String>,
    /// Which attempt this is; null as the key is.
    #[schema(required = true, minimum = 1)]
    attempt: Option<u32>,
    /// `pending`, `succeeded` or `failed`.
    status: TaskStatusName,
    /// Pending: whether the image service has it.
    #[schema(required = false)]
    submitted: bool,
    /// Pending: how far it is, in percent, where the service says so.
    #[schema(required = false, minimum = 0, maximum = 100)]
    progress: Option<u8>,
    /// Succeeded: the image.
    #[schema(required = false, min_length = 36, max_length = 36)]
    asset_id: String,
    /// Succeeded: where a small form of it can be seen.
    #[schema(required = false, max_length = 2000)]
    preview_url: String,
    /// Succeeded: until when.
    #[schema(required = false, max_length = 2000)]
    preview_url_expires_at: String,
    /// Succeeded: its width in pixels.
    #[schema(required = false)]
    width: u32,
    /// Succeeded: its height in pixels.
    #[schema(required = false)]
    height: u32,
    /// Failed: why.
    #[schema(required = false)]
    reason: FailureReasonName,
    /// `credits`: whether more can be bought.
    #[schema(required = false)]
    can_upgrade: bool,
    /// `credits`: when there will be new ones.
    #[schema(required = false)]
    refresh_in_seconds: u64,
    /// `resolution`: the size asked for or sent.
    #[schema(required = false)]
    requested: SizeBody,
    /// `resolution`: the largest size allowed.
    #[schema(required = false)]
    limited: SizeBody,
    /// `resolution`: whether the `source` or the `request` was too large.
    #[schema(required = false)]
    of: String,
    /// `error`: the stable code, for instance `source_asset_not_found`, `reference_asset_not_found` or `asset_gone`.
    #[schema(required = false, max_length = 128)]
    error_code: String,
    /// Failed: what is the case.
    #[schema(required = false, max_length = 2000)]
    message: String,
    /// Failed: what to do next.
    #[schema(required = false)]
    next: String,
}

/// How a task is.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum TaskStatusName {
    Pending,
    Succeeded,
    Failed,
}

/// Why a task failed.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum FailureReasonName {
    Credits,
    Resolution,
    NoImage,
    Error,
}

/// A size in pixels.
#[derive(ToSchema)]
#[schema(as = Size)]
#[expect(dead_code, reason = "it describes a field of the API")]
struct SizeBody {
    /// Pixels.
    width: u64,
    /// Pixels.
    height: u64,
}

/// Have an image made
///
/// The same request is the same task, whoever sends it and whenever: it is submitted and paid for once. Attachments
/// become assets first; every source and reference is looked for before anything is submitted. The end of a task is a
/// value, also where it failed; only passing trouble is an error, and the task goes on when it is asked for again.
#[utoipa::path(post, path = "/v1/image-tasks", tag = "images", operation_id = "runImageTask",
    params(WaitQuery), request_body = NewImageTask,
    responses(
        (status = 200, body = ImageTaskBody, description = "The task has ended, or was refused before it began."),
        (status = 202, body = ImageTaskBody, description = "The task is under way.", headers(
            ("Location" = String, description = "Where to ask how it is doing."),
            ("Retry-After" = u64, description = "When to ask again, in seconds.")))))]
pub(crate) async fn run(
    State(app): State<App>,
    Writer(caller): Writer,
    uri: Uri,
    body: JsonText,
) -> Result<Response, Problem> {
    let wait = wait(&Params::read(&uri, &["wait"])?)?;
    let request = body.read(read_request).await?;
    let tasks = app.tasks().clone();
    let run = async move { tasks.run(&caller.scope, request, wait).await };
    let started = app.write(run).await?.map_err(of_task)?;
    Ok(match started {
        Started::Refused(failure) => json_response(json_bytes(&refused_json(failure))),
        Started::Task(view) => response(&view),
    })
}

/// Ask how a task is doing
///
/// One that had to wait for the image service goes on.
#[utoipa::path(get, path = "/v1/image-tasks/{key}", tag = "images", operation_id = "readImageTask",
    params(TaskPath, WaitQuery),
    responses(
        (status = 200, body = ImageTaskBody, description = "The task has ended."),
        (status = 202, body = ImageTaskBody, description = "The task is under way.", headers(
            ("Location" = String, description = "Where to ask how it is doing."),
            ("Retry-After" = u64, description = "When to ask again, in seconds.")))))]
pub(crate) async fn read(State(app): State<App>, reader: Reader, Key(key): Key, uri: Uri) -> Result<Response, Problem> {
    let wait = wait(&Params::read(&uri, &["wait"])?)?;
    let view = app.tasks().view(&reader.scope, key, wait).await.map_err(of_task)?;
    Ok(response(&view))
}

/// Give a task up
///
/// It ends as `failed` with the errorCode `cancelled`. One that has ended stays as it is. The image service hears of it
/// as soon as it answers.
#[utoipa::path(delete, path = "/v1/image-tasks/{key}", tag = "images", operation_id = "cancelImageTask",
    params(TaskPath),
    responses((status = 200, body = ImageTaskBody, description = "The task has ended.")))]
pub(crate) async fn cancel(
    State(app): State<App>,
    Writer(caller): Writer,
    Key(key): Key,
    _: NoQuery,
) -> Result<Response, Problem> {
    let tasks = app.tasks().clone();
    let cancelling = async move { tasks.cancel(&caller.scope, key).await };
    let view = app.write(cancelling).await?.map_err(of_task)?;
    Ok(response(&view))
}

/// The key in the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key(TaskKey);

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, state: &S) -> Result<Self, Problem> {
        let Name(text) = Name::at("key", parts, state).await?;
        text.parse()
            .map(Self)
            .map_err(|fault: recto_pages::BadTaskKey| invalid("key", &fault.to_string()))
    }
}

fn wait(params: &Params) -> Result<Duration, Problem> {
    let seconds = params.whole("wait")?.unwrap_or_default();
    if seconds > WAIT_MAX_SECONDS {
        return Err(invalid("wait", &format!("it is 0 to {WAIT_MAX_SECONDS}")));
    }
    Ok(Duration::from_secs(seconds))
}

fn read_request(json: Json) -> Result<TaskRequest, Problem> {
    const TYPE: &str = "the name of what is to be done";
    const AGAIN: &str = "the attempt whose failure you have seen, a whole number from 1";
    let mut fields = Fields::open(json, &["taskType", "payload", "again"])?;
    let task_type = fields.text("taskType", TYPE, |text| Id::new(text).ok())?;
    let Json::Object(payload) = fields.required("payload", "an object")? else {
        return Err(malformed("/payload", "an object"));
    };
    Ok(TaskRequest {
        task_type: task_type.ok_or_else(|| malformed("/taskType", TYPE))?,
        payload,
        again: fields.counted("again", AGAIN)?,
    })
}

fn response(view: &TaskView) -> Response {
    let mut map = Map::new();
    map.insert("key".to_owned(), view.key.to_string().into());
    map.insert("attempt".to_owned(), view.attempt.into());
    match &view.result {
        Some(result) => extend(&mut map, result.to_json(Some(view.attempt))),
        None => {
            map.insert("status".to_owned(), "pending".into());
            map.insert("submitted".to_owned(), view.submitted.into());
            map.insert("progress".to_owned(), view.progress.map_or(Json::Null, Json::from));
        }
    }
    let mut response = json_response(json_bytes(&map));
    if view.result.is_none() {
        *response.status_mut() = StatusCode::ACCEPTED;
        add_header(
            &mut response,
            header::LOCATION,
            &format!("/v1/image-tasks/{}", view.key),
        );
        add_header(&mut response, header::RETRY_AFTER, "1");
    }
    response
}

fn refused_json(failure: Failure) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert("key".to_owned(), Json::Null);
    map.insert("attempt".to_owned(), Json::Null);
    extend(&mut map, TaskResult::Failed(failure).to_json(None));
    map
}

fn extend(map: &mut Map<String, Json>, json: Json) {
    if let Json::Object(fields) = json {
        map.extend(fields);
    }
}
