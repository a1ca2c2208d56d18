//! Giving image tasks up, at every moment of their lives: what is given up is not paid for, or at least not made.

use recto_tests::Json;
use recto_tests::images::{FakeService, Files};
use recto_tests::server::{Place, started};
use recto_tests::studio::{Studio, image_of};
use recto_tests::wait;
use serde_json::json;

/// Gives a task up.
fn cancel(studio: &Studio, path: &str) -> Json {
    let ended = studio.files.0.send("DELETE", path, &[], &[]).expect(200).json();
    assert_eq!(ended["errorCode"], "cancelled", "{ended}");
    ended
}

fn wait_for(studio: &Studio, operation: &str, count: u64) {
    wait::until(operation, || (studio.service.calls(operation) >= count).then_some(()));
}

/// The tasks that were paid for, and whether each was given up.
fn given_up(service: &FakeService) -> Vec<bool> {
    let books = service.books();
    let tasks = books["tasks"].as_array().unwrap().iter();
    tasks.map(|task| task["cancelled"] == true).collect()
}

#[test]
fn a_task_given_up_while_the_service_takes_it_is_given_up_there_too() {
    let studio = Studio::new(&[]);
    studio.service.plan(&json!({"queues": {"submit": ["held"]}}));
    let path = studio.begin(&image_of("a cat"));
    wait_for(&studio, "submit", 1);
    let ended = cancel(&studio, &path);
    // Only now the service takes the task.
    studio.service.plan(&json!({"holds": true}));
    wait_for(&studio, "cancel", 1);
    assert_eq!(given_up(&studio.service), [true]);
    assert_eq!(studio.files.0.get(&path).expect(200).json(), ended);
    assert_eq!(studio.service.calls("submit"), 1);
    studio.server.assert_calm();
}

#[test]
fn the_next_attempt_begins_beside_one_that_the_service_is_still_taking() {
    let studio = Studio::new(&[]);
    studio.service.plan(&json!({"queues": {"submit": ["held"]}}));
    let path = studio.begin(&image_of("a cat"));
    wait_for(&studio, "submit", 1);
    cancel(&studio, &path);
    let mut again = image_of("a cat");
    again["again"] = json!(1);
    // The earlier one is given up there first, before it has come.
    let begun = studio.files.json("POST", "/v1/image-tasks", &again).expect(202).json();
    assert_eq!(begun["attempt"], 2);
    assert_eq!(studio.service.calls("cancel"), 1);
    studio.service.plan(&json!({}));
    let end = studio.files.run(&image_of("a cat")).expect(200).json();
    assert_eq!((&end["status"], &end["attempt"]), (&json!("succeeded"), &json!(2)));
    // The first one was never paid for.
    assert_eq!(given_up(&studio.service), [false]);
    assert_eq!(studio.service.calls("submit"), 2);
}

#[test]
fn a_submission_without_an_answer_is_given_up_by_its_key() {
    let studio = Studio::new(&["--image-answer-ms", "500"]);
    studio.service.plan(&json!({"queues": {"submit": ["held"]}}));
    let path = studio.begin(&image_of("a cat"));
    wait_for(&studio, "submit", 1);
    cancel(&studio, &path);
    wait_for(&studio, "cancel", 1);
    let books = studio.service.books();
    assert_eq!(
        (&books["charged"], books["givenUp"].as_array().unwrap().len()),
        (&json!(0), 1),
        "{books}"
    );
}

#[test]
fn the_service_hears_of_it_once_it_answers_again() {
    let studio = Studio::new(&[]);
    let faults = ["500", "lost", "500", "lost", "500"];
    studio
        .service
        .plan(&json!({"holds": true, "queues": {"cancel": faults}}));
    let path = studio.begin(&image_of("a cat"));
    wait_for(&studio, "status", 1);
    let ended = cancel(&studio, &path);
    wait_for(&studio, "cancel", 5);
    // Whoever asks has it tried again, and hears of the end all the same.
    wait::until("the service to hear of it", || {
        assert_eq!(studio.files.0.get(&path).expect(200).json(), ended);
        (studio.service.calls("cancel") == 6).then_some(())
    });
    assert_eq!(given_up(&studio.service), [true]);
    let statuses = studio.service.calls("status");
    assert_eq!(studio.files.run(&image_of("a cat")).expect(200).json(), ended);
    assert_eq!(
        (studio.service.calls("cancel"), studio.service.calls("status")),
        (6, statuses)
    );
}

#[test]
fn the_service_hears_of_it_after_a_crash() {
    let service = FakeService::new();
    service.plan(&json!({"holds": true}));
    let url = service.url();
    let arguments = Studio::arguments(&url);
    let place = Place::new();
    let server = started(place.start(&[&arguments[..], &["--crash-at", "task-cancelled:1"]].concat()));
    let files = Files(server.client());
    let begun = files.json("POST", "/v1/image-tasks", &image_of("a cat")).expect(202);
    let path = begun.header("location").unwrap().to_owned();
    wait::until("the task at the service", || {
        (service.calls("status") > 0).then_some(())
    });
    assert!(
        files.0.try_send("DELETE", &path, &[], &[]).is_err(),
        "the point is not reached"
    );
    let (_, place) = server.ended();
    assert_eq!(service.calls("cancel"), 0, "the point lies outside its window");

    let server = started(place.start(&arguments));
    wait::until("the service to hear of it", || {
        (service.calls("cancel") > 0).then_some(())
    });
    let ended = Files(server.client()).run(&image_of("a cat")).expect(200).json();
    assert_eq!(ended["errorCode"], "cancelled");
    assert_eq!(service.books()["tasks"][0]["cancelled"], true);
    let server = server.restart();
    assert_eq!(Files(server.client()).run(&image_of("a cat")).expect(200).json(), ended);
    assert_eq!(
        (service.calls("submit"), service.calls("cancel"), service.charged()),
        (1, 1, 1)
    );
}
