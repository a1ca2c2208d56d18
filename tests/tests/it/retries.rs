//! Commands that are sent more than once, and writes without the base they need.

use std::sync::Barrier;
use std::thread;

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, number, text};
use recto_tests::check::expect_replay;
use recto_tests::http::Answer;
use recto_tests::server::Server;
use serde_json::json;

fn sheet() -> (Server, Api) {
    let (server, api) = api::start();
    api.write(&api::create("p", "SHEET", &json!(0)));
    (server, api)
}

/// Base old, current, absent × first sending, retry.
#[test]
fn s1_the_retry_matrix() {
    let (server, api) = sheet();
    let writes: [fn(u64) -> Write; 3] = [
        |base| api::replace("p", base, &json!(["replaced at", base])),
        |base| {
            api::deltas(
                "p",
                base,
                &json!([[{ "op": "replaceSheet", "value": base }], [{ "op": "replaceSheet", "value": [base] }]]),
            )
        },
        |base| api::delete("p", base),
    ];
    for write in writes {
        let head = api.head("p");
        let write = write(head);
        // First, with every base.
        if head > 1 {
            api.send(&write.clone().on(head - 1))
                .expect_problem(409, "version_conflict");
        }
        api.send(&write.clone().on(head + 5))
            .expect_problem(412, "base_unknown");
        api.send(&write.clone().without_base())
            .expect_problem(428, "base_required");
        assert_eq!(api.head("p"), head, "a refused write leaves nothing");
        let first = api.send(&write).expect(200);
        let after = api.head("p");
        assert!(after > head);
        // Again, with every base: the one it had, one even older, the current one, one to come.
        for base in [head, 1, after, after + 3] {
            expect_replay(&first, &api.send(&write.clone().on(base)));
        }
        // Without a base a write to a page that exists is never looked at.
        api.send(&write.clone().without_base())
            .expect_problem(428, "base_required");
        assert_eq!(api.head("p"), after, "a retry appends nothing");
        if api.get("/v1/pages/p").status == 410 {
            expect_replay(&first, &api.send(&write));
            api.write(&api::undelete("p", after));
            expect_replay(&first, &api.send(&write));
        }
    }
    server.assert_calm();
}

/// A retry that comes long after, behind other edits, still gets its own answer.
#[test]
fn s1_a_late_retry_gets_the_first_answer() {
    let (_server, api) = sheet();
    let write = api::replace("p", 1, &json!("first"));
    let first = api.send(&write).expect(200);
    for version in 2..40 {
        api.write(&api::replace("p", version, &json!(version)));
    }
    expect_replay(&first, &api.send(&write));
    assert_eq!(api.head("p"), 40);
}

/// Batches that overlap an earlier one under its id: refused, whole, and nothing of them stored.
#[test]
fn s3_overlapping_batches_under_one_id_have_one_answer() {
    let (_server, api) = sheet();
    let delta = |value: u64| json!([{ "op": "replaceSheet", "value": value }]);
    let batch = |values: &[u64]| values.iter().map(|value| delta(*value)).collect::<Json>();
    let send = |values: &[u64]| api.send(&api::deltas("p", api.head("p"), &batch(values)).key("batch"));
    let first = send(&[1, 2, 3]).expect(200);
    assert_eq!(first.json()["events"].as_array().map(Vec::len), Some(3));
    for other in [&[1, 2][..], &[1, 2, 3, 4], &[3, 2, 1], &[7, 8, 9], &[1], &[2, 3]] {
        send(other).expect_problem(422, "idempotency_key_reused");
        assert_eq!(api.head("p"), 4, "{other:?}");
    }
    expect_replay(&first, &send(&[1, 2, 3]));
    assert_eq!(api.page("p")["value"], json!(3));
    // The same id on another page is another command; by its id alone it is then ambiguous.
    api.write(&api::create("q", "SHEET", &json!(0)));
    api.send(&api::deltas("q", 1, &batch(&[9])).key("batch")).expect(200);
    let ambiguous = api
        .get("/v1/commands/batch")
        .expect_problem(409, "command_ambiguous")
        .json();
    assert_eq!(ambiguous["pages"], json!(["p", "q"]));
    let one = api.read("/v1/commands/batch?page=p");
    assert_eq!(one, first.json());
}

/// An illegal delta in a batch takes the whole batch with it.
#[test]
fn s3_a_batch_with_one_illegal_delta_stores_none() {
    let (_server, api) = sheet();
    api.write(&api::create("doc", "DOC", &json!([{ "insert": "ab\n" }])));
    let deltas = json!([[{ "insert": "x" }], [{ "retain": 1 }, { "delete": 99 }], [{ "insert": "y" }]]);
    let refused = api
        .send(&api::deltas("doc", 1, &deltas).key("k"))
        .expect_problem(422, "illegal_delta")
        .json();
    assert_eq!((text(&refused["rule"]), number(&refused["delta"])), ("out_of_range", 1));
    assert!(text(&refused["pointer"]).starts_with("/deltas/1"), "{refused}");
    assert_eq!(api.head("doc"), 1);
    // Nothing claimed the id: the corrected batch may use it.
    api.send(&api::deltas("doc", 1, &json!([[{ "insert": "x" }]])).key("k"))
        .expect(200);
}

/// A refused append uses up neither a version nor a position.
#[test]
fn s8_a_refused_append_uses_up_no_version_and_no_position() {
    let (_server, api) = sheet();
    api.write(&api::replace("p", 1, &json!(1)));
    let before = number(&api.events("p")[1]["position"]);
    for _ in 0..20 {
        api.send(&api::replace("p", 1, &json!("stale")))
            .expect_problem(409, "version_conflict");
        api.send(&api::replace("p", 9, &json!("future")))
            .expect_problem(412, "base_unknown");
        api.send(&api::replace("nowhere", 1, &json!(1)))
            .expect_problem(404, "page_not_found");
        api.send(&api::deltas("p", 2, &json!([])))
            .expect_problem(422, "no_deltas");
        api.send(&api::create("p", "DOC", &json!([{ "insert": "\n" }])))
            .expect_problem(409, "page_exists");
    }
    let written = api.write(&api::replace("p", 2, &json!(2)));
    assert_eq!(
        (number(&written["version"]), number(&written["events"][0]["position"])),
        (3, before + 1)
    );
}

/// The answer states version and position of every event of its batch.
#[test]
fn s9_the_answer_states_versions_and_positions_of_the_whole_batch() {
    let (_server, api) = sheet();
    let deltas: Json = (1..=50)
        .map(|value| json!([{ "op": "replaceSheet", "value": value }]))
        .collect();
    let written = api.write(&api::deltas("p", 1, &deltas).key("many"));
    let events = written["events"].as_array().expect("events");
    let versions: Vec<_> = events.iter().map(|event| number(&event["version"])).collect();
    assert_eq!(versions, (2..=51).collect::<Vec<_>>());
    let first = number(&events[0]["position"]);
    let positions: Vec<_> = events.iter().map(|event| number(&event["position"])).collect();
    assert_eq!(positions, (first..first + 50).collect::<Vec<_>>());
    assert_eq!(events[..], api.events("p")[1..]);
    assert_eq!(written["hash"], events[49]["hash"]);
    assert_eq!(api.read("/v1/commands/many"), written);
}

/// Lost answers: the same request again, at once many times over, and after a restart.
#[test]
fn d1_one_command_makes_one_event_however_often_it_is_sent() {
    let (server, api) = sheet();
    let write = api::replace("p", 1, &json!("once"));
    let started = Barrier::new(32);
    let answers: Vec<Answer> = thread::scope(|scope| {
        let threads: Vec<_> = (0..32)
            .map(|_| {
                scope.spawn(|| {
                    let api = Api::of(&server);
                    started.wait();
                    api.send(&write).expect(200)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let first: Vec<_> = answers
        .iter()
        .filter(|answer| answer.header("idempotency-replayed").is_none())
        .collect();
    assert_eq!(first.len(), 1, "one sending was the first");
    for answer in &answers {
        assert_eq!(answer.body, first[0].body);
    }
    assert_eq!(api.head("p"), 2);
    let server = server.restart();
    let api = Api::of(&server);
    expect_replay(first[0], &api.send(&write));
    assert_eq!(api.head("p"), 2);
    api.send(&Write {
        body: b"{\"value\":\"other\"}".to_vec(),
        ..write
    })
    .expect_problem(422, "idempotency_key_reused");
}

/// Everything that a request means counts, and nothing else does.
#[test]
fn d1_another_request_under_the_same_key_is_refused() {
    let (_server, api) = sheet();
    api.write(&api::replace("p", 1, &json!("v")).key("k"));
    let others = [
        api::replace("p", 1, &json!("w")),
        api::replace("p", 1, &json!("v")).by("user:somebody-else"),
        api::deltas("p", 1, &json!([[{ "op": "replaceSheet", "value": "v" }]])),
        api::delete("p", 1),
        api::undelete("p", 1),
    ];
    for other in others {
        api.send(&other.key("k")).expect_problem(422, "idempotency_key_reused");
    }
    // Another base, or the same JSON with other white space, is the same request.
    let spaced = Write {
        body: b" { \"value\" :\t\"v\" }\n".to_vec(),
        ..api::replace("p", 2, &Json::Null).key("k")
    };
    let again = api.send(&spaced).expect(200);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    api.send(&Write {
        key: None,
        ..api::replace("p", 2, &json!(1))
    })
    .expect_problem(400, "idempotency_key_missing");
    assert_eq!(api.head("p"), 2);
}

/// A command that changed nothing has an answer too, and keeps it.
#[test]
fn e12_a_write_that_changes_nothing_makes_no_event_and_is_remembered() {
    let (server, api) = sheet();
    let write = api::replace("p", 1, &json!(0));
    let first = api.send(&write).expect(200);
    let json = first.json();
    assert_eq!(
        (number(&json["version"]), &json["changed"], &json["events"]),
        (1, &json!(false), &json!([]))
    );
    api.write(&api::replace("p", 1, &json!("other")));
    expect_replay(&first, &api.send(&write));
    let server = server.restart();
    let api = Api::of(&server);
    expect_replay(&first, &api.send(&write.clone().on(2)));
    api.send(&api::replace("p", 2, &json!(1)).key(write.key.as_deref().unwrap()))
        .expect_problem(422, "idempotency_key_reused");
    assert_eq!(api.head("p"), 2);
}
