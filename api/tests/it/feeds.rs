//! Feeds: from the log, then live, without gap or double.

use std::time::Duration;

use axum::body::BodyDataStream;
use axum::http::HeaderMap;
use futures::StreamExt;
use recto_api::{Limits, Tokens};
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use crate::support::{Api, Call};

const PATIENCE: Duration = Duration::from_secs(20);

/// A feed as a caller reads it.
struct Feed {
    headers: HeaderMap,
    body: BodyDataStream,
    read: String,
}

/// One frame: its fields by name, `""` for a comment.
#[derive(Debug, PartialEq)]
struct Frame {
    id: Option<u64>,
    name: String,
    data: Json,
}

impl Feed {
    async fn open(api: &Api, call: Call<'_>) -> Self {
        let response = api.raw(call.request()).await;
        assert_eq!(response.status(), 200);
        let (parts, body) = response.into_parts();
        Self {
            headers: parts.headers,
            body: body.into_data_stream(),
            read: String::new(),
        }
    }

    /// The text up to the next empty line; `None` at the end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.read.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.read = rest;
                return Some(block);
            }
            let chunk = timeout(PATIENCE, self.body.next()).await.expect("the feed is silent")?;
            self.read.push_str(std::str::from_utf8(&chunk.unwrap()).unwrap());
        }
    }

    /// The next frame that is no comment.
    async fn frame(&mut self) -> Option<Frame> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
            if let Some(data) = field("data") {
                let name = field("event").unwrap().to_owned();
                let id = field("id").map(|id| id.parse().unwrap());
                return Some(Frame {
                    id,
                    name,
                    data: serde_json::from_str(data).unwrap(),
                });
            }
        }
    }

    async fn ids(&mut self, count: usize) -> Vec<u64> {
        let mut ids = Vec::new();
        while ids.len() < count {
            ids.extend(self.frame().await.unwrap().id);
        }
        ids
    }
}

#[tokio::test]
async fn a_page_is_followed_from_its_beginning_and_then_live() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    let tag = api.type_text("p", &tag, "y").await;
    let mut feed = Feed::open(&api, api.get("/v1/pages/p/feed?after=0")).await;
    assert_eq!(feed.headers["content-type"], "text/event-stream");
    for version in 1..=2 {
        let frame = feed.frame().await.unwrap();
        assert_eq!((frame.id, frame.name.as_str()), (Some(version), "page-edit"));
        assert_eq!(
            frame.data,
            api.get(&format!("/v1/pages/p/events/{version}")).send().await.ok()
        );
    }
    let caught_up = Frame {
        id: None,
        name: "caught-up".to_owned(),
        data: json!({"cursor": 2}),
    };
    assert_eq!(feed.frame().await, Some(caught_up));
    let answer = api
        .post("/v1/pages/p/deltas")
        .new_key()
        .base(&tag)
        .header("recto-actor", "agent:a")
        .json(&crate::support::typing("z"))
        .await;
    let frame = feed.frame().await.unwrap();
    assert_eq!((frame.id, frame.name.as_str()), (Some(3), "agent-page-edit"));
    assert_eq!(frame.data, answer.json()["events"][0]);
}

#[tokio::test]
async fn without_a_place_to_begin_a_feed_begins_now() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    for path in ["/v1/pages/p/feed", "/v1/feed"] {
        let mut feed = Feed::open(&api, api.get(path)).await;
        let frame = feed.frame().await.unwrap();
        assert_eq!((frame.name.as_str(), &frame.data), ("caught-up", &json!({"cursor": 1})));
        drop(feed);
    }
    let mut feed = Feed::open(&api, api.get("/v1/pages/p/feed")).await;
    feed.frame().await.unwrap();
    api.type_text("p", &tag, "y").await;
    assert_eq!(feed.ids(1).await, [2]);
}

#[tokio::test]
async fn a_workspace_is_followed_by_position_over_all_its_pages() {
    let api = Api::new().await;
    let mut feed = Feed::open(&api, api.get("/v1/feed?after=0")).await;
    let (p, q) = (api.make_text("p", "x").await, api.make_text("q", "x").await);
    let p = api.type_text("p", &p, "y").await;
    api.type_text("q", &q, "y").await;
    api.delete("/v1/pages/p").new_key().base(&p).send().await.ok();
    let mut seen = Vec::new();
    while seen.len() < 5 {
        let frame = feed.frame().await.unwrap();
        if let Some(id) = frame.id {
            assert_eq!(frame.data["position"], id);
            seen.push((id, frame.data["id"].as_str().unwrap().to_owned()));
        }
    }
    let expected = [(1, "p@1"), (2, "q@1"), (3, "p@2"), (4, "q@2"), (5, "p@3")];
    assert_eq!(seen, expected.map(|(id, name)| (id, name.to_owned())));
}

#[tokio::test]
async fn s19_a_caller_that_comes_back_gets_every_event_once() {
    let api = Api::new().await;
    let tag = api.make_text("p", "x").await;
    let writer = tokio::spawn({
        let api = api.clone();
        async move {
            let mut tag = tag;
            for _ in 0..199 {
                tag = api.type_text("p", &tag, "y").await;
            }
        }
    });
    let mut seen = Vec::new();
    while seen.len() < 200 {
        // Each time the feed is cut off after a few events.
        let last = seen.last().copied().unwrap_or(0u64).to_string();
        let mut feed = Feed::open(&api, api.get("/v1/pages/p/feed?after=0").header("last-event-id", &last)).await;
        let wanted = (200 - seen.len()).min(1 + seen.len() % 7);
        seen.extend(feed.ids(wanted).await);
    }
    writer.await.unwrap();
    assert_eq!(seen, (1..=200).collect::<Vec<_>>());
}

#[tokio::test]
async fn s15_s18_a_slow_reader_falls_back_to_the_log_without_gap_or_double() {
    let api = Api::new().await;
    let mut tag = api.make_text("p", "x").await;
    let mut feed = Feed::open(&api, api.get("/v1/feed")).await;
    feed.frame().await.unwrap();
    // More than the live buffer holds, while nobody reads.
    let delta = json!([{"op": "editFile", "path": "f", "delta": [{"insert": "y"}]}]);
    for _ in 0..5 {
        let body = json!({"deltas": vec![delta.clone(); 1000]});
        let written = api.post("/v1/pages/p/deltas").new_key().base(&tag).json(&body).await;
        assert_eq!(written.status, 200);
        tag = written.etag();
    }
    assert_eq!(feed.ids(5000).await, (2..=5001).collect::<Vec<_>>());
    api.type_text("p", &tag, "z").await;
    assert_eq!(feed.ids(1).await, [5002]);
}

#[tokio::test]
async fn s16_s17_an_idle_feed_sends_comments_and_only_durable_events_have_an_id() {
    let api = Api::with(
        Limits {
            heartbeat_ms: 20,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let tag = api.make_text("p", "x").await;
    let mut feed = Feed::open(&api, api.get("/v1/pages/p/feed")).await;
    let mut comments = 0;
    while comments < 4 {
        let block = feed.block().await.unwrap();
        assert!(!block.lines().any(|line| line.starts_with("id:")), "{block}");
        comments += usize::from(block == ": heartbeat");
    }
    api.type_text("p", &tag, "y").await;
    assert_eq!(feed.ids(1).await, [2]);
}

#[tokio::test]
async fn s20_an_id_of_elsewhere_gives_nothing_of_theirs() {
    let tokens = "token-of-a-000000 a write ada\ntoken-of-b-000000 b write bob\n";
    let api = Api::with(Limits::default(), Tokens::parse(tokens).unwrap()).await;
    let make = |token: &'static str, id: &'static str| {
        api.post("/v1/pages")
            .token(token)
            .new_key()
            .text(json!({"id": id, "kind": "DOC"}).to_string())
            .send()
    };
    for id in ["one", "two", "three"] {
        make("token-of-a-000000", id).await.ok();
    }
    make("token-of-b-000000", "mine").await.ok();
    let mut feed = Feed::open(
        &api,
        api.get("/v1/feed")
            .token("token-of-b-000000")
            .header("last-event-id", "1"),
    )
    .await;
    let frame = feed.frame().await.unwrap();
    assert_eq!((frame.id, &frame.data["page"]), (Some(4), &json!("mine")));
    assert_eq!(feed.frame().await.unwrap().name, "caught-up");
    make("token-of-a-000000", "four").await.ok();
    make("token-of-b-000000", "also-mine").await.ok();
    assert_eq!(feed.frame().await.unwrap().data["page"], "also-mine");
    api.get("/v1/pages/one/feed")
        .token("token-of-b-000000")
        .send()
        .await
        .refused(404, "page_not_found");
}

#[tokio::test]
async fn a_feed_ends_when_the_server_stops() {
    let api = Api::new().await;
    api.make_text("p", "x").await;
    let mut feeds = Vec::new();
    for path in ["/v1/feed", "/v1/pages/p/feed?after=0"] {
        let mut feed = Feed::open(&api, api.get(path)).await;
        while feed.frame().await.unwrap().name != "caught-up" {}
        feeds.push(feed);
    }
    api.app.stopping().cancel();
    for mut feed in feeds {
        assert_eq!(feed.frame().await, None);
    }
}

#[tokio::test]
async fn what_is_no_place_in_a_feed_is_refused() {
    let api = Api::new().await;
    api.make_text("p", "x").await;
    for bad in ["x", "-1", "1.5", "99999999999999999999", "+1"] {
        let call = api.get("/v1/feed").header("last-event-id", bad);
        assert_eq!(
            call.send().await.refused(400, "invalid_header")["header"],
            "last-event-id"
        );
    }
    api.get("/v1/feed?after=x")
        .send()
        .await
        .refused(400, "invalid_parameter");
    api.get("/v1/pages/none/feed")
        .send()
        .await
        .refused(404, "page_not_found");
    let mut feed = Feed::open(&api, api.get("/v1/feed?after=0").header("last-event-id", "")).await;
    assert_eq!(feed.ids(1).await, [1]);
}

#[tokio::test]
async fn feeds_are_bounded_in_number_and_give_their_place_back() {
    let api = Api::with(
        Limits {
            subscribers_max: 2,
            ..Limits::default()
        },
        Tokens::open(),
    )
    .await;
    let first = Feed::open(&api, api.get("/v1/feed")).await;
    let _second = Feed::open(&api, api.get("/v1/feed")).await;
    let refused = api.get("/v1/feed").send().await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.refused(429, "too_many_subscribers")["limit"], 2);
    drop(first);
    Feed::open(&api, api.get("/v1/feed")).await;
}
