//! The last line: what is being typed, what there is to say, or the keys.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::theme::{DIM, STRONG};
use crate::screen::app::{App, Hunt, HuntState, Mode};

const HINTS: &str = "? help  q quit  ↑↓ step  g go to  / search  space play  1-5 panes  u undo?";
const SEARCH_HINT: &str = "  words, node or actor; @actor, #node";

pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    match &app.mode {
        Mode::Jump(text) => typing(frame, area, " go to version: ", text, ""),
        Mode::Search(text) => typing(frame, area, " search: ", text, SEARCH_HINT),
        Mode::Help(_) => frame.render_widget(Line::styled(" ↑↓ scroll, any other key goes back", DIM), area),
        Mode::Browse => frame.render_widget(said(app), area),
    }
}

fn said(app: &App) -> Line<'_> {
    if let Some(message) = &app.message {
        return Line::styled(format!(" {message}"), STRONG);
    }
    match app.hunt.as_ref().and_then(hunt) {
        Some(told) => Line::from(format!(" {told}")),
        None => Line::styled(format!(" {HINTS}"), DIM),
    }
}

fn hunt(hunt: &Hunt) -> Option<String> {
    let query = &hunt.query;
    match hunt.state {
        HuntState::Running(at) => Some(format!("searching {query:?}: at {at}…  Esc stops")),
        HuntState::Nowhere => Some(format!("{query:?} is nowhere in this history")),
        HuntState::Found(at) => Some(format!("{query:?} found at {at}  n next  N previous  Esc ends")),
    }
}

fn typing(frame: &mut Frame<'_>, area: Rect, asks: &str, text: &str, hint: &str) {
    // The end of a long text is what one is typing at.
    let room = usize::from(area.width).saturating_sub(Span::raw(asks).width() + 1);
    let mut seen = text;
    while Span::raw(seen).width() > room {
        let mut letters = seen.chars();
        letters.next();
        seen = letters.as_str();
    }
    let typed = Line::from(vec![Span::styled(asks, STRONG), Span::raw(seen)]);
    let column = u16::try_from(typed.width()).unwrap_or(0);
    let mut line = typed;
    line.push_span(Span::styled(hint, DIM));
    frame.render_widget(line, area);
    frame.set_cursor_position(Position::new(area.x + column, area.y));
}
