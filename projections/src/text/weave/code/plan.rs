//! What an undo switches, and what stands in its way.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::undo::PartSwitch;
use super::{CodeConflict, CodeWeave, FileRef, OnConflict, Part};
use crate::code::Path;
use crate::text::weave::{EditId, WeaveError};

/// The parts of edits that an undo switches, by the edit's number, and what it came upon.
#[derive(Default)]
pub(super) struct Plan {
    wanted: BTreeMap<(usize, Part), Wanted>,
    pub(super) conflicts: Vec<CodeConflict>,
}

/// Whether a part becomes active, and by the undo of which event.
#[derive(Clone, Copy)]
struct Wanted {
    on: bool,
    of: EditId,
}

impl Plan {
    /// Returns what is switched, in the order of the edits.
    pub(super) fn switches(&self) -> Vec<PartSwitch> {
        let switch = |((edit, part), wanted): (&(usize, Part), &Wanted)| PartSwitch {
            edit: *edit,
            part: *part,
            on: wanted.on,
        };
        self.wanted.iter().map(switch).collect()
    }

    /// Goes over what is switched in the places of files.
    fn places(&self) -> impl Iterator<Item = (usize, usize, Wanted)> {
        self.wanted.iter().filter_map(|((edit, part), wanted)| match part {
            Part::Place(file) => Some((*file, *edit, *wanted)),
            _ => None,
        })
    }

    /// Says whether a part becomes active; `None` if it is not switched.
    fn shall(&self, edit: Option<usize>, part: Part) -> Option<bool> {
        self.wanted.get(&(edit?, part)).map(|wanted| wanted.on)
    }
}

impl CodeWeave {
    /// Finds out what undoing events switches. Of several events the newest is undone first.
    pub(super) fn plan(&mut self, of: &[EditId], on_conflict: OnConflict) -> Result<Plan, WeaveError> {
        let mut plan = Plan::default();
        let mut events = of.to_vec();
        events.sort_unstable();
        for &of in events.iter().rev() {
            if let Some(edit) = self.edit_number(of) {
                let parts = self.edits[edit].parts.iter();
                plan.wanted
                    .extend(parts.map(|part| ((edit, *part), Wanted { on: false, of })));
            } else {
                let place = self.undone.binary_search_by_key(&of, |undone| undone.event);
                let undone = place.map_err(|_| WeaveError::UnknownEvent { event: of })?;
                let back = |switch: &PartSwitch| ((switch.edit, switch.part), Wanted { on: !switch.on, of });
                plan.wanted.extend(self.undone[undone].switched.iter().map(back));
            }
        }
        plan.wanted
            .retain(|(edit, part), wanted| self.is_active(*edit, *part) != wanted.on);
        self.plan_attributes(&mut plan);
        self.plan_places(&mut plan, on_conflict);
        self.report(&mut plan);
        Ok(plan)
    }

    pub(super) fn is_active(&self, edit: usize, part: Part) -> bool {
        let event = self.edits[edit].event;
        match part {
            Part::Place(file) => self.files[file].deed(event).is_some_and(|deed| deed.active),
            Part::Text(file) => self.files[file].weave.is_active(event) == Some(true),
            Part::Entry => self.entry.is_active(event),
            Part::Attributes => self.attributes.is_active(event),
        }
    }

    fn plan_attributes(&self, plan: &mut Plan) {
        let of_attributes = |(_, part): &(usize, Part)| *part == Part::Attributes;
        if !plan.wanted.keys().any(of_attributes) {
            return;
        }
        let shall = |event| plan.shall(self.edit_number(event), Part::Attributes);
        if let Some(event) = self.attributes.in_the_way(shall) {
            plan.wanted.retain(|key, _| !of_attributes(key));
            plan.conflicts.push(CodeConflict::AttributesNeeded { event });
        }
    }

    /// Leaves files where they are that cannot go where they shall, until all others can.
    fn plan_places(&mut self, plan: &mut Plan, on_conflict: OnConflict) {
        for (file, edit, wanted) in plan.places() {
            self.files[file].set_shall(self.edits[edit].event, wanted.on);
        }
        loop {
            let moving: BTreeSet<usize> = plan.places().map(|(file, ..)| file).collect();
            let refused = self.refused(&moving, plan, on_conflict);
            if refused.is_empty() {
                break;
            }
            for (file, conflict) in refused {
                for (_, edit, wanted) in plan.places().filter(|(moving, ..)| *moving == file) {
                    self.files[file].set_shall(self.edits[edit].event, !wanted.on);
                }
                plan.wanted.retain(|(_, part), _| *part != Part::Place(file));
                plan.conflicts.push(conflict);
            }
        }
    }

    /// Finds files that cannot go where they shall.
    fn refused(&self, moving: &BTreeSet<usize>, plan: &Plan, on_conflict: OnConflict) -> Vec<(usize, CodeConflict)> {
        let mut refused = Vec::new();
        let mut taken: HashMap<Path, usize> = HashMap::new();
        let stays = |file: &&usize| self.files[**file].path(false) == self.files[**file].path(true);
        let (staying, mut going): (Vec<&usize>, Vec<&usize>) = moving.iter().partition(stays);
        // Of two that would come to one path the first does. Numbers depend on where the weave starts; this does not.
        going.sort_by_key(|file| {
            let file = &self.files[**file];
            (file.path(false), file.path(true), file.newest_deed())
        });
        for file in staying.into_iter().chain(going) {
            let (was, shall) = (self.files[*file].path(false), self.files[*file].path(true));
            match (was, shall) {
                (Some(path), None) if on_conflict == OnConflict::Keep => {
                    if let Some(event) = self.named_since(*file, plan) {
                        refused.push((*file, CodeConflict::EditedSince { path, event }));
                    }
                }
                (_, Some(path)) => {
                    let here = match self.file_at(&path) {
                        Some(FileRef::Known(other)) => other != *file && !moving.contains(&other),
                        Some(FileRef::Started(_)) => true,
                        None => false,
                    };
                    if here || *taken.entry(path.clone()).or_insert(*file) != *file {
                        refused.push((*file, CodeConflict::PathTaken { path }));
                    }
                }
                _ => {}
            }
        }
        refused
    }

    /// Returns the newest event that named a file after the event whose undo takes the file away.
    fn named_since(&self, file: usize, plan: &Plan) -> Option<EditId> {
        let switched = plan.places().filter(|(moving, ..)| *moving == file);
        let event = switched.map(|(.., wanted)| wanted.of).min()?;
        let text_shall = |edit: EditId| {
            let switched = plan.shall(self.edit_number(edit), Part::Text(file));
            switched.unwrap_or_else(|| self.files[file].weave.is_active(edit) == Some(true))
        };
        self.files[file].named_after(event, text_shall)
    }

    /// Reports what is switched and does not show.
    fn report(&self, plan: &mut Plan) {
        let mut reports = BTreeMap::new();
        for (edit, part) in plan.wanted.keys() {
            let (Part::Place(number) | Part::Text(number)) = part else {
                continue;
            };
            let file = &self.files[*number];
            let path = file.path_if_there(true);
            let there = (file.path(false), file.path(true));
            let deed = file.deed(self.edits[*edit].event);
            // Nobody misses a file whose creation is undone by the same undo.
            let created = file.is_created(false);
            let report = match (part, deed, there) {
                (Part::Text(_), _, (None, None)) if created == file.is_created(true) => {
                    CodeConflict::FileRemoved { path }
                }
                (Part::Place(_), Some(deed), (None, None)) if deed.removed && !created && !file.is_created(true) => {
                    CodeConflict::CreateUndone { path }
                }
                (Part::Place(_), Some(deed), (Some(was), Some(shall))) if deed.path.is_some() && was == shall => {
                    CodeConflict::RenamedSince { path }
                }
                _ => continue,
            };
            // By what does not depend on where the weave starts, unlike numbers.
            let order = (file.path_if_there(true), file.newest_deed(), report.code(), *number);
            reports.entry(order).or_insert(report);
        }
        plan.conflicts.extend(reports.into_values());
    }
}
