//! Warnings: what of a page is not told, and what of content was taken otherwise than it was written.

use utoipa::ToSchema;

/// Something that was taken otherwise than it was written, or is not shown.
#[derive(ToSchema)]
#[schema(as = Warning, rename_all = "camelCase", examples(
    json!({"code": "script_dropped", "detail": "scripts are not kept; leave them out"}),
    json!({"code": "kept", "detail": "the stored value says more than HTML can, so it was kept; change it by its own operation", "node": "hero", "property": "crop"})
))]
#[expect(dead_code, reason = "it describes JSON that is made below this crate")]
pub(crate) struct WarningBody {
    /// What is the case: a stable code.
    code: String,
    /// The same as a sentence, with what to do.
    detail: String,
    /// The node or background, by its id.
    #[schema(required = false)]
    node: String,
    /// The property, attribute or element.
    #[schema(required = false)]
    property: String,
    /// The asset that is missing, as it stands in the page.
    #[schema(required = false)]
    asset_id: String,
    /// Of a window: how many of the nodes asked for did not fit.
    #[schema(required = false, minimum = 1)]
    left_out: u64,
    /// The limit that is in the way.
    #[schema(required = false)]
    limit: u64,
}
