//! `/v1/pages/{id}`: read, replace, delete and undelete one page.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use recto_pages::{Base, Caller, Id, ReplaceValue, SetDeleted};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};

use super::envelope::{self, EnvelopeQuery, PARAMETERS};
use super::{ActorHeaders, BaseHeader, KeyHeader, Moment, PagePath};
use crate::access::{Reader, Writer};
use crate::body::{Fields, JsonText, compute};
use crate::conditions::{BaseVersion, CommandId, is_known};
use crate::params::{NoQuery, PageId, Params};
use crate::problem::{Problem, of_read, of_write};
use crate::state::App;
use crate::wire::{EnvelopeBody, PageBody, WrittenBody, add_header, etag, json_response, page_bytes};

/// A whole value to be put in place of the page's.
#[derive(ToSchema)]
#[schema(as = Replacement, examples(json!({"value": [{"insert": "Hello, world\n"}]})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct Replacement {
    /// The value, in the form of the page's kind.
    #[schema(value_type = Value)]
    value: Json,
}

/// Which state of the page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes a parameter that is read by hand")]
pub(crate) struct AtQuery {
    /// A version, or a time in RFC 3339: then the newest version that was made at or before it. Without it, the newest.
    #[param(required = false, inline, example = 3)]
    at: Moment,
}

/// Read a page
///
/// The page with its value, at its newest version or at an earlier version or time. HEAD answers the same without the body.
///
/// With `format`, `viewport` or `nodes` the answer is the envelope that an agent reads: the content as HTML, JSON or text,
/// how much of the page that is, how it may be written, and the `readToken` that `update_page` presents. Of a whiteboard,
/// and of a DESIGN page whose HTML is longer than 200,000 characters, a part is read.
#[utoipa::path(get, path = "/v1/pages/{id}", tag = "pages", operation_id = "readPage",
    params(PagePath, AtQuery, EnvelopeQuery, ("If-None-Match" = Option<String>, Header, description = "ETags of versions that you have: 304 where this is one of them.")),
    responses(
        (status = 200, body = PageAnswer, description = "The page, or its envelope.", headers(
            ("ETag" = String, description = "The version, for If-Match of the next write."))),
        (status = 304, description = "You have this version.", headers(
            ("ETag" = String, description = "The version."))),
    ))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["at", PARAMETERS[0], PARAMETERS[1], PARAMETERS[2]])?;
    let at = params.at("at")?;
    if let Some(asked) = envelope::asked(&params)? {
        return envelope::respond(&app, reader.scope, page, at, asked).await;
    }
    let state = app
        .pages()
        .read(&reader.scope, &page, at)
        .await
        .map_err(|fault| of_read(fault, &page))?;
    let base = state.at.base();
    let mut response = if is_known(&headers, base) {
        (StatusCode::NOT_MODIFIED, [(header::CACHE_CONTROL, "private, no-cache")]).into_response()
    } else {
        json_response(compute(state.value.weight(), move || page_bytes(&state)).await?)
    };
    add_header(&mut response, header::ETAG, &etag(base));
    Ok(response)
}

/// A page.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes an answer that is one of two")]
pub(crate) enum PageAnswer {
    /// The page as it is stored.
    Page(PageBody),
    /// With `format`, `viewport` or `nodes`, as an agent reads it.
    Envelope(EnvelopeBody),
}

/// Replace a page's value
///
/// What is stored is the fine delta that leads from the old value to the new one. An equal value changes nothing.
#[utoipa::path(put, path = "/v1/pages/{id}", tag = "pages", operation_id = "replacePage",
    params(PagePath, KeyHeader, ActorHeaders, BaseHeader), request_body = Replacement,
    responses((status = 200, body = WrittenBody, description = "The value was replaced, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn replace(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    BaseVersion(base): BaseVersion,
    body: JsonText,
) -> Result<Response, Problem> {
    let value = body
        .read(|json| Fields::open(json, &["value"])?.required("value", "a value of the page's kind"))
        .await?;
    let replace = ReplaceValue {
        caller,
        page: page.clone(),
        base,
        value,
        command,
    };
    let pages = app.pages().clone();
    let written = app.write(async move { pages.replace(replace).await }).await?;
    let written = written.map_err(|refusal| of_write(refusal, &page, |_| "/value".to_owned()))?;
    WrittenBody::response(written).await
}

/// Delete a page
///
/// The page is hidden. Its history stays, and so does its id.
#[utoipa::path(delete, path = "/v1/pages/{id}", tag = "pages", operation_id = "deletePage",
    params(PagePath, KeyHeader, ActorHeaders, BaseHeader),
    responses((status = 200, body = WrittenBody, description = "The page is deleted, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn delete(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    BaseVersion(base): BaseVersion,
) -> Result<Response, Problem> {
    set_deleted(&app, caller, page, command, base, true).await
}

/// Bring a deleted page back
#[utoipa::path(post, path = "/v1/pages/{id}/undelete", tag = "pages", operation_id = "undeletePage",
    params(PagePath, KeyHeader, ActorHeaders, BaseHeader),
    responses((status = 200, body = WrittenBody, description = "The page is back, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn undelete(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    BaseVersion(base): BaseVersion,
) -> Result<Response, Problem> {
    set_deleted(&app, caller, page, command, base, false).await
}

async fn set_deleted(
    app: &App,
    caller: Caller,
    page: Id,
    command: Id,
    base: Base,
    deleted: bool,
) -> Result<Response, Problem> {
    let set = SetDeleted {
        caller,
        page: page.clone(),
        base,
        deleted,
        command,
    };
    let pages = app.pages().clone();
    let written = app.write(async move { pages.set_deleted(set).await }).await?;
    let written = written.map_err(|refusal| of_write(refusal, &page, |_| String::new()))?;
    WrittenBody::response(written).await
}
