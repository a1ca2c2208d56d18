//! Naughty strings as ids, paths, texts, attribute values, keys, headers and parameters: kept
//! exactly, or refused with a problem.

use recto_tests::api::{self, Api, Write, page_path, text};
use recto_tests::http::percent;
use recto_tests::server::Server;
use recto_tests::{Json, corpora, raw};
use serde_json::{Map, json};

fn start() -> (Server, Api) {
    let server = Server::start();
    let api = Api::of(&server);
    api.write(&api::create("p", "SHEET", &json!(0)));
    (server, api)
}

fn naughty_texts() -> Option<Vec<String>> {
    let texts = corpora::naughty()?
        .into_iter()
        .filter_map(|bytes| String::from_utf8(bytes).ok());
    Some(texts.collect())
}

/// What an id may be.
fn is_id(text: &str) -> bool {
    (1..=128).contains(&text.len()) && !text.chars().any(char::is_control)
}

#[test]
fn naughty_ids_of_pages_and_files_are_kept_or_refused() {
    let Some(texts) = naughty_texts() else { return };
    let (server, api) = start();
    let mut made = 0;
    for (number, id) in texts.iter().enumerate() {
        let mut body = json!({ "id": id, "kind": "SHEET", "value": id });
        if number % 2 == 0 {
            body["file"] = json!(id);
        }
        let answer = api.send(&Write::new("POST", "/v1/pages".to_owned(), &body));
        let legal = is_id(id) && id != "." && id != "..";
        assert_eq!(answer.status == 201, legal, "{id:?}: {answer}");
        if !legal {
            assert!(matches!(answer.status, 400 | 422), "{id:?}: {answer}");
            assert!(
                matches!(api.get(&page_path(id)).status, 400 | 404 | 405 | 414 | 431 | 200),
                "{id:?}"
            );
            continue;
        }
        made += 1;
        assert_eq!(text(&answer.json()["page"]), id);
        let location = answer.header("location").expect("a location").to_owned();
        let page = api.read(&location);
        assert_eq!((&page["id"], &page["value"]), (&json!(id), &json!(id)));
        assert_eq!(page, api.page(id));
        assert_eq!(api.head(id), 1);
    }
    assert!(made > 900, "only {made} ids passed");
    let mut listed = Vec::new();
    let mut next = Some("/v1/pages?limit=100".to_owned());
    while let Some(path) = next {
        let list = api.read(&path);
        listed.extend(
            list["pages"]
                .as_array()
                .expect("pages")
                .iter()
                .map(|page| text(&page["id"]).to_owned()),
        );
        next = list["next"].as_str().map(str::to_owned);
    }
    let mut expected: Vec<_> = texts
        .into_iter()
        .filter(|id| is_id(id) && id != "." && id != "..")
        .chain(["p".to_owned()])
        .collect();
    expected.sort();
    expected.dedup();
    assert_eq!(listed, expected);
    server.assert_calm();
}

/// All of them in one value of every kind, at every place where free text may stand.
#[test]
fn naughty_texts_and_keys_come_back_exactly() {
    let Some(texts) = naughty_texts() else { return };
    let (server, api) = start();
    let keyed: Map<String, Json> = texts
        .iter()
        .filter(|text| text.len() <= 1024)
        .map(|text| (text.clone(), Json::from(text.as_str())))
        .collect();
    let ids = texts.iter().filter(|text| is_id(text));
    let nodes: Map<String, Json> = ids
        .map(|id| {
            let kind = if id.len() <= 128 { id.as_str() } else { "text" };
            (
                id.clone(),
                json!({ "type": kind, "parentId": null, "props": { "text": id, id.as_str(): id } }),
            )
        })
        .collect();
    let files: Map<String, Json> = texts
        .iter()
        .filter(|path| path.len() <= 1024 && !path.chars().any(char::is_control))
        .filter(|path| path.split('/').all(|segment| !matches!(segment, "" | "." | "..")))
        .map(|path| (path.clone(), Json::from(path.as_str())))
        .collect();
    let doc: Vec<Json> = texts
        .iter()
        .filter(|text| !text.is_empty())
        .flat_map(|text| {
            let key = if text.len() <= 1024 { text.as_str() } else { "a" };
            [
                json!({ "insert": text, "attributes": { key: text } }),
                json!({ "insert": { key: text } }),
            ]
        })
        .chain([json!({ "insert": "\n" })])
        .collect();
    let sheet = json!([keyed, texts]);
    api.write(&api::create("sheet", "SHEET", &sheet));
    assert_eq!(api.page("sheet")["value"].to_string(), sheet.to_string());
    api.write(&api::create("doc", "DOC", &json!(doc)));
    assert_eq!(api.page("doc")["value"].to_string(), json!(doc).to_string());
    api.write(&api::create(
        "code",
        "CODE",
        &json!({ "files": files, "entry": null, "attributes": keyed }),
    ));
    let code = api.page("code")["value"].clone();
    assert_eq!(code["files"].as_object(), Some(&files));
    assert_eq!(code["attributes"].to_string(), json!(keyed).to_string());
    api.write(&api::create(
        "design",
        "DESIGN",
        &json!({ "nodes": nodes, "attributes": { "all": keyed } }),
    ));
    let design = api.page("design")["value"].clone();
    assert_eq!(design["attributes"]["all"].to_string(), json!(keyed).to_string());
    for (id, node) in &nodes {
        let kept = &design["nodes"][id];
        assert_eq!(
            (&kept["type"], kept["props"].to_string()),
            (&node["type"], node["props"].to_string()),
            "{id:?}"
        );
    }
    let server = server.restart();
    let api = Api::of(&server);
    assert_eq!(api.page("design")["value"], design);
    assert_eq!(api.page("sheet")["value"].to_string(), sheet.to_string());
    server.assert_calm();
}

#[test]
fn naughty_parameters_and_paths_are_answered() {
    let Some(texts) = naughty_texts() else { return };
    let (server, api) = start();
    let before = api.read("/v1/pages?deleted=true");
    for naughty in texts.iter().filter(|text| text.len() < 1_500) {
        let coded = percent(naughty);
        for path in [
            format!("/v1/pages/p?at={coded}"),
            format!("/v1/pages/p/events?after={coded}"),
            format!("/v1/pages/p/events?before={coded}&limit={coded}"),
            format!("/v1/pages/p/events/{coded}"),
            format!("/v1/pages/p/diff?from={coded}&to={coded}"),
            format!("/v1/pages/p?{coded}={coded}"),
            format!("/v1/pages?file={coded}&after={coded}"),
            format!("/v1/pages?limit={coded}&deleted={coded}"),
            format!("/v1/commands/{coded}?page={coded}"),
            format!("/v1/{coded}"),
            format!("/problems/{coded}"),
        ] {
            api.get(&path).assert_sound();
        }
        for path in [
            format!("/v1/feed?after={coded}"),
            format!("/v1/pages/{coded}/feed?after=0"),
        ] {
            match api.follow(&path, None) {
                Ok(stream) => stream.break_off(),
                Err(refused) => {
                    assert!((400..500).contains(&refused.status), "{path}: {refused:?}")
                }
            }
        }
    }
    assert_eq!(api.read("/v1/pages?deleted=true"), before);
    server.assert_calm();
}

/// As header values, byte by byte, those that no client would send among them.
#[test]
fn naughty_header_values_are_answered() {
    let Some(all) = corpora::naughty() else {
        return;
    };
    let (server, api) = start();
    let before = api.read("/v1/pages?deleted=true");
    let names = [
        "idempotency-key",
        "if-match",
        "recto-actor",
        "recto-turn",
        "if-none-match",
        "last-event-id",
        "content-type",
        "authorization",
        "x-request-id",
        "accept",
    ];
    for (number, bytes) in all.iter().enumerate() {
        // Each value in two headers, so that all headers see many.
        for name in [names[number % names.len()], names[(number / 7 + 3) % names.len()]] {
            let defaults = [
                ("idempotency-key", "k"),
                ("if-match", "\"9.0\""),
                ("content-type", "application/json"),
            ];
            let mut head = b"PUT /v1/pages/p HTTP/1.1\r\nhost: localhost\r\n".to_vec();
            for (default, value) in defaults.iter().filter(|(default, _)| *default != name) {
                head.extend_from_slice(format!("{default}: {value}\r\n").as_bytes());
            }
            // A line break would begin another header, and is another test.
            let value: Vec<u8> = bytes.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect();
            head.extend_from_slice(&[name.as_bytes(), b": ", &value, b"\r\n"].concat());
            let Some(answer) = raw::send(api.client().address(), &head, b"{\"value\":1}") else {
                continue;
            };
            assert!((400..500).contains(&answer.status), "{name}: {bytes:?}: {answer:?}");
            if !answer.body.is_empty() {
                let problem: Json = serde_json::from_slice(&answer.body).expect("a problem");
                assert!(problem["code"].is_string(), "{problem}");
            }
        }
    }
    assert_eq!(api.read("/v1/pages?deleted=true"), before);
    server.assert_calm();
}

/// As keys of commands and names of actors and turns: what is taken comes back in the event.
#[test]
fn naughty_keys_and_actors_come_back_exactly() {
    let Some(texts) = naughty_texts() else { return };
    let (server, api) = start();
    let address = api.client().address();
    let mut version = 1;
    for (number, naughty) in texts
        .iter()
        .filter(|text| is_id(text) && !text.contains('"') && text.trim() == **text)
        .enumerate()
        .step_by(3)
    {
        let body = json!({ "value": ["naughty", number] }).to_string();
        let head = format!(
            "PUT /v1/pages/p HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nif-match: \"{version}.0\"\r\n\
             idempotency-key: {naughty}\r\nrecto-actor: user:{naughty}\r\nrecto-turn: {naughty}\r\n"
        );
        let answer = raw::send(address, head.as_bytes(), body.as_bytes()).expect("an answer");
        assert_eq!(
            answer.status,
            200,
            "{naughty:?}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        version += 1;
        let event = api.read(&format!("/v1/pages/p/events/{version}"));
        assert_eq!(text(&event["command"]), naughty);
        assert_eq!(
            (text(&event["actor"]), text(&event["turn"])),
            (format!("user:{naughty}").as_str(), naughty.as_str())
        );
        let outcome = api.read(&format!("/v1/commands/{}", percent(naughty)));
        assert_eq!(outcome["events"][0], event);
    }
    assert!(version > 250, "only {version}");
    server.assert_calm();
}
