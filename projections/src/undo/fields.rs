//! Setting fields back: properties, attributes, what backgrounds hold, elements of sets.

use super::follower::concerns;
use super::plan::{Policy, SkipReason, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::refs;
use super::setters::{Part, Setters};
use crate::design::{DesignOp, Id};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{BACKGROUNDS, ConflictKind, Field, Said, Subject, has, said, same};

impl Planner<'_> {
    /// Gives what of a stored patch is to be set back.
    pub(super) fn patch_back(&mut self, subject: &Subject, stored: &Patch) -> Option<Patch> {
        let mut patch = Patch::default();
        for (pointer, _) in &stored.set {
            self.field_back(subject, pointer, &mut patch);
        }
        for pointer in &stored.unset {
            self.field_back(subject, pointer, &mut patch);
        }
        let changes = |pointer: &Pointer| patch.set.iter().any(|(set, _)| set == pointer);
        let stays =
            |pointer: &Pointer| !stored.set.iter().any(|(set, _)| set == pointer) && !patch.unset.contains(pointer);
        // Where an event touches a field twice, it is set back at once; its place among the keys comes with the last.
        let is_back = |pointer: &Pointer| self.set_back.contains(&(subject.clone(), pointer.to_string()));
        let places = |pointer: &Pointer| changes(pointer) || stays(pointer) || is_back(pointer);
        let mut at = stored.at.clone();
        at.retain(|(pointer, _)| places(pointer));
        at.extend(self.last_places(subject, stored));
        let only_places = (stored.set.is_empty() && stored.unset.is_empty())
            || at.iter().any(|(pointer, _)| is_back(pointer) && !changes(pointer));
        let sets_back = patch
            .set
            .iter()
            .map(|(pointer, _)| (subject.clone(), pointer.to_string()));
        let sets_back: Vec<_> = sets_back.collect();
        self.set_back.extend(sets_back);
        patch.at = at;
        let nothing = patch.set.is_empty() && patch.unset.is_empty() && !only_places;
        (!nothing && !patch.is_empty()).then_some(patch)
    }

    /// Adds to a patch what sets a field back: to the value that the newest setter gave it who stands, as far as nobody
    /// has set it since.
    pub(super) fn field_back(&mut self, subject: &Subject, pointer: &Pointer, patch: &mut Patch) {
        let at = pointer.as_str();
        if !self.is_open(subject, at.to_owned()) {
            return;
        }
        let (setters, top) = self.switched_setters(subject, Field::At(at), Part::Value);
        let is_edit = self.request.history[self.target].undoes.is_empty();
        if setters.is_younger_than(self.target)
            || (is_edit && !setters.is_of_life(self.target, self.comings.brings_back(subject)))
        {
            return self.skip(SkipReason::Removed, subject, at.to_owned());
        }
        let now = subject.read(&self.work, at);
        let Some(top) = top else {
            let is_own = setters.owner().is_none_or(|owner| owner <= self.target);
            return self.key_back(subject, pointer, now.is_some() && is_own);
        };
        let is_backgrounds = *subject == Subject::Attributes && at == BACKGROUNDS;
        if is_backgrounds || self.is_made_list(subject, pointer) {
            return self.list_back(subject, pointer, now.as_ref(), patch);
        }
        let mut wanted = setters.value_at(top).cloned();
        let returned = self.returned.contains_key(subject);
        let mut event = setters.owner().filter(|owner| *owner > top && !returned);
        if event.is_none() && wanted.as_ref().is_some_and(Json::is_string) {
            wanted = self.text_without(subject, pointer).or(wanted);
        }
        if same(now.as_ref(), wanted.as_ref()) {
            self.remember = true;
            return self.key_back(subject, pointer, now.is_some() && event.is_none());
        }
        if self.was_left(subject, Field::At(at), &setters, event) {
            self.remember = true;
            return;
        }
        let hitch = |event| Hitch {
            pointer: at.into(),
            wanted: wanted.clone(),
            now: now.clone(),
            event,
        };
        let reachable = wanted.is_none() || subject.is_reachable(&self.work, pointer);
        if event.is_none() && !reachable {
            event = pointer
                .split_last()
                .and_then(|(parent, _)| self.taken(subject, Field::At(parent)));
        }
        if event.is_some() && (self.request.policy != Policy::Restore || !reachable) {
            return self.conflict(ConflictKind::Overwritten, subject, hitch(event));
        }
        if let Some(id) = refs::first_gone(pointer, wanted.as_ref(), &self.gone_since()) {
            let event = self.trail.remover(&Subject::Node(id.clone()));
            return self.conflict(ConflictKind::RefMissing { id }, subject, hitch(event));
        }
        if event.is_some() {
            self.note(UndoNoteKind::Restored, subject, at);
        }
        let field = (subject.clone(), at.to_owned());
        if wanted.is_some() && now.is_some() && self.set_later.contains(&field) {
            self.settled.remove(&field);
            return patch.unset.push(pointer.clone());
        }
        match wanted {
            Some(value) => patch.set.push((pointer.clone(), value)),
            None => patch.unset.push(pointer.clone()),
        }
    }

    /// Says whether a field stays as an undo, of which this is the redo, had found and left it: it belongs to the same as
    /// then, or now to one, `later`, who is newer than those that are switched, and was there then.
    pub(super) fn was_left(
        &self,
        subject: &Subject,
        field: Field<'_>,
        setters: &Setters,
        later: Option<usize>,
    ) -> bool {
        let touches = self.trail.touches(subject, self.target);
        let mut own = touches.take_while(|touch| touch.event == self.target);
        let is_same = || setters.owner_after(self.target) == setters.owner_after(usize::MAX);
        !self.request.history[self.target].undoes.is_empty()
            && !self.returned.contains_key(subject)
            && own.all(|touch| !concerns(touch.op, field))
            && (later.is_some_and(|owner| owner < self.target) || is_same())
    }

    /// Puts those elements back that the event took out, and that nobody has put in or taken out since.
    pub(super) fn put_elements_back(&mut self, id: &Id, pointer: &Pointer, values: &[Json], at: &[usize]) {
        let Some(set) = self.set_to_change(id, pointer) else {
            return;
        };
        let keeps = |index: &usize| {
            let value = &values[*index];
            !has(&set, value) && self.is_own_element(id, pointer, value, true)
        };
        let kept: Vec<usize> = (0..values.len()).filter(keeps).collect();
        let at = kept.iter().filter_map(|index| at.get(*index).copied()).collect();
        let values: Vec<Json> = kept.into_iter().map(|index| values[index].clone()).collect();
        if !values.is_empty() && !self.is_list_taken(&Subject::Node(id.clone()), pointer) {
            self.emit(DesignOp::AddToSet {
                id: id.clone(),
                pointer: pointer.clone(),
                values,
                at,
            });
        }
    }

    /// Says whether somebody has taken the whole list away since, and the elements stay out for that.
    fn is_list_taken(&mut self, subject: &Subject, pointer: &Pointer) -> bool {
        let at = pointer.as_str();
        if self.returned.contains_key(subject) || subject.read(&self.work, at).is_some() {
            return false;
        }
        let (makers, _) = self.switched_setters(subject, Field::At(at), Part::List);
        let edits = self.switched.iter().map(|(event, _)| *event);
        let newest = edits.filter(|event| self.trail.events.undoes(*event).is_empty()).max();
        let Some(event) = makers.owner().filter(|owner| Some(*owner) > newest) else {
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

    /// Takes those elements out that the event put in, and that nobody has put in or taken out since.
    pub(super) fn take_elements_out(&mut self, id: &Id, pointer: &Pointer, values: &[Json]) {
        let Some(set) = self.set_to_change(id, pointer) else {
            return;
        };
        // What comes in again comes to its place.
        let again: Vec<&Json> = values
            .iter()
            .filter(|value| self.is_element_put_in_again(id, pointer, value))
            .collect();
        let is_own = |value: &Json, shall_be_in| self.is_own_element(id, pointer, value, shall_be_in);
        let goes =
            |value: &Json| has(&set, value) && (is_own(value, false) || again.contains(&value) && is_own(value, true));
        let mine = values.iter().filter(|value| goes(value));
        let values: Vec<Json> = mine.cloned().collect();
        let emptied = values.len() == set.len() && again.is_empty();
        if values.is_empty() {
            return;
        }
        self.emit(DesignOp::RemoveFromSet {
            id: id.clone(),
            pointer: pointer.clone(),
            values,
        });
        let subject = Subject::Node(id.clone());
        let added =
            |op: &DesignOp| matches!(op, DesignOp::AddToSet { id: to, pointer: at, .. } if to == id && at == pointer);
        if emptied && self.undoes_what(added) && self.is_left_over(&subject, pointer.as_str()) {
            let patch = Patch {
                unset: vec![pointer.clone()],
                ..Patch::default()
            };
            self.emit(DesignOp::SetNode { id: id.clone(), patch });
        }
    }

    /// A list that the event only made, or that of the backgrounds, goes once it is empty and nobody else has made it: what
    /// is in it is by itself.
    fn list_back(&mut self, subject: &Subject, pointer: &Pointer, now: Option<&Json>, patch: &mut Patch) {
        self.remember = true;
        // One that nobody who stands had made before either is there, or not, for another reason.
        let makers = self.setters(subject, Field::At(pointer.as_str()), Part::List);
        let (was_made, is_made) = (
            makers.value_at(usize::MAX).is_some(),
            !self.is_left_over(subject, pointer.as_str()),
        );
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
    fn is_made_list(&self, subject: &Subject, pointer: &Pointer) -> bool {
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

    /// Says whether an element is still as those left it who are switched, and shall be in the set or not.
    fn is_own_element(&self, id: &Id, pointer: &Pointer, value: &Json, shall_be_in: bool) -> bool {
        let subject = Subject::Node(id.clone());
        let field = Field::Element(pointer.as_str(), value);
        let (setters, Some(top)) = self.switched_setters(&subject, field, Part::Value) else {
            return false;
        };
        let is_own = self.returned.contains_key(&subject) || setters.owner().is_none_or(|owner| owner <= top);
        is_own && !self.was_left(&subject, field, &setters, None) && setters.value_at(top).is_some() == shall_be_in
    }

    /// Gives the elements of a set now. What is no set any more is a conflict.
    fn set_to_change(&mut self, id: &Id, pointer: &Pointer) -> Option<Vec<Json>> {
        let subject = Subject::Node(id.clone());
        match subject.read(&self.work, pointer.as_str()) {
            Some(Json::Array(items)) => Some(items),
            None if subject.is_reachable(&self.work, pointer) => Some(Vec::new()),
            now => {
                let event = self.taken(&subject, Field::At(pointer.as_str()));
                let hitch = Hitch {
                    pointer: pointer.to_string(),
                    wanted: None,
                    now,
                    event,
                };
                self.conflict(ConflictKind::Overwritten, &subject, hitch);
                None
            }
        }
    }
}
