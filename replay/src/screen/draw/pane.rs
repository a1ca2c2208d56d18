//! The pane: what stands in it, line by line, made as far as it is seen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::theme::{CHANGED, DIM, STRONG};
use super::{picture, stacks, stored, trial};
use crate::screen::app::{App, Form, Pane};
use crate::screen::areas::Areas;
use crate::screen::news::{Lines, Shown};

/// The lines of a pane.
pub(super) type Rows<'a> = Box<dyn Iterator<Item = Line<'a>> + 'a>;

pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if app.pane == Pane::Page
        && app.form == Form::Picture
        && let Some(shown) = &app.shown
        && let Some(drawn) = &shown.picture
    {
        return picture::draw(frame.buffer_mut(), drawn, area);
    }
    let scroll = app.scrolled();
    let lines: Vec<_> = rows(app).skip(scroll.down).take(usize::from(area.height)).collect();
    let right = u16::try_from(scroll.right).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(lines).scroll((0, right)), area);
}

/// How many lines the pane has, seen or not.
pub(in crate::screen) fn count(app: &App) -> usize {
    rows(app).count()
}

fn rows(app: &App) -> Rows<'_> {
    let width = Areas::of(app.size).map_or(0, |areas| usize::from(areas.pane.width));
    match (app.pane, &app.shown) {
        (Pane::Stacks, _) => stacks::rows(app),
        (Pane::Undo, _) => trial::rows(app, width),
        (_, None) => Box::new(std::iter::once(Line::styled("…", DIM))),
        (Pane::Page, Some(shown)) => page(app, shown),
        (Pane::Change, Some(shown)) => change(shown),
        (Pane::Stored, Some(shown)) => stored::rows(app, shown, width),
    }
}

fn page<'a>(app: &App, shown: &'a Shown) -> Rows<'a> {
    let lines = match app.form {
        Form::Outline | Form::Picture => &shown.outline,
        Form::Text => &shown.text,
    };
    if lines.all.is_empty() {
        return Box::new(std::iter::once(Line::styled(" nothing is there", DIM)));
    }
    listed(lines)
}

fn change(shown: &Shown) -> Rows<'_> {
    let head = |text| std::iter::once(Line::styled(text, STRONG));
    let delta = head("delta").chain(listed(&shown.delta));
    Box::new(delta.chain(head("inverse")).chain(listed(&shown.inverse)))
}

/// Lines with a sign before those that are changed.
pub(super) fn listed(lines: &Lines) -> Rows<'_> {
    let all = lines.all.iter().map(|(line, changed)| {
        let (sign, style) = if *changed {
            ("▌", CHANGED)
        } else {
            (" ", Style::new())
        };
        Line::from(vec![Span::styled(sign, style), Span::styled(line.as_str(), style)])
    });
    let more = (lines.more > 0).then(|| Line::styled(format!(" … {} lines more", lines.more), DIM));
    Box::new(all.chain(more))
}
