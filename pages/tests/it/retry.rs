//! A retry gets the first answer, whenever it comes and whatever base it names.

use recto_pages::{ReadError, WriteError, Written};

use crate::house::{House, code, id, insert};

fn same(one: &Written, other: &Written) {
    assert_eq!(
        (one.version, one.epoch, one.time_ms, one.hash),
        (other.version, other.epoch, other.time_ms, other.hash)
    );
    let events = |written: &Written| {
        written
            .events
            .iter()
            .map(|event| (*event.event).clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(events(one), events(other));
}

#[tokio::test]
async fn s1_a_retry_with_any_base_gets_the_first_answer() {
    let house = House::new().await;
    house.create("p", code(""), "c1").await.unwrap();
    let first = house.submit("p", 1, &[insert(0, "a")], "c2").await.unwrap();
    house.submit("p", 2, &[insert(0, "b")], "c3").await.unwrap();
    for service in [&house, &house.again().await] {
        for version in [1, 2, 3] {
            let retried = service.submit("p", version, &[insert(0, "a")], "c2").await.unwrap();
            assert!(retried.replayed);
            same(&retried, &first);
        }
        let head = service
            .pages
            .read(&id("acme"), &id("p"), recto_pages::At::Head)
            .await
            .unwrap();
        assert_eq!(head.at.version, 3);
    }
}

#[tokio::test]
async fn s3_a_batch_under_a_used_id_is_one_answer_or_one_refusal() {
    let house = House::new().await;
    house.create("p", code(""), "c1").await.unwrap();
    let (a, b, c) = (insert(0, "a"), insert(0, "b"), insert(0, "c"));
    let first = house.submit("p", 1, &[a.clone(), b.clone()], "batch").await.unwrap();
    assert_eq!((first.version, first.events.len()), (3, 2));
    for other in [
        vec![a.clone()],
        vec![a.clone(), b.clone(), c],
        vec![b.clone(), a.clone()],
    ] {
        let answer = house.submit("p", 3, &other, "batch").await;
        assert!(matches!(answer, Err(WriteError::CommandIdReused { .. })));
    }
    same(&house.submit("p", 3, &[a, b], "batch").await.unwrap(), &first);
}

#[tokio::test]
async fn d1_racing_retries_make_one_event() {
    let house = House::new().await;
    house.create("p", code(""), "c1").await.unwrap();
    let edits = [insert(0, "a")];
    let tries = (0..16).map(|_| house.submit("p", 1, &edits, "c2"));
    let answers = futures::future::join_all(tries).await;
    let written: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(written.iter().filter(|written| !written.replayed).count(), 1);
    for other in &written {
        same(other, &written[0]);
    }
}

#[tokio::test]
async fn e12_a_change_of_nothing_makes_no_event_and_is_remembered() {
    let house = House::new().await;
    house.create("p", code("x"), "c1").await.unwrap();
    let value = code("x").to_json();
    let nothing = house.replace("p", 1, value.clone(), "c2").await.unwrap();
    assert_eq!((nothing.version, nothing.events.len()), (1, 0));
    house.submit("p", 1, &[insert(0, "a")], "c3").await.unwrap();
    let retried = house.replace("p", 1, value, "c2").await.unwrap();
    assert!(retried.replayed);
    same(&retried, &nothing);
}

#[tokio::test]
async fn a_refused_command_leaves_its_id_free() {
    let house = House::new().await;
    house.create("p", code("x"), "c1").await.unwrap();
    assert!(house.submit("p", 1, &[insert(9, "a")], "c2").await.is_err());
    assert_eq!(house.submit("p", 1, &[insert(1, "a")], "c2").await.unwrap().version, 2);
}

#[tokio::test]
async fn a_command_is_found_by_its_id() {
    let house = House::new().await;
    let scope = id("acme");
    house.create("p", code("x"), "c1").await.unwrap();
    house.create("q", code("x"), "c1").await.unwrap();
    let first = house.submit("p", 1, &[insert(0, "a")], "c2").await.unwrap();
    same(
        &house.pages.command(&scope, &id("c2"), None).await.unwrap().written,
        &first,
    );
    let ambiguous = house.pages.command(&scope, &id("c1"), None).await;
    assert!(matches!(ambiguous, Err(ReadError::CommandAmbiguous { pages, .. }) if pages.len() == 2));
    assert!(house.pages.command(&scope, &id("c1"), Some(&id("q"))).await.is_ok());
    let unknown = house.pages.command(&scope, &id("c9"), None).await;
    assert!(matches!(unknown, Err(ReadError::CommandNotFound { .. })));
    let foreign = house.pages.command(&id("other"), &id("c2"), None).await;
    assert!(matches!(foreign, Err(ReadError::CommandNotFound { .. })));
}
