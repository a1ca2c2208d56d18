//! Pictures: drawings by their structure and some pixels, pages of HTML by what they must and must not hold.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it passes over"
)]

mod canvases;
mod diff;
mod drawing;
mod odd;
mod pages;
mod parsed;
#[path = "../it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the story serves other tests too")]
mod support;
mod timeline;
