//! What the tests are written with.

use std::sync::Arc;

use recto_store::{
    Append, CommandClaim, Engine, Event, Expected, Id, Limit, MemoryEngine, NewEvent, PageKey, RecordKey, RecordWrite,
    Store,
};
#[cfg(feature = "rocksdb")]
use recto_store::{RocksEngine, RocksOptions};

/// Enough for all that a test writes.
pub(crate) const ALL: Limit = Limit {
    entries: 10_000,
    bytes: usize::MAX,
};

/// A store that goes with its engine and folder.
pub(crate) struct House {
    pub(crate) store: Store,
    #[cfg(feature = "rocksdb")]
    _folder: Option<tempfile::TempDir>,
}

pub(crate) async fn memory() -> House {
    memory_house().await.0
}

/// A store in memory, and the engine with its hooks.
pub(crate) async fn memory_house() -> (House, MemoryEngine) {
    let engine = MemoryEngine::new();
    let store = Store::open(Arc::new(engine.clone())).await.unwrap();
    let house = House {
        store,
        #[cfg(feature = "rocksdb")]
        _folder: None,
    };
    (house, engine)
}

#[cfg(feature = "rocksdb")]
pub(crate) async fn rocks() -> House {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    House {
        store,
        _folder: Some(folder),
    }
}

#[cfg(feature = "rocksdb")]
pub(crate) fn open_engine(folder: &std::path::Path) -> Arc<RocksEngine> {
    Arc::new(RocksEngine::open(folder, &small()).unwrap())
}

#[cfg(feature = "rocksdb")]
pub(crate) async fn open_store(folder: &std::path::Path) -> Store {
    Store::open(open_engine(folder)).await.unwrap()
}

/// Little memory: many are open at once.
#[cfg(feature = "rocksdb")]
pub(crate) const fn small() -> RocksOptions {
    RocksOptions::synced().with_block_cache_bytes(8 * 1024 * 1024)
}

/// Makes a test of each engine from checks that take a [`House`].
macro_rules! on_every_engine {
    ($($name:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::memory().await).await;
            })*
        }

        #[cfg(feature = "rocksdb")]
        mod rocks {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(crate::support::rocks().await).await;
            })*
        }
    };
}
pub(crate) use on_every_engine;

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn page(name: &str) -> PageKey {
    PageKey::parse("studio", name).unwrap()
}

/// An event whose bytes tell its text.
pub(crate) fn event(text: &str) -> NewEvent {
    NewEvent {
        kind: 3,
        schema: 1,
        time_ms: 1_700_000_000_000,
        actor: "anna".to_owned(),
        turn: Some("turn-7".to_owned()),
        cause: None,
        epoch: 2,
        flags: 5,
        delta: format!("+{text}").into(),
        inverse: format!("-{text}").into(),
        digest: padded(text),
    }
}

pub(crate) fn claim(command: &str) -> CommandClaim {
    CommandClaim {
        id: id(command),
        fingerprint: padded(command),
        time_ms: 1_700_000_000_001,
        outcome: format!("did {command}").into(),
    }
}

/// The first 32 bytes of a text, and zeros.
fn padded(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (slot, byte) in bytes.iter_mut().zip(text.bytes()) {
        *slot = byte;
    }
    bytes
}

/// An append of events with these texts.
pub(crate) fn append(name: &str, base: u64, command: &str, texts: &[&str]) -> Append {
    Append {
        page: page(name),
        expected: if base == 0 {
            Expected::New
        } else {
            Expected::Exactly(base)
        },
        events: texts.iter().map(|text| event(text)).collect(),
        command: claim(command),
        records: Vec::new(),
    }
}

pub(crate) fn write(table: &str, key: &str, expected_revision: u64, value: &str) -> RecordWrite {
    RecordWrite {
        table: id(table),
        key: RecordKey::new(key).unwrap(),
        expected_revision,
        value: value.to_owned().into(),
    }
}

/// Appends one event a command until the page has `count` of them.
pub(crate) async fn fill(store: &Store, name: &str, count: u64) {
    let head = store.head(&page(name)).await.unwrap().map_or(0, |head| head.version);
    for version in head..count {
        let command = format!("fill-{version}");
        store
            .append(append(name, version, &command, &[&format!("v{}", version + 1)]))
            .await
            .unwrap();
    }
}

pub(crate) async fn events(store: &Store, name: &str) -> Vec<Event> {
    store.events(&page(name), 0, ALL).await.unwrap()
}

/// The texts of a page's events.
pub(crate) async fn texts(store: &Store, name: &str) -> Vec<String> {
    let events = events(store, name).await;
    events
        .iter()
        .map(|event| String::from_utf8(event.delta[1..].to_vec()).unwrap())
        .collect()
}

pub(crate) async fn version(store: &Store, name: &str) -> u64 {
    store.head(&page(name)).await.unwrap().map_or(0, |head| head.version)
}

pub(crate) fn shared(engine: MemoryEngine) -> Arc<dyn Engine> {
    Arc::new(engine)
}
