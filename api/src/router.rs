//! The one place where paths meet handlers.

use axum::extract::Request;
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
use crate::routes::{
    assets, attachments, blame, chats, commands, deltas, diff, docs, events, feeds, health, image_tasks, images, page,
    pages, problems, read_keys, restore, slots, tools, undo, undo_stack, update, usage,
};
use crate::state::App;
use crate::wire::json_bytes;

/// All routes, ready to be served.
pub fn router(app: App) -> Router {
    let (router, api) = routes();
    let description = docs::Description(json_bytes(&api));
    let router = router
        .with_state(app.clone())
        .merge(docs::page())
        .layer(Extension(description));
    layered(router, app)
}

/// What all requests pass, whether a route is theirs or not.
fn layered(router: Router, app: App) -> Router {
    router
        .fallback(nowhere)
        .method_not_allowed_fallback(not_this_method)
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
        .routes(routes!(update::update))
        .routes(routes!(images::insert))
        .routes(routes!(images::update))
        .routes(routes!(images::insert_canvas))
        .routes(routes!(deltas::submit))
        .routes(routes!(undo::undo))
        .routes(routes!(undo::redo))
        .routes(routes!(restore::restore))
        .routes(routes!(undo_stack::read))
        .routes(routes!(events::list))
        .routes(routes!(events::read))
        .routes(routes!(diff::read))
        .routes(routes!(blame::read))
        .routes(routes!(feeds::page))
        .routes(routes!(feeds::workspace))
        .routes(routes!(commands::read))
        .routes(routes!(tools::list))
        .routes(routes!(usage::read))
        .routes(routes!(read_keys::rotate))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(problems::list))
        .routes(routes!(problems::read))
        .routes(routes!(docs::openapi))
        .routes(routes!(attachments::upload))
        .routes(routes!(attachments::promote))
        .routes(routes!(assets::read))
        .routes(routes!(assets::content))
        .routes(routes!(assets::collect))
        .routes(routes!(assets::of_page))
        .routes(routes!(image_tasks::run))
        .routes(routes!(image_tasks::read, image_tasks::cancel))
        .routes(routes!(slots::hold, slots::drop_slot))
        .routes(routes!(slots::place))
        .routes(routes!(chats::read, chats::say))
        .routes(routes!(chats::switch))
        .routes(routes!(chats::note, chats::trajectory))
        .split_for_parts();
    (router, openapi::completed(api))
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
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    let cause = format!("a handler panicked: {}", text.unwrap_or("it does not say why"));
    Problem::new(Code::Internal, "a fault of the server broke this off")
        .because(cause)
        .into_response()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use std::sync::Arc;

    use axum::body::{Body, to_bytes};
    use axum::http::StatusCode;
    use axum::routing::get;
    use recto_pages::{Clock, Pages, Settings};
    use recto_store::{MemoryEngine, Store};
    use tower::ServiceExt;

    use super::*;
    use crate::access::Tokens;
    use crate::config::Limits;

    async fn fail() -> &'static str {
        std::panic::panic_any("on purpose")
    }

    #[tokio::test]
    async fn a_panic_is_a_problem_and_tells_nothing() {
        let store = Store::open(Arc::new(MemoryEngine::new())).await.unwrap();
        let app = App::new(
            Pages::new(store, Settings::default(), Clock::system()),
            Tokens::open(),
            Limits::default(),
        );
        let router = layered(Router::new().route("/fail", get(fail)), app);
        let response = router
            .oneshot(Request::get("/fail").body(Body::empty()).unwrap())
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(response.headers().contains_key("x-request-id"));
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(
            text.contains("\"code\":\"internal\"") && !text.contains("on purpose"),
            "{text}"
        );
    }
}
