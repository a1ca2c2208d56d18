//! Image tasks over HTTP, against an image service that fails as it is told to.

use recto_tests::Json;
use recto_tests::images::Files;
use recto_tests::png::png;
use recto_tests::studio::Studio;
use serde_json::json;

/// What the service is asked to do.
const CALLS: [&str; 3] = ["submit", "status", "image"];

fn cat() -> Json {
    json!({"taskType": "generate", "payload": {"prompt": "a cat", "width": 64}})
}

#[test]
fn the_same_request_is_one_task_whoever_sends_it_and_however_it_is_written() {
    let studio = Studio::new(&[]);
    studio.service.plan(&json!({"polls": 3}));
    let answers: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..20)
            .map(|_| scope.spawn(|| studio.run(&cat()).expect(200).json()))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let first = &answers[0];
    assert_eq!(
        (&first["status"], &first["width"], &first["attempt"]),
        (&json!("succeeded"), &json!(64), &json!(1))
    );
    let other_words = json!({"payload": {"width": 64.0, "prompt": "a c\u{61}t"}, "taskType": "generate", "again": 1});
    assert_eq!(studio.run(&other_words).expect(200).json(), *first);
    assert_eq!((studio.service.charged(), studio.service.calls("submit")), (1, 1));
    let asset = first["assetId"].as_str().unwrap();
    let content = studio.files.0.get(&format!("/v1/assets/{asset}/content")).expect(200);
    assert_eq!(content.body, png(64, 48, 1));
    let key = first["key"].as_str().unwrap();
    assert_eq!(
        studio.files.0.get(&format!("/v1/image-tasks/{key}")).expect(200).json(),
        *first
    );

    let server = studio.server.restart();
    assert_eq!(Files(server.client()).run(&cat()).expect(200).json(), *first);
    assert_eq!((studio.service.charged(), studio.service.calls("submit")), (1, 1));
}

#[test]
fn an_attachment_and_its_asset_are_one_source() {
    let studio = Studio::new(&[]);
    let asset = studio.asset("cat", 1);
    let edit = |source: &str| json!({"taskType": "edit", "payload": {"prompt": "at night", "sources": [source]}});
    let keys = ["/mnt/attachments/cat", "cat", &asset].map(|source| studio.run(&edit(source)).expect(200).json());
    assert_eq!(keys[0], keys[1]);
    assert_eq!(keys[0], keys[2]);
    assert_eq!((studio.service.charged(), studio.service.calls("submit")), (1, 1));
}

#[test]
fn whatever_is_refused_before_submission_leaves_nothing_behind() {
    let studio = Studio::new(&[]);
    let good = studio.asset("good", 1);
    studio.files.upload("text", "text/plain", b"hello").expect(201);
    let stranger = "0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f";
    let lost = studio.asset("lost", 2);
    studio.service.plan(&json!({"missing": [lost]}));
    let faults = studio.metric("recto_image_service_faults_total");
    let callers = studio.metric("recto_image_caller_errors_total");
    let mut refusals = 0;
    for (payload, code) in [
        (json!({"sources": ["nothing"]}), "source_asset_not_found"),
        (
            json!({"sources": [good], "references": ["/mnt/attachments/nothing"]}),
            "reference_asset_not_found",
        ),
        (json!({"references": [stranger]}), "reference_asset_not_found"),
        (
            json!({"sources": [stranger], "references": [good]}),
            "source_asset_not_found",
        ),
        (json!({"sources": ["text"]}), "source_unsupported_format"),
        (
            json!({"sources": [good], "references": ["text"]}),
            "reference_unsupported_format",
        ),
        // Those that the image service does not have.
        (
            json!({"sources": [lost], "references": [good]}),
            "source_asset_not_found",
        ),
        (
            json!({"sources": [good], "references": [good, lost]}),
            "reference_asset_not_found",
        ),
    ] {
        let body = json!({"taskType": "edit", "payload": payload});
        for _ in 0..2 {
            let answer = studio.run(&body).expect(200).json();
            assert_eq!(
                (&answer["status"], &answer["errorCode"]),
                (&json!("failed"), &json!(code)),
                "{answer}"
            );
            assert_eq!(answer["key"], Json::Null, "{answer}");
            let next = answer["next"].as_str().unwrap();
            assert!(next.contains("Do not send the same id again"), "{next}");
            refusals += 1;
        }
    }
    assert_eq!(studio.calls(CALLS), [0, 0, 0]);
    assert_eq!(studio.service.charged(), 0);
    assert_eq!(studio.metric("recto_image_caller_errors_total") - callers, refusals);
    assert_eq!(studio.metric("recto_image_service_faults_total"), faults);
}

#[test]
fn a_404_at_submission_is_told_apart_by_the_role_that_the_caller_gave() {
    for names_assets in [true, false] {
        let studio = Studio::new(&[]);
        let (good, bad) = (studio.asset("good", 1), studio.asset("bad", 2));
        for (sources, references, code) in [
            (vec![&bad], vec![&good], "source_asset_not_found"),
            (vec![&good], vec![&bad], "reference_asset_not_found"),
        ] {
            // It goes away after it was looked for and before it is submitted.
            studio
                .service
                .plan(&json!({"goneAtSubmit": [bad], "namesAssets": names_assets}));
            let body = json!({"taskType": "edit", "payload": {"sources": sources, "references": references}});
            let answer = studio.run(&body).expect(200).json();
            assert_eq!(answer["errorCode"], code, "{answer}");
        }
        studio.service.plan(&json!({"queues": {"submit": ["102"]}}));
        let body = json!({"taskType": "edit", "payload": {"sources": [good], "n": 2}});
        let answer = studio.run(&body).expect(200).json();
        assert_eq!(answer["errorCode"], "asset_not_found", "{answer}");
        assert_eq!(studio.run(&body).expect(200).json(), answer);
        assert_eq!(studio.service.charged(), 0);
    }
}

#[test]
fn passing_trouble_is_an_error_and_the_retry_finds_the_same_task() {
    let studio = Studio::new(&[]);
    for (number, operation) in ["submit", "status", "image"].into_iter().enumerate() {
        let body = json!({"taskType": "generate", "payload": {"n": number}});
        let (charged, calls) = (studio.service.charged(), studio.service.calls(operation));
        studio
            .service
            .plan(&json!({"queues": {operation: ["lost", "500", "503", "lost", "500"]}}));
        let problem = studio
            .run(&body)
            .expect_trouble(503, "image_service_unavailable")
            .json();
        assert_eq!(
            (&problem["code"], &problem["retry"]),
            (&json!("image_service_unavailable"), &json!(true))
        );
        let answer = studio.run(&body).expect(200).json();
        assert_eq!(
            (&answer["status"], &answer["attempt"]),
            (&json!("succeeded"), &json!(1)),
            "{operation}"
        );
        assert_eq!(studio.service.charged(), charged + 1, "{operation}");
        assert_eq!(studio.service.calls(operation), calls + 6, "{operation}");
    }
    let five = |operation: &str| (format!("operation=\"{operation}\""), 5);
    let faults = studio.counts("recto_image_service_faults_total");
    assert_eq!(faults, ["submit", "status", "image"].map(five).into());
    // None of it was a caller's, and each task is counted once.
    let ended = studio.counts("recto_image_tasks_total");
    assert_eq!(ended, [("outcome=\"succeeded\"".to_owned(), 3)].into());
    assert_eq!(studio.metric("recto_image_caller_errors_total"), 0);
    // A few faults on the way are nobody's business.
    studio.service.plan(&json!({"queues": {"submit": ["lost", "500"], "status": ["500", "101", "lost"], "image": ["lost"]}, "polls": 2}));
    let answer = studio
        .run(&json!({"taskType": "generate", "payload": {"n": "calm"}}))
        .expect(200)
        .json();
    assert_eq!(answer["status"], "succeeded");
    assert_eq!(
        (studio.service.charged(), studio.service.calls("submit")),
        (4, 6 + 1 + 1 + 4)
    );
}

#[test]
fn a_task_tells_its_progress_and_can_be_given_up() {
    let studio = Studio::new(&[]);
    studio.service.plan(&json!({"polls": 1_000_000}));
    let body = json!({"taskType": "generate", "payload": {"prompt": "slow"}});
    let begun = studio.files.json("POST", "/v1/image-tasks", &body).expect(202);
    let path = begun.header("location").unwrap().to_owned();
    let told = recto_tests::wait::until("progress", || {
        let answer = studio.files.0.get(&path).expect(202).json();
        answer["progress"].is_number().then_some(answer)
    });
    assert_eq!((&told["status"], &told["submitted"]), (&json!("pending"), &json!(true)));
    let ended = studio.files.0.send("DELETE", &path, &[], &[]).expect(200).json();
    assert_eq!(ended["errorCode"], "cancelled");
    assert_eq!(studio.files.0.get(&path).expect(200).json(), ended);
    assert_eq!(studio.run(&body).expect(200).json(), ended);
    recto_tests::wait::until("the service to hear of it", || {
        (studio.service.calls("cancel") == 1).then_some(())
    });
    let statuses = recto_tests::wait::until("the end of the run", || {
        let before = studio.service.calls("status");
        (studio.run(&body).expect(200).json() == ended && studio.service.calls("status") == before).then_some(before)
    });
    assert!(statuses > 0);
    studio.service.plan(&json!({}));
    let again = json!({"taskType": "generate", "payload": {"prompt": "slow"}, "again": 1});
    assert_eq!(studio.run(&again).expect(200).json()["status"], "succeeded");
    assert_eq!(studio.service.charged(), 2);
}

#[test]
fn a_malformed_request_is_a_problem_with_its_place() {
    let studio = Studio::new(&[]);
    for (body, pointer) in [
        (json!({"payload": {}}), "/taskType"),
        (json!({"taskType": "x", "payload": []}), "/payload"),
        (
            json!({"taskType": "x", "payload": {"sources": "cat"}}),
            "/payload/sources",
        ),
        (
            json!({"taskType": "x", "payload": {"references": [1]}}),
            "/payload/references",
        ),
        (json!({"taskType": "x", "payload": {}, "more": 1}), "/more"),
    ] {
        let problem = studio.run(&body).expect_problem(400, "malformed").json();
        assert_eq!(problem["pointer"], pointer);
    }
    let many = vec![studio.asset("one", 1); 17];
    studio
        .run(&json!({"taskType": "x", "payload": {"sources": many}}))
        .expect_problem(413, "too_large");
    studio
        .files
        .0
        .get("/v1/image-tasks/12")
        .expect_problem(400, "invalid_parameter");
    studio
        .files
        .0
        .get(&format!("/v1/image-tasks/{}", "0".repeat(64)))
        .expect_problem(404, "image_task_not_found");
}
