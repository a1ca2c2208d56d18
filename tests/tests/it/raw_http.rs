//! Requests as the tests of an HTTP parser have them, well and ill formed, thrown at the port;
//! and bytes of any kind.

use std::sync::Mutex;
use std::thread;

use recto_tests::api::{self, Api};
use recto_tests::raw::{self, RawAnswer};
use recto_tests::seed::Random;
use recto_tests::server::Server;
use recto_tests::{Json, corpora};
use serde_json::json;

const THROWERS: usize = 16;

/// Connections are given up soon, so that what never ends does not hold up the test.
fn start() -> (Server, Api) {
    let server = Server::start_with(&["--header-timeout-ms", "150", "--request-timeout-ms", "600"]);
    let api = Api::of(&server);
    api.write(&api::create("p", "SHEET", &json!(0)));
    (server, api)
}

/// Throws everything, from many sides at once; then the server is as it was.
fn throw_all(all: Vec<Vec<u8>>) {
    let (server, api) = start();
    let before = api.read("/v1/pages?deleted=true");
    let left = Mutex::new(all);
    let address = server.address();
    thread::scope(|scope| {
        for _ in 0..THROWERS {
            scope.spawn(|| {
                loop {
                    let Some(bytes) = left.lock().unwrap().pop() else {
                        return;
                    };
                    for answer in raw::throw(address, &bytes) {
                        check(&answer, &bytes);
                    }
                }
            });
        }
    });
    let after = Api::of(&server);
    assert_eq!(after.read("/v1/pages?deleted=true"), before);
    after.write(&api::replace("p", 1, &json!("still there")));
    server.assert_calm();
}

/// Whatever was thrown, no answer says that the server is at fault, and a body tells a problem.
fn check(answer: &RawAnswer, thrown: &[u8]) {
    let shown = || {
        format!(
            "{:?} is answered by {answer:?}",
            String::from_utf8_lossy(&thrown[..thrown.len().min(500)])
        )
    };
    assert!((200..500).contains(&answer.status), "{}", shown());
    if answer.status >= 400 && !answer.body.is_empty() {
        let problem: Json = serde_json::from_slice(&answer.body).unwrap_or_else(|fault| panic!("{fault}: {}", shown()));
        assert!(
            problem["code"].is_string() && problem["next"].is_string(),
            "{}",
            shown()
        );
        assert_eq!(
            raw::header(&answer.headers, "content-type"),
            Some("application/problem+json"),
            "{}",
            shown()
        );
    }
}

#[test]
fn the_requests_of_a_parsers_tests_are_answered_or_closed() {
    let Some(cases) = corpora::lines("badinput/http-llhttp.jsonl.gz") else {
        return;
    };
    let mut all = Vec::new();
    for case in cases {
        let bytes = corpora::bytes(&case, "input");
        all.push(to_real_route(&bytes));
        all.push(bytes);
    }
    throw_all(all);
}

/// The same request, but to a page that exists and to the host that is served.
fn to_real_route(bytes: &[u8]) -> Vec<u8> {
    let text: String = bytes.iter().copied().map(char::from).collect();
    let mut words: Vec<&str> = text.splitn(3, ' ').collect();
    if words.len() == 3 {
        words[1] = "/v1/pages/p";
    }
    let joined = words
        .join(" ")
        .replace("Host: www.example.com", "Host: localhost")
        .replace("Host: example.com", "Host: localhost");
    joined
        .chars()
        .map(|char| u8::try_from(u32::from(char)).expect("a byte"))
        .collect()
}

#[test]
fn random_bytes_at_the_port_are_answered_or_closed() {
    let mut random = Random::of_test("random bytes at the port", 19);
    let begins: [&[u8]; 6] = [
        b"",
        b"GET ",
        b"PUT /v1/pages/p HTTP/1.1\r\nhost: localhost\r\n",
        b"POST /v1/pages HTTP/1.1\r\ncontent-length: 10\r\n\r\n",
        b"GET /v1/pages/p HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"POST /v1/pages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n",
    ];
    let all = (0..300).map(|_| {
        let len = random.below(400);
        [*random.pick(&begins), &random.bytes(len)].concat()
    });
    let all = all.collect();
    throw_all(all);
}

/// Every method at every route, with nothing and with rubbish: an answer, and nothing written.
#[test]
fn every_method_at_every_route_is_answered() {
    let mut random = Random::of_test("every method", 20);
    let server = Server::start();
    let api = Api::of(&server);
    api.write(&api::create("p", "SHEET", &json!(0)));
    let before = api.read("/v1/pages?deleted=true");
    let routes = [
        "/v1/pages",
        "/v1/pages/p",
        "/v1/pages/p/deltas",
        "/v1/pages/p/events",
        "/v1/pages/p/events/1",
        "/v1/pages/p/diff",
        "/v1/pages/p/undelete",
        "/v1/commands/x",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/problems",
        "/",
        "//",
        "/v1",
        "/v1/pages/",
        "/v1/pages//events",
        "/v1/pages/p/",
        "/v1/pages/%70",
        "/v1/pages/%ff",
        "/v1/pages/%",
        "/v1/pages/..",
        "/v1/../v1/pages",
        "*",
        "http://localhost/v1/pages",
        "/v1/pages?limit=0",
        "/v1/pages?limit=1&limit=2",
        "/v1/pages/p?at=0",
        "/v1/pages/p?at=1&x=1",
    ];
    for route in routes {
        for method in [
            "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get",
        ] {
            for with_body in [false, true] {
                let len = random.below(50);
                let body = if with_body { random.bytes(len) } else { Vec::new() };
                let head = format!("{method} {route} HTTP/1.1\r\nhost: localhost\r\n");
                let Some(answer) = raw::send(server.address(), head.as_bytes(), &body) else {
                    continue;
                };
                check(&answer, head.as_bytes());
            }
        }
    }
    assert_eq!(api.read("/v1/pages?deleted=true"), before);
    server.assert_calm();
}

/// Heads and paths over the limits have answers of their own.
#[test]
fn a_head_over_the_limits_is_431_or_414() {
    let (server, api) = start();
    let address = server.address();
    let long = |bytes: usize| "x".repeat(bytes);
    let get = |path: &str, headers: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}");
        raw::send(address, head.as_bytes(), b"").map(|answer| answer.status)
    };
    assert_eq!(get(&format!("/v1/pages/{}", long(9_000)), ""), Some(414));
    assert_eq!(get(&format!("/v1/pages/{}", long(200)), ""), Some(400));
    assert_eq!(get("/v1/pages", &format!("x: {}\r\n", long(40_000))), Some(431));
    assert_eq!(
        get(
            "/v1/pages",
            &(0..150).map(|number| format!("x-{number}: y\r\n")).collect::<String>()
        ),
        Some(431)
    );
    assert_eq!(get("/v1/pages", ""), Some(200));
    let elsewhere = raw::send(address, b"GET /v1/pages HTTP/1.1\r\nhost: example.org\r\n", b"");
    assert_eq!(elsewhere.map(|answer| answer.status), Some(421));
    assert_eq!(api.head("p"), 1);
    server.assert_calm();
}
