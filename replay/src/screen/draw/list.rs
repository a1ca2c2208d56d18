//! The list of events, a line each.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use recto_pages::{EventKind, PageEvent};

use super::theme::{BAD, CHOSEN, DIM, NAME, UNDONE, VERSION};
use super::words::cut;
use crate::history::Found;
use crate::out::time;
use crate::screen::app::App;
use crate::screen::news::Row;

/// From this width on the time of day is told.
const WITH_TIME: u16 = 44;
/// The characters of an actor and a turn.
const ACTOR_COLUMNS: usize = 16;
const TURN_COLUMNS: usize = 8;

pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    for (y, version) in (area.top()..area.bottom()).zip(app.seen()) {
        let line = Rect::new(area.x, y, area.width, 1);
        let text = Rect::new(area.x, y, area.width - 1, 1);
        let is_chosen = version == app.version;
        let told = match app.rows.get(&version) {
            Some(row) => tell(app, row, area.width),
            None => Line::from(vec![number(app, version), Span::styled(" …", DIM)]),
        };
        let sign = if is_chosen {
            "▸"
        } else if app.mark.as_ref().is_some_and(|(mark, _)| *mark == version) {
            "m"
        } else {
            " "
        };
        let mut told = told;
        told.spans.insert(0, Span::raw(sign));
        frame.render_widget(told, text);
        if is_chosen {
            frame.buffer_mut().set_style(line, CHOSEN);
        }
    }
}

fn tell(app: &App, row: &Row, width: u16) -> Line<'static> {
    let version = row.found.version();
    let undone_by = app.undone_by(version).filter(|_| version <= app.version);
    let mut spans = vec![number(app, version), Span::raw(" ")];
    spans.push(sign(app, row, undone_by));
    if let Found::Event(event) = &row.found {
        if width >= WITH_TIME {
            let day_time = time(event.event.time_ms);
            let of_day = day_time.get(11..).unwrap_or(&day_time);
            spans.push(Span::styled(format!("{of_day} "), DIM));
        }
        spans.push(Span::styled(who(event), NAME));
        spans.push(Span::raw(" "));
    }
    let style = match (&row.found, undone_by) {
        (Found::Damaged(_), _) => BAD,
        (_, Some(_)) => UNDONE,
        _ => Style::new(),
    };
    spans.push(Span::styled(row.words.join("; "), style));
    Line::from(spans)
}

fn number(app: &App, version: u64) -> Span<'static> {
    let columns = digits(app);
    Span::styled(format!("{version:>columns$}"), VERSION)
}

/// What the event has to do with others: `↶3` undoes 3, `✗5` is undone by 5; `!` is damaged, `?` uncertain.
fn sign(app: &App, row: &Row, undone_by: Option<u64>) -> Span<'static> {
    let columns = digits(app) + 1;
    let (mut text, mut style) = match (&row.found, undone_by) {
        (Found::Damaged(_), _) => ("!".to_owned(), BAD),
        (_, Some(by)) => (format!("✗{by}"), DIM),
        (Found::Event(event), None) => (cause_sign(event).unwrap_or_default(), Style::new()),
    };
    if row.doubt.is_some() && row.found.event().is_some() {
        text.push('?');
        style = BAD;
    }
    Span::styled(format!("{text:<columns$} "), style)
}

fn cause_sign(event: &PageEvent) -> Option<String> {
    let cause = event.cause()?;
    let arrow = match event.kind().ok()? {
        EventKind::Undo => '↶',
        EventKind::Redo => '↷',
        EventKind::Restore => '⟲',
        _ => return None,
    };
    Some(format!("{arrow}{cause}"))
}

fn who(event: &PageEvent) -> String {
    let actor = cut(&event.event.actor, ACTOR_COLUMNS);
    match &event.event.turn {
        Some(turn) => format!("{actor} {}", cut(turn, TURN_COLUMNS)),
        None => actor,
    }
}

fn digits(app: &App) -> usize {
    app.subject.head.to_string().len()
}
