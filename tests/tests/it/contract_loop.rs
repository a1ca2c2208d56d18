//! The loop of an agent's tools, told in the README: the text is run here line by line.
//!
//! A line with `agent` or `user` is a request: method, path, for some the ETag behind `@`, and the body. The line below it
//! says the status and some of the answer's fields. `$name` in an answer keeps what stands there, in a request puts it in.

use std::collections::BTreeMap;

use recto_tests::Json;
use recto_tests::api::{self, Api, Write};
use serde_json::json;

const LOOP: &str = include_str!("../fixtures/tool-loop.txt");

#[test]
fn the_loop_of_the_readme_runs() {
    let (_server, api) = api::start();
    let menu =
        json!([{ "insert": "Menu" }, { "insert": "\n", "attributes": { "header": 1 } }, { "insert": "Soup 4\n" }]);
    api.write(&api::create("menu", "DOC", &menu));
    let mut kept = BTreeMap::new();
    let mut lines = LOOP.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut steps = 0;
    while let Some(request) = lines.next() {
        let answer = send(&api, request, &kept);
        let expected = lines.next().expect("an answer");
        let (status, fields) = expected.split_once(' ').expect("a status and fields");
        assert_eq!(answer.status.to_string(), status, "{request}: {answer}");
        let fields: Json = serde_json::from_str(fields).expect("fields");
        compare(&fields, &answer.json(), &mut kept, request);
        steps += 1;
    }
    assert!(steps >= 7);
}

#[test]
fn the_readme_tells_this_loop() {
    let readme = include_str!("../../../README.md");
    assert!(readme.contains(LOOP.trim_end()), "the README and tool-loop.txt differ");
}

fn send(api: &Api, request: &str, kept: &BTreeMap<String, String>) -> recto_tests::http::Answer {
    let request = kept
        .iter()
        .fold(request.to_owned(), |text, (name, value)| text.replace(name, value));
    let mut words = request.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (actor, method, path, rest) = (word(), word(), word(), word());
    if method == "GET" {
        return api.get(&path);
    }
    assert_eq!(method, "POST");
    let (tag, body) = match rest.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some((tag, body)) => (Some(tag.to_owned()), body.to_owned()),
        None => (None, rest),
    };
    let body: Json = serde_json::from_str(&body).expect("a body");
    let write = Write::new("POST", path, &body).by(&format!("{actor}:one"));
    api.send(&Write { base: tag, ..write })
}

/// Every field told is so; what is not told may be anything.
fn compare(told: &Json, real: &Json, kept: &mut BTreeMap<String, String>, request: &str) {
    match (told, real) {
        (Json::String(name), Json::String(value)) if name.starts_with('$') => {
            kept.insert(name.clone(), value.clone());
        }
        (Json::Object(told), Json::Object(_)) => {
            for (name, told) in told {
                compare(told, &real[name], kept, request);
            }
        }
        (told, real) => assert_eq!(told, real, "{request}"),
    }
}
