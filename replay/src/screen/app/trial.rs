//! Trying undos: nothing is ever appended.

use super::{App, Effect, Pane};
use crate::screen::news::{Asked, Question, Target, Tried};

/// An undo that was tried, or is being tried.
#[derive(Clone, Debug)]
pub(in crate::screen) struct Trial {
    /// What was asked.
    pub(in crate::screen) asked: Asked,
    /// What came of it so far.
    pub(in crate::screen) results: Vec<Tried>,
}

impl App {
    /// Whose stacks are looked at: the actor that was chosen, else the event's.
    pub(in crate::screen) fn actor(&self) -> Option<String> {
        let chosen = self.actor.clone();
        chosen.or_else(|| self.actor_of(self.version))
    }

    /// Chooses the next actor of the stacks, or the one before.
    pub(super) fn turn_actor(&mut self, forward: bool) {
        let Some(stacks) = self.stacks.as_ref().filter(|stacks| !stacks.actors.is_empty()) else {
            self.message = Some("nobody has a stack here".to_owned());
            return;
        };
        let count = stacks.actors.len();
        let current = self.actor();
        let at = stacks
            .actors
            .iter()
            .position(|one| Some(&one.actor) == current.as_ref());
        let next = match (at, forward) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, _) => 0,
        };
        self.actor = Some(stacks.actors[next].actor.clone());
        self.message = self
            .actor
            .as_ref()
            .map(|actor| format!("{actor}: U tries an undo, R a redo"));
    }

    /// Marks the event, or takes the mark away.
    pub(super) fn turn_mark(&mut self) {
        if self.mark.as_ref().is_some_and(|(version, _)| *version == self.version) {
            self.mark = None;
            return;
        }
        match self.actor_of(self.version) {
            Some(actor) => {
                let told = format!("event {} is marked: u tries its undo wherever you go", self.version);
                self.mark = Some((self.version, actor));
                self.message = Some(told);
            }
            None => self.say_unreadable(),
        }
    }

    /// Tries the undo of the marked event, else of the one looked at: here, and at the newest version.
    pub(super) fn try_event(&mut self) -> Effect {
        let here = self.actor_of(self.version).map(|actor| (self.version, actor));
        let Some((event, actor)) = self.mark.clone().or(here) else {
            self.say_unreadable();
            return Effect::Stay;
        };
        let mut at = vec![self.version, self.subject.head];
        at.retain(|version| *version >= event);
        at.dedup();
        self.ask(Target::Event(event), actor, at)
    }

    /// Tries the newest undo, or redo, of the actor looked at: here.
    pub(super) fn try_newest(&mut self, target: Target) -> Effect {
        match self.actor() {
            Some(actor) => self.ask(target, actor, vec![self.version]),
            None => {
                self.say_unreadable();
                Effect::Stay
            }
        }
    }

    pub(super) fn take_tried(&mut self, asked: &Asked, tried: Tried) {
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.asked == *asked) {
            trial.results.push(tried);
        }
    }

    fn ask(&mut self, target: Target, actor: String, at: Vec<u64>) -> Effect {
        let asked = Asked {
            number: self.number(),
            target,
            actor,
            at,
        };
        self.pane = Pane::Undo;
        self.scroll[Pane::Undo.index()] = super::Scroll::default();
        self.trial = Some(Trial {
            asked: asked.clone(),
            results: Vec::new(),
        });
        Effect::Ask(Question::Try(asked))
    }

    fn actor_of(&self, version: u64) -> Option<String> {
        let row = self.rows.get(&version)?;
        row.found.event().map(|event| event.event.actor.clone())
    }

    fn say_unreadable(&mut self) {
        self.message = Some("this event is not read yet, or cannot be read".to_owned());
    }
}
