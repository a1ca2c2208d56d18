//! Damage below the log: an event's place, the feed, the files of the storage engine.

use std::collections::BTreeSet;

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

/// What `verify` told of all pages together.
fn summary(ran: &Ran) -> Json {
    let lines = ran.lines();
    let summary = lines.iter().find_map(|line| line.get("summary").cloned());
    summary.unwrap_or_else(|| panic!("no summary: {} {}", ran.out, ran.err))
}

fn codes(faults: &[Json]) -> BTreeSet<&str> {
    faults.iter().map(|fault| fault["code"].as_str().unwrap()).collect()
}

/// A block of a table begins at its first byte, and has a checksum: whichever bit of it changes is found by whoever reads
/// it, and told at the place that it is of. No command panics over it, or takes what is damaged for sound.
#[tokio::test]
async fn a_flipped_bit_in_a_table_of_the_engine() {
    let folder = Folder::with_story().await;
    let harmed = engine(&folder);
    assert!(harmed.flush());
    let tables = harmed.tables();
    drop(harmed);
    let areas: BTreeSet<&str> = tables.iter().map(|(area, _)| area.as_str()).collect();
    assert!(
        areas.is_superset(&["events", "records", "feed", "meta"].into()),
        "{areas:?}"
    );
    let (sound, _) = verify(&folder);
    let whole = summary(&sound);
    for (area, name) in &tables {
        let table = folder.data().join("rocksdb").join(name);
        let bytes = std::fs::read(&table).unwrap();
        let mut flipped = bytes.clone();
        flipped[20] ^= 4;
        std::fs::write(&table, &flipped).unwrap();
        told_of(area, &folder, &whole);
        for command in [&["log", "app"][..], &["show", "app"], &["stack", "app"], &["pages"]] {
            let ran = recto(&folder.data(), command);
            assert!(
                ran.code <= 6 && !ran.err.contains("panicked"),
                "{area}: {command:?}: {}",
                ran.err
            );
        }
        std::fs::write(&table, &bytes).unwrap();
    }
    let (ran, faults) = verify(&folder);
    assert_eq!((ran.code, faults.len()), (0, 0), "with the bits put back it is sound");
}

/// What `verify` has to say where the only block of an area's table is damaged.
fn told_of(area: &str, folder: &Folder, whole: &Json) {
    let (ran, faults) = verify(folder);
    if area == "meta" {
        assert_eq!(ran.code, 4, "{area}: {}", ran.err);
        assert!(ran.err.contains("restore"), "says what to do: {}", ran.err);
        return;
    }
    assert_eq!(ran.code, 1, "{area}: {} {}", ran.out, ran.err);
    assert_eq!(codes(&faults), BTreeSet::from(["engine_damaged"]), "{area}: {faults:?}");
    let summary = summary(&ran);
    assert_eq!(
        summary["pages"], whole["pages"],
        "{area}: every page is told: {}",
        ran.out
    );
    let lost: Vec<&str> = match area {
        "events" => vec!["events"],
        "records" => vec!["receipts"],
        "snapshots" => vec!["snapshots"],
        "feed" => vec![],
        other => panic!("an area without a test: {other}"),
    };
    for count in ["events", "receipts", "snapshots"] {
        if lost.contains(&count) {
            assert_eq!(summary[count], 0, "{area}: {count}: {}", ran.out);
        } else if area != "events" {
            assert_eq!(summary[count], whole[count], "{area}: {count}: {}", ran.out);
        }
    }
    let pages: Vec<Json> = ran
        .lines()
        .into_iter()
        .filter(|line| line.get("page").is_some())
        .collect();
    let damaged = pages.iter().filter(|page| page["sound"] == false).count();
    let expected = if area == "feed" { 0 } else { pages.len() };
    assert_eq!(damaged, expected, "{area}: {}", ran.out);
}

/// Where the events are damaged, the receipts still tell which pages there are and how far they go.
#[tokio::test]
async fn pages_whose_events_cannot_be_gone_over() {
    let folder = Folder::with_story().await;
    let harmed = engine(&folder);
    assert!(harmed.flush());
    let tables = harmed.tables();
    drop(harmed);
    let whole = recto(&folder.data(), &["pages", "--json"]).lines();
    let (_, name) = tables.iter().find(|(area, _)| area == "events").unwrap();
    let table = folder.data().join("rocksdb").join(name);
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[20] ^= 4;
    std::fs::write(&table, &bytes).unwrap();

    let told = recto(&folder.data(), &["pages", "--json"]);
    assert_eq!(told.code, 1, "{}", told.err);
    let told = told.lines();
    assert_eq!(told.last().unwrap()["damage"]["code"], "engine_damaged");
    let versions = |lines: &[Json]| -> Vec<Json> {
        let pages = lines.iter().filter(|line| line.get("page").is_some());
        pages.map(|line| line["version"].clone()).collect()
    };
    assert_eq!(versions(&told), versions(&whole));
    // Every version is shown, with the reason that there is nothing in it.
    let log = recto(&folder.data(), &["log", "app", "--json"]);
    let lines = log.lines();
    assert_eq!((log.code, lines.len()), (1, 3), "{} {}", log.out, log.err);
    let words = recto(&folder.data(), &["verify", "app"]);
    assert_eq!(words.code, 1);
    assert!(
        words.out.contains("app") && words.out.contains("engine_damaged"),
        "{}",
        words.out
    );
    let nobody = recto(&folder.data(), &["log", "nobody"]);
    assert_eq!(nobody.code, 3, "{}", nobody.err);
}
