//! The operations that lead from a page to another one, in an order in which each can be applied.

use std::collections::HashMap;

use crate::code::{CodeOp, Path};
use crate::patch::Patch;
use crate::text::TextDelta;

/// What changes in a page.
pub(super) struct PageChange {
    pub(super) files: Vec<FileChange>,
    pub(super) entry_was: Option<Path>,
    pub(super) entry_shall: Option<Path>,
    pub(super) attributes: Option<Patch>,
}

/// What changes in a file.
pub(super) struct FileChange {
    pub(super) was: Option<Path>,
    pub(super) shall: Option<Path>,
    pub(super) delta: TextDelta,
    /// Its text, if it comes.
    pub(super) text: String,
}

impl PageChange {
    /// Makes the operations. `is_free` says whether no file is at a path in the end.
    pub(super) fn into_ops(mut self, is_free: impl Fn(&Path) -> bool) -> Vec<CodeOp> {
        let mut ops = Vec::new();
        // In which order a weave came to know its files depends on where it began; the operations do not.
        self.files.sort_by(|a, b| (&a.was, &a.shall).cmp(&(&b.was, &b.shall)));
        // Removals make room for renames, and those for what comes.
        for FileChange { was, shall, .. } in &self.files {
            if let (Some(path), None) = (was, shall) {
                if self.entry_was.as_ref() == Some(path) {
                    self.entry_was = None;
                    ops.push(CodeOp::SetEntry { path: None });
                }
                ops.push(CodeOp::RemoveFile { path: path.clone() });
            }
        }
        for (path, to) in renames(&self.files, is_free) {
            if self.entry_was.as_ref() == Some(&path) {
                self.entry_was = Some(to.clone());
            }
            ops.push(CodeOp::RenameFile { path, to });
        }
        for FileChange {
            was,
            shall,
            delta,
            text,
        } in self.files
        {
            match (was, shall) {
                (None, Some(path)) => ops.push(CodeOp::AddFile { path, text }),
                (Some(_), Some(path)) if !delta.is_empty() => ops.push(CodeOp::EditFile { path, delta }),
                _ => {}
            }
        }
        if self.entry_was != self.entry_shall {
            ops.push(CodeOp::SetEntry { path: self.entry_shall });
        }
        let attributes = self.attributes.filter(|patch| !patch.is_empty());
        ops.extend(attributes.map(|patch| CodeOp::SetAttributes { patch }));
        ops
    }
}

/// Orders the renames so that each comes to a path that is free by then: a ring of them goes by way of another path.
fn renames(files: &[FileChange], is_free: impl Fn(&Path) -> bool) -> Vec<(Path, Path)> {
    let pairs = files
        .iter()
        .filter_map(|file| Some((file.was.clone()?, file.shall.clone()?)));
    let mut pending: Vec<(Path, Path)> = pairs.filter(|(path, to)| path != to).collect();
    let from: HashMap<Path, usize> = pending
        .iter()
        .enumerate()
        .map(|(index, (path, _))| (path.clone(), index))
        .collect();
    let mut begun = vec![false; pending.len()];
    let mut ordered = Vec::new();
    for first in 0..pending.len() {
        // What stands in the way of one comes before it.
        let mut chain = Vec::new();
        let mut next = Some(first);
        while let Some(index) = next.filter(|index| !begun[*index]) {
            begun[index] = true;
            chain.push(index);
            next = from.get(&pending[index].1).copied();
        }
        if let Some(ring) = next.filter(|ring| chain.contains(ring)) {
            let aside = free_path(&from, &is_free);
            let path = std::mem::replace(&mut pending[ring].0, aside.clone());
            ordered.push((path, aside));
        }
        ordered.extend(chain.iter().rev().map(|index| pending[*index].clone()));
    }
    ordered
}

/// Returns a path at which no file is, neither before nor after.
fn free_path(from: &HashMap<Path, usize>, is_free: impl Fn(&Path) -> bool) -> Path {
    let names = (0..).map(|number| Path::from(format!("renaming-{number}")));
    let mut free = names.filter(|path| is_free(path) && !from.contains_key(path));
    free.next().unwrap_or_else(|| Path::from("renaming"))
}
