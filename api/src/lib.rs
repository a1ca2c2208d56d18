//! The page API over HTTP.
//!
//! ```text
//!   connections   sockets, their limits, a graceful end
//!       │
//!     edge        request id, host, place, time limit, log line, measure
//!       │
//!    router       paths to handlers; the description is made from the same lines
//!       │
//!    routes/      one file per resource: request, response, handlers
//!       │
//!   recto-pages   what it all means
//! ```
//!
//! Invariants:
//! - A status code is decided in one table, `problem.rs`, and nowhere else.
//! - Every refusal is `application/problem+json` with a stable code and what to do next, whoever made it.
//! - Every write names a command id, and every write to a page that exists names its base.
//! - A workspace comes from the token and from nowhere else.
//! - Nothing here touches the store or holds a rule of pages.

mod access;
mod body;
mod conditions;
mod config;
mod connections;
mod edge;
mod image_service;
mod metrics;
mod openapi;
mod params;
mod problem;
mod router;
mod routes;
mod server;
mod state;
mod telemetry;
mod unread;
mod wire;

pub use access::{DEFAULT_WORKSPACE, Role, Tokens, TokensError};
pub use config::{Config, DurabilitySetting, FloorSettings, Limits, LogFormat};
pub use image_service::BadImageService;
pub use router::{description, router};
pub use server::{ServeError, Server, StartError, serve};
pub use state::App;
pub use telemetry::LogFilterError;
