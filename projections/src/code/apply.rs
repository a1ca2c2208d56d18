//! Applying operations, all or nothing, with the delta as committed and the exact inverse.

use super::{CodeOp, CodeValue, Path, check_path, check_text};
use crate::doc::changes_nothing;
use crate::fault::{ApplyError, Limited, Rule};
use crate::flaw::{Flaw, at_most};
use crate::limits::{FILES_MAX, OPS_MAX, TEXT_MAX_UNITS};
use crate::patch::{self, Patch, PatchRef, Root};
use crate::text::{RichText, TextDelta};

impl CodeValue {
    /// Applies operations; gives them as committed, and their inverse.
    pub(crate) fn apply(&mut self, ops: &[CodeOp]) -> Result<(Vec<CodeOp>, Vec<CodeOp>), ApplyError> {
        let mut record = Record::default();
        self.run(ops, Some(&mut record))?;
        record.inverse.reverse();
        Ok((record.delta, record.inverse))
    }

    /// Applies operations without an inverse.
    pub(crate) fn replay(&mut self, ops: &[CodeOp]) -> Result<(), ApplyError> {
        self.run(ops, None)
    }

    fn run(&mut self, ops: &[CodeOp], mut record: Option<&mut Record>) -> Result<(), ApplyError> {
        at_most(Limited::Operations, OPS_MAX, ops.len()).map_err(|rule| Flaw::from(rule).into_apply_error(0))?;
        // One edit checks first and changes then: nothing has to be put back, and the text need not be shared.
        let before = (!matches!(ops, [CodeOp::EditFile { .. }])).then(|| self.clone());
        let done = Run {
            value: self,
            record: record.as_deref_mut(),
        }
        .all(ops);
        match (&done, before) {
            (Err(_), Some(before)) => *self = before,
            (Ok(()), Some(before)) if before.digest() == self.digest() && before == *self => {
                record.into_iter().for_each(Record::clear);
            }
            _ => {}
        }
        done
    }
}

/// What was really done: each operation with the one that takes it back.
#[derive(Default)]
struct Record {
    delta: Vec<CodeOp>,
    inverse: Vec<CodeOp>,
}

impl Record {
    /// Forgets operations that together changed nothing.
    fn clear(&mut self) {
        self.delta.clear();
        self.inverse.clear();
    }
}

/// One delta being applied.
struct Run<'a> {
    value: &'a mut CodeValue,
    record: Option<&'a mut Record>,
}

impl Run<'_> {
    fn all(mut self, ops: &[CodeOp]) -> Result<(), ApplyError> {
        for (index, op) in ops.iter().enumerate() {
            self.one(op).map_err(|flaw| flaw.into_apply_error(index))?;
        }
        let last = ops.len().saturating_sub(1);
        let files = at_most(Limited::Files, FILES_MAX, self.value.files.len());
        files
            .and_then(|()| self.value.check_entry())
            .map_err(|rule| Flaw::from(rule).into_apply_error(last))
    }

    fn one(&mut self, op: &CodeOp) -> Result<(), Flaw> {
        match op {
            CodeOp::AddFile { path, text } => self.add_file(path, text),
            CodeOp::RemoveFile { path } => self.remove_file(path),
            CodeOp::RenameFile { path, to } => self.rename_file(path, to),
            CodeOp::EditFile { path, delta } => self.edit_file(path, delta),
            CodeOp::SetEntry { path } => {
                self.set_entry(path.clone());
                Ok(())
            }
            CodeOp::SetAttributes { patch } => self.set_attributes(patch),
        }
    }

    fn add_file(&mut self, path: &Path, text: &str) -> Result<(), Flaw> {
        self.check_free("/path", path)?;
        let new = RichText::from_plain(text);
        check_text(&new).map_err(|rule| Flaw::new("/text", rule))?;
        self.value.put_file(path.clone(), new);
        self.commit(|| {
            let op = CodeOp::AddFile {
                path: path.clone(),
                text: text.to_owned(),
            };
            (op, CodeOp::RemoveFile { path: path.clone() })
        });
        Ok(())
    }

    fn remove_file(&mut self, path: &Path) -> Result<(), Flaw> {
        if self.value.entry() == Some(path) {
            self.set_entry(None);
        }
        let text = self.value.take_file(path).ok_or_else(|| missing(path))?;
        self.commit(|| {
            let inverse = CodeOp::AddFile {
                path: path.clone(),
                text: text.to_plain(),
            };
            (CodeOp::RemoveFile { path: path.clone() }, inverse)
        });
        Ok(())
    }

    fn rename_file(&mut self, path: &Path, to: &Path) -> Result<(), Flaw> {
        if self.value.file(path).is_none() {
            return Err(missing(path));
        }
        if path == to {
            return Ok(());
        }
        self.check_free("/to", to)?;
        let text = self.value.take_file(path).ok_or_else(|| missing(path))?;
        self.value.put_file(to.clone(), text);
        if self.value.entry() == Some(path) {
            self.value.put_meta(Some(to.clone()), self.value.attributes().clone());
        }
        let rename = |path: &Path, to: &Path| CodeOp::RenameFile {
            path: path.clone(),
            to: to.clone(),
        };
        self.commit(|| (rename(path, to), rename(to, path)));
        Ok(())
    }

    fn edit_file(&mut self, path: &Path, delta: &TextDelta) -> Result<(), Flaw> {
        let flaw = |rule: Rule| Flaw::new("/delta", rule);
        delta.require_plain().map_err(|fault| flaw(fault.into()))?;
        let file = self.value.files.get_mut(path).ok_or_else(|| missing(path))?;
        let len = file.text.len().saturating_add_signed(delta.change_len());
        at_most(Limited::TextUnits, TEXT_MAX_UNITS, len).map_err(flaw)?;
        let (old_sum, old_weight) = (file.sum, file.weight);
        let inverse = match &self.record {
            Some(_) => file.text.apply(delta).map(Some),
            None => file.text.replay(delta).map(|()| None),
        };
        let inverse = inverse.map_err(|fault| flaw(fault.into()))?;
        file.count(path);
        let changed = |inverse: &TextDelta| old_sum != file.sum || !changes_nothing(&file.text, inverse);
        let inverse = inverse.filter(changed);
        self.value.sum.remove(old_sum);
        self.value.sum.add(file.sum);
        self.value.weight = self.value.weight - old_weight + file.weight;
        if let Some(inverse) = inverse {
            let edit = |delta| CodeOp::EditFile {
                path: path.clone(),
                delta,
            };
            self.commit(|| (edit(delta.clone().chop()), edit(inverse)));
        }
        Ok(())
    }

    fn set_entry(&mut self, path: Option<Path>) {
        let old = self.value.entry().cloned();
        if old != path {
            self.value.put_meta(path.clone(), self.value.attributes().clone());
            self.commit(|| (CodeOp::SetEntry { path }, CodeOp::SetEntry { path: old }));
        }
    }

    fn set_attributes(&mut self, patch: &Patch) -> Result<(), Flaw> {
        let mut map = self.value.attributes().clone();
        let patched = patch::apply(&mut map, &PatchRef::of(patch), Root { skip: 0, above: 0 })?;
        if !patched.delta.is_empty() {
            self.value.put_meta(self.value.entry().cloned(), map);
            let set = |patch| CodeOp::SetAttributes { patch };
            self.commit(|| (set(patched.delta), set(patched.inverse)));
        }
        Ok(())
    }

    fn check_free(&self, at: &str, path: &Path) -> Result<(), Flaw> {
        check_path(path).map_err(|rule| Flaw::new(at, rule))?;
        match self.value.file(path) {
            Some(_) => Err(Flaw::new(at, Rule::FileExists { path: path.to_string() })),
            None => Ok(()),
        }
    }

    fn commit(&mut self, made: impl FnOnce() -> (CodeOp, CodeOp)) {
        if let Some(record) = &mut self.record {
            let (op, inverse) = made();
            record.delta.push(op);
            record.inverse.push(inverse);
        }
    }
}

fn missing(path: &Path) -> Flaw {
    Flaw::new("/path", Rule::FileMissing { path: path.to_string() })
}
