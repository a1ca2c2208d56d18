//! The process ends at each named point of a task and a delivery: in the end there is one submission, one asset, one
//! node, and the books agree.

use recto_tests::api::{self, Api, Write};
use recto_tests::images::{FakeService, Files, count_files};
use recto_tests::png::png;
use recto_tests::server::{Place, started};
use serde_json::json;

#[test]
fn a_crash_at_any_point_of_a_task_leaves_one_submission_and_one_asset() {
    // How often the service is asked for the task before the crash, and in the end.
    for (point, submitted, submits) in [
        ("task-submitting", 0, 1),
        ("task-submitted", 1, 2),
        ("task-pending", 1, 1),
        ("task-done", 1, 1),
        ("promote-reserved", 1, 1),
        ("promote-uploaded", 1, 1),
        ("task-resolved", 1, 1),
        ("task-noted", 1, 1),
    ] {
        let service = FakeService::new();
        service.plan(&json!({"polls": 1}));
        let arguments = ["--image-service", &service.url(), "--image-poll-ms", "1"];
        let place = Place::new();
        let server = started(place.start(&[&arguments[..], &["--crash-at", &format!("{point}:1")]].concat()));
        let body = json!({"taskType": "generate", "payload": {"prompt": point}});
        assert!(
            Files(server.client()).try_run(&body).is_none(),
            "{point} is not reached"
        );
        let (_, place) = server.ended();
        let asked = (service.charged(), service.calls("submit"));
        assert_eq!(asked, (submitted, submitted), "{point} lies outside its window");

        let server = started(place.start(&arguments));
        let files = Files(server.client());
        let ends: Vec<_> = std::thread::scope(|scope| {
            let workers = [(); 2].map(|()| scope.spawn(|| files.run(&body).expect(200).json()));
            workers.map(|worker| worker.join().unwrap()).into()
        });
        assert_eq!(ends[0], ends[1], "{point}");
        assert_eq!(
            (&ends[0]["status"], &ends[0]["attempt"]),
            (&json!("succeeded"), &json!(1)),
            "{point}"
        );
        assert_eq!((service.charged(), service.calls("submit")), (1, submits), "{point}");
        let asset = ends[0]["assetId"].as_str().unwrap();
        let asset = files.0.get(&format!("/v1/assets/{asset}")).expect(200).json();
        assert_eq!((&asset["width"], &asset["height"]), (&json!(64), &json!(48)), "{point}");
        let collection = files.collection();
        assert_eq!(
            (&collection["assets"], &collection["unused"]),
            (&json!(1), &json!([])),
            "{point}"
        );
        assert_eq!(count_files(&place.data().join("files/blobs")), 1, "{point}");
        server.assert_calm();
    }
}

#[test]
fn a_crash_in_a_delivery_leaves_one_node() {
    for (point, versions) in [("slot-placing", 1), ("slot-placed", 2)] {
        let service = FakeService::new();
        let arguments = ["--image-service", &service.url(), "--image-poll-ms", "1"];
        let place = Place::new();
        let server = started(place.start(&[&arguments[..], &["--crash-at", &format!("{point}:1")]].concat()));
        let api = Api::of(&server);
        api.write(&api::create("p", "DESIGN", &json!({})));
        let files = Files(server.client());
        let body = json!({"taskType": "generate", "payload": {"prompt": point}});
        let key = files.json("POST", "/v1/image-tasks", &body).json()["key"].clone();
        let slot = json!({"width": 100, "height": 100, "taskKey": key});
        // The image can be there before the answer is.
        let _ = files.try_json("PUT", "/v1/pages/p/slots/s", &slot);
        let (_, place) = server.ended();

        let server = started(place.start(&arguments));
        let (files, api) = (Files(server.client()), Api::of(&server));
        let head = api.get("/v1/pages/p").expect(200).json()["headVersion"].clone();
        assert_eq!(head, versions, "{point} lies outside its window");
        let asset = files.run(&body).expect(200).json()["assetId"]
            .as_str()
            .unwrap()
            .to_owned();
        let placed: Vec<_> = std::thread::scope(|scope| {
            let workers = [(); 2].map(|()| scope.spawn(|| files.place("p", "s", &asset).expect(200).json()));
            workers.map(|worker| worker.join().unwrap()).into()
        });
        assert_eq!(placed[0], placed[1], "{point}");
        assert_eq!(placed[0]["version"], 2, "{point}");
        let page = api.get("/v1/pages/p").expect(200).json();
        assert_eq!(page["headVersion"], 2, "{point}");
        assert_eq!(page["value"]["nodes"].as_object().unwrap().len(), 1, "{point}");
        // Held again, the slot is the one that was filled.
        assert_eq!(
            files.hold("p", "s", &slot).expect(200).json()["status"],
            "placed",
            "{point}"
        );
        server.assert_calm();
    }
}

/// The page is deleted while its image is made, and the process ends on the way to the canvas.
#[test]
fn a_crash_in_a_delivery_to_a_deleted_page_leaves_one_node_on_one_canvas() {
    for (point, nodes_before) in [("slot-placing", 0), ("slot-placed", 1)] {
        // The place on the page itself is never reached: it is deleted before.
        let place = Place::new();
        let server = started(place.start(&["--crash-at", &format!("{point}:1")]));
        let (api, files) = (Api::of(&server), Files(server.client()));
        let make = json!({"id": "p", "kind": "DESIGN", "file": "menu"});
        api.write(&Write::new("POST", "/v1/pages".to_owned(), &make));
        api.write(&api::delete("p", 1));
        files.upload("cat", "image/png", &png(32, 32, 1)).expect(201);
        let asset = files.promote("cat").expect(200).json()["assetId"].clone();
        let body = json!({ "assetId": asset });
        let path = "/v1/pages/p/slots/s/place";
        assert!(files.try_json("POST", path, &body).is_none(), "{point} is not reached");
        let (_, place) = server.ended();

        let server = started(place.start(&[]));
        let (api, files) = (Api::of(&server), Files(server.client()));
        let on_canvases = || -> usize {
            let pages = api.get("/v1/pages?file=menu").expect(200).json();
            let pages = pages["pages"].as_array().unwrap().clone();
            let ids = pages.iter().map(|page| page["id"].as_str().unwrap());
            ids.map(|id| api.page(id)["value"]["nodes"].as_object().unwrap().len())
                .sum()
        };
        assert_eq!(on_canvases(), nodes_before, "{point} lies outside its window");
        let placed: Vec<_> = std::thread::scope(|scope| {
            let workers = [(); 2].map(|()| scope.spawn(|| files.json("POST", path, &body).expect(200).json()));
            workers.map(|worker| worker.join().unwrap()).into()
        });
        assert_eq!(placed[0], placed[1], "{point}");
        assert_eq!(on_canvases(), 1, "{point}");
        server.assert_calm();
    }
}

#[test]
fn an_image_service_that_dies_in_the_middle_is_asked_again_for_the_same_task() {
    for (operation, fault) in [
        ("submit", "die"),
        ("submit", "die-after"),
        ("status", "die"),
        ("image", "die-after"),
    ] {
        let mut service = FakeService::new();
        let place = Place::new();
        let server = started(place.start(&["--image-service", &service.url(), "--image-poll-ms", "1"]));
        service.plan(&json!({"queues": {operation: [fault]}}));
        let body = json!({"taskType": "generate", "payload": {"prompt": "a cat"}});
        let answer = Files(server.client()).run(&body);
        assert_eq!(answer.status, 503, "{operation} {fault}: {answer}");
        drop(server);
        service.restart();
        let server = started(place.start(&["--image-service", &service.url(), "--image-poll-ms", "1"]));
        let end = Files(server.client()).run(&body).expect(200).json();
        assert_eq!(
            (&end["status"], &end["attempt"]),
            (&json!("succeeded"), &json!(1)),
            "{operation} {fault}"
        );
        assert_eq!(service.charged(), 1, "{operation} {fault}");
        let asked = if operation == "submit" { 2 } else { 1 };
        assert_eq!(service.calls("submit"), asked, "{operation} {fault}");
    }
}
