//! The one place where paths meet handlers.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::edge::edge;
use crate::openapi;
use crate::problem::{Code, Problem};
use crate::routes::{commands, deltas, diff, docs, events, feeds, health, page, pages, problems};
use crate::state::App;
use crate::wire::json_bytes;

/// All routes, ready to be served.
#[must_use]
pub fn router(app: App) -> Router {
    let (router, api) = routes();
    let description = docs::Description(json_bytes(&api));
    router
        .with_state(app.clone())
        .merge(docs::page())
        .fallback(nowhere)
        .method_not_allowed_fallback(not_this_method)
        .layer(Extension(description))
        .layer(CatchPanicLayer::custom(of_panic))
        .layer(from_fn_with_state(app, edge))
}

/// The description of all routes, as served at `/openapi.json`.
#[must_use]
pub fn description() -> OpenApi {
    routes().1
}

fn routes() -> (Router<App>, OpenApi) {
    let (router, api) = OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(pages::create, pages::list))
        .routes(routes!(page::read, page::replace, page::delete))
        .routes(routes!(page::undelete))
        .routes(routes!(deltas::submit))
        .routes(routes!(events::list))
        .routes(routes!(events::read))
        .routes(routes!(diff::read))
        .routes(routes!(feeds::page))
        .routes(routes!(feeds::workspace))
        .routes(routes!(commands::read))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(problems::list))
        .routes(routes!(problems::read))
        .routes(routes!(docs::openapi))
        .split_for_parts();
    (router, openapi::with_problems(api))
}

async fn nowhere(request: Request) -> Problem {
    let path: String = request.uri().path().chars().take(128).collect();
    Problem::new(Code::RouteNotFound, format!("there is no route {path:?}"))
}

async fn not_this_method(request: Request) -> Problem {
    let method: String = request.method().as_str().chars().take(32).collect();
    Problem::new(Code::MethodNotAllowed, format!("this route does not take {method:?}"))
}

fn of_panic(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("of unknown kind"), status = %StatusCode::INTERNAL_SERVER_ERROR, "a handler panicked");
    Problem::new(Code::Internal, "a fault of the server broke this off").into_response()
}
