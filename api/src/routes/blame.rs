//! `/v1/pages/{id}/blame`: who last wrote what.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use bytes::Bytes;
use recto_pages::projections::text::weave::EditId;
use recto_pages::{BlameOf, Found, PageBlame, PageEvent, ReadError};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};

use super::{Moment, PagePath};
use crate::access::Reader;
use crate::body::compute;
use crate::params::{PageId, Params, invalid};
use crate::problem::{Problem, of_read};
use crate::state::App;
use crate::wire::{CauseBody, EventKindName, json_bytes, json_response, time};

/// What is asked about.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes parameters that are read by hand")]
pub(crate) struct BlameQuery {
    /// DESIGN: the properties of this node. Without it: each node, each background, and the attributes.
    #[param(required = false, example = "title")]
    node: String,
    /// CODE: the text of this file.
    #[param(required = false, example = "index.html")]
    file: String,
    /// A version, or a time in RFC 3339. Without it, the newest.
    #[param(required = false, inline, example = 3)]
    at: Moment,
}

/// Who last wrote what.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Blame)]
pub(crate) struct BlameBody {
    /// The page.
    page: String,
    /// The version it is about.
    #[schema(minimum = 1)]
    version: u64,
    /// The oldest version that was looked at: what is older is told as null.
    #[schema(minimum = 1)]
    since: u64,
    /// DESIGN: by field, or by thing.
    #[schema(required = true)]
    fields: Option<Vec<FieldBlameBody>>,
    /// DOC and CODE: by stretch of text, without a gap.
    #[schema(required = true)]
    runs: Option<Vec<RunBlameBody>>,
    /// DOC and CODE: by line.
    #[schema(required = true)]
    lines: Option<Vec<LineBlameBody>>,
    /// The events that are named, rising.
    events: Vec<BlamedEventBody>,
}

/// The event that last wrote a field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldBlame)]
struct FieldBlameBody {
    /// What has the field: an object with `node`, `background` or `attributes`.
    #[schema(value_type = Value)]
    of: Json,
    /// The field as a JSON pointer; empty for the whole.
    #[schema(example = "/props/text")]
    pointer: String,
    /// The version that the event made; null where it is older than `since`.
    #[schema(required = true)]
    version: Option<u64>,
}

/// The events that last wrote a stretch of text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunBlame)]
struct RunBlameBody {
    /// Where it begins, in UTF-16 units.
    at: usize,
    /// How many units it has.
    #[schema(minimum = 1)]
    length: usize,
    /// The version of the event that typed it; null where it is older than `since`.
    #[schema(required = true)]
    version: Option<u64>,
    /// The version of the newest event that formatted it since.
    #[schema(required = true)]
    formatted: Option<u64>,
}

/// The newest event with a letter in a line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LineBlame)]
struct LineBlameBody {
    /// The line, from 1.
    #[schema(minimum = 1)]
    line: usize,
    /// The version that the event made; null where all of it is older than `since`.
    #[schema(required = true)]
    version: Option<u64>,
}

/// An event that wrote something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BlamedEvent)]
struct BlamedEventBody {
    /// The version that it made.
    #[schema(minimum = 1)]
    version: u64,
    /// What it did.
    #[schema(value_type = EventKindName)]
    kind: &'static str,
    /// Who made it.
    #[schema(example = "user:ada")]
    actor: String,
    /// The turn that it belongs to.
    #[schema(required = true)]
    turn: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    time: String,
    /// What it answers to: an undo is blamed for what it puts back, and names the event that it took back.
    #[schema(required = true)]
    cause: Option<CauseBody>,
}

/// Tell who last wrote what
///
/// DESIGN: for each property of a node, or each thing on the page. DOC and CODE: for each stretch of the text, and each
/// line; text that an undo brought back keeps the event that typed it. It looks back as far as undo reaches.
#[utoipa::path(get, path = "/v1/pages/{id}/blame", tag = "history", operation_id = "blamePage",
    params(PagePath, BlameQuery),
    responses((status = 200, body = BlameBody, description = "The events that wrote what is there.")))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageId(page): PageId,
    uri: Uri,
) -> Result<Response, Problem> {
    let params = Params::read(&uri, &["node", "file", "at"])?;
    let of = match (params.text("node"), params.text("file")) {
        (None, None) => BlameOf::Page,
        (Some(node), None) => BlameOf::Node(node.to_owned()),
        (None, Some(file)) => BlameOf::File(file.to_owned()),
        (Some(_), Some(_)) => return Err(invalid("file", "it does not go together with `node`")),
    };
    let blame = app.pages().blame(&reader.scope, &page, params.at("at")?, of).await;
    let blame = blame.map_err(|fault| of_read(fault, &page))?;
    let body = compute(usize::MAX, move || bytes(&blame)).await?;
    Ok(json_response(body.map_err(|fault| of_read(fault, &page))?))
}

fn bytes(blame: &PageBlame) -> Result<Bytes, ReadError> {
    let (mut fields, mut runs, mut by_line) = (None, None, None);
    match &blame.found {
        Found::Fields(found) => {
            let field = |field: &recto_pages::projections::blame::Blamed| FieldBlameBody {
                of: field.subject.to_json(),
                pointer: field.pointer.clone(),
                version: field.version,
            };
            fields = Some(found.iter().map(field).collect());
        }
        Found::Text { runs: found, lines } => {
            let mut at = 0;
            let run = |run: &recto_pages::projections::text::weave::BlamedRun| {
                at += run.units;
                RunBlameBody {
                    at: at - run.units,
                    length: run.units,
                    version: run.event.map(|EditId(version)| version),
                    formatted: run.format.map(|EditId(version)| version),
                }
            };
            runs = Some(found.iter().map(run).collect());
            let line = |line: &recto_pages::projections::blame::LineBlame| LineBlameBody {
                line: line.line,
                version: line.event.map(|EditId(version)| version),
            };
            by_line = Some(lines.iter().map(line).collect());
        }
    }
    Ok(json_bytes(&BlameBody {
        page: blame.page.page.to_string(),
        version: blame.version,
        since: blame.since,
        fields,
        runs,
        lines: by_line,
        events: blame.events.iter().map(event).collect::<Result<_, _>>()?,
    }))
}

fn event(event: &PageEvent) -> Result<BlamedEventBody, ReadError> {
    Ok(BlamedEventBody {
        version: event.version(),
        kind: event.kind()?.as_str(),
        actor: event.event.actor.clone(),
        turn: event.event.turn.clone(),
        time: time(event.event.time_ms),
        cause: CauseBody::of(event),
    })
}
