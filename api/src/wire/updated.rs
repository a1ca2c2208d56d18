//! The answer to a write from a read.

use axum::response::Response;
use recto_pages::projections::Delta;
use recto_pages::projections::design::DesignOp;
use recto_pages::{EventKind, PageEvent, ReadError, Updated};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::event::change_bytes;
use super::written::{base, stamp};
use super::{EditorTypeName, KindName, RebaseBody, WarningBody, etag, json_bytes, json_response};
use crate::body::compute;
use crate::problem::{Problem, of_read};

/// What a write from a read did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Updated)]
pub(crate) struct UpdatedBody {
    /// The page.
    page_id: String,
    /// What kind of page it is.
    #[schema(value_type = KindName)]
    kind: &'static str,
    /// What the page opens in.
    #[schema(value_type = EditorTypeName)]
    editor_type: &'static str,
    /// The Idempotency-Key of the request.
    command: String,
    /// The page's version after the write.
    #[schema(minimum = 1)]
    version: u64,
    /// The page's epoch after the write.
    epoch: u64,
    /// The version as a tag, for `If-Match` of other writes.
    #[schema(example = "\"3.0\"")]
    etag: String,
    /// Whether anything changed. Where nothing did, nothing was appended, and it costs nothing.
    applied: bool,
    /// What was taken otherwise than it was written.
    #[schema(value_type = Vec<WarningBody>)]
    warnings: Vec<Json>,
    /// How many more there are.
    warnings_omitted: usize,
    /// The change as it was stored; null where nothing changed.
    #[schema(value_type = Value)]
    delta: Json,
    /// The change that takes it back; null where nothing changed.
    #[schema(value_type = Value)]
    inverse: Json,
    /// The new nodes.
    created_node_ids: Vec<String>,
    /// The nodes that are gone.
    removed_node_ids: Vec<String>,
    /// Of a stale merge: what it was brought over.
    #[schema(required = true)]
    rebase: Option<RebaseBody>,
    /// What the next write of the same page or window presents. What others changed since the read is not in it. Null
    /// where the page has to be read again.
    #[schema(required = true)]
    read_token: Option<String>,
}

impl UpdatedBody {
    fn new(updated: Updated) -> Result<Self, ReadError> {
        let Updated {
            written,
            editor,
            read_token,
        } = updated;
        let edit = written.events.iter().find(|event| is_edit(event));
        let delta = edit.map(PageEvent::delta).transpose()?.flatten();
        let inverse = edit.map(PageEvent::inverse).transpose()?.flatten();
        let nodes = |of: fn(&DesignOp) -> Option<String>| match &delta {
            Some(Delta::Design(ops)) => ops.iter().filter_map(of).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            page_id: written.page.page.to_string(),
            kind: written.kind.as_str(),
            editor_type: editor.as_str(),
            command: written.command.to_string(),
            version: written.version,
            epoch: written.epoch,
            etag: etag(base(&written)),
            applied: !written.events.is_empty(),
            warnings: written.report.warnings.listed.clone(),
            warnings_omitted: written.report.warnings.omitted,
            created_node_ids: nodes(created),
            removed_node_ids: nodes(removed),
            delta: delta.map_or(Json::Null, |delta| delta.to_json()),
            inverse: inverse.map_or(Json::Null, |inverse| inverse.to_json()),
            rebase: written.report.rebase.as_ref().map(RebaseBody::from),
            read_token,
        })
    }

    /// The answer with its tag; a retry is told by a header, so that the bodies are equal.
    pub(crate) async fn response(updated: Updated) -> Result<Response, Problem> {
        let written = &updated.written;
        let (base, replayed, page) = (base(written), written.replayed, written.page.page.clone());
        let bytes = written.events.iter().map(change_bytes).sum();
        let body = compute(bytes, move || Self::new(updated).map(|body| json_bytes(&body))).await?;
        let mut response = json_response(body.map_err(|fault| of_read(fault, &page))?);
        stamp(&mut response, base, replayed);
        Ok(response)
    }
}

/// The write's own event; the system may have made order keys short beside it.
fn is_edit(event: &PageEvent) -> bool {
    matches!(event.kind(), Ok(EventKind::Edit))
}

fn created(op: &DesignOp) -> Option<String> {
    match op {
        DesignOp::AddNode { node, .. } => Some(node.id.to_string()),
        _ => None,
    }
}

fn removed(op: &DesignOp) -> Option<String> {
    match op {
        DesignOp::RemoveNode { id } => Some(id.to_string()),
        _ => None,
    }
}
