//! Readers that cannot keep up: they fall back to the log and come back live, without gap or
//! double.

use recto_pages::projections::{Delta, Kind, Value};
use recto_pages::{Base, FeedItem};
use recto_tests::api::{self, Api};
use recto_tests::server::Server;
use recto_tests::service::{Ground, SCOPE, id};
use recto_tests::{Json, wait};
use serde_json::json;

/// More than any live buffer holds, in this process and in the sockets' buffers.
const BURST: u64 = 12_000;
const BATCH: u64 = 1_000;

fn batch(of: u64) -> Json {
    (0..BATCH)
        .map(|number| json!([{ "op": "replaceSheet", "value": [of, number, "x".repeat(300)] }]))
        .collect()
}

/// A reader that does not read while thousands of events happen.
#[test]
fn s15_a_burst_that_overflows_the_buffer_loses_and_doubles_nothing() {
    let server = Server::start();
    let api = Api::of(&server);
    api.write(&api::create("p", "SHEET", &json!(0)));
    let mut slow: Vec<_> = ["/v1/feed", "/v1/pages/p/feed"]
        .map(|path| api.follow(path, None).expect("a feed"))
        .into();
    for stream in &mut slow {
        let ready = stream.next_event().expect("the feed is live");
        assert_eq!(ready.name, "caught-up");
    }
    for of in 0..BURST / BATCH {
        api.write(&api::deltas("p", 1 + of * BATCH, &batch(of)));
    }
    for stream in &mut slow {
        let mut last = 1;
        while last < 1 + BURST {
            let event = stream.next_event().expect("the feed goes on");
            if event.id.is_some() {
                assert_eq!(event.number(), last + 1);
                last += 1;
            }
        }
    }
    assert!(fallbacks(&api) >= 2, "the burst was too small to overflow anything");
    // Live again: what happens now comes at once.
    api.write(&api::replace("p", 1 + BURST, &json!("live")));
    for stream in &mut slow {
        let event = loop {
            let event = stream.next_event().expect("the feed goes on");
            if event.id.is_some() {
                break event;
            }
        };
        assert_eq!(event.number(), 2 + BURST);
    }
    server.assert_calm();
}

fn fallbacks(api: &Api) -> u64 {
    let metrics = api.get("/metrics").expect(200);
    let metrics = String::from_utf8(metrics.body).expect("text");
    let line = metrics
        .lines()
        .find(|line| line.starts_with("recto_feed_fallbacks_total"));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
}

/// The same in process, where the buffer between tasks is what overflows.
#[tokio::test]
async fn s18_a_broadcast_that_lags_is_filled_from_the_log() {
    let service = Ground::memory().open(recto_pages::Settings::default()).await;
    service
        .create("p", Value::empty(Kind::Sheet), "make")
        .await
        .expect("a page");
    let page = id("p");
    let mut feeds = [
        service.pages.feed(&id(SCOPE), None, None).await.expect("a feed"),
        service.pages.feed(&id(SCOPE), Some(&page), None).await.expect("a feed"),
    ];
    for feed in &mut feeds {
        assert!(matches!(feed.next().await, Ok(Some(FeedItem::CaughtUp { .. }))));
    }
    for of in 0..BURST / BATCH {
        let deltas = batch(of);
        let deltas = deltas
            .as_array()
            .unwrap()
            .iter()
            .map(|delta| Delta::from_json(Kind::Sheet, delta).unwrap())
            .collect();
        let base = Base {
            version: 1 + of * BATCH,
            epoch: 0,
        };
        service
            .submit("p", base, deltas, &format!("batch {of}"))
            .await
            .expect("a batch");
    }
    for feed in &mut feeds {
        let (mut last, mut caught_up) = (1, 0);
        while last < 1 + BURST {
            match wait::in_time("the next item", feed.next())
                .await
                .expect("the log")
                .expect("the feed goes on")
            {
                FeedItem::Event(event) => {
                    assert_eq!(event.event.version(), last + 1);
                    last += 1;
                }
                FeedItem::CaughtUp { .. } => caught_up += 1,
            }
        }
        let next = wait::in_time("the end of the log", feed.next()).await;
        caught_up += usize::from(matches!(next, Ok(Some(FeedItem::CaughtUp { .. }))));
        assert!(caught_up >= 1, "it says that it is live again");
    }
    service
        .replace(
            "p",
            Base {
                version: 1 + BURST,
                epoch: 0,
            },
            json!("live"),
            "live",
        )
        .await
        .expect("a write");
    for feed in &mut feeds {
        match wait::in_time("the live event", feed.next()).await {
            Ok(Some(FeedItem::Event(event))) => assert_eq!(event.event.version(), 2 + BURST),
            other => panic!("{other:?}"),
        }
    }
}
