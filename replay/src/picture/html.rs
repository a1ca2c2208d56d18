//! Pages of HTML that stand alone: nothing is loaded from elsewhere, and what a history holds is text, never markup.

mod code;
mod design;
mod diff;
mod doc;
mod lines;
mod sheet;

use std::fmt::{self, Write};

use recto_projections::Value;

pub(super) use self::diff::{Versions, diff};
use super::Heading;
use super::escape::Text;

/// What every page has.
const STYLE: &str = include_str!("html/style.css");

/// A whole page of HTML.
pub(super) struct Document<'a> {
    /// What the window is called.
    pub(super) title: &'a str,
    /// What stands beside the style that every page has.
    pub(super) style: &'a str,
    /// Markup.
    pub(super) body: &'a str,
    /// The page's own program, where it has one.
    pub(super) script: Option<&'a str>,
}

/// A text of several lines, in an element that keeps them.
pub(super) struct Lines<'a>(pub(super) &'a str);

/// A page at a version.
pub(super) fn page(heading: &Heading<'_>, value: &Value) -> String {
    let mut body = head(heading, value);
    match value {
        Value::Design(page) => design::write(&mut body, page),
        Value::Doc(page) => doc::write(&mut body, page.text()),
        Value::Code(page) => code::write(&mut body, page),
        Value::Sheet(page) => sheet::write(&mut body, page.json()),
    }
    let document = Document {
        title: &format!("{} at version {}", heading.page, heading.version),
        style: "",
        body: &body,
        script: None,
    };
    document.to_string()
}

/// What stands above a page: which one it is, at which version, and whether that can be believed.
fn head(heading: &Heading<'_>, value: &Value) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<header><h1>{}</h1><p>{} page at version {} <span class=\"dim\">digest {}</span></p></header>",
        Text(heading.page),
        value.kind(),
        heading.version,
        value.digest()
    );
    if let Some(doubt) = heading.doubt {
        let told = format!("Uncertain since version {}: {}", doubt.since, doubt.reason);
        let _ = writeln!(out, "<p class=\"doubt\">{}</p>", Text(&told));
    }
    out
}

impl fmt::Display for Document<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The page's own program is the only one that may run.
        let scripts = if self.script.is_some() {
            "; script-src 'unsafe-inline'"
        } else {
            ""
        };
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{scripts}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n{}",
            Text(self.title),
            self.style,
            self.body
        )?;
        if let Some(script) = self.script {
            writeln!(out, "<script>\n{script}</script>")?;
        }
        out.write_str("</body>\n</html>\n")
    }
}

impl fmt::Display for Lines<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.0.split('\n').enumerate() {
            let lead = if index > 0 { "\n" } else { "" };
            write!(out, "{lead}{}", Text(line))?;
        }
        Ok(())
    }
}
