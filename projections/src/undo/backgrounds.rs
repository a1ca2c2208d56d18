//! Bringing back, taking away and moving back backgrounds.

use super::plan::{Policy, SkipReason, UndoNoteKind};
use super::planner::{Hitch, Planner};
use crate::design::{Background, DesignOp, Id, Placement, Siblings};
use crate::json::{Json, same};
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{BACKGROUNDS, ConflictKind, Field, Subject, background, beside};

impl Planner<'_> {
    pub(super) fn return_background(
        &mut self,
        background: &Background,
        siblings: Option<&Siblings>,
        stored: &Placement,
    ) {
        let subject = Subject::Background(background.id().into());
        if subject.exists(&self.work) {
            return self.skip(SkipReason::AlreadyThere, &subject, String::new());
        }
        if let Some(event) = self.background_undone(background.id()) {
            let hitch = Hitch {
                event: Some(event),
                ..Hitch::default()
            };
            return self.conflict(ConflictKind::CreateUndone, &subject, hitch);
        }
        let placement = self.background_place(siblings, stored);
        self.returned.insert(subject);
        self.emit(DesignOp::AddBackground {
            background: background.clone(),
            placement,
            siblings: None,
        });
    }

    /// Gives the event that undid the adding of a background, if it is undone.
    fn background_undone(&self, id: &str) -> Option<usize> {
        let events = &self.trail.events;
        let subject = Subject::Background(id.into());
        let before = self
            .trail
            .touches(&subject, 0)
            .take_while(|touch| touch.event < self.target);
        let mut adding = Vec::new();
        for touch in before.filter(|touch| matches!(touch.op, DesignOp::AddBackground { .. })) {
            if events.undoes(touch.event).is_empty() {
                adding.clear();
            }
            adding.push(events.key(touch.event));
        }
        let undone = adding
            .into_iter()
            .rev()
            .find(|version| self.undone_since.contains(version));
        undone.and_then(|version| self.undoer(version))
    }

    /// Takes away a background that the event added, unless others changed it.
    pub(super) fn take_background_away(&mut self, id: &Id, pair: Option<&DesignOp>) {
        let subject = Subject::Background(id.clone());
        let made = match pair {
            Some(DesignOp::AddBackground { background, .. }) => Some(Json::Object(background.as_map().clone())),
            _ => None,
        };
        let unchanged = made.is_some_and(|made| background(&self.work, id).is_some_and(|now| same(now, &made)));
        if !unchanged {
            if !self.request.force {
                let event = self
                    .trail
                    .touches(&subject, self.target + 1)
                    .last()
                    .map(|touch| touch.event);
                return self.conflict(
                    ConflictKind::EditedSince,
                    &subject,
                    Hitch {
                        event,
                        ..Hitch::default()
                    },
                );
            }
            self.note(UndoNoteKind::Forced, &subject, "");
        }
        self.emit(DesignOp::RemoveBackground { id: id.clone() });
        let left_over = self.work.backgrounds().is_empty() && self.is_left_over(&Subject::Attributes, BACKGROUNDS);
        if let Some(pointer) = Pointer::parse(BACKGROUNDS).ok().filter(|_| left_over) {
            let patch = Patch {
                unset: vec![pointer],
                ..Patch::default()
            };
            self.emit(DesignOp::SetAttributes { patch });
        }
    }

    pub(super) fn move_background_back(&mut self, id: &Id, siblings: Option<&Siblings>, stored: &Placement) {
        let subject = Subject::Background(id.clone());
        if let Some(event) = self.taken(&subject, Field::Place) {
            if self.request.policy != Policy::Restore {
                let hitch = Hitch {
                    event: Some(event),
                    ..Hitch::default()
                };
                return self.conflict(ConflictKind::MovedSince, &subject, hitch);
            }
            self.note(UndoNoteKind::Restored, &subject, "");
        }
        let placement = self.background_place(siblings, stored);
        self.emit(DesignOp::MoveBackground {
            id: id.clone(),
            placement,
            siblings: None,
        });
    }

    fn background_place(&self, siblings: Option<&Siblings>, stored: &Placement) -> Placement {
        match siblings {
            Some(siblings) => beside(siblings, |id| background(&self.work, id).is_some()),
            None => stored.clone(),
        }
    }
}
