//! Files that are not what they seem, of all three formats, over HTTP; and files that were lost.

use recto_tests::http::Answer;
use recto_tests::images::{Files, count_files};
use recto_tests::png::png;
use recto_tests::server::Server;
use serde_json::json;

const PNG: &str = "image/png";
const JPEG: &str = "image/jpeg";
const WEBP: &str = "image/webp";

fn studio() -> (Server, Files) {
    let server = Server::start();
    let files = Files(server.client());
    (server, files)
}

/// The smallest that passes for one.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
    bytes.extend(b"\xff\xc0\0\x11\x08");
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend(b"\x03\x01\x11\0\x02\x11\0\x03\x11\0");
    bytes.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0\x01\x02\xff\xd9");
    bytes
}

/// The smallest that passes for one; a side has at most 16384 pixels.
fn webp(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f".to_vec();
    bytes.extend(((width - 1) | ((height - 1) << 14)).to_le_bytes());
    bytes.extend([0; 9]);
    bytes
}

/// The extended form, whose sides go up to 2^24.
fn extended_webp(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
    bytes.extend(&(width - 1).to_le_bytes()[..3]);
    bytes.extend(&(height - 1).to_le_bytes()[..3]);
    bytes
}

#[test]
fn an_image_of_any_format_has_at_most_so_many_pixels() {
    let (server, files) = studio();
    for (id, media_type, bytes) in [
        ("jpeg", JPEG, jpeg(u16::MAX, u16::MAX)),
        ("extended", WEBP, extended_webp(1 << 24, 1 << 24)),
        ("flat", WEBP, extended_webp(1 << 24, 17)),
        ("jpeg-0", JPEG, jpeg(0, 5)),
    ] {
        files.upload(id, media_type, &bytes).expect(201);
        files.promote(id).expect_problem(422, "image_pixels_out_of_range");
    }
    for (id, media_type, bytes) in [("a", JPEG, jpeg(7, 5)), ("b", WEBP, webp(7, 5))] {
        files.upload(id, media_type, &bytes).expect(201);
        let asset = files.promote(id).expect(200).json();
        assert_eq!(
            (&asset["mediaType"], &asset["width"], &asset["height"]),
            (&json!(media_type), &json!(7), &json!(5))
        );
    }
    assert_eq!(files.collection()["assets"], 2);
    server.assert_calm();
}

#[test]
fn an_image_of_any_format_that_lies_about_its_type_or_is_cut_off_is_refused() {
    let (server, files) = studio();
    let images = [(PNG, png(7, 5, 1)), (JPEG, jpeg(7, 5)), (WEBP, webp(7, 5))];
    for (number, (actual, bytes)) in images.iter().enumerate() {
        for (other, (declared, _)) in images.iter().enumerate().filter(|(other, _)| *other != number) {
            let id = format!("{number} as {other}");
            files.upload(&id, declared, bytes).expect(201);
            let problem = files.promote(&id).expect_problem(422, "media_type_mismatch").json();
            assert_eq!(
                (&problem["declared"], &problem["actual"]),
                (&json!(declared), &json!(actual))
            );
        }
        let id = format!("half of {number}");
        files.upload(&id, actual, &bytes[..bytes.len() - 3]).expect(201);
        files.promote(&id).expect_problem(422, "image_truncated");
    }
    // The head of one format before the body of another.
    let mixed = [&jpeg(7, 5)[..20], &png(7, 5, 1)[8..]].concat();
    files.upload("mixed", JPEG, &mixed).expect(201);
    let refused = files.promote("mixed");
    assert_eq!(refused.status, 422, "{refused}");
    assert_eq!(files.collection()["assets"], 0);
    server.assert_calm();
}

#[test]
fn of_uploads_at_once_one_is_fresh_and_all_others_are_replays_of_it() {
    let (server, files) = studio();
    let bytes = png(64, 64, 1);
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| files.upload("cat", PNG, &bytes)))
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let told = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((told(201), told(200)), (1, 15));
    assert!(answers.iter().all(|answer| answer.json() == answers[0].json()));
    assert_eq!(count_files(&server.place().data().join("files")), 1);
}

#[test]
fn the_same_bytes_again_heal_a_file_that_was_lost_or_damaged() {
    let (server, files) = studio();
    let bytes = png(8, 8, 1);
    let stored = server.place().data().join("files/files");
    let first = files.upload("cat", PNG, &bytes).expect(201).json();
    std::fs::remove_dir_all(&stored).unwrap();
    assert_eq!(files.promote("cat").status, 500);
    files
        .upload("cat", PNG, &png(8, 8, 2))
        .expect_problem(409, "attachment_exists");
    assert_eq!(files.upload("cat", PNG, &bytes).expect(201).json(), first);
    files.promote("cat").expect(200);
    assert_eq!(files.upload("cat", PNG, &bytes).expect(200).json(), first);

    files.upload("dog", PNG, &bytes).expect(201);
    cut_all(&stored);
    assert_eq!(files.promote("dog").status, 500);
    files.upload("dog", PNG, &bytes).expect(201);
    files.promote("dog").expect(200);
}

fn cut_all(folder: &std::path::Path) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path() {
            path if path.is_dir() => cut_all(&path),
            path => std::fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(9)
                .unwrap(),
        }
    }
}
