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

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, scrolled: usize) {
    let mut lines = vec![Line::styled(" Keys", STRONG)];
    lines.extend(KEYS.iter().map(|(key, does)| {
        Line::from(vec![
            Span::styled(format!(" {key:<KEY_COLUMNS$}"), VERSION),
            Span::raw(*does),
        ])
    }));
    let seen = lines.into_iter().skip(scrolled).take(usize::from(area.height));
    frame.render_widget(Paragraph::new(seen.collect::<Vec<_>>()), area);
}

/// How many lines the help has.
pub(in crate::screen) fn count() -> usize {
    KEYS.len() + 1
}
