//! The tool as a process, on data folders made here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod beside;
mod moving;
mod reading;
mod stacks;
#[allow(
    dead_code,
    unused_imports,
    reason = "the programs beside this one use the rest of it"
)]
mod support;
