//! `/v1/pages`: make a page, list pages.

use std::str::FromStr;

use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::Response;
use recto_pages::projections::{Kind, Value};
use recto_pages::{CreatePage, Id, InsertPage, ListPages};
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};
use uuid::Builder;

use super::{ActorHeaders, KeyHeader};
use crate::access::{Reader, Writer};
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::CommandId;
use crate::params::{NoQuery, Params};
use crate::problem::{Code, Problem, of_invalid, of_read, of_write};
use crate::state::App;
use crate::wire::{
    KindName, PageListBody, PageSummaryBody, WrittenBody, add_header, escaped, json_bytes, list_response, page_path,
};

/// The domain of the ids that are made from a workspace and an Idempotency-Key.
const ID_DOMAIN: &str = "recto 2026 page id from command v1";

/// A page to be made.
#[derive(ToSchema)]
#[schema(as = NewPage, examples(
    json!({"id": "home", "kind": "DESIGN", "value": {"nodes": {"title": {"type": "text", "parentId": null, "geometry": {"x": 40, "y": 40, "width": 400, "height": 60, "rotation": 0}, "props": {"text": "Hello"}}}}}),
    json!({"id": "notes", "kind": "DOC", "value": [{"insert": "Hello\n"}]}),
    json!({"id": "site", "kind": "CODE", "value": {"files": {"index.html": "<h1>Hello</h1>\n"}, "entry": "index.html"}}),
    json!({"id": "numbers", "kind": "SHEET", "value": {"rows": [[1, 2.50]]}})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct NewPage {
    /// The page's id, opaque. Without one, an id is made from the workspace and the Idempotency-Key, the same at every retry.
    #[schema(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        required = false
    )]
    id: String,
    /// What kind of page it is, for good.
    kind: KindName,
    /// The file that the page is in.
    #[schema(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        required = false
    )]
    file: String,
    /// The first value, in the form of the kind. Without one the page is empty.
    #[schema(value_type = Value, required = false)]
    value: Json,
    /// Instead of `value`, what `update_page` takes: HTML for DESIGN and DOC, source for CODE. At most 200,000 characters.
    #[schema(value_type = Value, required = false)]
    content: Json,
}

/// Which pages to list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct ListQuery {
    /// Only pages of this file.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        required = false
    )]
    file: String,
    /// Only pages whose id comes after this one.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        required = false
    )]
    after: String,
    /// The most pages.
    #[param(minimum = 1, maximum = 1000, default = 100, required = false)]
    limit: u32,
    /// Deleted pages too.
    #[param(default = false, required = false)]
    deleted: bool,
}

/// Make a page
///
/// A page of this id that was made with the same kind, file and value is answered as it was then. It is billed as `create`.
#[utoipa::path(post, path = "/v1/pages", tag = "pages", operation_id = "createPage", params(KeyHeader, ActorHeaders),
    request_body = NewPage,
    responses((status = 201, body = WrittenBody, description = "The page was made, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Location" = String, description = "The path of the page."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn create(
    State(app): State<App>,
    Writer(caller): Writer,
    _: NoQuery,
    CommandId(command): CommandId,
    body: JsonText,
) -> Result<Response, Problem> {
    let NewPageParts { id, kind, file, value } = body.read(read_new_page).await?;
    let page = match id {
        Some(id) => id,
        None => derived_id(&caller.scope, &command)?,
    };
    let pages = app.pages().clone();
    let of = page.clone();
    let written = match value {
        First::Value(value) => {
            let create = CreatePage {
                caller,
                page: of,
                kind,
                file,
                value,
                command,
            };
            app.write(async move { pages.create(create).await }).await?
        }
        First::Content(content) => {
            let insert = InsertPage {
                caller,
                page: of,
                kind,
                file,
                content,
                command,
            };
            app.write(async move { pages.insert_page(insert).await }).await?
        }
    };
    let written = written.map_err(|refusal| of_write(refusal, &page, |_| "/value".to_owned()))?;
    let mut response = WrittenBody::response(written).await?;
    *response.status_mut() = StatusCode::CREATED;
    add_header(&mut response, header::LOCATION, &page_path(&page));
    Ok(response)
}

/// List pages
///
/// In the order of their ids. `next` and the header `Link` lead to the next part of the list.
#[utoipa::path(get, path = "/v1/pages", tag = "pages", operation_id = "listPages", params(ListQuery),
    responses((status = 200, body = PageListBody, description = "Pages of the workspace.", headers(
        ("Link" = String, description = "The next part of the list, with rel=\"next\".")
    ))))]
pub(crate) async fn list(State(app): State<App>, reader: Reader, uri: Uri) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["file", "after", "limit", "deleted"])?;
    let list = ListPages {
        scope: reader.scope,
        file: params.id("file")?,
        after: params.id("after")?,
        limit: params.limit(app.limits().list_max)?,
        deleted: params.flag("deleted")?,
    };
    let wanted = list.clone();
    let found = app
        .pages()
        .list(list)
        .await
        .map_err(|fault| of_read(fault, &wanted.scope))?;
    let next = found.next.as_ref().map(|after| next_link(&wanted, after));
    let body = PageListBody {
        pages: found.pages.iter().map(PageSummaryBody::new).collect(),
        next,
    };
    Ok(list_response(json_bytes(&body), body.next.as_deref()))
}

struct NewPageParts {
    id: Option<Id>,
    kind: Kind,
    file: Option<Id>,
    value: First,
}

/// What a page begins with.
enum First {
    Value(Value),
    Content(Json),
}

fn read_new_page(json: Json) -> Result<NewPageParts, Problem> {
    let mut fields = Fields::open(json, &["id", "kind", "file", "value", "content"])?;
    let id = fields.id("id")?;
    if id.as_ref().is_some_and(|id| matches!(id.as_str(), "." | "..")) {
        return Err(Problem::new(Code::IdIllegal, "\".\" and \"..\" cannot stand in a path")
            .with("pointer", "/id")
            .with("rule", "id_invalid"));
    }
    let kind = fields.required("kind", "a kind: DESIGN, DOC, CODE or SHEET")?;
    let kind = kind.as_str().and_then(|kind| Kind::from_str(kind).ok());
    let kind = kind.ok_or_else(|| malformed("/kind", "a kind: DESIGN, DOC, CODE or SHEET"))?;
    let file = fields.id("file")?;
    let value = match (fields.take("value"), fields.take("content")) {
        (None, None) => First::Value(Value::empty(kind)),
        (Some(value), None) => {
            let value = Value::from_json(kind, &value);
            First::Value(value.map_err(|fault| of_invalid(Code::IllegalValue, "/value", &fault))?)
        }
        (None, Some(content)) => First::Content(content),
        (Some(_), Some(_)) => return Err(malformed("/content", "no content beside a value")),
    };
    Ok(NewPageParts { id, kind, file, value })
}

/// The id of a page whose maker names none: the same at every retry of the command.
fn derived_id(scope: &Id, command: &Id) -> Result<Id, Problem> {
    let mut hasher = blake3::Hasher::new_derive_key(ID_DOMAIN);
    // No id holds a control character, so the line break keeps the two apart.
    hasher
        .update(scope.as_str().as_bytes())
        .update(b"\n")
        .update(command.as_str().as_bytes());
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    let uuid = Builder::from_custom_bytes(bytes).into_uuid();
    Id::new(&uuid.to_string()).map_err(|fault| Problem::new(Code::Internal, fault.to_string()))
}

fn next_link(list: &ListPages, after: &Id) -> String {
    let mut link = format!("/v1/pages?after={}&limit={}", escaped(after.as_str()), list.limit);
    if let Some(file) = &list.file {
        link.push_str(&format!("&file={}", escaped(file.as_str())));
    }
    if list.deleted {
        link.push_str("&deleted=true");
    }
    link
}
