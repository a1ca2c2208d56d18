//! What is to be undone or redone, and how.

use recto_pages::projections::undo::Policy;
use recto_pages::{Base, Caller, Id, UndoPage, UndoTarget};

use crate::service::id;

/// What is to be undone or redone, and how.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What.
    pub target: UndoTarget,
    /// What becomes of fields that were overwritten since; the default where it is not said.
    pub policy: Option<Policy>,
    /// Whether what an event created goes even if others edited it since.
    pub force: bool,
}

/// The newest of one's own.
pub fn newest() -> Ask {
    Ask::new(UndoTarget::Newest { actor: None })
}

/// The newest of somebody.
///
/// # Panics
/// Where the text names no actor.
pub fn newest_of(actor: &str) -> Ask {
    let actor = actor.parse().expect("an actor");
    Ask::new(UndoTarget::Newest { actor: Some(actor) })
}

/// An event.
pub fn event(version: u64) -> Ask {
    Ask::new(UndoTarget::Event(version))
}

/// A turn.
pub fn turn(name: &str) -> Ask {
    Ask::new(UndoTarget::Turn(id(name)))
}

impl Ask {
    fn new(target: UndoTarget) -> Self {
        Self {
            target,
            policy: None,
            force: false,
        }
    }

    /// What was overwritten since stays.
    #[must_use]
    pub fn keep(self) -> Self {
        self.with(Policy::Keep)
    }

    /// What was overwritten since is set back.
    #[must_use]
    pub fn restore(self) -> Self {
        self.with(Policy::Restore)
    }

    /// Nothing is undone where something was overwritten since.
    #[must_use]
    pub fn abort(self) -> Self {
        self.with(Policy::Abort)
    }

    /// What was created goes, whatever others did to it.
    #[must_use]
    pub fn force(self) -> Self {
        Self { force: true, ..self }
    }

    fn with(self, policy: Policy) -> Self {
        Self {
            policy: Some(policy),
            ..self
        }
    }

    /// The request to undo.
    pub fn of(self, caller: Caller, page: Id, base: Base, command: Id) -> UndoPage {
        UndoPage {
            caller,
            page,
            base,
            redo: false,
            target: self.target,
            policy: self.policy,
            force: self.force,
            command,
        }
    }
}
