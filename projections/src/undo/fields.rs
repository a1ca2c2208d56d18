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
use crate::rebase::{BACKGROUNDS, ConflictKind, Field, Subject, has, same};

impl Planner<'_> {
    /// Gives what of a stored patch is to be set back.
    pub(super) fn patch_back(&mut self, subject: &Subject, stored: &Patch) -> Option<Patch> {
        let mut patch = Patch::default();
        for (pointer, value) in &stored.set {
            if self.is_list_to_fill(subject, pointer, value) && self.is_open(subject, pointer.to_string()) {
                patch.set.push((pointer.clone(), value.clone()));
            } else {
                self.field_back(subject, pointer, &mut patch);
            }
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
        if let Some(id) = refs::first_gone(pointer, wanted.as_ref(), |id| self.gone_since(id)) {
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
    /// then, who is not switched himself, or now to one, `later`, who is newer than those that are, and was there then.
    pub(super) fn was_left(
        &self,
        subject: &Subject,
        field: Field<'_>,
        setters: &Setters,
        later: Option<usize>,
    ) -> bool {
        let touches = self.trail.touches(subject, self.target);
        let mut own = touches.take_while(|touch| touch.event == self.target);
        let is_same = || {
            let owner = setters.owner_after(usize::MAX);
            setters.owner_after(self.target) == owner && owner.is_none_or(|owner| setters.standing.contains(&owner))
        };
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

    /// Says whether an element is still as those left it who are switched, and shall be in the set or not.
    pub(super) fn is_own_element(&self, id: &Id, pointer: &Pointer, value: &Json, shall_be_in: bool) -> bool {
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
