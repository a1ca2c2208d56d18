//! The fine delta between two values: files removed and added with the same text are renamed, the others edited.

use std::collections::{HashMap, VecDeque};

use imbl::ordmap::DiffItem;

use super::{CodeOp, CodeValue, Path};
use crate::fault::{DiffError, Limited};
use crate::flaw::at_most;
use crate::limits::OPS_MAX;
use crate::patch::{self, Editing};
use crate::pointer::Pointer;
use crate::text::RichText;

impl CodeValue {
    /// Finds the operations that lead from this value to another. Files that both share cost nothing.
    pub(crate) fn diff(&self, to: &CodeValue) -> Result<Vec<CodeOp>, DiffError> {
        let mut files = FileChanges::default();
        for item in self.files.diff(&to.files) {
            match item {
                DiffItem::Add(path, file) => files.added.push((path, &file.text)),
                DiffItem::Remove(path, file) => files.removed.push((path, &file.text)),
                DiffItem::Update { old, new } => {
                    files.edited.push((old.0, &old.1.text, &new.1.text));
                }
            }
        }
        let mut ops = files.into_ops();
        let entry = self.entry_after(&ops);
        if entry.as_ref() != to.entry() {
            ops.push(CodeOp::SetEntry {
                path: to.entry().cloned(),
            });
        }
        if let Ok(root) = Pointer::parse("") {
            let patch = patch::diff(self.attributes(), to.attributes(), &root, Editing::Nothing).patch;
            ops.extend((!patch.is_empty()).then_some(CodeOp::SetAttributes { patch }));
        }
        at_most(Limited::Operations, OPS_MAX, ops.len()).map_err(|rule| DiffError::TooLarge { rule })?;
        Ok(ops)
    }

    /// Follows the entry through renames and removals.
    fn entry_after(&self, ops: &[CodeOp]) -> Option<Path> {
        ops.iter().fold(self.entry().cloned(), |entry, op| match op {
            CodeOp::RenameFile { path, to } if entry.as_ref() == Some(path) => Some(to.clone()),
            CodeOp::RemoveFile { path } if entry.as_ref() == Some(path) => None,
            _ => entry,
        })
    }
}

/// Which files differ.
#[derive(Default)]
struct FileChanges<'a> {
    added: Vec<(&'a Path, &'a RichText)>,
    removed: Vec<(&'a Path, &'a RichText)>,
    edited: Vec<(&'a Path, &'a RichText, &'a RichText)>,
}

impl FileChanges<'_> {
    fn into_ops(self) -> Vec<CodeOp> {
        let mut gone: HashMap<_, VecDeque<_>> = HashMap::new();
        for (path, text) in &self.removed {
            gone.entry(text.digest()).or_default().push_back((*path, *text));
        }
        let (mut renames, mut adds) = (Vec::new(), Vec::new());
        let mut renamed = std::collections::HashSet::new();
        for (to, text) in self.added {
            let twin = gone
                .get_mut(&text.digest())
                .filter(|twins| twins.front().is_some_and(|(_, old)| *old == text));
            match twin.and_then(VecDeque::pop_front) {
                Some((path, _)) => {
                    renamed.insert(path);
                    renames.push(CodeOp::RenameFile {
                        path: path.clone(),
                        to: to.clone(),
                    });
                }
                None => adds.push(CodeOp::AddFile {
                    path: to.clone(),
                    text: text.to_plain(),
                }),
            }
        }
        let removed = self.removed.iter().filter(|(path, _)| !renamed.contains(path));
        let removes = removed.map(|(path, _)| CodeOp::RemoveFile { path: (*path).clone() });
        let edits = self.edited.into_iter();
        let edits = edits.map(|(path, old, new)| CodeOp::EditFile {
            path: path.clone(),
            delta: old.diff(new),
        });
        renames.into_iter().chain(removes).chain(adds).chain(edits).collect()
    }
}
