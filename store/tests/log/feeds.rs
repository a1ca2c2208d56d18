//! The feed: from the log, live, and both in one.

use std::time::Duration;

use futures::future::join_all;
use recto_store::limits::LIVE_ENTRIES;
use recto_store::{Followed, Follower, Limit, PageKey, Store};

use crate::support::{ALL, House, append, events, fill, id, memory_house, on_every_engine, page};

on_every_engine![
    the_feed_tells_all_pages_of_a_scope,
    s13_followers_see_every_position_in_order_while_it_is_written,
    s15_a_burst_overflows_the_live_feed_without_gap_or_double,
    s17_the_last_event_before_a_pause_is_pushed,
    s18_a_lag_is_filled_from_the_log,
    s20_a_follower_sees_nothing_of_another_scope,
    a_large_event_comes_through_the_live_feed,
];

/// Longer than anything takes.
const SOON: Duration = Duration::from_secs(30);

async fn the_feed_tells_all_pages_of_a_scope(House { store, .. }: House) {
    for version in 0..3 {
        for name in ["a", "b"] {
            let command = format!("c{version}");
            store.append(append(name, version, &command, &["x"])).await.unwrap();
        }
    }
    let feed = store.feed(&id("studio"), 0, ALL).await.unwrap();
    let told: Vec<_> = feed
        .iter()
        .map(|(position, page, event)| (*position, page.page.as_str(), event.version))
        .collect();
    assert_eq!(
        told,
        [
            (1, "a", 1),
            (2, "b", 1),
            (3, "a", 2),
            (4, "b", 2),
            (5, "a", 3),
            (6, "b", 3)
        ]
    );
    let of_a: Vec<_> = feed
        .into_iter()
        .filter(|(_, told, _)| *told == page("a"))
        .map(|(.., event)| event)
        .collect();
    assert_eq!(of_a, events(&store, "a").await);
    let part = store.feed(&id("studio"), 2, Limit::entries(2)).await.unwrap();
    assert_eq!(part.iter().map(|(position, ..)| *position).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(store.tip().await.unwrap(), 6);
}

async fn s13_followers_see_every_position_in_order_while_it_is_written(House { store, .. }: House) {
    let followers: Vec<_> = [0, 0, 40]
        .map(|after| tokio::spawn(follow(store.clone(), after, 200)))
        .into();
    let writers = (0..8).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move { fill(&store, &format!("page-{writer}"), 25).await })
    });
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    let log: Vec<_> = store.feed(&id("studio"), 0, ALL).await.unwrap();
    for (follower, after) in followers.into_iter().zip([0, 0, 40]) {
        assert_eq!(follower.await.unwrap(), log[after..]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s13_slow_commits_are_told_in_order() {
    let (House { store, .. }, engine) = memory_house().await;
    engine.delay_commits(Duration::from_micros(300), Duration::from_micros(300));
    let follower = tokio::spawn(follow(store.clone(), 0, 100));
    let writers = (0..10).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move { fill(&store, &format!("page-{writer}"), 10).await })
    });
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    assert_eq!(
        follower.await.unwrap(),
        store.feed(&id("studio"), 0, ALL).await.unwrap()
    );
}

async fn s15_a_burst_overflows_the_live_feed_without_gap_or_double(House { store, .. }: House) {
    fill(&store, "page", 2).await;
    let mut follower = store.follow(id("studio"), 0);
    assert_eq!(next_position(&mut follower).await, 1);
    assert_eq!(next_position(&mut follower).await, 2);
    assert!(matches!(
        follower.next().await.unwrap(),
        Followed::CaughtUp { position: 2 }
    ));
    burst(&store, "burst", LIVE_ENTRIES + 500).await;
    let end = store.tip().await.unwrap();
    for position in 3..=end {
        assert_eq!(next_position(&mut follower).await, position);
    }
    assert!(matches!(follower.next().await.unwrap(), Followed::CaughtUp { position } if position == end));
    fill(&store, "page", 3).await;
    assert_eq!(next_position(&mut follower).await, end + 1, "live again");
}

async fn s17_the_last_event_before_a_pause_is_pushed(House { store, .. }: House) {
    let mut follower = store.follow(id("studio"), 0);
    assert_eq!(follower.next().await.unwrap(), Followed::CaughtUp { position: 0 });
    for version in 1..=5 {
        fill(&store, "page", version).await;
        // Nothing comes behind it that could push it out.
        let pushed = tokio::time::timeout(SOON, next_position(&mut follower)).await.unwrap();
        assert_eq!(pushed, version);
    }
}

async fn s18_a_lag_is_filled_from_the_log(House { store, .. }: House) {
    let mut follower = store.follow(id("studio"), 0);
    assert_eq!(follower.next().await.unwrap(), Followed::CaughtUp { position: 0 });
    let mut seen = 0;
    for round in 0..3 {
        burst(&store, &format!("burst-{round}"), LIVE_ENTRIES + 1).await;
        let tip = store.tip().await.unwrap();
        while seen < tip {
            assert_eq!(next_position(&mut follower).await, seen + 1);
            seen += 1;
        }
    }
    assert_eq!(follower.position(), seen);
}

async fn s20_a_follower_sees_nothing_of_another_scope(House { store, .. }: House) {
    let foreign = |version: u64| {
        let mut append = append("page", version, &format!("f{version}"), &["foreign"]);
        append.page = PageKey::parse("other", "page").unwrap();
        append
    };
    let mut live = store.follow(id("studio"), 0);
    assert_eq!(live.next().await.unwrap(), Followed::CaughtUp { position: 0 });
    for version in 0..3 {
        store.append(foreign(version)).await.unwrap();
        fill(&store, "page", version + 1).await;
    }
    let mut log = store.follow(id("studio"), 3);
    for follower in [&mut live, &mut log] {
        while follower.position() < 6 {
            if let Followed::Event { page: told, .. } = follower.next().await.unwrap() {
                assert_eq!(told, page("page"));
            }
        }
    }
}

async fn a_large_event_comes_through_the_live_feed(House { store, .. }: House) {
    let mut follower = store.follow(id("studio"), 0);
    assert_eq!(follower.next().await.unwrap(), Followed::CaughtUp { position: 0 });
    fill(&store, "page", 1).await;
    let large = "x".repeat(100_000);
    store.append(append("page", 1, "large", &[&large])).await.unwrap();
    fill(&store, "page", 3).await;
    for position in 1..=3 {
        assert_eq!(next_position(&mut follower).await, position);
    }
}

/// Follows until it has seen a position.
async fn follow(store: Store, after: u64, end: u64) -> Vec<(u64, PageKey, recto_store::Event)> {
    let mut follower = store.follow(id("studio"), after);
    let mut seen = Vec::new();
    while follower.position() < end {
        if let Followed::Event { position, page, event } = follower.next().await.unwrap() {
            seen.push((position, page, *event));
        }
    }
    seen
}

async fn next_position(follower: &mut Follower) -> u64 {
    loop {
        if let Followed::Event { position, .. } = follower.next().await.unwrap() {
            return position;
        }
    }
}

/// Appends many events in few commits.
async fn burst(store: &Store, name: &str, count: usize) {
    let mut version = 0;
    while version < count {
        let batch = (count - version).min(1_000);
        let texts = vec!["x"; batch];
        let base = u64::try_from(version).unwrap();
        store
            .append(append(name, base, &format!("burst-{version}"), &texts))
            .await
            .unwrap();
        version += batch;
    }
}
