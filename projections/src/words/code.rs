//! Changes of a CODE page in words.

use super::phrase::counted;
use super::telling::{Key, Telling};
use crate::code::CodeOp;
use crate::text::units;

/// Says what operations do to files. Edits of one file are one sentence.
pub(super) fn describe(ops: &[CodeOp]) -> Vec<String> {
    let mut telling = Telling::default();
    for op in ops {
        match op {
            CodeOp::EditFile { path, delta } => telling.counts_in(path).add(delta),
            CodeOp::SetAttributes { patch } => {
                let whose = || "the page".to_owned();
                telling.fields(Key::Attributes, whose).patch(patch);
            }
            CodeOp::AddFile { path, text } => {
                telling.tell(format!("added file {path} ({})", counted(units(text), "character")));
            }
            CodeOp::RemoveFile { path } => telling.tell(format!("removed file {path}")),
            CodeOp::RenameFile { path, to } => telling.tell(format!("renamed {path} to {to}")),
            CodeOp::SetEntry { path: Some(path) } => telling.tell(format!("made {path} the entry")),
            CodeOp::SetEntry { path: None } => telling.tell("left the page without an entry".into()),
        }
        if let CodeOp::RemoveFile { path } | CodeOp::RenameFile { path, .. } = op {
            telling.close(&Key::File(path));
        }
    }
    telling.finish()
}
