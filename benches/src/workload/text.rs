//! Texts of any size, and edits of them.

use serde_json::{Value as Json, json};

use crate::rng::Rng;
use crate::trace::{Patch, TRACE_FILE};

const WORDS: [&str; 16] = [
    "let", "page", "of", "the", "delta", "inverse", "version", "and", "then", "fold", "a", "head", "return", "store",
    "für", "→",
];
const LINE_BYTES: usize = 72;

/// A text of about so many bytes, in lines. Some of its characters are not ASCII.
#[must_use]
pub fn lines(bytes: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::with_capacity(bytes + LINE_BYTES);
    while text.len() < bytes {
        text.push_str(&words(LINE_BYTES, &mut rng));
        text.push('\n');
    }
    text
}

/// A CODE page that holds one text.
#[must_use]
pub fn code_page(text: &str) -> Json {
    json!({ "files": { TRACE_FILE: text }, "entry": TRACE_FILE })
}

/// A keystroke somewhere in the first `length` units: one letter in, every fourth time one out.
#[must_use]
pub fn keystroke(length: usize, rng: &mut Rng) -> Patch {
    let position = rng.below(length.saturating_sub(2));
    let deletes = rng.below(4) == 0;
    Patch {
        position,
        deleted: usize::from(deletes),
        inserted: if deletes { String::new() } else { "x".to_owned() },
    }
}

/// The text with one word changed in every `lines` lines.
#[must_use]
pub fn with_changed_lines(text: &str, every: usize) -> String {
    let mut changed = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index % every == every / 2 {
            changed.push_str("changed ");
        }
        changed.push_str(line);
    }
    changed
}

/// Words of about so many bytes together.
#[must_use]
pub(super) fn words(bytes: usize, rng: &mut Rng) -> String {
    let mut text = String::with_capacity(bytes + 8);
    while text.len() < bytes {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(rng.pick(&WORDS));
    }
    text
}
