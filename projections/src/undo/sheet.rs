//! Undo of a SHEET page: a register, whose value is that of the newest event that stands.
//!
//! An undo that set a value back over a later one, as [`Policy::Restore`] says, counts as having set it itself. One that
//! changed nothing has no value to be set back to: taking it back only lets stand again what it took back.

use super::fault::UndoError;
use super::plan::{Policy, Request, UndoConflict, UndoNote, UndoNoteKind, UndoPlan, UndoStep};
use super::register::Register;
use super::report::Report;
use crate::delta::Delta;
use crate::json::{Json, same};
use crate::rebase::{ConflictKind, Subject};
use crate::sheet::{SheetOp, SheetValue};

/// Plans the undo of events, given by their indices, the newest first.
pub(super) fn plan(request: &Request<'_>, targets: &[usize], head: &SheetValue) -> Result<UndoPlan, UndoError> {
    let mut sheet = Sheet {
        request,
        register: Register::follow(request.history, head.json()),
        now: head.to_json(),
        report: Report::default(),
    };
    let steps = targets.iter().map(|target| sheet.step(*target)).collect();
    let is_complete = sheet.report.is_complete();
    sheet.report.into_plan(steps, is_complete, request.policy)
}

/// One undo being planned.
struct Sheet<'a> {
    request: &'a Request<'a>,
    register: Register<'a>,
    /// The value, with what of the plan is made so far.
    now: Json,
    report: Report,
}

impl Sheet<'_> {
    fn step(&mut self, target: usize) -> UndoStep {
        let event = &self.request.history[target];
        let (target, redoes) = (event.version, !event.undoes.is_empty());
        let (ops, mut remember) = match self.register.plan(target) {
            Some(top) if redoes && event.delta.is_empty() => (self.follow(top), true),
            Some(top) => self.back(target, top),
            // One that is undone already is so once more.
            None => (Vec::new(), self.register.is_set_by(target)),
        };
        remember |= redoes;
        if !remember && ops.is_empty() {
            // No event will tell of it.
            self.register.forget();
        }
        let delta = Delta::Sheet(ops);
        UndoStep {
            target,
            delta,
            remember,
        }
    }

    /// Gives the operations that make the sheet follow where an event up to `top` is switched by what has no effect of its
    /// own: none where a later one stands.
    fn follow(&mut self, top: u64) -> Vec<SheetOp> {
        let is_later = self.register.owner().is_some_and(|owner| owner > top);
        let value = self.register.value_at(u64::MAX).clone();
        if is_later || same(&value, &self.now) {
            return Vec::new();
        }
        self.now = value.clone();
        vec![SheetOp::ReplaceSheet { value }]
    }

    /// Gives the operations that make the sheet follow, once the events up to `top` that the target stands for are
    /// switched; and whether that is to be remembered where it changes nothing: then the value shall not come back with
    /// a later undo.
    fn back(&mut self, target: u64, top: u64) -> (Vec<SheetOp>, bool) {
        let wanted = self.register.value_at(top).clone();
        let later = self.register.owner().filter(|owner| *owner > top);
        if same(&wanted, &self.now) {
            return (Vec::new(), true);
        }
        if let Some(event) = later {
            if self.request.policy != Policy::Restore {
                self.overwritten(target, event, wanted);
                return (Vec::new(), false);
            }
            self.report.note(UndoNote {
                target,
                kind: UndoNoteKind::Restored,
                subject: Subject::Page,
                pointer: String::new(),
            });
            self.register.set_by_plan(wanted.clone());
        }
        self.now = wanted.clone();
        (vec![SheetOp::ReplaceSheet { value: wanted }], true)
    }

    fn overwritten(&mut self, target: u64, event: u64, wanted: Json) {
        let event = self.request.history.iter().find(|known| known.version == event);
        self.report.conflict(UndoConflict {
            target,
            kind: ConflictKind::Overwritten,
            subject: Subject::Page,
            pointer: String::new(),
            wanted: Some(wanted),
            now: Some(self.now.clone()),
            version: event.map(|event| event.version),
            actor: event.map(|event| event.actor.to_owned()),
        });
    }
}
