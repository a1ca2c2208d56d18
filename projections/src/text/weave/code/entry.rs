//! The entry: the file that the newest active edit made the entry.

use super::FileRef;
use crate::code::Path;
use crate::text::weave::EditId;

/// Which file was made the entry by which edit.
#[derive(Debug, Clone)]
pub(super) struct EntryHistory {
    start: Option<FileRef>,
    /// In the order of the edits, at most one of each.
    setters: Vec<Setter>,
}

#[derive(Debug, Clone)]
struct Setter {
    event: EditId,
    file: Option<FileRef>,
    active: bool,
}

impl EntryHistory {
    pub(super) fn new(start: Option<Path>) -> Self {
        Self {
            start: start.map(FileRef::Started),
            setters: Vec::new(),
        }
    }

    /// Returns the file that is the entry if it is there.
    pub(super) fn file(&self) -> Option<FileRef> {
        match self.setters.iter().rev().find(|setter| setter.active) {
            Some(setter) => setter.file.clone(),
            None => self.start.clone(),
        }
    }

    pub(super) fn set(&mut self, event: EditId, file: Option<FileRef>) {
        self.setters.push(Setter {
            event,
            file,
            active: true,
        });
    }

    pub(super) fn is_active(&self, event: EditId) -> bool {
        self.setters.iter().any(|setter| setter.event == event && setter.active)
    }

    pub(super) fn switch(&mut self, event: EditId, on: bool) {
        let setters = self.setters.iter_mut().filter(|setter| setter.event == event);
        setters.for_each(|setter| setter.active = on);
    }
}
