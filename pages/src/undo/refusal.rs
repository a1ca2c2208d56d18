//! Why there is nothing to undo or redo as asked. Nothing is appended then.

use recto_projections::undo::UndoConflict;

use crate::event::EventKind;

/// Why nothing was undone or redone.
#[derive(Debug, thiserror::Error)]
pub enum UndoRefusal {
    /// The actor's stack holds nothing that would have an effect.
    #[error("{actor} has nothing to {}: {skipped} entries would change nothing", verb(*redo))]
    Nothing {
        /// Whose stack it is.
        actor: String,
        /// Whether a redo was asked for.
        redo: bool,
        /// How many entries were stepped over.
        skipped: usize,
    },
    /// The event is none that an undo takes back.
    #[error("event {version} is of kind {} and is not undoable; restore a version instead", kind.as_str())]
    NotUndoable {
        /// The event.
        version: u64,
        /// Its kind.
        kind: EventKind,
    },
    /// The event is undone already.
    #[error("event {version} is undone already, by event {by}; redo that to have it back")]
    AlreadyUndone {
        /// The event.
        version: u64,
        /// The undo.
        by: u64,
    },
    /// The event is not undone, so there is nothing to redo.
    #[error("event {version} is not undone: it stands as event {by}")]
    NotUndone {
        /// The event.
        version: u64,
        /// What stands for it.
        by: u64,
    },
    /// No edit of this turn is in reach.
    #[error("no edit of turn {turn:?} is among the newest {limit} events of this page")]
    TurnNotFound {
        /// The turn.
        turn: String,
        /// How far undo reaches.
        limit: u64,
    },
    /// The undo would have to go over more events than the limit.
    #[error(
        "to undo event {version} more than the newest {limit} events would have to be gone over; restore a version instead"
    )]
    HistoryTooLong {
        /// The event.
        version: u64,
        /// How far undo reaches, in events or in what its text holds.
        limit: u64,
    },
    /// The policy refuses an undo that meets conflicts.
    #[error("{} things stand in the way; undo with another policy to take back the rest", conflicts.len())]
    Conflicts {
        /// The conflicts.
        conflicts: Vec<UndoConflict>,
    },
}

fn verb(redo: bool) -> &'static str {
    if redo { "redo" } else { "undo" }
}
