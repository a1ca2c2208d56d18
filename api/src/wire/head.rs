//! Where a page's stream stands, as JSON.

use recto_pages::{HeadInfo, Id};
use serde::Serialize;
use utoipa::ToSchema;

use super::{etag, event_id, time};

/// Where a page's stream stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Head)]
pub(crate) struct HeadBody {
    /// The newest version.
    #[schema(minimum = 1)]
    version: u64,
    /// How often the page was restored to an earlier version.
    epoch: u64,
    /// What `If-Match` of the next write holds.
    #[schema(example = "\"3.0\"")]
    etag: String,
    /// The newest event.
    #[schema(example = "home@3")]
    event_id: String,
    /// Its place in the feed of the workspace.
    position: u64,
    /// Its hash: it covers the page's whole history.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// When it was made.
    #[schema(format = DateTime)]
    time: String,
}

impl HeadBody {
    pub(crate) fn new(page: &Id, head: &HeadInfo) -> Self {
        Self {
            version: head.version,
            epoch: head.epoch,
            etag: etag(head.base()),
            event_id: event_id(page, head.version),
            position: head.position,
            hash: blake3::Hash::from_bytes(head.hash).to_hex().to_string(),
            time: time(head.time_ms),
        }
    }
}
