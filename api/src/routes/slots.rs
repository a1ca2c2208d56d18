//! `/v1/pages/{id}/slots/{slot}`: places held for images that are still being made.

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use recto_pages::{Hold, Id, PageKey, Place, SlotNews, SlotStatus, TaskKey};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};

use super::ActorHeaders;
use crate::access::Writer;
use crate::body::{Fields, JsonText, malformed};
use crate::params::{Name, NoQuery, PageId, invalid};
use crate::problem::{Problem, of_slot};
use crate::state::App;
use crate::wire::{add_header, json_bytes, json_response};

/// The slot in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes parameters that an extractor reads")]
pub(crate) struct SlotPath {
    /// The page.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        example = "home"
    )]
    id: String,
    /// The slot: your own id for the delivery of one image, the same at every retry. It is the command id of the node
    /// that the slot becomes.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        example = "cat-in-hat-1"
    )]
    slot: String,
}

/// A place to be held.
#[derive(ToSchema)]
#[schema(as = NewSlot, rename_all = "camelCase", examples(json!({"width": 512, "height": 512, "x": 0, "y": 0})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct NewSlot {
    /// Its width in px.
    #[schema(minimum = 1, maximum = 32768)]
    width: f64,
    /// Its height in px.
    #[schema(minimum = 1, maximum = 32768)]
    height: f64,
    /// Where it would be best: the place is this one, or the next free one to the right, row by row.
    #[schema(required = false, default = 0)]
    x: f64,
    /// Where it would be best.
    #[schema(required = false, default = 0)]
    y: f64,
    /// The task whose image is placed as soon as it is there. Without one, place it yourself.
    #[schema(required = false)]
    task_key: String,
}

/// An image to be placed.
#[derive(ToSchema)]
#[schema(as = Placement, rename_all = "camelCase", examples(json!({"assetId": "/mnt/attachments/cat-1"})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct NewPlacement {
    /// The image: an asset, or an attachment, which becomes one.
    asset_id: String,
    /// Where it would be best, where the slot was lost.
    #[schema(required = false, default = 0)]
    x: f64,
    /// Where it would be best, where the slot was lost.
    #[schema(required = false, default = 0)]
    y: f64,
    /// Its width in px, where the slot was lost; else that of the image.
    #[schema(required = false)]
    width: f64,
    /// Its height in px, where the slot was lost; else that of the image.
    #[schema(required = false)]
    height: f64,
}

/// A slot: the answer to holding one, and the data of the event `agent-image-slot`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Slot)]
pub(crate) struct SlotBody {
    /// The slot.
    slot_id: String,
    /// The page; of one that was placed, the page that the image is on.
    page_id: String,
    /// Its place.
    bounds: BoundsBody,
    /// How it is.
    #[schema(value_type = SlotStatusName)]
    status: &'static str,
    /// The node, where it was placed.
    #[schema(required = true)]
    node: Option<String>,
    /// Why it failed.
    #[schema(required = true)]
    reason: Option<String>,
}

/// How a slot is.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum SlotStatusName {
    Pending,
    Placed,
    Failed,
}

/// A rectangle in px of the page.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Bounds)]
struct BoundsBody {
    /// Its left edge.
    x: f64,
    /// Its top edge.
    y: f64,
    /// Its width.
    width: f64,
    /// Its height.
    height: f64,
}

/// An image on a page.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlacedImage)]
pub(crate) struct PlacedBody {
    /// The slot.
    slot_id: String,
    /// The page that the image is on: the slot's, or the default canvas where that page was deleted.
    page_id: String,
    /// The node.
    node: String,
    /// Where it was added.
    bounds: BoundsBody,
    /// The page's version after it was added.
    #[schema(minimum = 1)]
    version: u64,
}

/// Hold a slot
///
/// Claims a place that meets no node and no other slot, and tells everybody who follows the page, by the event
/// `agent-image-slot`. It lives in memory, with a lease; the same slot again has the same place and a new lease. One that
/// was filled before is told as `placed`.
#[utoipa::path(put, path = "/v1/pages/{id}/slots/{slot}", tag = "images", operation_id = "holdSlot",
    params(SlotPath, ActorHeaders), request_body = NewSlot,
    responses((status = 200, body = SlotBody, description = "The slot.")))]
pub(crate) async fn hold(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    SlotId(slot): SlotId,
    _: NoQuery,
    body: JsonText,
) -> Result<Response, Problem> {
    let (at, size, task) = body.read(read_slot).await?;
    let hold = Hold {
        caller,
        page: page.clone(),
        slot: slot.clone(),
        at,
        size,
        task,
    };
    let slots = app.slots().clone();
    let held = app.write(async move { slots.hold(hold).await }).await?;
    let held = held.map_err(|fault| of_slot(fault, &page))?;
    let body = SlotBody {
        slot_id: slot.to_string(),
        page_id: held.page.to_string(),
        bounds: held.bounds.into(),
        status: held.status.as_str(),
        node: held.node,
        reason: None,
    };
    Ok(json_response(json_bytes(&body)))
}

/// Drop a slot
///
/// Its image will not come: everybody is told that it failed, and its place is free.
#[utoipa::path(delete, path = "/v1/pages/{id}/slots/{slot}", tag = "images", operation_id = "dropSlot", params(SlotPath),
    responses((status = 204, description = "The slot is dropped.")))]
pub(crate) async fn drop_slot(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    SlotId(slot): SlotId,
    _: NoQuery,
) -> Result<Response, Problem> {
    let (slots, key) = (app.slots().clone(), PageKey::new(caller.scope, page.clone()));
    let dropping = async move { slots.drop_slot(&key, &slot, "dropped").await };
    app.write(dropping).await?.map_err(|fault| of_slot(fault, &page))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Place an image
///
/// Adds the image as a node at the slot's place, on top; where the slot was lost, at a place that is claimed now. Where
/// the page was deleted, it goes to the default canvas of the page's file, as by `insertCanvasImage`, under the same
/// command. Once: a retry, whenever it comes, gets the first answer, also where the image was undone since; another image
/// is refused then. An image that cannot be used fails the slot.
#[utoipa::path(post, path = "/v1/pages/{id}/slots/{slot}/place", tag = "images", operation_id = "placeImage",
    params(SlotPath, ActorHeaders), request_body = NewPlacement,
    responses((status = 200, body = PlacedBody, description = "The image is a node, now or by an earlier sending.", headers(
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")))))]
pub(crate) async fn place(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    SlotId(slot): SlotId,
    _: NoQuery,
    body: JsonText,
) -> Result<Response, Problem> {
    let (given, at, size) = body.read(read_placement).await?;
    let place = Place {
        caller,
        page: page.clone(),
        slot: slot.clone(),
        image: given,
        at,
        size,
    };
    let slots = app.slots().clone();
    let placed = app.write(async move { slots.place(place).await }).await?;
    let placed = placed.map_err(|fault| of_slot(fault, &page))?;
    let body = PlacedBody {
        slot_id: slot.to_string(),
        page_id: placed.written.page.page.to_string(),
        node: placed.node,
        bounds: placed.bounds.into(),
        version: placed.written.version,
    };
    let mut response = json_response(json_bytes(&body));
    if placed.written.replayed {
        let name = axum::http::HeaderName::from_static("idempotency-replayed");
        add_header(&mut response, name, "true");
    }
    Ok(response)
}

/// The slot in the path, as an extractor.
#[derive(Clone, Debug)]
pub(crate) struct SlotId(Id);

impl<S: Send + Sync> FromRequestParts<S> for SlotId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Name(text) = Name::at("slot", parts, state).await?;
        Id::new(&text)
            .map(Self)
            .map_err(|fault| invalid("slot", &fault.to_string()))
    }
}

type Pair = (f64, f64);

fn read_slot(json: Json) -> Result<(Option<Pair>, Pair, Option<TaskKey>), Problem> {
    let mut fields = Fields::open(json, &["width", "height", "x", "y", "taskKey"])?;
    let at = place_of(&mut fields)?;
    let size = size_of(&mut fields)?.ok_or_else(|| malformed("/width", "a number"))?;
    let task = fields.text("taskKey", "the key of an image task", |text| text.parse().ok())?;
    Ok((at, size, task))
}

fn read_placement(json: Json) -> Result<(String, Option<Pair>, Option<Pair>), Problem> {
    let mut fields = Fields::open(json, &["assetId", "x", "y", "width", "height"])?;
    let given = fields.text("assetId", "an asset or an attachment", |text| Some(text.to_owned()))?;
    let given = given.ok_or_else(|| malformed("/assetId", "an asset or an attachment"))?;
    Ok((given, place_of(&mut fields)?, size_of(&mut fields)?))
}

fn place_of(fields: &mut Fields) -> Result<Option<Pair>, Problem> {
    let (x, y) = (number(fields, "x")?, number(fields, "y")?);
    Ok((x.is_some() || y.is_some()).then(|| (x.unwrap_or_default(), y.unwrap_or_default())))
}

fn size_of(fields: &mut Fields) -> Result<Option<Pair>, Problem> {
    match (number(fields, "width")?, number(fields, "height")?) {
        (None, None) => Ok(None),
        (Some(width), Some(height)) => Ok(Some((width, height))),
        (None, _) => Err(malformed("/width", "a number")),
        (_, None) => Err(malformed("/height", "a number")),
    }
}

fn number(fields: &mut Fields, name: &str) -> Result<Option<f64>, Problem> {
    let Some(given) = fields.take(name) else {
        return Ok(None);
    };
    let number = given.as_f64().filter(|number| number.is_finite());
    number
        .map(Some)
        .ok_or_else(|| malformed(&format!("/{name}"), "a number"))
}

impl From<recto_pages::SlotBounds> for BoundsBody {
    fn from(bounds: recto_pages::SlotBounds) -> Self {
        Self {
            x: bounds.x,
            y: bounds.y,
            width: bounds.width,
            height: bounds.height,
        }
    }
}

impl SlotBody {
    pub(crate) fn news(news: &SlotNews) -> Self {
        debug_assert!(news.status != SlotStatus::Placed || news.node.is_some());
        Self {
            slot_id: news.slot.to_string(),
            page_id: news.page.page.to_string(),
            bounds: news.bounds.into(),
            status: news.status.as_str(),
            node: news.node.clone(),
            reason: news.reason.clone(),
        }
    }
}
