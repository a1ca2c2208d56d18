//! `/v1/assets`: what an asset is, its bytes, and dropping those that nothing refers to.

mod range;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use headers::{ETag, HeaderMapExt, IfNoneMatch};
use recto_pages::{Asset, AssetId, Collected, ImageFormat, PageAssetState, PageAssets, UNUSED_KEPT_MS};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use self::range::{Part, wanted};
use super::PagePath;
use super::page::AtQuery;
use crate::access::{Admin, Reader};
use crate::params::{Name, PageId, Params, invalid};
use crate::problem::{Code, Problem, of_file, of_read};
use crate::state::App;
use crate::wire::{add_header, json_bytes, json_response, time};

/// The asset in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct AssetPath {
    /// The asset.
    #[param(min_length = 36, max_length = 36)]
    id: String,
}

/// What to collect.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct CollectQuery {
    /// Tell only what would be dropped.
    #[param(rename = "dryRun", default = false, required = false)]
    dry_run: bool,
    /// Leave assets that are younger than this, in seconds.
    #[param(rename = "olderThan", default = 86400, minimum = 0, required = false)]
    older_than: u64,
}

/// A file of the workspace.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Asset)]
pub(crate) struct AssetBody {
    /// The asset.
    #[schema(min_length = 36, max_length = 36)]
    asset_id: String,
    /// The attachment that it was made of; of the image of a task, `task:KEY.ATTEMPT`, which nobody can upload.
    #[schema(min_length = 1, max_length = 128)]
    attachment: String,
    /// What it is.
    #[schema(example = "image/png")]
    media_type: String,
    /// How many bytes it has.
    #[schema(minimum = 1)]
    size: u64,
    /// Its width in pixels.
    #[schema(minimum = 1)]
    width: u32,
    /// Its height in pixels.
    #[schema(minimum = 1)]
    height: u32,
    /// The BLAKE3 hash of its bytes; in double quotes it is the ETag of its content.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// Where its bytes are.
    content: String,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
}

/// What a collection did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Collection)]
pub(crate) struct CollectionBody {
    /// Whether nothing was dropped.
    dry_run: bool,
    /// How many assets there are, or were.
    assets: usize,
    /// Those that no page, no event and no task refers to.
    unused: Vec<UnusedBody>,
    /// How many bytes were or would be free.
    bytes: u64,
}

/// An asset that nothing refers to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UnusedAsset)]
struct UnusedBody {
    /// The asset.
    #[schema(min_length = 36, max_length = 36)]
    asset_id: String,
    /// How many bytes it has.
    size: u64,
    /// Whether its bytes go with it: no other asset has the same.
    last_of_content: bool,
}

/// The assets that a page refers to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageAssets)]
pub(crate) struct PageAssetsBody {
    /// The page.
    page: String,
    /// The version.
    #[schema(minimum = 1)]
    version: u64,
    /// The assets.
    assets: Vec<PageAssetBody>,
    /// The ids of those that are missing.
    missing: Vec<String>,
}

/// An asset that a page refers to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageAsset)]
struct PageAssetBody {
    /// What stands in the page: the id of an asset, or the path of an attachment.
    asset_id: String,
    /// Whether it is there: `present`, `missing`, or `pending` for an attachment that is no asset yet.
    state: &'static str,
    /// The asset; of an attachment, the one that it became.
    #[schema(required = true, min_length = 36, max_length = 36)]
    asset: Option<String>,
}

/// Read what an asset is
#[utoipa::path(get, path = "/v1/assets/{id}", tag = "files", operation_id = "readAsset", params(AssetPath),
    responses((status = 200, body = AssetBody, description = "The asset.")))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    Name(id): Name,
    uri: Uri,
) -> Result<Response, Problem> {
    Params::read(&uri, &[])?;
    let asset = find(&app, &reader, &id).await?;
    Ok(json_response(json_bytes(&AssetBody::new(&asset))))
}

/// Read an asset's bytes
///
/// They never change. A single range is answered with 206, several with all of them.
#[utoipa::path(get, path = "/v1/assets/{id}/content", tag = "files", operation_id = "readAssetContent",
    params(AssetPath,
        ("Range" = Option<String>, Header, description = "A range of bytes: `bytes=0-99`, `bytes=100-` or `bytes=-100`."),
        ("If-Range" = Option<String>, Header, description = "The ETag that the range is of; of other content all is sent."),
        ("If-None-Match" = Option<String>, Header, description = "ETags of content that you have: 304 where this is one of them.")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/octet-stream", description = "The bytes.", headers(
            ("ETag" = String, description = "The hash of the bytes."),
            ("Accept-Ranges" = String, description = "`bytes`."))),
        (status = 206, body = Vec<u8>, content_type = "application/octet-stream", description = "The part asked for.", headers(
            ("Content-Range" = String, description = "Which part of how many bytes this is."))),
        (status = 304, description = "You have these bytes."),
    ))]
pub(crate) async fn content(
    State(app): State<App>,
    reader: Reader,
    Name(id): Name,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    Params::read(&uri, &[])?;
    let asset = find(&app, &reader, &id).await?;
    let tag = format!("\"{}\"", asset.hash_text());
    if has(&headers, &tag) {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        describe(&mut response, &asset, &tag);
        return Ok(response);
    }
    let part = wanted(&headers, &tag, asset.size)?;
    let range = part.as_ref().map(Part::range);
    let bytes = app
        .assets()
        .content(&reader.scope, &asset, range)
        .await
        .map_err(of_file)?;
    let mut response = Body::from_stream(bytes).into_response();
    describe(&mut response, &asset, &tag);
    let length = part.as_ref().map_or(asset.size, Part::length);
    add_header(&mut response, header::CONTENT_LENGTH, &length.to_string());
    if let Some(part) = part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        add_header(&mut response, header::CONTENT_RANGE, &part.content_range(asset.size));
    }
    Ok(response)
}

/// Drop assets that nothing refers to
///
/// Neither a page, nor an event, nor a task. An attachment stays: promoting it again brings its asset back under the
/// same id. Needs the role admin.
#[utoipa::path(post, path = "/v1/assets/collect", tag = "files", operation_id = "collectAssets", params(CollectQuery),
    responses((status = 200, body = CollectionBody, description = "What was dropped, or would be.")))]
pub(crate) async fn collect(State(app): State<App>, Admin(scope): Admin, uri: Uri) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["dryRun", "olderThan"])?;
    let dry_run = params.flag("dryRun")?;
    let seconds = params.whole("olderThan")?;
    let kept_ms = seconds.map_or(UNUSED_KEPT_MS, |seconds| {
        i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000)
    });
    let assets = app.assets().clone();
    let collecting = async move { assets.collect(&scope, kept_ms, dry_run).await };
    let collected = app.write(collecting).await?.map_err(of_file)?;
    Ok(json_response(json_bytes(&CollectionBody::new(&collected))))
}

/// List the assets of a page
///
/// Those that are missing among them: for instance after a restore of a version whose assets were collected. A page may
/// name an attachment by its path, `/mnt/attachments/ID`, before it is an asset: it is `pending` until then, and what it
/// became is told in `asset`, for every node on every page.
#[utoipa::path(get, path = "/v1/pages/{id}/assets", tag = "files", operation_id = "listPageAssets", params(PagePath, AtQuery),
    responses((status = 200, body = PageAssetsBody, description = "The assets, by id.")))]
pub(crate) async fn of_page(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    uri: Uri,
) -> Result<Response, Problem> {
    let at = Params::read(&uri, &["at"])?.at("at")?;
    let found = app.assets().of_page(&reader.scope, &page, at).await;
    let found = found.map_err(|fault| of_read(fault, &page))?;
    Ok(json_response(json_bytes(&PageAssetsBody::new(page.as_str(), &found))))
}

async fn find(app: &App, reader: &Reader, id: &str) -> Result<Asset, Problem> {
    let asset: AssetId = id.parse().map_err(|_| invalid("id", "it is the UUID of an asset"))?;
    app.assets().asset(&reader.scope, asset).await.map_err(of_file)
}

/// Whether the caller has these bytes already.
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.typed_get::<IfNoneMatch>();
    known.is_some_and(|known| tag.parse::<ETag>().is_ok_and(|tag| !known.precondition_passes(&tag)))
}

/// The headers of content that somebody uploaded: a browser runs nothing of it and guesses nothing about it.
fn describe(response: &mut Response, asset: &Asset, tag: &str) {
    let extension = ImageFormat::of_media_type(&asset.media_type).map_or("bin", ImageFormat::extension);
    let disposition = format!("inline; filename=\"{}.{extension}\"", asset.id);
    for (name, value) in [
        (header::CONTENT_TYPE, asset.media_type.as_str()),
        (header::CONTENT_DISPOSITION, &disposition),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
        (header::ACCEPT_RANGES, "bytes"),
        (header::ETAG, tag),
    ] {
        add_header(response, name, value);
    }
}

impl AssetBody {
    pub(crate) fn new(asset: &Asset) -> Self {
        Self {
            asset_id: asset.id.to_string(),
            attachment: asset.attachment.clone(),
            media_type: asset.media_type.clone(),
            size: asset.size,
            width: asset.width,
            height: asset.height,
            hash: asset.hash_text(),
            content: format!("/v1/assets/{}/content", asset.id),
            created_at: time(asset.created_ms),
        }
    }
}

impl CollectionBody {
    fn new(collected: &Collected) -> Self {
        Self {
            dry_run: collected.dry_run,
            assets: collected.assets,
            unused: collected
                .unused
                .iter()
                .map(|unused| UnusedBody {
                    asset_id: unused.asset.id.to_string(),
                    size: unused.asset.size,
                    last_of_content: unused.last_of_content,
                })
                .collect(),
            bytes: collected.bytes,
        }
    }
}

impl PageAssetsBody {
    fn new(page: &str, found: &PageAssets) -> Self {
        let assets = found.assets.iter().map(|asset| PageAssetBody {
            asset_id: asset.id.clone(),
            state: match asset.state {
                PageAssetState::Present => "present",
                PageAssetState::Pending => "pending",
                PageAssetState::Missing => "missing",
            },
            asset: asset.asset.map(|asset| asset.to_string()),
        });
        let missing = found
            .assets
            .iter()
            .filter(|asset| asset.state == PageAssetState::Missing);
        Self {
            page: page.to_owned(),
            version: found.version,
            assets: assets.collect(),
            missing: missing.map(|asset| asset.id.clone()).collect(),
        }
    }
}

/// What a refusal of a range says.
fn unsatisfiable(size: u64) -> Problem {
    Problem::new(
        Code::RangeNotSatisfiable,
        format!("the content has {size} bytes, and none of them is in this range"),
    )
    .with("size", size)
    .header(header::CONTENT_RANGE, &format!("bytes */{size}"))
}
