//! Bringing back, taking away and moving back backgrounds.

use super::comings::background_left;
use super::plan::{Policy, SkipReason, UndoNoteKind};
use super::planner::{Hitch, Planner};
use crate::design::{Background, DesignOp, Id, Placement, Siblings};
use crate::json::same;
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
        if let Some(event) = self.creation_undone(&subject) {
            let hitch = Hitch {
                event: Some(event),
                ..Hitch::default()
            };
            return self.conflict(ConflictKind::CreateUndone, &subject, hitch);
        }
        let placement = self.background_place(siblings, stored);
        self.comes_back(subject);
        self.emit(DesignOp::AddBackground {
            background: background.clone(),
            placement,
            siblings: None,
        });
    }

    /// Takes away a background that the event added, unless others changed it or made it anew.
    pub(super) fn take_background_away(&mut self, id: &Id, done: &[DesignOp]) {
        let subject = Subject::Background(id.clone());
        let left = match done {
            [add, later @ ..] => background_left(id, add, later),
            [] => None,
        };
        let unchanged = !self.is_another(&subject)
            && left.is_some_and(|left| background(&self.work, id).is_some_and(|now| same(now, &left)));
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
        let added =
            |op: &DesignOp| matches!(op, DesignOp::AddBackground { background, .. } if background.id() == &**id);
        let left_over = self.work.backgrounds().is_empty()
            && self.undoes_what(added)
            && self.is_left_over(&Subject::Attributes, BACKGROUNDS);
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
        if !self.returned.contains_key(&subject) && self.is_another(&subject) {
            return self.skip(SkipReason::Removed, &subject, String::new());
        }
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
