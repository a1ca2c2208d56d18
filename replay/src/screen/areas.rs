//! Where things stand on the screen. The app needs to know it too: how far a page of the list goes, for one.

use ratatui::layout::{Rect, Size};

/// The smallest screen that is of use.
pub const SMALLEST: Size = Size { width: 40, height: 12 };
/// From this width on the list and the pane stand side by side.
const WIDE: u16 = 100;
/// From this height on the event is told in full.
const TALL: u16 = 20;
/// The lines that tell the event in full.
const EVENT_LINES: u16 = 5;

/// The parts of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Areas {
    /// The page and the version.
    pub(super) title: Rect,
    /// The events.
    pub(super) list: Rect,
    /// The event that is looked at; empty on a small screen.
    pub(super) event: Rect,
    /// The names of the panes.
    pub(super) tabs: Rect,
    /// The pane.
    pub(super) pane: Rect,
    /// How things fit.
    pub(super) status: Rect,
    /// The keys, or what is being typed.
    pub(super) foot: Rect,
}

impl Areas {
    /// Shares a screen out; `None` where it is too small.
    #[must_use]
    pub(super) fn of(size: Size) -> Option<Self> {
        let Size { width, height } = size;
        if width < SMALLEST.width || height < SMALLEST.height {
            return None;
        }
        let line = |y| Rect::new(0, y, width, 1);
        let body = Rect::new(0, 1, width, height - 3);
        let (list, right) = if width >= WIDE { beside(body) } else { above(body) };
        let event_lines = if height >= TALL { EVENT_LINES } else { 0 };
        let event = Rect {
            height: event_lines,
            ..right
        };
        let tabs = Rect::new(right.x, event.bottom(), right.width, 1);
        let pane = Rect::new(right.x, tabs.bottom(), right.width, right.height - event_lines - 1);
        Some(Self {
            title: line(0),
            list,
            event,
            tabs,
            pane,
            status: line(height - 2),
            foot: line(height - 1),
        })
    }
}

/// The list at the left, with a line between; the rest at the right.
fn beside(body: Rect) -> (Rect, Rect) {
    let left = body.width * 9 / 20;
    let list = Rect { width: left, ..body };
    let right = Rect::new(left + 1, body.y, body.width - left - 1, body.height);
    (list, right)
}

/// The list above the rest.
fn above(body: Rect) -> (Rect, Rect) {
    let upper = (body.height * 2 / 5).max(3);
    let list = Rect { height: upper, ..body };
    let right = Rect::new(body.x, body.y + upper, body.width, body.height - upper);
    (list, right)
}
