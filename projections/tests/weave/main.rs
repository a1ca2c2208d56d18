//! The weave: its laws, the cases of undo, the reference model, CODE pages, the limits.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(
    clippy::print_stderr,
    reason = "a test says what it passes over, and what it counted"
)]

mod blame;
mod bounds;
mod cases;
mod code_cases;
mod code_history;
mod code_laws;
mod code_places;
mod endings;
mod generator;
mod history;
mod laws;
mod lost;
mod model;
mod naive;
mod rewind;
mod rules;

use recto_projections::text::TextDelta;
use serde_json::Value as Json;

/// Reads a delta as Quill writes it.
fn delta(json: &Json) -> TextDelta {
    TextDelta::from_json(json, "").unwrap()
}

/// How many random histories a test goes through: multiplied by `PROPTEST_CASES`, if that is set.
fn cases(count: u64) -> u64 {
    let factor = std::env::var("PROPTEST_CASES").ok();
    count * factor.and_then(|text| text.parse().ok()).unwrap_or(1)
}
