//! Stored bytes that changed: what is told, what is still served, what heals by itself.

use recto_pages::projections::{Kind, Value};
use recto_pages::{At, Base, EventRange, ReadError, Way};
use recto_store::{DerivedKey, Fault, Key, Place};
use recto_tests::seed::Random;
use recto_tests::service::{Ground, SCOPE, Service, id, key, tight};
use serde_json::json;

const VERSIONS: u64 = 60;

/// A history in which version v says v.
async fn history(ground: Ground) -> Service {
    let service = ground.open(tight()).await;
    let value = Value::from_json(Kind::Code, &value_at(1)).unwrap();
    service.create("page", value, "c1").await.expect("the page is made");
    for version in 2..=VERSIONS {
        let base = Base {
            version: version - 1,
            epoch: 0,
        };
        let written = service
            .replace("page", base, value_at(version), &format!("c{version}"))
            .await;
        assert_eq!(written.expect("the page is replaced").version, version);
    }
    service
}

fn value_at(version: u64) -> serde_json::Value {
    let lines: Vec<_> = (1..=version).map(|line| format!("line {line}\n")).collect();
    json!({ "files": { "a.txt": lines.concat() }, "entry": null })
}

async fn expect_served(service: &Service, version: u64, why: &str) {
    for way in [Way::Nearest, Way::FromStart, Way::FromSnapshot] {
        let state = service.read_by("page", At::Version(version), way).await;
        let state = state.unwrap_or_else(|fault| panic!("version {version} {way:?} {why}: {fault}"));
        let expected = Value::from_json(Kind::Code, &value_at(version)).unwrap();
        assert_eq!((state.at.version, &state.value), (version, &expected), "{way:?} {why}");
    }
}

/// The damaged event is named; every state before it is served, wherever the damage is.
#[tokio::test]
async fn g6_a_damaged_event_is_named_and_the_states_before_it_are_served() {
    let service = history(Ground::memory()).await;
    let stored = Key::Event(key("page"));
    for damaged in [2, 7, VERSIONS / 2, VERSIONS - 1, VERSIONS] {
        assert!(
            service
                .memory()
                .corrupt(&stored, damaged, |bytes| *bytes.last_mut().unwrap() ^= 4)
        );
        service.pages.forget_cached();
        for version in 1..damaged {
            expect_served(&service, version, &format!("with event {damaged} damaged")).await;
        }
        let told = service.read_by("page", At::Version(damaged), Way::FromStart).await;
        assert!(
            matches!(told, Err(ReadError::Corrupt { version, .. }) if version == damaged),
            "{damaged}: {told:?}"
        );
        let event = service.pages.event(&id(SCOPE), &id("page"), damaged).await;
        assert!(
            matches!(event, Err(ReadError::Corrupt { version, .. }) if version == damaged),
            "{damaged}: {event:?}"
        );
        let (before, _) = service.events("page", EventRange::After { version: 0, limit: 1 }).await;
        assert_eq!(before.len(), 1);
        let verified = service.verify("page").await;
        let damage = verified.damage.expect("verify sees it");
        assert_eq!(
            damage.at,
            Place::Event {
                page: key("page"),
                version: damaged
            }
        );
        assert_eq!(verified.events, damaged - 1);
        assert!(
            service
                .memory()
                .corrupt(&stored, damaged, |bytes| *bytes.last_mut().unwrap() ^= 4)
        );
    }
    expect_served(&service, VERSIONS, "with everything put back").await;
}

/// A missing event is a fault that is told, never a jump.
#[tokio::test]
async fn a_hole_is_told_and_never_skipped() {
    let service = history(Ground::memory()).await;
    let missing = 31;
    assert!(service.memory().remove(&Key::Event(key("page")), missing));
    service.pages.forget_cached();
    let told = service.read_by("page", At::Version(40), Way::FromStart).await;
    assert!(
        matches!(told, Err(ReadError::Corrupt { version, .. }) if version == missing),
        "{told:?}"
    );
    for version in 1..missing {
        expect_served(&service, version, "before the hole").await;
    }
    let damage = service.verify("page").await.damage.expect("verify sees it");
    assert_eq!(
        (damage.at, damage.fault),
        (
            Place::Event {
                page: key("page"),
                version: missing
            },
            Fault::Missing
        )
    );
}

/// Whatever becomes of the snapshots, the answers are the same; those that do not fit go.
#[tokio::test]
async fn s25_snapshots_deleted_damaged_or_of_another_version_change_no_answer() {
    let mut random = Random::of_test("S25", 7);
    let service = history(Ground::memory()).await;
    for round in 0..30 {
        for version in snapshots(&service).await {
            spoil(&service, version, &mut random).await;
        }
        service.pages.forget_cached();
        for version in 1..=VERSIONS {
            expect_served(&service, version, &format!("in round {round}")).await;
        }
        for version in snapshots(&service).await {
            let stored = service
                .pages
                .store()
                .snapshot_near(&key("page"), version, recto_store::Near::AtOrBefore)
                .await;
            assert!(stored.is_ok(), "the spoiled snapshot {version} is still there");
        }
        regrow(&service).await;
    }
}

/// The same on RocksDB: no snapshot at all, and the store opens and serves.
#[tokio::test]
async fn s25_without_any_snapshot_the_store_opens_and_serves() {
    let ground = Ground::rocks();
    let mut service = history(ground).await;
    for version in snapshots(&service).await {
        service
            .pages
            .store()
            .delete_snapshot(&key("page"), version)
            .await
            .expect("it is deleted");
    }
    service.reopen().await;
    assert_eq!(
        service.pages.store().snapshot_versions(&key("page")).await.unwrap(),
        Vec::<u64>::new()
    );
    for version in 1..=VERSIONS {
        expect_served(&service, version, "without snapshots").await;
    }
    let base = Base {
        version: VERSIONS,
        epoch: 0,
    };
    let written = service.replace("page", base, value_at(VERSIONS + 1), "more").await;
    assert_eq!(written.expect("writing goes on").version, VERSIONS + 1);
}

/// All there are, the one being written behind the last answer too.
async fn snapshots(service: &Service) -> Vec<u64> {
    service.pages.settle().await;
    service
        .pages
        .store()
        .snapshot_versions(&key("page"))
        .await
        .expect("the versions")
}

/// Deletes a snapshot, changes its bytes, or puts a sound one of another state in its place.
async fn spoil(service: &Service, version: u64, random: &mut Random) {
    let store = service.pages.store();
    let derived = DerivedKey::new(&key("page"), version);
    match random.below(4) {
        0 => store
            .delete_snapshot(&key("page"), version)
            .await
            .expect("it is deleted"),
        1 => {
            let (at, bit) = (random.next(), random.below(8));
            let flip = |bytes: &mut Vec<u8>| {
                let at = usize::try_from(at % bytes.len() as u64).unwrap();
                bytes[at] ^= 1 << bit;
            };
            assert!(service.memory().corrupt_derived(&derived, flip));
        }
        2 => {
            let len = random.below(30);
            let garbage = random.bytes(len);
            store
                .put_snapshot(&key("page"), version, garbage.into())
                .await
                .expect("it is put");
        }
        _ => {
            let other = store.snapshot_near(&key("page"), 1, recto_store::Near::AtOrAfter).await;
            if let Ok(Some(other)) = other {
                store
                    .put_snapshot(&key("page"), version, other.value)
                    .await
                    .expect("it is put");
            }
        }
    }
}

/// Edits until there are snapshots again, and back: the page says the same as before.
async fn regrow(service: &Service) {
    let head = service.read("page", At::Head).await.expect("the page");
    assert_eq!(
        Some(&head.value),
        Value::from_json(Kind::Code, &value_at(VERSIONS)).ok().as_ref()
    );
    for (version, state) in [(VERSIONS / 3, 20), (VERSIONS / 2, 30), (VERSIONS - 5, 55)] {
        let state = service
            .read("page", At::Version(state))
            .await
            .expect("an earlier state");
        let bytes = recto_tests::service::snapshot_bytes(&state.value);
        service
            .pages
            .store()
            .put_snapshot(&key("page"), version, bytes.into())
            .await
            .expect("it is put");
    }
}
