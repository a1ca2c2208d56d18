//! One node for a slot, whichever way its image comes in; what is no image for it is refused or fails it.

use recto_tests::api::{self, Api, Write};
use recto_tests::http::Answer;
use recto_tests::images::Files;
use serde_json::json;

use crate::slots_studio::{asset, end_of, follow, is_replay, next_slot, nodes, shown, size, studio};

/// A way on which an image comes onto a page under a slot's id.
type Way = fn(&Api, &Files, &str, &str) -> Answer;

const WAYS: [(&str, Way); 6] = [
    ("place", |_, files, slot, asset| files.place("p", slot, asset)),
    ("place on another page", |_, files, slot, asset| {
        files.place("q", slot, asset)
    }),
    ("insert", |api, _, slot, asset| {
        insert(api, "/v1/pages/p/images", slot, asset)
    }),
    ("insert on another page", |api, _, slot, asset| {
        insert(api, "/v1/pages/q/images", slot, asset)
    }),
    ("insert on the canvas", |api, _, slot, asset| {
        let body = json!({"assetId": asset, "file": "menu"});
        api.send(&Write::new("POST", "/v1/images".to_owned(), &body).key(slot))
    }),
    ("insert on the related page", |api, _, slot, asset| {
        let body = json!({"assetId": asset, "relatedPage": "p"});
        api.send(&Write::new("POST", "/v1/images".to_owned(), &body).key(slot))
    }),
];

fn insert(api: &Api, path: &str, slot: &str, asset: &str) -> Answer {
    api.send(&Write::new("POST", path.to_owned(), &json!({"assetId": asset})).key(slot))
}

fn two_pages(api: &Api) {
    api.write(&api::create("p", "DESIGN", &json!({})));
    api.write(&api::create("q", "DESIGN", &json!({})));
}

/// The worker placed the image, and the client falls back to inserting it under the same id; or the other way round.
#[test]
fn an_image_is_delivered_once_whichever_ways_it_comes_in() {
    let (server, api, files, _service) = studio();
    two_pages(&api);
    let mut seed = 0;
    for (first, by) in WAYS {
        for (second, again) in WAYS {
            seed += 1;
            let (asset, slot) = (asset(&files, seed), format!("s{seed}"));
            let told = format!("{first}, then {second}");
            files.hold("p", &slot, &size()).expect(200);
            let one = by(&api, &files, &slot, &asset);
            assert!(one.status < 300 && !is_replay(&one), "{told}: {one}");
            let other = again(&api, &files, &slot, &asset);
            assert_eq!(shown(&api, &asset), 1, "{told}: {other}");
            match other.status {
                200 | 201 => assert!(is_replay(&other), "{told}: {other}"),
                _ => drop(other.expect_problem(422, "idempotency_key_reused")),
            }
            // Whichever it was, the slot is filled, and its command tells where.
            let held = files.hold("p", &slot, &size()).expect(200).json();
            assert_eq!(held["status"], "placed", "{told}");
            let command = api.get(&format!("/v1/commands/{slot}")).expect(200).json();
            assert_eq!(held["pageId"], command["page"], "{told}");
        }
    }
    server.assert_calm();
}

#[test]
fn an_image_that_comes_in_by_all_ways_at_once_is_one_node() {
    let (server, api, files, _service) = studio();
    two_pages(&api);
    for round in 0..8 {
        let (asset, slot) = (asset(&files, round), format!("s{round}"));
        files.hold("p", &slot, &size()).expect(200);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let (api, files, slot, asset) = (&api, &files, &slot, &asset);
            let all = WAYS.map(|(_, way)| scope.spawn(move || way(api, files, slot, asset)));
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(shown(&api, &asset), 1, "{answers:?}");
        let fresh = answers.iter().filter(|one| one.status < 300 && !is_replay(one));
        assert_eq!(fresh.count(), 1, "{answers:?}");
        for refused in answers.into_iter().filter(|one| one.status >= 300) {
            refused.expect_problem(422, "idempotency_key_reused");
        }
    }
    server.assert_calm();
}

#[test]
fn a_filled_slot_takes_no_other_image_and_the_same_one_by_any_name() {
    let (_server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let (one, other) = (asset(&files, 1), asset(&files, 2));
    files.hold("p", "s", &size()).expect(200);
    let placed = files.place("p", "s", &one).expect(200).json();
    files
        .place("p", "s", &other)
        .expect_problem(422, "idempotency_key_reused");
    files
        .place("p", "s", "nothing")
        .expect_problem(404, "attachment_not_found");
    for name in [one.as_str(), "/mnt/attachments/image-1", "image-1"] {
        let again = files.place("p", "s", name).expect(200);
        assert!(is_replay(&again), "{again}");
        assert_eq!(again.json(), placed);
    }
    assert_eq!(nodes(&api, "p").len(), 1);
}

/// The model was given `/mnt/attachments/…`, and hands it on to whichever tool delivers or changes an image.
#[test]
fn an_attachment_becomes_an_asset_on_every_way_onto_a_page() {
    let (_server, api, files, _service) = studio();
    two_pages(&api);
    let (one, other) = (asset(&files, 1), asset(&files, 2));
    let path = "/mnt/attachments/image-1";
    for (number, (name, way)) in WAYS.into_iter().enumerate() {
        let answer = way(&api, &files, &format!("s{number}"), path);
        assert!(answer.status < 300, "{name}: {answer}");
        assert_eq!(shown(&api, &one), number + 1, "{name}");
    }
    let body = json!({"assetId": "/mnt/attachments/image-2", "replaceAsset": true});
    let node = insert(&api, "/v1/pages/q/images", "k", &one).json()["events"][0]["delta"][0]["node"]["id"].clone();
    let change = format!("/v1/pages/q/images/{}", node.as_str().unwrap());
    let change = Write::new("PATCH", change, &body).on(api.head("q"));
    api.write(&change);
    assert_eq!(shown(&api, &other), 1);
    // What is not there, or is no image, comes onto no page.
    files.upload("text", "text/plain", b"hello").expect(201);
    let before = (api.head("p"), api.head("q"));
    for (given, status, code) in [
        ("/mnt/attachments/nothing", 404, "attachment_not_found"),
        ("/mnt/attachments/text", 422, "unsupported_format"),
        ("/mnt/attachments/a/b", 422, "file_id_illegal"),
    ] {
        for (_, way) in WAYS {
            way(&api, &files, "t", given).expect_problem(status, code);
        }
        let body = json!({"assetId": given, "replaceAsset": true});
        let change = Write::new("PATCH", change.path.clone(), &body).on(api.head("q"));
        api.send(&change).expect_problem(status, code);
    }
    assert_eq!((api.head("p"), api.head("q")), before);
}

#[test]
fn an_image_that_cannot_be_used_fails_its_slot_and_frees_the_place() {
    let (server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    files.upload("text", "text/plain", b"hello").expect(201);
    let mut feed = follow(&server, "p");
    let stranger = "0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f";
    for (given, status, code, reason) in [
        ("nothing", 404, "attachment_not_found", "attachment_not_found"),
        ("text", 422, "unsupported_format", "not_an_image"),
        (stranger, 404, "asset_not_found", "asset_not_found"),
        ("a/b", 422, "file_id_illegal", "unusable_image"),
    ] {
        let held = files.hold("p", "s", &size()).expect(200).json();
        assert_eq!(next_slot(&mut feed), held, "{given}");
        files.place("p", "s", given).expect_problem(status, code);
        let news = next_slot(&mut feed);
        assert_eq!(
            (&news["status"], &news["reason"], &news["bounds"]),
            (&json!("failed"), &json!(reason), &held["bounds"])
        );
    }
    assert_eq!(api.head("p"), 1);
}

#[test]
fn what_can_be_no_place_is_refused_and_the_slot_stays() {
    let (server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let image = asset(&files, 1);
    let mut feed = follow(&server, "p");
    files.hold("p", "s", &size()).expect(200);
    assert_eq!(next_slot(&mut feed)["status"], "pending");
    for slot in ["s", "lost"] {
        for (more, value) in [
            ("x", json!(2e6)),
            ("y", json!(-2e6)),
            ("width", json!(0)),
            ("width", json!(1e6)),
        ] {
            let mut body = json!({"assetId": image, more: value});
            if more == "width" {
                body["height"] = json!(9);
            }
            let path = format!("/v1/pages/p/slots/{slot}/place");
            files
                .json("POST", &path, &body)
                .expect_problem(422, "slot_bounds_illegal");
        }
    }
    files.place("p", "s", &image).expect(200);
    assert_eq!(end_of(&mut feed, "s")["status"], "placed");
    assert_eq!(api.head("p"), 2);
}

/// What was held on a page that is gone is told with the page that it went to.
#[test]
fn a_slot_that_was_filled_elsewhere_says_where() {
    let (_server, api, files, _service) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    files.hold("p", "s", &size()).expect(200);
    api.write(&api::delete("p", 1));
    let placed = files.place("p", "s", &asset(&files, 1)).expect(200).json();
    assert_ne!(placed["pageId"], "p");
    let again = files.hold("p", "s", &size()).expect(200).json();
    for field in ["pageId", "node", "bounds", "slotId"] {
        assert_eq!(again[field], placed[field], "{field}");
    }
    assert_eq!(again["status"], "placed");
}

#[test]
fn the_images_of_a_deleted_page_without_a_file_share_one_canvas() {
    let (_server, api, files, _service) = studio();
    two_pages(&api);
    api.write(&api::delete("p", 1));
    let images: Vec<String> = (0..4).map(|seed| asset(&files, seed)).collect();
    let canvases: Vec<_> = std::thread::scope(|scope| {
        let place = |number: usize| {
            files
                .place("p", &format!("s{number}"), &images[number])
                .expect(200)
                .json()
        };
        let all: Vec<_> = (0..4).map(|number| scope.spawn(move || place(number))).collect();
        all.into_iter()
            .map(|one| one.join().unwrap()["pageId"].clone())
            .collect()
    });
    assert!(canvases.iter().all(|canvas| *canvas == canvases[0]), "{canvases:?}");
    assert_eq!(nodes(&api, canvases[0].as_str().unwrap()).len(), 4);
    assert_eq!(api.get("/v1/pages").json()["pages"].as_array().unwrap().len(), 2);
    // Those of another page have their own, and where a canvas was deleted there is another.
    api.write(&api::delete("q", 1));
    let other = files.place("q", "t", &images[0]).expect(200).json()["pageId"].clone();
    assert_ne!(other, canvases[0]);
    api.write(&api::delete(canvases[0].as_str().unwrap(), 5));
    let next = files.place("p", "u", &images[0]).expect(200).json()["pageId"].clone();
    assert!(next != canvases[0] && next != other, "{next}");
}
