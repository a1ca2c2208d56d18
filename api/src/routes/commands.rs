//! `/v1/commands/{id}`: what became of a command whose answer was lost.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use recto_pages::Id;
use utoipa::IntoParams;

use crate::access::Reader;
use crate::params::{PageId, Params};
use crate::problem::{Problem, of_read};
use crate::state::App;
use crate::wire::WrittenBody;

/// Which command.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a parameter that an extractor reads")]
pub(crate) struct CommandPath {
    /// The Idempotency-Key of the request.
    #[param(min_length = 1, max_length = 128, pattern = r"^[^\x00-\x1f\x7f-\x9f]+$")]
    id: String,
}

/// On which page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes a parameter that is read by hand")]
pub(crate) struct CommandQuery {
    /// The page, where the key was used on several.
    #[param(
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]+$",
        required = false
    )]
    page: String,
}

/// Ask what became of a command
///
/// The answer that the request was given, or would have been, had it not been lost. A command that was refused
/// leaves nothing.
#[utoipa::path(get, path = "/v1/commands/{id}", tag = "commands", operation_id = "readCommand", params(CommandPath, CommandQuery),
    responses((status = 200, body = WrittenBody, description = "The answer to the command.", headers(
        ("ETag" = String, description = "The version after the command."),
        ("Idempotency-Replayed" = bool, description = "`true`.")
    ))))]
pub(crate) async fn read(
    State(app): State<App>,
    reader: Reader,
    PageId(command): PageId,
    uri: Uri,
) -> Result<Response, Problem> {
    let page: Option<Id> = Params::read(&uri, &["page"])?.id("page")?;
    let outcome = app.pages().command(&reader.scope, &command, page.as_ref()).await;
    let outcome = outcome.map_err(|fault| of_read(fault, &command))?;
    WrittenBody::response(outcome.written).await
}
