//! Taking a text edit of a string property back: by a weave of the property's history.

use std::collections::{BTreeSet, HashSet};

use super::plan::{Policy, UndoNoteKind};
use super::planner::{Hitch, Planner};
use super::weave::Weave;
use crate::delta::Delta;
use crate::design::{DesignOp, Id};
use crate::json::Json;
use crate::patch::Patch;
use crate::pointer::Pointer;
use crate::rebase::{Committed, ConflictKind, Field, Said, Subject, Trail, said};
use crate::text::{TextDelta, apply_plain};

impl Planner<'_> {
    /// Takes the event's part in a text away.
    pub(super) fn edit_back(&mut self, id: &Id, pointer: &Pointer, stored: &TextDelta) {
        let subject = Subject::Node(id.clone());
        let edit = |delta| DesignOp::EditText {
            id: id.clone(),
            pointer: pointer.clone(),
            delta,
        };
        if self.returned.contains(&subject) {
            return self.emit(edit(stored.clone()));
        }
        if !self.woven.insert((id.clone(), pointer.clone())) {
            // The whole event was taken out of the text at once.
            return;
        }
        let at = pointer.as_str();
        let replaced = self.trail.replaced(&subject, Field::At(at), self.target + 1);
        let Some(Json::String(now)) = subject.read(&self.work, at).filter(|_| replaced.is_none()) else {
            return self.replaced_text_back(&subject, id, pointer, replaced);
        };
        let history = History::new(&self.trail, &subject, at);
        let woven = history.woven(self.trail.events.len(), Some(&now));
        let then = self.off_then();
        self.remember |= woven.off != then;
        let delta = woven.weave.change(&woven.off, &then);
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
        if is_text && !self.returned.contains(&subject) {
            self.edit_back(id, pointer, &TextDelta::new());
        }
    }

    /// A text that was set as a whole since stays, or becomes what it was before that, without the event's part.
    fn replaced_text_back(&mut self, subject: &Subject, id: &Id, pointer: &Pointer, event: Option<usize>) {
        let at = pointer.as_str();
        let now = subject.read(&self.work, at);
        let history = History::new(&self.trail, subject, at);
        let wanted = event.map(|event| history.woven(event, now.as_ref().and_then(Json::as_str)).weave);
        let wanted = wanted.map(|weave| Json::from(weave.text(&self.off_then())));
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

    /// Gives the edits that are off once the event is undone.
    fn off_then(&self) -> HashSet<u64> {
        self.trail.events.undone_with(self.target)
    }
}

/// Gives the texts in which the events have a part that a compensation takes back or, undone, lets stand again.
pub(super) fn texts_of(history: &[Committed<'_>], target: usize) -> Vec<(Id, Pointer)> {
    let mut texts = Vec::new();
    let mut open: Vec<u64> = history[target].undoes.to_vec();
    while let Some(version) = open.pop() {
        let Ok(event) = history.binary_search_by_key(&version, |event| event.version) else {
            continue;
        };
        open.extend(history[event].undoes.iter().filter(|older| **older < version));
        if let Delta::Design(ops) = history[event].delta {
            texts.extend(ops.iter().filter_map(|op| match op {
                DesignOp::EditText { id, pointer, .. } => Some((id.clone(), pointer.clone())),
                _ => None,
            }));
        }
    }
    texts
}

/// What the events did to one string property.
struct History<'t, 'a> {
    trail: &'t Trail<'a>,
    subject: &'t Subject,
    at: &'t str,
    compensations: Vec<usize>,
}

/// The property's weave, and which edits are off in it.
struct Woven {
    weave: Weave,
    off: HashSet<u64>,
    /// The events that have a part in it, or switch one of those off or on.
    known: HashSet<u64>,
    /// The text as it really was at each step; nothing while there was none.
    text: Option<String>,
}

impl<'t, 'a> History<'t, 'a> {
    fn new(trail: &'t Trail<'a>, subject: &'t Subject, at: &'t str) -> History<'t, 'a> {
        History {
            trail,
            subject,
            at,
            compensations: trail.events.compensations(),
        }
    }

    /// Weaves the events before `end`. `now` is the text after all of them.
    fn woven(&self, end: usize, now: Option<&str>) -> Woven {
        let start = self.start(now);
        let weave = Weave::new(start.as_deref().unwrap_or_default());
        let mut woven = Woven {
            weave,
            off: HashSet::new(),
            known: HashSet::new(),
            text: start,
        };
        for event in self.events(end) {
            let undoes = self.trail.events.undoes(event);
            if undoes.iter().any(|target| woven.known.contains(target)) {
                self.toggle(&mut woven, event);
            } else {
                self.weave_in(&mut woven, event);
            }
        }
        woven
    }

    /// Gives the events that touch the property, and the compensations, in order.
    fn events(&self, end: usize) -> BTreeSet<usize> {
        let touching = self.trail.touches(self.subject, 0).map(|touch| touch.event);
        self.compensations
            .iter()
            .copied()
            .chain(touching)
            .filter(|event| *event < end)
            .collect()
    }

    /// Switches edits off or on. Where the event left another text than that, it counts as having set it.
    fn toggle(&self, woven: &mut Woven, event: usize) {
        let events = &self.trail.events;
        woven.known.insert(events.key(event));
        let until = self.compensations.partition_point(|other| *other <= event);
        woven.off = events.undone(&self.compensations[..until]);
        for touch in self
            .trail
            .touches(self.subject, event)
            .take_while(|touch| touch.event == event)
        {
            woven.text = self.after(woven.text.take(), touch.op);
        }
        if let Some(text) = &woven.text
            && woven.weave.text(&woven.off) != *text
        {
            woven.weave.replace(events.key(event), text);
        }
    }

    fn weave_in(&self, woven: &mut Woven, event: usize) {
        let key = self.trail.events.key(event);
        for touch in self
            .trail
            .touches(self.subject, event)
            .take_while(|touch| touch.event == event)
        {
            woven.known.insert(key);
            let before = woven.text.take();
            woven.text = self.after(before.clone(), touch.op);
            match touch.op {
                DesignOp::EditText { pointer, delta, .. } if pointer.as_str() == self.at => {
                    woven.weave.edit(key, delta, &woven.off);
                }
                DesignOp::RemoveNode { .. } => {}
                // A node that comes back brings the text that it had.
                DesignOp::AddNode { .. } => match &woven.text {
                    Some(text) if woven.weave.text(&woven.off) != *text => woven.weave.replace(key, text),
                    _ => {}
                },
                _ if woven.text != before => woven.weave.replace(key, woven.text.as_deref().unwrap_or_default()),
                _ => {}
            }
        }
    }

    /// Gives the text before all events, from the one after them.
    fn start(&self, now: Option<&str>) -> Option<String> {
        let touches = self.trail.touches(self.subject, 0).rev();
        touches.fold(now.map(str::to_owned), |text, touch| match touch.inverse {
            Some(inverse) => self.after(text, inverse),
            None => text,
        })
    }

    /// Gives the text after an operation.
    fn after(&self, text: Option<String>, op: &DesignOp) -> Option<String> {
        match (said(op, Field::At(self.at)), op) {
            (Said::Nothing, _) => text,
            (Said::Value(value), _) => value.as_deref().and_then(Json::as_str).map(str::to_owned),
            (Said::Inside, DesignOp::EditText { pointer, delta, .. }) if pointer.as_str() == self.at => {
                let text = text?;
                Some(apply_plain(&text, delta).map_or(text, |(text, _)| text))
            }
            (Said::Gone | Said::Inside, _) => None,
        }
    }
}
