//! Many who follow at once: each gets everything, once and in order.

use std::sync::Barrier;
use std::thread;

use recto_tests::api::{self, Api};
use recto_tests::server::Server;
use serde_json::json;

const SUBSCRIBERS: u64 = 200;
const WRITERS: u64 = 4;
const EVENTS_EACH: u64 = 60;

#[test]
fn two_hundred_subscribers_each_receive_everything_once() {
    let server = Server::start();
    let total = WRITERS * EVENTS_EACH;
    let ready = Barrier::new(usize::try_from(SUBSCRIBERS + WRITERS).unwrap());
    let pages: Vec<_> = (0..WRITERS).map(|writer| format!("p{writer}")).collect();
    let api = Api::of(&server);
    for page in &pages {
        api.write(&api::create(page, "SHEET", &json!(0)));
    }
    thread::scope(|scope| {
        for subscriber in 0..SUBSCRIBERS {
            let (api, ready, pages) = (Api::of(&server), &ready, &pages);
            scope.spawn(move || {
                // Some follow a page; some come from the start, some from now on.
                let page = (subscriber % 5 == 4).then(|| &pages[usize::try_from(subscriber % WRITERS).unwrap()]);
                let path = page.map_or_else(|| "/v1/feed".to_owned(), |page| format!("/v1/pages/{page}/feed"));
                let from_start = subscriber % 2 == 0;
                let mut stream = api.follow(&path, from_start.then_some(0)).expect("a feed");
                let (begun, end) = if page.is_some() {
                    (1, EVENTS_EACH)
                } else {
                    (WRITERS, total)
                };
                let mut last = if from_start { 0 } else { begun };
                // Whoever begins now is there before the writers are.
                let first = stream.next_event().expect("the feed is open");
                ready.wait();
                let mut next = Some(first);
                while last < end {
                    let event = next.take().or_else(|| stream.next_event()).expect("the feed goes on");
                    if event.id.is_some() {
                        assert_eq!(event.number(), last + 1, "subscriber {subscriber}");
                        last += 1;
                    }
                }
            });
        }
        for page in &pages {
            let (api, ready) = (Api::of(&server), &ready);
            scope.spawn(move || {
                ready.wait();
                for version in 1..EVENTS_EACH {
                    api.write(&api::replace(page, version, &json!(version)));
                }
            });
        }
    });
    server.assert_calm();
}
