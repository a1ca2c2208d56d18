//! `/v1/pages/{id}/events`: a page's history.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use recto_pages::EventRange;
use utoipa::IntoParams;

use super::PagePath;
use crate::access::Reader;
use crate::body::compute;
use crate::params::{NoQuery, PageId, PageVersion, Params, invalid};
use crate::problem::{Problem, of_read};
use crate::state::App;
use crate::wire::{EventBody, EventPage, change_bytes, json_bytes, json_response, list_response, page_path};

/// Which events.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct EventsQuery {
    /// Rising: only events after this version; 0 begins at the first.
    #[param(minimum = 0, required = false)]
    after: u64,
    /// Falling: only events before this version. Not together with `after`.
    #[param(minimum = 0, required = false)]
    before: u64,
    /// The most events. An answer may hold fewer, where they are large.
    #[param(minimum = 1, maximum = 1000, default = 100, required = false)]
    limit: u32,
    /// `asc` from the first on, `desc` from the newest back. Without it: `desc` with `before`, else `asc`.
    #[param(inline, required = false)]
    order: Order,
}

/// Rising or falling versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum Order {
    /// From old to new.
    Asc,
    /// From new to old.
    Desc,
}

/// Read a page's history
///
/// Events with delta and inverse, in either direction. `next` and the header `Link` lead on.
#[utoipa::path(get, path = "/v1/pages/{id}/events", tag = "history", operation_id = "listEvents", params(PagePath, EventsQuery),
    responses((status = 200, body = EventPage, description = "Events of the page.", headers(
        ("Link" = String, description = "The next part of the list, with rel=\"next\".")
    ))))]
pub(crate) async fn list(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    uri: Uri,
) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["after", "before", "limit", "order"])?;
    let limit = params.limit(app.limits().list_max)?;
    let range = range(&params, limit)?;
    let found = app.pages().events(&reader.scope, &page, range).await;
    let (events, next) = found.map_err(|fault| of_read(fault, &page))?;
    let side = if matches!(range, EventRange::After { .. }) {
        "after"
    } else {
        "before"
    };
    let next = next.map(|from| format!("{}/events?{side}={from}&limit={limit}", page_path(&page)));
    let (id, link) = (page.to_string(), next.clone());
    let bytes = compute(events.iter().map(change_bytes).sum(), move || {
        let events = events.iter().map(EventBody::new).collect::<Result<_, _>>()?;
        Ok(json_bytes(&EventPage { page: id, events, next }))
    });
    let bytes = bytes.await?.map_err(|fault| of_read(fault, &page))?;
    Ok(list_response(bytes, link.as_deref()))
}

/// Read one event
#[utoipa::path(get, path = "/v1/pages/{id}/events/{version}", tag = "history", operation_id = "readEvent",
    params(PagePath, ("version" = u64, Path, minimum = 1, description = "The version that the event made.")),
    responses((status = 200, body = EventBody, description = "The event.")))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageVersion(page, version): PageVersion,
    _: NoQuery,
) -> Result<Response, Problem> {
    let event = app
        .pages()
        .event(&reader.scope, &page, version)
        .await
        .map_err(|fault| of_read(fault, &page))?;
    let bytes = compute(change_bytes(&event), move || {
        EventBody::new(&event).map(|body| json_bytes(&body))
    });
    Ok(json_response(bytes.await?.map_err(|fault| of_read(fault, &page))?))
}

fn range(params: &Params, limit: usize) -> Result<EventRange, Problem> {
    let (after, before) = (params.whole("after")?, params.whole("before")?);
    let order = match params.text("order") {
        None => None,
        Some("asc") => Some(Order::Asc),
        Some("desc") => Some(Order::Desc),
        Some(_) => return Err(invalid("order", "it is asc or desc")),
    };
    match (order, after, before) {
        (None | Some(Order::Asc), after, None) => Ok(EventRange::After {
            version: after.unwrap_or(0),
            limit,
        }),
        (None | Some(Order::Desc), None, before) => Ok(EventRange::Before {
            version: before.unwrap_or(u64::MAX),
            limit,
        }),
        (_, Some(_), Some(_)) => Err(invalid("before", "it does not go together with `after`")),
        (Some(Order::Asc), None, Some(_)) => Err(invalid("before", "it goes with the order desc")),
        (Some(Order::Desc), Some(_), _) => Err(invalid("after", "it goes with the order asc")),
    }
}
