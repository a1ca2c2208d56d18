//! Going from version to version.

use super::{App, Mode, SPEEDS};

impl App {
    /// Goes to a version, or as near to it as there is one.
    pub(super) fn go(&mut self, version: u64) {
        self.version = version.clamp(1, self.subject.head.max(1));
        self.follow();
    }

    /// Goes to a version that may be far, and remembers from where.
    pub(super) fn jump(&mut self, version: u64) {
        if version != self.version {
            self.origin = Some(self.version);
        }
        self.version = version.clamp(1, self.subject.head.max(1));
        if !self.seen().contains(&self.version) {
            self.centre();
        }
    }

    pub(super) fn jump_typed(&mut self, typed: &str) {
        self.mode = Mode::Browse;
        let head = self.subject.head;
        match typed.parse::<u64>() {
            Ok(version) if (1..=head).contains(&version) => self.jump(version),
            _ if typed.is_empty() => {}
            _ => self.message = Some(format!("there are versions 1 to {head}; {typed} is not one of them")),
        }
    }

    pub(super) fn jump_back(&mut self) {
        match self.origin {
            Some(version) => self.jump(version),
            None => self.message = Some("there was no jump yet".to_owned()),
        }
    }

    /// To what an event undoes, redoes or restores; else to what undid it.
    pub(super) fn follow_cause(&mut self) {
        let cause = self
            .rows
            .get(&self.version)
            .and_then(|row| row.found.event())
            .and_then(recto_pages::PageEvent::cause);
        match cause.or_else(|| self.undone_by(self.version)) {
            Some(version) => self.jump(version),
            None => self.message = Some("this event takes nothing back, and nothing took it back".to_owned()),
        }
    }

    /// The undo that an event is undone by, as things are at the version looked at.
    pub(in crate::screen) fn undone_by(&self, version: u64) -> Option<u64> {
        let stacks = self.stacks.as_ref()?;
        stacks.undone.get(&version).copied()
    }

    pub(super) fn play_or_pause(&mut self) {
        if !self.playing && self.version == self.subject.head {
            self.message = Some("this is the newest version: go back, and play from there".to_owned());
            return;
        }
        self.playing = !self.playing;
    }

    pub(super) fn change_speed(&mut self, faster: bool) {
        self.speed = if faster {
            (self.speed + 1).min(SPEEDS.len() - 1)
        } else {
            self.speed.saturating_sub(1)
        };
        self.message = Some(format!("{} events a second", self.events_per_second()));
    }

    /// Moves the list as little as needed to see the version.
    pub(super) fn follow(&mut self) {
        let rows = self.list_rows();
        self.top = self.top.min(self.version);
        if self.version >= self.top + rows {
            self.top = self.version + 1 - rows;
        }
        self.top = self.top.min(self.last_top());
    }

    /// Moves the list so that the version is in its middle.
    pub(super) fn centre(&mut self) {
        let above = self.list_rows() / 2;
        self.top = self.version.saturating_sub(above).clamp(1, self.last_top());
    }

    fn last_top(&self) -> u64 {
        (self.subject.head + 1).saturating_sub(self.list_rows()).max(1)
    }
}
