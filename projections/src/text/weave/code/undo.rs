//! Undo and redo of a CODE page's edits.

use std::collections::{BTreeMap, BTreeSet};

use super::ops::{FileChange, PageChange};
use super::{CodeConflict, CodeWeave, CodeWeaveError, OnConflict, Part};
use crate::code::{CodeOp, Path};
use crate::text::TextDelta;
use crate::text::weave::EditId;

/// What an undo does to a CODE page.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeUndo {
    /// The operations that lead from the page as it showed to the page as it shall show. The delta of a file can put letters
    /// in the place of equal ones.
    pub ops: Vec<CodeOp>,
    /// What it came upon.
    pub conflicts: Vec<CodeConflict>,
    /// Whether anything is switched, also where nothing of it shows: then the undo must be noted, by an event without
    /// operations.
    pub switches: bool,
}

/// An undo or redo that the weave went through.
#[derive(Debug, Clone)]
pub(super) struct CodeUndone {
    pub(super) event: EditId,
    /// What it really switched.
    pub(super) switched: Vec<PartSwitch>,
}

/// A part of an edit, by the edit's number, and whether it becomes active.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartSwitch {
    pub(super) edit: usize,
    pub(super) part: Part,
    pub(super) on: bool,
}

impl CodeWeave {
    /// Undoes events, and notes that `event` did so: as [`Weave::undo`](crate::text::weave::Weave::undo), but what meets a
    /// conflict stays as it is and is reported, see the module. When a history is gone through again,
    /// `on_conflict` must be the same as it was.
    ///
    /// # Errors
    /// [`WeaveError::OutOfOrder`](crate::text::weave::WeaveError::OutOfOrder),
    /// [`WeaveError::UnknownEvent`](crate::text::weave::WeaveError::UnknownEvent). The weave is then as it was.
    pub fn undo(&mut self, event: EditId, of: &[EditId], on_conflict: OnConflict) -> Result<CodeUndo, CodeWeaveError> {
        self.require_newer(event)?;
        let (undo, switched) = self.switch_planned(of, on_conflict)?;
        self.undone.push(CodeUndone { event, switched });
        Ok(undo)
    }

    /// Returns what [`CodeWeave::undo`] would, and leaves the page as it shows.
    ///
    /// # Errors
    /// [`WeaveError::UnknownEvent`](crate::text::weave::WeaveError::UnknownEvent).
    pub fn preview(&mut self, of: &[EditId], on_conflict: OnConflict) -> Result<CodeUndo, CodeWeaveError> {
        let (undo, switched) = self.switch_planned(of, on_conflict)?;
        self.switch_back(switched);
        Ok(undo)
    }

    /// Takes the newest undos back, those after an event (all, for `None`): the weave is as if they had not been. An edit,
    /// and what lies before it, stays.
    pub fn rewind(&mut self, to: Option<EditId>) {
        let kept = to.max(self.edits.last().map(|edit| edit.event));
        while let Some(undone) = self.undone.pop_if(|undone| Some(undone.event) > kept) {
            self.switch_back(undone.switched);
        }
    }

    fn switch_planned(
        &mut self,
        of: &[EditId],
        on_conflict: OnConflict,
    ) -> Result<(CodeUndo, Vec<PartSwitch>), CodeWeaveError> {
        let plan = self.plan(of, on_conflict)?;
        let switched = plan.switches();
        let ops = self.switch(&switched);
        Ok((
            CodeUndo {
                ops,
                conflicts: plan.conflicts,
                switches: !switched.is_empty(),
            },
            switched,
        ))
    }

    fn switch_back(&mut self, mut switched: Vec<PartSwitch>) {
        switched.iter_mut().for_each(|switch| switch.on = !switch.on);
        self.switch(&switched);
    }

    /// Switches parts of edits, each of which really changes; returns the operations that make the page follow.
    fn switch(&mut self, switches: &[PartSwitch]) -> Vec<CodeOp> {
        let entry_was = self.entry();
        let deltas = self.switch_texts(switches);
        let moves = self.switch_places(switches);
        let touched: BTreeSet<usize> = deltas.keys().chain(moves.keys()).copied().collect();
        let files = touched.into_iter().map(|number| {
            let here = self.files[number].path(false);
            let (was, shall) = moves.get(&number).cloned().unwrap_or((here.clone(), here));
            let text = (was.is_none() && shall.is_some()).then(|| self.files[number].text());
            let delta = deltas.get(&number).cloned().unwrap_or_default();
            FileChange {
                was,
                shall,
                delta,
                text: text.unwrap_or_default(),
            }
        });
        let files = files.collect();
        let attributes = self.switch_registers(switches);
        let change = PageChange {
            files,
            entry_was,
            entry_shall: self.entry(),
            attributes,
        };
        change.into_ops(|path| self.file_at(path).is_none())
    }

    fn switch_texts(&mut self, switches: &[PartSwitch]) -> BTreeMap<usize, TextDelta> {
        let mut by_file: BTreeMap<usize, Vec<(EditId, bool)>> = BTreeMap::new();
        for PartSwitch { edit, part, on } in switches {
            if let Part::Text(file) = part {
                by_file.entry(*file).or_default().push((self.edits[*edit].event, *on));
            }
        }
        let flip = |(file, edits): (usize, Vec<_>)| (file, self.files[file].weave.flip_edits(edits));
        by_file.into_iter().map(flip).collect()
    }

    /// Moves files; returns where they were and where they are.
    fn switch_places(&mut self, switches: &[PartSwitch]) -> BTreeMap<usize, (Option<Path>, Option<Path>)> {
        let mut moves = BTreeMap::new();
        for PartSwitch { edit, part, on } in switches {
            if let Part::Place(file) = part {
                self.files[*file].set_shall(self.edits[*edit].event, *on);
                moves.insert(*file, (self.files[*file].path(false), None));
            }
        }
        for (file, (was, shall)) in &mut moves {
            self.files[*file].settle();
            *shall = self.files[*file].path(false);
            if let Some(was) = was {
                self.places.remove(was);
            }
        }
        for (file, (_, shall)) in &moves {
            if let Some(path) = shall {
                self.places.insert(path.clone(), *file);
            }
        }
        moves
    }

    fn switch_registers(&mut self, switches: &[PartSwitch]) -> Option<crate::patch::Patch> {
        let of = |part| move |switch: &&PartSwitch| switch.part == part;
        for switch in switches.iter().filter(of(Part::Entry)) {
            self.entry.switch(self.edits[switch.edit].event, switch.on);
        }
        let attributes: BTreeMap<EditId, bool> = switches
            .iter()
            .filter(of(Part::Attributes))
            .map(|switch| (self.edits[switch.edit].event, switch.on))
            .collect();
        if attributes.is_empty() {
            return None;
        }
        self.attributes.switch(|event| attributes.get(&event).copied())
    }
}

impl CodeUndone {
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.switched.capacity() * size_of::<PartSwitch>()
    }
}
