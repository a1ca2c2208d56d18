//! `/v1/chats/{id}`: what a chat makes, and what its agent did.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use recto_pages::projections::chat::{Mode, ModeKind, Said, Switched};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};

use super::{ActorHeaders, KeyHeader};
use crate::access::{Reader, Writer};
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::CommandId;
use crate::params::{NoQuery, PageId, Params};
use crate::problem::{Problem, of_chat};
use crate::state::App;
use crate::wire::{add_header, escaped, json_bytes, json_response, list_response, time};

const MODE: &str = "a mode: an object with `kind` (design, image or document), and only the particulars of that kind, of at most 128 characters each";

/// The chat in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct ChatPath {
    /// The chat.
    #[param(
        min_length = 1,
        max_length = 123,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        example = "chat-1"
    )]
    id: String,
}

/// What the composer said with a message.
#[derive(ToSchema)]
#[schema(as = ComposerMode, examples(json!({"mode": {"kind": "image", "ratio": "16:9"}}), json!({"mode": null}), json!({})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct ComposerMode {
    /// The mode; null is none, and without it nothing was said.
    #[schema(required = false, value_type = Option<ModeBody>)]
    mode: Json,
}

/// What a chat makes.
#[derive(ToSchema)]
#[schema(as = Mode)]
#[expect(dead_code, reason = "it describes what is put together by hand")]
struct ModeBody {
    /// What sort of thing.
    kind: ModeName,
    /// `design`: the preset, for one turn only.
    #[schema(required = false, max_length = 128)]
    preset: String,
    /// `image`: the ratio of width to height.
    #[schema(required = false, max_length = 128)]
    ratio: String,
    /// `image`: the resolution.
    #[schema(required = false, max_length = 128)]
    resolution: String,
}

/// What sort of thing a chat makes.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum ModeName {
    Design,
    Image,
    Document,
}

/// The mode to switch to.
#[derive(ToSchema)]
#[schema(as = ModeSwitch, rename_all = "camelCase", examples(json!({"kind": "image"})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct ModeSwitch {
    /// What sort of thing.
    kind: ModeName,
    /// Whether this chat can make documents.
    #[schema(required = false, default = true)]
    documents_available: bool,
}

/// What an agent did.
#[derive(ToSchema)]
#[schema(as = Trajectory, examples(json!({"entries": [{"tool": "generate_image", "outcome": "succeeded"}]})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct Trajectory {
    /// What was called and what came of it, in order: objects with `tool` and `outcome`, and whatever else there is to tell.
    #[schema(value_type = Vec<Object>, min_items = 1, max_items = 100)]
    entries: Json,
}

/// The mode of a chat, as it holds and as it is kept.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatMode)]
pub(crate) struct ChatModeBody {
    /// The mode that holds now; null is none.
    #[schema(required = true, value_type = Option<ModeBody>)]
    effective: Option<Json>,
    /// Whether it was declared with this message.
    declared: bool,
    /// The mode that the chat keeps; null is none.
    #[schema(required = true, value_type = Option<ModeBody>)]
    stored: Option<Json>,
}

/// What a switch did.
#[derive(Serialize, ToSchema)]
#[schema(as = ModeSwitched)]
pub(crate) struct SwitchedBody {
    /// Whether the mode is another one now.
    changed: bool,
    /// What sort of thing the chat makes now.
    #[schema(value_type = ModeName)]
    kind: &'static str,
}

/// The numbers of the entries that were noted.
#[derive(Serialize, ToSchema)]
#[schema(as = Noted)]
pub(crate) struct NotedBody {
    /// The first.
    #[schema(minimum = 1)]
    first: u64,
    /// The last.
    #[schema(minimum = 1)]
    last: u64,
}

/// What was noted in a chat.
#[derive(Serialize, ToSchema)]
#[schema(as = TrajectoryPart)]
pub(crate) struct TrajectoryBody {
    /// The entries, in order.
    entries: Vec<EntryBody>,
    /// Where to go on reading; null at the end.
    #[schema(required = true)]
    next: Option<String>,
}

/// What an agent did.
#[derive(Serialize, ToSchema)]
#[schema(as = TrajectoryEntry)]
struct EntryBody {
    /// Its number in the chat.
    #[schema(minimum = 1)]
    number: u64,
    /// When it was noted.
    #[schema(format = DateTime)]
    time: String,
    /// Who acted.
    actor: String,
    /// In which turn.
    #[schema(required = true)]
    turn: Option<String>,
    /// What was noted.
    #[schema(value_type = Object)]
    entry: Json,
}

/// Which part of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct EntriesQuery {
    /// Only entries after this number.
    #[param(minimum = 0, default = 0, required = false)]
    after: u64,
    /// The most entries.
    #[param(minimum = 1, maximum = 1000, default = 100, required = false)]
    limit: u32,
}

/// Read the mode that a chat keeps
#[utoipa::path(get, path = "/v1/chats/{id}/mode", tag = "chats", operation_id = "readChatMode", params(ChatPath),
    responses((status = 200, body = ChatModeBody, description = "The mode, were nothing said about it.")))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageId(chat): PageId,
    _: NoQuery,
) -> Result<Response, Problem> {
    let stored = app.chats().mode(&reader.scope, &chat).await.map_err(of_chat)?;
    let stored = stored.map(|mode| mode.to_json());
    let body = ChatModeBody {
        effective: stored.clone(),
        declared: false,
        stored,
    };
    Ok(json_response(json_bytes(&body)))
}

/// Say what the composer said
///
/// With nothing said the kept mode holds; null clears it; a mode holds as it is for this turn, and is kept without what is
/// for one turn only.
#[utoipa::path(put, path = "/v1/chats/{id}/mode", tag = "chats", operation_id = "setChatMode", params(ChatPath),
    request_body = ComposerMode,
    responses((status = 200, body = ChatModeBody, description = "The mode that holds now, and the one that is kept.")))]
pub(crate) async fn say(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(chat): PageId,
    _: NoQuery,
    body: JsonText,
) -> Result<Response, Problem> {
    let said = body.read(read_said).await?;
    let chats = app.chats().clone();
    let now = app
        .write(async move { chats.say(&caller.scope, &chat, said).await })
        .await?;
    let now = now.map_err(of_chat)?;
    let body = ChatModeBody {
        effective: now.effective.map(|mode| mode.to_json()),
        declared: now.declared,
        stored: now.stored.map(|mode| mode.to_json()),
    };
    Ok(json_response(json_bytes(&body)))
}

/// Switch the mode
///
/// In the middle of a turn: it holds at once, is kept, and is an event of the chat. The mode that the chat has is no change,
/// and no event. A retry gets the first answer.
#[utoipa::path(post, path = "/v1/chats/{id}/switch", tag = "chats", operation_id = "switchChatMode",
    params(ChatPath, KeyHeader, ActorHeaders), request_body = ModeSwitch,
    responses((status = 200, body = SwitchedBody, description = "The mode that holds now.")))]
pub(crate) async fn switch(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(chat): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    body: JsonText,
) -> Result<Response, Problem> {
    let (kind, documents) = body.read(read_switch).await?;
    let chats = app.chats().clone();
    let switching = async move { chats.switch(&caller, &chat, kind, documents, &command).await };
    let switched = app.write(switching).await?.map_err(of_chat)?;
    let body = SwitchedBody {
        changed: switched != Switched::Same,
        kind: kind.as_str(),
    };
    Ok(json_response(json_bytes(&body)))
}

/// Note what an agent did
#[utoipa::path(post, path = "/v1/chats/{id}/trajectory", tag = "chats", operation_id = "noteTrajectory",
    params(ChatPath, KeyHeader, ActorHeaders), request_body = Trajectory,
    responses((status = 200, body = NotedBody, description = "It is noted, now or by an earlier sending.", headers(
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")))))]
pub(crate) async fn note(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(chat): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    body: JsonText,
) -> Result<Response, Problem> {
    let entries = body.read(read_entries).await?;
    let chats = app.chats().clone();
    let noting = async move { chats.note(&caller, &chat, &entries, &command).await };
    let noted = app.write(noting).await?.map_err(of_chat)?;
    let body = NotedBody {
        first: noted.first,
        last: noted.last,
    };
    let mut response = json_response(json_bytes(&body));
    if noted.replayed {
        let name = axum::http::HeaderName::from_static("idempotency-replayed");
        add_header(&mut response, name, "true");
    }
    Ok(response)
}

/// Read what an agent did
#[utoipa::path(get, path = "/v1/chats/{id}/trajectory", tag = "chats", operation_id = "readTrajectory",
    params(ChatPath, EntriesQuery),
    responses((status = 200, body = TrajectoryBody, description = "What was noted, in order.", headers(
        ("Link" = String, description = "The next part of the list, with rel=\"next\".")))))]
pub(crate) async fn trajectory(
    State(app): State<App>,
    reader: Reader,
    PageId(chat): PageId,
    uri: Uri,
) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["after", "limit"])?;
    let (after, limit) = (
        params.whole("after")?.unwrap_or_default(),
        params.limit(app.limits().list_max)?,
    );
    let found = app
        .chats()
        .entries(&reader.scope, &chat, after, limit)
        .await
        .map_err(of_chat)?;
    let full = found.len() >= limit;
    let next = found.last().filter(|_| full).map(|last| {
        let chat = escaped(chat.as_str());
        format!("/v1/chats/{chat}/trajectory?after={}&limit={limit}", last.version)
    });
    let entries = found.into_iter().map(|found| EntryBody {
        number: found.version,
        time: time(found.time_ms),
        actor: found.actor,
        turn: found.turn,
        entry: found.entry,
    });
    let body = TrajectoryBody {
        entries: entries.collect(),
        next,
    };
    Ok(list_response(json_bytes(&body), body.next.as_deref()))
}

fn read_said(json: Json) -> Result<Said, Problem> {
    let mut fields = Fields::open(json, &["mode"])?;
    match fields.take("mode") {
        None => Ok(Said::Nothing),
        Some(Json::Null) => Ok(Said::NoMode),
        Some(mode) => Mode::from_json(&mode)
            .map(Said::Mode)
            .ok_or_else(|| malformed("/mode", MODE)),
    }
}

fn read_switch(json: Json) -> Result<(ModeKind, bool), Problem> {
    const KIND: &str = "design, image or document";
    let mut fields = Fields::open(json, &["kind", "documentsAvailable"])?;
    let kind = fields.text("kind", KIND, ModeKind::from_name)?;
    Ok((
        kind.ok_or_else(|| malformed("/kind", KIND))?,
        fields.flag("documentsAvailable", true)?,
    ))
}

fn read_entries(json: Json) -> Result<Vec<Json>, Problem> {
    let mut fields = Fields::open(json, &["entries"])?;
    let Json::Array(entries) = fields.required("entries", "an array of entries")? else {
        return Err(malformed("/entries", "an array of entries"));
    };
    for (index, entry) in entries.iter().enumerate() {
        for field in ["tool", "outcome"] {
            if !entry.get(field).is_some_and(Json::is_string) {
                return Err(malformed(&format!("/entries/{index}/{field}"), "a string"));
            }
        }
    }
    Ok(entries)
}
