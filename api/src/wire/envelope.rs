//! A page as an agent reads it.

use recto_pages::{Content, Envelope};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{KindName, WarningBody, etag};

/// A page as an agent reads it: its content, how much of the page that is, how it may be written, and the token for it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Envelope)]
pub(crate) struct EnvelopeBody {
    /// The page.
    page_id: String,
    /// What kind of page it is.
    #[schema(value_type = KindName)]
    kind: &'static str,
    /// What the page opens in.
    #[schema(value_type = EditorTypeName)]
    editor_type: &'static str,
    /// The version that was read.
    #[schema(minimum = 1)]
    version: u64,
    /// How often the page had been restored to an earlier version.
    epoch: u64,
    /// The version as a tag.
    #[schema(example = "\"3.0\"")]
    etag: String,
    /// The page's newest version.
    #[schema(minimum = 1)]
    head_version: u64,
    /// `full`: the content is the whole page. `window`: it is a part of it.
    #[schema(value_type = CompletenessName)]
    completeness: &'static str,
    /// How the page may be written from this read; null where it may not.
    #[schema(required = true, value_type = Option<WriteModeName>)]
    write_mode: Option<&'static str>,
    /// What `update_page` presents; opaque. Null where there is no mode.
    #[schema(required = true)]
    read_token: Option<String>,
    /// The form of the content.
    #[schema(value_type = FormatName)]
    format: &'static str,
    /// What the page says: a string of HTML or text; of `json` the value, of a window an object with `nodes`.
    #[schema(value_type = Value)]
    content: Json,
    /// What there is to tell.
    #[schema(value_type = Vec<WarningBody>)]
    warnings: Vec<Json>,
}

/// What a page opens in.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum EditorTypeName {
    Design,
    Document,
    Page,
    Sheet,
}

/// How much of a page was read.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum CompletenessName {
    Full,
    Window,
}

/// How a page may be written.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum WriteModeName {
    Replace,
    Merge,
}

/// The form of content.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
pub(crate) enum FormatName {
    Html,
    Json,
    Text,
}

impl EnvelopeBody {
    pub(crate) fn new(envelope: Envelope) -> Self {
        let state = envelope.state;
        Self {
            page_id: state.page.page.to_string(),
            kind: state.meta.kind.as_str(),
            editor_type: envelope.editor.as_str(),
            version: state.at.version,
            epoch: state.at.epoch,
            etag: etag(state.at.base()),
            head_version: state.head_version,
            completeness: envelope.completeness.as_str(),
            write_mode: envelope.write_mode.map(|mode| mode.as_str()),
            read_token: envelope.read_token,
            format: envelope.format.as_str(),
            content: match envelope.content {
                Content::Text(text) => Json::String(text),
                Content::Json(json) => json,
            },
            warnings: envelope.warnings,
        }
    }
}
