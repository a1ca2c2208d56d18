//! Starting and stopping the real server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use recto_tests::Json;
use recto_tests::api::{self, Api, number, text};
use recto_tests::server::{Server, started};
use recto_tests::wait;
use serde_json::json;

#[test]
fn s33_a_second_start_on_the_same_data_is_refused_with_the_pid_of_the_first() {
    let first = Server::start();
    let api = Api::of(&first);
    api.write(&api::create("p", "SHEET", &json!(1)));
    let place = first.place().clone();
    for _ in 0..3 {
        let refused = place.start(&[]).expect_err("a second server");
        assert!(!refused.status.success());
        assert!(
            refused.log.contains(&first.pid().to_string()),
            "no pid {} in:\n{}",
            first.pid(),
            refused.log
        );
        assert_eq!(api.page("p")["value"], json!(1), "the first one goes on");
        api.write(&api::replace("p", api.head("p"), &json!(1)));
    }
    api.write(&api::replace("p", 1, &json!(2)));
    // A server that is gone, killed or stopped, holds nothing.
    let pid = first.pid();
    let second = started(first.kill().start(&[]));
    assert_ne!(second.pid(), pid);
    let third = second.restart();
    assert_eq!(number(&Api::of(&third).page("p")["version"]), 2);
}

/// SIGTERM in the middle of a load: every acknowledged write is there, feeds end, and the
/// process ends well.
#[test]
fn a_server_that_is_told_to_stop_finishes_and_loses_nothing() {
    const WRITERS: usize = 8;
    for round in 0..3_usize {
        let server = Server::start();
        let api = Api::of(&server);
        let pages: Vec<_> = (0..WRITERS).map(|writer| format!("p{writer}")).collect();
        for page in &pages {
            api.write(&api::create(page, "SHEET", &json!(0)));
        }
        let acknowledged = AtomicU64::new(0);
        let mut feeds: Vec<_> = (0..4)
            .map(|_| api.follow("/v1/feed", Some(0)).expect("a feed"))
            .collect();
        let (place, answers) = thread::scope(|scope| {
            let writers: Vec<_> = pages
                .iter()
                .map(|page| {
                    let (api, acknowledged) = (Api::of(&server), &acknowledged);
                    scope.spawn(move || write_until_refused(&api, page, acknowledged))
                })
                .collect();
            let enough = 40 * (round as u64 + 1);
            wait::until("acknowledgements", || {
                (acknowledged.load(Ordering::Relaxed) >= enough).then_some(())
            });
            server.terminate();
            for feed in &mut feeds {
                while feed.next_frame().is_some() {}
            }
            let answers: Vec<Json> = writers
                .into_iter()
                .flat_map(|writer| writer.join().expect("a writer ends"))
                .collect();
            let (status, place) = server.ended();
            assert!(status.success(), "{status}");
            (place, answers)
        });
        let server = started(place.start(&[]));
        let api = Api::of(&server);
        for page in &pages {
            let events = api.events(page);
            let versions: Vec<_> = events.iter().map(|event| number(&event["version"])).collect();
            assert_eq!(versions, (1..=events.len() as u64).collect::<Vec<_>>());
            for answer in answers.iter().filter(|answer| text(&answer["page"]) == page) {
                let event = &answer["events"][0];
                assert_eq!(&events[usize::try_from(number(&event["version"])).unwrap() - 1], event);
            }
        }
        server.assert_calm();
    }
}

/// Writes until the server takes no more; gives what was acknowledged.
fn write_until_refused(api: &Api, page: &str, acknowledged: &AtomicU64) -> Vec<Json> {
    let mut answers: Vec<Json> = Vec::new();
    for version in 1.. {
        let Ok(answer) = api.try_send(&api::replace(page, version, &json!(["version", version]))) else {
            break;
        };
        if answer.status == 503 || answer.status == 429 {
            break;
        }
        assert_eq!(answer.status, 200, "{answer}");
        acknowledged.fetch_add(1, Ordering::Relaxed);
        answers.push(answer.json());
    }
    answers
}

/// Without a stop, without a kill: what is written is there at the next start, byte for byte.
#[test]
fn a_restart_changes_no_answer() {
    let server = Server::start();
    let api = Api::of(&server);
    api.write(&api::create(
        "p",
        "CODE",
        &json!({ "files": { "f": "a\n" }, "entry": "f" }),
    ));
    for version in 1..300 {
        api.write(&api::replace(
            "p",
            version,
            &json!({ "files": { "f": format!("a\n{version}\n") }, "entry": "f" }),
        ));
    }
    api.write(&api::create("gone", "DOC", &json!([{ "insert": "x\n" }])));
    api.write(&api::delete("gone", 1));
    let paths: Vec<String> = [1, 2, 150, 255, 256, 257, 299, 300]
        .iter()
        .flat_map(|at| {
            [
                format!("/v1/pages/p?at={at}"),
                format!("/v1/pages/p/events/{at}"),
                format!("/v1/pages/p/diff?from={at}&to=7"),
            ]
        })
        .chain(
            [
                "/v1/pages",
                "/v1/pages?deleted=true",
                "/v1/pages/p",
                "/v1/pages/gone",
                "/v1/pages/gone?at=1",
            ]
            .map(str::to_owned),
        )
        .collect();
    let read = |api: &Api| {
        paths
            .iter()
            .map(|path| api.get(path))
            .map(|answer| (answer.status, String::from_utf8(answer.body).unwrap()))
            .collect::<Vec<_>>()
    };
    let before = read(&api);
    let server = server.restart();
    assert_eq!(read(&Api::of(&server)), before);
    let server = started(server.kill().start(&[]));
    assert_eq!(read(&Api::of(&server)), before);
}

/// The server says what it is: alive, ready, durable; and which routes there are.
#[test]
fn a_server_tells_how_it_is() {
    let server = Server::start();
    let api = Api::of(&server);
    assert_eq!(api.read("/healthz"), json!({ "status": "ok" }));
    let ready = api.read("/readyz");
    assert_eq!(
        (&ready["ready"], &ready["durability"]),
        (&json!(true), &json!("synced"))
    );
    let description = api.read("/openapi.json");
    assert!(text(&description["openapi"]).starts_with("3.1"));
    let metrics = String::from_utf8(api.get("/metrics").expect(200).body).unwrap();
    assert!(metrics.contains("recto_http_requests_total"), "{metrics}");
    for problem in api.read("/problems")["problems"].as_array().expect("problems") {
        assert_eq!(&api.read(text(&problem["type"])), problem);
    }
}
