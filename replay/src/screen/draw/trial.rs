//! An undo that was tried: what it would do, and what stands in its way.

use ratatui::style::Style;
use ratatui::text::Line;

use super::pane::{Rows, listed};
use super::theme::{BAD, DIM, GOOD, STRONG};
use super::words::wrap;
use crate::screen::app::App;
use crate::screen::news::{Asked, Target, Tried, Would, WouldEvent};

const HOW: [&str; 5] = [
    "u  tries the undo of this event, here and at the newest version",
    "U  tries the newest undo of the chosen actor, here",
    "R  tries the newest redo of the chosen actor, here",
    "m  marks an event, so that u tries its undo wherever you go",
    "Nothing is ever appended.",
];

pub(super) fn rows(app: &App, width: usize) -> Rows<'_> {
    let Some(trial) = &app.trial else {
        let how = HOW.into_iter().flat_map(move |line| wrap(line, width));
        return Box::new(how.map(|line| Line::styled(line, DIM)));
    };
    let head = std::iter::once(Line::styled(asked(&trial.asked), STRONG));
    let results = trial.results.iter().flat_map(move |tried| of(tried, width));
    let waits = trial.results.len() < trial.asked.at.len();
    Box::new(head.chain(results).chain(waits.then(|| Line::styled("…", DIM))))
}

fn asked(asked: &Asked) -> String {
    let actor = &asked.actor;
    match asked.target {
        Target::Event(version) => format!("undo of event {version}, by {actor}"),
        Target::Undo => format!("the newest undo of {actor}"),
        Target::Redo => format!("the newest redo of {actor}"),
    }
}

fn of(tried: &Tried, width: usize) -> Rows<'_> {
    let at = format!("at version {}: ", tried.at);
    match &tried.would {
        Err(refusal) => wrapped(format!("{at}{refusal}"), BAD, width),
        Ok(would) => {
            let style = if would.conflicts.is_empty() { GOOD } else { BAD };
            let head = wrapped(format!("{at}{}", outcome(would)), style, width);
            let lists = [
                ("conflict", &would.conflicts, BAD),
                ("skipped", &would.skipped, DIM),
                ("note", &would.notes, DIM),
            ];
            let told = lists.into_iter().flat_map(move |(name, list, style)| {
                list.iter()
                    .flat_map(move |line| wrapped(format!("{name} {line}"), style, width))
            });
            let events = would.events.iter().flat_map(move |event| appended(event, width));
            Box::new(head.chain(told).chain(events))
        }
    }
}

fn outcome(would: &Would) -> String {
    let of: Vec<_> = would.of.iter().map(u64::to_string).collect();
    let conflicts = match would.conflicts.len() {
        0 => String::new(),
        1 => ", 1 conflict".to_owned(),
        many => format!(", {many} conflicts"),
    };
    let of = of.join(", ");
    let taken = match would.outcome.as_str() {
        "noop" => format!("takes nothing of {of} back"),
        "partial" => format!("takes {of} back in part"),
        _ => format!("takes {of} back"),
    };
    format!("{}, {taken}{conflicts}", would.outcome)
}

fn appended(event: &WouldEvent, width: usize) -> Rows<'_> {
    let cause = event.cause.map_or_else(String::new, |cause| format!(" of {cause}"));
    let head = std::iter::once(Line::styled(
        format!("would append {}{cause}", event.kind.as_str()),
        STRONG,
    ));
    let words = event
        .words
        .iter()
        .flat_map(move |words| wrapped(words.clone(), Style::new(), width));
    Box::new(head.chain(words).chain(listed(&event.delta)))
}

fn wrapped<'a>(text: String, style: Style, width: usize) -> Rows<'a> {
    Box::new(
        wrap(&text, width)
            .into_iter()
            .map(move |line| Line::styled(line, style)),
    )
}
