//! Snapshots are a cache: whatever becomes of them, answers stay the same.

use recto_pages::{At, PageKey, SnapshotPolicy, Way};

use crate::house::{House, id, text_of};

const OFTEN: SnapshotPolicy = SnapshotPolicy {
    events_min: 5,
    events_max: 10,
};

async fn snapshots(house: &House) -> Vec<u64> {
    let page = PageKey {
        scope: id("acme"),
        page: id("p"),
    };
    house.pages.store().snapshot_versions(&page).await.unwrap()
}

async fn check_all(house: &House) {
    for version in 1..=60 {
        for way in [Way::Nearest, Way::FromSnapshot] {
            let state = house
                .pages
                .read_by(&id("acme"), &id("p"), At::Version(version), way)
                .await
                .unwrap();
            assert_eq!(text_of(&state.value).len() as u64, version - 1);
        }
    }
}

#[tokio::test]
async fn s25_damaged_snapshots_are_dropped_and_missing_ones_are_not_missed() {
    let house = House::with(OFTEN).await;
    house.typed("p", 60).await;
    let page = PageKey {
        scope: id("acme"),
        page: id("p"),
    };
    let store = house.pages.store();
    let written = snapshots(&house).await;
    assert!(written.len() >= 3, "{written:?}");

    // Undecodable bytes, and the state of another version.
    store
        .put_snapshot(&page, written[0], b"not a snapshot".as_slice().into())
        .await
        .unwrap();
    let other = store
        .snapshot_near(&page, written[2], recto_store::Near::AtOrBefore)
        .await
        .unwrap()
        .unwrap();
    store.put_snapshot(&page, written[1], other.value).await.unwrap();
    let again = house.again().await;
    check_all(&again).await;
    let left = snapshots(&house).await;
    assert!(!left.contains(&written[0]) && !left.contains(&written[1]), "{left:?}");

    for version in left {
        store.delete_snapshot(&page, version).await.unwrap();
    }
    let bare = house.again().await;
    check_all(&bare).await;
}

#[tokio::test]
async fn a_cold_head_is_found_from_its_snapshot() {
    let house = House::with(OFTEN).await;
    house.typed("p", 60).await;
    let again = house.again().await;
    let state = again.pages.read(&id("acme"), &id("p"), At::Head).await.unwrap();
    assert_eq!((state.at.version, text_of(&state.value).len()), (60, 59));
}
