//! `/v1/pages/{id}/update`: the write from a read.

use axum::extract::State;
use axum::response::Response;
use recto_pages::{ContractRefusal, PageChange, UpdatePage, WriteError};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{ActorHeaders, KeyHeader, PagePath};
use crate::access::Writer;
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::CommandId;
use crate::params::{NoQuery, PageId};
use crate::problem::{Problem, of_write};
use crate::state::App;
use crate::wire::UpdatedBody;

/// The most nodes that one merge names to delete.
const DELETE_MAX: usize = 10_000;
const MODE: &str = "replace or merge";
const TOKEN: &str = "the readToken of the read";
const IDS: &str = "an array of node ids, 10000 at the most";

/// A write from a read: a `replace` of the whole page, or a `merge` of a part.
#[derive(Serialize, ToSchema)]
#[schema(as = UpdatePage, examples(
    json!({"mode": "replace", "readToken": "AQEAAAA…", "content": "<p>Hello, world</p>"}),
    json!({"mode": "merge", "readToken": "AQEAAAA…", "content": "<div data-node-id=\"title\">Hello</div>", "deleteNodeIds": ["old"]})
))]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) enum Update {
    /// The whole page: what the content leaves out is deleted. Only where nobody has changed the page since the read.
    Replace(Replace),
    /// Only what is named changes; what is left out stays. At least one of `content` and `deleteNodeIds`.
    Merge(Merge),
}

/// The whole page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UpdateReplace)]
pub(crate) struct Replace {
    /// The mode.
    mode: ReplaceName,
    /// The `readToken` of the read.
    read_token: String,
    /// DESIGN and DOC: HTML as a string, or the value. CODE: an object with `files` and `entry`; of a page with one file,
    /// its source as a string. At most 200,000 characters.
    #[schema(value_type = Value)]
    content: Json,
}

/// A part of a DESIGN page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UpdateMerge, min_properties = 3)]
pub(crate) struct Merge {
    /// The mode.
    mode: MergeName,
    /// The `readToken` of the read.
    read_token: String,
    /// HTML of the nodes that change and of new ones. An element with a known `data-node-id` changes that node; one
    /// without an id is a new node. At most 200,000 characters.
    #[schema(required = false)]
    content: String,
    /// Nodes to delete, each with all that lies below it.
    #[schema(required = false, max_items = 10000)]
    delete_node_ids: Vec<String>,
}

/// The mode of a replace.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field that is read by hand")]
enum ReplaceName {
    Replace,
}

/// The mode of a merge.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field that is read by hand")]
enum MergeName {
    Merge,
}

/// Write what was read
///
/// The one way in which an agent writes a DESIGN, DOC or CODE page: it presents the `readToken` of its read, and writes
/// in the `writeMode` that the read gave. A refusal appends nothing; its `next` says what to do in a sentence for the
/// model, and `retry` whether the same intent can pass after that. A replace lands on what was read, or is refused with
/// what changed since. A merge made from an older read is brought to the head; it is refused where somebody else changed
/// one of its nodes. It is billed as `edit` where it changes something.
#[utoipa::path(post, path = "/v1/pages/{id}/update", tag = "agents", operation_id = "updatePage",
    params(PagePath, KeyHeader, ActorHeaders), request_body = Update,
    responses((status = 200, body = UpdatedBody, description = "It was written, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for If-Match of other writes."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn update(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    body: JsonText,
) -> Result<Response, Problem> {
    let of = page.clone();
    let (read_token, change) = body.read(move |json| read_update(json, &of)).await?;
    let update = UpdatePage {
        caller,
        page: page.clone(),
        read_token,
        change,
        command,
    };
    let pages = app.pages().clone();
    let updated = app.write(async move { pages.update(update).await }).await?;
    UpdatedBody::response(updated.map_err(|refusal| of_write(refusal, &page, |_| "/content".to_owned()))?).await
}

fn read_update(json: Json, page: &recto_pages::Id) -> Result<(String, PageChange), Problem> {
    let mut fields = Fields::open(json, &["mode", "readToken", "content", "deleteNodeIds"])?;
    let mode = fields.required("mode", MODE)?;
    let read_token = fields.required("readToken", TOKEN)?;
    let read_token = read_token
        .as_str()
        .ok_or_else(|| malformed("/readToken", TOKEN))?
        .to_owned();
    let refused = |refusal: ContractRefusal| of_write(WriteError::from(refusal), page, |_| String::new());
    let change = match mode.as_str() {
        Some("replace") => {
            if fields.take("deleteNodeIds").is_some() {
                return Err(refused(ContractRefusal::ReplaceDeletes));
            }
            PageChange::Replace {
                content: fields.required("content", "the whole content of the page")?,
            }
        }
        Some("merge") => {
            let content = fields.take("content").filter(|content| !content.is_null());
            let content = content.map(|content| match content {
                Json::String(html) => Ok(html),
                _ => Err(malformed("/content", "HTML as a string")),
            });
            let content = content.transpose()?;
            let delete = read_ids(fields.take("deleteNodeIds"))?;
            if content.is_none() && delete.is_empty() {
                return Err(refused(ContractRefusal::MergeEmpty));
            }
            PageChange::Merge { content, delete }
        }
        _ => return Err(malformed("/mode", MODE)),
    };
    Ok((read_token, change))
}

fn read_ids(given: Option<Json>) -> Result<Vec<String>, Problem> {
    let ids = match given {
        None => return Ok(Vec::new()),
        Some(Json::Array(ids)) if ids.len() <= DELETE_MAX => ids,
        Some(_) => return Err(malformed("/deleteNodeIds", IDS)),
    };
    let read = |(index, id): (usize, Json)| match id {
        Json::String(id) => Ok(id),
        _ => Err(malformed(&format!("/deleteNodeIds/{index}"), "a node id")),
    };
    ids.into_iter().enumerate().map(read).collect()
}
