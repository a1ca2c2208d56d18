//! Feeds that break and go on, and ids that are not one's own.

use std::thread;

use recto_tests::Json;
use recto_tests::api::{self, Api, make_sheets, number, text};
use recto_tests::seed::Random;
use recto_tests::server::{Place, Server, started};
use recto_tests::sse::Frame;
use serde_json::json;

const WORKSPACE: &str = "/v1/feed";
/// The highest id that a feed takes.
const HIGHEST: u64 = 9_223_372_036_854_775_807;

/// A thousand breaks, at any frame, on the feed of the workspace and on that of a page: every
/// event once, in order, by what the client had last.
#[test]
fn s19_a_thousand_forced_disconnects_lose_and_double_nothing() {
    const PAGES: u64 = 4;
    const EVENTS: u64 = 3_000;
    let server = Server::start();
    let api = Api::of(&server);
    make_sheets(&api, usize::try_from(PAGES).unwrap());
    thread::scope(|scope| {
        let (all, one) = (Api::of(&server), Api::of(&server));
        let of_all =
            scope.spawn(move || break_and_resume(&all, WORKSPACE, EVENTS, 600, Random::of_test("S19 workspace", 12)));
        let of_page = scope.spawn(move || {
            break_and_resume(
                &one,
                "/v1/pages/p0/feed",
                EVENTS / PAGES,
                400,
                Random::of_test("S19 page", 13),
            )
        });
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
    assert_eq!(
        a.follow("/v1/pages/theirs/feed", Some(0))
            .expect_err("no page of a")
            .status,
        404
    );
    for path in ["", "/events", "/events/1", "/diff?from=1"] {
        a.get(&format!("/v1/pages/theirs{path}"))
            .expect_problem(404, "page_not_found");
    }
    let theirs = b.events("theirs");
    a.get(&format!(
        "/v1/commands/{}",
        recto_tests::http::percent(text(&theirs[0]["command"]))
    ))
    .expect_problem(404, "command_not_found");
    let listed = a.read("/v1/pages?deleted=true");
    assert_eq!(listed["pages"].as_array().map(Vec::len), Some(1));
    assert!(!a.page("mine").to_string().contains("of b"));
}

/// An id that is ahead of one's own feed, since it is from elsewhere: what happens next comes.
#[test]
fn s20_an_id_from_elsewhere_takes_nothing_away_of_ones_own_feed() {
    let server = Server::start();
    let api = Api::of(&server);
    make_sheets(&api, 3);
    for version in 1..30 {
        api.write(&api::replace("p1", version, &json!(version)));
    }
    // The position of an event, taken for a version of a page; and a version of another page.
    for foreign in [30, 32, HIGHEST] {
        let head = api.head("p0");
        let mut stream = api.follow("/v1/pages/p0/feed", Some(foreign)).expect("a feed");
        assert!(stream.caught_up() <= head, "nothing after {foreign} was delivered");
        api.write(&api::replace("p0", head, &json!(head)));
        stream.read_upto(head, head + 1);
        let mut all = api.follow(WORKSPACE, Some(HIGHEST)).expect("a feed");
        let top = all.caught_up();
        api.write(&api::replace("p0", head + 1, &json!("next")));
        all.read_upto(top, top + 1);
    }
}
