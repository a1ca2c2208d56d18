//! Working an event's operations in.

use super::file::{FileHistory, PlaceDeed};
use super::staged::{Origin, Staged, StagedEntry, StagedFile};
use super::{CodeEdit, CodeWeave, CodeWeaveError, FileRef, Part};
use crate::code::CodeOp;
use crate::text::TextDelta;
use crate::text::weave::fault::Counted;
use crate::text::weave::{EditId, WeaveError};

impl CodeWeave {
    /// Works in the operations that an event applied to the page as it shows, as they were committed. The event must be
    /// newer than all that the weave holds.
    ///
    /// # Errors
    /// [`CodeWeaveError`]. The weave is then as it was.
    pub fn edit(&mut self, event: EditId, ops: &[CodeOp]) -> Result<(), CodeWeaveError> {
        self.require_newer(event)?;
        WeaveError::at_most(Counted::Edits, self.limits.edits, self.edits.len() + 1)?;
        WeaveError::at_most(Counted::Runs, self.limits.runs, self.runs)?;
        if let [CodeOp::EditFile { path, delta }] = ops
            && let Some(FileRef::Known(file)) = self.file_at(path)
        {
            return self.edit_one(event, file, delta);
        }
        let staged = Staged::new(self, ops)?;
        let entry = staged.new_entry();
        let Staged {
            files,
            patches,
            attributes,
            ..
        } = staged;
        let mut parts = Vec::new();
        for was in files.iter().filter_map(|file| file.was.as_ref()) {
            self.places.remove(was);
        }
        let numbers: Vec<_> = files
            .into_iter()
            .map(|file| self.take_file(event, file, &mut parts))
            .collect();
        if let Some(entry) = entry {
            let file = match entry {
                StagedEntry::None => None,
                StagedEntry::Staged(index) => numbers[index].map(FileRef::Known),
                StagedEntry::Other(file) => Some(file),
            };
            self.entry.set(event, file);
            parts.push(Part::Entry);
        }
        if let Some(attributes) = attributes {
            self.attributes.set(event, patches, attributes);
            parts.push(Part::Attributes);
        }
        self.edits.push(CodeEdit { event, parts });
        Ok(())
    }

    pub(super) fn require_newer(&self, event: EditId) -> Result<(), WeaveError> {
        match self.newest() {
            Some(newest) if newest >= event => Err(WeaveError::OutOfOrder { event, newest }),
            _ => Ok(()),
        }
    }

    /// Works in an event that edited one file with a history: the commonest of all.
    fn edit_one(&mut self, event: EditId, file: usize, delta: &TextDelta) -> Result<(), CodeWeaveError> {
        let plain = delta.require_plain();
        plain.map_err(|fault| CodeWeaveError::Refused {
            op: 0,
            rule: fault.into(),
        })?;
        self.files[file].weave.check(delta)?;
        self.work_text_in(event, file, delta);
        self.edits.push(CodeEdit {
            event,
            parts: vec![Part::Text(file)],
        });
        Ok(())
    }

    fn work_text_in(&mut self, event: EditId, file: usize, delta: &TextDelta) {
        let weave = &mut self.files[file].weave;
        let runs = weave.run_count();
        weave.work_in(event, delta);
        self.runs += weave.run_count() - runs;
    }

    /// Takes in what an event did to a file; returns the file's number. What is added and removed at once is none.
    fn take_file(&mut self, event: EditId, staged: StagedFile<'_>, parts: &mut Vec<Part>) -> Option<usize> {
        let StagedFile {
            origin,
            was,
            path,
            delta,
            weave,
        } = staged;
        let added = matches!(origin, Origin::Added(_));
        if added && path.is_none() {
            return None;
        }
        let number = match origin {
            Origin::There(FileRef::Known(number)) => number,
            Origin::There(FileRef::Started(path)) => {
                self.started.insert(path.clone(), self.files.len());
                self.add_history(FileHistory::new(weave?, Some(path)))
            }
            Origin::Added(_) => self.add_history(FileHistory::new(weave?, None)),
        };
        if !delta.is_empty() {
            self.work_text_in(event, number, &delta);
            parts.push(Part::Text(number));
        }
        if was != path {
            let removed = path.is_none();
            let deed = PlaceDeed {
                event,
                path: path.clone(),
                added,
                removed,
                active: true,
                shall: true,
            };
            self.files[number].add_deed(deed);
            parts.push(Part::Place(number));
        }
        if let Some(path) = path {
            self.places.insert(path, number);
        }
        Some(number)
    }

    fn add_history(&mut self, file: FileHistory) -> usize {
        self.runs += file.weave.run_count();
        self.files.push(file);
        self.files.len() - 1
    }
}
