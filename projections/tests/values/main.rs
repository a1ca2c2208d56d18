//! Values, deltas and diffs of all kinds: the laws, the cases, the limits, the corpora.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(
    clippy::print_stderr,
    reason = "a test says what it passes over, and what it counted"
)]

mod bad_input;
mod blame;
mod bytes;
mod canvases;
mod cases;
mod cases_order;
mod cases_tree;
mod check;
mod code_laws;
mod design_laws;
mod doc_laws;
mod grouping;
mod histories;
mod json_patch;
mod limits;
mod order_keys;
mod placement;
mod random;
mod random_steps;
mod sets_and_patches;
mod wire;
mod words;

#[path = "../support/mod.rs"]
#[expect(unreachable_pub, reason = "it is written to be shared")]
mod support;
