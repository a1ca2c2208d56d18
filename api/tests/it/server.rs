//! A whole server in this process: sockets, stopping, the lock on its directory.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use recto_api::{Config, Limits, Server, StartError};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(30);

async fn start(folder: &TempDir, limits: Limits) -> Server {
    let config = Config {
        limits,
        port_file: Some(folder.path().join("port")),
        ..Config::at(folder.path().join("data"))
    };
    Server::start(config).await.unwrap()
}

/// Connects. What follows blocks this thread; the server runs on others.
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends bytes, and gives all that comes back until the other side closes.
#[track_caller]
fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // The other side may refuse before it has read everything.
    let _sent = stream.write_all(bytes);
    let (mut read, mut part) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(count) => read.extend_from_slice(&part[..count]),
            Err(fault) if fault.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("the server neither answers nor closes")
            }
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&read).into_owned()
}

fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}").into_bytes()
}

const WRITE: &str = "Content-Type: application/json\r\nIdempotency-Key: k1\r\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_keeps_its_pages_over_a_restart_and_its_directory_to_itself() {
    let folder = TempDir::new().unwrap();
    let server = start(&folder, Limits::default()).await;
    let address = server.address();
    assert_eq!(
        std::fs::read_to_string(folder.path().join("port")).unwrap().trim(),
        address.to_string()
    );
    let body = json!({"id": "p", "kind": "SHEET", "value": [1]}).to_string();
    let made = exchange(address, &request("POST", "/v1/pages", WRITE, &body));
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");

    let second = Server::start(Config::at(folder.path().join("data"))).await.unwrap_err();
    assert!(matches!(second, StartError::Engine { .. }));
    assert!(second.to_string().contains(&std::process::id().to_string()), "{second}");

    server.stop();
    timeout(PATIENCE, server.finished()).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err());

    let server = start(&folder, Limits::default()).await;
    let read = exchange(server.address(), &request("GET", "/v1/pages/p", "", ""));
    assert!(
        read.starts_with("HTTP/1.1 200") && read.ends_with("\"value\":[1]}"),
        "{read}"
    );
    let again = exchange(server.address(), &request("POST", "/v1/pages", WRITE, &body));
    assert!(
        again.starts_with("HTTP/1.1 201") && again.contains("idempotency-replayed: true"),
        "{again}"
    );
    server.stop();
    server.finished().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_ends_feeds_in_order_and_lets_idle_connections_go() {
    let folder = TempDir::new().unwrap();
    let server = start(&folder, Limits::default()).await;
    let address = server.address();
    let mut feed = connect(address);
    feed.write_all(b"GET /v1/feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut read = vec![0; 4096];
    let mut text = String::new();
    while !text.contains("caught-up") {
        let count = feed.read(&mut read).unwrap();
        text.push_str(&String::from_utf8_lossy(&read[..count]));
    }
    let mut idle = connect(address);
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    assert!(idle.read(&mut read).unwrap() > 0);

    server.stop();
    let mut rest = Vec::new();
    feed.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "the stream was cut, not ended");
    timeout(PATIENCE, server.finished()).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_does_not_come_or_is_too_large_is_given_up() {
    let folder = TempDir::new().unwrap();
    let limits = Limits {
        header_timeout_ms: 200,
        header_bytes_max: 8192,
        headers_max: 20,
        ..Limits::default()
    };
    let server = start(&folder, limits).await;
    let address = server.address();
    let slow = exchange(address, b"GET /healthz HTTP/1.1\r\nHost: loc");
    assert!(slow.is_empty() || slow.starts_with("HTTP/1.1 408"), "{slow}");
    let large = format!("X-Large: {}\r\n", "x".repeat(20_000));
    assert!(exchange(address, &request("GET", "/healthz", &large, "")).starts_with("HTTP/1.1 431"));
    assert!(
        exchange(address, &request("GET", "/healthz", &"X-Many: 1\r\n".repeat(30), "")).starts_with("HTTP/1.1 431")
    );
    let long = format!("/{}", "x".repeat(7000));
    assert!(exchange(address, &request("GET", &long, "", "")).starts_with("HTTP/1.1 404"));
    server.stop();
    server.finished().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_on_the_wire_leaves_the_server_standing() {
    let folder = TempDir::new().unwrap();
    let server = start(
        &folder,
        Limits {
            header_timeout_ms: 200,
            ..Limits::default()
        },
    )
    .await;
    let address = server.address();
    for garbage in [
        b"\0\x01\x02\x03\r\n\r\n".as_slice(), b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /v1/pages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/pages HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/pages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00",
    ] {
        let answer = exchange(address, garbage);
        assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
    }
    assert!(exchange(address, &request("GET", "/healthz", "", "")).starts_with("HTTP/1.1 200"));
    server.stop();
    server.finished().await.unwrap();
}

#[tokio::test]
async fn without_tokens_another_address_than_loopback_is_refused() {
    let folder = TempDir::new().unwrap();
    let config = Config {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..Config::at(folder.path().join("data"))
    };
    let refused = Server::start(config).await.unwrap_err().to_string();
    assert!(
        refused.contains("--tokens") && refused.contains("loopback"),
        "{refused}"
    );
    assert!(!folder.path().join("data").exists());
}
