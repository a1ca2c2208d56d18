//! `/v1/pages/{id}/deltas`: apply one delta or many.

use axum::extract::State;
use axum::response::Response;
use recto_pages::projections::rebase::OnOverwrite;
use recto_pages::projections::{Delta, Kind};
use recto_pages::{OnStale, SubmitDeltas, SubmitOptions};
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{ActorHeaders, BaseHeader, KeyHeader, PagePath};
use crate::access::Writer;
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::{BaseVersion, CommandId};
use crate::params::{NoQuery, PageId};
use crate::problem::{Code, Problem, of_invalid, of_read, of_write};
use crate::state::App;
use crate::wire::WrittenBody;

const FIELDS: [&str; 6] = ["deltas", "delta", "onStale", "onOverwrite", "force", "undoable"];

/// Deltas to be applied in order, all or none: `deltas`, or `delta` for a single one. Each becomes one event.
///
/// A delta is an array of operations in the form of the page's kind. DESIGN: `addNode`, `removeNode`, `setNode`,
/// `moveNode`, `editText`, `addToSet`, `removeFromSet`, `setAttributes`, `addBackground`, `removeBackground`,
/// `setBackground`, `moveBackground`. DOC: a Quill Delta. CODE: `addFile`, `removeFile`, `renameFile`, `editFile`,
/// `setAttributes`. SHEET: `replaceSheet`.
#[derive(ToSchema)]
#[schema(as = Deltas, rename_all = "camelCase", min_properties = 1, examples(
    json!({"delta": [{"op": "setNode", "id": "title", "set": {"/props/text": "Hello, world"}}]}),
    json!({"deltas": [[{"retain": 5}, {"insert": ", world"}], [{"retain": 5}, {"delete": 7}]]}),
    json!({"delta": [{"op": "editFile", "path": "index.html", "delta": [{"retain": 4}, {"insert": "Oh. "}]}]}),
    json!({"delta": [{"op": "replaceSheet", "value": {"rows": []}}]}),
    json!({"delta": [{"op": "setNode", "id": "title", "set": {"/props/color": "red"}}], "onStale": "rebase", "onOverwrite": "mine"}),
    json!({"delta": [{"op": "removeNode", "id": "title"}], "onStale": "reject", "undoable": false})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct Deltas {
    /// The deltas in order; each is made from the state that the one before it leaves.
    #[schema(value_type = Vec<Value>, min_items = 1, required = false)]
    deltas: Vec<Json>,
    /// One delta.
    #[schema(value_type = Value, required = false)]
    delta: Json,
    /// What becomes of them where the page has changed since If-Match: `rebase` brings them to the head where nothing
    /// stands in the way, `reject` refuses them with 409.
    #[schema(required = false, default = "rebase")]
    on_stale: OnStaleName,
    /// Whose value stands where a rebase meets a field that was set to another value since, or a node that was moved:
    /// `refuse` makes it a conflict, `mine` takes that of the write, `theirs` the one committed.
    #[schema(required = false, default = "refuse")]
    on_overwrite: OnOverwriteName,
    /// Whether in a rebase a removal takes along what others did to the thing since.
    #[schema(required = false, default = false)]
    force: bool,
    /// Whether `undo` can ever take the events back.
    #[schema(required = false, default = true)]
    undoable: bool,
}

/// What becomes of a stale write.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field that is read by hand")]
enum OnStaleName {
    Rebase,
    Reject,
}

/// Whose value stands where two set one field.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field that is read by hand")]
enum OnOverwriteName {
    Refuse,
    Mine,
    Theirs,
}

/// Apply deltas
///
/// All or none. A delta that changes nothing makes no event. A stale write is brought to the head where nothing stands
/// in its way: the answer has the deltas as they were stored, and `rebase` tells what they were brought over. Else it is
/// refused with 409 and all that is needed to try again. SHEET pages are never rebased, nor is anything over a restore.
#[utoipa::path(post, path = "/v1/pages/{id}/deltas", tag = "pages", operation_id = "submitDeltas",
    params(PagePath, KeyHeader, ActorHeaders, BaseHeader), request_body = Deltas,
    responses((status = 200, body = WrittenBody, description = "The deltas were applied, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn submit(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    BaseVersion(base): BaseVersion,
    body: JsonText,
) -> Result<Response, Problem> {
    let kind = app
        .pages()
        .kind_of(&caller.scope, &page)
        .await
        .map_err(|fault| of_read(fault, &page))?;
    let Sent {
        deltas,
        single,
        options,
    } = body.read(move |json| read_deltas(json, kind)).await?;
    let submit = SubmitDeltas {
        caller,
        page: page.clone(),
        base,
        deltas,
        command,
        options,
    };
    let pages = app.pages().clone();
    let written = app.write(async move { pages.submit(submit).await }).await?;
    let written = written.map_err(|refusal| of_write(refusal, &page, |index| pointer(single, index)))?;
    WrittenBody::response(written).await
}

struct Sent {
    deltas: Vec<Delta>,
    /// Whether it came as `delta`, not in `deltas`.
    single: bool,
    options: SubmitOptions,
}

fn read_deltas(json: Json, kind: Kind) -> Result<Sent, Problem> {
    let mut fields = Fields::open(json, &FIELDS)?;
    let (sent, single) = match (fields.take("deltas"), fields.take("delta")) {
        (Some(Json::Array(deltas)), None) => (deltas, false),
        (Some(_), None) => return Err(malformed("/deltas", "an array of deltas")),
        (None, Some(delta)) => (vec![delta], true),
        _ => return Err(malformed("", "an object with either `deltas` or `delta`")),
    };
    let options = read_options(&mut fields)?;
    let read = |(index, json): (usize, &Json)| {
        Delta::from_json(kind, json).map_err(|fault| of_invalid(Code::IllegalDelta, &pointer(single, index), &fault))
    };
    let deltas = sent.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(Sent {
        deltas,
        single,
        options,
    })
}

fn read_options(fields: &mut Fields) -> Result<SubmitOptions, Problem> {
    let usual = SubmitOptions::default();
    let on_stale = fields.text("onStale", "rebase or reject", |name| match name {
        "rebase" => Some(OnStale::Rebase),
        "reject" => Some(OnStale::Reject),
        _ => None,
    });
    let on_overwrite = fields.text("onOverwrite", "refuse, mine or theirs", |name| match name {
        "refuse" => Some(OnOverwrite::Refuse),
        "mine" => Some(OnOverwrite::Mine),
        "theirs" => Some(OnOverwrite::Theirs),
        _ => None,
    });
    Ok(SubmitOptions {
        on_stale: on_stale?.unwrap_or(usual.on_stale),
        on_overwrite: on_overwrite?.unwrap_or(usual.on_overwrite),
        force: fields.flag("force", usual.force)?,
        undoable: fields.flag("undoable", usual.undoable)?,
    })
}

fn pointer(single: bool, index: usize) -> String {
    if single {
        "/delta".to_owned()
    } else {
        format!("/deltas/{index}")
    }
}
