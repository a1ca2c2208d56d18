//! The state at every version, by all ways: from the start, from every snapshot, from the
//! cache, backwards. All are the same.

use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{At, Base, Way};
use recto_tests::generate;
use recto_tests::model::Model;
use recto_tests::seed::Random;
use recto_tests::service::{Ground, Service, key, tight};
use recto_tests::wait;

const EVENTS: u64 = 150;

#[tokio::test]
async fn every_state_is_the_same_by_every_way_in_memory() {
    let mut random = Random::of_test("states in memory", 15);
    for kind in Kind::ALL {
        for _ in 0..3 {
            every_way(Ground::memory(), kind, &mut random).await;
        }
    }
}

#[tokio::test]
async fn every_state_is_the_same_by_every_way_on_rocksdb() {
    let mut random = Random::of_test("states on RocksDB", 16);
    for kind in Kind::ALL {
        every_way(Ground::rocks(), kind, &mut random).await;
    }
}

async fn every_way(ground: Ground, kind: Kind, random: &mut Random) {
    let mut service = ground.open(tight()).await;
    let states = history(&service, kind, random).await;
    check_all(&service, &states).await;
    service.pages.forget_cached();
    check_all(&service, &states).await;
    service.reopen().await;
    // Snapshot by snapshot, from the newest: each is for a while the nearest of all behind it.
    let mut snapshots = service
        .pages
        .store()
        .snapshot_versions(&key("p"))
        .await
        .expect("snapshots");
    assert!(snapshots.len() > 5, "{kind} has {} snapshots", snapshots.len());
    while let Some(newest) = snapshots.pop() {
        for version in newest..=states.len() as u64 {
            check(&service, &states, version, Way::FromSnapshot).await;
        }
        service
            .pages
            .store()
            .delete_snapshot(&key("p"), newest)
            .await
            .expect("it is deleted");
    }
    service.pages.forget_cached();
    check_all(&service, &states).await;
}

/// A page with many versions, and the value at each.
async fn history(service: &Service, kind: Kind, random: &mut Random) -> Vec<Value> {
    let first = generate::value(random, kind);
    let mut value = Value::from_json(kind, &first).expect("a legal value");
    service.create("p", value.clone(), "make").await.expect("a page");
    let mut states = vec![value.clone()];
    while (states.len() as u64) < EVENTS {
        let base = Base {
            version: states.len() as u64,
            epoch: 0,
        };
        let command = format!("{} {}", states.len(), random.next());
        let written = if random.chance(1, 12) {
            service
                .replace("p", base, generate::value(random, kind), &command)
                .await
        } else {
            let delta = generate::delta(random, &Model::from_json(kind, &value.to_json()));
            let Ok(delta) = Delta::from_json(kind, &delta) else {
                continue;
            };
            service.submit("p", base, vec![delta], &command).await
        };
        let Ok(written) = written else { continue };
        for event in &written.events {
            if let Some(delta) = event.delta().expect("it decodes") {
                value.replay(&delta).expect("it applies");
            }
            assert_eq!(value.digest(), event.digest());
            states.push(value.clone());
        }
        let due = states.len() as u64 / 10;
        wait::until_async("snapshots", async || {
            let written = service
                .pages
                .store()
                .snapshot_versions(&key("p"))
                .await
                .expect("snapshots");
            (written.len() as u64 * 3 >= due).then_some(())
        })
        .await;
    }
    states
}

async fn check_all(service: &Service, states: &[Value]) {
    for version in 1..=states.len() as u64 {
        for way in [Way::Nearest, Way::FromStart, Way::FromSnapshot, Way::Backwards] {
            check(service, states, version, way).await;
        }
    }
}

async fn check(service: &Service, states: &[Value], version: u64, way: Way) {
    let state = service.read_by("p", At::Version(version), way).await;
    let state = state.unwrap_or_else(|fault| panic!("{version} {way:?}: {fault}"));
    let expected = &states[usize::try_from(version).unwrap() - 1];
    assert_eq!(state.value.digest(), expected.digest(), "{version} {way:?}");
    assert_eq!(&state.value, expected, "{version} {way:?}");
    let mut text = Vec::new();
    state.value.write_json(&mut text);
    assert_eq!(
        String::from_utf8(text).expect("text"),
        expected.to_json().to_string(),
        "{version} {way:?}"
    );
}
