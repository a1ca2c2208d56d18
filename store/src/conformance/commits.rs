//! Commits: guards, atomicity, numbering, refusals.

use bytes::Bytes;

use super::tools::{Shared, append, command, event, fill, guard, history, last_revision, put, record, revisions};
use crate::engine::{CommitError, Put, Rejection};
use crate::limits::BATCH_MAX_BYTES;

pub(super) async fn revisions_are_dense_from_one(engine: Shared) {
    for revision in 0..20 {
        let committed = append(&engine, "page", revision).await.unwrap();
        assert_eq!(committed.entries, [(revision + 1, revision + 1)]);
    }
    let entries = history(&engine, &event("page")).await;
    assert_eq!(revisions(&entries), (1..=20).collect::<Vec<_>>());
    assert!(
        entries
            .iter()
            .all(|entry| entry.value == format!("scope/page {}", entry.revision))
    );
}

pub(super) async fn a_broken_guard_tells_what_is_there(engine: Shared) {
    fill(&engine, "page", 0, 3).await;
    for (expected, actual, name) in [(0, 3, "page"), (2, 3, "page"), (4, 3, "page"), (1, 0, "other")] {
        let conflict = append(&engine, name, expected).await.unwrap_err();
        assert_eq!(
            conflict,
            CommitError::Conflict {
                key: event(name),
                expected,
                actual
            }
        );
    }
}

pub(super) async fn a_guard_holds_for_a_key_that_is_not_written(engine: Shared) {
    fill(&engine, "watched", 0, 2).await;
    let (watched, written) = (event("watched"), event("written"));
    let commit = |seen, at| {
        engine.commit(
            0,
            vec![guard(&watched, seen), guard(&written, at)],
            vec![put(&written, "v")],
        )
    };
    let conflict = CommitError::Conflict {
        key: watched.clone(),
        expected: 1,
        actual: 2,
    };
    assert_eq!(commit(1, 0).await.unwrap_err(), conflict);
    assert_eq!(commit(2, 0).await.unwrap().entries, [(1, 3)]);
    fill(&engine, "watched", 2, 3).await;
    assert!(commit(2, 1).await.is_err());
}

pub(super) async fn s8_a_refused_commit_leaves_no_trace(engine: Shared) {
    fill(&engine, "page", 0, 2).await;
    for _ in 0..5 {
        assert!(append(&engine, "page", 1).await.is_err());
    }
    assert_eq!(engine.tip(0).await.unwrap(), 2);
    assert_eq!(append(&engine, "page", 2).await.unwrap().entries, [(3, 3)]);
    assert_eq!(revisions(&history(&engine, &event("page")).await), [1, 2, 3]);
}

pub(super) async fn s4_a_commit_is_all_or_nothing(engine: Shared) {
    let (page, receipt, note) = (event("page"), command("page", "c"), record("table", "key"));
    let commit = |revision: u64| {
        let guards = vec![guard(&page, 0), guard(&receipt, 0), guard(&note, revision)];
        engine.commit(0, guards, vec![put(&page, "e"), put(&receipt, "r"), put(&note, "n")])
    };
    assert!(commit(1).await.is_err());
    for key in [&page, &receipt, &note] {
        assert_eq!(last_revision(&engine, key).await, 0);
    }
    commit(0).await.unwrap();
    for key in [&page, &receipt, &note] {
        assert_eq!(last_revision(&engine, key).await, 1);
    }
}

pub(super) async fn s2_a_receipt_put_twice_is_refused(engine: Shared) {
    let (page, receipt) = (event("page"), command("page", "c"));
    let puts = vec![put(&page, "1"), put(&receipt, "r"), put(&page, "2"), put(&receipt, "r")];
    let refused = engine
        .commit(0, vec![guard(&page, 0), guard(&receipt, 0)], puts)
        .await
        .unwrap_err();
    assert_eq!(
        refused,
        CommitError::Rejected(Rejection::PutTwice { key: receipt.clone() })
    );
    assert_eq!(
        (
            last_revision(&engine, &page).await,
            last_revision(&engine, &receipt).await
        ),
        (0, 0)
    );
    assert_eq!(engine.tip(0).await.unwrap(), 0);
}

pub(super) async fn a_commit_sent_again_is_a_conflict(engine: Shared) {
    let (page, receipt) = (event("page"), command("page", "c"));
    let commit = || {
        let guards = vec![guard(&page, 0), guard(&receipt, 0)];
        engine.commit(0, guards, vec![put(&page, "e"), put(&receipt, "r")])
    };
    commit().await.unwrap();
    assert!(matches!(commit().await, Err(CommitError::Conflict { actual: 1, .. })));
    assert_eq!(history(&engine, &page).await.len(), 1);
}

pub(super) async fn s9_a_batch_gets_consecutive_revisions_and_positions(engine: Shared) {
    fill(&engine, "first", 0, 2).await;
    fill(&engine, "before", 0, 3).await;
    let (one, two, receipt) = (event("first"), event("second"), command("first", "c"));
    let guards = vec![guard(&receipt, 0), guard(&one, 2), guard(&two, 0)];
    let puts = vec![
        put(&receipt, "r"),
        put(&one, "a"),
        put(&two, "x"),
        put(&one, "b"),
        put(&one, "c"),
    ];
    let committed = engine.commit(0, guards, puts).await.unwrap();
    assert_eq!(committed.entries, [(1, 9), (3, 6), (1, 7), (4, 8), (5, 9)]);
    for (key, revision, position) in [(&receipt, 1, 9), (&one, 3, 6), (&two, 1, 7), (&one, 4, 8), (&one, 5, 9)] {
        let entry = engine.get(key, revision).await.unwrap().unwrap();
        assert_eq!((entry.revision, entry.position), (revision, position));
    }
    assert_eq!(engine.tip(0).await.unwrap(), 9);
}

pub(super) async fn what_can_never_be_taken_is_rejected(engine: Shared) {
    let (page, note) = (event("page"), record("table", "key"));
    let large = Put {
        key: page.clone(),
        value: Bytes::from(vec![0; BATCH_MAX_BYTES + 1]),
    };
    let cases = [
        (vec![guard(&page, 0)], vec![], Rejection::Empty),
        (
            vec![guard(&note, 0)],
            vec![put(&page, "e")],
            Rejection::Unguarded { key: page.clone() },
        ),
        (
            vec![guard(&page, 0); 2],
            vec![put(&page, "e")],
            Rejection::GuardedTwice { key: page.clone() },
        ),
        (
            vec![guard(&note, 0)],
            vec![put(&note, "1"), put(&note, "2")],
            Rejection::PutTwice { key: note.clone() },
        ),
        (
            vec![guard(&page, 0)],
            vec![large],
            Rejection::TooLarge {
                limit: BATCH_MAX_BYTES,
                got: BATCH_MAX_BYTES + 1,
            },
        ),
    ];
    for (guards, puts, rejection) in cases {
        assert_eq!(
            engine.commit(0, guards, puts).await,
            Err(CommitError::Rejected(rejection))
        );
    }
    assert_eq!(
        (last_revision(&engine, &page).await, last_revision(&engine, &note).await),
        (0, 0)
    );
}
