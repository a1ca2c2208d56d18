//! Delivery slots: places without overlap, one node each, told to everybody who follows.

use recto_tests::api::{self, Api, Write, start};
use recto_tests::images::{Files, slot_path};
use recto_tests::server::Server;
use recto_tests::sse::Stream;
use serde_json::json;

use crate::slots_studio::{asset, next_slot, nodes, overlap, studio};

#[test]
fn everybody_on_the_page_sees_a_slot_come_and_be_filled_and_who_comes_late_sees_what_waits() {
    let (server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let asset = asset(&files, 1);
    let mut early = Stream::open(server.address(), "/v1/pages/p/feed", &[]).unwrap();
    let mut workspace = Stream::open(server.address(), "/v1/feed", &[]).unwrap();
    let held = files
        .hold("p", "s", &json!({"width": 64, "height": 48}))
        .expect(200)
        .json();
    assert_eq!(held["status"], "pending");
    for stream in [&mut early, &mut workspace] {
        assert_eq!(next_slot(stream), held);
    }
    // Held again it is the same slot, and nobody is told again.
    assert_eq!(
        files
            .hold("p", "s", &json!({"width": 9, "height": 9}))
            .expect(200)
            .json(),
        held
    );
    let mut late = Stream::open(server.address(), "/v1/pages/p/feed?after=0", &[]).unwrap();
    assert_eq!(next_slot(&mut late), held);
    let placed = files.place("p", "s", &asset).expect(200).json();
    assert_eq!(placed["bounds"], held["bounds"]);
    for stream in [&mut early, &mut late, &mut workspace] {
        let news = next_slot(stream);
        assert_eq!((&news["status"], &news["node"]), (&json!("placed"), &placed["node"]));
    }
    assert_eq!(nodes(&api, "p").len(), 1);
    let mut after = Stream::open(server.address(), "/v1/pages/p/feed", &[]).unwrap();
    files.hold("p", "t", &json!({"width": 64, "height": 48})).expect(200);
    assert_eq!(next_slot(&mut after)["slotId"], "t");
}

#[test]
fn a_slot_that_fails_frees_its_place_and_adds_nothing() {
    let (server, api, files, service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let mut feed = Stream::open(server.address(), "/v1/pages/p/feed", &[]).unwrap();
    // F10: what fails makes no event.
    service.plan(&json!({"ending": {"code": "no_image", "message": "nothing"}, "polls": 1}));
    let body = json!({"taskType": "generate", "payload": {"prompt": "nothing"}});
    let key = files.json("POST", "/v1/image-tasks", &body).json()["key"].clone();
    let slot = json!({"width": 64, "height": 48, "taskKey": key});
    let held = files.hold("p", "s", &slot).expect(200).json();
    let mut news = next_slot(&mut feed);
    if news["status"] == "pending" {
        news = next_slot(&mut feed);
    }
    assert_eq!(
        (&news["status"], &news["reason"]),
        (&json!("failed"), &json!("no_image"))
    );
    let other = files
        .hold("p", "t", &json!({"width": 64, "height": 48}))
        .expect(200)
        .json();
    assert_eq!(other["bounds"], held["bounds"]);
    files.0.send("DELETE", &slot_path("p", "t"), &[], &[]).expect(204);
    files
        .0
        .send("DELETE", &slot_path("p", "t"), &[], &[])
        .expect_problem(404, "slot_not_found");
    assert_eq!(api.get("/v1/pages/p").json()["headVersion"], 1);
    files
        .place("p", "u", "nothing")
        .expect_problem(404, "attachment_not_found");
    assert_eq!(api.get("/v1/pages/p").json()["headVersion"], 1);
}

/// Undo takes the image away, and neither the slot nor a retry brings it back; redo does.
#[test]
fn an_image_that_was_undone_stays_undone() {
    let (_server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let asset = asset(&files, 1);
    files.hold("p", "s", &json!({"width": 64, "height": 48})).expect(200);
    let placed = files.place("p", "s", &asset).expect(200).json();
    api.write(&api::undo("p", 2, &json!({})));
    assert_eq!(nodes(&api, "p").len(), 0);
    let again = files.place("p", "s", &asset).expect(200);
    assert_eq!(
        (again.header("idempotency-replayed"), again.json()),
        (Some("true"), placed)
    );
    assert_eq!(
        files
            .hold("p", "s", &json!({"width": 64, "height": 48}))
            .expect(200)
            .json()["status"],
        "placed"
    );
    assert_eq!(nodes(&api, "p").len(), 0);
    api.write(&api::redo("p", 3, &json!({})));
    assert_eq!(nodes(&api, "p")[0]["props"]["assetId"], asset);
}

/// F3: what a user draws while the image is made is another thing to undo.
#[test]
fn f3_a_shape_drawn_meanwhile_and_the_image_are_undone_apart() {
    let (_server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let asset = asset(&files, 1);
    files.hold("p", "s", &json!({"width": 64, "height": 48})).expect(200);
    let shape = json!([[{"op": "addNode", "node": {"id": "r", "type": "shape", "geometry": {"x": 500, "y": 0, "width": 8, "height": 8}, "props": {}}}]]);
    api.write(&api::deltas("p", 1, &shape));
    let node = files.place("p", "s", &asset).expect(200).json()["node"].clone();
    api.write(&api::undo("p", 3, &json!({})));
    let left = nodes(&api, "p");
    assert_eq!((left.len(), &left[0]["id"]), (1, &json!("r")));
    api.write(&api::redo("p", 4, &json!({})));
    api.write(&api::undo("p", 5, &json!({"event": "p@2"})));
    let left = nodes(&api, "p");
    assert_eq!((left.len(), &left[0]["id"]), (1, &node));
}

#[test]
fn a_slot_that_was_lost_is_placed_where_there_is_room_under_the_same_command() {
    let (server, api, files, _service) = studio();
    let block = json!({"type": "shape", "parentId": null, "geometry": {"x": 0, "y": 0, "width": 640, "height": 480, "rotation": 0}, "props": {}});
    api.write(&api::create("p", "DESIGN", &json!({"nodes": {"block": block}})));
    let asset = asset(&files, 1);
    files.hold("p", "s", &json!({"width": 64, "height": 48})).expect(200);
    let server = server.restart();
    let (api, files) = (Api::of(&server), Files(server.client()));
    let placed = files.place("p", "s", &asset).expect(200).json();
    let all = nodes(&api, "p");
    assert_eq!(all.len(), 2);
    assert!(!overlap(&all[0]["geometry"], &all[1]["geometry"]));
    assert_eq!(
        api.get("/v1/commands/s").expect(200).json()["version"],
        placed["version"]
    );
}

#[test]
fn what_can_be_no_slot_is_refused() {
    let (_server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    api.write(&api::create("d", "DOC", &json!([{"insert": "x\n"}])));
    for body in [
        json!({"width": 0, "height": 9}),
        json!({"width": 40_000, "height": 9}),
        json!({"width": 9, "height": 9, "x": 2e6}),
    ] {
        files.hold("p", "s", &body).expect_problem(422, "slot_bounds_illegal");
    }
    files
        .hold("p", "s", &json!({"width": 9}))
        .expect_problem(400, "malformed");
    let size = json!({"width": 9, "height": 9});
    files.hold("d", "s", &size).expect_problem(422, "wrong_kind");
    files.hold("none", "s", &size).expect_problem(404, "page_not_found");
    let unknown = json!({"width": 9, "height": 9, "taskKey": "0".repeat(64)});
    files
        .hold("p", "s", &unknown)
        .expect_problem(404, "image_task_not_found");
    // The id of another command is none of a slot.
    let add = json!([[{"op": "setAttributes", "set": {"/a": 1}}]]);
    let mut write = api::deltas("p", 1, &add);
    write.key = Some("taken".to_owned());
    api.write(&write);
    files
        .hold("p", "taken", &size)
        .expect_problem(422, "idempotency_key_reused");
    let asset = asset(&files, 1);
    files
        .place("p", "taken", &asset)
        .expect_problem(422, "idempotency_key_reused");
}

#[test]
fn many_workers_with_one_slot_add_one_node() {
    let (_server, api) = start();
    let files = Files(_server.client());
    api.write(&api::create("p", "DESIGN", &json!({})));
    let asset = asset(&files, 1);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                files.hold("p", "s", &json!({"width": 64, "height": 48})).expect(200);
                files.place("p", "s", &asset).expect(200);
            });
        }
    });
    assert_eq!(nodes(&api, "p").len(), 1);
    assert_eq!(api.get("/v1/pages/p").json()["headVersion"], 2);
}

/// One who holds a slot and does not come back.
#[test]
fn a_lease_that_runs_out_fails_the_slot_and_frees_its_place() {
    let server = Server::start_with(&["--slot-lease-ms", "1"]);
    let (api, files) = (Api::of(&server), Files(server.client()));
    api.write(&api::create("p", "DESIGN", &json!({})));
    let mut feed = Stream::open(server.address(), "/v1/pages/p/feed", &[]).unwrap();
    let size = json!({"width": 64, "height": 48});
    for round in 0..3 {
        // The same slot again is a new one at the same place: the earlier one is forgotten.
        let held = files.hold("p", "s", &size).expect(200).json();
        assert_eq!(next_slot(&mut feed), held, "{round}");
        let failed = next_slot(&mut feed);
        assert_eq!(
            (&failed["status"], &failed["reason"], &failed["bounds"]),
            (&json!("failed"), &json!("lease_expired"), &held["bounds"])
        );
        assert_eq!(
            held["bounds"],
            json!({"x": 0.0, "y": 0.0, "width": 64.0, "height": 48.0})
        );
    }
    let gone = files.0.send("DELETE", &slot_path("p", "s"), &[], &[]);
    gone.expect_problem(404, "slot_not_found");
    assert_eq!(api.page("p")["headVersion"], 1);
    // Whoever comes back after all is served: one node, and no slot comes up again.
    let asset = asset(&files, 1);
    files.place("p", "s", &asset).expect(200);
    assert_eq!(nodes(&api, "p").len(), 1);
    assert_eq!(files.hold("p", "s", &size).expect(200).json()["status"], "placed");
}

#[test]
fn an_image_whose_page_was_deleted_goes_to_the_canvas_of_the_file_once() {
    let (server, api, files, _service) = studio();
    let make = json!({"id": "p", "kind": "DESIGN", "file": "menu"});
    api.write(&Write::new("POST", "/v1/pages".to_owned(), &make));
    let mut feed = Stream::open(server.address(), "/v1/pages/p/feed", &[]).unwrap();
    files.hold("p", "s", &json!({"width": 80, "height": 60})).expect(200);
    assert_eq!(next_slot(&mut feed)["status"], "pending");
    api.write(&api::delete("p", 1));
    let image = asset(&files, 1);
    let placed = files.place("p", "s", &image).expect(200).json();
    let canvas = placed["pageId"].as_str().unwrap().to_owned();
    assert_ne!(canvas, "p");
    assert_eq!(
        (&placed["bounds"]["width"], &placed["slotId"]),
        (&json!(80.0), &json!("s"))
    );
    let failed = next_slot(&mut feed);
    assert_eq!(
        (&failed["status"], &failed["reason"]),
        (&json!("failed"), &json!("page_deleted"))
    );
    let on_canvas = nodes(&api, &canvas);
    assert_eq!((on_canvas.len(), &on_canvas[0]["id"]), (1, &placed["node"]));
    // It is the delivery of insert_image_node, under the command of the slot.
    let command = api.get("/v1/commands/s").expect(200).json();
    assert_eq!(
        (&command["operation"], &command["page"]),
        (&json!("insert_image"), &json!(canvas))
    );
    // Sent again, by two workers, after a restart, after the page is back: the same answer.
    let server = server.restart();
    let (api, files) = (Api::of(&server), Files(server.client()));
    assert_eq!(files.place("p", "s", &image).expect(200).json(), placed);
    api.write(&api::undelete("p", 2));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(files.place("p", "s", &image).expect(200).json(), placed));
        }
    });
    assert_eq!((nodes(&api, "p").len(), nodes(&api, &canvas).len()), (0, 1));
    // Another slot of another image is another node on the same canvas.
    api.write(&api::delete("p", 3));
    let other = files.place("p", "t", &asset(&files, 2)).expect(200).json();
    assert_eq!(other["pageId"], canvas.as_str());
    assert_eq!(nodes(&api, &canvas).len(), 2);
    // A page that never was is no page that is gone.
    files.place("none", "u", &image).expect_problem(404, "page_not_found");
    server.assert_calm();
}

#[test]
fn a_task_that_outlives_its_page_is_delivered_to_the_canvas() {
    let (_server, api, files, service) = studio();
    let make = json!({"id": "p", "kind": "DESIGN", "file": "menu"});
    api.write(&Write::new("POST", "/v1/pages".to_owned(), &make));
    service.plan(&json!({"holds": true}));
    let body = json!({"taskType": "generate", "payload": {"prompt": "a cat"}});
    let key = files.json("POST", "/v1/image-tasks", &body).json()["key"].clone();
    let slot = json!({"width": 64, "height": 48, "taskKey": key});
    files.hold("p", "s", &slot).expect(200);
    api.write(&api::delete("p", 1));
    service.plan(&json!({}));
    let command = recto_tests::wait::until("the delivery", || {
        let found = api.get("/v1/commands/s");
        (found.status == 200).then(|| found.json())
    });
    let canvas = command["page"].as_str().unwrap();
    assert_ne!(canvas, "p");
    assert_eq!(nodes(&api, canvas).len(), 1);
}
