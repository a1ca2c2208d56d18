//! `/v1/pages/{id}/diff`: what lies between two states.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use bytes::Bytes;
use recto_pages::{Id, PageDiff};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};

use super::{Moment, PagePath};
use crate::access::Reader;
use crate::body::compute;
use crate::params::{PageId, Params, invalid};
use crate::problem::{Problem, of_read};
use crate::state::App;
use crate::wire::{KindName, json_bytes, json_response};

/// Which two states.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct DiffQuery {
    /// The state it starts from: a version, or a time in RFC 3339.
    #[param(inline, example = 1)]
    from: Moment,
    /// The state it leads to, perhaps an older one. Without it, the newest.
    #[param(required = false, inline, example = 3)]
    to: Moment,
}

/// The fine delta from one state to another.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Diff)]
pub(crate) struct DiffBody {
    /// The page.
    page: String,
    /// What kind of page it is.
    #[schema(value_type = KindName)]
    kind: &'static str,
    /// The version it starts from.
    from: u64,
    /// The version it leads to.
    to: u64,
    /// The digest of the value it starts from.
    #[schema(min_length = 64, max_length = 64)]
    from_digest: String,
    /// The digest of the value it leads to.
    #[schema(min_length = 64, max_length = 64)]
    to_digest: String,
    /// Whether the two values are equal: then the delta is empty.
    equal: bool,
    /// The delta, in the form that `POST …/deltas` takes.
    #[schema(value_type = Value)]
    delta: Json,
    /// The same in words, a sentence for each thing that changed; of very many the first ones.
    #[schema(example = json!(["moved \"Title\" into \"Group 2\"", "+12 −3 characters in main.rs"]))]
    words: Vec<String>,
}

/// Compare two versions of a page
#[utoipa::path(get, path = "/v1/pages/{id}/diff", tag = "history", operation_id = "diffPage", params(PagePath, DiffQuery),
    responses((status = 200, body = DiffBody, description = "The delta that leads from the one to the other.")))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    uri: Uri,
) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["from", "to"])?;
    if params.text("from").is_none() {
        return Err(invalid("from", "it is missing"));
    }
    let (from, to) = (params.at("from")?, params.at("to")?);
    let diff = app
        .pages()
        .diff(&reader.scope, &page, from, to)
        .await
        .map_err(|fault| of_read(fault, &page))?;
    // How large a delta is shows only when it is written.
    let bytes = compute(usize::MAX, move || diff_bytes(&page, &diff)).await?;
    Ok(json_response(bytes))
}

fn diff_bytes(page: &Id, diff: &PageDiff) -> Bytes {
    json_bytes(&DiffBody {
        page: page.to_string(),
        kind: diff.delta.kind().as_str(),
        from: diff.from,
        to: diff.to,
        from_digest: diff.from_digest.to_string(),
        to_digest: diff.to_digest.to_string(),
        equal: diff.delta.is_empty(),
        delta: diff.delta.to_json(),
        words: diff.words.clone(),
    })
}
