//! Attachments and assets over HTTP: uploads, promotion, bytes, refusals, collection.

use recto_tests::Json;
use recto_tests::api::{self, start};
use recto_tests::http::Client;
use recto_tests::images::{Files, count_files};
use recto_tests::png::png;
use recto_tests::server::Server;
use serde_json::json;

const PNG: &str = "image/png";

fn files(server: &Server) -> Files {
    Files(server.client())
}

fn content(client: &Client, asset: &Json, headers: &[(&str, &str)]) -> recto_tests::http::Answer {
    let path = asset["content"].as_str().unwrap();
    client.send("GET", path, headers, &[])
}

#[test]
fn an_attachment_becomes_one_asset_whatever_it_is_called_by() {
    let (server, _) = start();
    let files = files(&server);
    let bytes = png(7, 5, 1);
    let attached = files.upload("cat", PNG, &bytes).expect(201).json();
    assert_eq!(attached["path"], "/mnt/attachments/cat");
    assert_eq!(files.upload("cat", PNG, &bytes).expect(200).json(), attached);

    let asset = files.promote("cat").expect(200).json();
    assert_eq!(
        (&asset["width"], &asset["height"], &asset["mediaType"]),
        (&json!(7), &json!(5), &json!(PNG))
    );
    let id = asset["assetId"].as_str().unwrap();
    for name in ["cat", "/mnt/attachments/cat", id] {
        assert_eq!(files.promote(name).expect(200).json(), asset, "{name}");
    }
    let server = server.restart();
    let files = Files(server.client());
    assert_eq!(files.promote("cat").expect(200).json(), asset);
    assert_eq!(files.0.get(&format!("/v1/assets/{id}")).expect(200).json(), asset);
    assert_eq!(content(&files.0, &asset, &[]).expect(200).body, bytes);
}

#[test]
fn the_same_bytes_under_two_attachments_are_two_assets_and_one_blob() {
    let (server, _) = start();
    let files = files(&server);
    let bytes = png(7, 5, 2);
    for id in ["a", "b"] {
        files.upload(id, PNG, &bytes).expect(201);
    }
    let (a, b) = (
        files.promote("a").expect(200).json(),
        files.promote("b").expect(200).json(),
    );
    assert_ne!(a["assetId"], b["assetId"]);
    assert_eq!(a["hash"], b["hash"]);
    assert_eq!(count_files(&server.place().data().join("files/blobs")), 1);
    assert_eq!(content(&files.0, &b, &[]).expect(200).body, bytes);
}

#[test]
fn a_hundred_promotions_at_once_make_one_asset() {
    let (server, _) = start();
    let files = files(&server);
    files.upload("cat", PNG, &png(300, 200, 3)).expect(201);
    let ids: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..100)
            .map(|_| scope.spawn(|| files.promote("cat").expect(200).json()["assetId"].clone()))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]));
    assert_eq!(files.collection()["assets"], 1);
}

#[test]
fn what_is_no_image_is_refused_with_a_code_and_leaves_no_asset() {
    let (server, _) = start();
    let files = files(&server);
    let whole = png(7, 5, 4);
    let huge = [
        &b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\x01\0\0\0\x01\0\0"[..],
        &whole[24..],
    ]
    .concat();
    for (id, media_type, bytes, code) in [
        (
            "gif",
            "image/gif",
            &b"GIF89a\x01\0\x01\0\0\0\0;"[..],
            "unsupported_format",
        ),
        ("text", "text/plain", b"hello", "unsupported_format"),
        ("html", PNG, b"<script>alert(1)</script>", "unsupported_format"),
        ("lie", "image/jpeg", &whole, "media_type_mismatch"),
        ("half", PNG, &whole[..whole.len() - 7], "image_truncated"),
        ("head", PNG, &whole[..33], "image_truncated"),
        ("huge", PNG, &huge, "image_pixels_out_of_range"),
    ] {
        files.upload(id, media_type, bytes).expect(201);
        for _ in 0..2 {
            let problem = files.promote(id).expect_problem(422, code).json();
            assert_eq!(problem["attachment"], id);
        }
    }
    files.upload("empty", PNG, &[]).expect_problem(422, "file_empty");
    files.promote("empty").expect_problem(404, "attachment_not_found");
    files.promote("nothing").expect_problem(404, "attachment_not_found");
    let stranger = "0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f";
    files.promote(stranger).expect_problem(404, "asset_not_found");
    files.promote("a/b").expect_problem(422, "file_id_illegal");
    files
        .upload("task:1", PNG, &whole)
        .expect_problem(400, "invalid_parameter");
    assert_eq!(files.collection()["assets"], 0);
    // The lie is told right by sending the same bytes again.
    files.upload("lie", PNG, &whole).expect(200);
    files.promote("lie").expect(200);
}

#[test]
fn an_upload_over_the_limit_or_under_a_taken_id_is_refused_and_nothing_of_it_stays() {
    let server = Server::start_with(&["--file-bytes-max", "2000"]);
    let files = files(&server);
    files
        .upload("big", PNG, &vec![7; 2001])
        .expect_problem(413, "file_too_large");
    files.upload("small", PNG, &vec![7; 2000]).expect(201);
    files
        .upload("small", PNG, &vec![8; 2000])
        .expect_problem(409, "attachment_exists");
    assert_eq!(count_files(&server.place().data().join("files")), 1);
    // Without a length that is announced, the limit is found on the way.
    let mut stream = recto_tests::raw::connect(server.address());
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400)).repeat(3);
    let head = format!(
        "PUT /v1/attachments/chunked HTTP/1.1\r\nhost: {}\r\ntransfer-encoding: chunked\r\n\r\n",
        server.address()
    );
    std::io::Write::write_all(&mut stream, format!("{head}{chunk}0\r\n\r\n").as_bytes()).unwrap();
    let (status, _) = recto_tests::raw::read_head(&mut std::io::BufReader::new(stream)).unwrap();
    assert_eq!(status, 413);
    assert_eq!(count_files(&server.place().data().join("files")), 1);
}

#[test]
fn content_is_sent_whole_or_in_part_with_headers_that_a_browser_can_trust() {
    let (server, _) = start();
    let files = files(&server);
    let bytes = png(40, 30, 5);
    files.upload("cat", PNG, &bytes).expect(201);
    let asset = files.promote("cat").expect(200).json();
    let get = |headers: &[(&str, &str)]| content(&files.0, &asset, headers);

    let whole = get(&[]).expect(200);
    let tag = format!("\"{}\"", asset["hash"].as_str().unwrap());
    assert_eq!(whole.header("etag"), Some(tag.as_str()));
    for (name, value) in [
        ("content-type", PNG),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("accept-ranges", "bytes"),
        ("content-length", &bytes.len().to_string()),
    ] {
        assert_eq!(whole.header(name), Some(value), "{name}");
    }
    assert!(whole.header("content-disposition").unwrap().ends_with(".png\""));
    assert_eq!(get(&[("if-none-match", &tag)]).status, 304);

    let size = bytes.len();
    for (range, first, last) in [
        ("bytes=0-0".to_owned(), 0, 0),
        ("bytes=3-9".to_owned(), 3, 9),
        ("bytes=10-".to_owned(), 10, size - 1),
        ("bytes=-5".to_owned(), size - 5, size - 1),
        (format!("bytes=4-{size}00"), 4, size - 1),
    ] {
        let part = get(&[("range", &range), ("if-range", &tag)]).expect(206);
        assert_eq!(part.body, &bytes[first..=last], "{range}");
        assert_eq!(
            part.header("content-range"),
            Some(format!("bytes {first}-{last}/{size}").as_str())
        );
    }
    assert_eq!(get(&[("range", "bytes=0-1,3-4")]).expect(200).body, bytes);
    assert_eq!(
        get(&[("range", "bytes=0-1"), ("if-range", "\"other\"")])
            .expect(200)
            .body,
        bytes
    );
    let outside = get(&[("range", &format!("bytes={size}-"))]).expect_problem(416, "range_not_satisfiable");
    assert_eq!(
        outside.header("content-range"),
        Some(format!("bytes */{size}").as_str())
    );
}

/// F11, and the promise that undo keeps what it may need.
#[test]
fn collection_drops_only_what_nothing_refers_to_and_a_restore_tells_what_is_missing() {
    let (server, api) = start();
    let files = files(&server);
    let asset = |id: &str, seed| {
        files.upload(id, PNG, &png(8, 8, seed)).expect(201);
        files.promote(id).expect(200).json()["assetId"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (used, undone, free) = (asset("used", 1), asset("undone", 2), asset("free", 3));
    let node = |asset: &str| json!({"type": "image", "parentId": null, "geometry": {"x": 0, "y": 0, "width": 8, "height": 8, "rotation": 0}, "props": {"assetId": asset}});
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({"nodes": {"a": node(&used), "c": node("gone-before")}}),
    ));
    let add = json!([[{"op": "addNode", "node": {"id": "b", "type": "image", "geometry": {"x": 9, "y": 0, "width": 8, "height": 8}, "props": {"src": format!("/v1/assets/{undone}/content")}}}]]);
    api.write(&api::deltas("p", 1, &add));
    api.write(&api::undo("p", 2, &json!({})));

    let plan = files.collection();
    assert_eq!(plan["assets"], 3);
    assert_eq!(plan["unused"].as_array().unwrap().len(), 1);
    assert_eq!(plan["unused"][0]["assetId"], free);
    let young = files.0.send("POST", "/v1/assets/collect", &[], &[]).expect(200).json();
    assert_eq!(young["unused"], json!([]));

    let done = files
        .0
        .send("POST", "/v1/assets/collect?olderThan=0", &[], &[])
        .expect(200)
        .json();
    assert_eq!(done["unused"], plan["unused"]);
    files
        .0
        .get(&format!("/v1/assets/{free}"))
        .expect_problem(404, "asset_not_found");
    assert_eq!(count_files(&server.place().data().join("files/blobs")), 2);
    assert_eq!(files.collection()["unused"], json!([]));

    // What was undone is redone with its image, and what never was is told as missing.
    api.write(&api::redo("p", 3, &json!({})));
    let assets = api.get("/v1/pages/p/assets").expect(200).json();
    assert_eq!(assets["missing"], json!(["gone-before"]));
    assert_eq!(assets["assets"].as_array().unwrap().len(), 3);

    // The attachment is still there: its asset comes back under its id.
    let back = files.promote("free").expect(200).json();
    assert_eq!(back["assetId"], free);
    assert_eq!(content(&files.0, &back, &[]).expect(200).body, png(8, 8, 3));
    api.write(&api::restore("p", 4, 1));
    assert_eq!(api.get("/v1/pages/p/assets").json()["missing"], json!(["gone-before"]));
    server.assert_calm();
}

#[test]
fn a_blob_that_two_assets_share_stays_until_both_are_gone() {
    let (server, api) = start();
    let files = files(&server);
    for id in ["a", "b"] {
        files.upload(id, PNG, &png(8, 8, 9)).expect(201);
    }
    let a = files.promote("a").expect(200).json()["assetId"]
        .as_str()
        .unwrap()
        .to_owned();
    files.promote("b").expect(200);
    let text = json!([{"insert": format!("see {a}\n")}]);
    api.write(&api::create("p", "DOC", &text));
    let collect = || {
        files
            .0
            .send("POST", "/v1/assets/collect?olderThan=0", &[], &[])
            .expect(200)
            .json()
    };
    let first = collect();
    assert_eq!(
        (&first["unused"][0]["lastOfContent"], &first["bytes"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(count_files(&server.place().data().join("files/blobs")), 1);
    files.0.get(&format!("/v1/assets/{a}/content")).expect(200);
}

#[test]
fn faults_of_the_server_and_errors_of_its_callers_are_counted_apart() {
    let (server, _) = start();
    let files = files(&server);
    let count = |outcome: &str| {
        let text = String::from_utf8(files.0.get("/metrics").expect(200).body).unwrap();
        let name = format!("recto_promotions_total{{outcome=\"{outcome}\"}} ");
        let line = text.lines().find_map(|line| line.strip_prefix(name.as_str()));
        line.map_or(0, |number| number.parse::<u64>().unwrap())
    };
    files.upload("cat", PNG, &png(8, 8, 1)).expect(201);
    files.upload("text", PNG, b"hello").expect(201);
    files.promote("cat").expect(200);
    files.promote("text").expect_problem(422, "unsupported_format");
    files.promote("nothing").expect_problem(404, "attachment_not_found");
    let counts = || ["promoted", "refused", "failed"].map(count);
    assert_eq!(counts(), [1, 2, 0]);
    // The bytes of an upload are lost on the server's side.
    files.upload("dog", PNG, &png(8, 8, 2)).expect(201);
    std::fs::remove_dir_all(server.place().data().join("files/files")).unwrap();
    let fault = files.promote("dog");
    assert_eq!((fault.status, fault.code().as_str()), (500, "corrupt"));
    assert_eq!(counts(), [1, 2, 1]);
}
