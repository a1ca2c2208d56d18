//! Races on a whole store: real tasks.

use futures::future::join_all;
use recto_store::{AppendError, Expected};

use crate::support::{House, append, events, fill, id, on_every_engine, page, version};

on_every_engine![
    s5_all_losers_of_64_get_the_whole_conflict,
    s6_twenty_racing_appends_store_as_many_as_succeed,
    s7_no_false_conflict_at_64_writers,
    s10_of_two_appends_in_one_group_one_wins,
    a_racing_command_is_done_once,
];

async fn s5_all_losers_of_64_get_the_whole_conflict(House { store, .. }: House) {
    fill(&store, "page", 3).await;
    let racing = (0..64).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move { store.append(append("page", 3, &format!("c{writer}"), &["x"])).await })
    });
    let outcomes: Vec<_> = join_all(racing).await.into_iter().map(Result::unwrap).collect();
    let head = store.head(&page("page")).await.unwrap();
    assert_eq!(head.map(|head| head.version), Some(4));
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for loser in lost {
        assert_eq!(
            loser.unwrap_err(),
            AppendError::Conflict {
                expected: Expected::Exactly(3),
                actual: head
            }
        );
    }
}

async fn s6_twenty_racing_appends_store_as_many_as_succeed(House { store, .. }: House) {
    let mut stored = 0;
    for round in 0..10 {
        let racing = (0..20).map(|writer| {
            let store = store.clone();
            let command = format!("c-{round}-{writer}");
            // Some are ahead, some behind: more than one may succeed, in turn.
            tokio::spawn(async move {
                let base = version(&store, "page").await;
                store.append(append("page", base, &command, &["x", "y"])).await
            })
        });
        let won = join_all(racing)
            .await
            .into_iter()
            .filter(|outcome| matches!(outcome, Ok(Ok(_))))
            .count();
        assert!(won >= 1);
        stored += 2 * won;
        assert_eq!(events(&store, "page").await.len(), stored);
    }
}

async fn s7_no_false_conflict_at_64_writers(House { store, .. }: House) {
    let writers = (0..64).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move { fill(&store, &format!("page-{writer}"), 12).await })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    assert_eq!(store.tip().await.unwrap(), 64 * 12);
    assert!(store.verify_scope(&id("studio")).await.unwrap().damage.is_empty());
}

async fn s10_of_two_appends_in_one_group_one_wins(House { store, .. }: House) {
    for round in 0..20 {
        let (first, second) = (format!("a{round}"), format!("b{round}"));
        let (one, other) = tokio::join!(
            store.append(append("page", round, &first, &["x"])),
            store.append(append("page", round, &second, &["y"])),
        );
        let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
        let actual = won.unwrap().events.last().map(recto_store::Event::head);
        let expected = if round == 0 {
            Expected::New
        } else {
            Expected::Exactly(round)
        };
        assert_eq!(lost.unwrap_err(), AppendError::Conflict { expected, actual });
    }
    assert_eq!(version(&store, "page").await, 20);
}

async fn a_racing_command_is_done_once(House { store, .. }: House) {
    for round in 0..5 {
        let command = format!("same-{round}");
        let racing = (0..16).map(|_| {
            let (store, command) = (store.clone(), command.clone());
            tokio::spawn(async move { store.append(append("page", round, &command, &["x"])).await })
        });
        let outcomes: Vec<_> = join_all(racing).await.into_iter().map(Result::unwrap).collect();
        let receipt = store.receipt(&page("page"), &id(&command)).await.unwrap().unwrap();
        let mut won = 0;
        for outcome in outcomes {
            match outcome {
                Ok(appended) => {
                    won += 1;
                    assert_eq!(appended.receipt, receipt);
                }
                Err(error) => {
                    assert_eq!(error, AppendError::AlreadyDone(Box::new(receipt.clone())))
                }
            }
        }
        assert_eq!(won, 1);
    }
}
