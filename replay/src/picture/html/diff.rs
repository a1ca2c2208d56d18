//! Two versions of a page side by side, with what changed.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use recto_projections::code::CodeOp;
use recto_projections::design::DesignOp;
use recto_projections::text::RichText;
use recto_projections::{CodeValue, Delta, DesignValue, Value};
use serde_json::Value as Json;

use super::design::NODES_DRAWN_MAX;
use super::{Document, lines};
use crate::picture::Heading;
use crate::picture::drawing::{Style, draw, frame_of};
use crate::picture::escape::Text;
use crate::picture::marks::{Mark, Marks};

/// Two versions, and how one leads to the other.
#[derive(Clone, Copy)]
pub(crate) struct Versions<'a> {
    pub(crate) from: (&'a Heading<'a>, &'a Value),
    pub(crate) to: (&'a Heading<'a>, &'a Value),
    pub(crate) delta: &'a Delta,
    pub(crate) words: &'a [String],
}

/// The page that shows both.
pub(crate) fn diff(versions: &Versions<'_>) -> String {
    let (from, to) = (versions.from.0, versions.to.0);
    let title = format!("{}, version {} and version {}", from.page, from.version, to.version);
    let mut body = head(versions);
    match (versions.from.1, versions.to.1, versions.delta) {
        (Value::Design(old), Value::Design(new), Delta::Design(ops)) => designs(&mut body, (from, old), (to, new), ops),
        (Value::Doc(old), Value::Doc(new), _) => lines::write(&mut body, old.text(), new.text()),
        (Value::Code(old), Value::Code(new), Delta::Code(ops)) => files(&mut body, old, new, ops),
        (Value::Sheet(old), Value::Sheet(new), _) => lines::write(&mut body, &spread(old.json()), &spread(new.json())),
        _ => {}
    }
    words(&mut body, versions.words);
    let document = Document {
        title: &title,
        style: "",
        body: &body,
        script: None,
    };
    document.to_string()
}

fn head(versions: &Versions<'_>) -> String {
    let ((from, old), (to, new)) = (versions.from, versions.to);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<header><h1>{}</h1><p>{} page, version {} → {} <span class=\"dim\">digest {} → {}</span></p></header>",
        Text(from.page),
        new.kind(),
        from.version,
        to.version,
        old.digest(),
        new.digest()
    );
    for heading in [from, to] {
        if let Some(doubt) = heading.doubt {
            let told = format!(
                "Version {} is uncertain since version {}: {}",
                heading.version, doubt.since, doubt.reason
            );
            let _ = writeln!(out, "<p class=\"doubt\">{}</p>", Text(&told));
        }
    }
    out
}

fn words(out: &mut String, words: &[String]) {
    out.push_str("<h2>What changed</h2>\n<ul class=\"words\">\n");
    for sentence in words {
        let _ = writeln!(out, "<li>{}</li>", Text(sentence));
    }
    if words.is_empty() {
        out.push_str("<li>nothing</li>\n");
    }
    out.push_str("</ul>\n");
}

fn designs(out: &mut String, old: (&Heading<'_>, &DesignValue), new: (&Heading<'_>, &DesignValue), ops: &[DesignOp]) {
    let marks = Marks::of(ops);
    out.push_str("<p class=\"legend\">");
    for mark in Mark::ALL {
        let _ = write!(
            out,
            "<span style=\"border-color:{}\">{} {}</span>",
            mark.colour(),
            marks.count(mark),
            mark.as_str()
        );
    }
    if marks.page {
        let _ = write!(
            out,
            "<span style=\"border-color:{}\">the page itself changed</span>",
            Mark::Changed.colour()
        );
    }
    out.push_str("</p>\n<div class=\"sides\">\n");
    // Both show the same part of the plane, so that what stayed is at the same place.
    let frame = frame_of(old.1, NODES_DRAWN_MAX).with(frame_of(new.1, NODES_DRAWN_MAX));
    for (prefix, (heading, page)) in [("from-", old), ("to-", new)] {
        let style = Style {
            prefix,
            nodes_max: NODES_DRAWN_MAX,
            marks: Some(&marks),
            frame: Some(frame),
            ..Style::ALONE
        };
        let _ = writeln!(
            out,
            "<figure class=\"picture\"><figcaption>Version {}</figcaption>{}</figure>",
            heading.version,
            draw(page, style)
        );
    }
    out.push_str("</div>\n");
}

fn files(out: &mut String, old: &CodeValue, new: &CodeValue, ops: &[CodeOp]) {
    let came_from = origins(new, ops);
    let empty = RichText::new();
    let mut same = 0_usize;
    for (path, text) in new.files() {
        let origin = came_from.get(&**path).copied().flatten();
        let before = origin.and_then(|origin| old.file(origin));
        let stayed = origin == Some(path);
        if stayed && before.is_some_and(|before| before.digest() == text.digest()) {
            same += 1;
            continue;
        }
        let told = match origin.filter(|_| before.is_some()) {
            None => "added".to_owned(),
            Some(origin) if !stayed => format!("was {origin}"),
            Some(_) => String::new(),
        };
        file(out, path, &told, before.unwrap_or(&empty), text);
    }
    let kept: HashSet<&str> = came_from.into_values().flatten().collect();
    for (path, text) in old.files().filter(|(path, _)| !kept.contains(&***path)) {
        file(out, path, "removed", text, &empty);
    }
    if same > 0 {
        let _ = writeln!(out, "<p class=\"dim\">Files without a change: {same}</p>");
    }
}

/// The path that each new file had before; none where it was added.
fn origins<'a>(new: &'a CodeValue, ops: &'a [CodeOp]) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut origins: BTreeMap<&str, Option<&str>> = new.files().map(|(path, _)| (&**path, Some(&**path))).collect();
    for op in ops {
        match op {
            CodeOp::AddFile { path, .. } => {
                origins.insert(path, None);
            }
            CodeOp::RenameFile { path, to } => {
                // A file may take several steps.
                let origin = origins.get(&**path).copied().unwrap_or(Some(path));
                origins.insert(to, origin);
            }
            _ => {}
        }
    }
    // Stations on the way are no files.
    origins.retain(|path, _| new.file(path).is_some());
    origins
}

fn file(out: &mut String, path: &str, told: &str, old: &RichText, new: &RichText) {
    let space = if told.is_empty() { "" } else { " " };
    let _ = writeln!(
        out,
        "<h2>{}{space}<span class=\"dim\">{}</span></h2>",
        Text(path),
        Text(told)
    );
    lines::write(out, old, new);
}

fn spread(json: &Json) -> RichText {
    RichText::from_plain(&serde_json::to_string_pretty(json).unwrap_or_default())
}
