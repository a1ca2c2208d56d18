//! The process ends at each named point of an upload and a promotion: in the end there is one asset, one blob, and the
//! books agree.

use recto_tests::images::{Files, count_files};
use recto_tests::png::png;
use recto_tests::server::{Place, started};

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
        assert_eq!(files.collection()["assets"], 1, "{point}");
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

#[test]
fn a_point_that_is_none_is_refused_at_the_start() {
    let refused = Place::new().start(&["--crash-at", "nowhere:1"]).expect_err("it starts");
    assert!(refused.log.contains("promote-uploaded"), "{}", refused.log);
}

/// Every point that there is, is one at which a test ends the process.
#[test]
fn every_point_has_its_test() {
    let tests = [include_str!("assets_crash.rs"), include_str!("image_tasks_crash.rs")].concat();
    for point in recto_pages::Point::ALL {
        let name = format!("\"{}", point.as_str());
        assert!(tests.contains(&name), "no test ends the process at {}", point.as_str());
    }
}
