//! The timeline as markup.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::ops::RangeInclusive;

use recto_projections::Kind;

use super::entry::Entry;
use crate::picture::escape::Text;
use crate::picture::html::Document;

const STYLE: &str = include_str!("timeline.css");
const SCRIPT: &str = include_str!("timeline.js");
/// The colours of actors, in the order in which they come up.
const COLOURS: [&str; 10] = [
    "#0969da", "#cf222e", "#1a7f37", "#8250df", "#bc4c00", "#0b7285", "#bf3989", "#6f5b00", "#4d5aa8", "#57606a",
];
const DAMAGED_COLOUR: &str = "#8c959f";
/// The most actors that have a filter of their own.
const ACTORS_MAX: usize = 50;

/// The events that are told.
#[derive(Default)]
pub(super) struct Told {
    /// In the order in which they are told.
    pub(super) entries: Vec<Entry>,
    /// How many versions were not gone over, once enough events were told.
    pub(super) left_out: u64,
    /// Whether that was for their size.
    pub(super) is_full: bool,
}

/// The page.
pub(super) struct Timeline<'a> {
    pub(super) page: &'a str,
    pub(super) kind: Kind,
    pub(super) versions: RangeInclusive<u64>,
    pub(super) told: &'a Told,
    /// What narrows the events down, in words.
    pub(super) filters: &'a [String],
}

impl fmt::Display for Timeline<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actors = self.actors();
        let body = self.body(&actors);
        let document = Document {
            title: &format!("The history of {}", self.page),
            style: STYLE,
            body: &body,
            script: Some(SCRIPT),
        };
        document.fmt(out)
    }
}

impl Timeline<'_> {
    /// The actors with their numbers, in the order in which they come up.
    fn actors(&self) -> Vec<(&str, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut actors = Vec::new();
        for actor in self.told.entries.iter().filter_map(|entry| entry.actor.as_deref()) {
            let count = counts.entry(actor).or_default();
            *count += 1;
            if *count == 1 {
                actors.push(actor);
            }
        }
        actors.into_iter().map(|actor| (actor, counts[actor])).collect()
    }

    fn body(&self, actors: &[(&str, usize)]) -> String {
        let mut out = String::new();
        let (first, last) = (self.versions.start(), self.versions.end());
        let _ = writeln!(
            out,
            "<header><h1>{}</h1><p>{} page, versions {first} to {last}: {}</p></header>",
            Text(self.page),
            self.kind,
            Text(&self.summary())
        );
        controls(&mut out, actors);
        let numbers: HashMap<&str, usize> = actors
            .iter()
            .zip(0..)
            .map(|((actor, _), number)| (*actor, number))
            .collect();
        out.push_str("<ol class=\"timeline\">\n");
        for entry in &self.told.entries {
            let number = entry.actor.as_deref().and_then(|actor| numbers.get(actor)).copied();
            event(&mut out, entry, number);
        }
        out.push_str("</ol>\n");
        if self.told.entries.is_empty() {
            out.push_str("<p class=\"dim\">There are no such events.</p>\n");
        }
        out
    }

    fn summary(&self) -> String {
        let count = self.told.entries.len();
        let events = if count == 1 {
            "1 event".to_owned()
        } else {
            format!("{count} events")
        };
        let mut told = format!("{events} {}", self.filters.join(" and "));
        if self.told.left_out > 0 {
            let why = if self.told.is_full {
                "to keep it small"
            } else {
                "by the limit"
            };
            told = format!(
                "{}; {} more versions are left out {why}",
                told.trim_end(),
                self.told.left_out
            );
        }
        told.trim_end().to_owned()
    }
}

fn colour(number: Option<usize>) -> &'static str {
    number.map_or(DAMAGED_COLOUR, |number| COLOURS[number % COLOURS.len()])
}

fn controls(out: &mut String, actors: &[(&str, usize)]) {
    out.push_str("<form class=\"controls\"><input type=\"search\" id=\"words\" placeholder=\"Search words\" autocomplete=\"off\">\n");
    for (number, (actor, count)) in actors.iter().enumerate().take(ACTORS_MAX) {
        let _ = writeln!(
            out,
            "<label style=\"--actor:{}\"><input type=\"checkbox\" checked value=\"{number}\">{} <span class=\"dim\">{count}</span></label>",
            colour(Some(number)),
            Text(actor)
        );
    }
    out.push_str("<output id=\"shown\" class=\"dim\"></output></form>\n");
}

fn event(out: &mut String, entry: &Entry, number: Option<usize>) {
    let class = if entry.undone_by.is_some() {
        " class=\"undone\""
    } else {
        ""
    };
    let number_text = number.map_or_else(String::new, |number| number.to_string());
    let _ = write!(
        out,
        "<li id=\"v{v}\"{class} data-version=\"{v}\" data-kind=\"{}\" data-actor=\"{number_text}\" style=\"--actor:{}\">\
         <div class=\"event\"><p class=\"head\"><a href=\"#v{v}\">{v}</a>",
        entry.kind,
        colour(number),
        v = entry.version,
    );
    let _ = write!(
        out,
        " <b>{}</b>",
        Text(entry.actor.as_deref().unwrap_or("nobody known"))
    );
    if entry.kind != "edit" {
        let _ = write!(out, " <span class=\"kind\">{}</span>", entry.kind);
    }
    if let Some(turn) = &entry.turn {
        let _ = write!(out, " <span class=\"dim\">turn {}</span>", Text(turn));
    }
    if let Some(time) = &entry.time {
        let shown = time.replace('T', " ");
        let _ = write!(
            out,
            " <time datetime=\"{}\">{}</time>",
            Text(time),
            Text(shown.trim_end_matches('Z'))
        );
    }
    if let Some(cause) = entry.cause {
        let _ = write!(out, " <a class=\"cause\" href=\"#v{cause}\">← {cause}</a>");
    }
    if let Some(by) = entry.undone_by {
        let _ = write!(out, " <a class=\"cause\" href=\"#v{by}\">undone by {by}</a>");
    }
    out.push_str("</p>");
    if let Some(doubt) = &entry.doubt {
        let _ = write!(out, "<p class=\"doubt\">{}</p>", Text(doubt));
    }
    out.push_str("<ul class=\"words\">");
    for words in &entry.words {
        let _ = write!(out, "<li>{}</li>", Text(words));
    }
    out.push_str("</ul></div>");
    if let Some(picture) = &entry.picture {
        let _ = write!(out, "<div class=\"picture\">{picture}</div>");
    }
    out.push_str("</li>\n");
}
