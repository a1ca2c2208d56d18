//! Reads: ranges, and holes that are told.

use recto_store::{Engine, Fault, Key, Limit, Place, ReadError};

use crate::support::{ALL, House, append, fill, id, memory_house, on_every_engine, page};

on_every_engine![events_are_read_both_ways, pages_are_listed];

async fn events_are_read_both_ways(House { store, .. }: House) {
    fill(&store, "page", 9).await;
    let name = page("page");
    let forward = async |after, count| {
        let events = store.events(&name, after, Limit::entries(count)).await.unwrap();
        events.iter().map(|event| event.version).collect::<Vec<_>>()
    };
    let back = async |before, count| {
        let events = store.events_back(&name, before, Limit::entries(count)).await.unwrap();
        events.iter().map(|event| event.version).collect::<Vec<_>>()
    };
    assert_eq!(forward(0, 3).await, [1, 2, 3]);
    assert_eq!(forward(7, 99).await, [8, 9]);
    assert_eq!(forward(9, 99).await, [0; 0]);
    assert_eq!(back(u64::MAX, 3).await, [9, 8, 7]);
    assert_eq!(back(3, 99).await, [2, 1]);
    assert_eq!(store.event(&name, 0).await.unwrap(), None);
    assert_eq!(store.event(&name, 10).await.unwrap(), None);
    assert_eq!(store.events(&page("absent"), 0, ALL).await.unwrap(), []);
}

async fn pages_are_listed(House { store, .. }: House) {
    for name in ["b", "a", "c"] {
        fill(&store, name, 7).await;
    }
    let list = async |after: Option<&str>, limit| {
        let pages = store.pages(&id("studio"), after.map(id).as_ref(), limit).await.unwrap();
        pages.into_iter().map(|page| page.page.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(list(None, 9).await, ["a", "b", "c"]);
    assert_eq!(list(Some("a"), 1).await, ["b"]);
}

#[tokio::test]
async fn a_hole_is_told_wherever_it_is_seen_from() {
    let (House { store, .. }, engine) = memory_house().await;
    fill(&store, "page", 9).await;
    assert!(engine.remove(&Key::event(&page("page")), 5));
    let name = page("page");
    let hole = ReadError::Corrupt {
        at: Place::Event {
            page: name.clone(),
            version: 5,
        },
        fault: Fault::Missing,
    };
    assert_eq!(store.events(&name, 0, ALL).await, Err(hole.clone()));
    assert_eq!(store.events(&name, 4, ALL).await, Err(hole.clone()));
    assert_eq!(store.events_back(&name, u64::MAX, ALL).await, Err(hole.clone()));
    assert_eq!(store.events_back(&name, 6, ALL).await, Err(hole.clone()));
    assert_eq!(store.feed(&id("studio"), 0, ALL).await, Err(hole));
    assert_eq!(store.events(&name, 5, ALL).await.unwrap().len(), 4);
    assert_eq!(store.events_back(&name, 5, ALL).await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_changed_head_stops_appends() {
    let (House { store, .. }, engine) = memory_house().await;
    fill(&store, "page", 3).await;
    // Another store on the same bytes, so that nothing is known of the page.
    let store = recto_store::Store::open(crate::support::shared(engine.clone()))
        .await
        .unwrap();
    assert!(engine.corrupt(&Key::event(&page("page")), 3, |bytes| bytes[9] ^= 1));
    let error = store.append(append("page", 3, "c", &["x"])).await.unwrap_err();
    assert!(matches!(error, recto_store::AppendError::Corrupt { .. }), "{error}");
    assert_eq!(engine.tip(0).await.unwrap(), 3);
}
