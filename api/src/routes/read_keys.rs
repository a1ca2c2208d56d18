//! `/v1/admin/read-keys/rotate`: a new key for read tokens.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::KeyHeader;
use crate::access::Admin;
use crate::conditions::CommandId;
use crate::params::NoQuery;
use crate::problem::{Problem, of_write};
use crate::state::App;
use crate::wire::{json_bytes, json_response};

/// The keys after a rotation.
#[derive(Serialize, ToSchema)]
#[schema(as = ReadKeys)]
pub(crate) struct ReadKeysBody {
    /// The number of the newest key.
    #[schema(minimum = 1)]
    number: u32,
}

/// Rotate the key of read tokens
///
/// For all workspaces. Tokens that were given before stay good until the next rotation; after that, an agent that holds
/// one is told to read its page again. A retry rotates nothing.
#[utoipa::path(post, path = "/v1/admin/read-keys/rotate", tag = "operations", operation_id = "rotateReadKeys",
    params(KeyHeader),
    responses((status = 200, body = ReadKeysBody, description = "There is a new key, now or by an earlier sending.")))]
pub(crate) async fn rotate(
    State(app): State<App>,
    Admin(scope): Admin,
    _: NoQuery,
    CommandId(command): CommandId,
) -> Result<Response, Problem> {
    let pages = app.pages().clone();
    let rotated = app.write(async move { pages.rotate_read_keys(&command).await }).await?;
    let number = rotated.map_err(|refusal| of_write(refusal, &scope, |_| String::new()))?;
    Ok(json_response(json_bytes(&ReadKeysBody { number })))
}
