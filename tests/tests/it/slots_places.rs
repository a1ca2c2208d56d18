//! Where slots lie: no two images claim the same place, whoever claims it, and nothing lies on what stands there.

use std::collections::BTreeMap;

use recto_tests::Json;
use recto_tests::api::{self, Api, Write};
use recto_tests::images::Files;
use recto_tests::sse::Stream;
use recto_tests::wait;
use serde_json::json;

use crate::slots_studio::{
    asset, begin, expect_apart, follow, next_slot, nodes, overlap, request, size, slot_of, studio,
};

const HUNDRED: usize = 100;
const CLIENTS: usize = 8;

fn node(kind: &str, parent: Option<&str>, [x, y, width, height, rotation]: [i32; 5]) -> Json {
    let geometry = json!({"x": x, "y": y, "width": width, "height": height, "rotation": rotation});
    json!({"type": kind, "parentId": parent, "geometry": geometry, "props": {}})
}

/// A wall that is turned, and in a group that is turned a picture that is turned and lies outside of it.
fn walls() -> Json {
    json!({
        "wall": node("shape", None, [300, 0, 500, 900, 15]),
        "group": node("group", None, [1500, 200, 400, 300, 30]),
        "picture": node("image", Some("group"), [700, 50, 300, 100, -70]),
    })
}

/// The corners of a node on the page: it is turned around its middle, and then everything that it lies in.
fn corners(all: &Json, id: &str) -> [(f64, f64); 4] {
    let mut next = Some(id);
    let side = |id: &str, name: &str| all[id]["geometry"][name].as_f64().unwrap();
    let (width, height) = (side(id, "width"), side(id, "height"));
    let mut corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)];
    while let Some(id) = next {
        let (sin, cos) = side(id, "rotation").to_radians().sin_cos();
        let middle = (side(id, "width") / 2.0, side(id, "height") / 2.0);
        corners = corners.map(|(x, y)| {
            let (x, y) = (x - middle.0, y - middle.1);
            let (x, y) = (x * cos - y * sin, x * sin + y * cos);
            (x + middle.0 + side(id, "x"), y + middle.1 + side(id, "y"))
        });
        next = all[id]["parentId"].as_str();
    }
    corners
}

fn box_corners(bounds: &Json) -> [(f64, f64); 4] {
    let all = json!({"box": {"parentId": null, "geometry": {"x": bounds["x"], "y": bounds["y"], "width": bounds["width"], "height": bounds["height"], "rotation": 0}}});
    corners(&all, "box")
}

/// Whether two shapes with four corners have room between them: then there is a side of one that keeps them apart.
fn is_apart(one: &[(f64, f64); 4], other: &[(f64, f64); 4]) -> bool {
    let sides = |shape: &[(f64, f64); 4]| (0..4).map(|at| (shape[at], shape[(at + 1) % 4])).collect::<Vec<_>>();
    sides(one).into_iter().chain(sides(other)).any(|(from, to)| {
        let normal = (to.1 - from.1, from.0 - to.0);
        let along = |shape: &[(f64, f64); 4]| {
            let all = shape.map(|(x, y)| x * normal.0 + y * normal.1);
            let low = all.into_iter().fold(f64::INFINITY, f64::min);
            (low, all.into_iter().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((low, high), (other_low, other_high)) = (along(one), along(other));
        high < other_low || other_high < low
    })
}

/// Does something for each number, some at a time, and gives the answers in the order of the numbers.
fn at_once<T: Send>(numbers: std::ops::Range<usize>, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut done: BTreeMap<usize, T> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (work, numbers) = (&work, numbers.clone());
                let mine = numbers.skip(client).step_by(CLIENTS);
                scope.spawn(move || mine.map(|number| (number, work(number))).collect::<Vec<_>>())
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    std::iter::from_fn(|| done.pop_first())
        .map(|(_, answer)| answer)
        .collect()
}

/// Takes down the nodes of slots as they are placed, up to so many.
fn placed(feed: &mut Stream, known: &mut BTreeMap<String, Json>, upto: usize) {
    while known.len() < upto {
        let news = next_slot(feed);
        if news["status"] == "placed" {
            let before = known.insert(news["slotId"].as_str().unwrap().to_owned(), news["node"].clone());
            assert_eq!(before, None, "{news} is told twice");
        }
        assert_ne!(news["status"], "failed", "{news}");
    }
}

/// C: a hundred tasks, a hundred slots, eight clients; the page is loaded again and the server dies in the middle.
#[test]
fn a_hundred_images_at_once_are_a_hundred_nodes_each_at_its_place() {
    let (server, api, files, service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({"nodes": walls()})));
    service.plan(&json!({"holds": true}));
    let keys = at_once(0..HUNDRED, |number| begin(&files, number));
    let hold = |files: &Files, number: usize| {
        let held = files.hold("p", &format!("s{number}"), &slot_of(&keys[number]));
        held.expect(200).json()
    };
    let mut feed = follow(&server, "p");
    // One after the other they come in reading order; at once in any.
    let mut held: Vec<Json> = (0..20).map(|number| hold(&files, number)).collect();
    let at = |held: &Json| {
        (
            held["bounds"]["y"].as_f64().unwrap(),
            held["bounds"]["x"].as_f64().unwrap(),
        )
    };
    assert!(held.iter().map(at).is_sorted_by(|a, b| a < b), "{held:?}");
    held.extend(at_once(20..HUNDRED, |number| hold(&files, number)));
    assert!(held.iter().all(|held| held["status"] == "pending"), "{held:?}");
    let bounds: Vec<Json> = held.iter().map(|held| held["bounds"].clone()).collect();
    expect_apart(&bounds);
    // The page is loaded again: the same slots at the same places.
    assert_eq!(at_once(0..HUNDRED, |number| hold(&files, number)), held);
    wait::until("a hundred submissions", || (service.charged() == 100).then_some(()));

    service.plan(&json!({}));
    let mut known = BTreeMap::new();
    placed(&mut feed, &mut known, 30);
    let place = server.kill();
    let url = service.url();
    let server = place.start(&["--image-service", &url, "--image-poll-ms", "1"]).unwrap();
    let (api, files) = (Api::of(&server), Files(server.client()));
    let mut feed = follow(&server, "p");
    let again = at_once(0..HUNDRED, |number| hold(&files, number));
    let filled = again.iter().filter(|held| held["status"] == "placed");
    known = filled
        .map(|held| (held["slotId"].as_str().unwrap().to_owned(), held["node"].clone()))
        .collect();
    assert!(known.len() >= 30, "what was told as placed was placed");
    placed(&mut feed, &mut known, HUNDRED);
    expect_the_hundred(&api, &files, &known);

    // "Continue" is pressed, once more after a restart: nothing is made or added anew.
    let server = server.restart();
    let (api, files) = (Api::of(&server), Files(server.client()));
    assert_eq!(at_once(0..HUNDRED, |number| begin(&files, number)), keys);
    for (number, held) in at_once(0..HUNDRED, |number| hold(&files, number)).iter().enumerate() {
        assert_eq!(
            (&held["status"], &held["node"]),
            (&json!("placed"), &known[&format!("s{number}")])
        );
    }
    assert_eq!(api.head("p"), 101);
    assert_eq!((service.charged(), service.calls("submit")), (100, 100));
    server.assert_calm();
}

/// Each slot shows the image of its own task, on top of all that was there before, and on nothing else.
fn expect_the_hundred(api: &Api, files: &Files, known: &BTreeMap<String, Json>) {
    let all = api.page("p")["value"]["nodes"].clone();
    assert_eq!(all.as_object().unwrap().len(), HUNDRED + 3);
    let made = at_once(0..HUNDRED, |number| files.run(&request(number)).expect(200).json());
    let images: Vec<&Json> = (0..HUNDRED)
        .map(|number| &all[known[&format!("s{number}")].as_str().unwrap()])
        .collect();
    for (number, (image, made)) in images.iter().zip(&made).enumerate() {
        assert_eq!(image["props"], json!({"assetId": made["assetId"]}), "{number}");
        let (shape, walls) = (box_corners(&image["geometry"]), ["wall", "group", "picture"]);
        for wall in walls {
            assert!(is_apart(&shape, &corners(&all, wall)), "{number} lies on {wall}");
        }
    }
    let boxes: Vec<Json> = images.iter().map(|image| image["geometry"].clone()).collect();
    expect_apart(&boxes);
    let added: Vec<Json> = api
        .events("p")
        .iter()
        .skip(1)
        .map(|event| event["delta"][0]["node"]["id"].clone())
        .collect();
    let mut under = ["wall", "group"]
        .map(|wall| all[wall]["order"].as_str().unwrap())
        .into_iter()
        .max()
        .unwrap();
    for id in &added {
        let order = all[id.as_str().unwrap()]["order"].as_str().unwrap();
        assert!(order > under, "{id} is not on top");
        under = order;
    }
}

/// A picture in a group that is turned lies elsewhere than its numbers say.
#[test]
fn a_slot_keeps_out_of_what_lies_in_a_turned_group() {
    let (_server, api, files, _service) = studio();
    // The group turns around (120, 60), and the picture comes to lie at 110 to 130, 440 to 540.
    let nodes = json!({
        "group": node("group", None, [100, 50, 40, 20, 90]),
        "picture": node("image", Some("group"), [400, 0, 100, 20, 0]),
    });
    api.write(&api::create("p", "DESIGN", &json!({"nodes": nodes})));
    let wanted = json!({"width": 64, "height": 48, "x": 90, "y": 450});
    let held = files.hold("p", "s", &wanted).expect(200).json();
    let shape = box_corners(&held["bounds"]);
    assert!(is_apart(&shape, &corners(&nodes, "picture")), "{held}");
    // Where the numbers would have it, there is room.
    let free = json!({"width": 64, "height": 48, "x": 500, "y": 50});
    let held = files.hold("p", "t", &free).expect(200).json();
    assert_eq!(
        (held["bounds"]["x"].as_f64(), held["bounds"]["y"].as_f64()),
        (Some(500.0), Some(50.0))
    );
}

/// Slots and inserted images claim from one another what is free, also at the same time.
#[test]
fn slots_and_inserted_images_claim_no_place_twice() {
    let (_server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let image = asset(&files, 1);
    let insert = |number: usize| {
        let size = json!({"width": 100 + number, "height": 80});
        let (path, body) = match number % 2 {
            0 => ("/v1/pages/p/images", json!({"assetId": image, "bounds": size})),
            _ => (
                "/v1/images",
                json!({"assetId": image, "bounds": size, "relatedPage": "p"}),
            ),
        };
        api.send(&Write::new("POST", path.to_owned(), &body)).expect(201);
    };
    let hold = |number: usize| files.hold("p", &format!("s{number}"), &size()).expect(200).json();
    let first = hold(99);
    let held = at_once(0..24, |number| match number % 3 {
        0 => {
            insert(number);
            None
        }
        1 => {
            files.place("p", &format!("lost{number}"), &image).expect(200);
            None
        }
        _ => Some(hold(number)),
    });
    let mut boxes: Vec<Json> = held
        .into_iter()
        .flatten()
        .chain([first])
        .map(|held| held["bounds"].clone())
        .collect();
    let all = nodes(&api, "p");
    assert_eq!((boxes.len(), all.len()), (9, 16));
    boxes.extend(all.iter().map(|node| node["geometry"].clone()));
    expect_apart(&boxes);
    // A place that is given up is free for either.
    let before = boxes[0].clone();
    files.0.send("DELETE", "/v1/pages/p/slots/s2", &[], &[]).expect(204);
    let body = json!({"assetId": image, "bounds": before});
    api.send(&Write::new("POST", "/v1/pages/p/images".to_owned(), &body))
        .expect(201);
    let next = hold(98);
    assert!(!overlap(&next["bounds"], &before), "{next}");
}
