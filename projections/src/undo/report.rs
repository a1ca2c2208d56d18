//! What a plan meets on its way, and the plan that comes of it.

use super::fault::UndoError;
use super::plan::{Outcome, Policy, SkipReason, Skipped, UndoConflict, UndoNote, UndoNoteKind, UndoPlan, UndoStep};

/// Conflicts, what was skipped, and notes: in the order in which they came up.
#[derive(Default)]
pub(super) struct Report {
    conflicts: Vec<UndoConflict>,
    skipped: Vec<Skipped>,
    notes: Vec<UndoNote>,
}

impl Report {
    /// Takes a conflict in, unless one of the event about the same is known.
    pub(super) fn conflict(&mut self, conflict: UndoConflict) {
        let about_the_same = |known: &UndoConflict| {
            known.target == conflict.target
                && known.kind == conflict.kind
                && known.subject == conflict.subject
                && known.pointer == conflict.pointer
        };
        if !self.conflicts.iter().any(about_the_same) {
            self.conflicts.push(conflict);
        }
    }

    pub(super) fn skip(&mut self, skipped: Skipped) {
        if !self.skipped.contains(&skipped) {
            self.skipped.push(skipped);
        }
    }

    pub(super) fn note(&mut self, note: UndoNote) {
        self.notes.push(note);
    }

    pub(super) fn has_conflicts(&self) -> bool {
        !self.conflicts.is_empty()
    }

    /// Says whether all of the events is taken back that was still there.
    pub(super) fn is_complete(&self) -> bool {
        self.conflicts.is_empty()
            && self.skipped.iter().all(|skipped| skipped.reason != SkipReason::Removed)
            && self.notes.iter().all(|note| note.kind != UndoNoteKind::Reparented)
    }

    /// Makes the plan of these steps.
    ///
    /// # Errors
    /// [`UndoError::Aborted`], where the policy says so.
    pub(super) fn into_plan(
        self,
        steps: Vec<UndoStep>,
        is_complete: bool,
        policy: Policy,
    ) -> Result<UndoPlan, UndoError> {
        let Report {
            conflicts,
            skipped,
            notes,
        } = self;
        if policy == Policy::Abort && !conflicts.is_empty() {
            return Err(UndoError::Aborted { conflicts });
        }
        let outcome = match (steps.iter().all(|step| step.delta.is_empty()), is_complete) {
            (true, _) => Outcome::Noop,
            (false, true) => Outcome::Applied,
            (false, false) => Outcome::Partial,
        };
        Ok(UndoPlan {
            steps,
            outcome,
            conflicts,
            skipped,
            notes,
        })
    }
}
