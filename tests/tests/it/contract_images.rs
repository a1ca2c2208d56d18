//! Images: delivery only ever adds, side by side, and an image changes only as it is told to.

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, text};
use serde_json::json;

use crate::contract_agent::{board, page, text_at, usual_board};
use crate::story::{ANN, BOT, PAGE, Story, move_to};

fn insert(body: &Json) -> Write {
    Write::new("POST", format!("/v1/pages/{PAGE}/images"), body).by(BOT)
}

fn anywhere(body: &Json) -> Write {
    Write::new("POST", "/v1/images".to_owned(), body).by(BOT)
}

fn change(node: &str, tag: &str, body: &Json) -> Write {
    Write::new("PATCH", format!("/v1/pages/{PAGE}/images/{node}"), body)
        .on_tag(tag)
        .by(BOT)
}

/// The one node that an answer's event added.
#[track_caller]
fn added(written: &Json) -> Json {
    let events = written["events"].as_array().unwrap();
    let ops = events[0]["delta"].as_array().unwrap();
    assert_eq!(
        (events.len(), ops.len(), &ops[0]["op"]),
        (1, 1, &json!("addNode")),
        "{written}"
    );
    ops[0]["node"].clone()
}

/// Boxes of the images of a page.
fn boxes(api: &Api, page: &str) -> Vec<[f64; 4]> {
    let value = api.page(page)["value"].clone();
    let nodes = value["nodes"].as_object().unwrap().values();
    let geometry = |node: &Json| ["x", "y", "width", "height"].map(|side| node["geometry"][side].as_f64().unwrap());
    nodes.map(geometry).collect()
}

#[track_caller]
fn expect_apart(boxes: &[[f64; 4]]) {
    for (index, one) in boxes.iter().enumerate() {
        for other in &boxes[..index] {
            let apart = |at: usize| one[at] >= other[at] + other[at + 2] || other[at] >= one[at] + one[at + 2];
            assert!(apart(0) || apart(1), "{one:?} {other:?}");
        }
    }
}

#[test]
fn an_image_is_one_new_node() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    let bounds = json!({ "x": 10, "y": 20, "width": 300, "height": 200.5 });
    let write = insert(&json!({ "assetId": "a-1", "nodeId": "hero", "bounds": bounds }));
    let answer = story.api.send(&write).expect(201);
    assert_eq!(answer.header("location"), Some("/v1/pages/p"));
    let written = answer.json();
    let node = added(&written);
    assert_eq!(
        (&node["id"], &node["type"], &node["props"]),
        (&json!("hero"), &json!("image"), &json!({ "assetId": "a-1" }))
    );
    assert_eq!(
        node["geometry"],
        json!({ "x": 10, "y": 20, "width": 300, "height": 200.5, "rotation": 0 })
    );
    assert_eq!(
        (&written["operation"], &written["editorType"]),
        (&json!("insert_image"), &json!("design"))
    );
    // Sent again it is the same node; another image is never the same node.
    let again = story.expect_nothing_changes(|| story.api.send(&write)).expect(201);
    assert_eq!(
        (again.header("idempotency-replayed"), again.json()),
        (Some("true"), written)
    );
    let taken = insert(&json!({ "assetId": "a-2", "nodeId": "hero" }));
    story
        .expect_nothing_changes(|| story.api.send(&taken))
        .expect_problem(409, "node_exists");
    let redo = added(&story.api.send(&insert(&json!({ "assetId": "a-1" }))).expect(201).json());
    assert!(text(&redo["id"]).starts_with("i-"), "{redo}");
    story.expect_way_back();
}

#[test]
fn images_delivered_at_once_lie_side_by_side() {
    let story = usual_board();
    std::thread::scope(|scope| {
        for index in 0..8 {
            let size = json!({ "width": 200 + 40 * index, "height": 300 });
            let body = json!({ "assetId": format!("a-{index}"), "bounds": size });
            let story = &story;
            scope.spawn(move || story.api.send(&insert(&body)).expect(201));
        }
    });
    let value = story.value();
    let images: Vec<[f64; 4]> = value["nodes"]
        .as_object()
        .unwrap()
        .values()
        .filter(|node| node["type"] != "group" && node["parentId"].is_null())
        .map(|node| ["x", "y", "width", "height"].map(|side| node["geometry"][side].as_f64().unwrap()))
        .collect();
    assert_eq!(images.len(), 8 + 3);
    expect_apart(&images);
    assert_eq!(story.head(), 9);
}

#[test]
fn what_no_image_can_be_is_refused() {
    let story = page(&json!({}));
    for body in [
        json!({}),
        json!({ "assetId": 1 }),
        json!({ "assetId": "a", "bounds": { "x": 1 } }),
        json!({ "assetId": "a", "bounds": { "width": 0, "height": 1 } }),
        json!({ "assetId": "a", "bounds": { "width": 1e300, "height": 1 } }),
        json!({ "assetId": "a", "bounds": [] }),
        json!({ "assetId": "a", "relatedPage": "p" }),
    ] {
        let answer = story.expect_nothing_changes(|| story.api.send(&insert(&body)));
        answer.expect_problem(400, "malformed");
    }
    let doc = Story::new("DOC", &json!([{ "insert": "Hello\n" }]));
    let answer = doc.expect_nothing_changes(|| doc.api.send(&insert(&json!({ "assetId": "a" }))));
    answer.expect_problem(422, "no_canvas");
    story.send(ANN, api::delete(PAGE, 1)).expect(200);
    story
        .api
        .send(&insert(&json!({ "assetId": "a" })))
        .expect_problem(410, "page_deleted");
}

#[test]
fn an_image_changes_as_it_is_told_and_its_asset_only_when_told_so() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    story
        .api
        .send(&insert(&json!({ "assetId": "a-1", "nodeId": "hero" })))
        .expect(201);
    let body = json!({ "geometry": { "x": 5, "rotation": 90 }, "props": { "opacity": 0.5 } });
    let written = story.api.write(&change("hero", "\"2.0\"", &body));
    assert_eq!(written["operation"], "update_image");
    let hero = story.value()["nodes"]["hero"].clone();
    assert_eq!(
        (&hero["geometry"]["x"], &hero["geometry"]["rotation"]),
        (&json!(5), &json!(90))
    );
    assert_eq!(hero["props"], json!({ "assetId": "a-1", "opacity": 0.5 }));
    for body in [
        json!({ "assetId": "a-2" }),
        json!({ "props": { "assetId": "a-2" } }),
        json!({ "props": { "assetId": null } }),
    ] {
        let answer = story.expect_nothing_changes(|| story.api.send(&change("hero", "\"3.0\"", &body)));
        answer.expect_problem(422, "asset_kept");
    }
    story.api.write(&change(
        "hero",
        "\"3.0\"",
        &json!({ "assetId": "a-2", "replaceAsset": true, "props": { "opacity": null } }),
    ));
    assert_eq!(story.props("hero"), json!({ "assetId": "a-2" }));
    // A stale change is brought to the head, where nothing stands in its way.
    story.edit(ANN, json!([move_to("hero", 50)]));
    let written = story
        .api
        .write(&change("hero", "\"4.0\"", &json!({ "geometry": { "y": 7 } })));
    assert_eq!(written["rebase"]["over"], 5);
    let stale = change("hero", "\"4.0\"", &json!({ "geometry": { "x": 8 } }));
    story
        .expect_nothing_changes(|| story.api.send(&stale))
        .expect_problem(409, "version_conflict");
    let head = story.tag();
    for (node, body, status, code) in [
        ("t", json!({ "geometry": { "x": 1 } }), 422, "not_an_image"),
        ("nobody", json!({ "geometry": { "x": 1 } }), 422, "node_unknown"),
        ("hero", json!({ "geometry": { "z": 1 } }), 400, "malformed"),
        ("hero", json!({ "geometry": { "x": "1" } }), 400, "malformed"),
    ] {
        let answer = story.expect_nothing_changes(|| story.api.send(&change(node, &head, &body)));
        answer.expect_problem(status, code);
    }
    let no_base = change("hero", &head, &json!({ "geometry": { "x": 1 } })).without_base();
    story.api.send(&no_base).expect_problem(428, "base_required");
}

#[test]
fn images_without_a_page_share_one_new_canvas_a_turn() {
    let (_server, api) = api::start();
    let pages: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|index| {
                let write = anywhere(&json!({ "assetId": format!("a-{index}"), "file": "menu" })).in_turn("t");
                let api = &api;
                scope.spawn(move || text(&api.send(&write).expect(201).json()["page"]).to_owned())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(pages.iter().all(|page| *page == pages[0]), "{pages:?}");
    let canvas = api.page(&pages[0]);
    assert_eq!(
        (&canvas["file"], &canvas["value"]["attributes"]["presetId"]),
        (&json!("menu"), &json!("whiteboard"))
    );
    assert_eq!((canvas["version"].as_u64(), boxes(&api, &pages[0]).len()), (Some(9), 8));
    expect_apart(&boxes(&api, &pages[0]));
    assert_eq!(
        api.read("/v1/pages?file=menu")["pages"].as_array().map(Vec::len),
        Some(1)
    );
    // The next turn finds the canvas of the file; one of another file has its own.
    let to = |write: Write| text(&api.send(&write).expect(201).json()["page"]).to_owned();
    assert_eq!(
        to(anywhere(&json!({ "assetId": "b", "file": "menu" })).in_turn("u")),
        pages[0]
    );
    assert_ne!(
        to(anywhere(&json!({ "assetId": "b", "file": "other" })).in_turn("u")),
        pages[0]
    );
    // Where it was deleted, there is another.
    api.write(&api::delete(&pages[0], 10));
    let write = anywhere(&json!({ "assetId": "c", "file": "menu" })).in_turn("t");
    let next = to(write.clone());
    assert_ne!(next, pages[0]);
    assert_eq!(to(write), next, "a retry");
    assert_eq!(boxes(&api, &next).len(), 1);
    // Without a file a turn has its own canvas.
    let loose = to(anywhere(&json!({ "assetId": "d" })).in_turn("t"));
    assert_eq!(to(anywhere(&json!({ "assetId": "e" })).in_turn("t")), loose);
    assert_ne!(to(anywhere(&json!({ "assetId": "f" })).in_turn("v")), loose);
}

#[test]
fn an_image_goes_to_the_page_that_it_belongs_to() {
    let story = board(&json!({}));
    let write = anywhere(&json!({ "assetId": "a", "relatedPage": "p", "file": "menu" })).key("k");
    assert_eq!(story.api.send(&write).expect(201).json()["page"], "p");
    story
        .api
        .write(&api::create("doc", "DOC", &json!([{ "insert": "\n" }])));
    for related in ["doc", "nowhere"] {
        let write = anywhere(&json!({ "assetId": "b", "relatedPage": related, "file": "menu" }));
        let page = story.api.send(&write).expect(201).json()["page"].clone();
        assert!(text(&page).starts_with("canvas-"), "{page}");
    }
    // A retry comes to where the first sending went, also when that page is gone.
    story.send(ANN, api::delete(PAGE, 2)).expect(200);
    let again = story.api.send(&write).expect(201);
    assert_eq!(
        (again.header("idempotency-replayed"), &again.json()["page"]),
        (Some("true"), &json!("p"))
    );
}
