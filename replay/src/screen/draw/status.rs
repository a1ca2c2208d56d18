//! How the state fits what is stored.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::{BAD, DIM, GOOD};
use crate::screen::app::App;
use crate::screen::news::{Shown, SnapshotCheck, Verdict};

pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let mut spans = vec![Span::raw(" ")];
    match app.shown.as_deref().filter(|_| app.is_shown()) {
        Some(shown) => spans.extend(of_state(shown)),
        None => spans.push(Span::styled(format!("reading {}…", app.version), DIM)),
    }
    spans.push(Span::styled(" · ", DIM));
    spans.push(match &app.snapshot {
        Some(check) if check.near == app.version => of_snapshot(check),
        _ => Span::styled("snapshot …", DIM),
    });
    frame.render_widget(Line::from(spans), area);
}

fn of_state(shown: &Shown) -> Vec<Span<'static>> {
    let (word, style) = word(&shown.checks.digest);
    let mut spans = vec![Span::styled(format!("digest {word}"), style)];
    if matches!(shown.checks.inverse, Verdict::Differs(_)) {
        spans.push(Span::styled(" · inverse differs", BAD));
    }
    if matches!(shown.checks.chain, Verdict::Differs(_)) {
        spans.push(Span::styled(" · chain broken", BAD));
    }
    if let Some(doubt) = &shown.state.doubt {
        spans.push(Span::styled(
            format!(" · uncertain since {}: {}", doubt.since, doubt.reason),
            BAD,
        ));
    }
    spans
}

fn of_snapshot(check: &SnapshotCheck) -> Span<'static> {
    let Some(at) = check.at else {
        return Span::styled("no snapshot before", DIM);
    };
    let (word, style) = word(&check.verdict);
    Span::styled(format!("snapshot at {at} {word}"), style)
}

/// A verdict in a word, and its colour.
pub(super) fn word(verdict: &Verdict) -> (&'static str, Style) {
    match verdict {
        Verdict::Fits => ("fits", GOOD),
        Verdict::Differs(_) => ("differs", BAD),
        Verdict::Unknown(_) => ("unknown", DIM),
    }
}
