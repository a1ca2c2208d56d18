//! Rules of text, through HTTP: what is refused leaves the page as it was, and what is taken
//! comes back exactly when its inverse is sent.

use recto_projections::{Kind, Value};
use recto_tests::Json;
use recto_tests::api::{self, Api, number, text};
use recto_tests::generate;
use recto_tests::seed::Random;
use recto_tests::server::Server;
use serde_json::json;

/// Makes a page, and checks that deltas are refused with a rule and change nothing.
#[track_caller]
fn expect_refused(api: &Api, page: &str, delta: &Json, rule: &str) {
    let before = api.page(page);
    let head = api.head(page);
    let answer = api.send(&api::deltas(page, head, &json!([delta])));
    let refused = answer.expect_problem(422, "illegal_delta").json();
    assert_eq!(text(&refused["rule"]), rule, "{delta}: {refused}");
    assert_eq!(api.page(page), before, "{delta}");
}

/// Sends a delta and then its inverse; gives the inverse. The page is the same again.
#[track_caller]
fn expect_there_and_back(api: &Api, page: &str, delta: &Json) -> Json {
    let before = api.page(page);
    let written = api.write(&api::deltas(page, api.head(page), &json!([delta])));
    let inverse = written["events"][0]["inverse"].clone();
    let back = api.write(&api::deltas(page, number(&written["version"]), &json!([inverse])));
    let after = api.page(page);
    assert_eq!(after["value"].to_string(), before["value"].to_string(), "{delta} back by {inverse}");
    assert_eq!(after["digest"], before["digest"]);
    // What is taken back is the same change again.
    let again = api.write(&api::deltas(page, number(&back["version"]), &json!([back["events"][0]["inverse"]])));
    assert_eq!(again["events"][0]["digest"], written["events"][0]["digest"]);
    api.write(&api::deltas(page, number(&again["version"]), &json!([again["events"][0]["inverse"]])));
    inverse
}

fn start() -> (Server, Api) {
    let server = Server::start();
    let api = Api::of(&server);
    (server, api)
}

/// A page of each kind that holds this text, and how a text delta is put to it.
fn texts(api: &Api, held: &str) -> [(&'static str, fn(&Json) -> Json); 3] {
    api.write(&api::create("doc", "DOC", &json!([{ "insert": format!("{held}\n") }])));
    api.write(&api::create("code", "CODE", &json!({ "files": { "f": held }, "entry": "f" })));
    let node = json!({ "type": "text", "parentId": null, "props": { "t": held } });
    api.write(&api::create("design", "DESIGN", &json!({ "nodes": { "n": node } })));
    [
        ("doc", |delta| delta.clone()),
        ("code", |delta| json!([{ "op": "editFile", "path": "f", "delta": delta }])),
        ("design", |delta| json!([{ "op": "editText", "id": "n", "pointer": "/props/t", "delta": delta }])),
    ]
}

#[test]
fn e1_a_boundary_inside_a_surrogate_pair_is_refused() {
    let (server, api) = start();
    for (page, wrap) in texts(&api, "a😀b") {
        for delta in [
            json!([{ "retain": 2 }, { "insert": "x" }]),
            json!([{ "retain": 2 }, { "delete": 1 }]),
            json!([{ "delete": 2 }]),
            json!([{ "retain": 1 }, { "delete": 1 }]),
            json!([{ "retain": 1 }, { "insert": "y" }, { "delete": 1 }]),
        ] {
            expect_refused(&api, page, &wrap(&delta), "splits_surrogate");
        }
        expect_there_and_back(&api, page, &wrap(&json!([{ "retain": 1 }, { "delete": 2 }])));
        expect_there_and_back(&api, page, &wrap(&json!([{ "retain": 3 }, { "insert": "😁" }])));
    }
    expect_refused(&api, "doc", &json!([{ "retain": 2, "attributes": { "bold": true } }]), "splits_surrogate");
    // Half a pair cannot be sent at all.
    let half = br#"{"delta":[{"insert":"\ud83d"}]}"#.to_vec();
    let half = api::Write { body: half, ..api::deltas("doc", api.head("doc"), &json!([])) };
    api.send(&half).expect_problem(400, "malformed_json");
    server.assert_calm();
}

/// Texts that differ by halves of pairs: the stored difference never cuts one.
#[test]
fn e1_the_difference_of_two_texts_never_cuts_a_pair() {
    let mut random = Random::of_test("E1", 9);
    let (server, api) = start();
    let near = ["😀", "😁", "🐀", "👍🏽", "👍🏿", "👩‍👩‍👧", "👩‍👧", "🇪🇺", "🇪🇸", "e\u{301}", "é", "\u{d7ff}", "\u{e000}", "\u{10ffff}"];
    let some = |random: &mut Random| {
        let count = random.below(8);
        (0..count).map(|_| if random.chance(1, 4) { generate::words(random, 2) } else { (*random.pick(&near)).to_owned() }).collect::<String>()
    };
    api.write(&api::create("code", "CODE", &json!({ "files": { "f": "" }, "entry": null })));
    api.write(&api::create("doc", "DOC", &json!([{ "insert": "\n" }])));
    for _ in 0..120 {
        let held = some(&mut random);
        for (page, value) in [
            ("code", json!({ "files": { "f": held }, "entry": null })),
            ("doc", json!([{ "insert": format!("{held}\n") }])),
        ] {
            let written = api.write(&api::replace(page, api.head(page), &value));
            assert_eq!(api.page(page)["value"], value);
            if written["changed"] == json!(true) {
                expect_there_and_back_of(&api, page, &written);
            }
        }
    }
    server.assert_calm();
}

/// Sends the inverse of a write, and the inverse of that.
#[track_caller]
fn expect_there_and_back_of(api: &Api, page: &str, written: &Json) {
    let version = number(&written["version"]);
    let back = api.write(&api::deltas(page, version, &json!([written["events"][0]["inverse"]])));
    assert_eq!(api.page(page)["digest"], api.page_at(page, version - 1)["digest"]);
    let again = api.write(&api::deltas(page, version + 1, &json!([back["events"][0]["inverse"]])));
    assert_eq!(again["events"][0]["digest"], written["events"][0]["digest"]);
}

#[test]
fn e2_an_operation_past_the_end_is_refused_and_never_clamped() {
    let (server, api) = start();
    for (page, wrap) in texts(&api, "ab") {
        for delta in [
            json!([{ "retain": 10 }, { "insert": "x" }]),
            json!([{ "retain": 10 }, { "delete": 5 }]),
            json!([{ "delete": 5 }]),
            json!([{ "retain": 1 }, { "delete": 9_007_199_254_740_991_u64 }]),
            json!([{ "retain": 18_446_744_073_709_551_615_u64 }, { "delete": 18_446_744_073_709_551_615_u64 }]),
            json!([{ "retain": 10 }]),
        ] {
            expect_refused(&api, page, &wrap(&delta), "out_of_range");
        }
    }
    server.assert_calm();
}

#[test]
fn e3_lengths_that_are_none_are_refused() {
    let (_server, api) = start();
    for (page, wrap) in texts(&api, "ab") {
        for length in ["-1", "1.5", "1.0", "1e1", "\"1\"", "null", "true", "18446744073709551616", "1e400", "{}", "[1]"] {
            let body = format!("{{\"delta\":{}}}", wrap(&json!([{ "retain": "HERE" }, { "insert": "x" }])));
            let body = body.replace("\"HERE\"", length).into_bytes();
            let write = api::Write { body, ..api::deltas(page, 1, &json!([])) };
            api.send(&write).expect_problem(400, "malformed");
        }
        expect_refused(&api, page, &wrap(&json!([{ "retain": 0 }, { "insert": "x" }])), "empty_operation");
        expect_refused(&api, page, &wrap(&json!([{ "insert": "" }])), "empty_operation");
    }
}

/// An inverse is made from the state, not by a comparison: it puts back what went, there.
#[test]
fn e4_an_inverse_puts_back_exactly_what_went() {
    let (_server, api) = start();
    for (page, wrap) in texts(&api, "aaa") {
        let inverse = expect_there_and_back(&api, page, &wrap(&json!([{ "retain": 1 }, { "delete": 1 }])));
        assert_eq!(inverse, wrap(&json!([{ "retain": 1 }, { "insert": "a" }])));
    }
    let image = json!({ "insert": { "image": "x.png" } });
    api.write(&api::create("images", "DOC", &json!([image, { "insert": "-" }, image, { "insert": "\n" }])));
    api.write(&api::deltas("images", 1, &json!([[{ "retain": 1 }, { "insert": "between" }, { "delete": 1 }]])));
    expect_there_and_back(&api, "images", &json!([{ "delete": 1 }]));
    expect_there_and_back(&api, "images", &json!([{ "retain": 8 }, { "delete": 1 }]));
    assert_eq!(api.page("images")["value"], json!([image, { "insert": "between" }, image, { "insert": "\n" }]));
}

#[test]
fn e9_insert_delete_undo_undo() {
    let (_server, api) = start();
    for (page, wrap) in texts(&api, "") {
        let before = api.page(page);
        let made = api.write(&api::deltas(page, 1, &json!([wrap(&json!([{ "insert": "a" }]))])));
        let gone = api.write(&api::deltas(page, 2, &json!([wrap(&json!([{ "delete": 1 }]))])));
        assert_eq!(api.page(page)["digest"], before["digest"]);
        api.write(&api::deltas(page, 3, &json!([gone["events"][0]["inverse"]])));
        assert_eq!(api.page(page)["digest"], made["events"][0]["digest"]);
        api.write(&api::deltas(page, 4, &json!([made["events"][0]["inverse"]])));
        assert_eq!(api.page(page)["value"].to_string(), before["value"].to_string());
    }
}

#[test]
fn e11_attributes_are_never_null_and_equal_ones_are_no_change() {
    let (_server, api) = start();
    let link = json!({ "link": { "u": 1, "v": [null] } });
    api.write(&api::create("d", "DOC", &json!([{ "insert": "ab", "attributes": link }, { "insert": "\n" }])));
    expect_refused(&api, "d", &json!([{ "insert": "x", "attributes": { "bold": null } }]), "null_attribute");
    let null = json!([{ "insert": "x", "attributes": { "bold": null } }, { "insert": "\n" }]);
    let refused = api.send(&api::create("n", "DOC", &null)).expect_problem(422, "illegal_value").json();
    assert_eq!(text(&refused["rule"]), "null_attribute");
    for same in [
        json!([{ "retain": 2, "attributes": link }]),
        json!([{ "retain": 1, "attributes": link }, { "retain": 1, "attributes": link }]),
        json!([{ "retain": 2, "attributes": { "absent": null } }]),
        json!([{ "retain": 2, "attributes": {} }]),
        json!([]),
    ] {
        let written = api.write(&api::deltas("d", 1, &json!([same])));
        assert_eq!((number(&written["version"]), &written["events"]), (1, &json!([])), "{same}");
    }
    // Another order of keys inside a value is another value; a null takes away, and comes back.
    let written = api.write(&api::deltas("d", 1, &json!([[{ "retain": 2, "attributes": { "link": { "v": [null], "u": 1 } } }]])));
    assert_eq!(number(&written["version"]), 2);
    let inverse = expect_there_and_back(&api, "d", &json!([{ "retain": 2, "attributes": { "link": null, "bold": true } }]));
    assert_eq!(inverse[0]["attributes"], json!({ "bold": null, "link": { "v": [null], "u": 1 } }));
}

#[test]
fn e13_a_document_ends_with_a_newline_after_every_delta() {
    let (_server, api) = start();
    let refused = api.send(&api::create("n", "DOC", &json!([{ "insert": "x" }]))).expect_problem(422, "illegal_value").json();
    assert_eq!(text(&refused["rule"]), "missing_newline");
    for empty in [json!([]), json!({ "ops": [] })] {
        api.send(&api::create("n", "DOC", &empty)).expect_problem(422, "illegal_value");
    }
    api.write(&api::create("d", "DOC", &json!([{ "insert": "ab\n" }])));
    expect_refused(&api, "d", &json!([{ "retain": 2 }, { "delete": 1 }]), "missing_newline");
    expect_refused(&api, "d", &json!([{ "retain": 3 }, { "insert": "x" }]), "missing_newline");
    expect_refused(&api, "d", &json!([{ "retain": 3 }, { "insert": { "image": "x" } }]), "missing_newline");
    expect_there_and_back(&api, "d", &json!([{ "retain": 2 }, { "insert": "\n" }, { "delete": 1 }, ]));
    expect_there_and_back(&api, "d", &json!([{ "retain": 3 }, { "insert": "c\n" }]));
}

#[test]
fn e14_a_document_holds_inserts_only() {
    let (_server, api) = start();
    for bad in [json!([{ "retain": 1 }, { "insert": "\n" }]), json!([{ "insert": "\n" }, { "delete": 1 }])] {
        let refused = api.send(&api::create("d", "DOC", &bad)).expect_problem(422, "illegal_value").json();
        assert_eq!(text(&refused["rule"]), "inserts_only");
        api.get("/v1/pages/d").expect_problem(404, "page_not_found");
    }
}

#[test]
fn e15_an_unknown_embed_passes_through_untouched() {
    let (_server, api) = start();
    let embed: Json = serde_json::from_str(r#"{"x-unknown":{"b":1.0,"a":[null,-0,1e2],"😀":""}}"#).unwrap();
    let value = json!([{ "insert": "a" }, { "insert": embed, "attributes": { "w": 1 } }, { "insert": "\n" }]);
    api.write(&api::create("d", "DOC", &value));
    assert_eq!(api.page("d")["value"].to_string(), value.to_string());
    expect_there_and_back(&api, "d", &json!([{ "retain": 1 }, { "delete": 1 }]));
    expect_there_and_back(&api, "d", &json!([{ "retain": 1 }, { "retain": 1, "attributes": { "w": null } }]));
    expect_there_and_back(&api, "d", &json!([{ "insert": embed }, { "retain": 1 }, { "insert": embed }]));
    assert_eq!(api.page("d")["value"].to_string(), value.to_string());
    for bad in [json!(1), json!(null), json!([1]), json!(true)] {
        api.send(&api::deltas("d", api.head("d"), &json!([[{ "insert": bad }]]))).expect_problem(400, "malformed");
    }
}

#[test]
fn e16_line_ends_and_bytes_are_kept_as_they_came() {
    let (_server, api) = start();
    let held = "a\r\nb\rc\n\u{feff}d\u{2028}\0\u{85}e\u{301}";
    api.write(&api::create("c", "CODE", &json!({ "files": { "f": held }, "entry": null })));
    assert_eq!(text(&api.page("c")["value"]["files"]["f"]), held);
    let edit = |delta: Json| json!([{ "op": "editFile", "path": "f", "delta": delta }]);
    // Between the two halves of a line end lies a boundary like any other.
    let inverse = expect_there_and_back(&api, "c", &edit(json!([{ "retain": 1 }, { "delete": 1 }])));
    assert_eq!(inverse, edit(json!([{ "retain": 1 }, { "insert": "\r" }])));
    expect_there_and_back(&api, "c", &edit(json!([{ "retain": 2 }, { "insert": "X" }])));
    let value = |held: &str| json!({ "files": { "f": held }, "entry": null });
    api.write(&api::replace("c", api.head("c"), &value("a\nb\n")));
    api.write(&api::replace("c", api.head("c"), &value("a\r\nb\r\n")));
    assert_eq!(text(&api.page("c")["value"]["files"]["f"]), "a\r\nb\r\n");
}

/// A whole value is stored as the small difference that leads to it.
#[test]
fn d6_a_replaced_text_is_stored_as_a_small_difference() {
    let (_server, api) = start();
    let lines: Vec<String> = (0..2_000).map(|line| format!("line {line} of the text\n")).collect();
    let mut edited = lines.clone();
    edited[1_000] = "line 1000 of the new text\n".to_owned();
    edited.insert(1_500, "one more\n".to_owned());
    for (page, kind, wrap) in [
        ("code", "CODE", (|held: &str| json!({ "files": { "f": held }, "entry": null })) as fn(&str) -> Json),
        ("doc", "DOC", |held| json!([{ "insert": held }])),
    ] {
        api.write(&api::create(page, kind, &wrap(&lines.concat())));
        let written = api.write(&api::replace(page, 1, &wrap(&edited.concat())));
        let (delta, inverse) = (written["events"][0]["delta"].to_string(), written["events"][0]["inverse"].to_string());
        assert!(delta.len() < 300 && inverse.len() < 300, "{delta} and {inverse}");
        assert_eq!(api.page(page)["value"].to_string(), wrap(&edited.concat()).to_string());
    }
}

/// Every state that a text can have has one digest, whatever way led to it.
#[test]
fn the_digest_of_a_text_does_not_tell_how_it_came_to_be() {
    let mut random = Random::of_test("digest of text", 10);
    for _ in 0..200 {
        let kind = *random.pick(&[Kind::Doc, Kind::Code]);
        let (from, to) = (generate::value(&mut random, kind), generate::value(&mut random, kind));
        let mut value = Value::from_json(kind, &from).expect("a legal value");
        let fresh = Value::from_json(kind, &to).expect("a legal value");
        let delta = value.diff(&fresh).expect("a difference");
        value.apply(&delta).expect("a difference applies");
        assert_eq!((value.digest(), &value), (fresh.digest(), &fresh), "{from} to {to}");
    }
}
