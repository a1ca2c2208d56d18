//! Races: real tasks on a real engine.

use std::sync::Arc;

use futures::future::join_all;

use super::tools::{ALL, Shared, append, command, event, fill, guard, history, id, put, revisions};
use crate::engine::CommitError;

pub(super) async fn s6_of_twenty_racing_commits_one_wins(engine: Shared) {
    for round in 0..10 {
        let racing = (0..20).map(|_| {
            let engine = Arc::clone(&engine);
            tokio::spawn(async move { append(&engine, "page", round).await })
        });
        let mut won = 0;
        for outcome in join_all(racing).await {
            match outcome.unwrap() {
                Ok(_) => won += 1,
                Err(error) => {
                    let conflict = CommitError::Conflict {
                        key: event("page"),
                        expected: round,
                        actual: round + 1,
                    };
                    assert_eq!(error, conflict);
                }
            }
        }
        assert_eq!(won, 1, "in round {round}");
        assert_eq!(
            revisions(&history(&engine, &event("page")).await).last(),
            Some(&(round + 1))
        );
    }
}

pub(super) async fn s7_pages_do_not_stand_in_each_others_way(engine: Shared) {
    let writers = (0..64).map(|writer| {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move { fill(&engine, &format!("page-{writer}"), 0, 10).await })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    assert_eq!(engine.tip(0).await.unwrap(), 640);
}

pub(super) async fn s10_of_two_conflicting_commits_in_one_group_one_wins(engine: Shared) {
    for round in 0..20 {
        // Both are in the queue before either is awaited: the first polls hand them over.
        let (one, other) = tokio::join!(append(&engine, "page", round), append(&engine, "page", round));
        let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
        assert_eq!(won.unwrap().entries, [(round + 1, round + 1)]);
        let conflict = CommitError::Conflict {
            key: event("page"),
            expected: round,
            actual: round + 1,
        };
        assert_eq!(lost.unwrap_err(), conflict);
        // The loser reads what it lost to.
        assert_eq!(engine.last(&event("page")).await.unwrap().unwrap().revision, round + 1);
    }
}

pub(super) async fn s13_no_reader_sees_a_position_before_the_one_in_front(engine: Shared) {
    const WRITERS: u64 = 16;
    const EACH: u64 = 25;
    let readers = (0..3).map(|_| tokio::spawn(read_to(Arc::clone(&engine), WRITERS * EACH)));
    let readers: Vec<_> = readers.collect();
    let writers = (0..WRITERS).map(|writer| {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move { fill(&engine, &format!("page-{writer}"), 0, EACH).await })
    });
    for writer in join_all(writers.collect::<Vec<_>>()).await {
        writer.unwrap();
    }
    for reader in readers {
        reader.await.unwrap();
    }
}

/// Reads the feed while it is written, and sees every position in turn.
async fn read_to(engine: Shared, end: u64) {
    let mut seen = 0;
    while seen < end {
        for entry in engine.feed(0, &id("scope"), seen, ALL).await.unwrap() {
            assert_eq!(entry.position, seen + 1);
            seen = entry.position;
        }
        assert!(engine.tip(0).await.unwrap() >= seen);
        tokio::task::yield_now().await;
    }
}

pub(super) async fn a_racing_command_is_done_once(engine: Shared) {
    let racing = (0..20).map(|_| {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            let (page, receipt) = (event("page"), command("page", "c"));
            let guards = vec![guard(&receipt, 0), guard(&page, 0)];
            engine
                .commit(0, guards, vec![put(&page, "e"), put(&receipt, "r")])
                .await
        })
    });
    let outcomes = join_all(racing).await;
    let won = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Ok(_)))).count();
    assert_eq!(won, 1);
    assert_eq!(history(&engine, &command("page", "c")).await.len(), 1);
    assert_eq!(history(&engine, &event("page")).await.len(), 1);
}
