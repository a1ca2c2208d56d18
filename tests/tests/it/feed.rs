//! Feeds over HTTP: where they begin, what has an id, heartbeats, checkpoints.

use std::thread;

use recto_tests::api::{self, Api, make_sheets, number, text};
use recto_tests::seed::Random;
use recto_tests::server::Server;
use recto_tests::sse::{Event, Frame};
use serde_json::json;

const WORKSPACE: &str = "/v1/feed";

#[test]
fn s16_only_durable_events_have_an_id_and_heartbeats_are_comments() {
    let server = Server::start_with(&["--heartbeat-ms", "20"]);
    let api = Api::of(&server);
    make_sheets(&api, 2);
    for path in [WORKSPACE, "/v1/pages/p0/feed"] {
        let mut stream = api.follow(path, Some(0)).expect("a feed");
        let (mut comments, mut events, mut live) = (0, Vec::new(), false);
        while comments < 5 || !live {
            match stream.next_frame().expect("the feed goes on") {
                Frame::Comment(text) => {
                    comments += 1;
                    assert!(["recto", "heartbeat"].contains(&text.as_str()), "{text:?}");
                }
                Frame::Event(event) if event.name == "caught-up" => {
                    assert_eq!(event.id, None);
                    live = true;
                }
                Frame::Event(event) => events.push(event),
            }
        }
        let durable = if path == WORKSPACE { 2 } else { 1 };
        assert_eq!(events.len(), durable);
        for event in &events {
            let (json, by_page) = (event.json(), path != WORKSPACE);
            let id = if by_page { &json["version"] } else { &json["position"] };
            assert_eq!(event.number(), number(id));
            let log = api.read(&format!("/v1/pages/{}/events/{}", text(&json["page"]), json["version"]));
            assert_eq!(json, log, "the feed tells an event as the log does");
            assert_eq!(event.name, text(&json["type"]));
        }
    }
}

/// Each event before an idle time is pushed: the next is written only when it has arrived.
#[test]
fn s17_the_last_event_before_an_idle_time_is_pushed() {
    let server = Server::start();
    let api = Api::of(&server);
    make_sheets(&api, 1);
    let mut of_all = api.follow(WORKSPACE, None).expect("a feed");
    let mut of_page = api.follow("/v1/pages/p0/feed", None).expect("a feed");
    assert_eq!((of_all.caught_up(), of_page.caught_up()), (1, 1));
    for version in 1..=100 {
        api.write(&api::replace("p0", version, &json!(version)));
        of_all.read_upto(version, version + 1);
        of_page.read_upto(version, version + 1);
    }
}

/// Without an id a feed begins with what comes; with 0 at the first event; in between after it.
#[test]
fn a_feed_begins_where_it_is_told() {
    let server = Server::start();
    let api = Api::of(&server);
    make_sheets(&api, 3);
    for (path, end) in [(WORKSPACE, 3), ("/v1/pages/p1/feed", 1)] {
        for after in 0..=end {
            let mut stream = api.follow(path, Some(after)).expect("a feed");
            stream.read_upto(after, end);
            assert_eq!(stream.caught_up(), end);
            let mut by_query = api.follow(&format!("{path}?after={after}"), None).expect("a feed");
            by_query.read_upto(after, end);
        }
        let mut now = api.follow(path, None).expect("a feed");
        assert_eq!(now.caught_up(), end);
    }
    for bad in ["x", "-1", "1.0", "1,2", "0x1", "99999999999999999999"] {
        for path in [WORKSPACE, "/v1/pages/p1/feed"] {
            let refused = api.client().send("GET", path, &[("last-event-id", bad)], &[]);
            refused.expect_problem(400, "invalid_header");
        }
    }
    assert_eq!(
        api.follow("/v1/pages/nowhere/feed", Some(0))
            .expect_err("no page")
            .status,
        404
    );
}

/// What a client writes down as its place, at any moment, is never ahead of what it was given.
#[test]
fn s14_a_checkpoint_never_runs_ahead_of_what_was_delivered() {
    const TOTAL: u64 = 600;
    let mut random = Random::of_test("S14", 11);
    let server = Server::start();
    let writer = Api::of(&server);
    make_sheets(&writer, 1);
    thread::scope(|scope| {
        scope
            .spawn(|| (1..TOTAL).for_each(|version| drop(writer.write(&api::replace("p0", version, &json!(version))))));
        let api = Api::of(&server);
        let (mut checkpoint, mut delivered) = (0, 0);
        while delivered < TOTAL {
            let mut stream = api.follow(WORKSPACE, Some(checkpoint)).expect("a feed");
            for _ in 0..random.within(1, 30) {
                let event = stream.next_event().expect("the feed goes on");
                if event.name == "caught-up" {
                    checkpoint = number(&event.json()["cursor"]);
                    assert_eq!(
                        checkpoint, delivered,
                        "the cursor is ahead of what was delivered, or behind"
                    );
                } else {
                    assert_eq!(event.number(), delivered + 1);
                    delivered += 1;
                    // A timer writes the checkpoint down now and then.
                    if random.chance(1, 3) {
                        checkpoint = delivered;
                    }
                }
                if delivered == TOTAL {
                    break;
                }
            }
            if delivered < TOTAL {
                delivered = checkpoint;
            }
        }
    });
}

/// A feed goes on across pages that were deleted.
#[test]
fn s22_a_feed_moves_on_across_deleted_pages() {
    let server = Server::start();
    let api = Api::of(&server);
    make_sheets(&api, 6);
    let mut live = api.follow(WORKSPACE, Some(0)).expect("a feed");
    for page in [0, 2, 3, 5] {
        api.write(&api::delete(&format!("p{page}"), 1));
    }
    api.write(&api::undelete("p3", 2));
    api.write(&api::replace("p1", 1, &json!("after all that")));
    let total = 6 + 4 + 1 + 1;
    let kinds = |events: &[Event]| {
        events
            .iter()
            .map(|event| text(&event.json()["kind"]).to_owned())
            .collect::<Vec<_>>()
    };
    let seen = live.read_upto(0, total);
    assert_eq!(
        kinds(&seen)[6..],
        ["delete", "delete", "delete", "delete", "undelete", "edit"]
    );
    let server = server.restart();
    let api = Api::of(&server);
    for after in 0..total {
        let mut stream = api.follow(WORKSPACE, Some(after)).expect("a feed");
        assert_eq!(
            stream.read_upto(after, total)[..],
            seen[usize::try_from(after).unwrap()..]
        );
    }
    let mut of_deleted = api
        .follow("/v1/pages/p0/feed", Some(0))
        .expect("the feed of a deleted page");
    assert_eq!(kinds(&of_deleted.read_upto(0, 2)), ["create", "delete"]);
}

/// Whoever is told of a version can read it at once, and everything that belongs to it.
#[test]
fn a_version_that_was_followed_can_be_read_at_once() {
    const VERSIONS: u64 = 400;
    let server = Server::start();
    let writer = Api::of(&server);
    make_sheets(&writer, 1);
    let feeds = ["/v1/feed", "/v1/pages/p0/feed"].map(|path| writer.follow(path, Some(1)).expect("a feed"));
    thread::scope(|scope| {
        for mut stream in feeds {
            let api = Api::of(&server);
            scope.spawn(move || {
                for version in 2..=VERSIONS {
                    let event = stream.read_upto(version - 1, version).remove(0).json();
                    let page = api.page_at("p0", version);
                    assert_eq!((number(&page["version"]), &page["digest"]), (version, &event["digest"]));
                    assert_eq!(api.read(&format!("/v1/pages/p0/events/{version}")), event);
                    let command = api.read(&format!("/v1/commands/to-{version}"));
                    assert_eq!(command["events"][0], event);
                    drop(api.follow("/v1/pages/p0/feed", Some(version)).expect("a feed"));
                }
            });
        }
        for version in 1..VERSIONS {
            writer.write(&api::replace("p0", version, &json!([version])).key(&format!("to-{}", version + 1)));
        }
    });
}
