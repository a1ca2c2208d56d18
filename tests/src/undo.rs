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
mod edits;
mod ops;
mod read;
mod request;
mod steps;
mod texts;

use std::collections::BTreeSet;

use recto_pages::projections::{Kind, Value};
use recto_pages::{Base, EventKind, Settings, Stale, WriteError, Written};
use tokio::runtime::Runtime;

pub use self::answer::Done;
pub use self::ask::{Ask, event, newest, newest_of, turn};
pub use self::ops::{
    add, add_at, add_in, del, edit_file, edit_text, format, ins, into_set, move_to, node_of, out_of_set, remove, set,
    side_by_side, unset,
};
pub use self::request::Request;
pub use self::texts::Text;

use crate::Json;
use crate::service::{Ground, Service, id, tight};

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
    /// The stacks of all actors at an earlier version, as they were then.
    stacks: Option<checks::Noted>,
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
            stacks: None,
            text: None,
        };
        let value = Value::from_json(kind, json).unwrap_or_else(|fault| panic!("{json}: {fault}"));
        let made = scene.runtime.block_on(scene.service.create(PAGE, value, "make it"));
        scene.take(&made.expect("the page is made"));
        scene
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
