//! The colours. What they say is said by a sign or a word too: not every terminal has colours.

use ratatui::style::{Color, Modifier, Style};

/// The row, tab or actor that is chosen.
pub(super) const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
/// Headings.
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// What is less important.
pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// The names of things: pages, nodes, actors.
pub(super) const NAME: Style = Style::new().fg(Color::Cyan);
/// Numbers that are versions.
pub(super) const VERSION: Style = Style::new().fg(Color::Yellow);
/// What fits.
pub(super) const GOOD: Style = Style::new().fg(Color::Green);
/// What is wrong.
pub(super) const BAD: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
/// What the event changed.
pub(super) const CHANGED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
/// What does not stand any more.
pub(super) const UNDONE: Style = Style::new()
    .add_modifier(Modifier::DIM)
    .add_modifier(Modifier::CROSSED_OUT);
