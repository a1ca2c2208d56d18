//! An event's operations, gone through before anything changes: which files they touch, and how.

use std::borrow::Cow;
use std::collections::HashMap;

use super::attributes::lay;
use super::{CodeWeave, CodeWeaveError, FileRef};
use crate::code::{CodeOp, Path};
use crate::fault::Rule;
use crate::json::JsonMap;
use crate::patch::Patch;
use crate::text::weave::{Weave, WeaveError};
use crate::text::{RichText, TextDelta};

/// What an event's operations do, taken together.
pub(super) struct Staged<'a, 'b> {
    weave: &'a CodeWeave,
    pub(super) files: Vec<StagedFile<'b>>,
    /// Which staged file is at a path that was named; `None` if none is there any more.
    places: HashMap<Path, Option<usize>>,
    entry: Option<Path>,
    pub(super) patches: Vec<Patch>,
    /// The attributes, if there are patches.
    pub(super) attributes: Option<JsonMap>,
}

/// A file that an event names.
pub(super) struct StagedFile<'b> {
    pub(super) origin: Origin,
    pub(super) was: Option<Path>,
    pub(super) path: Option<Path>,
    /// What the event does to the text of a file that was there.
    pub(super) delta: Cow<'b, TextDelta>,
    /// The weave of a file that had none yet.
    pub(super) weave: Option<Weave>,
}

/// Where a file comes from.
pub(super) enum Origin {
    /// The event adds it, with a text.
    Added(RichText),
    /// It was there.
    There(FileRef),
}

/// A file that an event made the entry.
pub(super) enum StagedEntry {
    None,
    Staged(usize),
    Other(FileRef),
}

impl<'a, 'b> Staged<'a, 'b> {
    /// Goes through the operations of an event, and checks them.
    pub(super) fn new(weave: &'a CodeWeave, ops: &'b [CodeOp]) -> Result<Self, CodeWeaveError> {
        let mut staged = Self {
            weave,
            files: Vec::new(),
            places: HashMap::new(),
            entry: weave.entry(),
            patches: Vec::new(),
            attributes: None,
        };
        for (op, it) in ops.iter().enumerate() {
            staged.take(it).map_err(|rule| CodeWeaveError::Refused { op, rule })?;
        }
        if let Some(path) = staged.entry.clone().filter(|path| staged.at(path).is_none()) {
            let (op, rule) = (ops.len() - 1, Rule::EntryMissing { path: path.to_string() });
            return Err(CodeWeaveError::Refused { op, rule });
        }
        staged.files.iter_mut().try_for_each(|file| file.check(weave))?;
        Ok(staged)
    }

    /// Returns the file that the event made the entry, if that is another one than before.
    pub(super) fn new_entry(&self) -> Option<StagedEntry> {
        let before = self.weave.entry().and_then(|path| self.weave.file_at(&path));
        let Some(path) = &self.entry else {
            return before.map(|_| StagedEntry::None);
        };
        let now = match self.places.get(path) {
            Some(staged) => StagedEntry::Staged((*staged)?),
            None => StagedEntry::Other(self.weave.file_at(path)?),
        };
        let file = match &now {
            StagedEntry::Staged(index) => self.files[*index].origin.file(),
            StagedEntry::Other(file) => Some(file),
            StagedEntry::None => None,
        };
        (file.is_none() || file != before.as_ref()).then_some(now)
    }

    fn take(&mut self, op: &'b CodeOp) -> Result<(), Rule> {
        match op {
            CodeOp::AddFile { path, text } => {
                self.require_free(path)?;
                let added = Origin::Added(RichText::from_plain(text));
                let file = StagedFile::new(added, None, Some(path.clone()));
                self.push(path, file);
            }
            CodeOp::RemoveFile { path } => {
                let index = self.stage(path)?;
                self.files[index].path = None;
                self.places.insert(path.clone(), None);
                self.entry.take_if(|entry| entry == path);
            }
            CodeOp::RenameFile { path, to } => {
                let index = self.stage(path)?;
                if path != to {
                    self.require_free(to)?;
                    self.files[index].path = Some(to.clone());
                    self.places.insert(path.clone(), None);
                    self.places.insert(to.clone(), Some(index));
                    self.entry
                        .iter_mut()
                        .filter(|entry| *entry == path)
                        .for_each(|entry| *entry = to.clone());
                }
            }
            CodeOp::EditFile { path, delta } => {
                let index = self.stage(path)?;
                self.files[index].edit(delta)?;
            }
            CodeOp::SetEntry { path } => self.entry.clone_from(path),
            CodeOp::SetAttributes { patch } => {
                lay(
                    self.attributes.get_or_insert_with(|| self.weave.attributes().clone()),
                    patch,
                )?;
                self.patches.push(patch.clone());
            }
        }
        Ok(())
    }

    /// Stages the file at a path.
    fn stage(&mut self, path: &Path) -> Result<usize, Rule> {
        let missing = || Rule::FileMissing { path: path.to_string() };
        if let Some(staged) = self.places.get(path) {
            return staged.ok_or_else(missing);
        }
        let file = self.weave.file_at(path).ok_or_else(missing)?;
        let here = Some(path.clone());
        let file = StagedFile::new(Origin::There(file), here.clone(), here);
        Ok(self.push(path, file))
    }

    fn push(&mut self, path: &Path, file: StagedFile<'b>) -> usize {
        self.files.push(file);
        let index = self.files.len() - 1;
        self.places.insert(path.clone(), Some(index));
        index
    }

    /// Says whether a file is at a path.
    fn at(&self, path: &Path) -> Option<()> {
        match self.places.get(path) {
            Some(staged) => staged.map(drop),
            None => self.weave.file_at(path).map(drop),
        }
    }

    fn require_free(&self, path: &Path) -> Result<(), Rule> {
        match self.at(path) {
            Some(()) => Err(Rule::FileExists { path: path.to_string() }),
            None => Ok(()),
        }
    }
}

impl<'b> StagedFile<'b> {
    fn new(origin: Origin, was: Option<Path>, path: Option<Path>) -> Self {
        let delta = Cow::Owned(TextDelta::new());
        Self {
            origin,
            was,
            path,
            delta,
            weave: None,
        }
    }

    /// Takes an edit in: of the text that is added, or of the one that is there, after what the event did already.
    fn edit(&mut self, delta: &'b TextDelta) -> Result<(), Rule> {
        delta.require_plain()?;
        match &mut self.origin {
            Origin::Added(text) => text.replay(delta)?,
            Origin::There(_) if self.delta.is_empty() => self.delta = Cow::Borrowed(delta),
            Origin::There(_) => self.delta = Cow::Owned(self.delta.compose(delta)?),
        }
        Ok(())
    }

    /// Checks what the event does to the text, and starts the weave of a file that has none.
    fn check(&mut self, weave: &CodeWeave) -> Result<(), WeaveError> {
        let start = match &self.origin {
            Origin::There(FileRef::Known(file)) => {
                return weave.files[*file].weave.check(&self.delta);
            }
            Origin::There(FileRef::Started(path)) => weave.start.file(path).cloned().unwrap_or_default(),
            Origin::Added(text) => text.clone(),
        };
        let fresh = Weave::with_limits(&start, weave.limits)?;
        fresh.check(&self.delta)?;
        self.weave = Some(fresh);
        Ok(())
    }
}

impl Origin {
    fn file(&self) -> Option<&FileRef> {
        match self {
            Self::Added(_) => None,
            Self::There(file) => Some(file),
        }
    }
}
