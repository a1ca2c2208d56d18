//! Commits that fail, or whose outcome is unknown.

use std::time::Duration;

use recto_store::{AppendError, CommitFault, Rejection, Unavailable};

use crate::support::{append, fill, id, memory_house, page, texts, version};

#[tokio::test]
async fn s12_after_a_lost_answer_the_command_tells_the_truth() {
    for applied in [false, true] {
        let (house, engine) = memory_house().await;
        let store = house.store;
        fill(&store, "page", 2).await;
        engine.fail_commit(1, CommitFault::Indeterminate { applied });
        let unknown = store.append(append("page", 2, "c", &["x"])).await.unwrap_err();
        assert!(matches!(unknown, AppendError::OutcomeUnknown { command, .. } if command == id("c")));
        let receipt = store.receipt(&page("page"), &id("c")).await.unwrap();
        assert_eq!(receipt.is_some(), applied);
        assert_eq!(version(&store, "page").await, if applied { 3 } else { 2 });
        // Sent again, it is done once.
        let again = store.append(append("page", 2, "c", &["x"])).await;
        match receipt {
            Some(receipt) => assert_eq!(again.unwrap_err(), AppendError::AlreadyDone(Box::new(receipt))),
            None => assert_eq!(again.unwrap().receipt.head_version, 3),
        }
        assert_eq!(texts(&store, "page").await, ["v1", "v2", "x"]);
    }
}

#[tokio::test]
async fn a_failed_commit_writes_nothing() {
    let (house, engine) = memory_house().await;
    let store = house.store;
    fill(&store, "page", 1).await;
    engine.fail_commit(1, CommitFault::Unavailable);
    engine.fail_commit(2, CommitFault::Rejected);
    let away = store.append(append("page", 1, "c", &["x"])).await.unwrap_err();
    assert_eq!(away, AppendError::Unavailable(Unavailable::Injected));
    let refused = store.append(append("page", 1, "c", &["x"])).await.unwrap_err();
    assert_eq!(refused, AppendError::Rejected(Rejection::Injected));
    assert_eq!(
        store
            .append(append("page", 1, "c", &["x"]))
            .await
            .unwrap()
            .receipt
            .head_version,
        2
    );
}

#[tokio::test]
async fn a_poisoned_engine_serves_reads_and_refuses_writes() {
    let (house, engine) = memory_house().await;
    let store = house.store;
    fill(&store, "page", 1).await;
    engine.poison("the disk is full");
    let refused = store.append(append("page", 1, "c", &["x"])).await.unwrap_err();
    let reason = "the disk is full".to_owned();
    assert_eq!(
        refused,
        AppendError::Unavailable(Unavailable::Poisoned { reason: reason.clone() })
    );
    let health = store.health();
    assert_eq!((health.ready, health.poisoned), (false, Some(reason)));
    assert_eq!(texts(&store, "page").await, ["v1"]);
    engine.reopen();
    store.append(append("page", 1, "c", &["x"])).await.unwrap();
}

#[tokio::test]
async fn an_append_that_nobody_waits_for_is_finished_and_seen() {
    let (house, engine) = memory_house().await;
    let store = house.store;
    fill(&store, "page", 1).await;
    engine.delay_commits(Duration::from_millis(20), Duration::from_millis(20));
    let append = store.append(append("page", 1, "c", &["x"]));
    let left = tokio::time::timeout(Duration::from_millis(5), append).await;
    assert!(left.is_err());
    // Others read the head, and keep it in memory, before it is done.
    assert_eq!(version(&store, "page").await, 1);
    while store.receipt(&page("page"), &id("c")).await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    tokio::time::timeout(Duration::from_secs(20), async {
        while version(&store, "page").await == 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await
    .unwrap();
    assert_eq!(version(&store, "page").await, 2);
}
