//! A service over a fresh store, and short names for what the tests send.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use recto_pages::projections::{Delta, Json, Kind, Value};
use recto_pages::{
    Base, Caller, Clock, CreatePage, Id, OnStale, Pages, ReplaceValue, SetDeleted, Settings, SnapshotPolicy,
    SubmitDeltas, SubmitOptions, WriteError, Written,
};
use recto_store::{MemoryEngine, Store};
use serde_json::json;

/// A service, its clock and its engine.
pub(crate) struct House {
    pub(crate) pages: Pages,
    pub(crate) engine: Arc<MemoryEngine>,
    pub(crate) now_ms: Arc<AtomicI64>,
}

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn caller(actor: &str) -> Caller {
    Caller {
        scope: id("acme"),
        actor: actor.parse().unwrap(),
        turn: None,
    }
}

pub(crate) fn base(version: u64) -> Base {
    Base { version, epoch: 0 }
}

/// A CODE page's value with one file.
pub(crate) fn code(text: &str) -> Value {
    Value::from_json(
        Kind::Code,
        &json!({"files": {"a": text}, "entry": null, "attributes": {}}),
    )
    .unwrap()
}

/// Inserts a text at an offset of that file.
pub(crate) fn insert(at: usize, text: &str) -> Delta {
    let mut ops = vec![json!({"insert": text})];
    if at > 0 {
        ops.insert(0, json!({"retain": at}));
    }
    Delta::from_json(Kind::Code, &json!([{"op": "editFile", "path": "a", "delta": ops}])).unwrap()
}

pub(crate) fn text_of(value: &Value) -> String {
    value.to_json()["files"]["a"].as_str().unwrap().to_owned()
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(SnapshotPolicy::default()).await
    }

    pub(crate) async fn with(snapshots: SnapshotPolicy) -> Self {
        let engine = Arc::new(MemoryEngine::new());
        Self::over(engine, snapshots).await
    }

    pub(crate) async fn over(engine: Arc<MemoryEngine>, snapshots: SnapshotPolicy) -> Self {
        let now_ms = Arc::new(AtomicI64::new(1_000));
        let store = Store::open(engine.clone()).await.unwrap();
        let clock = Clock::from_fn({
            let now_ms = now_ms.clone();
            move || now_ms.load(Ordering::Relaxed)
        });
        let settings = Settings {
            snapshots,
            ..Settings::default()
        };
        Self {
            pages: Pages::new(store, settings, clock),
            engine,
            now_ms,
        }
    }

    /// The same store, with a service that has cached nothing.
    pub(crate) async fn again(&self) -> Self {
        Self::over(self.engine.clone(), SnapshotPolicy::default()).await
    }

    pub(crate) async fn create(&self, page: &str, value: Value, command: &str) -> Result<Written, WriteError> {
        let create = CreatePage {
            caller: caller("user:ada"),
            page: id(page),
            kind: value.kind(),
            file: None,
            value,
            command: id(command),
        };
        self.pages.create(create).await
    }

    pub(crate) async fn submit(
        &self,
        page: &str,
        version: u64,
        deltas: &[Delta],
        command: &str,
    ) -> Result<Written, WriteError> {
        self.submit_as("user:ada", page, version, deltas, command).await
    }

    pub(crate) async fn submit_as(
        &self,
        actor: &str,
        page: &str,
        version: u64,
        deltas: &[Delta],
        command: &str,
    ) -> Result<Written, WriteError> {
        let submit = SubmitDeltas {
            caller: caller(actor),
            page: id(page),
            base: base(version),
            deltas: deltas.to_vec(),
            command: id(command),
            options: SubmitOptions {
                on_stale: OnStale::Reject,
                ..SubmitOptions::default()
            },
        };
        self.pages.submit(submit).await
    }

    pub(crate) async fn replace(
        &self,
        page: &str,
        version: u64,
        value: Json,
        command: &str,
    ) -> Result<Written, WriteError> {
        let replace = ReplaceValue {
            caller: caller("user:ada"),
            page: id(page),
            base: base(version),
            value,
            command: id(command),
        };
        self.pages.replace(replace).await
    }

    pub(crate) async fn set_deleted(
        &self,
        page: &str,
        version: u64,
        deleted: bool,
        command: &str,
    ) -> Result<Written, WriteError> {
        let set = SetDeleted {
            caller: caller("user:ada"),
            page: id(page),
            base: base(version),
            deleted,
            command: id(command),
        };
        self.pages.set_deleted(set).await
    }

    /// A CODE page of as many versions, each with one letter more.
    pub(crate) async fn typed(&self, page: &str, versions: u64) {
        self.create(page, code(""), "create").await.unwrap();
        for version in 1..versions {
            let letter = char::from(b'a' + u8::try_from(version % 26).unwrap()).to_string();
            self.submit(page, version, &[insert(0, &letter)], &format!("c{version}"))
                .await
                .unwrap();
            self.pages.settle().await;
        }
    }
}
