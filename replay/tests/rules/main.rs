//! Bisecting, asking why, and checking recorded runs: on data folders made here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bisect;
mod check;
mod cli;
mod delivery;
mod good;
mod probe;
mod recorded;
mod search;
#[path = "../it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with another test program")]
mod support;
mod trajectory;
mod undo;
mod why;
mod writes;
