//! The tool as a process, on data folders made here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod beside;
mod reading;
mod stacks;
mod support;
