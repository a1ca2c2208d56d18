//! What an undo would do at a version: asked of the page service, on a view of the store that ends there.

use recto_pages::{Actor, Base, Entries, PageKey, Preview, UndoPage, UndoTarget};
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::history::Found;
use crate::screen::news::{Asked, Lines, Target, Tried, Would, WouldEvent};
use crate::source::Source;
use crate::trial::{Attempt, in_words};

/// The most characters of a value that are told.
const VALUE_CHARS: usize = 60;
/// The fields of a conflict that say what it is about, in the order in which they are told.
const SUBJECTS: [&str; 4] = ["node", "background", "file", "pointer"];
/// The fields of a conflict that hold values.
const VALUES: [&str; 2] = ["wanted", "now"];

/// Tries an undo at a version.
///
/// # Errors
/// [`Failure`], where the store is away. That there is nothing to undo, or that something is damaged, is in the answer.
pub async fn try_at(source: &Source, page: &PageKey, asked: &Asked, at: u64) -> Result<Tried, Failure> {
    let epoch = match source.event(page, at).await? {
        Found::Event(event) => event.event.epoch,
        Found::Damaged(damaged) => {
            let would = Err(format!("the event at {at} cannot be read: {}", damaged.reason));
            return Ok(Tried { at, would });
        }
    };
    let undo = match undo(page, asked, Base { version: at, epoch }) {
        Ok(undo) => undo,
        Err(fault) => return Ok(Tried { at, would: Err(fault) }),
    };
    let view = source.as_of(page, at).await?;
    let would = match view.pages.preview_undo(undo).await {
        Ok(preview) => Ok(told(&view, page, at, &preview).await),
        Err(refusal) => Err(refusal.to_string()),
    };
    Ok(Tried { at, would })
}

fn undo(page: &PageKey, asked: &Asked, base: Base) -> Result<UndoPage, String> {
    let actor: Actor = asked
        .actor
        .parse()
        .map_err(|fault: recto_pages::InvalidActor| fault.to_string())?;
    let attempt = Attempt {
        target: match asked.target {
            Target::Event(version) => UndoTarget::Event(version),
            Target::Undo | Target::Redo => UndoTarget::Newest { actor: None },
        },
        redo: asked.target == Target::Redo,
        policy: None,
        force: false,
    };
    attempt.undo(page, base, actor).map_err(|fault| fault.to_string())
}

async fn told(view: &Source, page: &PageKey, at: u64, preview: &Preview) -> Would {
    let read = view
        .pages
        .read(&page.scope, &page.page, recto_pages::At::Version(at))
        .await;
    let words = read.ok().map(|read| in_words(preview, read.value));
    // Where the state cannot be read, the deltas alone are told.
    let words = words.unwrap_or_else(|| vec![Vec::new(); preview.events.len()]);
    let events = preview.events.iter().zip(words).map(|(event, words)| WouldEvent {
        kind: event.kind,
        cause: event.cause,
        words,
        delta: Lines::of_delta(&event.delta),
    });
    let events: Vec<_> = events.collect();
    let report = preview.report.undo.as_ref();
    let list =
        |of: fn(&recto_pages::UndoReport) -> &Entries| report.map(|report| entries(of(report))).unwrap_or_default();
    Would {
        outcome: report.map_or_else(String::new, |report| report.outcome.as_str().to_owned()),
        of: report.map(|report| report.of.clone()).unwrap_or_default(),
        conflicts: list(|report| &report.conflicts),
        skipped: list(|report| &report.skipped),
        notes: list(|report| &report.notes),
        events,
    }
}

fn entries(entries: &Entries) -> Vec<String> {
    let mut lines: Vec<_> = entries.listed.iter().map(entry).collect();
    if entries.omitted > 0 {
        lines.push(format!("and {} more", entries.omitted));
    }
    lines
}

/// `overwritten: node title, /props/text, event 3: … (wanted "a", now "b"; since 4 by user:ben)`
fn entry(entry: &Json) -> String {
    let text = |name: &str| entry.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
    let mut about: Vec<String> = Vec::new();
    for subject in SUBJECTS {
        if let Some(text) = text(subject) {
            about.push(if subject == "pointer" {
                text.to_owned()
            } else {
                format!("{subject} {text}")
            });
        }
    }
    let values = VALUES
        .iter()
        .filter_map(|name| Some(format!("{name} {}", short(entry.get(*name)?))));
    let mut beside: Vec<String> = values.collect();
    if let Some(version) = entry.get("version").and_then(Json::as_u64) {
        let by = text("actor").map_or_else(String::new, |actor| format!(" by {actor}"));
        beside.push(format!("since {version}{by}"));
    }
    let mut line = text("code").unwrap_or("conflict").to_owned();
    if !about.is_empty() {
        line.push_str(&format!(": {}", about.join(" ")));
    }
    if !beside.is_empty() {
        line.push_str(&format!(" ({})", beside.join("; ")));
    }
    if let Some(detail) = text("detail") {
        line.push_str(&format!(": {detail}"));
    }
    line
}

fn short(value: &Json) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE_CHARS {
        return text;
    }
    let cut: String = text.chars().take(VALUE_CHARS).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_conflict_is_told_with_what_it_is_about_and_who_stands_in_the_way() {
        let full = json!({"event": 2, "code": "overwritten", "detail": "it has another value now", "node": "title",
            "pointer": "/props/text", "wanted": "a", "now": "b", "version": 4, "actor": "user:ben"});
        assert_eq!(
            entry(&full),
            r#"overwritten: node title /props/text (wanted "a"; now "b"; since 4 by user:ben): it has another value now"#
        );
        assert_eq!(
            entry(&json!({"event": 2, "code": "same", "page": true, "pointer": ""})),
            "same"
        );
        assert_eq!(short(&json!("x".repeat(VALUE_CHARS))).chars().count(), VALUE_CHARS + 1);
    }
}
