//! States at versions and times, events in ranges, differences.

use std::sync::atomic::Ordering;

use recto_pages::{At, EventRange, ReadError, SnapshotPolicy, Way};

use crate::house::{House, code, id, insert, text_of};

#[tokio::test]
async fn a_state_is_the_same_by_every_way() {
    let house = House::with(SnapshotPolicy {
        events_min: 7,
        events_max: 20,
    })
    .await;
    house.typed("p", 100).await;
    let (scope, page) = (id("acme"), id("p"));
    for version in 1..=100 {
        let mut digests = Vec::new();
        for way in [Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards] {
            let state = house
                .pages
                .read_by(&scope, &page, At::Version(version), way)
                .await
                .unwrap();
            assert_eq!(state.at.version, version);
            assert_eq!(text_of(&state.value).len() as u64, version - 1);
            digests.push(state.digest());
        }
        digests.dedup();
        assert_eq!(digests.len(), 1, "version {version}");
    }
    let none = house.pages.read(&scope, &page, At::Version(101)).await;
    assert!(matches!(
        none,
        Err(ReadError::NoSuchVersion {
            version: 101,
            head: 100
        })
    ));
    let zero = house.pages.read(&scope, &page, At::Version(0)).await;
    assert!(matches!(zero, Err(ReadError::NoSuchVersion { .. })));
}

#[tokio::test]
async fn a_time_names_the_newest_version_up_to_it() {
    let house = House::new().await;
    house.create("p", code(""), "c0").await.unwrap();
    // The clock of the machine is put back once: the page's times stay in order.
    for (version, now_ms) in [(1, 1_000), (2, 2_000), (3, 1_500), (4, 3_000)] {
        house.now_ms.store(now_ms, Ordering::Relaxed);
        house
            .submit("p", version, &[insert(0, "x")], &format!("c{version}"))
            .await
            .unwrap();
    }
    let (scope, page) = (id("acme"), id("p"));
    for (time_ms, version) in [
        (1_000, 2),
        (1_999, 2),
        (2_000, 4),
        (2_999, 4),
        (3_000, 5),
        (i64::MAX, 5),
    ] {
        let state = house.pages.read(&scope, &page, At::Time(time_ms)).await.unwrap();
        assert_eq!(state.at.version, version, "{time_ms}");
    }
    let before = house.pages.read(&scope, &page, At::Time(999)).await;
    assert!(matches!(before, Err(ReadError::BeforeFirst { first_ms: 1_000 })));
}

#[tokio::test]
async fn events_are_read_both_ways_in_parts() {
    let house = House::new().await;
    house.typed("p", 10).await;
    let (scope, page) = (id("acme"), id("p"));
    let read = async |range| {
        let (events, next) = house.pages.events(&scope, &page, range).await.unwrap();
        (
            events.iter().map(recto_pages::PageEvent::version).collect::<Vec<_>>(),
            next,
        )
    };
    assert_eq!(
        read(EventRange::After { version: 0, limit: 4 }).await,
        (vec![1, 2, 3, 4], Some(4))
    );
    assert_eq!(
        read(EventRange::After { version: 8, limit: 4 }).await,
        (vec![9, 10], None)
    );
    assert_eq!(read(EventRange::After { version: 10, limit: 4 }).await, (vec![], None));
    assert_eq!(
        read(EventRange::Before {
            version: u64::MAX,
            limit: 3
        })
        .await,
        (vec![10, 9, 8], Some(8))
    );
    assert_eq!(
        read(EventRange::Before { version: 3, limit: 4 }).await,
        (vec![2, 1], None)
    );
    let missing = house
        .pages
        .events(&scope, &id("q"), EventRange::After { version: 0, limit: 1 })
        .await;
    assert!(matches!(missing, Err(ReadError::PageNotFound { .. })));
}

#[tokio::test]
async fn a_difference_leads_from_one_version_to_the_other() {
    let house = House::new().await;
    house.typed("p", 9).await;
    let (scope, page) = (id("acme"), id("p"));
    for (from, to) in [(2, 8), (8, 2), (5, 5)] {
        let diff = house
            .pages
            .diff(&scope, &page, At::Version(from), At::Version(to))
            .await
            .unwrap();
        let mut value = house.pages.read(&scope, &page, At::Version(from)).await.unwrap().value;
        value.replay(&diff.delta).unwrap();
        assert_eq!(value.digest(), diff.to_digest);
        assert_eq!(diff.delta.is_empty(), from == to);
    }
}

#[tokio::test]
async fn a15_every_stored_inverse_leads_back() {
    let house = House::new().await;
    house.typed("p", 20).await;
    let (scope, page) = (id("acme"), id("p"));
    for version in 2..=20 {
        let mut value = house
            .pages
            .read_by(&scope, &page, At::Version(version), Way::FromStart)
            .await
            .unwrap()
            .value;
        let event = house.pages.event(&scope, &page, version).await.unwrap();
        value.replay(&event.inverse().unwrap().unwrap()).unwrap();
        let before = house.pages.event(&scope, &page, version - 1).await.unwrap();
        assert_eq!(value.digest(), before.digest());
    }
}

#[tokio::test]
async fn d11_reading_changes_nothing() {
    let house = House::new().await;
    house.typed("p", 5).await;
    let tip = house.pages.store().tip().await.unwrap();
    let (scope, page) = (id("acme"), id("p"));
    house.pages.read(&scope, &page, At::Version(2)).await.unwrap();
    house.again().await.pages.read(&scope, &page, At::Head).await.unwrap();
    assert_eq!(house.pages.store().tip().await.unwrap(), tip);
    assert_eq!(
        house
            .pages
            .store()
            .head(&recto_pages::PageKey { scope, page })
            .await
            .unwrap()
            .unwrap()
            .version,
        5
    );
}

#[tokio::test]
async fn another_workspace_has_other_pages() {
    let house = House::new().await;
    house.typed("p", 2).await;
    let read = house.pages.read(&id("other"), &id("p"), At::Head).await;
    assert!(matches!(read, Err(ReadError::PageNotFound { .. })));
}
