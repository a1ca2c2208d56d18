//! A CODE page: its files with the numbers of their lines.

use std::fmt::Write;

use recto_projections::CodeValue;

use crate::picture::escape::Text;

pub(super) fn write(out: &mut String, page: &CodeValue) {
    for (path, text) in page.files() {
        let entry = if page.entry() == Some(path) {
            " <span class=\"dim\">(entry)</span>"
        } else {
            ""
        };
        let _ = writeln!(out, "<h2>{}{entry}</h2>\n<table class=\"lines\">", Text(path));
        for (line, number) in text.to_plain().lines().zip(1_u64..) {
            let _ = writeln!(out, "<tr><td class=\"n\">{number}</td><td>{}</td></tr>", Text(line));
        }
        out.push_str("</table>\n");
    }
}
