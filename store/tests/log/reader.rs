//! Reading a folder beside whoever writes it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use recto_store::{AppendError, Reading, RocksEngine, RocksError, RocksOptions, Store, Unavailable, VerifiedPage};

use crate::support::{append, events, fill, id, open_store, page};

/// Every file below a folder, with its size and when it was written.
fn files(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let told = path.metadata().unwrap();
            found.insert(path.display().to_string(), (told.len(), told.modified().unwrap()));
        }
    }
    found
}

async fn open_reader(folder: &Path) -> Store {
    let reader = RocksEngine::open_to_read(folder, &RocksOptions::synced(), Reading::Strict).unwrap();
    Store::open(Arc::new(reader)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_beside_the_writer_sees_what_was_acknowledged_and_leaves_the_folder_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    fill(&store, "page", 50).await;
    store.put_snapshot(&page("page"), 20, "state".into()).await.unwrap();
    let before = files(folder.path());

    let reader = open_reader(folder.path()).await;
    assert_eq!(reader.store_id(), store.store_id());
    assert_eq!(events(&reader, "page").await, events(&store, "page").await);
    assert_eq!(reader.tip().await.unwrap(), 50);
    let verified = reader.verify(&page("page")).await.unwrap();
    assert!(
        matches!(
            verified,
            VerifiedPage {
                events: 50,
                snapshots: 1,
                damage: None,
                ..
            }
        ),
        "{verified:?}"
    );
    // Neither writes nor drops anything.
    let refused = reader.append(append("page", 50, "c", &["x"])).await.unwrap_err();
    assert_eq!(refused, AppendError::Unavailable(Unavailable::ReadOnly));
    reader.put_snapshot(&page("page"), 30, "other".into()).await.unwrap();
    reader.delete_snapshot(&page("page"), 20).await.unwrap();
    assert_eq!(reader.snapshot_versions(&page("page")).await.unwrap(), [20]);
    assert_eq!(files(folder.path()), before);

    // The writer goes on, and a reader opened later sees it.
    fill(&store, "page", 60).await;
    assert_eq!(events(&reader, "page").await.len(), 50);
    assert_eq!(events(&open_reader(folder.path()).await, "page").await.len(), 60);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_without_a_writer_needs_no_lock_and_two_of_them_do() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    fill(&store, "page", 5).await;
    store.close().await.unwrap();
    drop(store);
    let before = files(folder.path());
    let (one, two) = (open_reader(folder.path()).await, open_reader(folder.path()).await);
    assert_eq!(events(&one, "page").await, events(&two, "page").await);
    assert_eq!(files(folder.path()), before);
    // Readers stand in no writer's way.
    fill(&open_store(folder.path()).await, "page", 6).await;
}

#[tokio::test]
async fn a_folder_without_a_store_stays_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let refused = RocksEngine::open_to_read(folder.path(), &RocksOptions::synced(), Reading::Strict)
        .err()
        .unwrap();
    assert_eq!(
        refused,
        RocksError::NoStore {
            folder: folder.path().to_owned()
        }
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Whatever the writer does meanwhile (new logs, flushes, tables dropped), a reader sees a whole history: no hole, no
/// event less than were acknowledged before it was opened.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn readers_opened_while_the_writer_is_busy_see_whole_histories() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_store(folder.path()).await;
    fill(&store, "page", 1).await;
    let done = Arc::new(AtomicBool::new(false));
    let writing = {
        let (store, done) = (store.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            let large = "x".repeat(256 * 1024);
            let mut version = 1;
            while !done.load(Ordering::Relaxed) {
                let command = format!("large-{version}");
                store
                    .append(append("page", version, &command, &[&large]))
                    .await
                    .unwrap();
                version += 1;
            }
        })
    };
    for _ in 0..12 {
        let acknowledged = store.head(&page("page")).await.unwrap().unwrap().version;
        let reader = open_reader(folder.path()).await;
        let verified = reader.verify(&page("page")).await.unwrap();
        assert_eq!(verified.damage, None);
        assert!(verified.events >= acknowledged, "{} < {acknowledged}", verified.events);
        assert!(reader.verify_scope(&id("studio")).await.unwrap().damage.is_empty());
    }
    done.store(true, Ordering::Relaxed);
    writing.await.unwrap();
}
