//! Following changes.

use recto_pages::{FeedItem, FeedStream};

use crate::house::{House, code, id, insert};

/// The versions up to and with the next `CaughtUp`.
async fn until_caught_up(feed: &mut FeedStream) -> Vec<u64> {
    let mut versions = Vec::new();
    loop {
        match feed.next().await.unwrap().unwrap() {
            FeedItem::Event(event) => versions.push(event.event.version()),
            FeedItem::CaughtUp { .. } => return versions,
        }
    }
}

async fn take(feed: &mut FeedStream, count: usize) -> Vec<u64> {
    let mut versions = Vec::new();
    while versions.len() < count {
        if let FeedItem::Event(event) = feed.next().await.unwrap().unwrap() {
            versions.push(event.event.version());
        }
    }
    versions
}

#[tokio::test]
async fn a_page_is_followed_from_any_version_and_then_live() {
    let house = House::new().await;
    house.typed("p", 5).await;
    for (after, expected) in [
        (Some(0), vec![1, 2, 3, 4, 5]),
        (Some(3), vec![4, 5]),
        (Some(99), vec![]),
        (None, vec![]),
    ] {
        let mut feed = house.pages.feed(&id("acme"), Some(&id("p")), after).await.unwrap();
        assert_eq!(until_caught_up(&mut feed).await, expected, "{after:?}");
    }
    let mut feed = house.pages.feed(&id("acme"), Some(&id("p")), None).await.unwrap();
    assert_eq!(until_caught_up(&mut feed).await, Vec::<u64>::new());
    house.create("q", code(""), "q").await.unwrap();
    house.submit("p", 5, &[insert(0, "x")], "live").await.unwrap();
    assert_eq!(take(&mut feed, 1).await, [6]);
}

#[tokio::test]
async fn s15_s18_a_reader_that_falls_behind_reads_the_log_without_gap_or_double() {
    let house = House::new().await;
    house.create("p", code(""), "c").await.unwrap();
    let mut feed = house.pages.feed(&id("acme"), None, Some(0)).await.unwrap();
    assert_eq!(until_caught_up(&mut feed).await, [1]);
    let last: u64 = 12_000;
    for version in 1..last {
        house
            .submit("p", version, &[insert(0, "x")], &format!("c{version}"))
            .await
            .unwrap();
    }
    let read = take(&mut feed, usize::try_from(last).unwrap() - 1).await;
    assert_eq!(read, (2..=last).collect::<Vec<_>>());
}

#[tokio::test]
async fn s20_a_cursor_from_elsewhere_gives_nothing_foreign() {
    let house = House::new().await;
    house.typed("p", 5).await;
    let mut feed = house.pages.feed(&id("other"), None, Some(0)).await.unwrap();
    assert_eq!(until_caught_up(&mut feed).await, Vec::<u64>::new());
    assert!(house.pages.feed(&id("other"), Some(&id("p")), Some(0)).await.is_err());
}

#[tokio::test]
async fn a_feed_ends_when_the_service_stops() {
    let house = House::new().await;
    house.typed("p", 2).await;
    let mut feed = house.pages.feed(&id("acme"), None, None).await.unwrap();
    assert_eq!(until_caught_up(&mut feed).await, Vec::<u64>::new());
    house.pages.close().await.unwrap();
    assert!(feed.next().await.unwrap().is_none());
}
