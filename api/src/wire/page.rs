//! Pages as JSON: one with its value, and lists without.

use bytes::Bytes;
use recto_pages::{PageState, PageSummary};
use serde::Serialize;
use utoipa::ToSchema;

use super::{etag, time};

/// A page at a version.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Page)]
pub(crate) struct PageBody {
    /// The page.
    id: String,
    /// What kind of page it is, for good.
    #[schema(value_type = KindName)]
    kind: &'static str,
    /// The file that it is in.
    #[schema(required = true)]
    file: Option<String>,
    /// The version of this value.
    #[schema(minimum = 1)]
    version: u64,
    /// How often the page had been restored to an earlier version.
    epoch: u64,
    /// What `If-Match` of a write made from this value holds.
    #[schema(example = "\"3.0\"")]
    etag: String,
    /// The page's newest version.
    #[schema(minimum = 1)]
    head_version: u64,
    /// Whether the page is deleted now.
    deleted: bool,
    /// When the page was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When this version was made.
    #[schema(format = DateTime)]
    updated_at: String,
    /// The digest of the value: equal values of a kind have equal digests.
    #[schema(min_length = 64, max_length = 64)]
    digest: String,
    /// The hash of the event that made this version: it covers the page's history up to here.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
    /// The value, in the form of the page's kind.
    // The last field, and null in the envelope: `page_bytes` puts the value's own text there.
    #[schema(value_type = Value)]
    value: (),
}

/// What kind of page it is.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum KindName {
    Design,
    Doc,
    Code,
    Sheet,
}

/// A page in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageSummary)]
pub(crate) struct PageSummaryBody {
    /// The page.
    id: String,
    /// What kind of page it is.
    #[schema(value_type = KindName)]
    kind: &'static str,
    /// The file that it is in.
    #[schema(required = true)]
    file: Option<String>,
    /// The newest version.
    #[schema(minimum = 1)]
    version: u64,
    /// How often the page was restored to an earlier version.
    epoch: u64,
    /// What `If-Match` of the next write holds.
    #[schema(example = "\"3.0\"")]
    etag: String,
    /// Whether the page is deleted.
    deleted: bool,
    /// When the page was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the newest version was made.
    #[schema(format = DateTime)]
    updated_at: String,
    /// The hash of the newest event: it covers the page's whole history.
    #[schema(min_length = 64, max_length = 64)]
    hash: String,
}

/// Some pages of a workspace, in the order of their ids.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PageList)]
pub(crate) struct PageListBody {
    /// The pages.
    pub pages: Vec<PageSummaryBody>,
    /// Where to go on reading; null at the end.
    #[schema(required = true, example = "/v1/pages?after=home&limit=100")]
    pub next: Option<String>,
}

/// A page as JSON text, its value written straight into it.
pub(crate) fn page_bytes(state: &PageState) -> Bytes {
    const PLACE: &[u8] = b"null}";
    let mut bytes = serde_json::to_vec(&PageBody::envelope(state)).unwrap_or_default();
    if bytes.ends_with(PLACE) {
        bytes.truncate(bytes.len() - PLACE.len());
    }
    state.value.write_json(&mut bytes);
    bytes.push(b'}');
    bytes.into()
}

impl PageBody {
    fn envelope(state: &PageState) -> Self {
        Self {
            id: state.page.page.to_string(),
            kind: state.meta.kind.as_str(),
            file: state.meta.file.clone(),
            version: state.at.version,
            epoch: state.at.epoch,
            etag: etag(state.at.base()),
            head_version: state.head_version,
            deleted: state.deleted,
            created_at: time(state.meta.created_ms),
            updated_at: time(state.at.time_ms),
            digest: state.digest().to_string(),
            hash: blake3::Hash::from_bytes(state.at.hash).to_hex().to_string(),
            value: (),
        }
    }
}

impl PageSummaryBody {
    pub(crate) fn new(page: &PageSummary) -> Self {
        Self {
            id: page.page.page.to_string(),
            kind: page.meta.kind.as_str(),
            file: page.meta.file.clone(),
            version: page.head.version,
            epoch: page.head.epoch,
            etag: etag(page.head.base()),
            deleted: page.deleted,
            created_at: time(page.meta.created_ms),
            updated_at: time(page.head.time_ms),
            hash: blake3::Hash::from_bytes(page.head.hash).to_hex().to_string(),
        }
    }
}
