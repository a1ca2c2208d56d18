//! Undo and redo: which edits they switch.

use std::collections::BTreeMap;

use super::fault::WeaveError;
use super::woven::{EditId, Weave};
use crate::text::TextDelta;

/// An undo or redo that the weave went through.
#[derive(Debug, Clone)]
pub(super) struct Undone {
    pub(super) event: EditId,
    /// What it really switched.
    pub(super) switched: Vec<Switch>,
}

/// An edit, by its number, and whether it becomes active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switch {
    pub(super) edit: usize,
    pub(super) on: bool,
}

impl Weave {
    /// Undoes events, and notes that `event` did so; returns the delta that leads from the text as it showed to the text
    /// as it shall show: in normal form, and empty if the same runs show, looking the same. It can put letters in the place
    /// of equal ones of another edit; then the text reads as before, though the delta is not empty.
    ///
    /// Undoing an edit switches it off. Undoing an undo switches on again what that undo really switched off, so a redo is
    /// the undo of an undo, the undo of a redo is one more undo, and so on. What is as it shall be already stays so. Of
    /// several events the newest is undone first.
    ///
    /// # Errors
    /// [`WeaveError::OutOfOrder`], [`WeaveError::UnknownEvent`]. The weave is then as it was.
    pub fn undo(&mut self, event: EditId, of: &[EditId]) -> Result<TextDelta, WeaveError> {
        self.require_newer(event)?;
        let switched = self.plan(of)?;
        let delta = self.flip(&switched);
        self.undone.push(Undone { event, switched });
        Ok(delta)
    }

    /// Returns what [`Weave::undo`] would, and leaves the text as it shows.
    ///
    /// # Errors
    /// [`WeaveError::UnknownEvent`].
    pub fn preview(&mut self, of: &[EditId]) -> Result<TextDelta, WeaveError> {
        let switches = self.plan(of)?;
        let delta = self.flip(&switches);
        let back: Vec<_> = switches.iter().map(|switch| switch.reversed()).collect();
        self.flip(&back);
        Ok(delta)
    }

    /// Takes the newest undos back, those after an event (all, for `None`): the weave is as if they had not been. An edit,
    /// and what lies before it, stays.
    pub fn rewind(&mut self, to: Option<EditId>) {
        let kept = to.max(self.edits.last().map(|edit| edit.id));
        while let Some(undone) = self.undone.pop_if(|undone| Some(undone.event) > kept) {
            let back = undone.switched.iter().map(|switch| (switch.edit, !switch.on));
            let back = self.effective(back.collect());
            self.flip(&back);
        }
    }

    /// Switches edits on (`true`) or off, without noting an event; returns the compensating delta. What is as it shall be
    /// already stays so.
    ///
    /// # Errors
    /// [`WeaveError::UnknownEvent`] for an event that is no edit of the weave. The weave is then as it was.
    pub fn toggle(&mut self, edits: &[EditId], on: bool) -> Result<TextDelta, WeaveError> {
        let unknown = edits.iter().find(|edit| self.edit_number(**edit).is_none());
        match unknown {
            Some(event) => Err(WeaveError::UnknownEvent { event: *event }),
            None => Ok(self.flip_edits(edits.iter().map(|edit| (*edit, on)))),
        }
    }

    /// Returns which edits [`Weave::undo`] would switch on (`true`) or off, in their order: none if all is undone already.
    /// Where there are some, the undo must be noted by an event, also if its delta is empty: what it switched may show
    /// later, when something else is undone.
    ///
    /// # Errors
    /// [`WeaveError::UnknownEvent`].
    pub fn switches(&self, of: &[EditId]) -> Result<Vec<(EditId, bool)>, WeaveError> {
        let switches = self.plan(of)?.into_iter();
        Ok(switches.map(|Switch { edit, on }| (self.edits[edit].id, on)).collect())
    }

    /// Switches edits of this weave, each on (`true`) or off; returns the compensating delta. Others are passed over.
    pub(crate) fn flip_edits(&mut self, edits: impl IntoIterator<Item = (EditId, bool)>) -> TextDelta {
        let numbers = edits
            .into_iter()
            .filter_map(|(edit, on)| Some((self.edit_number(edit)?, on)));
        let switches = self.effective(numbers.collect());
        self.flip(&switches)
    }

    /// Finds out what undoing events switches.
    fn plan(&self, of: &[EditId]) -> Result<Vec<Switch>, WeaveError> {
        let mut events = of.to_vec();
        events.sort_unstable();
        let mut wanted = BTreeMap::new();
        for &event in events.iter().rev() {
            if let Some(edit) = self.edit_number(event) {
                wanted.insert(edit, false);
            } else {
                let place = self.undone.binary_search_by_key(&event, |undone| undone.event);
                let undone = place.map_err(|_| WeaveError::UnknownEvent { event })?;
                let back = self.undone[undone].switched.iter().map(|switch| switch.reversed());
                wanted.extend(back.map(|Switch { edit, on }| (edit, on)));
            }
        }
        Ok(self.effective(wanted))
    }

    /// Keeps what really switches something, in the order of the edits.
    fn effective(&self, wanted: BTreeMap<usize, bool>) -> Vec<Switch> {
        let switches = wanted.into_iter().map(|(edit, on)| Switch { edit, on });
        switches
            .filter(|switch| self.edits[switch.edit].active != switch.on)
            .collect()
    }
}

impl Switch {
    fn reversed(self) -> Self {
        Self { on: !self.on, ..self }
    }
}

impl Undone {
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.switched.capacity() * size_of::<Switch>()
    }
}
