//! Feeds over HTTP: ids, heartbeats, resuming after every break, other people's ids.

use std::thread;

use recto_tests::api::{self, Api, number, text};
use recto_tests::seed::Random;
use recto_tests::server::{Place, Server, started};
use recto_tests::sse::{Event, Frame, Stream};
use recto_tests::Json;
use serde_json::json;

const WORKSPACE: &str = "/v1/feed";

fn sheets(api: &Api, pages: usize) {
    for page in 0..pages {
        api.write(&api::create(&format!("p{page}"), "SHEET", &json!(0)));
    }
}

/// Reads events up to an id, all of them one after the other.
#[track_caller]
fn read_upto(stream: &mut Stream, after: u64, upto: u64) -> Vec<Event> {
    let mut events = Vec::new();
    let mut last = after;
    while last < upto {
        let event = stream.next_event().expect("the feed goes on");
        if event.name == "caught-up" {
            assert_eq!((event.id.as_deref(), number(&event.json()["cursor"])), (None, last), "a cursor is what was delivered");
            continue;
        }
        assert_eq!(event.number(), last + 1, "{event:?}");
        last = event.number();
        events.push(event);
    }
    events
}

/// Reads until the feed says that all was sent; gives its cursor.
fn caught_up(stream: &mut Stream) -> u64 {
    loop {
        let event = stream.next_event().expect("the feed goes on");
        if event.name == "caught-up" {
            return number(&event.json()["cursor"]);
        }
    }
}

#[test]
fn s16_only_durable_events_have_an_id_and_heartbeats_are_comments() {
    let server = Server::start_with(&["--heartbeat-ms", "20"]);
    let api = Api::of(&server);
    sheets(&api, 2);
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
    sheets(&api, 1);
    let mut of_all = api.follow(WORKSPACE, None).expect("a feed");
    let mut of_page = api.follow("/v1/pages/p0/feed", None).expect("a feed");
    assert_eq!((caught_up(&mut of_all), caught_up(&mut of_page)), (1, 1));
    for version in 1..=100 {
        api.write(&api::replace("p0", version, &json!(version)));
        read_upto(&mut of_all, version, version + 1);
        read_upto(&mut of_page, version, version + 1);
    }
}

/// Without an id a feed begins with what comes; with 0 at the first event; in between after it.
#[test]
fn a_feed_begins_where_it_is_told() {
    let server = Server::start();
    let api = Api::of(&server);
    sheets(&api, 3);
    for (path, end) in [(WORKSPACE, 3), ("/v1/pages/p1/feed", 1)] {
        for after in 0..=end {
            let mut stream = api.follow(path, Some(after)).expect("a feed");
            read_upto(&mut stream, after, end);
            assert_eq!(caught_up(&mut stream), end);
            let mut by_query = api.follow(&format!("{path}?after={after}"), None).expect("a feed");
            read_upto(&mut by_query, after, end);
        }
        let mut now = api.follow(path, None).expect("a feed");
        assert_eq!(caught_up(&mut now), end);
    }
    for bad in ["x", "-1", "1.0", "1,2", "0x1", "99999999999999999999"] {
        for path in [WORKSPACE, "/v1/pages/p1/feed"] {
            let refused = api.client().send("GET", path, &[("last-event-id", bad)], &[]);
            refused.expect_problem(400, "invalid_header");
        }
    }
    assert_eq!(api.follow("/v1/pages/nowhere/feed", Some(0)).expect_err("no page").status, 404);
}

/// What a client writes down as its place, at any moment, is never ahead of what it was given.
#[test]
fn s14_a_checkpoint_never_runs_ahead_of_what_was_delivered() {
    const TOTAL: u64 = 600;
    let mut random = Random::of_test("S14", 11);
    let server = Server::start();
    let writer = Api::of(&server);
    sheets(&writer, 1);
    thread::scope(|scope| {
        scope.spawn(|| (1..TOTAL).for_each(|version| drop(writer.write(&api::replace("p0", version, &json!(version))))));
        let api = Api::of(&server);
        let (mut checkpoint, mut delivered) = (0, 0);
        while delivered < TOTAL {
            let mut stream = api.follow(WORKSPACE, Some(checkpoint)).expect("a feed");
            for _ in 0..random.within(1, 30) {
                let event = stream.next_event().expect("the feed goes on");
                if event.name == "caught-up" {
                    checkpoint = number(&event.json()["cursor"]);
                    assert_eq!(checkpoint, delivered, "the cursor is ahead of what was delivered, or behind");
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

/// A thousand breaks, at any frame, on the feed of the workspace and on that of a page: every
/// event once, in order, by what the client had last.
#[test]
fn s19_a_thousand_forced_disconnects_lose_and_double_nothing() {
    const PAGES: u64 = 4;
    const EVENTS: u64 = 3_000;
    let server = Server::start();
    let api = Api::of(&server);
    sheets(&api, usize::try_from(PAGES).unwrap());
    thread::scope(|scope| {
        let (all, one) = (Api::of(&server), Api::of(&server));
        let of_all = scope.spawn(move || break_and_resume(&all, WORKSPACE, EVENTS, 600, Random::of_test("S19 workspace", 12)));
        let of_page = scope.spawn(move || break_and_resume(&one, "/v1/pages/p0/feed", EVENTS / PAGES, 400, Random::of_test("S19 page", 13)));
        for version in 1..EVENTS / PAGES {
            for page in 0..PAGES {
                api.write(&api::replace(&format!("p{page}"), version, &json!([version, page])));
            }
        }
        let (seen, breaks) = of_all.join().expect("a reader ends");
        assert!(breaks >= 600);
        let in_log: Vec<Json> = (0..PAGES).flat_map(|page| api.events(&format!("p{page}"))).collect();
        assert_eq!(seen.len(), in_log.len());
        for event in in_log {
            let place = usize::try_from(number(&event["position"])).unwrap() - 1;
            assert_eq!(seen[place], event);
        }
        let (seen, breaks) = of_page.join().expect("a reader ends");
        assert!(breaks >= 400);
        assert_eq!(seen, api.events("p0"));
    });
    server.assert_calm();
}

/// Reads a feed with a break every few frames, until it has so many events and breaks.
fn break_and_resume(api: &Api, path: &str, events: u64, breaks: usize, mut random: Random) -> (Vec<Json>, usize) {
    let mut seen: Vec<Json> = Vec::new();
    let mut broken = 0;
    while (seen.len() as u64) < events || broken < breaks {
        let mut stream = api.follow(path, Some(seen.len() as u64)).expect("a feed");
        for _ in 0..random.below(7) {
            if seen.len() as u64 == events {
                break;
            }
            match stream.next_frame().expect("the feed goes on") {
                Frame::Event(event) if event.id.is_some() => {
                    assert_eq!(event.number(), seen.len() as u64 + 1);
                    seen.push(event.json());
                }
                Frame::Event(_) | Frame::Comment(_) => {}
            }
        }
        stream.break_off();
        broken += 1;
    }
    (seen, broken)
}

const TOKEN_A: &str = "token-of-workspace-a";
const TOKEN_B: &str = "token-of-workspace-b";

fn two_workspaces() -> Server {
    let place = Place::new();
    let file = place.write("tokens", &format!("{TOKEN_A} a write ada\n{TOKEN_B} b write bob\n"));
    started(place.start(&["--tokens", &file]))
}

/// Another workspace's place in the log, or another page's version, shows nothing of theirs,
/// and takes nothing away of one's own.
#[test]
fn s20_the_last_event_id_of_others_gives_nothing_of_theirs() {
    let server = two_workspaces();
    let (a, b) = (Api::with_token(&server, TOKEN_A), Api::with_token(&server, TOKEN_B));
    a.write(&api::create("mine", "SHEET", &json!("a")));
    b.write(&api::create("theirs", "SHEET", &json!("secret of b")));
    b.write(&api::create("mine", "SHEET", &json!("of b, too")));
    for version in 1..20 {
        b.write(&api::replace("theirs", version, &json!(["secret of b", version])));
    }
    let top = number(&b.events("theirs")[19]["position"]);
    // Places in the log where only b has events, and places to come.
    for after in [0, 1, 2, top / 2, top] {
        let mut stream = a.follow(WORKSPACE, Some(after)).expect("a feed");
        let mut seen = Vec::new();
        loop {
            let event = stream.next_event().expect("the feed goes on");
            if event.name == "caught-up" {
                break;
            }
            seen.push(event.json());
        }
        let expected = if after == 0 { a.events("mine") } else { Vec::new() };
        assert_eq!(seen, expected, "after {after}");
    }
    assert_eq!(a.follow("/v1/pages/theirs/feed", Some(0)).expect_err("no page of a").status, 404);
    for path in ["", "/events", "/events/1", "/diff?from=1"] {
        a.get(&format!("/v1/pages/theirs{path}")).expect_problem(404, "page_not_found");
    }
    let theirs = b.events("theirs");
    a.get(&format!("/v1/commands/{}", recto_tests::http::percent(text(&theirs[0]["command"])))).expect_problem(404, "command_not_found");
    let listed = a.read("/v1/pages?deleted=true");
    assert_eq!(listed["pages"].as_array().map(Vec::len), Some(1));
    assert!(!a.page("mine").to_string().contains("of b"));
}

/// An id that is ahead of one's own feed, since it is from elsewhere: what happens next comes.
#[test]
fn s20_an_id_from_elsewhere_takes_nothing_away_of_ones_own_feed() {
    let server = Server::start();
    let api = Api::of(&server);
    sheets(&api, 3);
    for version in 1..30 {
        api.write(&api::replace("p1", version, &json!(version)));
    }
    // The position of an event, taken for a version of a page; and a version of another page.
    for foreign in [30, 32, u64::MAX] {
        let head = api.head("p0");
        let mut stream = api.follow("/v1/pages/p0/feed", Some(foreign)).expect("a feed");
        assert!(caught_up(&mut stream) <= head, "nothing after {foreign} was delivered");
        api.write(&api::replace("p0", head, &json!(head)));
        read_upto(&mut stream, head, head + 1);
        let mut all = api.follow(WORKSPACE, Some(u64::MAX)).expect("a feed");
        let top = caught_up(&mut all);
        api.write(&api::replace("p0", head + 1, &json!("next")));
        read_upto(&mut all, top, top + 1);
    }
}

/// A feed goes on across pages that were deleted.
#[test]
fn s22_a_feed_moves_on_across_deleted_pages() {
    let server = Server::start();
    let api = Api::of(&server);
    sheets(&api, 6);
    let mut live = api.follow(WORKSPACE, Some(0)).expect("a feed");
    for page in [0, 2, 3, 5] {
        api.write(&api::delete(&format!("p{page}"), 1));
    }
    api.write(&api::undelete("p3", 2));
    api.write(&api::replace("p1", 1, &json!("after all that")));
    let total = 6 + 4 + 1 + 1;
    let kinds = |events: &[Event]| events.iter().map(|event| text(&event.json()["kind"]).to_owned()).collect::<Vec<_>>();
    let seen = read_upto(&mut live, 0, total);
    assert_eq!(kinds(&seen)[6..], ["delete", "delete", "delete", "delete", "undelete", "edit"]);
    let server = server.restart();
    let api = Api::of(&server);
    for after in 0..total {
        let mut stream = api.follow(WORKSPACE, Some(after)).expect("a feed");
        assert_eq!(read_upto(&mut stream, after, total)[..], seen[usize::try_from(after).unwrap()..]);
    }
    let mut of_deleted = api.follow("/v1/pages/p0/feed", Some(0)).expect("the feed of a deleted page");
    assert_eq!(kinds(&read_upto(&mut of_deleted, 0, 2)), ["create", "delete"]);
}
