//! Damage below the log: an event's place, the feed, the files of the storage engine.

use std::path::{Path, PathBuf};

use recto_store::{Engine, Key, Limit, RocksEngine, RocksOptions};
use serde_json::Value as Json;

use crate::crafted::key;
use crate::support::{Folder, Ran, id, recto};

/// The folder's engine, opened to do harm.
fn engine(folder: &Folder) -> RocksEngine {
    RocksEngine::open(&folder.data(), &RocksOptions::synced()).unwrap()
}

/// The faults that `verify` tells: of pages, and of what belongs to none.
fn faults(ran: &Ran) -> Vec<Json> {
    let told = ran.lines();
    let lists = told
        .iter()
        .filter_map(|line| line.get("faults").or_else(|| line.get("rest")?.get("faults")));
    lists.flat_map(|list| list.as_array().unwrap().clone()).collect()
}

fn verify(folder: &Folder) -> (Ran, Vec<Json>) {
    let ran = recto(&folder.data(), &["verify", "--json"]);
    let faults = faults(&ran);
    (ran, faults)
}

#[tokio::test]
async fn an_event_told_before_the_one_before_it() {
    let folder = Folder::with_story().await;
    let harmed = engine(&folder);
    let put_first = |stored: &mut Vec<u8>| stored[..8].copy_from_slice(&1_u64.to_be_bytes());
    assert!(harmed.tamper(&Key::event(&key("app")), 3, put_first));
    drop(harmed);
    let (ran, faults) = verify(&folder);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_eq!(
        (&faults[0]["code"], &faults[0]["version"]),
        (&"position_wrong".into(), &3.into()),
        "{faults:?}"
    );
    // Its page is what it was all the same.
    let shown = recto(&folder.data(), &["show", "app", "--as", "json"]);
    assert_eq!(
        (shown.code, &shown.json()["uncertainSince"]),
        (0, &Json::Null),
        "{}",
        shown.err
    );
}

#[tokio::test]
async fn an_event_that_the_feed_leaves_out() {
    for newest in [false, true] {
        let folder = Folder::with_story().await;
        let harmed = engine(&folder);
        let told = harmed.feed(0, &id("default"), 0, Limit::entries(1_000)).await.unwrap();
        let of_app: Vec<_> = told.iter().filter(|entry| entry.page == key("app")).collect();
        let entry = if newest { of_app.last() } else { of_app.first() }.unwrap();
        assert!(harmed.forget_told(0, &id("default"), entry.position));
        drop(harmed);
        let (ran, faults) = verify(&folder);
        assert_eq!(ran.code, 1, "{}", ran.err);
        let codes: Vec<_> = faults.iter().map(|fault| fault["code"].clone()).collect();
        assert_eq!(codes, ["feed_wrong"], "{faults:?}");
        // In the middle it is missed where the next one is told, at the end by its version.
        let missed = if newest {
            ("version", entry.revision)
        } else {
            ("position", of_app[1].position)
        };
        assert_eq!(faults[0][missed.0], missed.1, "{newest}: {faults:?}");
    }
}

/// The tables of an engine whose newest writes are in tables, not in its log.
fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut tables: Vec<PathBuf> = std::fs::read_dir(folder.join("rocksdb"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .collect();
    tables.sort();
    tables
}

/// A block of a table begins at its first byte, and has a checksum: whichever bit of it changes is found by whoever reads
/// it. No command panics over it, or takes what is damaged for sound.
#[tokio::test]
async fn a_flipped_bit_in_a_table_of_the_engine() {
    let folder = Folder::with_story().await;
    let harmed = engine(&folder);
    assert!(harmed.flush());
    drop(harmed);
    let tables = tables(&folder.data());
    assert!(
        tables.len() >= 4,
        "events, records, feed, snapshots or meta: {tables:?}"
    );
    let (sound, _) = verify(&folder);
    let whole_pages = sound
        .lines()
        .iter()
        .find_map(|line| line.get("summary").cloned())
        .unwrap()["pages"]
        .clone();
    let mut codes = std::collections::BTreeSet::new();
    for table in &tables {
        let whole = std::fs::read(table).unwrap();
        let mut flipped = whole.clone();
        flipped[20] ^= 4;
        std::fs::write(table, &flipped).unwrap();
        let (ran, faults) = verify(&folder);
        assert!(
            [1, 4, 5].contains(&ran.code),
            "{}: {} {} {}",
            table.display(),
            ran.code,
            ran.out,
            ran.err
        );
        if ran.code == 1 {
            assert!(!faults.is_empty(), "{}", ran.out);
            let summary = ran
                .lines()
                .iter()
                .find_map(|line| line.get("summary").cloned())
                .unwrap();
            assert_eq!(summary["pages"], whole_pages, "{}: {}", table.display(), ran.out);
            codes.extend(faults.iter().map(|fault| fault["code"].as_str().unwrap().to_owned()));
        } else {
            assert!(ran.err.contains("restore"), "says what to do: {}", ran.err);
        }
        for command in [&["log", "app"][..], &["show", "app"], &["stack", "app"], &["pages"]] {
            let ran = recto(&folder.data(), command);
            assert!(
                ran.code <= 6 && !ran.err.contains("panicked"),
                "{command:?}: {}",
                ran.err
            );
        }
        std::fs::write(table, &whole).unwrap();
    }
    assert!(codes.contains("engine_damaged"), "{codes:?}");
    let (ran, faults) = verify(&folder);
    assert_eq!((ran.code, faults.len()), (0, 0), "with the bits put back it is sound");
}
