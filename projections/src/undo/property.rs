//! What became of the text of one string property: a weave of the events that touched it.
//!
//! A compensation is worked in as what it switches off or on; what it left beside that counts as set by it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::births::Births;
use crate::design::DesignOp;
use crate::json::Json;
use crate::rebase::{Field, Said, Subject, Trail, said};
use crate::text::weave::{EditId, Weave, WeaveError};
use crate::text::{RichText, TextDelta, apply_plain};

/// What the events did to one string property.
pub(super) struct History<'t, 'a> {
    trail: &'t Trail<'a>,
    subject: &'t Subject,
    at: &'t str,
    compensations: Vec<usize>,
    births: Births,
}

/// The property's weave, and which edits are off in it.
pub(super) struct Woven {
    pub(super) weave: Weave,
    pub(super) off: HashSet<u64>,
    /// The edits of the weave that each event made.
    edits: HashMap<u64, Vec<EditId>>,
    /// How many edits there are.
    count: u64,
    /// The events that have a part in it, or switch one of those off or on.
    known: HashSet<u64>,
    /// The text as it really was at each step; nothing while there was none.
    text: Option<String>,
    /// The event that began the life that the node is in.
    birth: Option<usize>,
    /// The weaves of its other lives, by what began them, each with what is off in it and its edits.
    lives: HashMap<Option<usize>, Life>,
}

type Life = (Weave, HashSet<u64>, HashMap<u64, Vec<EditId>>);

impl<'t, 'a> History<'t, 'a> {
    pub(super) fn new(trail: &'t Trail<'a>, subject: &'t Subject, at: &'t str) -> History<'t, 'a> {
        History {
            trail,
            subject,
            at,
            compensations: trail.events.compensations(),
            births: Births::of(trail, subject),
        }
    }

    /// Weaves the events before `end`. `now` is the text after all of them.
    pub(super) fn woven(&self, end: usize, now: Option<&str>) -> Result<Woven, WeaveError> {
        let mut woven = Woven::new(self.start(now))?;
        for event in self.events(end) {
            let undoes = self.trail.events.undoes(event);
            if undoes.iter().any(|target| woven.known.contains(target)) {
                self.toggle(&mut woven, event)?;
            } else {
                woven.toggle(self.switched(event));
                self.weave_in(&mut woven, event)?;
            }
        }
        Ok(woven)
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
    fn toggle(&self, woven: &mut Woven, event: usize) -> Result<(), WeaveError> {
        let events = &self.trail.events;
        woven.known.insert(events.key(event));
        if self.is_brought_back(event) {
            let off = woven.off.clone();
            woven.enter(self.births.at(event))?;
            woven.switch(off);
        }
        woven.toggle(self.switched(event));
        for touch in self
            .trail
            .touches(self.subject, event)
            .take_while(|touch| touch.event == event)
        {
            woven.text = self.after(woven.text.take(), touch.op);
        }
        woven.settle(events.key(event))
    }

    /// Gives the events that an event lets stand, or not.
    fn switched(&self, event: usize) -> impl Iterator<Item = (u64, bool)> {
        let switched = self.trail.switched(event).iter();
        switched.map(|(event, stands)| (self.trail.events.key(*event), *stands))
    }

    fn is_brought_back(&self, event: usize) -> bool {
        let touches = self.trail.touches(self.subject, event);
        let mut own = touches.take_while(|touch| touch.event == event);
        own.any(|touch| matches!(touch.op, DesignOp::AddNode { .. }))
    }

    fn weave_in(&self, woven: &mut Woven, event: usize) -> Result<(), WeaveError> {
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
                    woven.edit(key, delta)?;
                }
                DesignOp::RemoveNode { .. } => {}
                // With its creation the node's life begins: nobody takes that text out again.
                DesignOp::AddNode { .. } if self.trail.events.undoes(event).is_empty() => woven.enter(Some(event))?,
                // A node that comes back brings the text that it had.
                DesignOp::AddNode { .. } => woven.settle(key)?,
                _ if woven.text != before => woven.replace(key)?,
                _ => {}
            }
        }
        Ok(())
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

impl Woven {
    fn new(start: Option<String>) -> Result<Woven, WeaveError> {
        Ok(Woven {
            weave: Weave::new(&RichText::from_plain(start.as_deref().unwrap_or_default()))?,
            off: HashSet::new(),
            edits: HashMap::new(),
            count: 0,
            known: HashSet::new(),
            text: start,
            birth: None,
            lives: HashMap::new(),
        })
    }

    /// Switches off the edits of these events, and all others on; gives the delta between the texts.
    pub(super) fn switch(&mut self, off: HashSet<u64>) -> TextDelta {
        let differ = self.off.symmetric_difference(&off);
        let edits = differ.flat_map(|event| {
            let on = !off.contains(event);
            let edits = self.edits.get(event).into_iter().flatten();
            edits.map(move |edit| (*edit, on))
        });
        let delta = self.weave.flip_edits(edits);
        self.off = off;
        delta
    }

    /// Switches the edits of some events on, or off.
    fn toggle(&mut self, switched: impl Iterator<Item = (u64, bool)>) {
        let mut flips = Vec::new();
        for (event, stands) in switched {
            let is_new = match stands {
                true => self.off.remove(&event),
                false => self.off.insert(event),
            };
            if is_new {
                let edits = self.edits.get(&event).into_iter().flatten();
                flips.extend(edits.map(|edit| (*edit, stands)));
            }
        }
        self.weave.flip_edits(flips);
    }

    /// Goes on with a life of the node; one that is new begins with the text of now.
    fn enter(&mut self, birth: Option<usize>) -> Result<(), WeaveError> {
        if self.birth == birth {
            return Ok(());
        }
        let (weave, off, edits) = match self.lives.remove(&birth) {
            Some(life) => life,
            None => {
                let text = RichText::from_plain(self.text.as_deref().unwrap_or_default());
                (Weave::new(&text)?, self.off.clone(), HashMap::new())
            }
        };
        let last = (
            std::mem::replace(&mut self.weave, weave),
            std::mem::replace(&mut self.off, off),
            std::mem::replace(&mut self.edits, edits),
        );
        self.lives.insert(std::mem::replace(&mut self.birth, birth), last);
        Ok(())
    }

    /// Works in an edit of the text.
    fn edit(&mut self, event: u64, delta: &TextDelta) -> Result<(), WeaveError> {
        let edit = self.next(event);
        match self.weave.edit(edit, delta) {
            // The weave has another text than the page had: what the edit made of that one counts.
            Err(WeaveError::Text(_)) => self.replace(event),
            woven => woven,
        }
    }

    /// Where the event left another text than what is on makes, it counts as having set it.
    fn settle(&mut self, event: u64) -> Result<(), WeaveError> {
        match &self.text {
            Some(text) if self.weave.plain() != *text => self.replace(event),
            _ => Ok(()),
        }
    }

    /// Works in that the text was set as a whole.
    fn replace(&mut self, event: u64) -> Result<(), WeaveError> {
        let edit = self.next(event);
        self.weave.replace(edit, self.text.as_deref().unwrap_or_default())
    }

    fn next(&mut self, event: u64) -> EditId {
        self.count += 1;
        let edit = EditId(self.count);
        self.edits.entry(event).or_default().push(edit);
        edit
    }
}
