//! Snapshots are a cache.

use bytes::Bytes;
use recto_store::codec::FrameError;
use recto_store::limits::SNAPSHOT_MAX_BYTES;
use recto_store::{DerivedKey, MemoryEngine, Near, Snapshot, SnapshotError};

use crate::support::{House, fill, memory_house, on_every_engine, page, texts};

on_every_engine![the_nearest_snapshot_is_found, s25_without_snapshots_all_is_served];

async fn the_nearest_snapshot_is_found(House { store, .. }: House) {
    let name = page("page");
    for version in [3, 6, 9] {
        store
            .put_snapshot(&name, version, format!("state {version}").into())
            .await
            .unwrap();
    }
    let near = async |version, side| {
        let found = store.snapshot_near(&name, version, side).await.unwrap();
        found.map(|Snapshot { version, value }| (version, String::from_utf8(value.to_vec()).unwrap()))
    };
    assert_eq!(near(2, Near::AtOrBefore).await, None);
    assert_eq!(near(8, Near::AtOrBefore).await, Some((6, "state 6".to_owned())));
    assert_eq!(near(8, Near::AtOrAfter).await, Some((9, "state 9".to_owned())));
    assert_eq!(near(10, Near::AtOrAfter).await, None);
    store.delete_snapshot(&name, 6).await.unwrap();
    assert_eq!(store.snapshot_versions(&name).await.unwrap(), [3, 9]);
}

async fn s25_without_snapshots_all_is_served(House { store, .. }: House) {
    fill(&store, "page", 4).await;
    let name = page("page");
    for version in 1..=4 {
        store.put_snapshot(&name, version, Bytes::from("state")).await.unwrap();
    }
    for version in store.snapshot_versions(&name).await.unwrap() {
        store.delete_snapshot(&name, version).await.unwrap();
    }
    assert_eq!(store.snapshot_near(&name, 4, Near::AtOrBefore).await.unwrap(), None);
    assert_eq!(texts(&store, "page").await.len(), 4);
    fill(&store, "page", 5).await;
    assert_eq!(store.verify(&name).await.unwrap().damage, None);
}

#[tokio::test]
async fn s25_a_damaged_snapshot_is_named_so_that_it_can_be_dropped() {
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes[6] ^= 0x10,
        |bytes| bytes.truncate(bytes.len() - 1),
        |bytes| bytes.clear(),
        |bytes| bytes[0] = 9,
    ];
    for damage in damages {
        let (House { store, .. }, engine) = memory_house().await;
        let name = page("page");
        fill(&store, "page", 9).await;
        for version in [3, 6] {
            store
                .put_snapshot(&name, version, format!("state {version}").into())
                .await
                .unwrap();
        }
        damaged(&engine, 6, damage);
        let error = store.snapshot_near(&name, 9, Near::AtOrBefore).await.unwrap_err();
        let SnapshotError::Undecodable {
            page: told, version, ..
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!((told, version), (name.clone(), 6));
        // Dropped, it heals: the one before is found.
        store.delete_snapshot(&name, version).await.unwrap();
        let found = store.snapshot_near(&name, 9, Near::AtOrBefore).await.unwrap();
        assert_eq!(found.map(|snapshot| snapshot.version), Some(3));
    }
}

#[tokio::test]
async fn a_snapshot_of_another_version_is_none() {
    let (House { store, .. }, engine) = memory_house().await;
    let name = page("page");
    store.put_snapshot(&name, 3, "state 3".into()).await.unwrap();
    store.put_snapshot(&name, 4, "state 4".into()).await.unwrap();
    let mut stolen = Vec::new();
    engine.corrupt_derived(&DerivedKey::new(&name, 3), |bytes| stolen.clone_from(bytes));
    damaged(&engine, 4, |bytes| bytes.clone_from(&stolen));
    let error = store.snapshot_near(&name, 4, Near::AtOrBefore).await.unwrap_err();
    assert!(matches!(
        error,
        SnapshotError::Undecodable {
            version: 4,
            fault: FrameError::Checksum,
            ..
        }
    ));
}

#[tokio::test]
async fn a_snapshot_over_the_limit_is_refused() {
    let (House { store, .. }, _) = memory_house().await;
    let large = Bytes::from(vec![0; SNAPSHOT_MAX_BYTES + 1]);
    let error = store.put_snapshot(&page("page"), 1, large).await.unwrap_err();
    assert_eq!(
        error,
        SnapshotError::TooLarge {
            limit: SNAPSHOT_MAX_BYTES,
            got: SNAPSHOT_MAX_BYTES + 1
        }
    );
}

fn damaged(engine: &MemoryEngine, version: u64, damage: impl FnOnce(&mut Vec<u8>)) {
    assert!(engine.corrupt_derived(&DerivedKey::new(&page("page"), version), damage));
}
