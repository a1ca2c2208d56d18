//! What the keys are.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::theme::{STRONG, VERSION};

/// The keys, in groups.
const KEYS: [(&str, &str); 24] = [
    ("↑ k  ↓ j", "to the event before, after"),
    ("PgUp PgDn", "a screen back, on"),
    ("Home  End G", "to the first event, the newest"),
    ("g 12 Enter", "to version 12"),
    ("Backspace", "back from where one jumped"),
    ("c", "to what it undoes, or to what undid it"),
    ("/ text Enter", "search words, nodes and actors"),
    ("/ @anna  #title", "search actors, nodes only"),
    ("n  N", "to the next hit, the one before"),
    ("space  + -", "play or pause, faster, slower"),
    ("1-5 Tab", "panes: page, delta, stacks, undo, stored"),
    ("v", "page as tree, as text, drawn"),
    ("J K  ^D ^U", "scroll the pane"),
    ("← h  → l", "scroll sideways"),
    ("a  A", "choose an actor's stacks"),
    ("u", "try the undo of this event, here and at the newest version"),
    ("m", "mark this event: u tries its undo at any version"),
    ("U  R", "try the actor's newest undo, redo, here"),
    ("Esc", "stop playing, end a search"),
    ("q  ^C", "quit"),
    ("✗5  ↶3", "undone by 5; undoes 3"),
    ("↷3  ⟲3", "redoes 3; restores 3"),
    ("!  ?", "damaged; uncertain"),
    ("▌", "changed by this event"),
];
/// The columns of the keys.
const KEY_COLUMNS: usize = 17;
/// From this width on there are two columns of keys.
const WIDE: u16 = 130;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect) {
    let room = usize::from(area.height).saturating_sub(1);
    let two = area.width >= WIDE && KEYS.len() > room;
    let half = if two { KEYS.len().div_ceil(2) } else { KEYS.len() };
    let (first, second) = KEYS.split_at(half);
    frame.render_widget(column(first, "Keys"), area);
    if two {
        let right = Rect {
            x: area.x + area.width / 2,
            width: area.width - area.width / 2,
            ..area
        };
        frame.render_widget(column(second, ""), right);
    }
}

fn column(keys: &[(&'static str, &'static str)], head: &'static str) -> Paragraph<'static> {
    let mut lines = vec![Line::styled(format!(" {head}"), STRONG)];
    for (key, does) in keys {
        lines.push(Line::from(vec![
            Span::styled(format!(" {key:<KEY_COLUMNS$}"), VERSION),
            Span::raw(*does),
        ]));
    }
    Paragraph::new(lines)
}
