//! Taking a text edit of a string property back: by a weave of the property's history.

use std::collections::HashSet;

use super::fault::UndoError;
use super::plan::{Policy, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::property::History;
use super::setters::Part;
use crate::design::{DesignOp, Id};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{ConflictKind, Field, Said, Subject, Touch, said};
use crate::text::TextDelta;
use crate::text::weave::WeaveError;

impl Planner<'_> {
    /// Takes the event's part in a text away.
    pub(super) fn edit_back(&mut self, id: &Id, pointer: &Pointer, stored: &TextDelta) {
        let subject = Subject::Node(id.clone());
        if self.sets_whole(&subject, pointer.as_str()) {
            // Then it goes back as a whole.
            return;
        }
        let edit = |delta| DesignOp::EditText {
            id: id.clone(),
            pointer: pointer.clone(),
            delta,
        };
        if self.returned.contains_key(&subject) {
            return self.emit(edit(stored.clone()));
        }
        if !self.is_open(&subject, pointer.to_string()) {
            // The whole event was taken out of the text at once.
            return;
        }
        let at = pointer.as_str();
        let (setters, _) = self.switched_setters(&subject, Field::At(at), Part::List);
        let replaced = setters.owner().filter(|owner| *owner > self.target);
        let Some(Json::String(now)) = subject.read(&self.work, at).filter(|_| replaced.is_none()) else {
            return self.replaced_text_back(&subject, id, pointer, replaced);
        };
        let history = History::new(&self.trail, &subject, at);
        let mut woven = match history.woven(self.trail.events.len(), Some(&now)) {
            Ok(woven) => woven,
            Err(error) => return self.fail(error),
        };
        let then = self.off_then();
        self.remember |= woven.off != then;
        let delta = woven.switch(then);
        if !delta.is_empty() {
            self.emit(edit(delta));
        }
    }

    /// Redoes an event's part in a text that its undo had found nothing of, and so did not change.
    pub(super) fn text_back(&mut self, id: &Id, pointer: &Pointer) {
        let subject = Subject::Node(id.clone());
        let is_text = subject
            .read(&self.work, pointer.as_str())
            .is_some_and(|json| json.is_string());
        if is_text && !self.returned.contains_key(&subject) {
            self.edit_back(id, pointer, &TextDelta::new());
        }
    }

    /// Gives what becomes of a text that was set as a whole, and edited at some time, without the event's part.
    pub(super) fn text_without(&mut self, subject: &Subject, pointer: &Pointer) -> Option<Json> {
        let at = pointer.as_str();
        let edits = |op: &DesignOp| matches!(op, DesignOp::EditText { pointer: edited, .. } if edited == pointer);
        if !self.trail.touches(subject, 0).any(|touch| edits(touch.op)) {
            return None;
        }
        let now = subject.read(&self.begun, at);
        let history = History::new(&self.trail, subject, at);
        match history.woven(self.trail.events.len(), now.as_ref().and_then(Json::as_str)) {
            Ok(mut woven) => {
                woven.switch(self.off_then());
                Some(Json::from(woven.weave.plain()))
            }
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    /// Says whether an event that is switched sets a text as a whole.
    fn sets_whole(&self, subject: &Subject, at: &str) -> bool {
        let is_set = |touch: Touch<'_>| {
            matches!(touch.op, DesignOp::SetNode { .. }) && matches!(said(touch.op, Field::At(at)), Said::Value(_))
        };
        self.switched.iter().any(|(event, _)| {
            let touches = self.trail.touches(subject, *event);
            touches.take_while(|touch| touch.event == *event).any(is_set)
        })
    }

    /// A text that was set as a whole since stays, or becomes what it was before that, without the event's part.
    fn replaced_text_back(&mut self, subject: &Subject, id: &Id, pointer: &Pointer, event: Option<usize>) {
        let at = pointer.as_str();
        let now = subject.read(&self.work, at);
        let history = History::new(&self.trail, subject, at);
        let woven = event.map(|event| history.woven(event, now.as_ref().and_then(Json::as_str)));
        let mut woven = match woven.transpose() {
            Ok(woven) => woven,
            Err(error) => return self.fail(error),
        };
        let wanted = woven.as_mut().map(|woven| {
            woven.switch(self.off_then());
            Json::from(woven.weave.plain())
        });
        if wanted == now {
            return;
        }
        let reachable = subject.is_reachable(&self.work, pointer);
        match wanted
            .clone()
            .filter(|_| reachable && self.request.policy == Policy::Restore)
        {
            Some(text) => {
                self.note(UndoNoteKind::Restored, subject, at);
                let patch = Patch {
                    set: vec![(pointer.clone(), text)],
                    ..Patch::default()
                };
                self.emit(DesignOp::SetNode { id: id.clone(), patch });
            }
            None => {
                let hitch = Hitch {
                    pointer: at.into(),
                    wanted,
                    now,
                    event,
                };
                self.conflict(ConflictKind::Overwritten, subject, hitch);
            }
        }
    }

    /// There is no plan without the history of the text.
    fn fail(&mut self, error: WeaveError) {
        let fault = UndoError::of_weave(self.version(), error);
        self.fault.get_or_insert(fault);
    }

    /// Gives the edits that are off once the event is undone.
    fn off_then(&self) -> HashSet<u64> {
        self.trail.events.undone_with(self.target)
    }
}
