//! The page service on the engine in memory: builds and runs without C++.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod create;
mod delete;
mod feed;
mod history;
mod house;
mod retry;
mod snapshots;
mod stale;
