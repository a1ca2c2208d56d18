//! DOC pages: text with attributes here and there.

use serde_json::{Value as Json, json};

use super::text;

/// Every so many lines begin with a bold word.
const BOLD_EVERY: usize = 5;

/// A document of a text, with a bold word at the start of every fifth line.
#[must_use]
pub fn page(text: &str) -> Json {
    let mut ops: Vec<Json> = Vec::new();
    let mut plain = String::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if let Some((word, rest)) = line.split_once(' ').filter(|_| index.is_multiple_of(BOLD_EVERY)) {
            if !plain.is_empty() {
                ops.push(json!({ "insert": std::mem::take(&mut plain) }));
            }
            ops.push(json!({ "insert": word, "attributes": { "bold": true } }));
            plain.push(' ');
            plain.push_str(rest);
        } else {
            plain.push_str(line);
        }
    }
    ops.push(json!({ "insert": plain }));
    Json::Array(ops)
}

/// A document of about so many bytes.
#[must_use]
pub fn of_bytes(bytes: usize, seed: u64) -> Json {
    page(&text::lines(bytes, seed))
}
