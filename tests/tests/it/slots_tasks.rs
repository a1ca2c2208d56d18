//! Slots that wait for tasks: what a task brings comes to the hold that waits for it, and to no other.

use std::time::Instant;

use recto_tests::Json;
use recto_tests::api::{self, Api};
use recto_tests::images::{Files, slot_path};
use serde_json::json;

use crate::slots_studio::{
    asset, begin, end_of, follow, is_replay, next_slot, nodes, request, shown, size, slot_of, studio, studio_with,
};

const ENDLESS: u64 = 1_000_000;

fn drop_slot(files: &Files, slot: &str) {
    files.0.send("DELETE", &slot_path("p", slot), &[], &[]).expect(204);
}

/// The asset that a task has made.
fn made(files: &Files, number: usize) -> String {
    files.run(&request(number)).expect(200).json()["assetId"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// B: whoever dropped a slot and holds it anew, for another image or for one of his own, gets that one.
#[test]
fn a_slot_that_was_dropped_and_held_anew_is_not_filled_by_the_task_of_before() {
    let (server, api, files, service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    service.plan(&json!({"holds": true}));
    let old = begin(&files, 1);
    // How often a task is asked for is told as it is taken.
    service.wait_for_charged(1);
    service.plan(&json!({"holds": true, "polls": ENDLESS}));
    let new = begin(&files, 2);
    service.wait_for_charged(2);
    for slot in ["dropped", "by hand", "anew"] {
        files.hold("p", slot, &slot_of(&old)).expect(200);
        files
            .hold("p", slot, &slot_of(&new))
            .expect_problem(409, "slot_held_otherwise");
        drop_slot(&files, slot);
    }
    let mut feed = follow(&server, "p");
    files.hold("p", "by hand", &size()).expect(200);
    files.hold("p", "anew", &slot_of(&new)).expect(200);
    files.hold("p", "kept", &slot_of(&old)).expect(200);
    service.plan(&json!({}));
    let node = end_of(&mut feed, "kept")["node"].clone();
    let image = made(&files, 1);
    for _ in 0..50 {
        assert_eq!(shown(&api, &image), 1);
    }
    assert_eq!(nodes(&api, "p")[0]["id"], node);
    let own = asset(&files, 1);
    let placed = files.place("p", "by hand", &own).expect(200);
    assert!(!is_replay(&placed), "{placed}");
    assert_eq!(
        files.hold("p", "anew", &slot_of(&new)).expect(200).json()["status"],
        "pending"
    );
    let path = format!("/v1/image-tasks/{}", new.as_str().unwrap());
    files.0.send("DELETE", &path, &[], &[]).expect(200);
    assert_eq!(end_of(&mut feed, "anew")["reason"], "cancelled");
    assert_eq!(nodes(&api, "p").len(), 2);
    api.get("/v1/commands/dropped").expect_problem(404, "command_not_found");
    server.assert_calm();
}

/// B: the same slot is dropped and held for the same task again and again while it runs: in the end it is one node.
#[test]
fn a_slot_that_is_held_again_and_again_for_one_task_is_filled_once() {
    let (server, api, files, service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    service.plan(&json!({"polls": 10}));
    let key = begin(&files, 1);
    let mut feed = follow(&server, "p");
    for _ in 0..20 {
        files.hold("p", "s", &slot_of(&key)).expect(200);
        if files.0.send("DELETE", &slot_path("p", "s"), &[], &[]).status == 404 {
            break;
        }
    }
    let held = files.hold("p", "s", &slot_of(&key)).expect(200).json();
    if held["status"] == "pending" {
        while end_of(&mut feed, "s")["status"] != "placed" {}
    }
    assert_eq!(nodes(&api, "p").len(), 1);
    assert_eq!((api.head("p"), service.charged()), (2, 1));
    server.assert_calm();
}

/// B: a lease that ends while the task runs, because its holder's server is slow, fails the slot for good.
#[test]
fn a_slot_that_ran_out_is_filled_by_nobody_and_held_anew_it_is_another_one() {
    let (server, api, files, service) = studio_with(&["--slot-lease-ms", "1"]);
    api.write(&api::create("p", "DESIGN", &json!({})));
    let mut feed = follow(&server, "p");
    let held = files.hold("p", "s", &size()).expect(200).json();
    assert_eq!(next_slot(&mut feed), held);
    assert_eq!(next_slot(&mut feed)["reason"], "lease_expired");
    let key = begin(&files, 1);
    // A worker of its own renews it. Where the lease of one ms ends all the same, it is held again.
    let mut news = json!({});
    while news["status"] != "placed" {
        files.hold("p", "s", &slot_of(&key)).expect(200);
        news = end_of(&mut feed, "s");
        assert!(
            news["status"] == "placed" || news["reason"] == "lease_expired",
            "{news}"
        );
    }
    assert_eq!((nodes(&api, "p").len(), service.charged()), (1, 1));
    server.assert_calm();
}

/// The image service does not answer for longer than a lease is: the slot waits all the same.
#[test]
fn trouble_that_passes_keeps_the_slot() {
    const LEASE_MS: u128 = 1_500;
    let (server, api, files, service) = studio_with(&["--slot-lease-ms", "1500"]);
    api.write(&api::create("p", "DESIGN", &json!({})));
    service.plan(&json!({"queues": {"status": vec!["500"; 40]}}));
    let key = begin(&files, 1);
    let mut feed = follow(&server, "p");
    let began = Instant::now();
    files.hold("p", "s", &slot_of(&key)).expect(200);
    assert_eq!(end_of(&mut feed, "s")["status"], "placed");
    assert!(began.elapsed().as_millis() > LEASE_MS, "the trouble was over too soon");
    assert_eq!(nodes(&api, "p").len(), 1);
    server.assert_calm();
}

struct Row {
    plan: Json,
    reason: &'static str,
    code: Option<&'static str>,
}

fn terminal_failures() -> Vec<Row> {
    let row = |plan: Json, reason, code| Row { plan, reason, code };
    let large = json!({"width": 9, "height": 9});
    let resolution = json!({"code": "resolution", "of": "request", "requested": large, "limited": large});
    vec![
        row(json!({"queues": {"submit": ["credits"]}}), "credits", None),
        row(json!({"queues": {"submit": ["resolution"]}}), "resolution", None),
        row(json!({"ending": resolution}), "resolution", None),
        row(
            json!({"ending": {"code": "no_image", "message": "nothing"}}),
            "no_image",
            None,
        ),
        row(
            json!({"ending": {"code": "moderation", "message": "no"}}),
            "error",
            Some("moderation"),
        ),
        row(json!({"queues": {"status": ["102"]}}), "error", Some("asset_gone")),
        row(json!({"bytes": "no image at all"}), "error", Some("bad_image")),
        row(json!({"queues": {"submit": ["102"]}}), "error", Some("asset_not_found")),
    ]
}

/// G: the value of every row is the reason of a slot, and what waited for the task is gone, also after a restart.
#[test]
fn every_terminal_failure_fails_its_slot_with_its_value_and_nothing_is_left_to_wait_for() {
    let (server, api, files, service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let mut feed = follow(&server, "p");
    let mut ends = Vec::new();
    for (number, row) in terminal_failures().into_iter().enumerate() {
        // Nothing is told before the slot is held.
        service.plan(&json!({"holds": true}));
        let held_back = number;
        service.plan(&row.plan);
        let key = begin(&files, held_back);
        let held = files
            .hold("p", &format!("s{number}"), &slot_of(&key))
            .expect(200)
            .json();
        let news = end_of(&mut feed, &format!("s{number}"));
        let reason = row.code.unwrap_or(row.reason);
        assert_eq!(
            (&news["status"], &news["reason"], &news["bounds"]),
            (&json!("failed"), &json!(reason), &held["bounds"]),
            "{number}"
        );
        let end = files.run(&request(number)).expect(200).json();
        assert_eq!(
            (&end["status"], &end["reason"]),
            (&json!("failed"), &json!(row.reason)),
            "{end}"
        );
        assert_eq!(end["errorCode"].as_str(), row.code, "{end}");
        ends.push((key, reason, end));
    }
    let calls = ["submit", "status", "image"].map(|call| service.calls(call));
    service.plan(&json!({}));
    let server = server.restart();
    let (api, files) = (Api::of(&server), Files(server.client()));
    let mut feed = follow(&server, "p");
    for (number, (key, reason, end)) in ends.iter().enumerate() {
        let (slot, path) = (
            format!("s{number}"),
            format!("/v1/image-tasks/{}", key.as_str().unwrap()),
        );
        assert_eq!(files.0.get(&path).expect(200).json(), *end);
        files
            .0
            .send("DELETE", &slot_path("p", &slot), &[], &[])
            .expect_problem(404, "slot_not_found");
        api.get(&format!("/v1/commands/{slot}"))
            .expect_problem(404, "command_not_found");
        // Held again for the same task, it fails again, and nobody is asked for anything.
        files.hold("p", &slot, &slot_of(key)).expect(200);
        assert_eq!(end_of(&mut feed, &slot)["reason"], *reason, "{number}");
    }
    assert_eq!(["submit", "status", "image"].map(|call| service.calls(call)), calls);
    assert_eq!(api.head("p"), 1);
    server.assert_calm();
}
