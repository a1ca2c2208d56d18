//! Writes from a base that is not the head.

use recto_pages::projections::{Delta, Kind};
use recto_pages::{At, Base, OnStale, SubmitDeltas, SubmitOptions, WriteError};
use serde_json::json;

use crate::house::{House, base, caller, code, id, insert};

#[tokio::test]
async fn a_stale_write_is_told_what_it_missed() {
    let house = House::new().await;
    house.typed("p", 5).await;
    let Err(WriteError::Stale(stale)) = house.submit("p", 2, &[insert(0, "x")], "late").await else {
        panic!("a stale write passed");
    };
    assert_eq!((stale.base.version, stale.head.version), (2, 5));
    let missed: Vec<_> = stale
        .missed
        .events
        .iter()
        .map(recto_pages::PageEvent::version)
        .collect();
    assert_eq!((missed, stale.missed.more_after), (vec![3, 4, 5], None));
}

#[tokio::test]
async fn what_does_not_fit_is_told_by_a_cursor() {
    let house = House::new().await;
    house.create("p", code(""), "c0").await.unwrap();
    let large = "x".repeat(30_000);
    for version in 1..5 {
        house
            .submit("p", version, &[insert(0, &large)], &format!("c{version}"))
            .await
            .unwrap();
    }
    let Err(WriteError::Stale(stale)) = house.submit("p", 1, &[insert(0, "x")], "late").await else {
        panic!("a stale write passed");
    };
    assert_eq!((stale.missed.events.len(), stale.missed.more_after), (2, Some(3)));
}

#[tokio::test]
async fn s10_racing_writers_at_one_base_one_lands_and_the_rest_learn_all() {
    let house = House::new().await;
    house.create("p", code(""), "c0").await.unwrap();
    let commands: Vec<_> = (0..64).map(|number| format!("w{number}")).collect();
    let edits = [insert(0, "a")];
    let tries = commands.iter().map(|command| house.submit("p", 1, &edits, command));
    let answers = futures::future::join_all(tries).await;
    let landed = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(landed, 1);
    for answer in answers {
        if let Err(fault) = answer {
            let WriteError::Stale(stale) = fault else {
                panic!("{fault}")
            };
            assert_eq!(
                (stale.base.version, stale.head.version, stale.missed.events.len()),
                (1, 2, 1)
            );
            assert_ne!(stale.head.hash, [0; 32]);
        }
    }
    assert_eq!(
        house
            .pages
            .read(&id("acme"), &id("p"), At::Head)
            .await
            .unwrap()
            .at
            .version,
        2
    );
}

#[tokio::test]
async fn a_base_that_never_was_is_no_stale_one() {
    let house = House::new().await;
    house.typed("p", 3).await;
    for base in [
        base(4),
        base(0),
        Base { version: 3, epoch: 1 },
        Base { version: 2, epoch: 1 },
        base(u64::MAX),
    ] {
        let submit = SubmitDeltas {
            caller: caller("user:ada"),
            page: id("p"),
            base,
            deltas: vec![insert(0, "x")],
            command: id("c"),
            options: SubmitOptions {
                on_stale: OnStale::Reject,
                ..SubmitOptions::default()
            },
        };
        assert!(
            matches!(house.pages.submit(submit).await, Err(WriteError::BaseUnknown { .. })),
            "{base:?}"
        );
    }
}

#[tokio::test]
async fn a_delta_of_another_kind_is_refused() {
    let house = House::new().await;
    house.create("p", code("x"), "c0").await.unwrap();
    let doc = Delta::from_json(Kind::Doc, &json!([{"insert": "x"}])).unwrap();
    let answer = house.submit("p", 1, &[doc], "c1").await;
    assert!(matches!(
        answer,
        Err(WriteError::WrongKind {
            actual: Kind::Code,
            given: Kind::Doc,
            ..
        })
    ));
}

#[tokio::test]
async fn a_batch_with_one_bad_delta_leaves_nothing() {
    let house = House::new().await;
    house.create("p", code("x"), "c0").await.unwrap();
    let answer = house.submit("p", 1, &[insert(0, "a"), insert(9, "b")], "c1").await;
    assert!(matches!(answer, Err(WriteError::Illegal { delta: 1, .. })));
    assert_eq!(
        house
            .pages
            .read(&id("acme"), &id("p"), At::Head)
            .await
            .unwrap()
            .at
            .version,
        1
    );
}
