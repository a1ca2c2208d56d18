//! What keys do.

use super::{App, Mode, Pane};
use crate::screen::draw::help;
use crate::screen::key::Key;
use crate::screen::news::{Question, Target};

/// What a key has for an effect beyond the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None.
    Stay,
    /// Something is asked.
    Ask(Question),
    /// The end.
    Quit,
}

impl App {
    /// Takes a key.
    pub fn handle(&mut self, key: Key) -> Effect {
        if key == Key::Ctrl('c') {
            return Effect::Quit;
        }
        self.message = None;
        match &self.mode {
            Mode::Browse => self.browse(key),
            Mode::Help(scrolled) => self.read_help(key, *scrolled),
            Mode::Jump(_) | Mode::Search(_) => self.typed(key),
        }
    }

    fn read_help(&mut self, key: Key, scrolled: usize) -> Effect {
        let room = usize::from(self.size.height).saturating_sub(3);
        let last = help::count().saturating_sub(room);
        self.mode = match key {
            Key::Char('q') => return Effect::Quit,
            Key::Down | Key::Char('j') => Mode::Help((scrolled + 1).min(last)),
            Key::Up | Key::Char('k') => Mode::Help(scrolled.saturating_sub(1)),
            _ => Mode::Browse,
        };
        Effect::Stay
    }

    fn browse(&mut self, key: Key) -> Effect {
        match key {
            Key::Char('q') => return Effect::Quit,
            Key::Esc => return self.stop(),
            Key::Char('n') => return self.search_on(true),
            Key::Char('N') => return self.search_on(false),
            Key::Char('u') => return self.try_event(),
            Key::Char('U') => return self.try_newest(Target::Undo),
            Key::Char('R') => return self.try_newest(Target::Redo),
            Key::Char('?') => self.mode = Mode::Help(0),
            Key::Char('/') => self.mode = Mode::Search(String::new()),
            Key::Char('g') => self.mode = Mode::Jump(String::new()),
            Key::Char(' ') => self.play_or_pause(),
            Key::Char('+' | '=') => self.change_speed(true),
            Key::Char('-') => self.change_speed(false),
            Key::Char('m') => self.turn_mark(),
            Key::Char('a') => self.turn_actor(true),
            Key::Char('A') => self.turn_actor(false),
            Key::Char('c') => self.follow_cause(),
            Key::Backspace => self.jump_back(),
            other => self.look_about(other),
        }
        Effect::Stay
    }

    fn look_about(&mut self, key: Key) {
        let page = self.list_rows().saturating_sub(1).max(1);
        match key {
            Key::Up | Key::Char('k') => self.go(self.version - 1),
            Key::Down | Key::Char('j') => self.go(self.version + 1),
            Key::PageUp => self.go(self.version.saturating_sub(page)),
            Key::PageDown => self.go(self.version + page),
            Key::Home => self.jump(1),
            Key::End | Key::Char('G') => self.jump(self.subject.head),
            Key::Tab => self.turn_pane(1),
            Key::BackTab => self.turn_pane(Pane::ALL.len() - 1),
            Key::Char('v') => self.turn_form(),
            Key::Char('J') => self.scroll_by(1),
            Key::Char('K') => self.scroll_by(-1),
            Key::Ctrl('d') => self.scroll_half(true),
            Key::Ctrl('u') => self.scroll_half(false),
            Key::Right | Key::Char('l') => self.scroll_sideways(true),
            Key::Left | Key::Char('h') => self.scroll_sideways(false),
            Key::Char(digit) => self.choose_pane(digit),
            _ => {}
        }
    }

    fn choose_pane(&mut self, digit: char) {
        let number = digit.to_digit(10).and_then(|number| usize::try_from(number).ok());
        if let Some(pane) = number.and_then(|number| Pane::ALL.get(number.checked_sub(1)?)) {
            self.pane = *pane;
        }
    }

    /// Stops whatever goes on.
    fn stop(&mut self) -> Effect {
        self.playing = false;
        match self.hunt.take() {
            Some(_) => Effect::Ask(Question::StopSearch),
            None => Effect::Stay,
        }
    }
}
