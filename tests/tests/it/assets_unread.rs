//! Callers who ask for a large file and take nothing of it.

use std::io::{BufReader, Read, Write};

use recto_tests::images::Files;
use recto_tests::png::png;
use recto_tests::raw;
use recto_tests::server::Server;

/// More than sockets hold.
const LARGE_BYTES: usize = 24 * 1024 * 1024;
const READERS: u64 = 16;

/// A valid image with so many bytes of text in it.
fn large() -> Vec<u8> {
    let mut bytes = png(16, 16, 1);
    let end = bytes.split_off(bytes.len() - 12);
    bytes.extend(u32::try_from(LARGE_BYTES).unwrap().to_be_bytes());
    bytes.extend(b"tEXt");
    bytes.resize(bytes.len() + LARGE_BYTES + 4, b'x');
    [bytes, end].concat()
}

/// How much memory the server uses, in bytes.
fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: u64 = line.unwrap().trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes * 1024
}

#[test]
fn who_takes_nothing_of_a_file_costs_little_memory_and_is_let_go() {
    let server = Server::start_with(&["--unread-timeout-ms", "1500"]);
    let files = Files(server.client());
    let bytes = large();
    files.upload("large", "image/png", &bytes).expect(201);
    let asset = files.promote("large").expect(200).json();
    let path = asset["content"].as_str().unwrap();
    // What reading it once takes is no matter here.
    assert_eq!(files.0.get(path).expect(200).body.len(), bytes.len());
    let before = memory(&server);
    let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address());
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let mut stream = raw::connect(server.address());
            stream.write_all(head.as_bytes()).unwrap();
            let mut reader = BufReader::with_capacity(1, stream);
            assert_eq!(raw::read_head(&mut reader).unwrap().0, 200);
            reader
        })
        .collect();
    let grown = memory(&server).saturating_sub(before);
    let all = READERS * u64::try_from(LARGE_BYTES).unwrap();
    assert!(grown < all / 4, "{grown} bytes are kept for {READERS} readers");
    recto_tests::wait::until("the connections to be broken off", || {
        let text = String::from_utf8(files.0.get("/metrics").expect(200).body).unwrap();
        let open = text
            .lines()
            .find_map(|line| line.strip_prefix("recto_http_connections "));
        // The one that asks is open, too.
        (open? == "1").then_some(())
    });
    for mut reader in readers {
        let mut rest = Vec::new();
        let ended = reader.read_to_end(&mut rest);
        assert!(
            ended.is_err() || rest.len() < bytes.len(),
            "the file was sent after all"
        );
    }
    // Who reads, however slowly begun, gets all of it.
    assert_eq!(files.0.get(path).expect(200).body, bytes);
    server.assert_calm();
}
