//! Rebasing the operations of a DESIGN page, one after the other, on a copy of the head.

use std::collections::{HashMap, HashSet};

use super::committed::Committed;
use super::conflict::{Conflict, ConflictKind};
use super::field::Field;
use super::findings::{Accepted, Findings};
use super::outcome::{NoteKind, OnOverwrite, Options, Rebased};
use super::subject::{Subject, subject_of};
use super::trail::Trail;
use crate::delta::Delta;
use crate::design::{DesignOp, DesignValue, Id};
use crate::json::Json;
use crate::pointer::Pointer;
use crate::text::TextDelta;

/// Rebases deltas onto the head, of which the first was made at the base and each other one on what the one before left.
pub(super) fn rebase(
    deltas: &[&[DesignOp]],
    over: &[Committed<'_>],
    head: &DesignValue,
    options: &Options<'_>,
) -> Result<Vec<Rebased>, Vec<Conflict>> {
    let mut run = Run::new(deltas, over, head, options);
    for (delta, ops) in deltas.iter().enumerate() {
        for (index, op) in ops.iter().enumerate() {
            (run.findings.delta, run.findings.op) = (delta, index);
            run.one(op);
        }
    }
    run.findings.into_results(run.out.into_deltas(Delta::Design))
}

/// Deltas being rebased: what is said of "the delta" here goes for all of them together.
pub(super) struct Run<'a> {
    deltas: &'a [&'a [DesignOp]],
    pub(super) options: &'a Options<'a>,
    pub(super) trail: Trail<'a>,
    /// The head, with what of the delta was accepted so far.
    pub(super) work: DesignValue,
    out: Accepted<DesignOp>,
    pub(super) findings: Findings,
    /// What the delta adds itself: nobody else has touched it.
    pub(super) added: HashSet<Subject>,
    /// What the delta removes itself.
    pub(super) removed: HashSet<Subject>,
    /// What the delta would have added, but may not: whatever it does to it is passed over.
    void: HashSet<Subject>,
    /// The others' edits of a text, as they stand over what the delta did to it so far.
    pub(super) texts: HashMap<(Id, Pointer), Vec<TextDelta>>,
    /// The values that the delta has set itself, or given up.
    pub(super) settled: HashMap<Id, Vec<(Pointer, Settled)>>,
    /// The nodes that the events put to a place, once somebody asks.
    pub(super) placed: Option<HashSet<Id>>,
}

/// Whose value a field has within the delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    Mine,
    Theirs,
}

/// Something in the way, before it is written down.
#[derive(Default)]
pub(super) struct Clash {
    pub(super) pointer: String,
    pub(super) before: Option<Json>,
    pub(super) mine: Option<Json>,
    pub(super) theirs: Option<Json>,
    pub(super) event: Option<usize>,
}

/// What becomes of an operation or field over which two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    TakeMine,
    LeaveTheirs,
}

impl<'a> Run<'a> {
    fn new(
        deltas: &'a [&'a [DesignOp]],
        over: &'a [Committed<'a>],
        head: &DesignValue,
        options: &'a Options<'a>,
    ) -> Run<'a> {
        Run {
            deltas,
            options,
            trail: Trail::new(over, deltas.iter().copied().flatten()),
            work: head.clone(),
            out: Accepted::new(deltas.len()),
            findings: Findings::default(),
            added: HashSet::new(),
            removed: HashSet::new(),
            void: HashSet::new(),
            texts: HashMap::new(),
            settled: HashMap::new(),
            placed: None,
        }
    }

    fn one(&mut self, op: &DesignOp) {
        let Some(subject) = subject_of(op) else {
            return;
        };
        let adds = matches!(op, DesignOp::AddNode { .. } | DesignOp::AddBackground { .. });
        if !adds && self.is_gone(op, &subject) {
            return;
        }
        match op {
            DesignOp::AddNode {
                node,
                position,
                siblings,
            } => self.add_node(node, position, siblings.as_ref()),
            DesignOp::RemoveNode { id } => self.remove_node(id),
            DesignOp::SetNode { id, patch } => {
                let patch = self.patch(&subject, patch);
                self.emit_unless(patch.is_empty(), || DesignOp::SetNode { id: id.clone(), patch });
            }
            DesignOp::MoveNode {
                id,
                parent,
                position,
                siblings,
                geometry,
            } => {
                self.move_node(id, parent.as_ref(), position.as_ref(), siblings.as_ref(), geometry);
            }
            DesignOp::EditText { id, pointer, delta } => self.edit_text(id, pointer, delta),
            DesignOp::AddToSet {
                id,
                pointer,
                values,
                at,
            } => self.add_to_set(id, pointer, values, at),
            DesignOp::RemoveFromSet { id, pointer, values } => self.remove_from_set(id, pointer, values),
            DesignOp::SetAttributes { patch } => {
                let patch = self.patch(&subject, patch);
                self.emit_unless(patch.is_empty(), || DesignOp::SetAttributes { patch });
            }
            DesignOp::AddBackground {
                background, placement, ..
            } => self.add_background(background, placement),
            DesignOp::RemoveBackground { id } => self.remove_background(id),
            DesignOp::SetBackground { id, patch } => {
                let patch = self.patch(&subject, patch);
                self.emit_unless(patch.is_empty(), || DesignOp::SetBackground { id: id.clone(), patch });
            }
            DesignOp::MoveBackground { id, placement, .. } => self.move_background(id, placement),
        }
    }

    /// Passes over an operation on what is not there, and says why.
    fn is_gone(&mut self, op: &DesignOp, subject: &Subject) -> bool {
        if self.void.contains(subject) {
            return true;
        }
        if subject.exists(&self.work) || self.removed.contains(subject) {
            return false;
        }
        // What was not there at the base either is left to the apply, which refuses it.
        let Some(event) = self.trail.remover(subject) else {
            return false;
        };
        if matches!(op, DesignOp::RemoveNode { .. } | DesignOp::RemoveBackground { .. }) {
            self.findings.drop(subject, "");
        } else {
            self.conflict(
                ConflictKind::TargetRemoved,
                subject,
                Clash {
                    event: Some(event),
                    ..Clash::default()
                },
            );
        }
        true
    }

    /// Gives the event that has taken a field from the base, unless the thing is the delta's own.
    pub(super) fn taken(&self, subject: &Subject, field: Field<'_>) -> Option<usize> {
        if self.added.contains(subject) {
            None
        } else {
            self.trail.taken(subject, field, 0)
        }
    }

    /// Decides over a field that two have set to different values; a conflict leaves theirs.
    pub(super) fn decide(&mut self, kind: ConflictKind, subject: &Subject, clash: Clash) -> Verdict {
        let version = clash.event.and_then(|event| self.trail.events.version(event));
        let (kind, verdict, lost) = match self.options.on_overwrite {
            OnOverwrite::Refuse => {
                self.conflict(kind, subject, clash);
                return Verdict::LeaveTheirs;
            }
            OnOverwrite::Mine => (NoteKind::TookOver, Verdict::TakeMine, clash.theirs),
            OnOverwrite::Theirs => (NoteKind::GaveWay, Verdict::LeaveTheirs, clash.mine),
        };
        let note = self.findings.note(kind, subject, clash.pointer);
        (note.lost, note.version) = (lost, version);
        verdict
    }

    pub(super) fn conflict(&mut self, kind: ConflictKind, subject: &Subject, clash: Clash) {
        self.findings.conflicts.push(Conflict {
            delta: self.findings.delta,
            op: self.findings.op,
            kind,
            subject: subject.clone(),
            pointer: clash.pointer,
            before: clash.before,
            mine: clash.mine,
            theirs: clash.theirs,
            version: clash.event.and_then(|event| self.trail.events.version(event)),
            actor: clash.event.and_then(|event| self.trail.events.actor(event)),
        });
    }

    /// Gives the operation that comes next, in this delta or at the start of another one.
    pub(super) fn next_op(&self) -> Option<&DesignOp> {
        let here = self.deltas.get(self.findings.delta)?.get(self.findings.op + 1..)?;
        let later = self.deltas.get(self.findings.delta + 1..)?.iter().copied();
        here.iter().chain(later.flatten()).next()
    }

    /// Says that something may not be added; what the delta does to it is passed over from here on.
    pub(super) fn void(&mut self, subject: Subject) {
        self.void.insert(subject);
    }

    pub(super) fn emit_unless(&mut self, not: bool, op: impl FnOnce() -> DesignOp) {
        if !not {
            self.emit(op());
        }
    }

    /// Takes an operation into the rebased delta. One that cannot be applied is a conflict: what was committed since is
    /// in the way, or it never could be.
    pub(super) fn emit(&mut self, op: DesignOp) {
        if let Err(fault) = self.work.replay(std::slice::from_ref(&op)) {
            let Some(subject) = subject_of(&op) else {
                return;
            };
            self.conflict(ConflictKind::Blocked { rule: fault.rule }, &subject, Clash::default());
            return;
        }
        self.out.push(op, &self.findings);
    }
}
