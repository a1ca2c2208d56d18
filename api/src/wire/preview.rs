//! The answer to a dry run: what a write would do.

use axum::http::header;
use axum::response::Response;
use recto_pages::{Id, Preview, PreviewEvent};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::event::CauseBody;
use super::{EventKindName, HeadBody, UndoBody, add_header, etag, json_bytes, json_response};
use crate::body::compute;
use crate::problem::Problem;

/// What a write would do. Nothing was done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Preview)]
pub(crate) struct PreviewBody {
    /// `true`: this tells an answer of a dry run from that of a write.
    dry_run: bool,
    /// The page.
    page: String,
    /// What was asked for.
    #[schema(value_type = TrialName)]
    operation: &'static str,
    /// Where the page stands.
    head: HeadBody,
    /// The digest of the value after it.
    #[schema(min_length = 64, max_length = 64)]
    digest: String,
    /// The events that it would make, in order; none where nothing would change.
    events: Vec<PreviewEventBody>,
    /// What would be undone or redone, and what not.
    #[schema(required = true)]
    undo: Option<UndoBody>,
    /// The version that the page would go back to.
    #[schema(required = true, minimum = 1)]
    restored_from: Option<u64>,
}

/// An event that a write would make.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PreviewEvent)]
struct PreviewEventBody {
    /// What it would do.
    #[schema(value_type = EventKindName)]
    kind: &'static str,
    /// What it would answer to.
    #[schema(required = true)]
    cause: Option<CauseBody>,
    /// The change, in the form that `POST …/deltas` takes.
    #[schema(value_type = Value)]
    delta: Json,
    /// The change that takes it back.
    #[schema(value_type = Value)]
    inverse: Json,
}

/// What can be tried out.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum TrialName {
    Undo,
    Redo,
    Restore,
}

impl PreviewBody {
    fn new(preview: &Preview) -> Self {
        let page = &preview.page.page;
        Self {
            dry_run: true,
            page: page.to_string(),
            operation: preview.operation.as_str(),
            head: HeadBody::new(page, &preview.head),
            digest: preview.digest.to_string(),
            events: preview
                .events
                .iter()
                .map(|event| PreviewEventBody::new(page, event))
                .collect(),
            undo: preview.report.undo.as_ref().map(UndoBody::from),
            restored_from: preview.report.restored_from,
        }
    }

    /// The answer, with the tag of the head: it is what the next write is made from.
    pub(crate) async fn response(preview: Preview) -> Result<Response, Problem> {
        let base = preview.head.base();
        // How large the deltas are shows only when they are written.
        let bytes = compute(usize::MAX, move || json_bytes(&Self::new(&preview))).await?;
        let mut response = json_response(bytes);
        add_header(&mut response, header::ETAG, &etag(base));
        Ok(response)
    }
}

impl PreviewEventBody {
    fn new(page: &Id, event: &PreviewEvent) -> Self {
        Self {
            kind: event.kind.as_str(),
            cause: event.cause.map(|version| CauseBody::new(page, event.kind, version)),
            delta: event.delta.to_json(),
            inverse: event.inverse.to_json(),
        }
    }
}
