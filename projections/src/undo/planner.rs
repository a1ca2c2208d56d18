//! Planning an undo: the stored inverses of the events, newest first, operation by operation, on a copy of the head.

use std::collections::{HashMap, HashSet};

use super::comings::Comings;
use super::fault::UndoError;
use super::follower::follow;
use super::plan::{Request, SkipReason, Skipped, UndoConflict, UndoNote, UndoNoteKind, UndoPlan, UndoStep};
use super::refs;
use super::repeats;
use super::report::Report;
use super::setters::{Part, Setters};
use super::switched::reached;
use crate::delta::Delta;
use crate::design::{DesignOp, DesignValue, Id};
use crate::json::Json;
use crate::pointer::Pointer;
use crate::rebase::{Committed, ConflictKind, Field, Subject, Trail, subject_of};

/// One undo being planned.
pub(super) struct Planner<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) trail: Trail<'a>,
    head: DesignValue,
    /// The page before the undo of this event.
    pub(super) begun: DesignValue,
    /// The head, with what of the plan is made so far.
    pub(super) work: DesignValue,
    /// The operations, each with its inverse.
    pub(super) made: Vec<(DesignOp, DesignOp)>,
    steps: Vec<UndoStep>,
    /// The event being undone, by its index.
    pub(super) target: usize,
    /// The events that are undone since this one, once it is undone. What was there at its time although it had been
    /// undone before was there for a reason.
    pub(super) undone_since: HashSet<u64>,
    /// The events that its undo lets stand, or not.
    pub(super) switched: Vec<(usize, bool)>,
    /// The fields that are as they shall be once it is undone, or stay for a reason.
    pub(super) settled: HashSet<(Subject, String)>,
    /// Those of them that it has set.
    pub(super) set_back: HashSet<(Subject, String)>,
    /// The fields that its stored inverse takes out in the operation of now, and puts in again later.
    pub(super) set_later: HashSet<(Subject, String)>,
    /// Those that it puts in again behind all other keys, with the value that they have.
    pub(super) put_last: HashSet<(Subject, String)>,
    /// The operations of its stored inverse from that of now on.
    pub(super) rest: &'a [DesignOp],
    /// Where its stored inverse makes things come and go.
    pub(super) comings: Comings,
    /// The operations of its stored inverse that were taken before their turn: a node goes before that in which it lies.
    gone_first: HashSet<usize>,
    /// The nodes that its stored inverse still has to bring back.
    pub(super) coming: HashSet<Id>,
    /// What came back in the undo of this event, each with its life: nobody else has touched it since.
    pub(super) returned: HashMap<Subject, Option<usize>>,
    /// The last node that came back to the place of an ancestor that is gone.
    pub(super) stand_ins: HashMap<Id, Id>,
    /// Nodes that no property shall name again.
    gone: HashSet<Id>,
    /// Those of them that went away since the event.
    pub(super) went_away: HashSet<Id>,
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
        let reached = targets.iter().flat_map(|target| reached(request.history, *target));
        Planner {
            request,
            trail: Trail::new(request.history, interest.chain(reached)),
            head: head.clone(),
            begun: head.clone(),
            work: head.clone(),
            made: Vec::new(),
            steps: Vec::new(),
            target: 0,
            undone_since: HashSet::new(),
            switched: Vec::new(),
            settled: HashSet::new(),
            set_back: HashSet::new(),
            set_later: HashSet::new(),
            put_last: HashSet::new(),
            rest: &[],
            comings: Comings::default(),
            gone_first: HashSet::new(),
            coming: HashSet::new(),
            returned: HashMap::new(),
            stand_ins: HashMap::new(),
            gone,
            went_away: HashSet::new(),
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
            self.begun = self.work.clone();
            self.stand_ins.clear();
            let event = &self.request.history[*target];
            self.undone_since = self.trail.events.undone_since(*target);
            self.switched = self.trail.switched_by_undo_of(*target);
            self.settled.clear();
            self.set_back.clear();
            self.put_last.clear();
            self.remember = !event.undoes.is_empty();
            let ops = inverse(event);
            let Delta::Design(done) = event.delta else {
                continue;
            };
            self.comings = Comings::of(ops);
            self.coming = self.comings.nodes().cloned().collect();
            self.gone_first.clear();
            self.went_away = match self.gone.is_empty() {
                true => HashSet::new(),
                false => self.trail.went_away(&self.gone, *target),
            };
            for index in 0..ops.len() {
                self.take_back(ops, done, index);
            }
            self.rest = &[];
            self.switched_back();
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

    /// Takes back one operation of the event, `done`: the one at `index` of its stored inverse.
    fn take_back(&mut self, ops: &'a [DesignOp], done: &'a [DesignOp], index: usize) {
        let op = &ops[index];
        let Some(subject) = subject_of(op).filter(|subject| !self.comings.is_passing(index, op, subject)) else {
            return;
        };
        match op {
            DesignOp::AddNode { node, .. } => drop(self.coming.remove(&node.id)),
            DesignOp::RemoveNode { id } => {
                if self.gone_first.contains(&index) {
                    return;
                }
                // What the event put into the node, having made it too, goes before the node, whichever it made first.
                let children = self.work.children_of(Some(id));
                let inner: Vec<usize> = children.filter_map(|child| self.comings.goes_at(child.id())).collect();
                for inner in inner.into_iter().filter(|inner| *inner > index) {
                    self.take_back(ops, done, inner);
                    self.gone_first.insert(inner);
                }
            }
            _ => {}
        }
        // What the event did, from the operation on that this one takes back.
        let done = match done.len() == ops.len() {
            true => &done[ops.len() - 1 - index..],
            false => &[],
        };
        self.rest = &ops[index..];
        self.set_later = repeats::set_later(op, &ops[index + 1..]);
        self.one(&subject, op, done);
    }

    /// Takes back one operation of the event, given the one that takes it back.
    fn one(&mut self, subject: &Subject, op: &DesignOp, done: &[DesignOp]) {
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
                self.skip(SkipReason::AlreadyRemoved, subject, String::new());
            }
            DesignOp::RemoveNode { id } => self.take_node_away(id, done),
            DesignOp::RemoveBackground { id } => self.take_background_away(id, done),
            _ if !exists => self.skip(SkipReason::Removed, subject, pointer_of(op)),
            DesignOp::SetNode { id, patch } => {
                if let Some(patch) = self.patch_back(subject, patch) {
                    self.emit(DesignOp::SetNode { id: id.clone(), patch });
                }
            }
            DesignOp::SetAttributes { patch } => {
                if let Some(patch) = self.patch_back(subject, patch) {
                    self.emit(DesignOp::SetAttributes { patch });
                }
            }
            DesignOp::SetBackground { id, patch } => {
                if let Some(patch) = self.patch_back(subject, patch) {
                    self.emit(DesignOp::SetBackground { id: id.clone(), patch });
                }
            }
            DesignOp::MoveNode { id, .. } => self.move_back(id, op, true),
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
        if self.returned.contains_key(subject) {
            None
        } else {
            self.trail.taken(subject, field, self.target + 1)
        }
    }

    /// Follows a field of which the event, or one that its undo switches, may be a setter.
    pub(super) fn setters(&self, subject: &Subject, field: Field<'_>, part: Part<'_>) -> Setters {
        let life = self.returned.get(subject).copied();
        follow(&self.trail, &self.head, subject, field, part, life)
    }

    /// As [`Planner::setters`], once the event is undone; with the newest of the setters that its undo switches, if it
    /// does any.
    pub(super) fn switched_setters(
        &self,
        subject: &Subject,
        field: Field<'_>,
        part: Part<'_>,
    ) -> (Setters, Option<usize>) {
        let mut setters = self.setters(subject, field, part);
        let switched = setters.switch(&self.switched);
        (setters, switched.into_iter().map(|(event, _)| event).max())
    }

    /// Says whether a field has still to be settled in this step; asked once.
    pub(super) fn is_open(&mut self, subject: &Subject, field: String) -> bool {
        self.settled.insert((subject.clone(), field))
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
