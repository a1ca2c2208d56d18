//! The fields of the events that an undo switches, beyond what its stored inverse tells: what an undo had found already
//! as it should be, it did not change; so its own inverse does not name it.

use super::planner::Planner;
use crate::delta::Delta;
use crate::design::DesignOp;
use crate::patch::Patch;
use crate::rebase::{Committed, Subject, subject_of};

impl Planner<'_> {
    /// Settles the fields of the events that this undo switches: those that stand again forwards, then the others
    /// backwards.
    pub(super) fn switched_back(&mut self) {
        let history = self.request.history;
        let mut events: Vec<(usize, bool)> = self
            .switched
            .iter()
            .copied()
            .filter(|(event, _)| *event != self.target)
            .collect();
        events.sort_unstable_by_key(|(event, stands)| (!stands, if *stands { *event } else { usize::MAX - *event }));
        events.dedup();
        for (event, stands) in events {
            let Some(Delta::Design(ops)) = history.get(event).map(|event| event.delta) else {
                continue;
            };
            match stands {
                true => ops.iter().for_each(|op| self.settle(op)),
                false => ops.iter().rev().for_each(|op| self.settle(op)),
            }
        }
    }

    fn settle(&mut self, op: &DesignOp) {
        let Some(subject) = subject_of(op).filter(|subject| subject.exists(&self.work)) else {
            return;
        };
        match op {
            DesignOp::SetNode { patch, .. }
            | DesignOp::SetAttributes { patch }
            | DesignOp::SetBackground { patch, .. } => {
                self.patch_settled(&subject, patch);
            }
            DesignOp::MoveNode { id, .. } => self.move_back(id, op, false),
            DesignOp::EditText { id, pointer, .. } => self.text_back(id, pointer),
            DesignOp::AddToSet {
                id, pointer, values, ..
            }
            | DesignOp::RemoveFromSet { id, pointer, values } => {
                self.put_elements_back(id, pointer, values, &[]);
                self.take_elements_out(id, pointer, values);
            }
            _ => {}
        }
    }

    fn patch_settled(&mut self, subject: &Subject, patch: &Patch) {
        let mut back = Patch::default();
        for pointer in patch.set.iter().map(|(pointer, _)| pointer).chain(&patch.unset) {
            self.field_back(subject, pointer, &mut back);
        }
        if back.is_empty() {
            return;
        }
        match subject {
            Subject::Node(id) => self.emit(DesignOp::SetNode {
                id: id.clone(),
                patch: back,
            }),
            Subject::Background(id) => self.emit(DesignOp::SetBackground {
                id: id.clone(),
                patch: back,
            }),
            Subject::Attributes => self.emit(DesignOp::SetAttributes { patch: back }),
            _ => {}
        }
    }
}

/// Gives the operations of the events that a compensation takes back or, undone, lets stand again.
pub(super) fn reached<'a>(history: &[Committed<'a>], target: usize) -> Vec<&'a DesignOp> {
    let mut ops: Vec<&DesignOp> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut open: Vec<u64> = history[target].undoes.to_vec();
    while let Some(version) = open.pop() {
        let Ok(event) = history.binary_search_by_key(&version, |event| event.version) else {
            continue;
        };
        if !seen.insert(event) {
            continue;
        }
        open.extend(history[event].undoes.iter().filter(|older| **older < version));
        if let Delta::Design(delta) = history[event].delta {
            ops.extend(delta);
        }
    }
    ops
}
