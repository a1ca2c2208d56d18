//! `recto why`: what became of a command.

mod damage;
mod report;

use recto_pages::projections::undo::Outcome;
use recto_pages::{Operation, PageEvent, ReadError, Written};
use recto_projections::words::counted;
use recto_store::Id;
use serde_json::{Value as Json, json};

use crate::args::Why;
use crate::failure::{Code, Failure};
use crate::history::Found;
use crate::out::{BAD, DIM, GOOD, NAME, Out, STRONG, VERSION, time, time_full};
use crate::source::Source;
use crate::states::{States, step};
use crate::telling;

/// The characters of a chat's entry that are shown.
const ENTRY_SHOWN: usize = 200;

/// An event of the command, with its words.
struct Told {
    found: Found,
    words: Vec<String>,
}

pub(super) async fn run(source: &Source, asked: &Why, out: &mut Out) -> Result<Code, Failure> {
    match source
        .pages
        .command(&source.scope, &asked.command, asked.page.as_ref())
        .await
    {
        Ok(outcome) => tell(source, &outcome.written, out).await,
        Err(ReadError::Corrupt { what, .. }) => damage::tell(source, asked, &what, out).await,
        Err(ReadError::CommandNotFound { command }) => Err(not_found(source, asked, &command)),
        Err(ReadError::CommandAmbiguous { command, pages }) => Err(Failure::Usage(format!(
            "command {command} is recorded for {} pages; name one of them with --page: {}",
            pages.len(),
            pages.join(", ")
        ))),
        Err(fault) => Err(fault.into()),
    }
}

fn not_found(source: &Source, asked: &Why, command: &Id) -> Failure {
    let place = match &asked.page {
        Some(page) => format!("for page {page} of workspace {}", source.scope),
        None => format!("in workspace {}", source.scope),
    };
    Failure::NotFound(format!(
        "nothing is recorded of command {command} {place}: it was never sent here, or it was refused. \
         A refusal leaves nothing behind, and sending the command again with the same id does no harm. \
         The server tells refusals in its log at the level debug (RECTO_LOG=recto_api=debug), \
         in the line with command={command}"
    ))
}

async fn tell(source: &Source, written: &Written, out: &mut Out) -> Result<Code, Failure> {
    let events = events(source, written).await?;
    if out.json {
        out.json(&json(written, &events))?;
    } else {
        in_words(written, &events, out)?;
    }
    let undo = written.report.undo.as_ref();
    let is_partial = undo.is_some_and(|undo| undo.outcome == Outcome::Partial || !undo.conflicts.listed.is_empty());
    Ok(if is_partial { Code::Found } else { Code::Ok })
}

/// The events of the command, with their words: each changed the state that the one before it left.
async fn events(source: &Source, written: &Written) -> Result<Vec<Told>, Failure> {
    let Some(first) = written.events.first() else {
        return Ok(Vec::new());
    };
    if written.operation == Operation::Trajectory {
        return Ok(written.events.iter().map(noted).collect());
    }
    let mut states = States::of(source, &written.page).await?;
    let mut state = states.at(first.version() - 1).await?;
    let mut told = Vec::new();
    for event in &written.events {
        let found = Found::Event(event.clone());
        let words = telling::words(&found, &state.value);
        step(&mut state, &found);
        told.push(Told { found, words });
    }
    Ok(told)
}

/// An event of a chat: it changes no state.
fn noted(event: &PageEvent) -> Told {
    let entry: String = String::from_utf8_lossy(&event.event.delta)
        .chars()
        .take(ENTRY_SHOWN)
        .collect();
    Told {
        found: Found::Event(event.clone()),
        words: vec![format!("noted {entry}")],
    }
}

fn json(written: &Written, events: &[Told]) -> Json {
    let events: Vec<_> = events
        .iter()
        .map(|told| telling::json(&told.found, &told.words))
        .collect();
    let report = &written.report;
    json!({
        "command": written.command.as_str(),
        "page": written.page.page.as_str(),
        "operation": written.operation.as_str(),
        "outcome": outcome(written),
        "version": written.version,
        "epoch": written.epoch,
        "time": time_full(written.time_ms),
        "durability": written.durability.as_str(),
        "hash": telling::hash(written.hash),
        "changed": !events.is_empty(),
        "events": events,
        "undo": report.undo.as_ref().map(report::undo_json),
        "rebase": report.rebase.as_ref().map(report::rebase_json),
        "restoredFrom": report.restored_from,
    })
}

/// How it ended: `applied`, `partial` or `noop`.
fn outcome(written: &Written) -> &'static str {
    match &written.report.undo {
        Some(undo) => undo.outcome.as_str(),
        None if written.events.is_empty() => Outcome::Noop.as_str(),
        None => Outcome::Applied.as_str(),
    }
}

fn in_words(written: &Written, events: &[Told], out: &mut Out) -> Result<(), Failure> {
    let command = out.paint(STRONG, format_args!("command {}", written.command));
    let page = out.paint(NAME, &written.page.page);
    let style = match outcome(written) {
        "applied" => GOOD,
        "partial" => BAD,
        _ => DIM,
    };
    let outcome = out.paint(style, outcome_words(written));
    out.line(format_args!("{command} on page {page}: {outcome}"))?;
    let at = format!(
        "{}, {}; the page was then at version {}, epoch {}",
        time(written.time_ms),
        written.durability.as_str(),
        written.version,
        written.epoch
    );
    out.line(out.paint(DIM, at))?;
    for told in events {
        out.line(event_head(told, out))?;
        for words in &told.words {
            out.line(format_args!("    {words}"))?;
        }
    }
    for line in report::lines(&written.report) {
        out.line(line)?;
    }
    let retry =
        "A retry with the same id gets this answer, and changes nothing; how often it was sent is not recorded.";
    out.line(out.paint(DIM, retry))?;
    Ok(())
}

fn outcome_words(written: &Written) -> String {
    let asked = match written.operation {
        Operation::Create => "make the page",
        Operation::Deltas => "apply deltas",
        Operation::Replace => "replace the value",
        Operation::Delete => "delete the page",
        Operation::Undelete => "bring the page back",
        Operation::Undo => "undo",
        Operation::Redo => "redo",
        Operation::Restore => "restore a version",
        Operation::Update => "update the page, as an agent's tool",
        Operation::InsertImage => "put an image on the page",
        Operation::UpdateImage => "change an image",
        Operation::Trajectory => "note what an agent did in a chat",
    };
    let done = match (outcome(written), written.events.len()) {
        ("noop", 0) => "nothing was to be changed".to_owned(),
        ("noop", count) => format!("nothing changed, remembered in {}", counted(count, "event")),
        ("partial", count) => format!("done in part, in {}", counted(count, "event")),
        (_, count) => format!("done, in {}", counted(count, "event")),
    };
    format!("{asked}: {done}")
}

fn event_head(told: &Told, out: &Out) -> String {
    let version = out.paint(VERSION, told.found.version());
    match told.found.event() {
        Some(page_event) => {
            let event = &page_event.event;
            let turn = event
                .turn
                .as_ref()
                .map_or_else(String::new, |turn| format!("  turn {turn}"));
            format!("{version}  {}{turn}", out.paint(NAME, &event.actor))
        }
        None => format!("{version}  {}", out.paint(BAD, "damaged")),
    }
}
