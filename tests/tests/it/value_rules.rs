//! Rules of values and provenance, through HTTP.

use recto_tests::Json;
use recto_tests::api::{self, Api, number, start, text};
use serde_json::json;

fn node(text: &str) -> Json {
    json!({ "type": "text", "parentId": null, "geometry": { "x": 1, "y": 2.50 }, "props": { "text": text } })
}

fn with_id(id: &str, mut node: Json) -> Json {
    node["id"] = Json::from(id);
    node
}

/// What a whole value leaves out is removed by name; what a delta does not name stays.
#[test]
fn d9_replacing_removes_by_name_and_a_delta_never_by_omission() {
    let (_server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": { "a": node("a"), "b": node("b"), "c": node("c") } }),
    ));
    let delta = json!([[{ "op": "setNode", "id": "a", "set": { "/props/text": "A" } }]]);
    api.write(&api::deltas("p", 1, &delta));
    assert_eq!(
        api.page("p")["value"]["nodes"].as_object().map(serde_json::Map::len),
        Some(3)
    );
    let written = api.write(&api::replace("p", 2, &json!({ "nodes": { "a": node("A") } })));
    let removed: Vec<_> = written["events"][0]["delta"]
        .as_array()
        .expect("operations")
        .iter()
        .filter(|op| op["op"] == "removeNode")
        .map(|op| text(&op["id"]))
        .collect();
    assert_eq!(removed, ["c", "b"]);
    assert_eq!(
        api.page_at("p", 2)["value"]["nodes"]
            .as_object()
            .map(serde_json::Map::len),
        Some(3)
    );
}

/// Reading everything that can be read changes nothing.
#[test]
fn d11_reading_never_changes_anything() {
    let (server, api) = start();
    for (page, kind, value) in [
        ("a", "DESIGN", json!({ "nodes": { "n": node("n") } })),
        ("b", "DOC", json!([{ "insert": "b\n" }])),
        ("c", "CODE", json!({ "files": { "f": "c" }, "entry": "f" })),
        ("d", "SHEET", json!([1, 2.50])),
    ] {
        api.write(&api::create(page, kind, &value));
        api.write(&api::replace(page, 1, &value));
    }
    api.write(&api::delete("d", 1));
    let state = |api: &Api| {
        let pages = api.read("/v1/pages?deleted=true&limit=1000");
        let events: Vec<_> = ["a", "b", "c", "d"].map(|page| api.events(page)).concat();
        (pages, events)
    };
    let before = state(&api);
    for page in ["a", "b", "c", "d", "nowhere"] {
        for rest in [
            "",
            "?at=1",
            "?at=2",
            "?at=99",
            "?at=2020-01-01T00:00:00Z",
            "?at=2999-01-01T00:00:00Z",
            "/events",
            "/events?order=desc",
            "/events/1",
            "/events/7",
            "/diff?from=1",
            "/diff?from=1&to=1",
            "/diff?from=2&to=1",
        ] {
            let answer = api.get(&format!("/v1/pages/{page}{rest}"));
            answer.assert_sound();
        }
        drop(api.follow(&format!("/v1/pages/{page}/feed"), Some(0)));
    }
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/problems",
        "/v1/pages",
        "/v1/commands/x",
        "/docs/",
    ] {
        assert!(api.get(path).status < 500, "{path}");
    }
    let server = server.restart();
    assert_eq!(state(&Api::of(&server)), before);
}

#[test]
fn e6_a_property_set_and_its_node_removed_in_one_event_come_back() {
    let (_server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": { "n": node("n"), "m": node("m") } }),
    ));
    let before = api.page("p")["value"].to_string();
    let ops = json!([
        { "op": "setNode", "id": "n", "set": { "/type": "x", "/props/new": 1 }, "unset": ["/props/text"] },
        { "op": "moveNode", "id": "n", "geometry": { "x": 9 }, "placement": "last" },
        { "op": "removeNode", "id": "n" }
    ]);
    let written = api.write(&api::deltas("p", 1, &json!([ops])));
    assert_eq!(
        api.page("p")["value"]["nodes"].as_object().map(serde_json::Map::len),
        Some(1)
    );
    api.write(&api::deltas("p", 2, &json!([written["events"][0]["inverse"]])));
    assert_eq!(api.page("p")["value"].to_string(), before);
}

#[test]
fn e8_four_times_back_and_four_times_forth() {
    let (_server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": { "g": { "type": "group", "parentId": null }, "m": node("m") } }),
    ));
    let steps = [
        json!([{ "op": "addNode", "node": with_id("n", node("n")), "placement": "first" }]),
        json!([{ "op": "moveNode", "id": "n", "parentId": "g", "geometry": { "x": 5 } }]),
        json!([{ "op": "moveNode", "id": "n", "placement": "last", "geometry": { "x": -0.5, "rotation": 90 } }]),
        json!([{ "op": "moveNode", "id": "n", "parentId": null, "placement": { "before": "m" } }]),
    ];
    let mut states = vec![api.page("p")["value"].to_string()];
    let mut inverses = Vec::new();
    for step in steps {
        let written = api.write(&api::deltas("p", api.head("p"), &json!([step])));
        inverses.push(written["events"][0]["inverse"].clone());
        states.push(api.page("p")["value"].to_string());
    }
    for _ in 0..2 {
        let mut forwards = Vec::new();
        for (inverse, state) in inverses.iter().zip(&states).rev() {
            let written = api.write(&api::deltas("p", api.head("p"), &json!([inverse])));
            forwards.push(written["events"][0]["inverse"].clone());
            assert_eq!(&api.page("p")["value"].to_string(), state);
        }
        inverses.clear();
        for (forward, state) in forwards.iter().rev().zip(&states[1..]) {
            let written = api.write(&api::deltas("p", api.head("p"), &json!([forward])));
            inverses.push(written["events"][0]["inverse"].clone());
            assert_eq!(&api.page("p")["value"].to_string(), state);
        }
    }
}

#[test]
fn e10_a_key_that_was_absent_is_absent_again_and_not_null() {
    let (_server, api) = start();
    let value = r#"{"nodes":{"n":{"type":"t","parentId":null,"props":{"b":null,"a":1.0,"z":{"y":0}}}},"attributes":{"k":null}}"#;
    let value: Json = serde_json::from_str(value).unwrap();
    api.write(&api::create("p", "DESIGN", &value));
    for delta in [
        json!([{ "op": "setNode", "id": "n", "set": { "/props/title": "x" } }]),
        json!([{ "op": "setNode", "id": "n", "set": { "/props/title": null } }]),
        json!([{ "op": "setNode", "id": "n", "set": { "/props/b": 1, "/props/z/new": {} } }]),
        json!([{ "op": "setNode", "id": "n", "unset": ["/props/b"] }]),
        json!([{ "op": "setNode", "id": "n", "unset": ["/props/a", "/props/z/y"] }]),
        json!([{ "op": "setAttributes", "set": { "/new": 1 }, "unset": ["/k"] }]),
        json!([{ "op": "addToSet", "id": "n", "pointer": "/props/tags", "values": ["x"] }]),
        json!([{ "op": "addBackground", "background": { "id": "b", "type": "color" }, "placement": "first" }]),
    ] {
        let before = api.page("p");
        let head = api.head("p");
        let written = api.write(&api::deltas("p", head, &json!([delta])));
        let inverse = &written["events"][0]["inverse"];
        api.write(&api::deltas("p", head + 1, &json!([inverse])));
        let after = api.page("p");
        assert_eq!(
            after["value"].to_string(),
            before["value"].to_string(),
            "{delta} back by {inverse}"
        );
        assert_eq!(after["digest"], before["digest"]);
    }
    // To null and to absent are two changes.
    let head = api.head("p");
    let null = api.write(&api::deltas(
        "p",
        head,
        &json!([[{ "op": "setNode", "id": "n", "set": { "/props/a": null } }]]),
    ));
    let absent = api.write(&api::deltas(
        "p",
        head + 1,
        &json!([[{ "op": "setNode", "id": "n", "unset": ["/props/a"] }]]),
    ));
    assert_eq!(
        (number(&null["version"]), number(&absent["version"])),
        (head + 1, head + 2)
    );
}

/// A number comes back as it was written, an object in its order, whatever reads it. One
/// spelling is joined with another: an exponent is written with a small e and its sign.
#[test]
fn numbers_keep_their_text_and_objects_their_order() {
    let (server, api) = start();
    let held =
        r#"{"z":1.0,"a":1,"m":[-0,-0.0,0.10,1e+400,123456789012345678901234567890,1.50e-7],"é":{"b":null,"a":""}}"#;
    let geometry = r#"{"x":1.50,"y":-0,"width":1e+2,"height":10,"rotation":0.0}"#;
    let node = format!(r#"{{"type":"t","parentId":null,"geometry":{geometry},"props":{held}}}"#);
    let value = |value: &str| format!(r#"{{"value":{value}}}"#).into_bytes();
    for (page, kind, body) in [
        ("sheet", "SHEET", value(held)),
        ("design", "DESIGN", value(&format!(r#"{{"nodes":{{"n":{node}}}}}"#))),
    ] {
        let empty = if kind == "SHEET" { json!(0) } else { json!({}) };
        api.write(&api::create(page, kind, &empty));
        api.write(&api::Write {
            body,
            ..api::replace(page, 1, &Json::Null)
        });
    }
    let server = server.restart();
    let api = Api::of(&server);
    let body = |page: &str| String::from_utf8(api.get(&format!("/v1/pages/{page}")).expect(200).body).expect("text");
    assert!(
        body("sheet").ends_with(&format!(r#""value":{held}}}"#)),
        "{}",
        body("sheet")
    );
    assert!(
        body("design").contains(geometry) && body("design").contains(held),
        "{}",
        body("design")
    );
    api.write(&api::Write {
        body: value("[1E2,1e2,1e+2,1E-2]"),
        ..api::replace("sheet", 2, &Json::Null)
    });
    assert!(
        body("sheet").ends_with(r#""value":[1e+2,1e+2,1e+2,1e-2]}"#),
        "{}",
        body("sheet")
    );
}

/// A write that fails leaves no mode behind: the next ones are as always.
#[test]
fn g4_a_write_that_fails_leaves_nothing_behind() {
    let (server, api) = start();
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": { "n": node("n") } })));
    for round in 0..30_u64 {
        let before = api.page("p");
        let failing = json!([
            [{ "op": "setNode", "id": "n", "set": { "/props/text": "half done" } }],
            [{ "op": "addNode", "node": with_id("x", node("x")) }, { "op": "removeNode", "id": "nobody" }]
        ]);
        api.send(&api::deltas("p", round + 1, &failing))
            .expect_problem(422, "illegal_delta");
        assert_eq!(api.page("p"), before);
        let next = json!([[{ "op": "setNode", "id": "n", "set": { "/props/round": round } }]]);
        let written = api.write(&api::deltas("p", round + 1, &next));
        assert_eq!(number(&written["version"]), round + 2);
        assert_eq!(written["events"].as_array().map(Vec::len), Some(1));
    }
    server.assert_calm();
}

/// Who did it stands in every event, and stays.
#[test]
fn g17_every_event_tells_its_actor() {
    let (server, api) = start();
    let sheet = |value: &str| json!([[{ "op": "replaceSheet", "value": value }]]);
    api.write(&api::create("p", "SHEET", &json!(0)).by("user:ada"));
    api.write(&api::replace("p", 1, &json!(1)).by("user:bob"));
    api.write(&api::deltas("p", 2, &sheet("x")).by("system:migration"));
    api.write(&api::delete("p", 3).by("user:carol"));
    api.write(&api::undelete("p", 4).by("user:ada"));
    api.write(&api::create("d", "DESIGN", &json!({})).by("agent:layout"));
    api.write(
        &api::deltas("d", 1, &json!([[{ "op": "addNode", "node": with_id("n", node("")) }]])).by("agent:layout:2"),
    );
    // A name that nobody gave is the token's, or that of whoever has none.
    api.write(&api::replace("p", 5, &json!(9)));
    let server = server.restart();
    let api = Api::of(&server);
    let actors = |page: &str| {
        let events = api.events(page);
        events
            .iter()
            .map(|event| format!("{} {}", text(&event["actor"]), text(&event["type"])))
            .collect::<Vec<_>>()
    };
    let of_p = actors("p");
    assert_eq!(
        of_p[..5],
        [
            "user:ada page-edit",
            "user:bob page-edit",
            "system:migration page-edit",
            "user:carol page-edit",
            "user:ada page-edit"
        ]
    );
    assert!(
        of_p[5].starts_with("user:") && of_p[5].ends_with(" page-edit"),
        "{}",
        of_p[5]
    );
    assert_eq!(
        actors("d"),
        ["agent:layout agent-page-edit", "agent:layout:2 agent-page-edit"]
    );
    let refused = api
        .send(&api::replace("p", 6, &json!(9)).by("agent:x"))
        .expect_problem(422, "not_writable_by_agents");
    assert_eq!(refused.json()["kind"], json!("SHEET"));
    for bad in [
        "ada",
        "root:ada",
        "user:",
        ":",
        "user:a\tb",
        &format!("user:{}", "x".repeat(200)),
    ] {
        let refused = api.send(&api::replace("p", 6, &json!(9)).by(bad));
        refused.expect_problem(400, "invalid_header");
    }
}
