//! `/v1/pages/{id}/undo-stack`: what an actor can undo and redo.

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use recto_pages::StackEntry;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::PagePath;
use crate::access::{Reader, named_actor};
use crate::config::STACK_DEFAULT;
use crate::params::{PageId, Params, invalid};
use crate::problem::{Problem, of_read};
use crate::state::App;
use crate::wire::{json_bytes, json_response};

/// Whose stacks.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct StackQuery {
    /// The actor. Without it, the one that the header Recto-Actor names.
    #[param(
        required = false,
        min_length = 6,
        max_length = 135,
        pattern = "^(user|agent|system):.{1,128}$",
        example = "agent:layout"
    )]
    actor: String,
    /// The version at which; without it, the newest.
    #[param(required = false, minimum = 1)]
    at: u64,
    /// The most entries of each stack.
    #[param(minimum = 1, maximum = 1000, default = 50, required = false)]
    limit: u32,
}

/// Who asks.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header that is read by hand")]
pub(crate) struct StackHeader {
    /// Whose stacks, where `actor` is absent.
    #[param(rename = "Recto-Actor", required = false, example = "user:ada")]
    actor: String,
}

/// What an actor can undo and redo.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UndoStack)]
pub(crate) struct StackBody {
    /// The page.
    page: String,
    /// Whose stacks.
    #[schema(example = "agent:layout")]
    actor: String,
    /// The version at which it is so.
    #[schema(minimum = 1)]
    version: u64,
    /// What `undo` takes back, the newest first.
    undo: Vec<StackEntryBody>,
    /// How many entries there are below those.
    undo_more: usize,
    /// What `redo` takes back, the newest first.
    redo: Vec<StackEntryBody>,
    /// How many entries there are below those.
    redo_more: usize,
}

/// One step of undo or redo.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UndoStackEntry)]
struct StackEntryBody {
    /// The turn that its edits were made in.
    #[schema(required = true)]
    turn: Option<String>,
    /// The versions of the edits, rising.
    edits: Vec<u64>,
    /// The versions of the events that the step takes back, the newest first: the edits, or the redos or undos that
    /// stand for them.
    targets: Vec<u64>,
}

/// Read an actor's undo stack
///
/// At any version, from the stream alone: it survives reloads, and is the same on every device. The stacks reach back
/// over a limited number of events; older ones can only be undone by their version.
#[utoipa::path(get, path = "/v1/pages/{id}/undo-stack", tag = "undo", operation_id = "readUndoStack",
    params(PagePath, StackQuery, StackHeader),
    responses((status = 200, body = StackBody, description = "The stacks.")))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["actor", "at", "limit"])?;
    let limit = params.limit_or(STACK_DEFAULT, app.limits().list_max)?;
    let at = params.whole("at")?;
    let actor = match params.actor("actor")? {
        Some(actor) => Some(actor),
        None => named_actor(&headers)?,
    };
    let actor = actor.ok_or_else(|| invalid("actor", "it is missing, and so is the header Recto-Actor"))?;
    let stacks = app.pages().undo_stacks(&reader.scope, &page, &actor, at, limit).await;
    let stacks = stacks.map_err(|fault| of_read(fault, &page))?;
    Ok(json_response(json_bytes(&StackBody {
        page: page.to_string(),
        actor: actor.to_string(),
        version: stacks.version,
        undo: entries(&stacks.undo),
        undo_more: stacks.undo_more,
        redo: entries(&stacks.redo),
        redo_more: stacks.redo_more,
    })))
}

fn entries(stack: &[StackEntry]) -> Vec<StackEntryBody> {
    let entry = |entry: &StackEntry| StackEntryBody {
        turn: entry.turn.as_deref().map(str::to_owned),
        edits: entry.edits.clone(),
        targets: entry.targets.clone(),
    };
    stack.iter().map(entry).collect()
}
