//! What stood in a command's way, and what was decided: in words and as JSON.

use recto_pages::{Entries, RebaseReport, Report, UndoReport};
use serde_json::{Value as Json, json};

/// A sentence for each thing there is to tell.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(undo) = &report.undo {
        lines.push(format!("it was to take back {}", versions(&undo.of)));
        add(&mut lines, "in the way", &undo.conflicts);
        add(&mut lines, "passed over", &undo.skipped);
        add(&mut lines, "decided", &undo.notes);
    }
    if let Some(rebase) = &report.rebase {
        lines.push(format!(
            "it was made from version {}, and brought over {} to version {}",
            rebase.base,
            match rebase.over - rebase.base.min(rebase.over) {
                1 => "one later event".to_owned(),
                count => format!("{count} later events"),
            },
            rebase.over
        ));
        add(&mut lines, "there already", &rebase.dropped);
        add(&mut lines, "decided", &rebase.notes);
    }
    if let Some(version) = report.restored_from {
        lines.push(format!("it went back to version {version}"));
    }
    lines
}

/// In the form of the API.
pub(super) fn undo_json(undo: &UndoReport) -> Json {
    json!({
        "outcome": undo.outcome.as_str(),
        "of": undo.of,
        "conflicts": undo.conflicts.listed,
        "conflictsOmitted": undo.conflicts.omitted,
        "skipped": undo.skipped.listed,
        "skippedOmitted": undo.skipped.omitted,
        "notes": undo.notes.listed,
        "notesOmitted": undo.notes.omitted,
    })
}

/// In the form of the API.
pub(super) fn rebase_json(rebase: &RebaseReport) -> Json {
    json!({
        "base": rebase.base,
        "over": rebase.over,
        "dropped": rebase.dropped.listed,
        "droppedOmitted": rebase.dropped.omitted,
        "notes": rebase.notes.listed,
        "notesOmitted": rebase.notes.omitted,
    })
}

fn add(lines: &mut Vec<String>, title: &str, entries: &Entries) {
    lines.extend(
        entries
            .listed
            .iter()
            .map(|entry| format!("{title}: {}", sentence(entry))),
    );
    if entries.omitted > 0 {
        lines.push(format!(
            "{title}: {} more that did not fit into the receipt",
            entries.omitted
        ));
    }
}

/// An entry of a report in words: what it is about, what it is, who is in the way.
fn sentence(entry: &Json) -> String {
    let text = |field: &str| entry.get(field).and_then(Json::as_str);
    let number = |field: &str| entry.get(field).and_then(Json::as_u64);
    let code = text("code").unwrap_or_default();
    let mut words = match subject(entry) {
        Some(subject) => format!("{subject}: {}", text("detail").unwrap_or_else(|| meaning(code))),
        None => text("detail").unwrap_or_else(|| meaning(code)).to_owned(),
    };
    if let Some(events) = entry.get("events").and_then(Json::as_array) {
        let events: Vec<u64> = events.iter().filter_map(Json::as_u64).collect();
        words = format!("{}: {words}", versions(&events));
    }
    if let Some(event) = number("event") {
        words = format!("of event {event}, {words}");
    }
    if let Some(count) = number("count") {
        words.push_str(&format!(" ({count} of them)"));
    }
    if let Some(version) = number("version") {
        let by = text("actor").map_or_else(String::new, |actor| format!(" by {actor}"));
        words.push_str(&format!(" (version {version}{by})"));
    }
    for (field, name) in [("wanted", "wanted"), ("now", "there is"), ("lost", "gave way")] {
        if let Some(value) = entry.get(field) {
            words.push_str(&format!("; {name} {}", short(value)));
        }
    }
    words
}

fn subject(entry: &Json) -> Option<String> {
    let named = |field: &str| {
        entry
            .get(field)
            .and_then(Json::as_str)
            .map(|name| format!("{field} {name:?}"))
    };
    let whole = |field: &str, words: &str| entry.get(field).map(|_| words.to_owned());
    let subject = named("node")
        .or_else(|| named("background"))
        .or_else(|| named("file"))
        .or_else(|| whole("attributes", "the page's attributes"))
        .or_else(|| whole("entry", "the entry"))
        .or_else(|| whole("page", "the page"))?;
    Some(match entry.get("pointer").and_then(Json::as_str) {
        Some(pointer) if !pointer.is_empty() => format!("{pointer} of {subject}"),
        _ => subject,
    })
}

/// What a code without a detail of its own means.
fn meaning(code: &str) -> &str {
    match code {
        "removed" => "it was removed since; an undo of a field does not bring it back",
        "already_removed" => "it is removed already",
        "already_there" => "it is there again already",
        "reparented" => "its parent is gone, so it came back under the nearest that is left",
        "restored" => "as asked, it was set back over what others set since",
        "forced" => "as forced, what others did to it since went along",
        "took_over" => "as asked, this write's value stands",
        "gave_way" => "as asked, the value that was there stands",
        "placed_beside" => "what it was to stand beside is gone, so it went beside the nearest that is left",
        "renamed" => "the file was renamed since, and its new path was used",
        "newline_kept" => "the last newline was kept",
        "no_effect" => "taking it back would have changed nothing",
        "left" => "left for another undo: there were too many for one",
        "" => "it was so already",
        other => other,
    }
}

fn versions(all: &[u64]) -> String {
    match all {
        [] => "nothing".to_owned(),
        [version] => format!("event {version}"),
        [versions @ .., last] => {
            let versions: Vec<_> = versions.iter().map(u64::to_string).collect();
            format!("events {} and {last}", versions.join(", "))
        }
    }
}

/// The characters of a value that are shown.
const VALUE_CHARS: usize = 60;

fn short(value: &Json) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(VALUE_CHARS).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{short}{cut}")
}
