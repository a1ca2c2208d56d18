//! Looking at the page.

use recto_pages::projections::design::Id;
use recto_pages::projections::{Delta, DesignValue, Value};
use recto_pages::{Actor, PageEvent, UndoStacks};

use super::{PAGE, Scene, index};
use crate::Json;
use crate::service::{SCOPE, id};

/// How many entries of a stack a test looks at.
const ENTRIES: usize = 1000;

impl Scene {
    /// The newest version.
    pub fn version(&self) -> u64 {
        self.states.len() as u64 - 1
    }

    /// The value at the head.
    pub fn value(&self) -> &Value {
        &self.states[self.states.len() - 1]
    }

    /// The value at a version.
    pub fn value_at(&self, version: u64) -> &Value {
        &self.states[index(version)]
    }

    /// The value at the head, of a DESIGN page.
    ///
    /// # Panics
    /// Where it is of another kind.
    pub fn canvas(&self) -> &DesignValue {
        match self.value() {
            Value::Design(value) => value,
            other => panic!("a page of kind {}", other.kind()),
        }
    }

    /// The value at the head as JSON.
    pub fn json(&self) -> Json {
        self.value().to_json()
    }

    /// What a JSON pointer leads to at the head.
    pub fn at(&self, pointer: &str) -> Option<Json> {
        self.json().pointer(pointer).cloned()
    }

    /// A node at the head.
    pub fn node(&self, node: &str) -> Option<Json> {
        Some(self.canvas().node(node)?.to_json())
    }

    /// Whether a node is on the page.
    pub fn has(&self, node: &str) -> bool {
        self.canvas().node(node).is_some()
    }

    /// A property of a node.
    pub fn prop(&self, node: &str, name: &str) -> Option<Json> {
        self.canvas().node(node)?.props().get(name).cloned()
    }

    /// A number of a node's geometry.
    pub fn side(&self, node: &str, side: &str) -> Option<Json> {
        self.node(node)?["geometry"].get(side).cloned()
    }

    /// The ids of the nodes below one, or on the page, in their order.
    pub fn children(&self, parent: Option<&str>) -> Vec<String> {
        let parent = parent.map(Id::from);
        let children = self.canvas().children_of(parent.as_ref());
        children.map(|node| node.id().to_string()).collect()
    }

    /// The page is as it was at a version, to the byte.
    ///
    /// # Panics
    /// Where it is not.
    #[track_caller]
    pub fn expect_as_at(&self, version: u64) {
        let (now, then) = (self.value(), self.value_at(version));
        assert_eq!(now.to_json().to_string(), then.to_json().to_string());
        assert_eq!(now.digest(), then.digest());
    }

    /// An event.
    ///
    /// # Panics
    /// Where there is none of this version.
    #[track_caller]
    pub fn event(&self, version: u64) -> PageEvent {
        let (scope, page) = (id(SCOPE), id(PAGE));
        let event = self.service.pages.event(&scope, &page, version);
        self.runtime.block_on(event).expect("an event")
    }

    /// The delta of an event as JSON.
    ///
    /// # Panics
    /// Where it has none.
    #[track_caller]
    pub fn delta_of(&self, version: u64) -> Json {
        self.event(version)
            .delta()
            .expect("readable")
            .as_ref()
            .expect("a delta")
            .to_json()
    }

    /// The inverse of an event as JSON.
    ///
    /// # Panics
    /// Where it has none.
    #[track_caller]
    pub fn inverse_of(&self, version: u64) -> Json {
        self.event(version)
            .inverse()
            .expect("readable")
            .as_ref()
            .expect("an inverse")
            .to_json()
    }

    /// How many bytes the payload of an event has.
    pub fn payload_bytes(&self, version: u64) -> usize {
        let event = self.event(version).event;
        event.delta.len() + event.inverse.len()
    }

    /// The stacks of an actor at the head.
    ///
    /// # Panics
    /// Where they cannot be read.
    pub fn stacks(&self, actor: &str) -> UndoStacks {
        self.stacks_at(actor, None)
    }

    /// The stacks of an actor at a version.
    ///
    /// # Panics
    /// Where they cannot be read.
    pub fn stacks_at(&self, actor: &str, at: Option<u64>) -> UndoStacks {
        let actor: Actor = actor.parse().expect("an actor");
        let (scope, page) = (id(SCOPE), id(PAGE));
        let stacks = self.service.pages.undo_stacks(&scope, &page, &actor, at, ENTRIES);
        self.runtime.block_on(stacks).expect("the stacks")
    }

    /// Waits for a future of the service.
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Operations that the page itself makes, as JSON.
    ///
    /// # Panics
    /// Where it makes none.
    #[track_caller]
    pub fn made<E: std::fmt::Debug>(
        &self,
        make: impl FnOnce(&DesignValue) -> Result<Vec<recto_pages::projections::DesignOp>, E>,
    ) -> Vec<Json> {
        let ops = make(self.canvas()).expect("operations");
        match Delta::Design(ops).to_json() {
            Json::Array(ops) => ops,
            other => panic!("{other} is no list"),
        }
    }
}
