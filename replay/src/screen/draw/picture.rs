//! A DESIGN page, drawn with characters in proportion.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::line;

use super::theme::{CHANGED, DIM};
use super::words::cut;
use crate::screen::news::{Drawn, Look, Picture};

/// How much taller than wide a character is.
const TALLER: f64 = 2.0;
/// Beyond this many columns or rows nothing is drawn.
const FAR: f64 = 100_000.0;
/// The borders of a frame.
const DASHED: line::Set<'static> = line::LIGHT_DOUBLE_DASHED;

/// The cells of a node: the first and the last, which may lie outside of what is seen.
#[derive(Clone, Copy)]
struct Cells {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

pub(super) fn draw(buffer: &mut Buffer, picture: &Picture, area: Rect) {
    let across = f64::from(area.width) / picture.width;
    let down = f64::from(area.height) * TALLER / picture.height;
    let scale = across.min(down);
    let seen = seen(picture, scale, area);
    buffer.set_style(seen, Style::new().bg(Color::Reset));
    for y in seen.top()..seen.bottom() {
        for x in seen.left()..seen.right() {
            buffer[(x, y)].set_symbol("·").set_style(DIM);
        }
    }
    for drawn in &picture.boxes {
        paint(buffer, drawn, cells(drawn, scale), seen);
    }
}

/// Where the page itself is seen.
fn seen(picture: &Picture, scale: f64, area: Rect) -> Rect {
    let side = |length: f64, most: u16| u16::try_from(cell(length)).unwrap_or(most).clamp(1, most.max(1));
    Rect {
        width: side(picture.width * scale, area.width),
        height: side(picture.height * scale / TALLER, area.height),
        ..area
    }
    .intersection(area)
}

fn cells(drawn: &Drawn, scale: f64) -> Cells {
    let (left, top) = (cell(drawn.x * scale), cell(drawn.y * scale / TALLER));
    let right = cell((drawn.x + drawn.width) * scale) - 1;
    let bottom = cell((drawn.y + drawn.height) * scale / TALLER) - 1;
    Cells {
        left,
        top,
        right: right.max(left),
        bottom: bottom.max(top),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "it is within bounds, and what is no number is 0"
)]
fn cell(length: f64) -> i32 {
    length.round().clamp(-FAR, FAR) as i32
}

fn paint(buffer: &mut Buffer, drawn: &Drawn, cells: Cells, seen: Rect) {
    let is_flat = cells.right == cells.left || cells.bottom == cells.top;
    if drawn.look != Look::Text && !is_flat {
        borders(buffer, drawn, cells, seen);
    } else if drawn.look != Look::Text {
        for y in cells.top..=cells.bottom {
            row(buffer, cells, y, seen, "▪", edge(drawn));
        }
    }
    label(buffer, drawn, cells, is_flat, seen);
}

fn borders(buffer: &mut Buffer, drawn: &Drawn, cells: Cells, seen: Rect) {
    let set = match (drawn.changed, drawn.look) {
        (true, _) => line::THICK,
        (false, Look::Frame) => DASHED,
        (false, _) => line::NORMAL,
    };
    let (top, bottom) = (cells.top, cells.bottom);
    for y in clip(top, bottom, seen.height) {
        let (left, middle, right) = if y == top {
            (set.top_left, set.horizontal, set.top_right)
        } else if y == bottom {
            (set.bottom_left, set.horizontal, set.bottom_right)
        } else {
            (set.vertical, " ", set.vertical)
        };
        let is_edge = y == top || y == bottom;
        if is_edge || drawn.look == Look::Solid {
            let style = if is_edge { edge(drawn) } else { inside(drawn) };
            row(buffer, cells, y, seen, middle, style);
        }
        put(buffer, cells.left, y, seen, left, edge(drawn));
        put(buffer, cells.right, y, seen, right, edge(drawn));
    }
}

fn label(buffer: &mut Buffer, drawn: &Drawn, cells: Cells, is_flat: bool, seen: Rect) {
    let inset = i32::from(drawn.look != Look::Text && !is_flat);
    // A frame is named on its edge: what is in it begins below.
    let down = if drawn.look == Look::Frame { 0 } else { inset };
    let (x, y) = (cells.left + inset, (cells.top + down).min(cells.bottom));
    let columns = usize::try_from(cells.right - cells.left + 1 - 2 * inset).unwrap_or(0);
    let style = if drawn.changed { CHANGED } else { inside(drawn) };
    if let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) {
        let at = (seen.x.saturating_add(x), seen.y.saturating_add(y));
        if seen.contains(at.into()) {
            let room = columns.min(usize::from(seen.right() - at.0));
            let text = cut(drawn.label.lines().next().unwrap_or_default(), room);
            // A mere `…` says nothing.
            if text != "…" {
                buffer.set_stringn(at.0, at.1, text, room, style);
            }
        }
    }
}

fn row(buffer: &mut Buffer, cells: Cells, y: i32, seen: Rect, symbol: &str, style: Style) {
    for x in clip(cells.left, cells.right, seen.width) {
        put(buffer, x, y, seen, symbol, style);
    }
}

/// Those of some rows or columns of the page that are seen.
fn clip(first: i32, last: i32, length: u16) -> std::ops::RangeInclusive<i32> {
    first.max(0)..=last.min(i32::from(length) - 1)
}

fn put(buffer: &mut Buffer, x: i32, y: i32, seen: Rect, symbol: &str, style: Style) {
    let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else {
        return;
    };
    if x < seen.width && y < seen.height {
        let cell = &mut buffer[(seen.x + x, seen.y + y)];
        cell.reset();
        cell.set_symbol(symbol).set_style(style);
    }
}

fn edge(drawn: &Drawn) -> Style {
    if drawn.changed { CHANGED } else { inside(drawn) }
}

/// The colour of the node, and a colour for letters that can be read on it.
fn inside(drawn: &Drawn) -> Style {
    match (drawn.fill, drawn.look) {
        (Some([red, green, blue]), Look::Solid) => {
            let light = u32::from(red) * 3 + u32::from(green) * 6 + u32::from(blue) > 1280;
            let letters = if light { Color::Black } else { Color::White };
            Style::new().bg(Color::Rgb(red, green, blue)).fg(letters)
        }
        _ => Style::new(),
    }
}
