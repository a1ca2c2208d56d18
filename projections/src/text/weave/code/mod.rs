//! The weave of a CODE page: a weave for each file, and registers for what is not text.
//!
//! # Rules
//!
//! - **A file is itself**, whatever its path: a rename takes its history along. A file that is added at the path of one
//!   that was removed is another file.
//! - **A file is there** when the edit that added it is active and none that removed it is. Its path is the one that its
//!   newest active rename gave it, else the one at which it was added. So removing a file takes its text away as a whole,
//!   and undoing that brings it back as it is by then: edits in it can be undone while it is away.
//! - **The text** with which a file is added comes and goes with the file.
//! - **The entry** is the file that the newest active edit made the entry; none if that file is not there.
//! - **Attributes** are what the active patches make of the first attributes, one after the other.
//! - All of that is again a function of the edits and of what is undone. What it cannot be is *allowed*: two files do not
//!   fit at one path, an undo takes no file away in which something was written since the event that it undoes, and no
//!   attribute below which others were set. So what is switched is not a whole event but its parts: the text of a file, the
//!   place of a file (added, removed, renamed), the entry, the attributes. A part that meets a conflict stays as it is and
//!   is reported; the others are switched. Undoing the undo switches back exactly the parts that it switched.
//! - What no single undo can do, because two files wait for each other's path, an undo of both events can.

mod attributes;
mod blame;
mod conflict;
mod edit;
mod entry;
mod file;
mod ops;
mod plan;
mod staged;
mod undo;

use std::collections::HashMap;

pub use conflict::{CodeConflict, CodeWeaveError, OnConflict};
pub use undo::CodeUndo;

use self::attributes::AttributeHistory;
use self::entry::EntryHistory;
use self::file::FileHistory;
use self::undo::CodeUndone;
use super::limits::WeaveLimits;
use super::woven::EditId;
use crate::code::{CodeValue, Path};
use crate::json::JsonMap;

/// A CODE page with its history since some version: see the module.
///
/// It is fed as a [`Weave`](super::Weave) is: with [`CodeWeave::edit`] for an event's operations as committed, with
/// [`CodeWeave::undo`] for an undo or redo. Files that no event names cost nothing.
#[derive(Debug, Clone)]
pub struct CodeWeave {
    start: CodeValue,
    /// The files that an event named.
    files: Vec<FileHistory>,
    /// Those that are there, by their paths.
    places: HashMap<Path, usize>,
    /// Those that were there at the start, by their paths then.
    started: HashMap<Path, usize>,
    entry: EntryHistory,
    attributes: AttributeHistory,
    edits: Vec<CodeEdit>,
    undone: Vec<CodeUndone>,
    /// Runs of all files.
    runs: usize,
    limits: WeaveLimits,
}

/// An event that edited the page, and what it touched.
#[derive(Debug, Clone)]
struct CodeEdit {
    event: EditId,
    parts: Vec<Part>,
}

/// A part of an edit that is switched by itself. Files go by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Place(usize),
    Text(usize),
    Entry,
    Attributes,
}

/// Which file is where.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FileRef {
    /// A file with a history.
    Known(usize),
    /// One from the start that no event has named yet.
    Started(Path),
}

impl CodeWeave {
    /// Starts a weave with a page, and the default limits. O(1): the page is shared.
    #[must_use]
    pub fn new(start: &CodeValue) -> Self {
        Self::with_limits(start, WeaveLimits::default())
    }

    /// Starts a weave with limits of its own: for edits and runs of all files together, for the rest by file.
    #[must_use]
    pub fn with_limits(start: &CodeValue, limits: WeaveLimits) -> Self {
        Self {
            start: start.clone(),
            files: Vec::new(),
            places: HashMap::new(),
            started: HashMap::new(),
            entry: EntryHistory::new(start.entry().cloned()),
            attributes: AttributeHistory::new(start.attributes().clone()),
            edits: Vec::new(),
            undone: Vec::new(),
            runs: 0,
            limits: limits.capped(),
        }
    }

    /// Returns the newest event that the weave holds, edit or undo.
    #[must_use]
    pub fn newest(&self) -> Option<EditId> {
        let edit = self.edits.last().map(|edit| edit.event);
        edit.max(self.undone.last().map(|undone| undone.event))
    }

    /// Returns the paths and texts of the files that are there, in the order of their paths. Goes over everything: for
    /// checks.
    #[must_use]
    pub fn rendered(&self) -> Vec<(Path, String)> {
        let untouched = self.start.files().filter(|(path, _)| !self.started.contains_key(*path));
        let untouched = untouched.map(|(path, text)| (path.clone(), text.to_plain()));
        let known = self
            .places
            .iter()
            .map(|(path, file)| (path.clone(), self.files[*file].text()));
        let mut files: Vec<_> = untouched.chain(known).collect();
        files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        files
    }

    /// Returns the path of the entry.
    #[must_use]
    pub fn entry(&self) -> Option<Path> {
        match self.entry.file()? {
            FileRef::Known(file) => self.files[file].path(false),
            FileRef::Started(path) => match self.started.get(&path) {
                Some(file) => self.files[*file].path(false),
                None => Some(path),
            },
        }
    }

    /// Returns the attributes.
    #[must_use]
    pub fn attributes(&self) -> &JsonMap {
        self.attributes.now()
    }

    /// Returns about how many bytes of memory the weave holds beside the starting page.
    #[must_use]
    pub fn weight(&self) -> usize {
        let parts: usize = self.edits.iter().map(|edit| size_of_val(&*edit.parts)).sum();
        let undone: usize = self.undone.iter().map(CodeUndone::weight).sum();
        let files: usize = self.files.iter().map(FileHistory::weight).sum();
        size_of::<Self>() + self.edits.len() * size_of::<CodeEdit>() + parts + undone + files + self.attributes.weight()
    }

    /// Returns the file at a path.
    fn file_at(&self, path: &Path) -> Option<FileRef> {
        match self.places.get(path) {
            Some(file) => Some(FileRef::Known(*file)),
            None => {
                let there = self.start.file(path).is_some() && !self.started.contains_key(path);
                there.then(|| FileRef::Started(path.clone()))
            }
        }
    }

    fn edit_number(&self, event: EditId) -> Option<usize> {
        self.edits.binary_search_by_key(&event, |edit| edit.event).ok()
    }
}
