//! The process ends at each named point of an upload and a promotion: in the end there is one asset, one blob, and the
//! books agree.

use recto_tests::api::{self, Api};
use recto_tests::images::{Files, count_files};
use recto_tests::png::png;
use recto_tests::server::{Place, started};
use serde_json::json;

const PNG: &str = "image/png";

#[test]
fn a_crash_at_any_point_of_a_promotion_leaves_one_asset() {
    for point in ["promote-reserved", "promote-uploaded", "promote-committed"] {
        let place = Place::new();
        let bytes = png(20, 10, 1);
        let server = started(place.start(&["--crash-at", &format!("{point}:1")]));
        let files = Files(server.client());
        files.upload("cat", PNG, &bytes).expect(201);
        assert!(files.try_promote("cat").is_none(), "{point} is not reached");
        let (status, place) = server.ended();
        assert!(!status.success(), "{point}");
        let blobs = place.data().join("files/blobs");
        let uploaded = usize::from(point != "promote-reserved");
        assert_eq!(count_files(&blobs), uploaded, "{point} lies outside its window");

        // It crashes once more in the recovery, and then never again.
        let again = place.start(&["--crash-at", &format!("{point}:1")]);
        assert_eq!(again.is_err(), point != "promote-committed", "{point} in the recovery");
        drop(again);
        let server = started(place.start(&[]));
        let files = Files(server.client());
        let ids: Vec<_> = std::thread::scope(|scope| {
            let workers = [(); 2].map(|()| scope.spawn(|| files.promote("cat").expect(200).json()));
            workers.map(|worker| worker.join().unwrap()).into()
        });
        assert_eq!(ids[0], ids[1], "{point}");
        let collection = files.collection();
        assert_eq!(collection["assets"], 1, "{point}");
        assert_eq!(collection["unused"][0]["assetId"], ids[0]["assetId"], "{point}");
        assert_eq!(count_files(&blobs), 1, "{point}");
        let content = files.0.get(ids[0]["content"].as_str().unwrap()).expect(200);
        assert_eq!(content.body, bytes, "{point}");
        server.assert_calm();
    }
}

#[test]
fn a_crash_in_an_upload_leaves_no_file_behind() {
    let place = Place::new();
    let server = started(place.start(&["--crash-at", "attach-stored:1"]));
    let client = server.client();
    let sent = client.try_send("PUT", "/v1/attachments/cat", &[("content-type", PNG)], &png(20, 10, 1));
    assert!(sent.is_err(), "the point is not reached");
    let (_, place) = server.ended();
    let stored = place.data().join("files/files");
    assert_eq!(count_files(&stored), 1, "the point lies outside its window");

    let server = started(place.start(&[]));
    let files = Files(server.client());
    assert_eq!(count_files(&stored), 0);
    files.promote("cat").expect_problem(404, "attachment_not_found");
    files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
    files.promote("cat").expect(200);
    assert_eq!(count_files(&stored), 1);
}

/// What object_store leaves of a file that it was writing: it lists none of these.
#[test]
fn parts_of_files_go_at_the_next_start() {
    let server = started(Place::new().start(&[]));
    let files = Files(server.client());
    files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
    files.promote("cat").expect(200);
    let place = server.stop();
    let root = place.data().join("files");
    for sort in ["files", "blobs"] {
        let workspace = std::fs::read_dir(root.join(sort)).unwrap().next().unwrap().unwrap();
        for name in ["0192f0c1#1", "0192f0c1#23"] {
            std::fs::write(workspace.path().join(name), b"half").unwrap();
        }
    }
    assert_eq!(count_files(&root), 6);
    let server = started(place.start(&[]));
    assert_eq!(count_files(&root), 2);
    let asset = Files(server.client()).promote("cat").expect(200).json();
    server.client().get(asset["content"].as_str().unwrap()).expect(200);
}

#[test]
fn a_collection_that_is_cut_off_is_finished_by_the_next_one() {
    let place = Place::new();
    let server = started(place.start(&["--crash-at", "collect-marked:1"]));
    let (files, api) = (Files(server.client()), Api::of(&server));
    let asset = |name: &str, seed| {
        files.upload(name, PNG, &png(20, 10, seed)).expect(201);
        let asset = files.promote(name).expect(200).json();
        asset["assetId"].as_str().unwrap().to_owned()
    };
    let (gone, wanted) = (asset("gone", 1), asset("wanted", 2));
    api.write(&api::create("p", "DOC", &json!([{"insert": "x\n"}])));
    let collect = "/v1/assets/collect?olderThan=0";
    assert!(
        files.0.try_send("POST", collect, &[], &[]).is_err(),
        "the point is not reached"
    );
    let (_, place) = server.ended();
    let blobs = place.data().join("files/blobs");
    assert_eq!(count_files(&blobs), 2, "the point lies outside its window");

    let server = started(place.start(&[]));
    let (files, api) = (Files(server.client()), Api::of(&server));
    for id in [&gone, &wanted] {
        files
            .0
            .get(&format!("/v1/assets/{id}"))
            .expect_problem(404, "asset_not_found");
    }
    // A page names one of them by now.
    let text = format!("see {wanted}");
    api.write(&api::deltas("p", 1, &json!([[{ "insert": text }]])));
    let told = |answer: recto_tests::http::Answer| {
        let found = answer.expect(200).json();
        let ids: Vec<_> = found["unused"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["assetId"].clone())
            .collect();
        (ids, found["bytes"].as_u64().unwrap())
    };
    let plan = told(
        files
            .0
            .send("POST", "/v1/assets/collect?olderThan=0&dryRun=true", &[], &[]),
    );
    let size = u64::try_from(png(20, 10, 1).len()).unwrap();
    assert_eq!(plan, (vec![json!(gone)], size));
    assert_eq!(told(files.0.send("POST", collect, &[], &[])), plan);
    assert_eq!(count_files(&blobs), 1);
    files.0.get(&format!("/v1/assets/{wanted}/content")).expect(200);
    files
        .0
        .get(&format!("/v1/assets/{gone}"))
        .expect_problem(404, "asset_not_found");
    assert_eq!(told(files.0.send("POST", collect, &[], &[])), (vec![], 0));
    server.assert_calm();
}

#[test]
fn a_point_that_is_none_is_refused_at_the_start() {
    let refused = Place::new().start(&["--crash-at", "nowhere:1"]).expect_err("it starts");
    assert!(refused.log.contains("promote-uploaded"), "{}", refused.log);
}

/// Every point that there is, is one at which a test ends the process.
#[test]
fn every_point_has_its_test() {
    let tests = [
        include_str!("assets_crash.rs"),
        include_str!("image_tasks_crash.rs"),
        include_str!("image_tasks_cancel.rs"),
    ];
    let tests = tests.concat();
    for point in recto_pages::Point::ALL {
        let name = format!("\"{}", point.as_str());
        assert!(tests.contains(&name), "no test ends the process at {}", point.as_str());
    }
}
