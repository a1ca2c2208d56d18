//! Lists that come and go with what is put into them: sets, and the list of backgrounds.

use super::plan::{Policy, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::setters::{Part, Setters};
use crate::design::DesignOp;
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{BACKGROUNDS, ConflictKind, Field, Said, Subject, said};

impl Planner<'_> {
    /// A list that the event only made, or that of the backgrounds, goes once it is empty and nobody else has made it: what
    /// is in it is by itself.
    pub(super) fn list_back(&mut self, subject: &Subject, pointer: &Pointer, now: Option<&Json>, patch: &mut Patch) {
        self.remember = true;
        let field = Field::At(pointer.as_str());
        let (then, _) = self.switched_setters(subject, field, Part::List);
        if self.was_left(subject, field, &then, None) {
            return;
        }
        // One that nobody who stands had made before either is there, or not, for another reason.
        let makers = self.setters(subject, field, Part::List);
        let is_made = |makers: &Setters| makers.value_at(usize::MAX).is_some();
        let (was_made, is_made) = (is_made(&makers), is_made(&then));
        match now.and_then(Json::as_array) {
            Some(items) if items.is_empty() && was_made && !is_made => {
                patch.unset.push(pointer.clone());
            }
            None if now.is_none() && !was_made && is_made && subject.is_reachable(&self.work, pointer) => {
                patch.set.push((pointer.clone(), Json::Array(Vec::new())));
            }
            _ => {}
        }
    }

    /// Says whether nobody who stands has made a list.
    pub(super) fn is_left_over(&self, subject: &Subject, at: &str) -> bool {
        let (makers, _) = self.switched_setters(subject, Field::At(at), Part::List);
        makers.value_at(usize::MAX).is_none()
    }

    /// Says whether what the event did to a field, all in all, is that it made a list where there was none.
    pub(super) fn is_made_list(&self, subject: &Subject, pointer: &Pointer) -> bool {
        let field = Field::At(pointer.as_str());
        let is_made = |event: usize| {
            let touches = self.trail.touches(subject, event);
            let mut own = touches
                .take_while(|touch| touch.event == event)
                .filter(|touch| matches!(said(touch.op, field), Said::Value(_)));
            let Some(first) = own.next() else {
                return false;
            };
            let old = first.inverse.map(|inverse| said(inverse, field));
            let last = own.last().unwrap_or(first);
            matches!(old, Some(Said::Value(None)))
                && matches!(said(last.op, field), Said::Value(Some(new)) if new.as_array().is_some_and(Vec::is_empty))
        };
        self.switched.iter().any(|(event, _)| is_made(*event))
    }

    /// Says whether a stored value is an empty list into which the stored inverse puts something after that, while there is
    /// no list: it comes back first, to its place among the keys, whoever had made it.
    pub(super) fn is_list_to_fill(&self, subject: &Subject, pointer: &Pointer, stored: &Json) -> bool {
        stored.as_array().is_some_and(Vec::is_empty)
            && subject.read(&self.work, pointer.as_str()).is_none()
            && subject.is_reachable(&self.work, pointer)
            && self.rest.iter().skip(1).any(|op| self.is_put_in(subject, pointer, op))
    }

    /// Says whether an operation of the stored inverse will put something into a list.
    fn is_put_in(&self, subject: &Subject, pointer: &Pointer, op: &DesignOp) -> bool {
        match (op, subject) {
            (DesignOp::AddBackground { background, .. }, Subject::Attributes) => {
                let subject = Subject::Background(background.id().into());
                pointer.as_str() == BACKGROUNDS
                    && self.comings.brings_back(&subject)
                    && !subject.exists(&self.work)
                    && self.creation_undone(&subject).is_none()
            }
            (
                DesignOp::AddToSet {
                    id,
                    pointer: at,
                    values,
                    ..
                },
                Subject::Node(node),
            ) if id == node && at == pointer => {
                self.list_taker(subject, pointer.as_str()).is_none()
                    && values.iter().any(|value| self.is_own_element(id, pointer, value, true))
            }
            _ => false,
        }
    }

    /// Says whether somebody has taken the whole list away since, and the elements stay out for that.
    pub(super) fn is_list_taken(&mut self, subject: &Subject, pointer: &Pointer) -> bool {
        let at = pointer.as_str();
        let Some(event) = self.list_taker(subject, at) else {
            return false;
        };
        if self.request.policy == Policy::Restore {
            self.note(UndoNoteKind::Restored, subject, at);
            return false;
        }
        let hitch = Hitch {
            pointer: at.into(),
            event: Some(event),
            ..Hitch::default()
        };
        self.conflict(ConflictKind::Overwritten, subject, hitch);
        true
    }

    /// Gives the event that has taken a whole list away since.
    fn list_taker(&self, subject: &Subject, at: &str) -> Option<usize> {
        if self.returned.contains_key(subject) || subject.read(&self.work, at).is_some() {
            return None;
        }
        let (makers, _) = self.switched_setters(subject, Field::At(at), Part::List);
        let edits = self.switched.iter().map(|(event, _)| *event);
        let newest = edits.filter(|event| self.trail.events.undoes(*event).is_empty()).max();
        makers.owner().filter(|owner| Some(*owner) > newest)
    }
}
