//! What is to be taken back: the events that an entry, a version or a turn stands for now.

use recto_projections::manager::{Deed, Stand};

use super::plan::Planner;
use super::refusal::UndoRefusal;
use crate::error::{ReadError, WriteError};
use crate::event::{EventKind, PageEvent};
use crate::rebase::hides;
use crate::stacks;

/// The most entries of a stack that one undo looks at.
const ENTRIES_MAX: usize = 256;

/// Whether an event since the base is one that whoever undoes must see first.
pub(super) fn decides(event: &PageEvent, owner: Option<&str>) -> bool {
    let header = event.header();
    let own = owner == Some(header.actor);
    match header.deed {
        _ if hides(event) => true,
        Deed::Undo { .. } | Deed::Redo { .. } => true,
        Deed::Edit => own,
        Deed::Other => false,
    }
}

impl Planner<'_> {
    /// The entries of an actor's stack, each as the events to take back.
    pub(super) fn entries(&self, actor: &str) -> Vec<Vec<u64>> {
        let (manager, redo) = (self.manager(), self.asked.redo);
        let entries: Vec<_> = if redo {
            manager.redo_stack(actor).take(ENTRIES_MAX).collect()
        } else {
            manager.undo_stack(actor).take(ENTRIES_MAX).collect()
        };
        let targets = entries.iter().map(|entry| stacks::targets(manager, &entry.edits, redo));
        targets.filter(|targets| !targets.is_empty()).collect()
    }

    /// The event that stands for one now.
    pub(super) async fn event(&self, version: u64) -> Result<u64, WriteError> {
        let head = self.on.head.version;
        if version == 0 || version > head {
            return Err(ReadError::NoSuchVersion { version, head }.into());
        }
        let event = self.pages.event_at(self.page, version).await?;
        let kind = event.kind()?;
        if !event.is_undoable() {
            return Err(UndoRefusal::NotUndoable { version, kind }.into());
        }
        self.check_reach(version)?;
        // To undo an undo is to redo what it took back.
        let redo = self.asked.redo || kind == EventKind::Undo;
        match (self.manager().stand(version), redo) {
            (Stand::Stands { by }, false) | (Stand::Undone { by }, true) => Ok(by),
            (Stand::Undone { by }, false) => Err(UndoRefusal::AlreadyUndone { version, by }.into()),
            (Stand::Stands { by }, true) if self.asked.redo => Err(UndoRefusal::NotUndone { version, by }.into()),
            (Stand::Stands { by }, true) => Err(UndoRefusal::AlreadyUndone { version, by }.into()),
        }
    }

    /// The events that stand for the edits of a turn.
    pub(super) fn turn(&self, turn: &str) -> Result<Vec<u64>, WriteError> {
        let (manager, redo) = (self.manager(), self.asked.redo);
        let edits = manager.turn(turn);
        let Some(version) = edits.last().copied() else {
            let limit = self.pages.settings().undo_events_max;
            let turn = turn.to_owned();
            return Err(UndoRefusal::TurnNotFound { turn, limit }.into());
        };
        let targets = stacks::targets(manager, edits, redo);
        if !targets.is_empty() {
            return Ok(targets);
        }
        match manager.stand(version) {
            Stand::Undone { by } => Err(UndoRefusal::AlreadyUndone { version, by }.into()),
            Stand::Stands { by } => Err(UndoRefusal::NotUndone { version, by }.into()),
        }
    }

    pub(super) fn check_reach(&self, version: u64) -> Result<(), WriteError> {
        let limit = self.pages.settings().undo_events_max;
        if self.on.head.version - version >= limit {
            return Err(UndoRefusal::HistoryTooLong { version, limit }.into());
        }
        Ok(())
    }
}
