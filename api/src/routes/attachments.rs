//! `/v1/attachments/{id}`: upload a file, and make it an asset.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use futures::StreamExt;
use recto_pages::{ATTACHMENT_FOLDER, AssetNews, Attached, AttachmentId};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::assets::AssetBody;
use crate::access::{Writer, single};
use crate::body::announced_bytes;
use crate::params::{Name, NoQuery, invalid};
use crate::problem::{Code, Problem, of_file};
use crate::state::App;
use crate::wire::{json_bytes, json_response, time};

/// The attachment in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct AttachmentPath {
    /// The attachment: your own name for it, without a slash.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f/]+$",
        example = "cat-1"
    )]
    id: String,
}

/// The file in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct FilePath {
    /// The attachment, or an asset, which comes back as it is.
    #[param(
        min_length = 1,
        max_length = 145,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        example = "cat-1"
    )]
    id: String,
}

/// A file that was uploaded to a chat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attachment)]
pub(crate) struct AttachmentBody {
    /// The attachment.
    #[schema(min_length = 1, max_length = 128)]
    id: String,
    /// How a model sees it.
    #[schema(max_length = 145, example = "/mnt/attachments/cat-1")]
    path: String,
    /// How many bytes it has.
    #[schema(minimum = 1)]
    size: u64,
    /// The BLAKE3 hash of its bytes.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// The media type that it was sent with.
    #[schema(required = true, max_length = 128)]
    media_type: Option<String>,
    /// When it came.
    #[schema(format = DateTime)]
    created_at: String,
}

/// What followers of a workspace are told when an attachment becomes an asset.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromotedBody<'a> {
    attachment_id: &'a str,
    asset_id: String,
}

/// Upload a file
///
/// The body is the file, of any type; what it is comes out when it is promoted. The id is the idempotency key: the same
/// bytes again are answered as before, other bytes under the same id are refused.
#[utoipa::path(put, path = "/v1/attachments/{id}", tag = "files", operation_id = "uploadAttachment",
    params(AttachmentPath),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file."),
    responses(
        (status = 201, body = AttachmentBody, description = "The file is stored."),
        (status = 200, body = AttachmentBody, description = "It was stored already."),
    ))]
pub(crate) async fn upload(
    State(app): State<App>,
    Writer(caller): Writer,
    Name(id): Name,
    _: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let attachment = AttachmentId::new(&id).map_err(|fault| invalid("id", &fault.to_string()))?;
    if single(&headers, "content-encoding")?.is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return Err(Problem::plain(Code::ContentEncoding));
    }
    check_size(&app, &headers)?;
    let declared = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let declared = declared.map(str::to_owned);
    let body = body.into_data_stream().boxed();
    let time = Duration::from_millis(app.limits().request_timeout_ms);
    let receiving = app.assets().receive(&caller.scope, &attachment, body);
    let received = tokio::time::timeout(time, receiving).await;
    let received = received
        .map_err(|_| Problem::plain(Code::RequestTimeout))?
        .map_err(of_file)?;
    let assets = app.assets().clone();
    let keeping = async move {
        assets
            .keep(&caller.scope, &attachment, declared.as_deref(), received)
            .await
    };
    let attached = app.write(keeping).await?.map_err(of_file)?;
    let mut response = json_response(json_bytes(&AttachmentBody::new(&attached)));
    if !attached.replayed {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(response)
}

/// Make an attachment an asset
///
/// Once: every call, now or later, by whomever, gets the same asset. An id that is an asset comes back as it is. Feeds
/// tell it as `asset-promoted`.
#[utoipa::path(post, path = "/v1/attachments/{id}/promote", tag = "files", operation_id = "promoteAttachment",
    params(FilePath),
    responses((status = 200, body = AssetBody, description = "The asset.")))]
pub(crate) async fn promote(
    State(app): State<App>,
    Writer(caller): Writer,
    Name(id): Name,
    _: NoQuery,
) -> Result<Response, Problem> {
    let assets = app.assets().clone();
    let promoting = async move { assets.promote_text(&caller.scope, &id).await };
    let asset = app.write(promoting).await?.map_err(of_file)?;
    Ok(json_response(json_bytes(&AssetBody::new(&asset))))
}

impl<'a> PromotedBody<'a> {
    pub(crate) fn news(news: &'a AssetNews) -> Self {
        Self {
            attachment_id: &news.attachment,
            asset_id: news.asset.to_string(),
        }
    }
}

impl AttachmentBody {
    fn new(attached: &Attached) -> Self {
        Self {
            id: attached.attachment.to_string(),
            path: format!("{ATTACHMENT_FOLDER}{}", attached.attachment),
            size: attached.size,
            hash: blake3::Hash::from_bytes(attached.hash).to_hex().to_string(),
            media_type: attached.declared.clone(),
            created_at: time(attached.created_ms),
        }
    }
}

/// Refuses what says that it is too large before it is received.
fn check_size(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let limit = app.assets().settings().file_bytes_max;
    match announced_bytes(headers) {
        Some(bytes) if bytes > limit => Err(of_file(recto_pages::FileError::TooLarge { limit })),
        _ => Ok(()),
    }
}
