//! Keys, apart from any terminal.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character, as typed: `A` is shift and a.
    Char(char),
    /// A letter with Ctrl.
    Ctrl(char),
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// The arrow left.
    Left,
    /// The arrow right.
    Right,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Onwards.
    Tab,
    /// Back.
    BackTab,
    /// So be it.
    Enter,
    /// Away from here.
    Esc,
    /// Takes a character back.
    Backspace,
}

impl Key {
    /// What a key of the terminal is; `None` for one that means nothing here, or is only let go.
    #[must_use]
    pub fn of(event: &KeyEvent) -> Option<Self> {
        if event.is_release() {
            return None;
        }
        Some(match event.code {
            KeyCode::Char(letter) if event.modifiers.contains(KeyModifiers::CONTROL) => {
                Self::Ctrl(letter.to_ascii_lowercase())
            }
            KeyCode::Char(letter) => Self::Char(letter),
            KeyCode::Up => Self::Up,
            KeyCode::Down => Self::Down,
            KeyCode::Left => Self::Left,
            KeyCode::Right => Self::Right,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            KeyCode::Home => Self::Home,
            KeyCode::End => Self::End,
            KeyCode::Tab => Self::Tab,
            KeyCode::BackTab => Self::BackTab,
            KeyCode::Enter => Self::Enter,
            KeyCode::Esc => Self::Esc,
            KeyCode::Backspace => Self::Backspace,
            _ => return None,
        })
    }
}
