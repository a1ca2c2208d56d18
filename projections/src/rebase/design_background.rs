//! Backgrounds of a DESIGN page that come, go and move over what others did to them.

use super::conflict::ConflictKind;
use super::design::{Clash, Run, Verdict};
use super::field::Field;
use super::outcome::NoteKind;
use super::subject::{Subject, background};
use crate::design::{Background, DesignOp, Id, Placement, Siblings};

impl Run<'_> {
    pub(super) fn add_background(&mut self, background: &Background, placement: &Placement) {
        let subject = Subject::Background(background.id().into());
        let own = self.removed.contains(&subject);
        let touched = self.trail.touches(&subject, 0).last().map(|touch| touch.event);
        if subject.exists(&self.work) || (!own && touched.is_some()) {
            self.conflict(
                ConflictKind::IdTaken,
                &subject,
                Clash {
                    event: touched,
                    ..Clash::default()
                },
            );
            return self.void(subject);
        }
        let placement = self.background_place(&subject, placement);
        self.removed.remove(&subject);
        self.added.insert(subject);
        self.emit(DesignOp::AddBackground {
            background: background.clone(),
            placement,
            siblings: None,
        });
    }

    pub(super) fn remove_background(&mut self, id: &Id) {
        let subject = Subject::Background(id.clone());
        let own = self.added.contains(&subject);
        let edited = if own { None } else { self.trail.edited(&subject, 0) };
        if let Some(event) = edited {
            if !self.options.force {
                let clash = Clash {
                    event: Some(event),
                    ..Clash::default()
                };
                return self.conflict(ConflictKind::EditedSince, &subject, clash);
            }
            self.findings.note(NoteKind::Forced, &subject, "").version = self.trail.events.version(event);
        }
        self.removed.insert(subject);
        self.emit(DesignOp::RemoveBackground { id: id.clone() });
    }

    pub(super) fn move_background(&mut self, id: &Id, placement: &Placement) {
        let subject = Subject::Background(id.clone());
        if let Some(event) = self.taken(&subject, Field::Place) {
            let clash = Clash {
                event: Some(event),
                ..Clash::default()
            };
            if self.decide(ConflictKind::MovedSince, &subject, clash) == Verdict::LeaveTheirs {
                return;
            }
        }
        let placement = self.background_place(&subject, placement);
        self.emit(DesignOp::MoveBackground {
            id: id.clone(),
            placement,
            siblings: None,
        });
    }

    /// A place beside a background that is gone becomes the place beside the nearest one that is left.
    fn background_place(&mut self, subject: &Subject, placement: &Placement) -> Placement {
        let found = match placement {
            Placement::After(beside) if background(&self.work, beside).is_none() => self.nearest(beside),
            Placement::Before(beside) if background(&self.work, beside).is_none() => self.nearest(beside),
            _ => None,
        };
        match found {
            None => placement.clone(),
            Some(found) => {
                self.findings.note(NoteKind::PlacedBeside, subject, "/placement");
                found
            }
        }
    }

    fn nearest(&self, gone: &Id) -> Option<Placement> {
        let subject = Subject::Background(gone.clone());
        let mut touches = self.trail.touches(&subject, 0).rev();
        let siblings = touches.find_map(|touch| match touch.inverse {
            Some(DesignOp::AddBackground { siblings, .. }) => siblings.as_ref(),
            _ => None,
        })?;
        Some(beside(siblings, |id| background(&self.work, id).is_some()))
    }
}

/// Gives the place between two siblings of which either may be gone.
pub(crate) fn beside(siblings: &Siblings, is_there: impl Fn(&Id) -> bool) -> Placement {
    match siblings {
        Siblings { left: Some(left), .. } if is_there(left) => Placement::After(left.clone()),
        Siblings { right: Some(right), .. } if is_there(right) => Placement::Before(right.clone()),
        Siblings { left: None, .. } => Placement::First,
        _ => Placement::Last,
    }
}
