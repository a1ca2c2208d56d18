//! What the tests of more than one crate share: a real server process, HTTP and event
//! streams, services in process, real inputs, seeds, and a naive model of every kind of page.
//!
//! Nothing here sleeps to let something happen: whoever waits polls a condition until a
//! deadline, and fails with what it waited for.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

pub mod api;
pub mod bucket;
pub mod check;
pub mod chunked;
pub mod corpora;
pub mod generate;
pub mod http;
pub mod images;
pub mod model;
pub mod png;
pub mod raw;
pub mod seed;
pub mod server;
pub mod service;
pub mod sse;
pub mod studio;
pub mod undo;
pub mod wait;

/// JSON as everywhere in the workspace: numbers keep their text, objects the order of their keys.
pub type Json = serde_json::Value;
