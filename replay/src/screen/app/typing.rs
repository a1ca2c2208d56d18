//! What is typed into the last line: a version to go to, or what is searched for.

use super::{App, Effect, Hunt, HuntState, Mode};
use crate::screen::key::Key;
use crate::screen::news::{Question, Search};

/// The most characters that are taken.
const TYPED_MAX: usize = 200;

impl App {
    pub(super) fn typed(&mut self, key: Key) -> Effect {
        let (Mode::Jump(text) | Mode::Search(text)) = &mut self.mode else {
            return Effect::Stay;
        };
        match key {
            Key::Esc => self.mode = Mode::Browse,
            Key::Backspace if text.is_empty() => self.mode = Mode::Browse,
            Key::Backspace => drop(text.pop()),
            Key::Ctrl('u') => text.clear(),
            Key::Char(letter) if text.chars().count() < TYPED_MAX => text.push(letter),
            Key::Enter => return self.enter(),
            _ => {}
        }
        Effect::Stay
    }

    /// Looks for the next event that fits, or the one before.
    pub(super) fn search_on(&mut self, forward: bool) -> Effect {
        let Some(query) = self.hunt.as_ref().map(|hunt| hunt.query.clone()) else {
            self.message = Some("press / and type what to look for".to_owned());
            return Effect::Stay;
        };
        self.search(query, forward)
    }

    fn enter(&mut self) -> Effect {
        match std::mem::replace(&mut self.mode, Mode::Browse) {
            Mode::Jump(text) => self.jump_typed(text.trim()),
            Mode::Search(text) if !text.trim().is_empty() => return self.search(text.trim().to_owned(), true),
            _ => {}
        }
        Effect::Stay
    }

    fn search(&mut self, query: String, forward: bool) -> Effect {
        let number = self.number();
        self.hunt = Some(Hunt {
            number,
            query: query.clone(),
            state: HuntState::Running(self.version),
        });
        Effect::Ask(Question::Search(Search {
            number,
            query,
            from: self.version,
            forward,
        }))
    }
}
