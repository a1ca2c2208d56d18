//! The screen as a function of the app.

mod event;
mod foot;
pub(super) mod help;
mod list;
pub(super) mod pane;
mod picture;
mod stacks;
mod status;
mod stored;
mod theme;
mod trial;
mod words;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use self::theme::{BAD, CHOSEN, DIM, NAME, STRONG, VERSION};
use super::app::{App, Mode, Pane};
use super::areas::{Areas, SMALLEST};

/// From this width on every pane is named, and not only the one that is seen.
const ALL_NAMES: u16 = 60;

/// Draws the app.
pub fn draw(frame: &mut Frame<'_>, app: &App) {
    let size = frame.area().as_size();
    let Some(areas) = Areas::of(size) else {
        return too_small(frame);
    };
    title(frame, app, areas.title);
    status::draw(frame, app, areas.status);
    foot::draw(frame, app, areas.foot);
    if let Mode::Help(scrolled) = app.mode {
        let rest = Rect::new(0, 1, size.width, size.height - 3);
        return help::draw(frame, rest, scrolled);
    }
    list::draw(frame, app, areas.list);
    between(frame, areas.list, areas.tabs);
    event::draw(frame, app, areas.event);
    tabs(frame, app, areas.tabs);
    pane::draw(frame, app, areas.pane);
}

fn too_small(frame: &mut Frame<'_>) {
    let area = frame.area();
    let told = format!(
        "This window is {}×{}; replay needs {}×{}. Make it larger, or press q.",
        area.width, area.height, SMALLEST.width, SMALLEST.height
    );
    let lines: Vec<_> = words::wrap(&told, usize::from(area.width))
        .into_iter()
        .map(Line::from)
        .collect();
    frame.render_widget(ratatui::widgets::Paragraph::new(lines), area);
}

fn title(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let mut spans = vec![
        Span::styled(format!(" {}", app.subject.page), NAME),
        Span::styled(format!("  {}  ", app.subject.kind), DIM),
        Span::raw("version "),
        Span::styled(app.version.to_string(), VERSION),
        Span::raw(format!(" of {}", app.subject.head)),
    ];
    if app.playing {
        spans.push(Span::styled(format!("  ▶ {}/s", app.events_per_second()), STRONG));
    }
    if let Some((version, _)) = &app.mark {
        spans.push(Span::styled(format!("  mark {version}"), STRONG));
    }
    frame.render_widget(Line::from(spans), area);
}

/// The line between the list and what stands beside it.
fn between(frame: &mut Frame<'_>, list: Rect, tabs: Rect) {
    if tabs.x <= list.x {
        return;
    }
    let buffer = frame.buffer_mut();
    for y in list.top()..list.bottom() {
        buffer.set_string(list.right(), y, "│", DIM);
    }
}

fn tabs(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let mut spans = Vec::new();
    for (number, pane) in (1..).zip(Pane::ALL) {
        let is_chosen = pane == app.pane;
        let style = if is_chosen { CHOSEN } else { DIM };
        let name = if is_chosen || area.width >= ALL_NAMES {
            format!(" {number} {} ", pane.name())
        } else {
            format!(" {number} ")
        };
        spans.push(Span::styled(name, style));
    }
    if app.pane == Pane::Page && app.has_forms() {
        spans.push(Span::styled(format!(" v: {}", app.form.name()), DIM));
    }
    if !app.is_shown() {
        spans.push(Span::styled("  …", BAD));
    }
    frame.render_widget(Line::from(spans), area);
}
