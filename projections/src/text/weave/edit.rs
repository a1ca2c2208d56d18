//! Working an edit in.

use super::fates::Deed;
use super::fault::{Counted, WeaveError};
use super::order::{Place, number};
use super::runs::Run;
use super::source;
use super::woven::{Edit, EditId, Weave};
use crate::text::{Attributes, Content, TextDelta, TextFault, TextOp};

impl Weave {
    /// Works in the delta that an event applied to the text as it shows. The event must be newer than all that the weave
    /// holds.
    ///
    /// # Errors
    /// [`WeaveError::OutOfOrder`], [`WeaveError::HistoryTooLong`], and [`WeaveError::Text`] for a delta that does not fit
    /// the text. The weave is then as it was.
    pub fn edit(&mut self, event: EditId, delta: &TextDelta) -> Result<(), WeaveError> {
        self.require_newer(event)?;
        self.check(delta)?;
        self.work_in(event, delta);
        Ok(())
    }

    /// Works in that an event set the text as a whole: it deletes all that ever stood there, whether it shows or not, so
    /// that none of it comes back while the event stands.
    ///
    /// # Errors
    /// [`WeaveError::OutOfOrder`], [`WeaveError::HistoryTooLong`]. The weave is then as it was.
    pub(crate) fn replace(&mut self, event: EditId, text: &str) -> Result<(), WeaveError> {
        self.require_newer(event)?;
        self.check(&TextDelta::new().insert(text, None))?;
        let edit = self.begin(event, false);
        for run in 0..number(self.runs.len()) {
            let fate = self.fates.below(self.runs[run as usize].fate, edit, Deed::Delete);
            self.fates.change(run, fate, &mut self.runs);
            self.order.show(run, 0);
        }
        if !text.is_empty() {
            self.insert(0, &Content::Text(text.to_owned()), None, edit);
        }
        self.settle_ending();
        Ok(())
    }

    /// Checks that a delta can be worked in.
    ///
    /// # Errors
    /// As [`Weave::edit`].
    pub fn check(&self, delta: &TextDelta) -> Result<(), WeaveError> {
        delta.require_range(self.len())?;
        let inserts = delta.ops().iter().filter(|op| op.is_insert());
        let null = |op: &TextOp| op.attributes()?.first_null().map(str::to_owned);
        if let Some(name) = inserts.clone().find_map(null) {
            return Err(TextFault::NullAttribute { name }.into());
        }
        let (units, bytes) = inserts.fold((0, 0), |(units, bytes), op| match op {
            TextOp::Insert {
                content: Content::Text(text),
                ..
            } => (units + op.len(), bytes + text.len()),
            op => (units + op.len(), bytes),
        });
        // One more for a newline at the end that the edit finds there.
        let (units, bytes) = (self.units + units + 1, self.source.text_bytes() + bytes + 1);
        WeaveError::at_most(Counted::Edits, self.limits.edits, self.edits.len() + 1)?;
        WeaveError::at_most(Counted::Runs, self.limits.runs, self.runs.len().max(self.fates.len()))?;
        WeaveError::at_most(Counted::Units, self.limits.units, units)?;
        WeaveError::at_most(Counted::TextBytes, self.limits.text_bytes, bytes)?;
        self.check_boundaries(delta)
    }

    pub(super) fn require_newer(&self, event: EditId) -> Result<(), WeaveError> {
        match self.newest() {
            Some(newest) if newest >= event => Err(WeaveError::OutOfOrder { event, newest }),
            _ => Ok(()),
        }
    }

    /// Works in a delta that was checked.
    pub(super) fn work_in(&mut self, event: EditId, delta: &TextDelta) {
        self.take_ending_in(event);
        let edit = self.begin(event, false);
        let mut at = 0;
        for op in delta.ops() {
            match op {
                TextOp::Insert { content, attributes } => {
                    self.insert(at, content, attributes.as_ref(), edit);
                    at += number(content.len());
                }
                TextOp::Retain { len, attributes: None } => at += number(*len),
                TextOp::Retain { len, attributes } => {
                    let patch = self.fates.keep(attributes.as_ref());
                    self.mark(at, number(*len), edit, Deed::Set(patch));
                    at += number(*len);
                }
                TextOp::Delete { len } => self.mark(at, number(*len), edit, Deed::Delete),
            }
        }
        self.settle_ending();
    }

    /// Takes a new edit in, or what stands for a newline that it finds at the end; returns the number.
    pub(super) fn begin(&mut self, event: EditId, is_ending: bool) -> u32 {
        let edit = number(self.edits.len());
        let first_fate = number(self.fates.len());
        self.edits.push(Edit {
            id: event,
            first_fate,
            is_ending,
            active: true,
            shall: true,
        });
        edit
    }

    /// Puts content in right before unit `at`.
    pub(super) fn insert(&mut self, at: u32, content: &Content, attributes: Option<&Attributes>, edit: u32) {
        let attributes = self.fates.keep(attributes);
        let fate = self.fates.insert(edit, attributes);
        self.units += content.len();
        let mut at = at;
        let parts = match content {
            Content::Text(text) => source::parts(text),
            Content::Embed(embed) => {
                let slice = self.source.take_embed(embed);
                let place = self.boundary(at);
                return self.put(place, Run::new(slice, 1, fate));
            }
        };
        for part in parts {
            let slice = self.source.take_text(part);
            let units = number(crate::text::units(part));
            let place = self.boundary(at);
            self.put(place, Run::new(slice, units, fate));
            at += units;
        }
    }

    /// Puts a run that shows in right before the run at a place.
    pub(super) fn put(&mut self, place: Place, run: Run) {
        let new = number(self.runs.len());
        self.order.insert(place, run.units);
        self.runs.push(run);
        self.fates.enter(new, &mut self.runs);
    }

    /// Does a deed to the runs that show `len` units from unit `at` on.
    fn mark(&mut self, at: u32, len: u32, edit: u32, deed: Deed) {
        let (mut at, mut left) = (at, len);
        while left > 0 {
            let place = self.boundary(at);
            let Some(run) = self.order.run_at(place) else {
                break;
            };
            if self.runs[run as usize].units > left && !self.split(run, left) {
                break;
            }
            let Run { units, fate, .. } = self.runs[run as usize];
            let fate = self.fates.below(fate, edit, deed);
            self.fates.change(run, fate, &mut self.runs);
            match deed {
                Deed::Delete => self.order.show(run, 0),
                _ => at += units,
            }
            left -= units;
        }
    }

    /// Finds the run that begins to show at unit `at`; splits the one that goes over it.
    fn boundary(&mut self, at: u32) -> Place {
        let place = self.order.find(at);
        match self.order.run_at(place) {
            Some(run) if place.inside > 0 && self.split(run, place.inside) => self.order.find(at),
            _ => place,
        }
    }

    /// Makes a run end after `left` units and another one go on there; says whether that was possible. In a delta that was
    /// checked it always is.
    fn split(&mut self, run: u32, left: u32) -> bool {
        let Run { slice, units, fate, .. } = self.runs[run as usize];
        let Some((slice, behind)) = self.source.cut(slice, units, left) else {
            return false;
        };
        (self.runs[run as usize].slice, self.runs[run as usize].units) = (slice, left);
        self.order.split_off(run, units - left);
        self.runs.push(Run::new(behind, units - left, fate));
        self.fates.enter(number(self.runs.len() - 1), &mut self.runs);
        true
    }

    /// Refuses a delta with a boundary inside a surrogate pair.
    fn check_boundaries(&self, delta: &TextDelta) -> Result<(), WeaveError> {
        if !self.source.has_pairs() {
            return Ok(());
        }
        let mut at = 0;
        for op in delta.ops() {
            at += op.base_len();
            let place = self.order.find(number(at));
            let Some(run) = self.order.run_at(place) else {
                continue;
            };
            let Run { slice, units, .. } = self.runs[run as usize];
            if place.inside > 0 && self.source.cut(slice, units, place.inside).is_none() {
                return Err(TextFault::SplitsSurrogate { at }.into());
            }
        }
        Ok(())
    }
}
