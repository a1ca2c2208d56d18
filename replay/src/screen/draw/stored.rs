//! How the state fits what is stored: the event's digest, its inverse, the chain, the nearest snapshot.

use ratatui::style::Style;
use ratatui::text::Line;
use recto_projections::Digest;

use super::pane::Rows;
use super::status::word;
use super::theme::{BAD, DIM, STRONG};
use super::words::wrap;
use crate::screen::app::App;
use crate::screen::news::{Shown, SnapshotCheck, Verdict};

/// The characters of a digest that are told: enough that no two are taken for one.
const DIGEST_CHARS: usize = 32;

pub(super) fn rows<'a>(app: &'a App, shown: &'a Shown, width: usize) -> Rows<'a> {
    let mut lines = Vec::new();
    let mut say = |text: &str, style: Style| {
        lines.extend(wrap(text, width).into_iter().map(|line| Line::styled(line, style)));
    };
    say(&format!("version {}", shown.version), STRONG);
    say(&format!("state {}", short(shown.state.value.digest())), DIM);
    if let Some(event) = shown.found.event() {
        say(&format!("event {}", short(event.digest())), DIM);
    }
    let checks = &shown.checks;
    for (name, verdict) in [
        ("digest of the state", &checks.digest),
        ("inverse", &checks.inverse),
        ("chain of hashes", &checks.chain),
    ] {
        let (text, style) = tell(name, verdict);
        say(&text, style);
    }
    if let Some(doubt) = &shown.state.doubt {
        let told = format!("states are uncertain since {}: {}", doubt.since, doubt.reason);
        say(&told, BAD);
    }
    match &app.snapshot {
        Some(check) if check.near == app.version => of_snapshot(check, &mut say),
        _ => say("snapshot …", DIM),
    }
    say(&format!("read from {}", app.subject.opened), DIM);
    Box::new(lines.into_iter())
}

fn of_snapshot(check: &SnapshotCheck, say: &mut impl FnMut(&str, Style)) {
    let Some(at) = check.at else {
        return say("no snapshot at or before this version", DIM);
    };
    let (text, style) = tell(&format!("snapshot at {at}"), &check.verdict);
    say(&text, style);
    for words in &check.words {
        say(&format!("replay: {words}"), BAD);
    }
    say(&format!("{} snapshots in all", check.count), DIM);
}

fn tell(name: &str, verdict: &Verdict) -> (String, Style) {
    let (word, style) = word(verdict);
    let told = match verdict {
        Verdict::Fits => format!("{name} {word}"),
        Verdict::Differs(why) | Verdict::Unknown(why) => format!("{name} {word}: {why}"),
    };
    (told, style)
}

fn short(digest: Digest) -> String {
    digest.to_string().chars().take(DIGEST_CHARS).collect()
}
