//! The page service in process, on memory or on a real RocksDB, with fewer words.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use recto_pages::projections::Value;
use recto_pages::{
    Actor, At, Base, Caller, Clock, CreatePage, EventRange, Id, PageEvent, PageKey, PageState, Pages, ReadError,
    ReplaceValue, RestorePage, SetDeleted, Settings, SnapshotPolicy, SubmitDeltas, SubmitOptions, UndoPage, Way,
    WriteError, Written,
};
use recto_store::{Engine, Key, KeyPrefix, Limit, MemoryEngine, RocksEngine, RocksOptions, Store, VerifiedPage};
use tempfile::TempDir;

use recto_pages::projections::Delta;

use crate::Json;
use crate::undo::Ask;

/// The workspace of all pages here.
pub const SCOPE: &str = "studio";
/// Small, so that a machine runs many of them.
const BLOCK_CACHE_BYTES: usize = 4 * 1024 * 1024;

/// What a service stands on, before and after it is closed.
#[derive(Clone)]
pub enum Ground {
    /// Memory, with faults on demand.
    Memory(Arc<MemoryEngine>),
    /// A folder with a RocksDB.
    Rocks(Arc<TempDir>),
}

/// An open service.
pub struct Service {
    /// The service itself.
    pub pages: Pages,
    ground: Ground,
    settings: Settings,
    time: Arc<AtomicI64>,
}

/// Settings that make snapshots often.
pub fn tight() -> Settings {
    Settings {
        snapshots: SnapshotPolicy {
            events_min: 4,
            events_max: 9,
        },
        ..Settings::default()
    }
}

/// A checked id.
///
/// # Panics
/// Where the text is none.
pub fn id(text: &str) -> Id {
    Id::new(text).unwrap_or_else(|fault| panic!("{text:?}: {fault}"))
}

/// A page of [`SCOPE`].
pub fn key(page: &str) -> PageKey {
    PageKey {
        scope: id(SCOPE),
        page: id(page),
    }
}

/// Who acts where nothing else is said.
pub fn caller() -> Caller {
    caller_named("user:ada")
}

/// Somebody else.
///
/// # Panics
/// Where the text names no actor.
pub fn caller_named(actor: &str) -> Caller {
    Caller {
        scope: id(SCOPE),
        actor: actor.parse::<Actor>().expect("an actor"),
        turn: None,
    }
}

impl Ground {
    /// Empty memory.
    pub fn memory() -> Self {
        Self::Memory(Arc::new(MemoryEngine::new()))
    }

    /// An empty folder.
    ///
    /// # Panics
    /// Where none can be made.
    pub fn rocks() -> Self {
        Self::Rocks(Arc::new(TempDir::with_prefix("recto-test-").expect("a folder")))
    }

    /// Opens a service.
    ///
    /// # Panics
    /// Where the store does not open.
    pub async fn open(&self, settings: Settings) -> Service {
        let time = Arc::new(AtomicI64::new(1_700_000_000_000));
        Service {
            pages: self.pages(&settings, &time).await,
            ground: self.clone(),
            settings,
            time,
        }
    }

    async fn pages(&self, settings: &Settings, time: &Arc<AtomicI64>) -> Pages {
        let store = Store::open(self.engine()).await.expect("the store opens");
        let time = Arc::clone(time);
        let clock = Clock::from_fn(move || time.fetch_add(7, Ordering::Relaxed));
        Pages::new(store, settings.clone(), clock)
    }

    fn engine(&self) -> Arc<dyn Engine> {
        match self {
            Self::Memory(engine) => {
                engine.reopen();
                Arc::clone(engine) as Arc<dyn Engine>
            }
            Self::Rocks(folder) => {
                let options = RocksOptions::synced().with_block_cache_bytes(BLOCK_CACHE_BYTES);
                Arc::new(RocksEngine::open(folder.path(), &options).expect("the engine opens"))
            }
        }
    }
}

impl Service {
    /// Closes the store and opens it again.
    ///
    /// # Panics
    /// Where that fails.
    pub async fn reopen(&mut self) {
        self.pages.close().await.expect("the store closes");
        self.pages = self.ground.pages(&self.settings, &self.time).await;
    }

    /// Makes a page.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn create(&self, page: &str, value: Value, command: &str) -> Result<Written, WriteError> {
        let create = CreatePage {
            caller: caller(),
            page: id(page),
            kind: value.kind(),
            file: None,
            value,
            command: id(command),
        };
        self.pages.create(create).await
    }

    /// Submits deltas.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn submit(
        &self,
        page: &str,
        base: Base,
        deltas: Vec<Delta>,
        command: &str,
    ) -> Result<Written, WriteError> {
        let submit = SubmitDeltas {
            caller: caller(),
            page: id(page),
            base,
            deltas,
            command: id(command),
            options: SubmitOptions::default(),
        };
        self.pages.submit(submit).await
    }

    /// Undoes.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn undo(&self, page: &str, base: Base, ask: Ask, command: &str) -> Result<Written, WriteError> {
        self.pages.undo(ask.of(caller(), id(page), base, id(command))).await
    }

    /// Redoes.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn redo(&self, page: &str, base: Base, ask: Ask, command: &str) -> Result<Written, WriteError> {
        let undo = ask.of(caller(), id(page), base, id(command));
        self.pages.undo(UndoPage { redo: true, ..undo }).await
    }

    /// Goes back to an earlier version.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn restore(&self, page: &str, base: Base, version: u64, command: &str) -> Result<Written, WriteError> {
        let restore = RestorePage {
            caller: caller(),
            page: id(page),
            base,
            version,
            command: id(command),
        };
        self.pages.restore(restore).await
    }

    /// Replaces the value.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn replace(&self, page: &str, base: Base, value: Json, command: &str) -> Result<Written, WriteError> {
        let replace = ReplaceValue {
            caller: caller(),
            page: id(page),
            base,
            value,
            command: id(command),
        };
        self.pages.replace(replace).await
    }

    /// Hides the page or brings it back.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn set_deleted(
        &self,
        page: &str,
        base: Base,
        deleted: bool,
        command: &str,
    ) -> Result<Written, WriteError> {
        let set = SetDeleted {
            caller: caller(),
            page: id(page),
            base,
            deleted,
            command: id(command),
        };
        self.pages.set_deleted(set).await
    }

    /// Reads a page.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn read(&self, page: &str, at: At) -> Result<PageState, ReadError> {
        self.pages.read(&id(SCOPE), &id(page), at).await
    }

    /// Reads a page by one of the four ways.
    ///
    /// # Errors
    /// Those of the service.
    pub async fn read_by(&self, page: &str, at: At, way: Way) -> Result<PageState, ReadError> {
        self.pages.read_by(&id(SCOPE), &id(page), at, way).await
    }

    /// Events of a page, to the end of the range.
    ///
    /// # Panics
    /// Where they cannot be read.
    pub async fn events(&self, page: &str, range: EventRange) -> (Vec<PageEvent>, Option<u64>) {
        self.pages
            .events(&id(SCOPE), &id(page), range)
            .await
            .unwrap_or_else(|fault| panic!("{page}: {fault}"))
    }

    /// Verifies a page in the store.
    ///
    /// # Panics
    /// Where the store is away.
    pub async fn verify(&self, page: &str) -> VerifiedPage {
        self.pages.store().verify(&key(page)).await.expect("the store answers")
    }

    /// Every event of the workspace: position, page, version.
    ///
    /// # Panics
    /// Where they cannot be read.
    pub async fn whole_feed(&self) -> Vec<(u64, String, u64)> {
        let mut all: Vec<(u64, String, u64)> = Vec::new();
        loop {
            let after = all.last().map_or(0, |event| event.0);
            let next = self
                .pages
                .store()
                .feed(&id(SCOPE), after, Limit::entries(1_000))
                .await
                .expect("the feed");
            if next.is_empty() {
                return all;
            }
            all.extend(
                next.into_iter()
                    .map(|(position, page, event)| (position, page.page.to_string(), event.version)),
            );
        }
    }

    /// Everything that the store keeps for the workspace but snapshots, byte for byte.
    ///
    /// # Panics
    /// Where it cannot be read.
    pub async fn bytes(&self) -> Vec<(Key, Vec<recto_store::Entry>)> {
        let scope = id(SCOPE);
        let records = |table| KeyPrefix::Records {
            scope: scope.clone(),
            table: id(table),
            prefix: String::new(),
        };
        let prefixes = [
            KeyPrefix::EventsOf(scope.clone()),
            KeyPrefix::CommandsOf(scope.clone()),
            records("page"),
            records("file"),
        ];
        let engine = self.pages.store().engine();
        let mut all = Vec::new();
        for prefix in prefixes {
            for key in engine.keys(&prefix, None, 100_000).await.expect("the keys") {
                let entries = engine
                    .history(&key, 0, Limit::entries(100_000))
                    .await
                    .expect("the entries");
                all.push((key, entries));
            }
        }
        all
    }

    /// The engine, where the service stands on memory.
    ///
    /// # Panics
    /// Where it stands on something else.
    pub fn memory(&self) -> &MemoryEngine {
        match &self.ground {
            Ground::Memory(engine) => engine,
            Ground::Rocks(_) => panic!("this service stands on RocksDB"),
        }
    }
}

/// A state as the service packs it into a snapshot.
///
/// # Panics
/// Where it cannot be packed.
pub fn snapshot_bytes(value: &Value) -> Vec<u8> {
    let plain = value.to_bytes().expect("a value's bytes");
    let length = u32::try_from(plain.len()).expect("a small value");
    let packed = zstd::bulk::compress(&plain, 1).expect("zstd packs");
    [&[1][..], &length.to_le_bytes(), &packed].concat()
}
