//! A SHEET page: its JSON, spread out.

use std::fmt::Write;

use serde_json::Value as Json;

use super::Lines;

pub(super) fn write(out: &mut String, json: &Json) {
    let text = serde_json::to_string_pretty(json).unwrap_or_default();
    let _ = writeln!(out, "<pre>{}</pre>", Lines(&text));
}
