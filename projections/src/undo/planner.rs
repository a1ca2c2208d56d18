//! Planning an undo: the stored inverses of the events, newest first, operation by operation, on a copy of the head.

use std::collections::{HashMap, HashSet};

use super::fault::UndoError;
use super::plan::{Request, SkipReason, Skipped, UndoConflict, UndoNote, UndoNoteKind, UndoPlan, UndoStep};
use super::refs;
use super::report::Report;
use super::texts::texts_of;
use crate::delta::Delta;
use crate::design::{DesignOp, DesignValue, Id};
use crate::json::Json;
use crate::pointer::Pointer;
use crate::rebase::{Committed, ConflictKind, Field, Said, Since, Subject, Trail, subject_of};

/// One undo being planned.
pub(super) struct Planner<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) trail: Trail<'a>,
    /// The head, with what of the plan is made so far.
    pub(super) work: DesignValue,
    /// The operations, each with its inverse.
    pub(super) made: Vec<(DesignOp, DesignOp)>,
    steps: Vec<UndoStep>,
    /// The event being undone, by its index.
    pub(super) target: usize,
    /// The events that are undone or stand again since this one, once it is undone. What was there at its time although
    /// it had been undone before was there for a reason.
    pub(super) since: Since,
    /// What came back in the undo of this event: nobody else has touched it since.
    pub(super) returned: HashSet<Subject>,
    /// The texts that this event no longer has a part in.
    pub(super) woven: HashSet<(Id, Pointer)>,
    /// The last node that came back to the place of an ancestor that is gone.
    pub(super) stand_ins: HashMap<Id, Id>,
    /// Nodes that no property shall name again.
    pub(super) gone: HashSet<Id>,
    /// Whether the undo of this event must be remembered though it may change nothing.
    pub(super) remember: bool,
    report: Report,
    /// Why there is no plan at all.
    pub(super) fault: Option<UndoError>,
}

/// Something in the way, before it is written down.
#[derive(Default)]
pub(super) struct Hitch {
    pub(super) pointer: String,
    pub(super) wanted: Option<Json>,
    pub(super) now: Option<Json>,
    pub(super) event: Option<usize>,
}

/// Plans the undo of events, given by their indices, the newest first.
pub(super) fn plan(request: &Request<'_>, targets: &[usize], head: &DesignValue) -> Result<UndoPlan, UndoError> {
    let mut plan = Planner::new(request, targets, head, HashSet::new()).all(targets);
    let gone = refs::gone(&plan);
    if !gone.is_empty() {
        plan = Planner::new(request, targets, head, gone).all(targets);
    }
    if let Some(fault) = plan.fault {
        return Err(fault);
    }
    let is_complete = plan.report.is_complete();
    plan.report.into_plan(plan.steps, is_complete, request.policy)
}

fn inverse<'a>(event: &Committed<'a>) -> &'a [DesignOp] {
    match event.inverse {
        Delta::Design(inverse) => inverse,
        _ => &[],
    }
}

impl<'a> Planner<'a> {
    fn new(request: &'a Request<'a>, targets: &[usize], head: &DesignValue, gone: HashSet<Id>) -> Planner<'a> {
        let interest = targets.iter().flat_map(|target| inverse(&request.history[*target]));
        let texts = targets.iter().flat_map(|target| texts_of(request.history, *target));
        let texts: Vec<_> = texts.map(|(id, _)| DesignOp::RemoveNode { id }).collect();
        Planner {
            request,
            trail: Trail::new(request.history, interest.chain(&texts)),
            work: head.clone(),
            made: Vec::new(),
            steps: Vec::new(),
            target: 0,
            since: Since::default(),
            returned: HashSet::new(),
            woven: HashSet::new(),
            stand_ins: HashMap::new(),
            gone,
            remember: false,
            report: Report::default(),
            fault: None,
        }
    }

    fn all(mut self, targets: &[usize]) -> Planner<'a> {
        let mut planned = 0;
        for target in targets {
            self.target = *target;
            self.returned.clear();
            self.woven.clear();
            self.stand_ins.clear();
            let event = &self.request.history[*target];
            self.since = self.trail.events.since(*target);
            self.remember = !event.undoes.is_empty();
            let ops = inverse(event);
            let Delta::Design(done) = event.delta else {
                continue;
            };
            for (index, op) in ops.iter().enumerate() {
                let pair = (done.len() == ops.len()).then(|| &done[ops.len() - 1 - index]);
                self.one(op, pair);
            }
            for (id, pointer) in texts_of(self.request.history, *target) {
                self.text_back(&id, &pointer);
            }
            let made = &self.made[planned..];
            self.steps.push(UndoStep {
                target: event.version,
                delta: Delta::Design(made.iter().map(|(op, _)| op.clone()).collect()),
                remember: self.remember,
            });
            self.trail.plan(vec![event.version], made.to_vec());
            planned = self.made.len();
        }
        self
    }

    /// Takes back one operation of the event, given the one that takes it back.
    fn one(&mut self, op: &DesignOp, pair: Option<&DesignOp>) {
        let Some(subject) = subject_of(op) else {
            return;
        };
        let exists = subject.exists(&self.work);
        match op {
            DesignOp::AddNode {
                node,
                position,
                siblings,
            } => self.return_node(node, position, siblings.as_ref()),
            DesignOp::AddBackground {
                background,
                siblings,
                placement,
            } => {
                self.return_background(background, siblings.as_ref(), placement);
            }
            DesignOp::RemoveNode { .. } | DesignOp::RemoveBackground { .. } if !exists => {
                self.remember = true;
                self.skip(SkipReason::AlreadyRemoved, &subject, String::new());
            }
            DesignOp::RemoveNode { id } => self.take_node_away(id, pair),
            DesignOp::RemoveBackground { id } => self.take_background_away(id, pair),
            _ if !exists => self.skip(SkipReason::Removed, &subject, pointer_of(op)),
            DesignOp::SetNode { id, patch } => {
                if let Some(patch) = self.patch_back(&subject, patch, pair) {
                    self.emit(DesignOp::SetNode { id: id.clone(), patch });
                }
            }
            DesignOp::SetAttributes { patch } => {
                if let Some(patch) = self.patch_back(&subject, patch, pair) {
                    self.emit(DesignOp::SetAttributes { patch });
                }
            }
            DesignOp::SetBackground { id, patch } => {
                if let Some(patch) = self.patch_back(&subject, patch, pair) {
                    self.emit(DesignOp::SetBackground { id: id.clone(), patch });
                }
            }
            DesignOp::MoveNode { id, .. } => self.move_back(id, op),
            DesignOp::EditText { id, pointer, delta } => self.edit_back(id, pointer, delta),
            DesignOp::AddToSet {
                id,
                pointer,
                values,
                at,
            } => self.put_elements_back(id, pointer, values, at),
            DesignOp::RemoveFromSet { id, pointer, values } => self.take_elements_out(id, pointer, values),
            DesignOp::MoveBackground {
                id,
                siblings,
                placement,
            } => {
                self.move_background_back(id, siblings.as_ref(), placement);
            }
        }
    }

    /// Gives the later event that has taken a field, unless the thing came back just now.
    pub(super) fn taken(&self, subject: &Subject, field: Field<'_>) -> Option<usize> {
        if self.returned.contains(subject) {
            None
        } else {
            self.trail.taken(subject, field, self.target + 1)
        }
    }

    /// Gives what to put back: the value from before the event or, where others have undone or redone what they wrote
    /// before it, the newest of those that stand.
    pub(super) fn wanted(&self, subject: &Subject, field: Field<'_>, stored: Option<&Json>) -> Option<Json> {
        let owned = self.trail.owned_before(subject, field, self.target);
        match owned.given_back(&self.since, &self.trail.events) {
            Some(Said::Value(value)) => value.map(|value| value.into_owned()),
            _ => stored.cloned(),
        }
    }

    /// Takes an operation into the plan, as it is committed. One that cannot be applied is a conflict.
    pub(super) fn emit(&mut self, op: DesignOp) {
        match self.work.apply(std::slice::from_ref(&op)) {
            Ok((ops, inverse)) => self.made.extend(ops.into_iter().zip(inverse.into_iter().rev())),
            Err(fault) => {
                if let Some(subject) = subject_of(&op) {
                    let pointer = pointer_of(&op);
                    let kind = ConflictKind::Blocked { rule: fault.rule };
                    self.conflict(
                        kind,
                        &subject,
                        Hitch {
                            pointer,
                            ..Hitch::default()
                        },
                    );
                }
            }
        }
    }

    pub(super) fn conflict(&mut self, kind: ConflictKind, subject: &Subject, hitch: Hitch) {
        self.report.conflict(UndoConflict {
            target: self.version(),
            kind,
            subject: subject.clone(),
            pointer: hitch.pointer,
            wanted: hitch.wanted,
            now: hitch.now,
            version: hitch.event.and_then(|event| self.trail.events.version(event)),
            actor: hitch.event.and_then(|event| self.trail.events.actor(event)),
        });
    }

    pub(super) fn skip(&mut self, reason: SkipReason, subject: &Subject, pointer: String) {
        self.report.skip(Skipped {
            target: self.version(),
            reason,
            subject: subject.clone(),
            pointer,
        });
    }

    pub(super) fn note(&mut self, kind: UndoNoteKind, subject: &Subject, pointer: impl Into<String>) {
        self.report.note(UndoNote {
            target: self.version(),
            kind,
            subject: subject.clone(),
            pointer: pointer.into(),
        });
    }

    pub(super) fn version(&self) -> u64 {
        self.request.history[self.target].version
    }
}

/// Gives the field that an operation is about, if it is about one.
fn pointer_of(op: &DesignOp) -> String {
    match op {
        DesignOp::EditText { pointer, .. }
        | DesignOp::AddToSet { pointer, .. }
        | DesignOp::RemoveFromSet { pointer, .. } => pointer.to_string(),
        DesignOp::SetNode { patch, .. } | DesignOp::SetAttributes { patch } | DesignOp::SetBackground { patch, .. } => {
            let set = patch.set.iter().map(|(pointer, _)| pointer);
            set.chain(&patch.unset)
                .next()
                .map(Pointer::to_string)
                .unwrap_or_default()
        }
        _ => String::new(),
    }
}
