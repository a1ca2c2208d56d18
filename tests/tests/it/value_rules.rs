//! Rules of values and provenance, through HTTP.

use std::collections::BTreeSet;

use recto_tests::Json;
use recto_tests::api::{self, Api, number, text};
use recto_tests::server::Server;
use serde_json::json;

fn start() -> (Server, Api) {
    let server = Server::start();
    let api = Api::of(&server);
    (server, api)
}

fn node(text: &str) -> Json {
    json!({ "type": "text", "parentId": null, "geometry": { "x": 1, "y": 2.50 }, "props": { "text": text } })
}

fn with_id(id: &str, mut node: Json) -> Json {
    node["id"] = Json::from(id);
    node
}

/// The rules of the reference library (npm `fractional-indexing`) for an order key.
fn is_order_key(key: &str) -> bool {
    let bytes = key.as_bytes();
    let Some(head) = bytes.first() else { return false };
    let integer = match head {
        b'a'..=b'z' => usize::from(head - b'a') + 2,
        b'A'..=b'Z' => usize::from(b'Z' - head) + 2,
        _ => return false,
    };
    let smallest = format!("A{}", "0".repeat(26));
    let digits = bytes.iter().all(u8::is_ascii_alphanumeric);
    digits && bytes.len() >= integer && key != smallest && !(bytes.len() > integer && key.ends_with('0'))
}

/// The order keys of a page's nodes, by sibling list, in the order in which the page tells them.
#[track_caller]
fn expect_valid_order(page: &Json) {
    let mut last: std::collections::HashMap<String, (String, String)> = std::collections::HashMap::new();
    for (id, node) in page["value"]["nodes"].as_object().expect("nodes") {
        let key = text(&node["order"]);
        assert!(is_order_key(key), "{key:?} of {id}");
        let place = (key.to_owned(), id.clone());
        let before = last.insert(node["parentId"].to_string(), place.clone());
        assert!(before.as_ref().is_none_or(|before| *before < place), "{before:?} is told before {place:?}");
    }
}

const BAD_KEYS: [&str; 14] = [
    "r00000000", "", "a00", "Z", "a", "0", "é", "a0é", "a0 ", "A00000000000000000000000000", "zzzz", "a0\n", "-1", "a1.5",
];

#[test]
fn c5_a_bad_order_key_is_refused_and_never_stored() {
    let (server, api) = start();
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": { "n": node("n"), "m": node("m") } })));
    let long = format!("a0{}", "V".repeat(10_000));
    let before = api.page("p");
    for key in BAD_KEYS.into_iter().chain([long.as_str()]) {
        let mut keyed = with_id("x", node("x"));
        keyed["order"] = Json::from(key);
        for write in [
            api::deltas("p", 1, &json!([[{ "op": "addNode", "node": keyed }]])),
            api::deltas("p", 1, &json!([[{ "op": "moveNode", "id": "n", "order": key }]])),
            api::replace("p", 1, &json!({ "nodes": { "x": keyed } })),
            api::create("q", "DESIGN", &json!({ "nodes": [keyed] })),
        ] {
            let refused = api.send(&write);
            assert!((400..423).contains(&refused.status), "{key:?}: {refused}");
            let rule = refused.json()["rule"].clone();
            assert!(rule == json!("order_key_invalid") || rule == json!("too_large"), "{key:?}: {refused}");
        }
        // Not even as a property that happens to be called so does a bad key become an order.
        api.send(&api::deltas("p", 1, &json!([[{ "op": "setNode", "id": "n", "set": { "/order": key } }]])))
            .expect_problem(422, "illegal_delta");
    }
    assert_eq!(api.page("p"), before);
    api.get("/v1/pages/q").expect_problem(404, "page_not_found");
    server.assert_calm();
}

#[test]
fn c1_between_two_equal_keys_the_second_gets_another_and_both_come_back() {
    let (_server, api) = start();
    let keyed = |key: &str| {
        let mut node = node("n");
        node["order"] = Json::from(key);
        node
    };
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": { "b": keyed("a1"), "a": keyed("a1"), "c": keyed("a1"), "d": keyed("a2") } })));
    let before = api.page("p");
    let order = |page: &Json| page["value"]["nodes"].as_object().expect("nodes").keys().cloned().collect::<Vec<_>>();
    assert_eq!(order(&before), ["a", "b", "c", "d"]);
    let op = json!([{ "op": "addNode", "node": with_id("x", node("x")), "placement": { "after": "a" } }]);
    let written = api.write(&api::deltas("p", 1, &json!([op])));
    let after = api.page("p");
    assert_eq!(order(&after), ["a", "x", "b", "c", "d"]);
    expect_valid_order(&after);
    assert_eq!(number(&written["version"]), 2, "one event holds it all");
    api.write(&api::deltas("p", 2, &json!([written["events"][0]["inverse"]])));
    assert_eq!(api.page("p")["value"].to_string(), before["value"].to_string());
}

/// Thousands of nodes put into one gap, one event each: different keys, in order, short.
#[test]
fn c4_4000_inserts_into_one_gap_are_unique_and_ordered() {
    let (server, api) = start();
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": [with_id("first", node("")), with_id("last", node(""))] })));
    for batch in 0..8_u64 {
        let deltas: Vec<Json> = (0..500)
            .map(|number| {
                let id = format!("n{batch}-{number}");
                json!([{ "op": "addNode", "node": with_id(&id, node("")), "placement": { "after": "first" } }])
            })
            .collect();
        api.write(&api::deltas("p", api.head("p"), &json!(deltas)));
    }
    let page = api.page("p");
    expect_valid_order(&page);
    let nodes = page["value"]["nodes"].as_object().expect("nodes");
    let keys: BTreeSet<_> = nodes.values().map(|node| text(&node["order"])).collect();
    assert_eq!((nodes.len(), keys.len()), (4_002, 4_002));
    let ids: Vec<_> = nodes.keys().map(String::as_str).collect();
    let newest_first = (0..8).rev().flat_map(|batch| (0..500).rev().map(move |number| format!("n{batch}-{number}")));
    assert!(ids[1..4_001].iter().copied().eq(newest_first));
    assert_eq!((ids[0], ids[4_001]), ("first", "last"));
    let longest = keys.iter().map(|key| key.len()).max();
    assert!(longest <= Some(64), "a key of {longest:?} bytes");
    server.assert_calm();
}

/// What a whole value leaves out is removed by name; what a delta does not name stays.
#[test]
fn d9_replacing_removes_by_name_and_a_delta_never_by_omission() {
    let (_server, api) = start();
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": { "a": node("a"), "b": node("b"), "c": node("c") } })));
    let delta = json!([[{ "op": "setNode", "id": "a", "set": { "/props/text": "A" } }]]);
    api.write(&api::deltas("p", 1, &delta));
    assert_eq!(api.page("p")["value"]["nodes"].as_object().map(serde_json::Map::len), Some(3));
    let written = api.write(&api::replace("p", 2, &json!({ "nodes": { "a": node("A") } })));
    let removed: Vec<_> = written["events"][0]["delta"]
        .as_array()
        .expect("operations")
        .iter()
        .filter(|op| op["op"] == "removeNode")
        .map(|op| text(&op["id"]))
        .collect();
    assert_eq!(removed, ["c", "b"]);
    assert_eq!(api.page_at("p", 2)["value"]["nodes"].as_object().map(serde_json::Map::len), Some(3));
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
            "", "?at=1", "?at=2", "?at=99", "?at=2020-01-01T00:00:00Z", "?at=2999-01-01T00:00:00Z", "/events", "/events?order=desc",
            "/events/1", "/events/7", "/diff?from=1", "/diff?from=1&to=1", "/diff?from=2&to=1",
        ] {
            let answer = api.get(&format!("/v1/pages/{page}{rest}"));
            answer.assert_sound();
        }
        drop(api.follow(&format!("/v1/pages/{page}/feed"), Some(0)));
    }
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json", "/problems", "/v1/pages", "/v1/commands/x", "/docs/"] {
        assert!(api.get(path).status < 500, "{path}");
    }
    let server = server.restart();
    assert_eq!(state(&Api::of(&server)), before);
}

#[test]
fn e6_a_property_set_and_its_node_removed_in_one_event_come_back() {
    let (_server, api) = start();
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": { "n": node("n"), "m": node("m") } })));
    let before = api.page("p")["value"].to_string();
    let ops = json!([
        { "op": "setNode", "id": "n", "set": { "/type": "x", "/props/new": 1 }, "unset": ["/props/text"] },
        { "op": "moveNode", "id": "n", "geometry": { "x": 9 }, "placement": "last" },
        { "op": "removeNode", "id": "n" }
    ]);
    let written = api.write(&api::deltas("p", 1, &json!([ops])));
    assert_eq!(api.page("p")["value"]["nodes"].as_object().map(serde_json::Map::len), Some(1));
    api.write(&api::deltas("p", 2, &json!([written["events"][0]["inverse"]])));
    assert_eq!(api.page("p")["value"].to_string(), before);
}

#[test]
fn e8_four_times_back_and_four_times_forth() {
    let (_server, api) = start();
    api.write(&api::create("p", "DESIGN", &json!({ "nodes": { "g": { "type": "group", "parentId": null }, "m": node("m") } })));
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
        assert_eq!(after["value"].to_string(), before["value"].to_string(), "{delta} back by {inverse}");
        assert_eq!(after["digest"], before["digest"]);
    }
    // To null and to absent are two changes.
    let head = api.head("p");
    let null = api.write(&api::deltas("p", head, &json!([[{ "op": "setNode", "id": "n", "set": { "/props/a": null } }]])));
    let absent = api.write(&api::deltas("p", head + 1, &json!([[{ "op": "setNode", "id": "n", "unset": ["/props/a"] }]])));
    assert_eq!((number(&null["version"]), number(&absent["version"])), (head + 1, head + 2));
}

/// A number comes back as it was written, an object in its order, whatever reads it.
#[test]
fn numbers_keep_their_text_and_objects_their_order() {
    let (server, api) = start();
    let held = r#"{"z":1.0,"a":1,"m":[-0,0.10,1e400,123456789012345678901234567890,1E+2],"é":{"b":null,"a":""}}"#;
    let value: Json = serde_json::from_str(held).unwrap();
    api.write(&api::create("sheet", "SHEET", &value));
    let props = json!({ "nodes": { "n": { "type": "t", "parentId": null, "geometry": { "x": 1.50, "y": -0, "width": 1e2, "height": 10 }, "props": value } } });
    api.write(&api::create("design", "DESIGN", &props));
    let server = server.restart();
    let api = Api::of(&server);
    assert_eq!(api.page("sheet")["value"].to_string(), held);
    let node = api.page("design")["value"]["nodes"]["n"].clone();
    assert_eq!(node["props"].to_string(), held);
    assert_eq!(node["geometry"].to_string(), props["nodes"]["n"]["geometry"].to_string().replace('}', ",\"rotation\":0}"));
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
        api.send(&api::deltas("p", round + 1, &failing)).expect_problem(422, "illegal_delta");
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
    api.write(&api::deltas("d", 1, &json!([[{ "op": "addNode", "node": with_id("n", node("")) }]])).by("agent:layout:2"));
    // A name that nobody gave is the token's, or that of whoever has none.
    api.write(&api::replace("p", 5, &json!(9)));
    let server = server.restart();
    let api = Api::of(&server);
    let actors = |page: &str| {
        let events = api.events(page);
        events.iter().map(|event| format!("{} {}", text(&event["actor"]), text(&event["type"]))).collect::<Vec<_>>()
    };
    let of_p = actors("p");
    assert_eq!(of_p[..5], ["user:ada page-edit", "user:bob page-edit", "system:migration page-edit", "user:carol page-edit", "user:ada page-edit"]);
    assert!(of_p[5].starts_with("user:") && of_p[5].ends_with(" page-edit"), "{}", of_p[5]);
    assert_eq!(actors("d"), ["agent:layout agent-page-edit", "agent:layout:2 agent-page-edit"]);
    let refused = api.send(&api::replace("p", 6, &json!(9)).by("agent:x")).expect_problem(422, "not_writable_by_agents");
    assert_eq!(refused.json()["kind"], json!("SHEET"));
    for bad in ["ada", "root:ada", "user:", ":", "user:a\tb", &format!("user:{}", "x".repeat(200))] {
        let refused = api.send(&api::replace("p", 6, &json!(9)).by(bad));
        refused.expect_problem(400, "invalid_header");
    }
}
