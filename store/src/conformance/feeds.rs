//! Feeds: positions, scopes, live.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::tools::{ALL, Shared, append, append_to, event, fill, guard, id, page, positions, put};
use crate::engine::{Limit, Put};
use crate::id::PageKey;
use crate::keys::Key;
use crate::limits::{LIVE_ENTRIES, LIVE_VALUE_MAX_BYTES};

/// Longer than any push takes.
const SOON: Duration = Duration::from_secs(20);

pub(super) async fn a_feed_tells_a_scope_in_commit_order(engine: Shared) {
    let foreign = PageKey::parse("scope2", "a").unwrap();
    for round in 0..3 {
        append(&engine, "a", round).await.unwrap();
        append_to(&engine, &foreign, round).await.unwrap();
        append(&engine, "b", round).await.unwrap();
    }
    let feed = async |scope: &str, after, limit| engine.feed(0, &id(scope), after, limit).await.unwrap();
    let all = feed("scope", 0, ALL).await;
    assert_eq!(positions(&all), [1, 3, 4, 6, 7, 9]);
    let told: Vec<_> = all
        .iter()
        .map(|entry| (entry.page.page.as_str(), entry.revision))
        .collect();
    assert_eq!(told, [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3), ("b", 3)]);
    for entry in &all {
        let read = engine
            .get(&Key::event(&entry.page), entry.revision)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((Some(read.value), read.position), (entry.value.clone(), entry.position));
    }
    assert_eq!(positions(&feed("scope2", 0, ALL).await), [2, 5, 8]);
    assert_eq!(positions(&feed("scop", 0, ALL).await), [0; 0]);
    assert_eq!(positions(&feed("scope", 3, ALL).await), [4, 6, 7, 9]);
    assert_eq!(positions(&feed("scope", 2, Limit::entries(2)).await), [3, 4]);
    assert_eq!(
        positions(&feed("scope", 0, Limit { entries: 9, bytes: 1 }).await),
        [1],
        "one at least"
    );
    assert_eq!(positions(&feed("scope", 9, ALL).await), [0; 0]);
    assert_eq!(positions(&feed("scope", u64::MAX, ALL).await), [0; 0]);
}

pub(super) async fn partitions_count_for_themselves(engine: Shared) {
    for (partition, name) in [(0, "a"), (7, "b"), (0, "c"), (7, "d"), (u16::MAX, "e")] {
        let key = event(name);
        engine
            .commit(partition, vec![guard(&key, 0)], vec![put(&key, "v")])
            .await
            .unwrap();
    }
    for (partition, tip) in [(0, 2), (7, 2), (u16::MAX, 1), (3, 0)] {
        assert_eq!(engine.tip(partition).await.unwrap(), tip);
        let feed = engine.feed(partition, &id("scope"), 0, ALL).await.unwrap();
        assert_eq!(positions(&feed), (1..=tip).collect::<Vec<_>>());
        assert!(feed.iter().all(|entry| entry.partition == partition));
    }
}

pub(super) async fn the_live_feed_tells_what_can_be_read(engine: Shared) {
    let mut live = engine.subscribe();
    let writer = tokio::spawn({
        let engine = Arc::clone(&engine);
        async move { fill(&engine, "page", 0, 50).await }
    });
    for position in 1..=50 {
        let told = tokio::time::timeout(SOON, live.recv()).await.unwrap().unwrap();
        assert_eq!(
            (told.position, told.revision, &told.page),
            (position, position, &page("page"))
        );
        let read = engine.get(&event("page"), position).await.unwrap().unwrap();
        assert_eq!(Some(read.value), told.value);
        assert!(engine.tip(0).await.unwrap() >= position);
    }
    writer.await.unwrap();
    assert_eq!(live.try_recv().err(), Some(TryRecvError::Empty));
}

pub(super) async fn a_large_value_is_left_to_the_log(engine: Shared) {
    let mut live = engine.subscribe();
    let key = event("page");
    for (revision, bytes) in [(0, LIVE_VALUE_MAX_BYTES), (1, LIVE_VALUE_MAX_BYTES + 1)] {
        let value = Put {
            key: key.clone(),
            value: Bytes::from(vec![1; bytes]),
        };
        engine
            .commit(0, vec![guard(&key, revision)], vec![value])
            .await
            .unwrap();
        let told = tokio::time::timeout(SOON, live.recv()).await.unwrap().unwrap();
        assert_eq!(told.value.is_some(), bytes <= LIVE_VALUE_MAX_BYTES);
    }
    let feed = engine.feed(0, &id("scope"), 0, ALL).await.unwrap();
    assert!(feed.iter().all(|entry| entry.value.is_some()));
}

pub(super) async fn s17_the_last_event_before_a_pause_is_pushed(engine: Shared) {
    let mut live = engine.subscribe();
    for revision in 0..3 {
        append(&engine, "page", revision).await.unwrap();
        let told = tokio::time::timeout(SOON, live.recv()).await.unwrap().unwrap();
        assert_eq!(told.revision, revision + 1);
        assert_eq!(live.try_recv().err(), Some(TryRecvError::Empty));
    }
}

pub(super) async fn s18_who_lags_is_told_and_the_log_has_it_all(engine: Shared) {
    let mut live = engine.subscribe();
    let key = event("page");
    let count = LIVE_ENTRIES + 50;
    let mut revision = 0;
    while revision < count {
        let batch = (count - revision).min(500);
        let puts = vec![put(&key, "v"); batch];
        engine
            .commit(0, vec![guard(&key, u64::try_from(revision).unwrap())], puts)
            .await
            .unwrap();
        revision += batch;
    }
    assert!(matches!(live.recv().await, Err(RecvError::Lagged(_))));
    let feed = engine.feed(0, &id("scope"), 0, ALL).await.unwrap();
    assert_eq!(
        positions(&feed),
        (1..=u64::try_from(count).unwrap()).collect::<Vec<_>>()
    );
}
