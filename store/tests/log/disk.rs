//! The engine on disk: opening again, failed writes, damaged bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use recto_store::{
    AppendError, Damage, Durability, Expected, Key, Place, Reading, RocksEngine, RocksError, RocksOptions, Store,
    Unavailable, WriteFault,
};

use crate::support::{ALL, append, events, fill, id, open_engine, open_store, page, small, texts, version, write};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    fill(&store, "page", 5).await;
    let (identity, told) = (store.store_id(), events(&store, "page").await);
    store.close().await.unwrap();
    drop(store);
    let store = open_store(folder.path()).await;
    assert_eq!(store.store_id(), identity);
    assert_eq!(events(&store, "page").await, told);
    fill(&store, "page", 6).await;
    assert_eq!(store.tip().await.unwrap(), 6);
    // Let go of without closing: as good.
    drop(store);
    let store = open_store(folder.path()).await;
    assert_eq!(version(&store, "page").await, 6);
    assert!(store.verify_scope(&id("studio")).await.unwrap().damage.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s12_a_failed_sync_is_an_unknown_outcome_and_the_id_tells_the_truth() {
    for fault in [WriteFault::Lost, WriteFault::Unacknowledged] {
        let folder = tempfile::tempdir().unwrap();
        let engine = open_engine(folder.path());
        let store = Store::open(engine.clone()).await.unwrap();
        fill(&store, "page", 2).await;
        engine.fail_write(fault);
        let unknown = store.append(append("page", 2, "c", &["x"])).await.unwrap_err();
        assert!(matches!(unknown, AppendError::OutcomeUnknown { command, .. } if command == id("c")));

        // Poisoned: no write, all reads.
        let health = store.health();
        assert!(!health.ready && health.poisoned.is_some());
        let refused = store.append(append("other", 0, "d", &["y"])).await.unwrap_err();
        assert!(
            matches!(refused, AppendError::Unavailable(Unavailable::Poisoned { .. })),
            "{refused}"
        );
        assert!(store.put_snapshot(&page("page"), 1, "s".into()).await.is_err());
        assert_eq!(texts(&store, "page").await[..2], ["v1", "v2"]);
        store.close().await.unwrap();
        drop((store, engine));

        let store = open_store(folder.path()).await;
        assert!(store.health().ready);
        let receipt = store.receipt(&page("page"), &id("c")).await.unwrap();
        assert_eq!(receipt.is_some(), fault == WriteFault::Unacknowledged);
        match store.append(append("page", 2, "c", &["x"])).await {
            Ok(appended) => assert_eq!((appended.receipt.head_version, receipt), (3, None)),
            Err(error) => assert_eq!(error, AppendError::AlreadyDone(Box::new(receipt.unwrap()))),
        }
        assert_eq!(texts(&store, "page").await, ["v1", "v2", "x"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s12_all_of_a_failed_group_are_told_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open_engine(folder.path());
    let store = Store::open(engine.clone()).await.unwrap();
    engine.fail_write(WriteFault::Lost);
    let racing = (0..32).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move { store.append(append(&format!("page-{writer}"), 0, "c", &["x"])).await })
    });
    let mut unknown = 0;
    for outcome in join_all(racing).await {
        match outcome.unwrap().unwrap_err() {
            AppendError::OutcomeUnknown { .. } => unknown += 1,
            AppendError::Unavailable(Unavailable::Poisoned { .. }) => {}
            error => panic!("{error}"),
        }
    }
    assert!(unknown >= 1);
    drop((store, engine));
    let store = open_store(folder.path()).await;
    assert_eq!(store.pages(&id("studio"), None, 99).await.unwrap(), []);
}

#[test]
fn s33_a_folder_that_is_open_is_refused_with_the_holders_number() {
    let folder = tempfile::tempdir().unwrap();
    let first = open_engine(folder.path());
    let second = RocksEngine::open(folder.path(), &small()).err();
    assert_eq!(
        second,
        Some(RocksError::AlreadyOpen {
            pid: Some(std::process::id())
        })
    );
    drop(first);
    open_engine(folder.path());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relaxed_durability_is_told_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(Arc::new(
        RocksEngine::open(folder.path(), &RocksOptions::relaxed()).unwrap(),
    ))
    .await
    .unwrap();
    assert_eq!(store.health().durability, Durability::Relaxed);
    let receipt = store.append(append("page", 0, "c", &["x"])).await.unwrap().receipt;
    assert_eq!(receipt.durability, Durability::Relaxed);
    // What it promised then stays told.
    store.close().await.unwrap();
    let store = open_store(folder.path()).await;
    let read = store.receipt(&page("page"), &id("c")).await.unwrap().unwrap();
    assert_eq!(
        (read.durability, store.health().durability),
        (Durability::Relaxed, Durability::Synced)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn relaxed_commits_are_synced_soon_and_a_failed_sync_poisons() {
    let folder = tempfile::tempdir().unwrap();
    let options = RocksOptions::relaxed().with_relaxed_sync_every(Duration::from_millis(10));
    let engine = Arc::new(RocksEngine::open(folder.path(), &options).unwrap());
    let store = Store::open(engine.clone()).await.unwrap();
    engine.fail_sync();
    // Acknowledged, and nothing comes behind it that would make the writer look.
    fill(&store, "page", 1).await;
    let poisoned = async {
        while store.health().poisoned.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), poisoned).await.unwrap();
    let refused = store.append(append("page", 1, "c", &["x"])).await.unwrap_err();
    assert!(matches!(
        refused,
        AppendError::Unavailable(Unavailable::Poisoned { .. })
    ));
    assert_eq!(texts(&store, "page").await, ["v1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s11_a_page_untouched_for_long_appends_at_the_right_version() {
    const OTHERS: usize = 140_000;
    const WRITERS: usize = 64;
    let folder = tempfile::tempdir().unwrap();
    let engine = RocksEngine::open(folder.path(), &RocksOptions::relaxed()).unwrap();
    let store = Store::open(Arc::new(engine)).await.unwrap();
    fill(&store, "page", 3).await;
    // Enough other pages to push it out of every cache.
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 0..OTHERS / WRITERS {
                store
                    .append(append(&format!("{writer}-{number}"), 0, "c", &["x"]))
                    .await
                    .unwrap();
            }
        })
    });
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    let stale = store.append(append("page", 2, "stale", &["x"])).await.unwrap_err();
    assert!(matches!(
        stale,
        AppendError::Conflict {
            expected: Expected::Exactly(2),
            actual: Some(_)
        }
    ));
    let receipt = store.append(append("page", 3, "c", &["x"])).await.unwrap().receipt;
    assert_eq!(receipt.versions.map(|span| span.first), Some(4));
    assert_eq!(texts(&store, "page").await, ["v1", "v2", "v3", "x"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s35_bytes_changed_on_disk_are_located() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open_engine(folder.path());
    let store = Store::open(engine.clone()).await.unwrap();
    fill(&store, "page", 4).await;
    let mut noted = append("page", 4, "note", &["n"]);
    noted.records = vec![write("table", "key", 0, "value")];
    store.append(noted).await.unwrap();
    let name = page("page");
    let keys = [
        (Key::event(&name), 1),
        (Key::event(&name), 3),
        (Key::event(&name), 5),
        (Key::command(&name, &id("fill-2")), 1),
        (
            Key::record(
                &id("studio"),
                &id("table"),
                &recto_store::RecordKey::new("key").unwrap(),
            ),
            1,
        ),
    ];
    for (key, revision) in keys {
        let at = Place::of(&key, revision);
        // Byte 7 is in the position, the others in the frame.
        for byte in [7, 8, 9, 20, 60] {
            let is_record = matches!(key, Key::Record { .. });
            if is_record && byte != 20 {
                continue;
            }
            let flip = |bytes: &mut Vec<u8>| bytes[byte] ^= 0x40;
            assert!(engine.tamper(&key, revision, flip));
            let found = store.verify_scope(&id("studio")).await.unwrap().damage;
            assert!(is_near(&found, &at, byte), "byte {byte} of {at}: {found:?}");
            assert!(engine.tamper(&key, revision, flip));
        }
    }
    assert_eq!(store.verify_scope(&id("studio")).await.unwrap().damage, []);
}

/// A changed position is found where it first disagrees: at the event, or at the receipt that
/// tells another.
fn is_near(found: &[Damage], at: &Place, byte: usize) -> bool {
    found
        .iter()
        .any(|damage| damage.at == *at || (byte == 7 && matches!(damage.at, Place::Receipt { .. })))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s35_a_flipped_bit_in_a_table_is_an_error_not_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open_engine(folder.path());
    let store = Store::open(engine.clone()).await.unwrap();
    fill(&store, "page", 200).await;
    engine.flush();
    store.close().await.unwrap();
    drop((store, engine));
    let tables: Vec<PathBuf> = files(&folder.path().join("rocksdb"), "sst");
    assert!(!tables.is_empty());
    for table in tables {
        let sound = fs::read(&table).unwrap();
        let mut harmed = sound.clone();
        harmed[sound.len() / 4] ^= 1;
        fs::write(&table, &harmed).unwrap();
        let told = match RocksEngine::open(folder.path(), &small()) {
            Err(_) => true,
            Ok(engine) => match Store::open(Arc::new(engine)).await {
                Err(_) => true,
                Ok(store) => {
                    let verified = store.verify_scope(&id("studio")).await;
                    let events = store.events(&page("page"), 0, ALL).await;
                    let whole = events.is_ok_and(|events| events.len() == 200);
                    !whole || !verified.unwrap().damage.is_empty()
                }
            },
        };
        assert!(told, "{}", table.display());
        fs::write(&table, &sound).unwrap();
    }
    let store = open_store(folder.path()).await;
    assert_eq!(events(&store, "page").await.len(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s26_a_store_of_format_1_is_opened_and_goes_on() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1/store");
    if std::env::var_os("RECTO_WRITE_FIXTURES").is_some() && !fixture.exists() {
        write_fixture(&fixture).await;
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&fixture, folder.path());
    let store = open_store(folder.path()).await;
    let verified = store.verify_scope(&id("studio")).await.unwrap();
    assert_eq!(
        (verified.pages, verified.events, verified.receipts, verified.records),
        (2, 8, 7, 2)
    );
    assert_eq!((verified.snapshots, verified.damage), (1, vec![]));
    let head = store.head(&page("poster")).await.unwrap().unwrap();
    assert_eq!(
        (head.version, crate::golden::hex(&head.hash).as_str()),
        (5, FIXTURE_HEAD)
    );
    fill(&store, "poster", 6).await;
    assert_eq!(store.verify(&page("poster")).await.unwrap().damage, None);
}

/// The hash of the head of the page in the fixture.
const FIXTURE_HEAD: &str = "3e03a8e51ae5348206f6c520ec97357473baf7937fe90d1101f1d87065f9fce9";

/// Writes a small store: some of it in tables, some still in the log.
async fn write_fixture(fixture: &Path) {
    let engine = open_engine(fixture);
    let store = Store::open(engine.clone()).await.unwrap();
    fill(&store, "poster", 3).await;
    fill(&store, "leaflet", 3).await;
    engine.flush();
    let mut noted = append("poster", 3, "note", &["a", "b"]);
    noted.records = vec![write("table", "a", 0, "1"), write("table", "b", 0, "2")];
    store.append(noted).await.unwrap();
    store.put_snapshot(&page("poster"), 4, "state".into()).await.unwrap();
    store.close().await.unwrap();
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// RocksDB would begin a new database in such a folder, for which the tables of the old one are left-over files.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_whose_description_is_gone_is_refused_and_keeps_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    fill(&store, "page", 20).await;
    store.close().await.unwrap();
    drop(store);
    let database = folder.path().join("rocksdb");
    let current = database.join("CURRENT");
    let whole = fs::read(&current).unwrap();
    fs::remove_file(&current).unwrap();
    let (tables, logs) = (files(&database, "sst"), files(&database, "log"));
    assert!(tables.len() + logs.len() > 0);
    for _ in 0..2 {
        let refused = RocksEngine::open(folder.path(), &RocksOptions::synced()).err();
        assert!(matches!(refused, Some(RocksError::Damaged { .. })), "{refused:?}");
        let refused = RocksEngine::open_to_read(folder.path(), &RocksOptions::synced(), Reading::Strict).err();
        assert!(matches!(refused, Some(RocksError::Damaged { .. })), "{refused:?}");
    }
    assert_eq!((files(&database, "sst"), files(&database, "log")), (tables, logs));
    fs::write(&current, whole).unwrap();
    assert_eq!(events(&open_store(folder.path()).await, "page").await.len(), 20);
}
