//! Order keys, through HTTP: the server makes them, they are valid, unique and in order, and a
//! change of order is a change like any other.

use std::collections::{BTreeSet, HashMap};

use recto_tests::Json;
use recto_tests::api::{self, number, start, text};
use serde_json::json;

fn node(text: &str) -> Json {
    json!({ "type": "text", "parentId": null, "props": { "text": text } })
}

fn with_id(id: &str, mut node: Json) -> Json {
    node["id"] = Json::from(id);
    node
}

/// The ids of a page's nodes, in the order in which the page tells them.
fn ids(page: &Json) -> Vec<&str> {
    page["value"]["nodes"]
        .as_object()
        .expect("nodes")
        .keys()
        .map(String::as_str)
        .collect()
}

/// The rules of the reference library (npm `fractional-indexing`) for an order key.
fn is_order_key(key: &str) -> bool {
    let bytes = key.as_bytes();
    let Some(head) = bytes.first() else {
        return false;
    };
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
    let mut last: HashMap<String, (String, String)> = HashMap::new();
    for (id, node) in page["value"]["nodes"].as_object().expect("nodes") {
        let key = text(&node["order"]);
        assert!(is_order_key(key), "{key:?} of {id}");
        let place = (key.to_owned(), id.clone());
        let before = last.insert(node["parentId"].to_string(), place.clone());
        assert!(
            before.as_ref().is_none_or(|before| *before < place),
            "{before:?} is told before {place:?}"
        );
    }
}

const BAD_KEYS: [&str; 14] = [
    "r00000000",
    "",
    "a00",
    "Z",
    "a",
    "0",
    "é",
    "a0é",
    "a0 ",
    "A00000000000000000000000000",
    "zzzz",
    "a0\n",
    "-1",
    "a1.5",
];

#[test]
fn c5_a_bad_order_key_is_refused_and_never_stored() {
    let (server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": { "n": node("n"), "m": node("m") } }),
    ));
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
            assert!(
                rule == json!("order_key_invalid") || rule == json!("too_large"),
                "{key:?}: {refused}"
            );
        }
        // Not even as a property that happens to be called so does a bad key become an order.
        api.send(&api::deltas(
            "p",
            1,
            &json!([[{ "op": "setNode", "id": "n", "set": { "/order": key } }]]),
        ))
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
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": { "b": keyed("a1"), "a": keyed("a1"), "c": keyed("a1"), "d": keyed("a2") } }),
    ));
    let before = api.page("p");
    assert_eq!(ids(&before), ["a", "b", "c", "d"]);
    let op = json!([{ "op": "addNode", "node": with_id("x", node("x")), "placement": { "after": "a" } }]);
    let written = api.write(&api::deltas("p", 1, &json!([op])));
    let after = api.page("p");
    assert_eq!(ids(&after), ["a", "x", "b", "c", "d"]);
    expect_valid_order(&after);
    assert_eq!(number(&written["version"]), 2, "one event holds it all");
    api.write(&api::deltas("p", 2, &json!([written["events"][0]["inverse"]])));
    assert_eq!(api.page("p")["value"].to_string(), before["value"].to_string());
}

/// Thousands of nodes put into one gap, one event each: different keys, in order, short.
#[test]
fn c4_4000_inserts_into_one_gap_are_unique_and_ordered() {
    let (server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": [with_id("first", node("")), with_id("last", node(""))] }),
    ));
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
    let newest_first = (0..8)
        .rev()
        .flat_map(|batch| (0..500).rev().map(move |number| format!("n{batch}-{number}")));
    assert!(ids[1..4_001].iter().copied().eq(newest_first));
    assert_eq!((ids[0], ids[4_001]), ("first", "last"));
    let longest = keys.iter().map(|key| key.len()).max();
    assert!(longest <= Some(64), "a key of {longest:?} bytes");
    server.assert_calm();
}

/// Two who insert at one place from one version: both runs get keys of their own and stay together.
#[test]
fn c2_two_inserts_at_one_place_get_different_keys_and_stay_together() {
    let (_server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": [with_id("first", node("")), with_id("last", node(""))] }),
    ));
    let run = |who: &str| -> Json {
        let place = |number: usize| match number {
            0 => json!({ "after": "first" }),
            _ => json!({ "after": format!("{who}{}", number - 1) }),
        };
        (0..3).map(|number| json!({ "op": "addNode", "node": with_id(&format!("{who}{number}"), node("")), "placement": place(number) })).collect()
    };
    api.write(&api::deltas("p", 1, &json!([run("a")])));
    api.write(&api::deltas("p", 1, &json!([run("b")])));
    let page = api.page("p");
    assert_eq!(ids(&page), ["first", "b0", "b1", "b2", "a0", "a1", "a2", "last"]);
    expect_valid_order(&page);
    let keys: BTreeSet<_> = page["value"]["nodes"]
        .as_object()
        .expect("nodes")
        .values()
        .map(|node| text(&node["order"]))
        .collect();
    assert_eq!(keys.len(), 8);
}

/// To bring something to the front is an event with an inverse; a stale write of something else
/// does not undo it.
#[test]
fn c6_a_change_of_order_alone_is_an_event_and_comes_back() {
    let (_server, api) = start();
    api.write(&api::create(
        "p",
        "DESIGN",
        &json!({ "nodes": [with_id("n", node("")), with_id("m", node("")), with_id("o", node(""))] }),
    ));
    let before = api.page("p");
    let written = api.write(&api::deltas(
        "p",
        1,
        &json!([[{ "op": "moveNode", "id": "n", "placement": "last" }]]),
    ));
    assert_eq!(number(&written["version"]), 2);
    assert_eq!(ids(&api.page("p")), ["m", "o", "n"]);
    let edit = json!([[{ "op": "setNode", "id": "m", "set": { "/props/text": "M" } }]]);
    api.write(&api::deltas("p", 1, &edit));
    assert_eq!(ids(&api.page("p")), ["m", "o", "n"]);
    // Where it stands already, nothing happens.
    let same = api.write(&api::deltas(
        "p",
        3,
        &json!([[{ "op": "moveNode", "id": "n", "placement": "last" }]]),
    ));
    assert_eq!(same["changed"], json!(false));
    api.write(&api::deltas("p", 3, &json!([written["events"][0]["inverse"]])));
    let after = api.page("p");
    assert_eq!(ids(&after), ids(&before));
    assert_eq!(
        after["value"]["nodes"]["n"], before["value"]["nodes"]["n"],
        "with its old key"
    );
}
