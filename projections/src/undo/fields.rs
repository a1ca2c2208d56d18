//! Setting fields back: properties, attributes, what backgrounds hold, elements of sets.

use super::plan::{Policy, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::refs;
use crate::design::{DesignOp, Id};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{BACKGROUNDS, ConflictKind, Field, Said, Subject, has, said, same};

impl Planner<'_> {
    /// Gives what of a stored patch is to be set back.
    pub(super) fn patch_back(&mut self, subject: &Subject, stored: &Patch, pair: Option<&DesignOp>) -> Option<Patch> {
        let mut patch = Patch::default();
        for (pointer, value) in &stored.set {
            self.field_back(subject, pointer, Some(value), pair, &mut patch);
        }
        for pointer in &stored.unset {
            self.field_back(subject, pointer, None, pair, &mut patch);
        }
        let changes = |pointer: &Pointer| patch.set.iter().any(|(set, _)| set == pointer);
        let stays =
            |pointer: &Pointer| !stored.set.iter().any(|(set, _)| set == pointer) && !patch.unset.contains(pointer);
        let at = stored
            .at
            .iter()
            .filter(|(pointer, _)| changes(pointer) || stays(pointer))
            .cloned()
            .collect();
        patch.at = at;
        let only_places = stored.set.is_empty() && stored.unset.is_empty();
        let nothing = patch.set.is_empty() && patch.unset.is_empty() && !only_places;
        (!nothing && !patch.is_empty()).then_some(patch)
    }

    fn field_back(
        &mut self,
        subject: &Subject,
        pointer: &Pointer,
        stored: Option<&Json>,
        pair: Option<&DesignOp>,
        patch: &mut Patch,
    ) {
        let at = pointer.as_str();
        let wanted = self.wanted(subject, Field::At(at), stored);
        let now = subject.read(&self.work, at);
        if same(now.as_ref(), wanted.as_ref()) || is_list_in_use(subject, pointer, wanted.as_ref(), now.as_ref(), pair)
        {
            return;
        }
        let hitch = |event| Hitch {
            pointer: at.into(),
            wanted: wanted.clone(),
            now: now.clone(),
            event,
        };
        let mut event = self
            .taken(subject, Field::At(at))
            .filter(|_| !is_own_list(pointer, wanted.as_ref(), now.as_ref(), pair));
        let reachable = wanted.is_none() || subject.is_reachable(&self.work, pointer);
        if event.is_none() && !reachable {
            event = pointer
                .split_last()
                .and_then(|(parent, _)| self.taken(subject, Field::At(parent)));
        }
        if event.is_some() && (self.request.policy != Policy::Restore || !reachable) {
            return self.conflict(ConflictKind::Overwritten, subject, hitch(event));
        }
        if let Some(id) = refs::first_gone(pointer, wanted.as_ref(), &self.gone) {
            let event = self.trail.remover(&Subject::Node(id.clone()));
            return self.conflict(ConflictKind::RefMissing { id }, subject, hitch(event));
        }
        if event.is_some() {
            self.note(UndoNoteKind::Restored, subject, at);
        }
        match wanted {
            Some(value) => patch.set.push((pointer.clone(), value)),
            None => patch.unset.push(pointer.clone()),
        }
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
        if !values.is_empty() {
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
        let mine = values
            .iter()
            .filter(|value| has(&set, value) && self.is_own_element(id, pointer, value, false));
        let values: Vec<Json> = mine.cloned().collect();
        let emptied = values.len() == set.len();
        if values.is_empty() {
            return;
        }
        self.emit(DesignOp::RemoveFromSet {
            id: id.clone(),
            pointer: pointer.clone(),
            values,
        });
        let subject = Subject::Node(id.clone());
        if emptied && self.is_left_over(&subject, pointer.as_str()) {
            let patch = Patch {
                unset: vec![pointer.clone()],
                ..Patch::default()
            };
            self.emit(DesignOp::SetNode { id: id.clone(), patch });
        }
    }

    /// Says whether a list is only there because it was in use when the event that made it was undone.
    pub(super) fn is_left_over(&self, subject: &Subject, at: &str) -> bool {
        let owned = self.trail.owned_before(subject, Field::At(at), self.target);
        let value = owned.given_back(&self.since, &self.trail.events);
        matches!(value, Some(Said::Value(None)))
    }

    /// Says whether an element is still as the event left it, and shall be as it was before.
    fn is_own_element(&self, id: &Id, pointer: &Pointer, value: &Json, shall_be_in: bool) -> bool {
        let subject = Subject::Node(id.clone());
        let field = Field::Element(pointer.as_str(), value);
        let stored = shall_be_in.then_some(Json::Bool(true));
        self.taken(&subject, field).is_none() && self.wanted(&subject, field, stored.as_ref()).is_some() == shall_be_in
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

/// A set, or the list of backgrounds, that the event made and that others fill by now stays: the event's own elements
/// were taken out one by one.
fn is_list_in_use(
    subject: &Subject,
    pointer: &Pointer,
    wanted: Option<&Json>,
    now: Option<&Json>,
    pair: Option<&DesignOp>,
) -> bool {
    if now.and_then(Json::as_array).is_none_or(Vec::is_empty) {
        return false;
    }
    let backgrounds = *subject == Subject::Attributes && pointer.as_str() == BACKGROUNDS;
    backgrounds || (wanted.is_none() && makes_list(pointer, pair))
}

/// A set that the event made and that is empty goes, also where others have put something in and taken it out.
fn is_own_list(pointer: &Pointer, wanted: Option<&Json>, now: Option<&Json>, pair: Option<&DesignOp>) -> bool {
    wanted.is_none() && now.and_then(Json::as_array).is_some_and(Vec::is_empty) && makes_list(pointer, pair)
}

fn makes_list(pointer: &Pointer, pair: Option<&DesignOp>) -> bool {
    match pair.map(|pair| said(pair, Field::At(pointer.as_str()))) {
        Some(Said::Value(Some(made))) => made.as_array().is_some_and(Vec::is_empty),
        _ => false,
    }
}
