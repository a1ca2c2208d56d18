//! Steps that edit the page, replace it, hide it.

use recto_pages::projections::Delta;
use recto_pages::projections::rebase::{Conflict, OnOverwrite};
use recto_pages::{
    Caller, Rebasable, ReplaceValue, RestorePage, SetDeleted, SubmitDeltas, SubmitOptions, WriteError, Written,
};

use super::{PAGE, Request, Scene, one_event};
use crate::Json;
use crate::service::{caller_named, id};

impl Scene {
    /// Edits the page from its head; gives the version, of one event.
    ///
    /// # Panics
    /// Where the edit is refused, or changes nothing.
    #[track_caller]
    pub fn edit(&mut self, actor: &str, ops: impl IntoIterator<Item = Json>) -> u64 {
        self.edit_in(actor, None::<&str>, ops)
    }

    /// Edits the page in a turn.
    ///
    /// # Panics
    /// As [`Scene::edit`].
    #[track_caller]
    pub fn edit_in(
        &mut self,
        actor: &str,
        turn: impl Into<Option<&'static str>>,
        ops: impl IntoIterator<Item = Json>,
    ) -> u64 {
        let edit = self.submission(
            caller_in(actor, turn.into()),
            self.version(),
            [ops],
            SubmitOptions::default(),
        );
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
        one_event(
            &self
                .send(Request::SetDeleted(set))
                .unwrap_or_else(|fault| panic!("{fault}")),
        )
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
}

fn caller_in(actor: &str, turn: Option<&str>) -> Caller {
    Caller {
        turn: turn.map(id),
        ..caller_named(actor)
    }
}
