//! Properties, attributes, texts and sets of a DESIGN page over what others did to them.

use super::conflict::ConflictKind;
use super::design::{Clash, Run, Settled, Verdict};
use super::field::{BACKGROUNDS, Field, has, same};
use super::subject::Subject;
use crate::design::{DesignOp, Id};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::{Pointer, holds};
use crate::rebase::doc::over_texts;
use crate::text::{TextDelta, apply_plain};

impl Run<'_> {
    /// Keeps of a patch what may be set.
    pub(super) fn patch(&mut self, subject: &Subject, patch: &Patch) -> Patch {
        let mut kept = Patch::default();
        for (pointer, value) in &patch.set {
            if self.keeps(subject, pointer, Some(value)) {
                kept.set.push((pointer.clone(), value.clone()));
            }
        }
        for pointer in &patch.unset {
            if self.keeps(subject, pointer, None) {
                kept.unset.push(pointer.clone());
            }
        }
        let left_out = |pointer: &Pointer| {
            patch.set.iter().any(|(set, _)| set == pointer) && !kept.set.iter().any(|(set, _)| set == pointer)
        };
        kept.at = patch
            .at
            .iter()
            .filter(|(pointer, _)| !left_out(pointer))
            .cloned()
            .collect();
        kept
    }

    /// Says whether a value is to be set (`None`: taken away).
    fn keeps(&mut self, subject: &Subject, pointer: &Pointer, mine: Option<&Json>) -> bool {
        let at = pointer.as_str();
        let reachable = mine.is_none() || subject.is_reachable(&self.work, pointer);
        let above = || {
            pointer
                .split_last()
                .and_then(|(parent, _)| self.taken(subject, Field::At(parent)))
        };
        let taken = self.taken(subject, Field::At(at));
        let Some(event) = taken.or_else(|| if reachable { None } else { above() }) else {
            self.settle(subject, pointer, Settled::Mine);
            return true;
        };
        let theirs = subject.read(&self.work, at);
        if same(theirs.as_ref(), mine) || self.is_list_made(subject, pointer, mine, theirs.as_ref()) {
            self.settle(subject, pointer, Settled::Mine);
            self.findings.drop(subject, at);
            return false;
        }
        let before = self.trail.before(subject, Field::At(at), 0, theirs.clone());
        let clash = Clash {
            pointer: at.into(),
            before,
            mine: mine.cloned(),
            theirs,
            event: Some(event),
        };
        let verdict = match reachable {
            true => self.decide(ConflictKind::Overwritten, subject, clash),
            false => self.give_way(subject, clash),
        };
        let take = verdict == Verdict::TakeMine;
        self.settle(subject, pointer, if take { Settled::Mine } else { Settled::Theirs });
        take
    }

    /// A list of backgrounds, or a set, that two make at the same time is made once; one that is not empty stays.
    fn is_list_made(&self, subject: &Subject, pointer: &Pointer, mine: Option<&Json>, theirs: Option<&Json>) -> bool {
        if !theirs.is_some_and(Json::is_array) {
            return false;
        }
        let empty = mine.is_none_or(|mine| mine.as_array().is_some_and(Vec::is_empty));
        match subject {
            Subject::Attributes => pointer.as_str() == BACKGROUNDS && empty,
            Subject::Node(node) => {
                let next = self.next_op();
                let fills = |op: &DesignOp| match op {
                    DesignOp::AddToSet { id, pointer: set, .. } => id == node && set == pointer,
                    _ => false,
                };
                mine.is_some() && empty && next.is_some_and(fills)
            }
            _ => false,
        }
    }

    /// A value below something that is gone can only give way.
    fn give_way(&mut self, subject: &Subject, clash: Clash) -> Verdict {
        match self.options.on_overwrite {
            super::OnOverwrite::Theirs => self.decide(ConflictKind::Overwritten, subject, clash),
            _ => {
                self.conflict(ConflictKind::Overwritten, subject, clash);
                Verdict::LeaveTheirs
            }
        }
    }

    pub(super) fn edit_text(&mut self, id: &Id, pointer: &Pointer, delta: &TextDelta) {
        let subject = Subject::Node(id.clone());
        let plain = |delta| DesignOp::EditText {
            id: id.clone(),
            pointer: pointer.clone(),
            delta,
        };
        match self.settled(id, pointer) {
            Some(Settled::Theirs) => return self.findings.drop(&subject, pointer.as_str()),
            Some(Settled::Mine) => return self.emit(plain(delta.clone())),
            None if self.added.contains(&subject) => return self.emit(plain(delta.clone())),
            None => {}
        }
        let key = (id.clone(), pointer.clone());
        if !self.texts.contains_key(&key) {
            if self.trail.replaced(&subject, Field::At(pointer.as_str()), 0).is_some() {
                return self.edit_replaced(&subject, id, pointer, delta);
            }
            let theirs = self.their_edits(&subject, pointer);
            self.texts.insert(key.clone(), theirs);
        }
        let Some(theirs) = self.texts.get_mut(&key) else {
            return;
        };
        let mine = over_texts(delta, theirs, self.options);
        match mine.is_empty() {
            true => self.findings.drop(&subject, pointer.as_str()),
            false => self.emit(plain(mine)),
        }
    }

    /// An edit of a text that was set since: what it makes of the old text stands against the new one.
    fn edit_replaced(&mut self, subject: &Subject, id: &Id, pointer: &Pointer, delta: &TextDelta) {
        let at = pointer.as_str();
        let theirs = subject.read(&self.work, at);
        let before = self.trail.before(subject, Field::At(at), 0, theirs.clone());
        let mine = before
            .as_ref()
            .and_then(Json::as_str)
            .and_then(|text| apply_plain(text, delta).ok());
        let mine = mine.map(|(text, _)| Json::from(text));
        if mine.is_some() && same(theirs.as_ref(), mine.as_ref()) {
            self.settle(subject, pointer, Settled::Mine);
            return self.findings.drop(subject, at);
        }
        let event = self.trail.replaced(subject, Field::At(at), 0);
        let reachable = mine.is_some() && subject.is_reachable(&self.work, pointer);
        let clash = Clash {
            pointer: at.into(),
            before,
            mine: mine.clone(),
            theirs,
            event,
        };
        let verdict = match reachable {
            true => self.decide(ConflictKind::Overwritten, subject, clash),
            false => self.give_way(subject, clash),
        };
        let (Verdict::TakeMine, Some(mine)) = (verdict, mine) else {
            return self.settle(subject, pointer, Settled::Theirs);
        };
        self.settle(subject, pointer, Settled::Mine);
        let patch = Patch {
            set: vec![(pointer.clone(), mine)],
            ..Patch::default()
        };
        self.emit(DesignOp::SetNode { id: id.clone(), patch });
    }

    fn their_edits(&self, subject: &Subject, pointer: &Pointer) -> Vec<TextDelta> {
        let edits = self.trail.touches(subject, 0).filter_map(|touch| match touch.op {
            DesignOp::EditText {
                pointer: edited, delta, ..
            } if edited == pointer => Some(delta.clone()),
            _ => None,
        });
        edits.collect()
    }

    pub(super) fn add_to_set(&mut self, id: &Id, pointer: &Pointer, values: &[Json], at: &[usize]) {
        let Some(set) = self.set_at(id, pointer, values) else {
            return;
        };
        let new = values.iter().enumerate().filter(|(_, value)| !has(&set, value));
        let new: Vec<(usize, &Json)> = new.collect();
        let at = match self.taken(&Subject::Node(id.clone()), Field::At(pointer.as_str())) {
            None => new.iter().filter_map(|(index, _)| at.get(*index).copied()).collect(),
            Some(_) => Vec::new(),
        };
        let values: Vec<Json> = new.into_iter().map(|(_, value)| value.clone()).collect();
        self.emit_values(id, pointer, values, |id, pointer, values| DesignOp::AddToSet {
            id,
            pointer,
            values,
            at,
        });
    }

    pub(super) fn remove_from_set(&mut self, id: &Id, pointer: &Pointer, values: &[Json]) {
        let Some(set) = self.set_at(id, pointer, values) else {
            return;
        };
        let values: Vec<Json> = values.iter().filter(|value| has(&set, value)).cloned().collect();
        self.emit_values(id, pointer, values, |id, pointer, values| DesignOp::RemoveFromSet {
            id,
            pointer,
            values,
        });
    }

    /// Gives the elements of a set now; an absent one has none. What is no set any more is a conflict.
    fn set_at(&mut self, id: &Id, pointer: &Pointer, values: &[Json]) -> Option<Vec<Json>> {
        let subject = Subject::Node(id.clone());
        if self.settled(id, pointer) == Some(Settled::Theirs) {
            self.findings.drop(&subject, pointer.as_str());
            return None;
        }
        match subject.read(&self.work, pointer.as_str()) {
            Some(Json::Array(items)) => Some(items),
            None if subject.is_reachable(&self.work, pointer) => Some(Vec::new()),
            theirs => {
                let event = self.taken(&subject, Field::At(pointer.as_str()));
                let before = self
                    .trail
                    .before(&subject, Field::At(pointer.as_str()), 0, theirs.clone());
                let mine = Some(Json::Array(values.to_vec()));
                let clash = Clash {
                    pointer: pointer.to_string(),
                    before,
                    mine,
                    theirs,
                    event,
                };
                self.give_way(&subject, clash);
                None
            }
        }
    }

    fn emit_values(
        &mut self,
        id: &Id,
        pointer: &Pointer,
        values: Vec<Json>,
        op: impl FnOnce(Id, Pointer, Vec<Json>) -> DesignOp,
    ) {
        match values.is_empty() {
            true => self.findings.drop(&Subject::Node(id.clone()), pointer.as_str()),
            false => self.emit(op(id.clone(), pointer.clone(), values)),
        }
    }

    fn settle(&mut self, subject: &Subject, pointer: &Pointer, settled: Settled) {
        if let Subject::Node(id) = subject {
            self.settled
                .entry(id.clone())
                .or_default()
                .push((pointer.clone(), settled));
        }
    }

    /// Says whose value a field has within the delta, if the delta has set it or given it up.
    fn settled(&self, id: &Id, pointer: &Pointer) -> Option<Settled> {
        let settled = self.settled.get(id)?.iter().rev();
        settled
            .into_iter()
            .find(|(set, _)| holds(set.as_str(), pointer.as_str()))
            .map(|(_, settled)| *settled)
    }
}
