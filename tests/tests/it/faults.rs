//! Commits that fail, are slow, or lose their answer: what is written is all or nothing, and
//! the command's id tells the truth.

use std::time::Duration;

use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{At, Base, EventRange, FeedItem, ReadError, WriteError, Written};
use recto_store::{CommitFault, MemoryEngine};
use recto_tests::seed::Random;
use recto_tests::service::{Ground, SCOPE, Service, caller, id};
use recto_tests::wait;
use serde_json::json;

const BASE: Base = Base { version: 1, epoch: 0 };

/// The writes that there are, each on a page of its own at version 1.
const WRITES: [&str; 5] = ["create", "deltas", "replace", "delete", "undelete"];

async fn prepared() -> Service {
    let service = Ground::memory().open(recto_pages::Settings::default()).await;
    for write in WRITES.iter().filter(|write| **write != "create") {
        let made = service
            .create(write, Value::empty(Kind::Sheet), &format!("make {write}"))
            .await;
        made.expect("a page is made");
    }
    let hidden = service.set_deleted("undelete", BASE, true, "hide").await;
    assert_eq!(hidden.expect("a page is hidden").version, 2);
    service
}

async fn send(service: &Service, write: &str) -> Result<Written, WriteError> {
    let delta = Delta::from_json(Kind::Sheet, &json!([{ "op": "replaceSheet", "value": 7 }])).unwrap();
    match write {
        "create" => {
            service
                .create(write, Value::from_json(Kind::Sheet, &json!(7)).unwrap(), "it")
                .await
        }
        "deltas" => service.submit(write, BASE, vec![delta], "it").await,
        "replace" => service.replace(write, BASE, json!(7), "it").await,
        "delete" => service.set_deleted(write, BASE, true, "it").await,
        _ => {
            service
                .set_deleted(write, Base { version: 2, ..BASE }, false, "it")
                .await
        }
    }
}

/// A write that is refused by the storage leaves every byte as it was, and can be sent again.
#[tokio::test]
async fn d13_a_refused_write_leaves_all_bytes_as_they_were() {
    for write in WRITES {
        for fault in [
            CommitFault::Rejected,
            CommitFault::Unavailable,
            CommitFault::Indeterminate { applied: false },
        ] {
            let service = prepared().await;
            let before = service.bytes().await;
            service.memory().fail_commit(1, fault);
            let refused = send(&service, write).await;
            assert!(refused.is_err(), "{write} {fault:?}: {refused:?}");
            assert_eq!(service.bytes().await, before, "{write} {fault:?}");
            let sent_again = send(&service, write)
                .await
                .unwrap_or_else(|fault| panic!("{write}: {fault}"));
            assert!(!sent_again.replayed, "{write} {fault:?}");
            expect_once(&service, write).await;
        }
    }
}

/// A write that breaks a rule leaves every byte as it was, too.
#[tokio::test]
async fn d13_an_illegal_write_leaves_all_bytes_as_they_were() {
    let service = prepared().await;
    let before = service.bytes().await;
    let doc = Delta::from_json(Kind::Doc, &json!([{ "insert": "x" }])).unwrap();
    let refused = service.submit("deltas", BASE, vec![doc], "other kind").await;
    assert!(refused.is_err());
    let stale = service
        .submit("deltas", Base { version: 9, ..BASE }, Vec::new(), "no deltas")
        .await;
    assert!(stale.is_err());
    let future = service
        .replace("replace", Base { version: 9, ..BASE }, json!(7), "future")
        .await;
    assert!(matches!(future, Err(WriteError::BaseUnknown { .. })), "{future:?}");
    let missing = service.replace("nowhere", BASE, json!(7), "no page").await;
    assert!(
        matches!(
            missing,
            Err(WriteError::Read(ReadError::PageNotFound { .. }) | WriteError::PageNotFound { .. })
        ),
        "{missing:?}"
    );
    assert_eq!(service.bytes().await, before);
}

/// The id of a command stands in the same commit as its events: whatever is lost, there are
/// both or neither.
#[tokio::test]
async fn s4_receipt_and_events_are_both_there_or_neither() {
    for write in WRITES {
        for applied in [false, true] {
            let service = prepared().await;
            let before = service.whole_feed().await.len();
            service.memory().fail_commit(1, CommitFault::Indeterminate { applied });
            assert!(send(&service, write).await.is_err());
            let events = service.whole_feed().await.len() - before;
            let outcome = service.pages.command(&id(SCOPE), &id("it"), None).await;
            assert_eq!(
                (events, outcome.is_ok()),
                (usize::from(applied), applied),
                "{write}: {outcome:?}"
            );
        }
    }
}

/// A write whose answer is lost is told as such, with its id; sent again after opening it is
/// answered or done, once.
#[tokio::test]
async fn s12_a_lost_answer_is_outcome_unknown_and_the_id_tells_the_truth() {
    for write in WRITES {
        for applied in [false, true] {
            for reopens in [false, true] {
                let mut service = prepared().await;
                service.memory().fail_commit(1, CommitFault::Indeterminate { applied });
                match send(&service, write).await {
                    Err(WriteError::OutcomeUnknown { command }) => {
                        assert_eq!(command.as_str(), "it")
                    }
                    other => panic!("{write}: {other:?}"),
                }
                if reopens {
                    service.reopen().await;
                }
                let again = send(&service, write)
                    .await
                    .unwrap_or_else(|fault| panic!("{write}: {fault}"));
                assert_eq!(again.replayed, applied, "{write}");
                expect_once(&service, write).await;
            }
        }
    }
}

/// After a failed sync nothing more is written, reads are served, and opening helps.
#[tokio::test]
async fn s12_a_poisoned_store_refuses_writes_and_serves_reads_until_it_is_opened() {
    let mut service = prepared().await;
    service.memory().poison("a test");
    for write in WRITES {
        let refused = send(&service, write).await;
        assert!(
            matches!(refused, Err(WriteError::Unavailable { .. })),
            "{write}: {refused:?}"
        );
    }
    assert!(service.read("deltas", At::Head).await.is_ok());
    let health = service.pages.health();
    assert!(!health.ready && health.poisoned.is_some(), "{health:?}");
    service.reopen().await;
    assert!(service.pages.health().ready);
    for write in WRITES {
        assert!(send(&service, write).await.is_ok(), "{write}");
        expect_once(&service, write).await;
    }
}

async fn expect_once(service: &Service, write: &str) {
    let (events, _) = service
        .events(write, EventRange::After { version: 0, limit: 100 })
        .await;
    let of_command = events
        .iter()
        .filter(|event| event.event.command.as_str() == "it")
        .count();
    assert_eq!(of_command, 1, "{write}");
    assert!(service.verify(write).await.damage.is_none());
}

/// Commits are slow, writers race, readers follow: nobody sees position p + 1 before p, and in
/// the end all have seen the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s13_with_slow_commits_no_reader_sees_a_position_before_the_one_below() {
    const WRITERS: usize = 16;
    const WRITES_EACH: usize = 12;
    let mut random = Random::of_test("S13", 8);
    let service = prepared().await;
    let first = service.whole_feed().await.len() as u64;
    let total = first + (WRITERS * WRITES_EACH) as u64;
    slow_down(service.memory(), &mut random);
    let readers: Vec<_> = (0..8)
        .map(|reader| tokio::spawn(follow(service.pages.clone(), reader % 3, total)))
        .collect();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write_on(service.pages.clone(), writer, WRITES_EACH)))
        .collect();
    for writer in writers {
        wait::in_time("a writer", writer).await.expect("a writer ends");
        slow_down(service.memory(), &mut random);
    }
    let log: Vec<u64> = service.whole_feed().await.into_iter().map(|event| event.0).collect();
    assert_eq!(log, (1..=total).collect::<Vec<_>>(), "positions are dense");
    for reader in readers {
        let seen = wait::in_time("a reader", reader).await.expect("a reader ends");
        let after = log.len() - seen.len();
        assert_eq!(seen, log[after..], "a reader saw something else than the log");
    }
}

fn slow_down(engine: &MemoryEngine, random: &mut Random) {
    let mut some = || Duration::from_micros(random.next() % 3_000);
    engine.delay_commits(some(), some());
}

async fn follow(pages: recto_pages::Pages, after: u64, upto: u64) -> Vec<u64> {
    let mut feed = pages.feed(&id(SCOPE), None, Some(after)).await.expect("a feed");
    let mut seen = Vec::new();
    while seen.last() != Some(&upto) {
        match feed.next().await.expect("the next item").expect("the feed goes on") {
            FeedItem::Event(event) => {
                let position = event.event.event.position;
                assert!(
                    seen.last().is_none_or(|last| last + 1 == position),
                    "{position} after {:?}",
                    seen.last()
                );
                seen.push(position);
            }
            FeedItem::CaughtUp { cursor } => {
                assert!(seen.last().is_none_or(|last| *last == cursor))
            }
        }
    }
    seen
}

async fn write_on(pages: recto_pages::Pages, writer: usize, writes: usize) {
    let page = id(&format!("of writer {writer}"));
    let create = recto_pages::CreatePage {
        caller: caller(),
        page: page.clone(),
        kind: Kind::Sheet,
        file: None,
        value: Value::empty(Kind::Sheet),
        command: id("make"),
    };
    pages.create(create).await.expect("a page is made");
    for version in 1..writes {
        let replace = recto_pages::ReplaceValue {
            caller: caller(),
            page: page.clone(),
            base: Base {
                version: version as u64,
                epoch: 0,
            },
            value: json!(version),
            command: id(&format!("write {version}")),
        };
        pages.replace(replace).await.expect("no other writes to this page");
    }
}
