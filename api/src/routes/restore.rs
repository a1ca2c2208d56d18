//! `/v1/pages/{id}/restore`: go back to an earlier version.

use axum::extract::State;
use axum::response::Response;
use recto_pages::RestorePage;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::undo::UndoAnswer;
use super::{ActorHeaders, BaseHeader, PagePath, TrialKeyHeader};
use crate::access::Writer;
use crate::body::{Fields, JsonText, malformed};
use crate::conditions::{BaseVersion, TrialCommandId};
use crate::params::{NoQuery, PageId};
use crate::problem::{Problem, of_write};
use crate::state::App;
use crate::wire::{PreviewBody, WrittenBody};

const VERSION: &str = "a version of the page, from 1";

/// The version to go back to.
#[derive(ToSchema)]
#[schema(as = Restore, rename_all = "camelCase", examples(json!({"version": 3}), json!({"version": 3, "dryRun": true})))]
#[expect(dead_code, reason = "it describes a body that is taken apart by hand")]
pub(crate) struct Restore {
    /// The version.
    #[schema(minimum = 1)]
    version: u64,
    /// Whether to say only what would be done. Nothing is, and no Idempotency-Key is needed.
    #[schema(required = false, default = false)]
    dry_run: bool,
}

/// Restore a version
///
/// One event, with the delta from now to then. It raises the page's epoch: writes made before it are not rebased over
/// it, and are refused with the conflict `restored_since`. It can be undone. Where the page has that value already, no
/// event is made. Assets that are gone since then are told in `warnings`, each as `asset_missing`. With `dryRun` the answer
/// tells what would be done.
#[utoipa::path(post, path = "/v1/pages/{id}/restore", tag = "undo", operation_id = "restorePage",
    params(PagePath, TrialKeyHeader, ActorHeaders, BaseHeader), request_body = Restore,
    responses((status = 200, body = UndoAnswer, description = "It was restored, now or by an earlier sending; or, with `dryRun`, what would be done.", headers(
        ("ETag" = String, description = "The version made, for the next If-Match; of a dry run, the head."),
        ("Idempotency-Replayed" = bool, description = "`true` where this is the answer to an earlier sending.")
    ))))]
pub(crate) async fn restore(
    State(app): State<App>,
    Writer(caller): Writer,
    PageId(page): PageId,
    _: NoQuery,
    command: TrialCommandId,
    BaseVersion(base): BaseVersion,
    body: JsonText,
) -> Result<Response, Problem> {
    let Asked { version, dry_run } = body.read(Asked::read).await?;
    let of = page.clone();
    let restore = |command| RestorePage {
        caller,
        page: of,
        base,
        version,
        command,
    };
    let pages = app.pages().clone();
    let refused = |refusal| of_write(refusal, &page, |_| String::new());
    if dry_run {
        let preview = pages.preview_restore(restore(command.of_trial()?)).await;
        return PreviewBody::response(preview.map_err(refused)?).await;
    }
    let restore = restore(command.required()?);
    let written = app.write(async move { pages.restore(restore).await }).await?;
    WrittenBody::response(written.map_err(refused)?).await
}

/// A body that was read.
struct Asked {
    version: u64,
    dry_run: bool,
}

impl Asked {
    fn read(json: Json) -> Result<Self, Problem> {
        let mut fields = Fields::open(json, &["version", "dryRun"])?;
        let version = fields.required("version", VERSION)?;
        let version = version.as_u64().filter(|version| *version > 0);
        Ok(Self {
            version: version.ok_or_else(|| malformed("/version", VERSION))?,
            dry_run: fields.flag("dryRun", false)?,
        })
    }
}
