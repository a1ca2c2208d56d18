//! `/v1/pages/{id}/deltas`: apply one delta or many.

use axum::extract::State;
use axum::response::Response;
use recto_pages::SubmitDeltas;
use recto_pages::projections::{Delta, Kind};
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{BaseHeader, PagePath, WriteHeaders};
use crate::access::Writer;
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::{BaseVersion, CommandId};
use crate::params::{NoQuery, PageId};
use crate::problem::{Code, Problem, of_invalid, of_read, of_write};
use crate::state::App;
use crate::wire::WrittenBody;

/// Deltas to be applied in order, all or none: `deltas`, or `delta` for a single one. Each becomes one event.
///
/// A delta is an array of operations in the form of the page's kind. DESIGN: `addNode`, `removeNode`, `setNode`,
/// `moveNode`, `editText`, `addToSet`, `removeFromSet`, `setAttributes`, `addBackground`, `removeBackground`,
/// `setBackground`, `moveBackground`. DOC: a Quill Delta. CODE: `addFile`, `removeFile`, `renameFile`, `editFile`,
/// `setAttributes`. SHEET: `replaceSheet`.
#[derive(ToSchema)]
#[schema(as = Deltas, min_properties = 1, max_properties = 1, examples(
    json!({"delta": [{"op": "setNode", "id": "title", "set": {"/props/text": "Hello, world"}}]}),
    json!({"deltas": [[{"retain": 5}, {"insert": ", world"}], [{"retain": 5}, {"delete": 7}]]}),
    json!({"delta": [{"op": "editFile", "path": "index.html", "delta": [{"retain": 4}, {"insert": "Oh. "}]}]}),
    json!({"delta": [{"op": "replaceSheet", "value": {"rows": []}}]})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct Deltas {
    /// The deltas in order; each is made from the state that the one before it leaves.
    #[schema(value_type = Vec<Value>, min_items = 1, required = false)]
    deltas: Vec<Json>,
    /// One delta.
    #[schema(value_type = Value, required = false)]
    delta: Json,
}

/// Apply deltas
///
/// All or none. A delta that changes nothing makes no event. A stale write is refused with 409 and all that is
/// needed to try again.
#[utoipa::path(post, path = "/v1/pages/{id}/deltas", tag = "pages", operation_id = "submitDeltas",
    params(PagePath, WriteHeaders, BaseHeader), request_body = Deltas,
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
    let Sent { deltas, single } = body.read(move |json| read_deltas(json, kind)).await?;
    let submit = SubmitDeltas {
        caller,
        page: page.clone(),
        base,
        deltas,
        command,
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
}

fn read_deltas(json: Json, kind: Kind) -> Result<Sent, Problem> {
    let mut fields = Fields::open(json, &["deltas", "delta"])?;
    let (sent, single) = match (fields.take("deltas"), fields.take("delta")) {
        (Some(Json::Array(deltas)), None) => (deltas, false),
        (Some(_), None) => return Err(malformed("/deltas", "an array of deltas")),
        (None, Some(delta)) => (vec![delta], true),
        _ => return Err(malformed("", "an object with either `deltas` or `delta`")),
    };
    let read = |(index, json): (usize, &Json)| {
        Delta::from_json(kind, json).map_err(|fault| of_invalid(Code::IllegalDelta, &pointer(single, index), &fault))
    };
    let deltas = sent.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(Sent { deltas, single })
}

fn pointer(single: bool, index: usize) -> String {
    if single {
        "/delta".to_owned()
    } else {
        format!("/deltas/{index}")
    }
}
