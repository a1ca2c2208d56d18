//! Derived things, and the end.

use bytes::Bytes;
use tokio::sync::broadcast::error::RecvError;

use super::tools::{ALL, Shared, append, event, fill, id, page};
use crate::engine::{CommitError, Near, ReadError, Unavailable};
use crate::keys::{DerivedKey, KeyPrefix};

pub(super) async fn derived_things_are_kept_and_found(engine: Shared) {
    let name = page("page");
    for version in [0, 10, 20] {
        put(&engine, "page", version, &format!("at {version}")).await;
    }
    let near = async |version, side| engine.derived_near(&name, version, side).await.unwrap();
    let at = |version: u64| Some((version, Bytes::from(format!("at {version}"))));
    for (version, before, after) in [(0, 0, 0), (9, 0, 10), (10, 10, 10), (11, 10, 20), (20, 20, 20)] {
        assert_eq!(near(version, Near::AtOrBefore).await, at(before));
        assert_eq!(near(version, Near::AtOrAfter).await, at(after));
    }
    assert_eq!(near(21, Near::AtOrAfter).await, None);
    assert_eq!(near(u64::MAX, Near::AtOrBefore).await, at(20));
    put(&engine, "page", 10, "again").await;
    assert_eq!(near(10, Near::AtOrBefore).await, Some((10, Bytes::from("again"))));
    engine.delete_derived(DerivedKey::new(&name, 10)).await.unwrap();
    engine.delete_derived(DerivedKey::new(&name, 10)).await.unwrap();
    assert_eq!(near(15, Near::AtOrBefore).await, at(0));
    assert_eq!(engine.derived_versions(&name).await.unwrap(), [0, 20]);
    assert_eq!(engine.tip(0).await.unwrap(), 0);
}

pub(super) async fn derived_things_of_pages_are_apart(engine: Shared) {
    for name in ["a", "ab", "b"] {
        put(&engine, name, 5, name).await;
    }
    for name in ["a", "ab", "b"] {
        let found = engine
            .derived_near(&page(name), u64::MAX, Near::AtOrBefore)
            .await
            .unwrap();
        assert_eq!(found, Some((5, Bytes::from(name))));
        let behind = engine.derived_near(&page(name), 6, Near::AtOrAfter).await.unwrap();
        assert_eq!(behind, None);
        assert_eq!(engine.derived_versions(&page(name)).await.unwrap(), [5]);
    }
    assert_eq!(engine.derived_versions(&page("aa")).await.unwrap(), [0; 0]);
}

pub(super) async fn a_closed_engine_says_so(engine: Shared) {
    fill(&engine, "page", 0, 1).await;
    let mut live = engine.subscribe();
    assert!(engine.health().ready);
    engine.close().await.unwrap();
    engine.close().await.unwrap();
    assert!(!engine.health().ready);
    assert_eq!(
        append(&engine, "page", 1).await,
        Err(CommitError::Unavailable(Unavailable::Closed))
    );
    let closed = ReadError::Unavailable(Unavailable::Closed);
    let (name, key) = (page("page"), event("page"));
    assert_eq!(engine.last(&key).await, Err(closed.clone()));
    assert_eq!(engine.history(&key, 0, ALL).await, Err(closed.clone()));
    assert_eq!(engine.feed(0, &id("scope"), 0, ALL).await, Err(closed.clone()));
    assert_eq!(engine.keys(&KeyPrefix::Events, None, 1).await, Err(closed.clone()));
    assert_eq!(engine.tip(0).await, Err(closed.clone()));
    assert_eq!(
        engine.put_derived(DerivedKey::new(&name, 1), Bytes::new()).await,
        Err(closed.clone())
    );
    assert_eq!(engine.derived_versions(&name).await, Err(closed));
    assert_eq!(live.recv().await.err(), Some(RecvError::Closed));
    assert_eq!(engine.subscribe().recv().await.err(), Some(RecvError::Closed));
}

async fn put(engine: &Shared, name: &str, version: u64, value: &str) {
    let value = Bytes::copy_from_slice(value.as_bytes());
    engine
        .put_derived(DerivedKey::new(&page(name), version), value)
        .await
        .unwrap();
}
