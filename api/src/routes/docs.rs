//! `/openapi.json`, and `/docs` to read it: nothing is loaded from elsewhere.

use axum::response::Response;
use axum::{Extension, Router};
use bytes::Bytes;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::wire::json_response;

/// The description as text, made once.
#[derive(Clone, Debug)]
pub(crate) struct Description(pub Bytes);

/// Read this description
///
/// OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "operations", operation_id = "openapi", security(()),
    responses((status = 200, body = Object, description = "The description of this API.")))]
pub(crate) async fn openapi(Extension(Description(text)): Extension<Description>) -> Response {
    json_response(text)
}

/// The page at `/docs`.
pub(crate) fn page() -> Router {
    let config = Config::from("/openapi.json")
        .validator_url("none")
        .try_it_out_enabled(true);
    SwaggerUi::new("/docs").config(config).into()
}
