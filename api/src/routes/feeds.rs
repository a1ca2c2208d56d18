//! `/v1/feed` and `/v1/pages/{id}/feed`: changes as they happen, by Server-Sent Events.

mod stream;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use recto_pages::Id;
use utoipa::IntoParams;

use self::stream::Feeder;
use super::PagePath;
use crate::access::{Reader, invalid, single};
use crate::params::{PageId, Params, whole};
use crate::problem::{Problem, of_read};
use crate::state::App;

const LAST_EVENT_ID: &str = "last-event-id";

/// Where to begin.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes a parameter that is read by hand")]
pub(crate) struct FeedQuery {
    /// Begin after this id; 0 begins with the first event. Without it and without Last-Event-ID the feed begins with
    /// what happens from now on.
    #[param(minimum = 0, required = false)]
    after: u64,
}

/// Where to go on.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header that is read by hand")]
pub(crate) struct FeedHeader {
    /// The id of the last event received: the feed goes on after it. It counts more than `after`.
    #[param(rename = "Last-Event-ID", minimum = 0, required = false)]
    last: u64,
}

/// Follow a page
///
/// Server-Sent Events. The id of an event is its version; its name is `page-edit`, or `agent-page-edit` where an
/// agent made it; its data is an Event. The event `caught-up`, without an id, says that everything up to `cursor`
/// was sent and what follows is live. The event `agent-image-slot`, without an id, tells of a place that is held for an
/// image: its data is a Slot. First of all, before any other event, come those that wait; a slot that is not among them
/// waits no more. The event `asset-promoted`, without an id, tells that an attachment of the workspace has become an asset
/// just now: its data is `{"attachmentId", "assetId"}`; one that was missed is found by promoting the attachment. A comment
/// comes when nothing else does.
#[utoipa::path(get, path = "/v1/pages/{id}/feed", tag = "feeds", operation_id = "followPage",
    params(PagePath, FeedQuery, FeedHeader),
    responses((status = 200, body = String, content_type = "text/event-stream", description = "Events, until the caller goes or the server stops.")))]
pub(crate) async fn page(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    follow(app, reader, Some(page), &headers, &uri).await
}

/// Follow a workspace
///
/// As the feed of a page, for all pages of the workspace. The id of an event is its position.
#[utoipa::path(get, path = "/v1/feed", tag = "feeds", operation_id = "followWorkspace", params(FeedQuery, FeedHeader),
    responses((status = 200, body = String, content_type = "text/event-stream", description = "Events, until the caller goes or the server stops.")))]
pub(crate) async fn workspace(
    State(app): State<App>,
    reader: Reader,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    follow(app, reader, None, &headers, &uri).await
}

async fn follow(
    app: App,
    reader: Reader,
    page: Option<Id>,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Response, Problem> {
    let after = Params::read(uri, &["after"])?.whole("after")?;
    let after = last_event_id(headers)?.or(after);
    let place = app.admit_subscriber()?;
    let feed = app.pages().feed(&reader.scope, page.as_ref(), after).await;
    let feed = feed.map_err(|fault| of_read(fault, page.as_ref().unwrap_or(&reader.scope)))?;
    let slots = app.slots().follow(&reader.scope, page.as_ref());
    let assets = app.assets().follow(&reader.scope);
    let frames = Feeder::new(&app, feed, slots, assets, page.is_some(), place).into_frames();
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Told to the proxies that would hold events back.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(frames)).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(text) = single(headers, LAST_EVENT_ID)?.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    whole(LAST_EVENT_ID, text)
        .map(Some)
        .map_err(|_| invalid(LAST_EVENT_ID, "it is the id of an event of this feed, a whole number"))
}
