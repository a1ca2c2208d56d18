//! `/v1/pages/{id}/images` and `/v1/images`: deliver an image, change an image.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use recto_pages::{Bounds, Id, ImageChange, InsertCanvasImage, InsertImage, UpdateImage, WriteError, Written};
use serde_json::{Map, Value as Json};
use utoipa::{IntoParams, ToSchema};

use super::{ActorHeaders, BaseHeader, KeyHeader, PagePath};
use crate::access::Writer;
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::{BaseVersion, CommandId};
use crate::params::{NoQuery, PageId, PageNode};
use crate::problem::{Problem, of_file, of_write};
use crate::state::App;
use crate::wire::{WrittenBody, add_header, page_path};

/// The longest side, and the farthest edge, that a delivered image can have, in px.
const SIDE_MAX: f64 = 10_000_000.0;
const BOUNDS: &str = "an object with width and height above 0, and x and y, in px; both of each pair or none";
const CHANGED: [&str; 5] = ["x", "y", "width", "height", "rotation"];

/// An image to be added to a page.
#[derive(ToSchema)]
#[schema(as = NewImage, rename_all = "camelCase", examples(
    json!({"assetId": "a-1"}),
    json!({"assetId": "a-1", "nodeId": "hero", "bounds": {"x": 40, "y": 40, "width": 640, "height": 480}})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct NewImage {
    /// The asset that it shows: its id, or an attachment, which becomes one.
    #[schema(min_length = 1, max_length = 145)]
    asset_id: String,
    /// The id of the node. Without one it is made from the Idempotency-Key, the same at every retry.
    #[schema(min_length = 1, max_length = 128, required = false)]
    node_id: String,
    /// Where it lies. Without `x` and `y` a free place is claimed; without a size it is 512 px wide and high.
    #[schema(required = false)]
    bounds: NewBounds,
}

/// An image to be added to a page that is not named.
#[derive(ToSchema)]
#[schema(as = NewCanvasImage, rename_all = "camelCase", examples(
    json!({"assetId": "a-1", "file": "menu"}),
    json!({"assetId": "a-1", "relatedPage": "home", "bounds": {"width": 640, "height": 480}})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct NewCanvasImage {
    /// The asset that it shows: its id, or an attachment, which becomes one.
    #[schema(min_length = 1, max_length = 145)]
    asset_id: String,
    /// The page that the image belongs to; it counts where it is a DESIGN page that is not deleted.
    #[schema(min_length = 1, max_length = 128, required = false)]
    related_page: String,
    /// The file of the design tool: else the image goes to its default canvas, which is made where there is none.
    #[schema(min_length = 1, max_length = 128, required = false)]
    file: String,
    /// The id of the node. Without one it is made from the Idempotency-Key, the same at every retry.
    #[schema(min_length = 1, max_length = 128, required = false)]
    node_id: String,
    /// Where it lies. Without `x` and `y` a free place is claimed; without a size it is 512 px wide and high.
    #[schema(required = false)]
    bounds: NewBounds,
}

/// Where an image lies, in px of the page.
#[derive(ToSchema)]
#[schema(as = ImageBounds)]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
struct NewBounds {
    /// The left edge; with `y`, or not at all.
    #[schema(required = false)]
    x: f64,
    /// The top edge.
    #[schema(required = false)]
    y: f64,
    /// The width; with `height`, or not at all.
    #[schema(required = false, exclusive_minimum = 0)]
    width: f64,
    /// The height.
    #[schema(required = false, exclusive_minimum = 0)]
    height: f64,
}

/// What becomes otherwise of an image.
#[derive(ToSchema)]
#[schema(as = ImageUpdate, rename_all = "camelCase", min_properties = 1, examples(
    json!({"geometry": {"x": 80, "rotation": 5}, "props": {"opacity": 0.5, "alt": null}}),
    json!({"assetId": "a-2", "replaceAsset": true})
))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct ImageUpdate {
    /// Fields of the geometry: `x`, `y`, `width`, `height`, `rotation`.
    #[schema(value_type = Value, required = false)]
    geometry: Json,
    /// Properties by name; null takes one away.
    #[schema(value_type = Value, required = false)]
    props: Json,
    /// Another asset, or an attachment, which becomes one; only with `replaceAsset`.
    #[schema(min_length = 1, max_length = 145, required = false)]
    asset_id: String,
    /// Whether the asset shall be replaced.
    #[schema(required = false, default = false)]
    replace_asset: bool,
}

/// The node in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct NodePath {
    /// The image node.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        example = "hero"
    )]
    node: String,
}

/// Deliver an image to a page
///
/// Adds exactly one node on top of the page, and never changes another: a new version of an image is a node of its own.
/// It needs no `If-Match`. It is billed as `edit`. What a slot under the same id became here is the answer too: an image is
/// delivered once, whichever way it comes.
#[utoipa::path(post, path = "/v1/pages/{id}/images", tag = "agents", operation_id = "insertImage",
    params(PagePath, KeyHeader, ActorHeaders), request_body = NewImage,
    responses((status = 201, body = WrittenBody, description = "The image is on the page, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Location" = String, description = "The path of the page."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn insert(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    CommandId(command): CommandId,
    body: JsonText,
) -> Result<Response, Problem> {
    let Delivered {
        asset, node, bounds, ..
    } = body.read(|json| read_delivered(json, false)).await?;
    let (pages, assets, on) = (app.pages().clone(), app.assets().clone(), page.clone());
    let inserting = async move {
        let asset = assets.named(&caller.scope, &asset).await.map_err(of_file)?;
        let insert = InsertImage {
            caller,
            page: on,
            asset,
            node,
            bounds,
            command,
        };
        Ok(pages.insert_image(insert).await)
    };
    created(app.write(inserting).await??, &page).await
}

/// Deliver an image
///
/// As to a page that is named. It goes to the related page, else to the default canvas of the file, else to a new
/// canvas, made once a turn however many images ask for it at once.
#[utoipa::path(post, path = "/v1/images", tag = "agents", operation_id = "insertCanvasImage",
    params(KeyHeader, ActorHeaders), request_body = NewCanvasImage,
    responses((status = 201, body = WrittenBody, description = "The image is on the page, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Location" = String, description = "The path of the page."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn insert_canvas(
    State(app): State<App>,
    Writer(caller): Writer,
    _: NoQuery,
    CommandId(command): CommandId,
    body: JsonText,
) -> Result<Response, Problem> {
    let delivered = body.read(|json| read_delivered(json, true)).await?;
    let scope = caller.scope.clone();
    let (pages, assets) = (app.pages().clone(), app.assets().clone());
    let inserting = async move {
        let asset = assets.named(&caller.scope, &delivered.asset).await.map_err(of_file)?;
        let insert = InsertCanvasImage {
            caller,
            related: delivered.related,
            file: delivered.file,
            asset,
            node: delivered.node,
            bounds: delivered.bounds,
            instead_of: None,
            command,
        };
        Ok(pages.insert_canvas_image(insert).await)
    };
    created(app.write(inserting).await??, &scope).await
}

/// Change an image
///
/// Moves, resizes or restyles it. Another asset is refused unless `replaceAsset` says that it shall be replaced. A stale
/// change is brought to the head where nothing stands in its way. It is billed as `edit`.
#[utoipa::path(patch, path = "/v1/pages/{id}/images/{node}", tag = "agents", operation_id = "updateImage",
    params(PagePath, NodePath, KeyHeader, ActorHeaders, BaseHeader), request_body = ImageUpdate,
    responses((status = 200, body = WrittenBody, description = "It was changed, now or by an earlier sending.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn update(
    State(app): State<App>,
    Writer(caller): Writer,
    PageNode(page, node): PageNode,
    _: NoQuery,
    CommandId(command): CommandId,
    BaseVersion(base): BaseVersion,
    body: JsonText,
) -> Result<Response, Problem> {
    let (mut change, given) = body.read(read_change).await?;
    let (pages, assets, on) = (app.pages().clone(), app.assets().clone(), page.clone());
    let updating = async move {
        if let Some(given) = given {
            change.asset = Some(assets.named(&caller.scope, &given).await.map_err(of_file)?);
        }
        let update = UpdateImage {
            caller,
            page: on,
            node,
            base,
            change,
            command,
        };
        Ok(pages.update_image(update).await)
    };
    let written: Result<Written, WriteError> = app.write(updating).await??;
    WrittenBody::response(written.map_err(|refusal| of_write(refusal, &page, |_| String::new()))?).await
}

async fn created(written: Result<Written, WriteError>, page: &Id) -> Result<Response, Problem> {
    let written = written.map_err(|refusal| of_write(refusal, page, |_| String::new()))?;
    let path = page_path(&written.page.page);
    let mut response = WrittenBody::response(written).await?;
    *response.status_mut() = StatusCode::CREATED;
    add_header(&mut response, header::LOCATION, &path);
    Ok(response)
}

struct Delivered {
    /// As it was given.
    asset: String,
    node: Option<Id>,
    bounds: Bounds,
    related: Option<Id>,
    file: Option<Id>,
}

fn read_delivered(json: Json, anywhere: bool) -> Result<Delivered, Problem> {
    let known = ["assetId", "nodeId", "bounds", "relatedPage", "file"];
    let mut fields = Fields::open(json, if anywhere { &known } else { &known[..3] })?;
    Ok(Delivered {
        asset: fields
            .file("assetId")?
            .ok_or_else(|| malformed("/assetId", "an asset or an attachment"))?,
        node: fields.id("nodeId")?,
        bounds: read_bounds(fields.take("bounds"))?,
        related: fields.id("relatedPage")?,
        file: fields.id("file")?,
    })
}

fn read_bounds(given: Option<Json>) -> Result<Bounds, Problem> {
    let wrong = || malformed("/bounds", BOUNDS);
    let map = match given {
        None => return Ok(Bounds::default()),
        Some(Json::Object(map)) => map,
        Some(_) => return Err(wrong()),
    };
    if map.keys().any(|name| !CHANGED[..4].contains(&name.as_str())) {
        return Err(wrong());
    }
    let pair = |one: &str, other: &str, least: f64| match (map.get(one), map.get(other)) {
        (None, None) => Ok(None),
        (Some(one), Some(other)) => {
            let number = |json: &Json| json.as_f64().filter(|side| (least..=SIDE_MAX).contains(side));
            number(one).zip(number(other)).map(Some).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    };
    Ok(Bounds {
        place: pair("x", "y", -SIDE_MAX)?,
        size: pair("width", "height", f64::MIN_POSITIVE)?,
    })
}

/// What becomes otherwise, and another asset as it was given.
fn read_change(json: Json) -> Result<(ImageChange, Option<String>), Problem> {
    let mut fields = Fields::open(json, &["geometry", "props", "assetId", "replaceAsset"])?;
    let mut object = |name: &str| match fields.take(name) {
        None => Ok(Map::new()),
        Some(Json::Object(map)) => Ok(map),
        Some(_) => Err(malformed(&format!("/{name}"), "an object")),
    };
    let (geometry, props) = (object("geometry")?, object("props")?);
    for (name, side) in &geometry {
        let pointer = format!("/geometry/{name}");
        if !CHANGED.contains(&name.as_str()) {
            return Err(malformed(&pointer, "no field of this name"));
        }
        if !side.is_number() {
            return Err(malformed(&pointer, "a number"));
        }
    }
    let given = fields.file("assetId")?;
    let change = ImageChange {
        geometry,
        props,
        asset: None,
        replace_asset: fields.flag("replaceAsset", false)?,
    };
    Ok((change, given))
}
