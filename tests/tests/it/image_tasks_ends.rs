//! How image tasks end: as values that stay, each counted once, and what another attempt is.

use std::collections::BTreeMap;

use recto_tests::Json;
use recto_tests::studio::Studio;
use serde_json::json;

/// What the service is asked to do.
const CALLS: [&str; 3] = ["submit", "status", "image"];

fn cat() -> Json {
    json!({"taskType": "generate", "payload": {"prompt": "a cat", "width": 64}})
}

#[test]
fn every_terminal_failure_is_a_value_that_stays_until_the_request_changes() {
    let studio = Studio::new(&[]);
    let resolution = json!({"code": "resolution", "of": "request", "requested": {"width": 9, "height": 9}, "limited": {"width": 4, "height": 4}});
    for (number, (plan, expected)) in [
        (
            json!({"queues": {"submit": ["credits"]}}),
            json!({"reason": "credits", "canUpgrade": true, "refreshInSeconds": 60}),
        ),
        (
            json!({"queues": {"submit": ["resolution"]}}),
            json!({"reason": "resolution", "of": "source"}),
        ),
        (
            json!({"ending": resolution}),
            json!({"reason": "resolution", "of": "request", "limited": {"width": 4, "height": 4}}),
        ),
        (
            json!({"ending": {"code": "no_image", "message": "nothing to see"}}),
            json!({"reason": "no_image", "message": "nothing to see"}),
        ),
        (
            json!({"ending": {"code": "moderation", "message": "no"}}),
            json!({"reason": "error", "errorCode": "moderation"}),
        ),
        (
            json!({"queues": {"status": ["102"]}}),
            json!({"reason": "error", "errorCode": "asset_gone"}),
        ),
        (
            json!({"bytes": "no image at all"}),
            json!({"reason": "error", "errorCode": "bad_image"}),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        studio.service.plan(&plan);
        let mut body = json!({"taskType": "generate", "payload": {"prompt": "a cat", "n": number}});
        let answer = studio.run(&body).expect(200).json();
        assert_eq!(answer["status"], "failed", "{answer}");
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&answer[field], value, "{answer}");
        }
        assert!(answer["next"].as_str().unwrap().ends_with('.'));
        studio.service.plan(&json!({}));
        let calls = studio.calls(CALLS);
        assert_eq!(studio.run(&body).expect(200).json(), answer);
        assert_eq!(studio.calls(CALLS), calls, "it was submitted again");
        assert_eq!(answer["attempt"], 1, "{answer}");
        if answer["next"].as_str().unwrap().contains("`again") {
            assert!(answer["next"].as_str().unwrap().contains("`again: 1`"), "{answer}");
        }
        body["again"] = json!(1);
        let again = studio.run(&body).expect(200).json();
        assert_eq!(
            (&again["status"], &again["attempt"]),
            (&json!("succeeded"), &json!(2)),
            "{again}"
        );
        body.as_object_mut().unwrap().remove("again");
        assert_eq!(studio.run(&body).expect(200).json(), again);
    }
}

#[test]
fn every_end_is_counted_once_by_whose_it_is() {
    let studio = Studio::new(&[]);
    let mut expected = BTreeMap::new();
    for (outcome, plan, payload) in [
        ("succeeded", json!({}), json!({"n": 1})),
        ("credits", json!({"queues": {"submit": ["credits"]}}), json!({"n": 2})),
        (
            "resolution",
            json!({"queues": {"submit": ["resolution"]}}),
            json!({"n": 3}),
        ),
        (
            "no_image",
            json!({"ending": {"code": "no_image", "message": "no"}}),
            json!({"n": 4}),
        ),
        (
            "service_error",
            json!({"ending": {"code": "moderation"}}),
            json!({"n": 5}),
        ),
        ("service_error", json!({"bytes": "no image"}), json!({"n": 6})),
        ("caller_error", json!({"queues": {"status": ["102"]}}), json!({"n": 7})),
        ("caller_error", json!({}), json!({"sources": ["nothing"]})),
    ] {
        studio.service.plan(&plan);
        studio
            .run(&json!({"taskType": "generate", "payload": payload}))
            .expect(200);
        *expected.entry(format!("outcome=\"{outcome}\"")).or_insert(0) += 1;
        assert_eq!(studio.counts("recto_image_tasks_total"), expected);
        if !payload["n"].is_null() {
            // What has ended is told again, and not counted.
            studio
                .run(&json!({"taskType": "generate", "payload": payload}))
                .expect(200);
            assert_eq!(studio.counts("recto_image_tasks_total"), expected);
        }
    }
    assert_eq!(studio.metric("recto_image_caller_errors_total"), 4);
    assert_eq!(studio.counts("recto_image_service_faults_total"), BTreeMap::new());
}

/// A retry of the request for another attempt must not pay for a third one.
#[test]
fn another_attempt_is_begun_once_for_each_failure_that_was_seen() {
    let studio = Studio::new(&[]);
    let failing = json!({"ending": {"code": "no_image", "message": "nothing"}});
    studio.service.plan(&failing);
    let ask = |again: Json| {
        let mut body = cat();
        if !again.is_null() {
            body["again"] = again;
        }
        studio.run(&body).expect(200).json()
    };
    let first = ask(Json::Null);
    assert_eq!(first["attempt"], 1);
    let second = ask(json!(1));
    assert_eq!(second["attempt"], 2);
    // The answer was lost, and the same request comes again, also beside another one.
    let retries: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| ask(json!(1)))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(retries.iter().all(|retry| *retry == second), "{retries:?}");
    // What nobody can have seen begins nothing.
    assert_eq!(ask(json!(3)), second);
    assert_eq!((studio.service.charged(), studio.service.calls("submit")), (2, 2));
    studio.service.plan(&json!({}));
    let third = ask(json!(2));
    assert_eq!((&third["status"], &third["attempt"]), (&json!("succeeded"), &json!(3)));
    assert_eq!(ask(json!(3)), third);
    assert_eq!((studio.service.charged(), studio.service.calls("submit")), (3, 3));
    for wrong in [json!(true), json!(0), json!("1"), json!(1.5), json!(-1)] {
        let mut body = cat();
        body["again"] = wrong;
        let problem = studio.run(&body).expect_problem(400, "malformed").json();
        assert_eq!(problem["pointer"], "/again");
    }
}
