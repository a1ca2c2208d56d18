//! One page, several actors, one-line steps; after every step what must always hold is checked.
//!
//! - The page is what its events make of nothing, and each of them has the digest of the state that it made.
//! - The inverse of each new event leads back, to the byte.
//! - The value keeps its own rules: the tree, the order keys, the kept digest.
//! - A step sent again is answered the same, and does nothing.
//! - A step that is refused leaves every stored byte as it was, and is refused the same way again.
//! - What a preview said is what came.
//! - The stacks kept in memory are those that the stream gives.

mod answer;
mod ask;
mod checks;
mod ops;
mod read;
mod request;
mod texts;

use std::collections::BTreeSet;

use recto_pages::projections::rebase::{Conflict, OnOverwrite};
use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{
    Base, Caller, EventKind, Rebasable, ReplaceValue, RestorePage, SetDeleted, Settings, Stale, SubmitDeltas,
    SubmitOptions, UndoPage, UndoRefusal, WriteError, Written,
};
use tokio::runtime::Runtime;

pub use self::answer::Done;
pub use self::ask::{Ask, event, newest, newest_of, turn};
pub use self::ops::{
    add, add_at, add_in, del, edit_file, edit_text, format, ins, into_set, move_to, node_of, out_of_set, remove, set,
    unset,
};
pub use self::request::Request;
pub use self::texts::Text;

use crate::Json;
use crate::service::{Ground, Service, caller_named, id, tight};

/// The page's id.
pub const PAGE: &str = "page";

/// A page on a stage.
pub struct Scene {
    /// The service that it stands in.
    pub service: Service,
    runtime: Runtime,
    kind: Kind,
    /// The state at each version, made here of the events; the first is the empty one before version 1.
    states: Vec<Value>,
    /// The epoch at each version.
    epochs: Vec<u64>,
    actors: BTreeSet<String>,
    commands: u64,
    text: Option<Text>,
}

impl Scene {
    /// A DESIGN page in memory.
    ///
    /// # Panics
    /// Where the JSON is none.
    pub fn design(json: &Json) -> Self {
        Self::new(Kind::Design, json)
    }

    /// A DOC page in memory.
    ///
    /// # Panics
    /// Where the JSON is none.
    pub fn doc(json: &Json) -> Self {
        Self::new(Kind::Doc, json)
    }

    /// A CODE page in memory.
    ///
    /// # Panics
    /// Where the JSON is none.
    pub fn code(json: &Json) -> Self {
        Self::new(Kind::Code, json)
    }

    /// A page in memory.
    ///
    /// # Panics
    /// Where the JSON is none of this kind.
    pub fn new(kind: Kind, json: &Json) -> Self {
        Self::on(&Ground::memory(), tight(), kind, json)
    }

    /// A page in a store. Made by `user:ada`, who does nothing else.
    ///
    /// # Panics
    /// Where the JSON is none of this kind.
    pub fn on(ground: &Ground, settings: Settings, kind: Kind, json: &Json) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().expect("a runtime");
        let service = runtime.block_on(ground.open(settings));
        let mut scene = Self {
            service,
            runtime,
            kind,
            states: vec![Value::empty(kind)],
            epochs: vec![0],
            actors: BTreeSet::new(),
            commands: 0,
            text: None,
        };
        let value = Value::from_json(kind, json).unwrap_or_else(|fault| panic!("{json}: {fault}"));
        let made = scene.runtime.block_on(scene.service.create(PAGE, value, "make it"));
        scene.take(&made.expect("the page is made"));
        scene
    }

    /// Edits the page from its head; gives the version, of one event.
    ///
    /// # Panics
    /// Where the edit is refused, or changes nothing.
    #[track_caller]
    pub fn edit(&mut self, actor: &str, ops: impl IntoIterator<Item = Json>) -> u64 {
        self.edit_in(actor, None, ops)
    }

    /// Edits the page in a turn.
    ///
    /// # Panics
    /// As [`Scene::edit`].
    #[track_caller]
    pub fn edit_in(&mut self, actor: &str, turn: impl Into<Option<&'static str>>, ops: impl IntoIterator<Item = Json>) -> u64 {
        let edit = self.submission(caller_in(actor, turn.into()), self.version(), [ops], SubmitOptions::default());
        let written = self.send(Request::Submit(edit));
        one_event(&written.unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// Edits the page from an earlier version; gives the version, of one event.
    ///
    /// # Panics
    /// Where the edit is refused, or changes nothing.
    #[track_caller]
    pub fn edit_from(&mut self, base: u64, actor: &str, ops: impl IntoIterator<Item = Json>) -> u64 {
        let written = self.try_edit(base, actor, ops, SubmitOptions::default());
        one_event(&written.unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// Edits the page from an earlier version; what was set by others since gives way.
    ///
    /// # Panics
    /// As [`Scene::edit_from`].
    #[track_caller]
    pub fn edit_over(&mut self, base: u64, actor: &str, ops: impl IntoIterator<Item = Json>) -> u64 {
        let options = SubmitOptions {
            on_overwrite: OnOverwrite::Mine,
            ..SubmitOptions::default()
        };
        let written = self.try_edit(base, actor, ops, options);
        one_event(&written.unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// Edits the page as asked.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn try_edit(
        &mut self,
        base: u64,
        actor: &str,
        ops: impl IntoIterator<Item = Json>,
        options: SubmitOptions,
    ) -> Result<Written, WriteError> {
        let edit = self.submission(caller_named(actor), base, [ops], options);
        self.send(Request::Submit(edit))
    }

    /// Sends several deltas in one command; each makes an event.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn edit_all<D: IntoIterator<Item = Json>>(
        &mut self,
        actor: &str,
        turn: impl Into<Option<&'static str>>,
        deltas: impl IntoIterator<Item = D>,
    ) -> Result<Written, WriteError> {
        let options = SubmitOptions::default();
        let edit = self.submission(caller_in(actor, turn.into()), self.version(), deltas, options);
        self.send(Request::Submit(edit))
    }

    /// A stale edit is refused for one conflict.
    ///
    /// # Panics
    /// Where it is not.
    #[track_caller]
    pub fn expect_conflict(
        &mut self,
        base: u64,
        actor: &str,
        ops: impl IntoIterator<Item = Json>,
        code: &str,
    ) -> Conflict {
        let mut stale = match self.try_edit(base, actor, ops, SubmitOptions::default()) {
            Err(WriteError::Stale(stale)) => stale,
            other => panic!("{code} was to come, and this came: {other:?}"),
        };
        let codes: Vec<_> = stale.conflicts.iter().map(|conflict| conflict.kind.code()).collect();
        assert_eq!((codes, stale.rebase), (vec![code], Rebasable::Conflicts));
        stale.conflicts.remove(0)
    }

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
        assert!(matches!(refused, UndoRefusal::Nothing { redo: false, .. }), "{refused:?}");
    }

    /// There is nothing that an actor could redo.
    ///
    /// # Panics
    /// Where there is.
    #[track_caller]
    pub fn expect_no_redo(&mut self, actor: &str) {
        let refused = self.refused_redo(actor, newest());
        assert!(matches!(refused, UndoRefusal::Nothing { redo: true, .. }), "{refused:?}");
    }

    /// Goes back to an earlier version; gives the version of the restore.
    ///
    /// # Panics
    /// Where it is refused, or changes nothing.
    #[track_caller]
    pub fn restore(&mut self, actor: &str, version: u64) -> u64 {
        let written = self.try_restore(self.version(), actor, version);
        let written = written.unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(written.report.restored_from, Some(version));
        one_event(&written)
    }

    /// Goes back to an earlier version.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn try_restore(&mut self, base: u64, actor: &str, version: u64) -> Result<Written, WriteError> {
        let restore = RestorePage {
            caller: caller_named(actor),
            page: id(PAGE),
            base: self.base(base),
            version,
            command: self.command(),
        };
        self.send(Request::Restore(restore))
    }

    /// Replaces the value.
    ///
    /// # Errors
    /// Those of the service.
    #[track_caller]
    pub fn try_replace(&mut self, base: u64, actor: &str, value: &Json) -> Result<Written, WriteError> {
        let replace = ReplaceValue {
            caller: caller_named(actor),
            page: id(PAGE),
            base: self.base(base),
            value: value.clone(),
            command: self.command(),
        };
        self.send(Request::Replace(replace))
    }

    /// Replaces the value at the head; gives the version, of one event.
    ///
    /// # Panics
    /// Where it is refused, or changes nothing.
    #[track_caller]
    pub fn replace(&mut self, actor: &str, value: &Json) -> u64 {
        let written = self.try_replace(self.version(), actor, value);
        one_event(&written.unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// Hides the page or brings it back.
    ///
    /// # Panics
    /// Where it is refused.
    #[track_caller]
    pub fn set_deleted(&mut self, actor: &str, deleted: bool) -> u64 {
        let set = SetDeleted {
            caller: caller_named(actor),
            page: id(PAGE),
            base: self.base(self.version()),
            deleted,
            command: self.command(),
        };
        one_event(&self.send(Request::SetDeleted(set)).unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// Closes the store and opens it again.
    ///
    /// # Panics
    /// Where that fails.
    pub fn reopen(&mut self) {
        self.runtime.block_on(self.service.reopen());
    }

    /// A base as the page had it at a version.
    ///
    /// # Panics
    /// Where there is no such version.
    pub fn base(&self, version: u64) -> Base {
        let epoch = self.epochs[index(version)];
        Base { version, epoch }
    }

    /// A request that submits deltas.
    ///
    /// # Panics
    /// Where the JSON is no delta of the page's kind.
    #[track_caller]
    pub fn submission<D: IntoIterator<Item = Json>>(
        &mut self,
        caller: Caller,
        base: u64,
        deltas: impl IntoIterator<Item = D>,
        options: SubmitOptions,
    ) -> SubmitDeltas {
        let deltas = deltas.into_iter().map(|ops| self.delta(ops)).collect();
        SubmitDeltas {
            caller,
            page: id(PAGE),
            base: self.base(base),
            deltas,
            command: self.command(),
            options,
        }
    }

    #[track_caller]
    fn delta(&self, ops: impl IntoIterator<Item = Json>) -> Delta {
        let json = Json::Array(ops.into_iter().collect());
        Delta::from_json(self.kind, &json).unwrap_or_else(|fault| panic!("{json}: {fault}"))
    }

    /// A command id that no other call gets.
    pub fn command(&mut self) -> recto_pages::Id {
        self.commands += 1;
        id(&format!("command {}", self.commands))
    }
}

/// What a refusal for a stale base says.
///
/// # Panics
/// Where it is none.
#[track_caller]
pub fn stale<T: std::fmt::Debug>(refused: Result<T, WriteError>) -> Stale {
    match refused {
        Err(WriteError::Stale(stale)) => *stale,
        other => panic!("a refusal for a stale base was to come, and this came: {other:?}"),
    }
}

fn caller_in(actor: &str, turn: Option<&str>) -> Caller {
    Caller {
        turn: turn.map(id),
        ..caller_named(actor)
    }
}

#[track_caller]
fn refusal(refused: Result<Done, WriteError>) -> UndoRefusal {
    match refused {
        Err(WriteError::Undo(refusal)) => refusal,
        other => panic!("a refusal was to come, and this came: {other:?}"),
    }
}

/// The version of the one event of a command; a rebalance of order keys is none of it.
#[track_caller]
fn one_event(written: &Written) -> u64 {
    let kinds = written.events.iter().map(|event| event.kind().expect("a kind"));
    let own = kinds.filter(|kind| *kind != EventKind::Rebalance).count();
    assert_eq!(own, 1, "{:?} made {own} events", written.operation);
    written.events[0].version()
}

fn index(version: u64) -> usize {
    usize::try_from(version).expect("a small version")
}
