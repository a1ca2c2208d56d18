//! Steps that undo and redo.

use recto_pages::{UndoPage, UndoRefusal, WriteError};

use super::{Ask, Done, PAGE, Request, Scene, event, newest};
use crate::service::{caller_named, id};

impl Scene {
    /// Undoes.
    ///
    /// # Panics
    /// Where it is refused.
    #[track_caller]
    pub fn undo(&mut self, actor: &str, ask: Ask) -> Done {
        let done = self.try_undo(actor, ask.clone());
        done.unwrap_or_else(|fault| panic!("{actor} undoes {ask:?}: {fault}"))
    }

    /// Redoes.
    ///
    /// # Panics
    /// Where it is refused.
    #[track_caller]
    pub fn redo(&mut self, actor: &str, ask: Ask) -> Done {
        let done = self.try_redo(actor, ask.clone());
        done.unwrap_or_else(|fault| panic!("{actor} redoes {ask:?}: {fault}"))
    }

    /// Undoes an event as a whole, with nothing in the way; gives the version of the undo.
    ///
    /// # Panics
    /// Where it is otherwise.
    #[track_caller]
    pub fn undo_clean(&mut self, actor: &str, version: u64) -> u64 {
        self.undo(actor, event(version)).clean()
    }

    /// Redoes an event as a whole, with nothing in the way; gives the version of the redo.
    ///
    /// # Panics
    /// Where it is otherwise.
    #[track_caller]
    pub fn redo_clean(&mut self, actor: &str, version: u64) -> u64 {
        self.redo(actor, event(version)).clean()
    }

    /// An actor presses Cmd+Z.
    ///
    /// # Panics
    /// Where there is nothing to undo.
    #[track_caller]
    pub fn back(&mut self, actor: &str) -> Done {
        self.undo(actor, newest())
    }

    /// An actor presses Cmd+Shift+Z.
    ///
    /// # Panics
    /// Where there is nothing to redo.
    #[track_caller]
    pub fn forth(&mut self, actor: &str) -> Done {
        self.redo(actor, newest())
    }

    /// Undoes.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn try_undo(&mut self, actor: &str, ask: Ask) -> Result<Done, WriteError> {
        self.try_undo_from(self.version(), actor, ask)
    }

    /// Undoes, decided from an earlier version.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn try_undo_from(&mut self, base: u64, actor: &str, ask: Ask) -> Result<Done, WriteError> {
        let undo = ask.of(caller_named(actor), id(PAGE), self.base(base), self.command());
        self.send(Request::Undo(undo)).map(Done::new)
    }

    /// Redoes.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn try_redo(&mut self, actor: &str, ask: Ask) -> Result<Done, WriteError> {
        let undo = ask.of(caller_named(actor), id(PAGE), self.base(self.version()), self.command());
        self.send(Request::Undo(UndoPage { redo: true, ..undo })).map(Done::new)
    }

    /// An undo is refused, by undo itself.
    ///
    /// # Panics
    /// Where it is not.
    #[track_caller]
    pub fn refused_undo(&mut self, actor: &str, ask: Ask) -> UndoRefusal {
        refusal(self.try_undo(actor, ask))
    }

    /// A redo is refused, by redo itself.
    ///
    /// # Panics
    /// Where it is not.
    #[track_caller]
    pub fn refused_redo(&mut self, actor: &str, ask: Ask) -> UndoRefusal {
        refusal(self.try_redo(actor, ask))
    }

    /// There is nothing that an actor could undo.
    ///
    /// # Panics
    /// Where there is.
    #[track_caller]
    pub fn expect_no_undo(&mut self, actor: &str) {
        let refused = self.refused_undo(actor, newest());
        assert!(
            matches!(refused, UndoRefusal::Nothing { redo: false, .. }),
            "{refused:?}"
        );
    }

    /// There is nothing that an actor could redo.
    ///
    /// # Panics
    /// Where there is.
    #[track_caller]
    pub fn expect_no_redo(&mut self, actor: &str) {
        let refused = self.refused_redo(actor, newest());
        assert!(
            matches!(refused, UndoRefusal::Nothing { redo: true, .. }),
            "{refused:?}"
        );
    }
}

#[track_caller]
fn refusal(refused: Result<Done, WriteError>) -> UndoRefusal {
    match refused {
        Err(WriteError::Undo(refusal)) => refusal,
        other => panic!("a refusal was to come, and this came: {other:?}"),
    }
}
