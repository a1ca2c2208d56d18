//! Random commands.

use recto_pages::projections::design::{Geometry, NewNode};
use recto_pages::projections::rebase::OnOverwrite;
use recto_pages::projections::undo::Policy;
use recto_pages::projections::{Delta, Json, Value};
use recto_pages::{
    CreatePage, OnStale, ReplaceValue, RestorePage, SetDeleted, SubmitDeltas, SubmitOptions, UndoPage, UndoTarget,
};
use recto_tests::service::id;
use serde_json::json;

use crate::fault::{Checked, holds};
use crate::flavour::Flavour;
use crate::request::Request;
use crate::world::{ACTORS, PAGE, World};

impl World {
    pub(crate) async fn submit(&mut self) -> Checked {
        let number = self.someone();
        let base = self.some_base();
        let deltas = self.deltas(base);
        if deltas.is_empty() {
            return Ok(());
        }
        let options = self.options();
        let submit = SubmitDeltas {
            caller: self.caller(number),
            page: id(PAGE),
            base: self.page.base(base),
            deltas,
            command: self.command(),
            options,
        };
        self.ask(Request::Submit(submit)).await.map(drop)
    }

    /// Deltas made from a state, each from what the one before it leaves.
    pub(crate) fn deltas(&mut self, base: u64) -> Vec<Delta> {
        let mut state = self.page.state(base).clone();
        let count = if self.random.chance(1, 5) {
            self.random.within(2, 3)
        } else {
            1
        };
        let mut deltas = Vec::new();
        for _ in 0..count {
            let Some(delta) = self.delta(&state) else { continue };
            let legal = state.apply(&delta).is_ok();
            deltas.push(delta);
            if !legal {
                break;
            }
        }
        deltas
    }

    fn delta(&mut self, state: &Value) -> Option<Delta> {
        if self.script.flavour == Flavour::Design && self.random.chance(1, 6) {
            return self.tree_delta(state);
        }
        let delta = self.script.flavour.delta(&mut self.random, &state.to_json());
        Delta::from_json(self.script.flavour.kind(), &delta).ok()
    }

    /// Groups, ungroups, deletes with all below, or ties nodes to each other.
    fn tree_delta(&mut self, state: &Value) -> Option<Delta> {
        let Value::Design(design) = state else { return None };
        let ids: Vec<_> = design.tree().map(|node| node.id().clone()).collect();
        if ids.is_empty() {
            return None;
        }
        let (one, other) = (self.random.pick(&ids).clone(), self.random.pick(&ids).clone());
        let ops = match self.random.below(6) {
            0..=1 => {
                let parent = design.node(&one)?.parent().cloned();
                let siblings: Vec<_> = design
                    .children_of(parent.as_ref())
                    .map(|node| node.id().clone())
                    .collect();
                let members: Vec<_> = siblings.into_iter().filter(|_| self.random.chance(1, 2)).collect();
                let group = NewNode {
                    id: format!("g{}", self.random.below(8)).into(),
                    kind: "group".into(),
                    parent: None,
                    geometry: Geometry::default(),
                    props: serde_json::Map::new(),
                };
                design.group(group, &members).ok()?
            }
            2 => design.ungroup(&one).ok()?,
            3 => design.delete_with_descendants(&[one, other]).ok()?,
            _ => {
                let key = self.random.word(&["boundTo", "targetId", "startBinding"]);
                let op = json!([{ "op": "setNode", "id": &*one, "set": { format!("/props/{key}"): &*other } }]);
                return Delta::from_json(self.script.flavour.kind(), &op).ok();
            }
        };
        Some(Delta::Design(ops))
    }

    fn options(&mut self) -> SubmitOptions {
        SubmitOptions {
            on_stale: if self.random.chance(1, 10) {
                OnStale::Reject
            } else {
                OnStale::Rebase
            },
            on_overwrite: *self
                .random
                .pick(&[OnOverwrite::Refuse, OnOverwrite::Mine, OnOverwrite::Theirs]),
            force: self.random.chance(1, 5),
            undoable: !self.random.chance(1, 20),
        }
    }

    pub(crate) async fn replace(&mut self) -> Checked {
        let number = self.someone();
        let base = self.some_base();
        let value = if self.random.chance(1, 2) {
            self.script.flavour.value(&mut self.random)
        } else {
            self.edited(base)
        };
        let replace = ReplaceValue {
            caller: self.caller(number),
            page: id(PAGE),
            base: self.page.base(base),
            value,
            command: self.command(),
        };
        self.ask(Request::Replace(replace)).await.map(drop)
    }

    /// A state with a few changes, as a client sends it that knows no deltas.
    fn edited(&mut self, base: u64) -> Json {
        let mut state = self.page.state(base).clone();
        if let Some(delta) = self.delta(&state) {
            // What is refused leaves the state as it was.
            drop(state.apply(&delta));
        }
        state.to_json()
    }

    pub(crate) async fn restore(&mut self) -> Checked {
        let number = self.someone();
        let base = if self.random.chance(9, 10) {
            self.page.head()
        } else {
            self.some_base()
        };
        let version = self.some_version();
        let restore = RestorePage {
            caller: self.caller(number),
            page: id(PAGE),
            base: self.page.base(base),
            version,
            command: self.command(),
        };
        self.ask(Request::Restore(restore)).await.map(drop)
    }

    pub(crate) async fn set_deleted(&mut self, deleted: bool) -> Checked {
        let number = self.someone();
        let base = if self.random.chance(9, 10) {
            self.page.head()
        } else {
            self.some_base()
        };
        let set = SetDeleted {
            caller: self.caller(number),
            page: id(PAGE),
            base: self.page.base(base),
            deleted,
            command: self.command(),
        };
        self.ask(Request::SetDeleted(set)).await.map(drop)
    }

    pub(crate) async fn undo(&mut self, redo: bool) -> Checked {
        let number = self.someone();
        let base = if self.random.chance(5, 6) {
            self.page.head()
        } else {
            self.some_base()
        };
        let target = match self.random.below(20) {
            0..=8 => UndoTarget::Newest { actor: None },
            9..=10 => {
                let other = self.random.below(ACTORS.len());
                UndoTarget::Newest {
                    actor: Some(self.plain_caller(other).actor),
                }
            }
            11..=16 => UndoTarget::Event(self.some_version()),
            _ => UndoTarget::Turn(self.some_turn()),
        };
        let (policy, force) = (self.policy(), self.random.chance(1, 6));
        let undo = UndoPage {
            caller: self.caller(number),
            page: id(PAGE),
            base: self.page.base(base),
            redo,
            target,
            policy,
            force,
            command: self.command(),
        };
        self.ask(Request::Undo(undo)).await.map(drop)
    }

    fn policy(&mut self) -> Option<Policy> {
        if !self.script.restores_fields {
            return Some(if self.random.chance(1, 6) {
                Policy::Abort
            } else {
                Policy::Keep
            });
        }
        *self
            .random
            .pick(&[None, Some(Policy::Keep), Some(Policy::Restore), Some(Policy::Abort)])
    }

    /// A version, the newer the likelier.
    pub(crate) fn some_version(&mut self) -> u64 {
        let head = self.page.head();
        let reach = if self.random.chance(2, 3) {
            10
        } else {
            usize::try_from(head).expect("a small number")
        };
        head.saturating_sub(self.random.below(reach) as u64).max(1)
    }

    /// Sends an earlier command again: it gets its first answer.
    pub(crate) async fn retry(&mut self) -> Checked {
        let (request, answer) = self.random.pick(&self.page.done).clone();
        let version = self.some_version();
        let again = if self.random.chance(1, 2) {
            request.clone()
        } else {
            request.rebased(self.page.base(version))
        };
        self.expect_again(&again, &answer).await
    }

    /// Makes the page once more: as it was made then, or otherwise.
    pub(crate) async fn create_again(&mut self) -> Checked {
        let number = self.someone();
        let value = self.script.flavour.value(&mut self.random);
        let create = CreatePage {
            caller: self.caller(number),
            page: id(PAGE),
            kind: self.script.flavour.kind(),
            file: None,
            value: Value::from_json(self.script.flavour.kind(), &value).expect("a legal value"),
            command: self.command(),
        };
        let same = create.value.digest() == self.page.event(1).digest();
        let request = Request::Create(create);
        self.trace.push(format!("again: {}", request.line()));
        let made = request.send(&self.service.pages).await;
        holds("create", same || made.is_err(), || {
            format!("the page is made twice: {value}")
        })?;
        self.expect_untouched("create").await
    }
}
