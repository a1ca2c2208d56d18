//! An image service that has trouble: what passes is tried again and told, what does not pass is an end.

use recto_tests::images::{FakeService, Files};
use recto_tests::png::png;
use recto_tests::server::{Place, Server, started};
use recto_tests::studio::{Studio, image_of};
use recto_tests::wait;
use serde_json::json;

const PNG: &str = "image/png";
/// The largest image, where that is set.
const SMALL: usize = 5000;
/// What the service is asked to do.
const CALLS: [&str; 4] = ["check", "submit", "status", "image"];

#[test]
fn a_run_that_is_given_up_is_told_once_and_then_goes_on() {
    let studio = Studio::new(&[]);
    // Submitted once, asked five times, and given up.
    studio
        .service
        .plan(&json!({"queues": {"status": ["500", "500", "500", "500", "500"]}}));
    let begun = studio
        .files
        .json("POST", "/v1/image-tasks", &image_of("a cat"))
        .expect(202);
    let path = begun.header("location").unwrap().to_owned();
    wait::until("the run to be given up", || {
        (studio.service.calls("status") == 5).then_some(())
    });
    let trouble = wait::until("the trouble to be told", || {
        let answer = studio.files.0.get(&path);
        (answer.status != 202).then_some(answer)
    });
    trouble.expect_trouble(503, "image_service_unavailable");
    // Nobody sends the request again: it is enough to ask.
    let end = wait::until("the end", || {
        let answer = studio.files.0.get(&path);
        (answer.status == 200).then(|| answer.json())
    });
    assert_eq!((&end["status"], &end["attempt"]), (&json!("succeeded"), &json!(1)));
    assert_eq!((studio.service.charged(), studio.calls(CALLS)), (1, [0, 1, 6, 1]));
    studio.server.assert_calm();
}

#[test]
fn trouble_with_the_question_for_an_asset_leaves_nothing_behind() {
    let studio = Studio::new(&[]);
    studio.files.upload("cat", PNG, &png(16, 16, 1)).expect(201);
    let edit = json!({"taskType": "edit", "payload": {"sources": ["cat"]}});
    for fault in ["lost", "500", "503"] {
        studio.service.plan(&json!({"queues": {"check": [fault]}}));
        studio.files.run(&edit).expect_trouble(503, "image_service_unavailable");
    }
    assert_eq!((studio.service.charged(), studio.calls(CALLS)), (0, [3, 0, 0, 0]));
    let server = studio.server.restart();
    let log = server.place().log();
    assert_eq!(log.matches("found=0").count(), 2, "something was left pending:\n{log}");
    let end = Files(server.client()).run(&edit).expect(200).json();
    assert_eq!((&end["status"], &end["attempt"]), (&json!("succeeded"), &json!(1)));
    assert_eq!((studio.service.charged(), studio.service.calls("submit")), (1, 1));
}

#[test]
fn a_task_or_image_that_the_service_loses_each_time_is_an_end() {
    for (operation, calls) in [("status", [0, 3, 3, 0]), ("image", [0, 3, 3, 3])] {
        let studio = Studio::new(&[]);
        studio
            .service
            .plan(&json!({"queues": {operation: ["101", "101", "101"]}}));
        let end = studio.files.run(&image_of("a cat")).expect(200).json();
        assert_eq!(
            (&end["errorCode"], &end["attempt"]),
            (&json!("task_lost"), &json!(1)),
            "{operation}"
        );
        assert_eq!(
            (studio.service.charged(), studio.calls(CALLS)),
            (1, calls),
            "{operation}"
        );
        assert_eq!(
            studio.files.run(&image_of("a cat")).expect(200).json(),
            end,
            "{operation}"
        );
        assert_eq!(studio.calls(CALLS), calls, "{operation}");
        // Lost twice, it is found at the third time.
        studio.service.plan(&json!({"queues": {operation: ["101", "101"]}}));
        assert_eq!(
            studio.files.run(&image_of("a dog")).expect(200).json()["status"],
            "succeeded",
            "{operation}"
        );
    }
}

#[test]
fn an_asset_that_goes_away_while_the_task_runs_ends_it() {
    for operation in ["status", "image"] {
        let studio = Studio::new(&[]);
        studio.files.upload("cat", PNG, &png(16, 16, 1)).expect(201);
        studio.service.plan(&json!({"queues": {operation: ["102"]}}));
        let edit = json!({"taskType": "edit", "payload": {"sources": ["cat"]}});
        let end = studio.files.run(&edit).expect(200).json();
        assert_eq!(
            (&end["errorCode"], &end["attempt"]),
            (&json!("asset_gone"), &json!(1)),
            "{operation}"
        );
        let calls = studio.calls(CALLS);
        assert_eq!(studio.files.run(&edit).expect(200).json(), end, "{operation}");
        assert_eq!(
            (studio.service.charged(), studio.calls(CALLS)),
            (1, calls),
            "{operation}"
        );
    }
}

/// The client looks no further than one byte beyond the limit: however far beyond it an image is, it is too large.
#[test]
fn an_image_that_cannot_be_used_is_an_end_however_it_is_wrong() {
    let studio = Studio::new(&["--file-bytes-max", &SMALL.to_string()]);
    let whole = png(16, 16, 1);
    let huge = [
        &b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\x01\0\0\0\x01\0\0"[..],
        &whole[24..],
    ]
    .concat();
    let over = [1, 2, 3, 4, SMALL, 40 * SMALL].map(|more| json!({ "zeros": SMALL + more }));
    let wrong = [
        json!([]),
        json!(&whole[..whole.len() - 7]),
        json!(huge),
        json!("<svg/>"),
        json!({ "zeros": SMALL }),
    ];
    for (number, bytes) in over.iter().chain(&wrong).enumerate() {
        studio.service.plan(&json!({ "bytes": bytes }));
        let body = image_of(&format!("image {number}"));
        let end = studio.files.run(&body).expect(200).json();
        assert_eq!(end["errorCode"], "bad_image", "{number}: {end}");
        let is_over = end["message"].as_str().unwrap().contains("more than 5000 bytes");
        assert_eq!(is_over, number < over.len(), "{number}: {end}");
        let images = u64::try_from(number).unwrap() + 1;
        assert_eq!(studio.service.calls("image"), images, "it was fetched again");
        assert_eq!(studio.files.run(&body).expect(200).json(), end);
    }
    assert_eq!(studio.files.collection()["assets"], 0);
}

#[test]
fn a_late_answer_is_asked_for_again_and_an_image_that_keeps_coming_is_waited_for() {
    let studio = Studio::new(&["--image-answer-ms", "1500"]);
    studio
        .service
        .plan(&json!({"queues": {"status": ["late-20000"], "image": ["slowly-4000"]}}));
    let end = studio.files.run(&image_of("a cat")).expect(200).json();
    assert_eq!(end["status"], "succeeded", "{end}");
    assert_eq!((studio.service.charged(), studio.calls(CALLS)), (1, [0, 1, 2, 1]));
}

#[test]
fn the_service_hears_the_token_that_is_set() {
    let service = FakeService::with_token("a-token-of-the-service");
    let begin = |token: &str| {
        let place = Place::new().with_variables([("RECTO_IMAGE_SERVICE_TOKEN", token.to_owned())]);
        started(place.start(&Studio::arguments(&service.url())))
    };
    let server = begin("another-token");
    let trouble = Files(server.client()).run(&image_of("a cat"));
    trouble.expect_trouble(503, "image_service_unavailable");
    let refused = service.calls("refused");
    assert_eq!((refused, service.calls("submit")), (5, 0));
    assert!(
        !server.place().log().contains("another-token"),
        "the token is in the log"
    );
    let server = begin("a-token-of-the-service");
    assert_eq!(
        Files(server.client()).run(&image_of("a cat")).expect(200).json()["status"],
        "succeeded"
    );
    assert_eq!((service.calls("refused"), service.charged()), (refused, 1));
}

#[test]
fn what_is_no_image_service_is_refused_at_the_start() {
    for url in [
        "ftp://127.0.0.1:1",
        "images.example.org",
        "https://key:secret@images.example.org",
    ] {
        let refused = Place::new().start(&["--image-service", url]).expect_err("it starts");
        assert!(
            refused.log.contains("is no image service") && !refused.log.contains("secret"),
            "{}",
            refused.log
        );
    }
}

/// Nothing speaks TLS there, which is trouble like any other: that it is tried at all is what counts.
#[test]
fn a_service_behind_tls_is_spoken_to_by_tls() {
    let service = FakeService::new();
    let url = service.url().replace("http://", "https://");
    let server = Server::start_with(&Studio::arguments(&url));
    let trouble = Files(server.client()).run(&image_of("a cat"));
    let detail = trouble.expect_trouble(503, "image_service_unavailable").json()["detail"].clone();
    let detail = detail.as_str().unwrap().to_ascii_lowercase();
    assert!(detail.contains("tls") || detail.contains("corrupt message"), "{detail}");
    assert_eq!(service.calls("submit"), 0);
    server.assert_calm();
}
