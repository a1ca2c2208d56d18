//! Reads: limits, both ends, prefixes.

use super::tools::{ALL, Shared, append_to, command, event, fill, guard, history, id, put, record, revisions};
use crate::engine::Limit;
use crate::id::PageKey;
use crate::keys::{Key, KeyPrefix};

pub(super) async fn histories_keep_to_their_limits(engine: Shared) {
    fill(&engine, "page", 0, 12).await;
    let key = event("page");
    let forward = async |after, limit| revisions(&engine.history(&key, after, limit).await.unwrap());
    let back = async |before, limit| revisions(&engine.history_back(&key, before, limit).await.unwrap());
    // "scope/page 1" has 12 bytes.
    let bytes = |bytes| Limit { entries: 100, bytes };
    assert_eq!(forward(0, Limit::entries(3)).await, [1, 2, 3]);
    assert_eq!(forward(10, Limit::entries(3)).await, [11, 12]);
    assert_eq!(forward(12, ALL).await, [0; 0]);
    assert_eq!(forward(99, ALL).await, [0; 0]);
    assert_eq!(forward(u64::MAX, ALL).await, [0; 0]);
    assert_eq!(forward(2, bytes(24)).await, [3, 4]);
    assert_eq!(forward(2, bytes(1)).await, [3], "one at least");
    assert_eq!(forward(2, Limit::entries(0)).await, [0; 0]);
    assert_eq!(back(u64::MAX, Limit::entries(2)).await, [12, 11]);
    assert_eq!(back(13, Limit::entries(2)).await, [12, 11]);
    assert_eq!(back(12, Limit::entries(2)).await, [11, 10]);
    assert_eq!(back(3, ALL).await, [2, 1]);
    assert_eq!(back(1, ALL).await, [0; 0]);
    assert_eq!(back(0, ALL).await, [0; 0]);
    assert_eq!(back(9, bytes(30)).await, [8, 7]);
    assert_eq!(back(9, Limit::entries(0)).await, [0; 0]);
    for revision in [0, 13, u64::MAX] {
        assert_eq!(engine.get(&key, revision).await.unwrap(), None);
    }
    let absent = event("absent");
    assert_eq!(engine.last(&absent).await.unwrap(), None);
    assert_eq!(engine.history_back(&absent, u64::MAX, ALL).await.unwrap(), []);
}

pub(super) async fn keys_of_a_prefix_are_listed_in_order(engine: Shared) {
    let mut guards = Vec::new();
    let mut puts = Vec::new();
    let keys = [
        event("b"),
        event("a"),
        command("b", "c1"),
        command("a", "c1"),
        command("a", "c2"),
        record("t", "x\u{1f}2"),
        record("t", "x\u{1f}1"),
        record("t", "y"),
        record("u", "x\u{1f}3"),
    ];
    for key in &keys {
        guards.push(guard(key, 0));
        puts.push(put(key, "v"));
    }
    engine.commit(0, guards, puts).await.unwrap();
    append_to(&engine, &PageKey::parse("scope2", "a").unwrap(), 0)
        .await
        .unwrap();

    let list = async |prefix: &KeyPrefix, after: Option<&Key>, limit| engine.keys(prefix, after, limit).await.unwrap();
    let scope = id("scope");
    let events = KeyPrefix::EventsOf(scope.clone());
    assert_eq!(list(&events, None, 9).await, [event("a"), event("b")]);
    assert_eq!(list(&events, None, 1).await, [event("a")]);
    assert_eq!(list(&events, None, 0).await, []);
    assert_eq!(list(&events, Some(&event("a")), 9).await, [event("b")]);
    assert_eq!(list(&events, Some(&event("aa")), 9).await, [event("b")]);
    assert_eq!(list(&events, Some(&event("b")), 9).await, []);
    assert_eq!(list(&KeyPrefix::Events, None, 9).await.len(), 3);
    let one = KeyPrefix::Command {
        scope: scope.clone(),
        command: id("c1"),
    };
    assert_eq!(list(&one, None, 9).await, [command("a", "c1"), command("b", "c1")]);
    assert_eq!(list(&KeyPrefix::CommandsOf(scope.clone()), None, 9).await.len(), 3);
    assert_eq!(list(&KeyPrefix::RecordsOf(scope.clone()), None, 9).await.len(), 4);
    let table = |prefix: &str| KeyPrefix::Records {
        scope: scope.clone(),
        table: id("t"),
        prefix: prefix.to_owned(),
    };
    assert_eq!(
        list(&table("x\u{1f}"), None, 9).await,
        [record("t", "x\u{1f}1"), record("t", "x\u{1f}2")]
    );
    let after = record("t", "x\u{1f}1");
    assert_eq!(
        list(&table(""), Some(&after), 9).await,
        [record("t", "x\u{1f}2"), record("t", "y")]
    );
}

pub(super) async fn a_name_that_begins_like_another_is_another(engine: Shared) {
    for (name, count) in [("a", 3), ("ab", 2), ("a b", 4), ("aé", 1)] {
        fill(&engine, name, 0, count).await;
    }
    for (name, count) in [("a", 3), ("ab", 2), ("a b", 4), ("aé", 1)] {
        let entries = history(&engine, &event(name)).await;
        assert_eq!(revisions(&entries), (1..=count).collect::<Vec<_>>());
        assert!(
            entries
                .iter()
                .all(|entry| entry.value.starts_with(format!("scope/{name} ").as_bytes()))
        );
    }
}

pub(super) async fn the_newest_of_many_revisions_is_found(engine: Shared) {
    for (index, count) in (0..).zip([1_u64, 2, 9, 30]) {
        let key = record("table", &format!("key-{index}"));
        for revision in 0..count {
            let value = format!("{index}: {revision}");
            engine
                .commit(0, vec![guard(&key, revision)], vec![put(&key, &value)])
                .await
                .unwrap();
        }
    }
    let prefix = KeyPrefix::Records {
        scope: id("scope"),
        table: id("table"),
        prefix: String::new(),
    };
    let found = engine.latest(&prefix, None, 9).await.unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|(_, entry)| (entry.revision, entry.value.clone()))
        .collect();
    assert_eq!(
        told,
        [
            (1, "0: 0".into()),
            (2, "1: 1".into()),
            (9, "2: 8".into()),
            (30, "3: 29".into())
        ]
    );
    let behind = engine
        .latest(&prefix, Some(&record("table", "key-1")), 1)
        .await
        .unwrap();
    assert_eq!(
        behind.first().map(|(key, entry)| (key.clone(), entry.revision)),
        Some((record("table", "key-2"), 9))
    );
}
