//! The interactive replay: its screens as text, its keys, its jumps; and once in a real terminal.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod damage;
mod desk;
mod jumps;
mod keys;
mod screens;
#[path = "../it/support/story.rs"]
#[allow(dead_code, reason = "the story is told to the tests of the other commands too")]
mod story;
mod terminal;
