//! Writers that race: as many successes as events, the whole conflict for every loser, and no
//! conflict where there is none.

use std::sync::Barrier;
use std::thread;

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, number, text};
use recto_tests::http::Answer;
use recto_tests::server::Server;
use serde_json::json;

const WRITERS: usize = 64;

fn sheet(server: &Server, page: &str) -> Api {
    let api = Api::of(server);
    api.write(&api::create(page, "SHEET", &json!(0)));
    api
}

/// All send at once, each over its own connection.
fn race(server: &Server, writes: Vec<Write>) -> Vec<Answer> {
    let start = Barrier::new(writes.len());
    thread::scope(|scope| {
        let threads: Vec<_> = writes
            .iter()
            .map(|write| {
                scope.spawn(|| {
                    let api = Api::of(server);
                    api.get("/healthz").expect(200);
                    start.wait();
                    api.send(write)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a writer ends"))
            .collect()
    })
}

/// What the loser of a race is told.
fn expect_conflict(answer: &Answer, page: &str, expected: u64, actual: u64) {
    answer.clone().expect_problem(409, "version_conflict");
    let json = answer.json();
    assert_eq!(number(&json["expected"]), expected, "{answer}");
    assert!(
        number(&json["actual"]) > expected && number(&json["actual"]) <= actual,
        "{answer}"
    );
    let head = number(&json["actual"]);
    assert_eq!(number(&json["head"]["version"]), head);
    assert_eq!(text(&json["head"]["eventId"]), format!("{page}@{head}"));
    assert_eq!(text(&json["head"]["etag"]), api::etag(head));
    assert_eq!(answer.header("etag"), Some(api::etag(head).as_str()));
    let missed: Vec<u64> = json["missed"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| number(&event["version"]))
        .collect();
    assert_eq!(missed, (expected + 1..=head).collect::<Vec<_>>(), "{answer}");
    assert_eq!(json["missedNext"], Json::Null, "{answer}");
    assert!(
        json["conflicts"].is_array() && json["rebase"]["possible"] != json!(true),
        "{answer}"
    );
    assert_eq!(json["retry"], json!(true));
}

/// Every kind of write that has a base can lose, and every loser gets the whole conflict.
#[test]
fn s5_every_loser_of_64_gets_the_whole_conflict() {
    let server = Server::start();
    let api = sheet(&server, "p");
    for round in 0..6 {
        let base = api.head("p");
        let writes: Vec<_> = (0..WRITERS)
            .map(|writer| match writer % 4 {
                0 => api::replace("p", base, &json!([round, writer])),
                1 if round % 2 == 0 => api::delete("p", base),
                _ => api::deltas(
                    "p",
                    base,
                    &json!([[{ "op": "replaceSheet", "value": [round, writer] }]]),
                ),
            })
            .collect();
        let answers = race(&server, writes);
        let head = api.head("p");
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!((won, head), (1, base + 1), "one wins a base");
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            if answer.status == 410 {
                // The one that won has deleted the page.
                answer.clone().expect_problem(410, "page_deleted");
                assert_eq!(number(&answer.json()["head"]["version"]), head, "{answer}");
                continue;
            }
            expect_conflict(answer, "p", base, head);
        }
        if api.get("/v1/pages/p").status == 410 {
            api.write(&api::undelete("p", head));
        }
    }
    server.assert_calm();
}

/// The same base, or several: the number of successes is the number of events.
#[test]
fn s6_racing_appends_store_as_many_events_as_succeed() {
    let server = Server::start();
    let api = sheet(&server, "p");
    for round in 0..10_u64 {
        let before = api.head("p");
        let writes: Vec<_> = (0..20)
            .map(|writer| api::replace("p", before.saturating_sub(writer % 3).max(1), &json!([round, writer])))
            .collect();
        let answers = race(&server, writes);
        let won: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        let events = api.events("p");
        assert_eq!(events.len() as u64, before + won.len() as u64);
        for answer in won {
            let event = &answer.json()["events"][0];
            assert_eq!(&events[usize::try_from(number(&event["version"])).unwrap() - 1], event);
        }
    }
}

/// Losers go on with what their conflict told them, without another read, until all have
/// written what they had to.
#[test]
fn s6_64_writers_on_one_page_all_get_through_with_what_the_conflict_tells() {
    const EDITS: u64 = 4;
    let server = Server::start();
    let api = Api::of(&server);
    api.write(&api::create(
        "p",
        "CODE",
        &json!({ "files": { "f": "" }, "entry": null }),
    ));
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (server, start) = (&server, &start);
            scope.spawn(move || {
                let api = Api::of(server);
                let edit = json!([[{ "op": "editFile", "path": "f", "delta": [{ "insert": format!("[{writer}]") }] }]]);
                let edit = |base| api.send(&api::deltas_or_not("p", base, &edit));
                start.wait();
                let mut base = 1;
                for _ in 0..EDITS {
                    loop {
                        let answer = edit(base);
                        let json = answer.json();
                        if answer.status == 200 {
                            base = number(&json["version"]);
                            break;
                        }
                        answer.expect_problem(409, "version_conflict");
                        base = number(&json["head"]["version"]);
                    }
                }
            });
        }
    });
    let total = WRITERS as u64 * EDITS;
    let events = api.events("p");
    assert_eq!(events.len() as u64, total + 1);
    let page = api.page("p");
    for writer in 0..WRITERS {
        let written = text(&page["value"]["files"]["f"])
            .matches(&format!("[{writer}]"))
            .count();
        assert_eq!(written as u64, EDITS, "of writer {writer}");
    }
    server.assert_calm();
}

/// Writers on pages of their own never meet.
#[test]
fn s7_64_writers_on_64_pages_have_no_conflict() {
    const EDITS: u64 = 12;
    let server = Server::start();
    let start = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (server, start) = (&server, &start);
            scope.spawn(move || {
                let page = format!("page {writer}");
                let api = sheet(server, &page);
                start.wait();
                for version in 1..=EDITS {
                    let answer = api.send(&api::replace(&page, version, &json!(version))).expect(200);
                    assert_eq!(number(&answer.json()["version"]), version + 1);
                }
            });
        }
    });
    let api = Api::of(&server);
    for writer in 0..WRITERS {
        assert_eq!(api.head(&format!("page {writer}")), EDITS + 1);
    }
}

/// Two writers of one base that meet in one group commit: exactly one wins, round after round.
#[test]
fn s10_two_conflicting_appends_that_meet_have_one_winner() {
    let server = Server::start();
    let api = sheet(&server, "p");
    for round in 0..60_u64 {
        let base = api.head("p");
        let answers = race(
            &server,
            (0..2)
                .map(|writer| api::replace("p", base, &json!([round, writer])))
                .collect(),
        );
        let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
    }
}

/// A conflict carries what was missed up to a size, and then says where to go on.
#[test]
fn s5_a_conflict_over_many_missed_bytes_leads_on_to_the_rest() {
    let server = Server::start();
    let api = sheet(&server, "p");
    for version in 1..=40 {
        api.write(&api::replace(
            "p",
            version,
            &json!(format!("{version}{}", "x".repeat(4_000))),
        ));
    }
    let conflict = api
        .send(&api::replace("p", 1, &json!("late")))
        .expect_problem(409, "version_conflict")
        .json();
    let mut missed: Vec<Json> = conflict["missed"].as_array().expect("events").clone();
    assert!(
        (2..40).contains(&missed.len()),
        "{} events in the conflict",
        missed.len()
    );
    let mut next = conflict["missedNext"].as_str().map(str::to_owned);
    assert!(next.is_some(), "the rest has a place");
    while let Some(path) = next {
        let list = api.read(&path);
        missed.extend(list["events"].as_array().expect("events").iter().cloned());
        next = list["next"].as_str().map(str::to_owned);
    }
    assert_eq!(missed[..], api.events("p")[1..]);
}

/// The first write of a page races as the others do: one page, one first event.
#[test]
fn s6_racing_creations_of_one_id_make_one_page() {
    let server = Server::start();
    let api = Api::of(&server);
    for round in 0..5 {
        let page = format!("p{round}");
        let writes = (0..24)
            .map(|writer| api::create(&page, "SHEET", &json!(writer % 3)))
            .collect();
        let answers = race(&server, writes);
        let events = api.events(&page);
        assert_eq!(events.len(), 1);
        let value = api.page(&page)["value"].clone();
        for (writer, answer) in answers.iter().enumerate() {
            // Whoever wants the same page has it; whoever wants another is told that it is taken.
            if value == json!(writer % 3) {
                assert_eq!(answer.status, 201, "{answer}");
                assert_eq!(answer.json()["events"][0], events[0]);
            } else {
                answer.clone().expect_problem(409, "page_exists");
            }
        }
    }
}
