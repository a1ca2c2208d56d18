//! The text algebra and the rich text: laws, cases, the real library's answers, real histories.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "a test that finds no corpora says so")]

mod cases;
mod diffs;
mod generators;
mod json;
mod laws;
mod model;
mod nested;
mod oracle;
mod own_tests;
mod reference;
mod rope;
mod stored;
mod support;
mod surrogates;
mod traces;
