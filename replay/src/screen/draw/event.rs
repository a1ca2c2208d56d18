//! The event that is looked at, in full.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use recto_pages::{EventKind, PageEvent};

use super::theme::{BAD, DIM, NAME, VERSION};
use super::words::cut;
use crate::history::Found;
use crate::out::time;
use crate::screen::app::App;
use crate::screen::news::Row;

/// The characters of a digest that are told.
const DIGEST_CHARS: usize = 8;
/// The lines above the words.
const HEAD_LINES: usize = 2;

pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if area.is_empty() {
        return;
    }
    let lines = match app.rows.get(&app.version) {
        Some(row) => tell(app, row, area),
        None => vec![Line::styled("…", DIM)],
    };
    frame.render_widget(Paragraph::new(lines), area);
}

fn tell(app: &App, row: &Row, area: Rect) -> Vec<Line<'static>> {
    let mut lines = match &row.found {
        Found::Event(event) => vec![who(event), what(app, event)],
        Found::Damaged(damaged) => vec![
            Line::styled(format!("{} damaged", damaged.version), BAD),
            Line::styled(damaged.reason.clone(), BAD),
        ],
    };
    let room = usize::from(area.height) - HEAD_LINES.min(usize::from(area.height));
    let columns = usize::from(area.width);
    let more = row.words.len().saturating_sub(room);
    // The last line counts the rest, where there is one.
    let told = if more > 0 { room.saturating_sub(1) } else { room };
    lines.extend(row.words.iter().take(told).map(|words| Line::from(cut(words, columns))));
    if more > 0 {
        lines.push(Line::styled(format!("and {} more", more + 1), DIM));
    }
    lines
}

fn who(event: &PageEvent) -> Line<'static> {
    let stored = &event.event;
    let turn = stored
        .turn
        .as_ref()
        .map_or_else(String::new, |turn| format!("  turn {turn}"));
    Line::from(vec![
        Span::styled(stored.version.to_string(), VERSION),
        Span::raw(format!("  {}  ", time(stored.time_ms))),
        Span::styled(stored.actor.clone(), NAME),
        Span::raw(turn),
    ])
}

fn what(app: &App, event: &PageEvent) -> Line<'static> {
    let kind = event.kind().map_or("unknown", EventKind::as_str);
    let mut parts = vec![kind.to_owned()];
    if let Some(cause) = event.cause() {
        parts[0] = format!("{kind} of {cause}");
    }
    if let Some(by) = app.undone_by(event.version()) {
        parts.push(format!("undone by {by}"));
    }
    let digest: String = event.digest().to_string().chars().take(DIGEST_CHARS).collect();
    parts.push(format!("command {}", event.event.command));
    parts.push(format!("digest {digest}"));
    Line::styled(parts.join(" · "), DIM)
}
