//! The stored format: golden bytes of every released version. They are never made again; a new
//! version adds a folder. `RECTO_WRITE_FIXTURES=1` writes those that are missing.

use std::path::PathBuf;

use bytes::Bytes;
use recto_store::{
    Append, Cause, CommandClaim, DerivedKey, Engine, Event, Expected, Key, MemoryEngine, Near, NewEvent, PageKey,
    RecordKey, Store,
};

use crate::support::{House, id, memory_house, page, shared, write};

/// The hash of the first golden event; its bytes have not changed as long as this has not.
const FIRST_HASH: &str = "b56f172a33cd9b1cac73b2b4a0e29e32044046e90a226c3d49710681be3e66d5";
const SECOND_HASH: &str = "ca29054e78d340ef0c132b25d78c670106967e5bd93110ef3223d5798aca1028";

/// What is in the fixtures: by file, where it lies and the position beside it.
fn golden() -> Vec<(&'static str, Key, u64, u64)> {
    let name = page("poster");
    vec![
        ("meta.bin", Key::Meta, 1, 0),
        ("event-1.bin", Key::event(&name), 1, 1),
        ("event-2.bin", Key::event(&name), 2, 2),
        ("receipt.bin", Key::command(&name, &id("create")), 1, 2),
        (
            "record.bin",
            Key::record(&id("studio"), &id("files"), &RecordKey::new("f\u{1f}poster").unwrap()),
            1,
            2,
        ),
    ]
}

/// Every field at a value of its own: small and large numbers, texts with and without.
fn golden_append() -> Append {
    let plain = NewEvent {
        kind: 1,
        schema: 1,
        time_ms: 0,
        actor: "a".to_owned(),
        turn: None,
        cause: None,
        epoch: 0,
        flags: 0,
        delta: Bytes::from_static(b"delta"),
        inverse: Bytes::new(),
        digest: [0x11; 32],
    };
    let full = NewEvent {
        kind: 255,
        schema: 51_966,
        time_ms: -62_135_596_800_000,
        actor: "Zoë".to_owned(),
        turn: Some("turn".to_owned()),
        cause: Some(Cause {
            kind: 2,
            version: 70_000,
        }),
        epoch: u64::MAX,
        flags: 0xdead_beef,
        delta: Bytes::from(vec![0xd0; 300]),
        inverse: Bytes::from_static(b"inverse"),
        digest: [0x22; 32],
    };
    Append {
        page: page("poster"),
        expected: Expected::New,
        events: vec![plain, full],
        command: CommandClaim {
            id: id("create"),
            fingerprint: [0x33; 32],
            time_ms: 1_764_498_600_000,
            outcome: Bytes::from_static(b"outcome"),
        },
        records: vec![write("files", "f\u{1f}poster", 0, "value")],
    }
}

/// The golden append in a store of its own, as this program writes it.
async fn written() -> (Store, MemoryEngine) {
    let (House { store, .. }, engine) = memory_house().await;
    store.append(golden_append()).await.unwrap();
    store.put_snapshot(&page("poster"), 2, "state".into()).await.unwrap();
    (store, engine)
}

/// A store of the golden bytes.
async fn old_store() -> (Store, MemoryEngine) {
    let engine = MemoryEngine::new();
    for (file, key, revision, position) in golden() {
        engine.insert(key, revision, position, read(file));
    }
    let snapshot = DerivedKey::new(&page("poster"), 2);
    engine.put_derived(snapshot, read("snapshot.bin")).await.unwrap();
    (Store::open(shared(engine.clone())).await.unwrap(), engine)
}

#[tokio::test]
async fn s26_this_program_writes_the_golden_bytes() {
    let (store, engine) = written().await;
    for (file, key, revision, position) in golden() {
        let entry = engine.get(&key, revision).await.unwrap().unwrap();
        assert_eq!(entry.position, position);
        write_missing(file, &entry.value);
        // The description holds the store's identity.
        if key != Key::Meta {
            assert_eq!(entry.value, read(file), "{file}");
        }
    }
    let mut snapshot = Vec::new();
    engine.corrupt_derived(&DerivedKey::new(&page("poster"), 2), |bytes| snapshot.clone_from(bytes));
    write_missing("snapshot.bin", &snapshot);
    assert_eq!(snapshot, read("snapshot.bin"));
    drop(store);
}

#[tokio::test]
async fn s26_golden_bytes_read_as_they_were_written() {
    let (old, _) = old_store().await;
    let (new, _) = written().await;
    let (name, scope) = (page("poster"), id("studio"));
    let events: Vec<Event> = old.events(&name, 0, crate::support::ALL).await.unwrap();
    assert_eq!(events, new.events(&name, 0, crate::support::ALL).await.unwrap());
    let hashes: Vec<_> = events.iter().map(|event| hex(&event.hash)).collect();
    assert_eq!(hashes, [FIRST_HASH, SECOND_HASH]);
    assert_eq!(
        (events[1].version, events[1].position, events[1].command.as_str()),
        (2, 2, "create")
    );
    assert_eq!(
        old.receipt(&name, &id("create")).await.unwrap(),
        new.receipt(&name, &id("create")).await.unwrap()
    );
    let record = old
        .record(&scope, &id("files"), &RecordKey::new("f\u{1f}poster").unwrap())
        .await
        .unwrap();
    assert_eq!(record.map(|record| record.value), Some("value".into()));
    let snapshot = old.snapshot_near(&name, 2, Near::AtOrBefore).await.unwrap();
    assert_eq!(snapshot.map(|snapshot| snapshot.value), Some("state".into()));
    assert_eq!(old.verify(&name).await.unwrap().damage, None);
    // Reading has changed nothing, and the next event follows the old ones.
    let mut next = golden_append();
    (next.expected, next.command.id) = (Expected::Exactly(2), id("next"));
    next.records.clear();
    let appended = old.append(next).await.unwrap();
    assert_eq!(appended.events[0].prev_hash, events[1].hash);
}

#[tokio::test]
async fn every_cut_and_flip_of_golden_bytes_is_an_error() {
    let (store, engine) = old_store().await;
    let name = page("poster");
    for (file, key, revision, position) in golden() {
        let sound = read(file);
        let cuts = (0..sound.len()).map(|end| sound.slice(..end));
        let flips = (0..sound.len() * 8).map(|bit| {
            let mut flipped = sound.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            Bytes::from(flipped)
        });
        for harmed in cuts.chain(flips) {
            engine.insert(key.clone(), revision, position, harmed);
            let failed = match &key {
                Key::Meta => Store::open(shared(engine.clone())).await.is_err(),
                Key::Event(_) => store.event(&name, revision).await.is_err(),
                Key::Command { command, .. } => store.receipt(&name, command).await.is_err(),
                Key::Record { scope, table, key } => store.record(scope, table, key).await.is_err(),
            };
            assert!(failed, "{file}");
        }
        engine.insert(key, revision, position, sound);
    }
    assert_eq!(store.verify(&name).await.unwrap().damage, None);
}

#[test]
fn keys_have_their_golden_bytes() {
    let key = |key: &Key| hex(&key.encode());
    let name = PageKey::parse("s", "pé").unwrap();
    assert_eq!(key(&Key::event(&name)), "01730070c3a900");
    assert_eq!(key(&Key::command(&name, &id("c"))), "027300630070c3a900");
    assert_eq!(
        key(&Key::record(&id("s"), &id("t"), &RecordKey::new("a\u{1f}b").unwrap())),
        "0373007400611f6200"
    );
    assert_eq!(key(&Key::Meta), "04");
    assert_eq!(
        hex(&DerivedKey::new(&name, 258).encode()),
        "05730070c3a9000000000000000102"
    );
}

fn read(file: &str) -> Bytes {
    std::fs::read(path(file)).unwrap().into()
}

fn write_missing(file: &str, bytes: &[u8]) {
    if std::env::var_os("RECTO_WRITE_FIXTURES").is_some() && !path(file).exists() {
        std::fs::write(path(file), bytes).unwrap();
    }
}

fn path(file: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v1")).join(file)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
