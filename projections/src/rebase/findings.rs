//! What comes up while deltas are rebased, and how it is told apart by delta.

use super::conflict::Conflict;
use super::outcome::{Dropped, Note, NoteKind, Rebased};
use super::subject::Subject;
use crate::delta::Delta;

/// What comes up, with the operation at work: one of one delta.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) delta: usize,
    pub(super) op: usize,
    pub(super) conflicts: Vec<Conflict>,
    dropped: Vec<Dropped>,
    notes: Vec<Note>,
}

impl Findings {
    pub(super) fn drop(&mut self, subject: &Subject, pointer: impl Into<String>) {
        self.dropped.push(Dropped {
            delta: self.delta,
            op: self.op,
            subject: subject.clone(),
            pointer: pointer.into(),
        });
    }

    pub(super) fn note(&mut self, kind: NoteKind, subject: &Subject, pointer: impl Into<String>) -> &mut Note {
        let (subject, pointer) = (subject.clone(), pointer.into());
        self.notes.push(Note {
            delta: self.delta,
            op: self.op,
            kind,
            subject,
            pointer,
            lost: None,
            version: None,
        });
        let last = self.notes.len() - 1;
        &mut self.notes[last]
    }

    /// Gives each of the deltas, in order, with the operations that it was made of and what came up about it.
    pub(super) fn into_results(self, deltas: Vec<(Delta, Vec<usize>)>) -> Result<Vec<Rebased>, Vec<Conflict>> {
        if !self.conflicts.is_empty() {
            return Err(self.conflicts);
        }
        let results = deltas.into_iter().map(|(delta, origins)| Rebased {
            delta,
            origins,
            dropped: Vec::new(),
            notes: Vec::new(),
        });
        let mut results: Vec<Rebased> = results.collect();
        for dropped in self.dropped {
            if let Some(result) = results.get_mut(dropped.delta) {
                result.dropped.push(dropped);
            }
        }
        for note in self.notes {
            if let Some(result) = results.get_mut(note.delta) {
                result.notes.push(note);
            }
        }
        Ok(results)
    }
}

/// Operations that were accepted, by the delta that they come from, each with the index of the one that it was made of.
pub(super) struct Accepted<O>(Vec<(Vec<O>, Vec<usize>)>);

impl<O> Accepted<O> {
    /// Makes room for so many deltas.
    pub(super) fn new(deltas: usize) -> Accepted<O> {
        Accepted((0..deltas).map(|_| (Vec::new(), Vec::new())).collect())
    }

    /// Takes an operation in that was made of the one at work.
    pub(super) fn push(&mut self, op: O, findings: &Findings) {
        if let Some((ops, origins)) = self.0.get_mut(findings.delta) {
            ops.push(op);
            origins.push(findings.op);
        }
    }

    /// Gives the deltas.
    pub(super) fn into_deltas(self, delta: impl Fn(Vec<O>) -> Delta) -> Vec<(Delta, Vec<usize>)> {
        let deltas = self.0.into_iter();
        deltas.map(|(ops, origins)| (delta(ops), origins)).collect()
    }
}
