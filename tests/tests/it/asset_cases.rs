//! F: what users met with files and backgrounds, each case by its number, with real files over HTTP.
//!
//! F6 is not among them. It is an asset that is collected once the last event that refers to it was compacted away, and
//! nothing compacts events yet: as long as one names an asset, the asset stays.

use recto_tests::Json;
use recto_tests::api::{self, Api, Write};
use recto_tests::images::{FakeService, Files};
use recto_tests::png::png;
use recto_tests::server::Server;
use recto_tests::sse::Stream;
use serde_json::json;

const PNG: &str = "image/png";

fn studio() -> (Server, Api, Files) {
    let server = Server::start();
    let (api, files) = (Api::of(&server), Files(server.client()));
    (server, api, files)
}

fn asset(files: &Files, id: &str, seed: u64) -> String {
    files.upload(id, PNG, &png(16, 16, seed)).expect(201);
    let asset = files.promote(id).expect(200).json();
    asset["assetId"].as_str().unwrap().to_owned()
}

fn image(id: &str, asset: &str) -> Json {
    let geometry = json!({"x": 0, "y": 0, "width": 16, "height": 16});
    json!({"op": "addNode", "node": {"id": id, "type": "image", "geometry": geometry, "props": {"assetId": asset}}})
}

fn background(id: &str, asset: &str) -> Json {
    json!({"id": id, "type": "image", "assetId": asset})
}

fn backgrounds(api: &Api, page: &str) -> Json {
    api.page(page)["value"]["attributes"]["backgrounds"].clone()
}

fn states(api: &Api, page: &str) -> Vec<(Json, Json)> {
    let found = api.get(&format!("/v1/pages/{page}/assets")).expect(200).json();
    let assets = found["assets"].as_array().unwrap().iter();
    assets
        .map(|one| (one["assetId"].clone(), one["state"].clone()))
        .collect()
}

fn collect(files: &Files) -> Json {
    let path = "/v1/assets/collect?olderThan=0";
    files.0.send("POST", path, &[], &[]).expect(200).json()
}

#[test]
fn f2_a_reference_that_lives_in_one_tab_comes_into_no_page_by_any_way() {
    let (server, api, files) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    api.write(&api::create("d", "DOC", &json!([{"insert": "x\n"}])));
    let good = asset(&files, "cat", 1);
    api.write(&api::deltas("p", 1, &json!([[image("n", &good)]])));
    for (scheme, reference) in [
        ("blob:", "blob:http://localhost/1-2"),
        ("data:", "data:image/png;base64,AAAA"),
    ] {
        let node = json!({"type": "image", "parentId": null, "geometry": {"x": 0, "y": 0, "width": 9, "height": 9, "rotation": 0}, "props": {"src": reference}});
        let set = |pointer: &str| json!([[{"op": "setNode", "id": "n", "set": {pointer: reference}}]]);
        let put = json!([[{"op": "addBackground", "background": background("b", reference)}]]);
        let first = json!({"nodes": {"n": node}});
        let insert = json!({"assetId": reference});
        let change = json!({"assetId": reference, "replaceAsset": true});
        for write in [
            api::deltas("p", 2, &json!([[image("m", reference)]])),
            api::deltas("p", 2, &set("/props/assetId")),
            api::deltas("p", 2, &set("/props/src")),
            api::deltas("p", 2, &put),
            api::deltas("d", 1, &json!([[{"insert": {"image": reference}}]])),
            api::replace("p", 2, &first),
            api::create("q", "DESIGN", &first),
            Write::new("POST", "/v1/pages/p/images".to_owned(), &insert),
            Write::new("PATCH", "/v1/pages/p/images/n".to_owned(), &change).on(2),
        ] {
            let problem = api.send(&write).expect_problem(422, "reference_temporary").json();
            assert_eq!(problem["scheme"], scheme, "{problem}");
        }
    }
    assert_eq!(api.page("p")["headVersion"], 2);
    assert_eq!(api.page("d")["headVersion"], 1);
    api.get("/v1/pages/q").expect_problem(404, "page_not_found");
    server.assert_calm();
}

#[test]
fn f2_what_waits_for_its_upload_is_resolved_in_every_node_on_every_page() {
    let (_server, api, files) = studio();
    let path = "/mnt/attachments/cat one.png";
    // The element is put down, duplicated, and copied to another page, before the file is an asset.
    let both = json!([[image("n", path), image("copy", path)]]);
    for page in ["p", "q"] {
        api.write(&api::create(page, "DESIGN", &json!({})));
        api.write(&api::deltas(page, 1, &both));
        assert_eq!(states(&api, page), [(json!(path), json!("missing"))]);
    }
    files.upload("cat one.png", PNG, &png(16, 16, 1)).expect(201);
    assert_eq!(states(&api, "p"), [(json!(path), json!("pending"))]);
    let asset = files.promote("cat one.png").expect(200).json()["assetId"].clone();
    for page in ["p", "q"] {
        let found = api.get(&format!("/v1/pages/{page}/assets")).expect(200).json();
        assert_eq!(
            found["assets"],
            json!([{"assetId": path, "state": "present", "asset": asset}])
        );
        assert_eq!(api.page(page)["headVersion"], 2);
    }
    // The path keeps the asset as its id does.
    assert_eq!(collect(&files)["unused"], json!([]));
}

#[test]
fn f4_an_element_saved_before_its_file_is_told_as_missing_and_a_refresh_shows_it() {
    let (_server, api, files) = studio();
    let gone = asset(&files, "cat", 1);
    assert_eq!(collect(&files)["unused"][0]["assetId"], gone.as_str());
    api.write(&api::create("p", "DESIGN", &json!({})));
    api.write(&api::deltas("p", 1, &json!([[image("n", &gone)]])));
    assert_eq!(states(&api, "p"), [(json!(gone), json!("missing"))]);
    for path in [format!("/v1/assets/{gone}"), format!("/v1/assets/{gone}/content")] {
        let refused = api.get(&path).expect_problem(404, "asset_not_found");
        // Nobody keeps the refusal.
        assert_eq!(refused.header("cache-control"), Some("no-store"), "{refused}");
    }
    files.promote("cat").expect(200);
    assert_eq!(states(&api, "p"), [(json!(gone), json!("present"))]);
    let content = api.get(&format!("/v1/assets/{gone}/content")).expect(200);
    assert_eq!(content.body, png(16, 16, 1));
}

#[test]
fn f7_undo_never_takes_the_background_that_a_page_began_with() {
    let (_server, api, files) = studio();
    let first = background("b", &asset(&files, "cat", 1));
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({"attributes": {"backgrounds": [first]}}),
    ));
    api.write(&api::deltas("p", 1, &json!([[image("n", &asset(&files, "dog", 2))]])));
    api.write(&api::undo("p", 2, &json!({})));
    for _ in 0..4 {
        let refused = api.send(&api::undo("p", 3, &json!({})));
        refused.expect_problem(409, "nothing_to_undo");
    }
    assert_eq!(backgrounds(&api, "p"), json!([first]));
    assert_eq!(collect(&files)["unused"], json!([]));
}

#[test]
fn f8_undo_of_a_second_background_brings_back_the_first_with_its_image() {
    let (_server, api, files) = studio();
    api.write(&api::create("p", "DESIGN", &json!({})));
    let (one, two) = (asset(&files, "one", 1), asset(&files, "two", 2));
    let put = |id: &str, asset: &str| json!({"op": "addBackground", "background": background(id, asset)});
    api.write(&api::deltas("p", 1, &json!([[put("b1", &one)]])));
    api.write(&api::deltas(
        "p",
        2,
        &json!([[{"op": "removeBackground", "id": "b1"}, put("b2", &two)]]),
    ));
    // Nothing on the page shows the first one now; it is kept all the same.
    assert_eq!(collect(&files)["unused"], json!([]));
    api.write(&api::undo("p", 3, &json!({})));
    assert_eq!(backgrounds(&api, "p"), json!([background("b1", &one)]));
    assert_eq!(states(&api, "p"), [(json!(one), json!("present"))]);
    api.write(&api::redo("p", 4, &json!({})));
    assert_eq!(backgrounds(&api, "p"), json!([background("b2", &two)]));
    assert_eq!(states(&api, "p"), [(json!(two), json!("present"))]);
}

#[test]
fn f10_a_replacement_that_fails_leaves_the_old_image_and_makes_no_event() {
    let service = FakeService::new();
    let server = Server::start_with(&["--image-service", &service.url(), "--image-poll-ms", "1"]);
    let (api, files) = (Api::of(&server), Files(server.client()));
    let old = asset(&files, "cat", 1);
    api.write(&api::create("p", "DESIGN", &json!({})));
    api.write(&api::deltas("p", 1, &json!([[image("n", &old)]])));
    service.plan(&json!({"ending": {"code": "no_image", "message": "nothing"}}));
    let body = json!({"taskType": "edit", "payload": {"prompt": "at night", "sources": [old]}});
    let task = files.run(&body).expect(200).json();
    assert_eq!(
        (&task["status"], &task["reason"]),
        (&json!("failed"), &json!("no_image"))
    );
    let slot = json!({"width": 16, "height": 16, "taskKey": task["key"]});
    let mut feed = Stream::open(server.address(), "/v1/pages/p/feed", &[]).unwrap();
    files.hold("p", "s", &slot).expect(200);
    let failed = std::iter::from_fn(|| feed.next_event())
        .find(|event| event.name == "agent-image-slot" && event.json()["status"] != "pending");
    assert_eq!(failed.expect("news of the slot").json()["reason"], "no_image");
    let page = api.page("p");
    assert_eq!(
        (&page["headVersion"], &page["value"]["nodes"]["n"]["props"]["assetId"]),
        (&json!(2), &json!(old))
    );
}

#[test]
fn f11_a_version_whose_asset_was_purged_is_restored_and_says_what_is_missing() {
    let (server, api, files) = studio();
    let (gone, kept) = (asset(&files, "gone", 1), asset(&files, "kept", 2));
    api.write(&api::create("p", "DESIGN", &json!({})));
    let text = json!([{"insert": format!("{kept}\n")}]);
    api.write(&api::create("d", "DOC", &text));
    assert_eq!(collect(&files)["unused"][0]["assetId"], gone.as_str());
    api.write(&api::deltas("p", 1, &json!([[image("a", &gone), image("b", &kept)]])));
    let away = json!([[{"op": "removeNode", "id": "a"}, {"op": "removeNode", "id": "b"}]]);
    api.write(&api::deltas("p", 2, &away));
    let restore = api::restore("p", 3, 2);
    let written = api.write(&restore);
    assert_eq!((&written["restoredFrom"], &written["version"]), (&json!(2), &json!(4)));
    let warnings = written["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{written}");
    assert_eq!(
        (&warnings[0]["code"], &warnings[0]["assetId"]),
        (&json!("asset_missing"), &json!(gone))
    );
    assert_eq!(api.page("p")["value"]["nodes"].as_object().unwrap().len(), 2);
    // A retry gets the first answer, also where the asset is back by then.
    files.promote("gone").expect(200);
    assert_eq!(api.write(&restore), written);
    let missing = api.get("/v1/pages/p/assets").expect(200).json()["missing"].clone();
    assert_eq!(missing, json!([]));
    server.assert_calm();
}
