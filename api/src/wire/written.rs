//! The answer to a write, the first time and at every retry.

use axum::http::header;
use axum::response::Response;
use recto_pages::{Base, EditorType, ReadError, Written};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::event::change_bytes;
use super::{
    EditorTypeName, EventBody, RebaseBody, UndoBody, WarningBody, add_header, etag, json_bytes, json_response, time,
};
use crate::body::compute;
use crate::problem::{Problem, of_read};

/// What a write did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Written)]
pub(crate) struct WrittenBody {
    /// The page.
    page: String,
    /// What the page opens in.
    #[schema(value_type = EditorTypeName)]
    editor_type: &'static str,
    /// What was asked for.
    #[schema(value_type = OperationName)]
    operation: &'static str,
    /// The Idempotency-Key of the request.
    command: String,
    /// The page's version after the write.
    #[schema(minimum = 1)]
    version: u64,
    /// The page's epoch after the write.
    epoch: u64,
    /// What `If-Match` of the next write holds.
    #[schema(example = "\"3.0\"")]
    etag: String,
    /// When it was carried out.
    #[schema(format = DateTime)]
    time: String,
    /// The hash of the newest event: it covers the page's whole history.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// What the acknowledgement promises.
    #[schema(value_type = DurabilityName)]
    durability: &'static str,
    /// Whether anything changed; where nothing did, there is no event.
    changed: bool,
    /// The events that the write made, with their deltas as they were stored and their inverses.
    events: Vec<EventBody>,
    /// Of an undo or a redo: what was taken back, and what not.
    #[schema(required = true)]
    undo: Option<UndoBody>,
    /// Of a stale write: what it was rebased over.
    #[schema(required = true)]
    rebase: Option<RebaseBody>,
    /// Of a restore: the version that the page went back to.
    #[schema(required = true, minimum = 1)]
    restored_from: Option<u64>,
    /// Of content: what was taken otherwise than it was written. Of a restore: the assets that are missing.
    #[schema(value_type = Vec<WarningBody>)]
    warnings: Vec<Json>,
    /// How many more there are.
    warnings_omitted: usize,
}

/// What a write asked for.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum OperationName {
    Create,
    Deltas,
    Replace,
    Delete,
    Undelete,
    Undo,
    Redo,
    Restore,
    Update,
    InsertImage,
    UpdateImage,
    Trajectory,
}

/// What an acknowledgement promises: `synced` is on disk, `relaxed` is with the operating system, `memory` is neither.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum DurabilityName {
    Synced,
    Relaxed,
    Memory,
}

impl WrittenBody {
    fn new(written: &Written) -> Result<Self, ReadError> {
        Ok(Self {
            page: written.page.page.to_string(),
            editor_type: EditorType::of(written.kind).as_str(),
            operation: written.operation.as_str(),
            command: written.command.to_string(),
            version: written.version,
            epoch: written.epoch,
            etag: etag(base(written)),
            time: time(written.time_ms),
            hash: blake3::Hash::from_bytes(written.hash).to_hex().to_string(),
            durability: written.durability.as_str(),
            changed: !written.events.is_empty(),
            events: written.events.iter().map(EventBody::new).collect::<Result<_, _>>()?,
            undo: written.report.undo.as_ref().map(UndoBody::from),
            rebase: written.report.rebase.as_ref().map(RebaseBody::from),
            restored_from: written.report.restored_from,
            warnings: written.report.warnings.listed.clone(),
            warnings_omitted: written.report.warnings.omitted,
        })
    }

    /// The answer with its tag; a retry is told by a header, so that the bodies are equal.
    pub(crate) async fn response(written: Written) -> Result<Response, Problem> {
        let (base, replayed, page) = (base(&written), written.replayed, written.page.page.clone());
        let bytes = written.events.iter().map(change_bytes).sum();
        let body = compute(bytes, move || Self::new(&written).map(|body| json_bytes(&body))).await?;
        let mut response = json_response(body.map_err(|fault| of_read(fault, &page))?);
        stamp(&mut response, base, replayed);
        Ok(response)
    }
}

/// Adds the tag of the version made, and whether this is the answer to an earlier sending.
pub(super) fn stamp(response: &mut Response, base: Base, replayed: bool) {
    add_header(response, header::ETAG, &etag(base));
    if replayed {
        add_header(
            response,
            header::HeaderName::from_static("idempotency-replayed"),
            "true",
        );
    }
}

pub(super) fn base(written: &Written) -> Base {
    Base {
        version: written.version,
        epoch: written.epoch,
    }
}
