//! A DESIGN page whose nodes stay, as registers: a field has the value that the newest standing edit wrote to it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use recto_pages::UndoReport;
use recto_pages::projections::Json;

use crate::fault::{Checked, holds};

/// The fields that edits wrote, and what each wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    first: Json,
    writes: BTreeMap<Field, Vec<(u64, Option<String>)>>,
    /// Fields that an undo set back over what others wrote since, or did not: those go by the order of the undos.
    passed_over: BTreeSet<Field>,
}

/// A node, or none for the page's attributes, and a pointer.
type Field = (Option<String>, String);

impl Registers {
    /// Begins with the state that the page was created with.
    pub(crate) fn new(first: Json) -> Self {
        Self {
            first,
            ..Self::default()
        }
    }

    /// Takes an edit in. What it wrote and wrote back again counts as not written.
    pub(crate) fn edit(&mut self, edit: u64, delta: &Json, before: &Json) {
        self.write(edit, delta);
        for (field, writes) in &mut self.writes {
            let own = writes.partition_point(|(other, _)| *other < edit);
            let last = writes.drain(own..).next_back();
            writes.extend(last.filter(|(_, value)| *value != look(before, field)));
        }
    }

    fn write(&mut self, edit: u64, delta: &Json) {
        for op in delta.as_array().into_iter().flatten() {
            let node = op["id"].as_str().map(str::to_owned);
            let mut write = |pointer: &str, value: Option<&Json>| {
                let writes = self.writes.entry((node.clone(), pointer.to_owned())).or_default();
                writes.push((edit, value.map(Json::to_string)));
            };
            for (pointer, value) in op["set"].as_object().into_iter().flatten() {
                write(pointer, Some(value));
            }
            for pointer in op["unset"].as_array().into_iter().flatten() {
                write(pointer.as_str().expect("a pointer"), None);
            }
            for (side, value) in op["geometry"].as_object().into_iter().flatten() {
                write(&format!("/geometry/{side}"), Some(value));
            }
        }
    }

    /// Leaves the fields out of account that a report says were set back over others, or were not set back.
    pub(crate) fn pass_over(&mut self, report: &UndoReport) {
        let restored = report.notes.listed.iter().filter(|note| note["code"] == "restored");
        for note in restored.chain(&report.conflicts.listed) {
            let node = note["node"].as_str().map(str::to_owned);
            let pointer = note["pointer"].as_str().unwrap_or_default();
            let below =
                |field: &&Field| field.0 == node && (field.1.starts_with(pointer) || pointer.starts_with(&field.1));
            let fields: Vec<Field> = self.writes.keys().filter(below).cloned().collect();
            self.passed_over.extend(fields);
        }
    }

    /// Every field has the value that the newest standing edit wrote.
    pub(crate) fn check(&self, state: &Json, off: &HashSet<u64>) -> Checked {
        for (field, writes) in self
            .writes
            .iter()
            .filter(|(field, _)| !self.passed_over.contains(*field))
        {
            let standing = writes.iter().rev().find(|(edit, _)| !off.contains(edit));
            let wanted = standing.map_or_else(|| look(&self.first, field), |(_, value)| value.clone());
            let got = look(state, field);
            holds("registers", got == wanted, || {
                format!("{field:?} has {got:?}, wanted {wanted:?}; written {writes:?}, undone {off:?}")
            })?;
        }
        Ok(())
    }
}

fn look(state: &Json, (node, pointer): &Field) -> Option<String> {
    let below = match node {
        Some(node) => &state["nodes"][node],
        None => &state["attributes"],
    };
    below.pointer(pointer).map(Json::to_string)
}
