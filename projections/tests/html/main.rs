//! HTML of DESIGN and DOC pages: the laws, the cases, bad input, the corpora.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(
    clippy::print_stderr,
    reason = "a test says what it passes over, and what it counted"
)]

mod backgrounds;
mod bad_input;
mod check;
mod corpora_pages;
mod design_cases;
mod design_laws;
mod doc_laws;
mod random_design;
mod random_doc;
mod soup;

#[path = "../support/mod.rs"]
#[expect(unreachable_pub, reason = "it is written to be shared")]
mod support;
