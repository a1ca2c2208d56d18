//! Files in a bucket: the same promises as in a directory, over a service that speaks S3, and what happens when that
//! service does not answer as it should.

use recto_tests::Json;
use recto_tests::bucket::{Bucket, Fault};
use recto_tests::http::Answer;
use recto_tests::images::{Files, count_files};
use recto_tests::png::png;
use recto_tests::server::{Place, Server, started};
use recto_tests::wait;

const PNG: &str = "image/png";
const PART_BYTES: usize = 5 * 1024 * 1024;
/// More than the server tries by itself.
const ALWAYS: usize = 1000;

fn place(bucket: &Bucket) -> Place {
    Place::new().with_variables(bucket.variables())
}

fn start(bucket: &Bucket) -> (Server, Files) {
    let server = started(place(bucket).start(&["--files", &Bucket::url()]));
    let files = Files(server.client());
    (server, files)
}

fn blobs(bucket: &Bucket) -> usize {
    count_files(&bucket.objects().join("blobs"))
}

fn stored(bucket: &Bucket) -> usize {
    count_files(&bucket.objects().join("files"))
}

/// A problem of the server's side.
#[track_caller]
fn problem(answer: Answer, status: u16, code: &str) -> Json {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{answer}");
    answer.json()
}

/// A real image with more bytes than so many whole parts of an upload have.
fn large_png(parts: usize) -> Vec<u8> {
    let mut bytes = png(8, 8, 1);
    let end = bytes.split_off(bytes.len() - 12);
    let note = u32::try_from(parts * PART_BYTES).unwrap();
    bytes.extend(note.to_be_bytes());
    bytes.extend(b"juNk");
    bytes.extend((0..note).map(|at| at.to_le_bytes()[0]));
    bytes.extend([0; 4]);
    bytes.extend(end);
    bytes
}

#[test]
fn files_in_a_bucket_are_stored_in_parts_read_in_part_shared_and_collected() {
    let bucket = Bucket::new();
    let (server, files) = start(&bucket);
    let large = large_png(2);
    for (id, bytes) in [("a", &large), ("b", &large), ("c", &png(9, 9, 2))] {
        files.upload(id, PNG, bytes).expect(201);
    }
    assert_eq!(bucket.asked("PUT", "partNumber=3&"), 2, "a large file goes in parts");
    assert_eq!(bucket.asked("POST", "?uploads"), 2, "a small one goes in one piece");
    let assets = ["a", "b", "c"].map(|id| files.promote(id).expect(200).json());
    assert_ne!(assets[0]["assetId"], assets[1]["assetId"]);
    assert_eq!(blobs(&bucket), 2);
    let path = assets[1]["content"].as_str().unwrap();
    assert_eq!(files.0.get(path).expect(200).body, large);
    let part = files.0.send("GET", path, &[("range", "bytes=5242870-5242890")], &[]);
    assert_eq!(part.expect(206).body, &large[5_242_870..=5_242_890]);

    let server = server.restart();
    let files = Files(server.client());
    assert_eq!(stored(&bucket), 3, "the recovery keeps what records name");
    assert_eq!(files.promote("a").expect(200).json(), assets[0]);
    let collect = || files.0.send("POST", "/v1/assets/collect?olderThan=0", &[], &[]);
    assert_eq!(collect().expect(200).json()["unused"].as_array().unwrap().len(), 3);
    assert_eq!(blobs(&bucket), 0);
    assert_eq!(files.promote("a").expect(200).json()["assetId"], assets[0]["assetId"]);
    assert_eq!(blobs(&bucket), 1);
    server.assert_calm();
}

#[test]
fn a_refused_or_broken_upload_leaves_no_parts_in_the_bucket() {
    let bucket = Bucket::new();
    // Far enough behind the first part, and before the end: bytes come in pieces.
    let (first, over) = (PART_BYTES + 1_000_000, PART_BYTES + 3_000_000);
    let limit = (PART_BYTES + 2_000_000).to_string();
    let server = started(place(&bucket).start(&["--files", &Bucket::url(), "--file-bytes-max", &limit]));
    let files = Files(server.client());
    let send = |length: usize, sent: usize| {
        let mut stream = recto_tests::raw::connect(server.address());
        let head = format!(
            "PUT /v1/attachments/cat HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n"
        );
        std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
        // The server may have refused it before all is sent.
        let _ = std::io::Write::write_all(&mut stream, &vec![7; sent]);
        stream
    };
    // Too large; and a chunk that is longer than it says.
    for (round, length) in [(1, over), (2, first)] {
        drop(send(length, over));
        let aborted = || (bucket.asked("DELETE", "uploadId=") == round).then_some(());
        wait::until("the end of the upload in parts", aborted);
        wait::until("no parts", || (bucket.left_over() == 0).then_some(()));
    }
    assert_eq!(bucket.asked("POST", "?uploads"), 2, "both were begun in parts");
    assert_eq!(stored(&bucket), 0);
    files.promote("cat").expect_problem(404, "attachment_not_found");
    server.assert_calm();
}

#[test]
fn a_crash_at_any_point_of_a_promotion_leaves_one_asset_in_the_bucket() {
    for (point, uploaded) in [
        ("promote-reserved", 0),
        ("promote-uploaded", 1),
        ("promote-committed", 1),
    ] {
        let bucket = Bucket::new();
        let place = place(&bucket);
        let armed = format!("{point}:1");
        let server = started(place.start(&["--files", &Bucket::url(), "--crash-at", &armed]));
        let files = Files(server.client());
        files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
        assert!(files.try_promote("cat").is_none(), "{point} is not reached");
        let (_, place) = server.ended();
        assert_eq!(blobs(&bucket), uploaded, "{point} lies outside its window");

        let server = started(place.start(&["--files", &Bucket::url()]));
        let files = Files(server.client());
        let assets: Vec<_> = std::thread::scope(|scope| {
            let workers = [(); 2].map(|()| scope.spawn(|| files.promote("cat").expect(200).json()));
            workers.map(|worker| worker.join().unwrap()).into()
        });
        assert_eq!(assets[0], assets[1], "{point}");
        assert_eq!(files.collection()["assets"], 1, "{point}");
        assert_eq!(blobs(&bucket), 1, "{point}");
        let content = files.0.get(assets[0]["content"].as_str().unwrap()).expect(200);
        assert_eq!(content.body, png(20, 10, 1), "{point}");
        server.assert_calm();
    }
}

#[test]
fn a_crash_in_an_upload_leaves_no_file_in_the_bucket() {
    let bucket = Bucket::new();
    let place = place(&bucket);
    let server = started(place.start(&["--files", &Bucket::url(), "--crash-at", "attach-stored:1"]));
    let sent = server
        .client()
        .try_send("PUT", "/v1/attachments/cat", &[("content-type", PNG)], &png(20, 10, 1));
    assert!(sent.is_err(), "the point is not reached");
    let (_, place) = server.ended();
    assert_eq!(stored(&bucket), 1, "the point lies outside its window");
    let server = started(place.start(&["--files", &Bucket::url()]));
    assert_eq!(stored(&bucket), 0);
    let files = Files(server.client());
    files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
    files.promote("cat").expect(200);
}

#[test]
fn two_workers_promote_the_same_content_at_once() {
    let bucket = Bucket::new();
    let (_server, files) = start(&bucket);
    for id in ["a", "b"] {
        files.upload(id, PNG, &png(20, 10, 1)).expect(201);
    }
    std::thread::scope(|scope| {
        for id in ["a", "b", "a", "b"] {
            scope.spawn(|| files.promote(id).expect(200));
        }
    });
    assert_eq!(files.collection()["assets"], 2);
    assert_eq!(blobs(&bucket), 1);
}

#[test]
fn a_bucket_that_is_away_is_passing_trouble_and_leaves_nothing() {
    for fault in [
        Fault::Refused(503, "SlowDown"),
        Fault::Refused(404, "NoSuchBucket"),
        Fault::Refused(403, "InvalidAccessKeyId"),
    ] {
        let bucket = Bucket::new();
        let (server, files) = start(&bucket);
        files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
        files.upload("kept", PNG, &png(20, 10, 3)).expect(201);
        let kept = files.promote("kept").expect(200).json();
        bucket.plan("", "", fault, ALWAYS);
        let away = |answer: Answer| {
            let problem = problem(answer, 503, "unavailable");
            assert_eq!(problem["retry"], true, "{problem}");
            problem["detail"].as_str().unwrap().to_owned()
        };
        let told = away(files.upload("dog", PNG, &png(20, 10, 2)));
        let Fault::Refused(status, code) = fault else {
            unreachable!()
        };
        assert!(told.contains(&format!("answers {status} {code}")), "{told}");
        away(files.promote("cat"));
        away(files.0.get(kept["content"].as_str().unwrap()));
        assert_eq!(stored(&bucket), 2);
        assert_eq!(blobs(&bucket), 1);

        bucket.heal();
        files.promote("dog").expect_problem(404, "attachment_not_found");
        files.promote("cat").expect(200);
        files.0.get(kept["content"].as_str().unwrap()).expect(200);
        assert_eq!(files.collection()["assets"], 2);
        server.assert_calm();
    }
}

#[test]
fn bytes_that_are_gone_from_the_bucket_are_damage_and_no_passing_trouble() {
    let bucket = Bucket::new();
    let (_server, files) = start(&bucket);
    files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
    let asset = files.promote("cat").expect(200).json();
    std::fs::remove_dir_all(bucket.objects().join("blobs")).unwrap();
    problem(files.0.get(asset["content"].as_str().unwrap()), 500, "corrupt");
}

/// The service does what it was asked to, and nobody hears of it: once, or until the client gives up and asks again.
#[test]
fn a_lost_answer_ends_in_one_file_one_blob_and_one_asset() {
    let (small, large) = (png(20, 10, 1), large_png(1));
    for (method, part, bytes) in [
        ("PUT", "/files/", &small),
        ("PUT", "/blobs/", &small),
        ("GET", "/files/", &small),
        ("PUT", "partNumber=1&", &large),
        ("POST", "?uploadId=", &large),
    ] {
        for times in [1, ALWAYS] {
            let what = format!("{method} {part} {times}");
            let bucket = Bucket::new();
            let (server, files) = start(&bucket);
            bucket.plan(method, part, Fault::Lost, times);
            let uploaded = files.upload("cat", PNG, bytes);
            let asset = (uploaded.status == 201).then(|| files.promote("cat"));
            assert!(bucket.asked(method, part) > 1, "{what}: nothing was lost");
            if times == 1 || method == "POST" {
                assert_eq!(uploaded.status, 201, "{what}: {uploaded}");
                assert_eq!(asset.unwrap().status, 200, "{what}");
            } else {
                let answer = asset.unwrap_or(uploaded);
                problem(answer, 503, "unavailable");
            }
            bucket.heal();
            files.upload("cat", PNG, bytes);
            let asset = files.promote("cat").expect(200).json();
            let content = files.0.get(asset["content"].as_str().unwrap()).expect(200);
            assert!(content.body == *bytes, "{what}");
            assert_eq!(files.collection()["assets"], 1, "{what}");
            assert_eq!(blobs(&bucket), 1, "{what}");
            // What an upload left whose end nobody heard of goes with the next start.
            let server = server.restart();
            assert_eq!(stored(&bucket), 1, "{what}");
            assert_eq!(bucket.left_over(), 0, "{what}");
            server.assert_calm();
        }
    }
}

#[test]
fn a_delete_whose_answer_is_lost_is_done() {
    let bucket = Bucket::new();
    let (_server, files) = start(&bucket);
    files.upload("cat", PNG, &png(20, 10, 1)).expect(201);
    files.promote("cat").expect(200);
    bucket.plan("DELETE", "/blobs/", Fault::Lost, 1);
    let collect = files.0.send("POST", "/v1/assets/collect?olderThan=0", &[], &[]);
    assert_eq!(collect.expect(200).json()["bytes"], png(20, 10, 1).len());
    assert!(bucket.asked("DELETE", "/blobs/") > 1);
    assert_eq!(blobs(&bucket), 0);
}

#[test]
fn a_shared_blob_is_sent_once() {
    let bucket = Bucket::new();
    let (_server, files) = start(&bucket);
    for id in ["a", "b"] {
        files.upload(id, PNG, &png(20, 10, 1)).expect(201);
        files.promote(id).expect(200);
    }
    assert_eq!(files.collection()["assets"], 2);
    assert_eq!((blobs(&bucket), bucket.asked("PUT", "/blobs/")), (1, 1));
}
