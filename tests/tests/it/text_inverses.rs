//! Text there and back: inverses put back exactly what went, and whole values are stored as the
//! small difference that leads to them.

use recto_projections::{Kind, Value};
use recto_tests::api::{self, start, text};
use recto_tests::check::{expect_taken_back, expect_there_and_back, make_texts};
use recto_tests::seed::Random;
use recto_tests::{Json, generate};
use serde_json::json;

/// Texts that differ by halves of pairs: the stored difference never cuts one.
#[test]
fn e1_the_difference_of_two_texts_never_cuts_a_pair() {
    let mut random = Random::of_test("E1", 9);
    let (server, api) = start();
    let near = [
        "😀",
        "😁",
        "🐀",
        "👍🏽",
        "👍🏿",
        "👩‍👩‍👧",
        "👩‍👧",
        "🇪🇺",
        "🇪🇸",
        "e\u{301}",
        "é",
        "\u{d7ff}",
        "\u{e000}",
        "\u{10ffff}",
    ];
    let some = |random: &mut Random| {
        let count = random.below(8);
        (0..count)
            .map(|_| {
                if random.chance(1, 4) {
                    generate::words(random, 2)
                } else {
                    (*random.pick(&near)).to_owned()
                }
            })
            .collect::<String>()
    };
    api.write(&api::create(
        "code",
        "CODE",
        &json!({ "files": { "f": "" }, "entry": null }),
    ));
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
                expect_taken_back(&api, page, &written);
            }
        }
    }
    server.assert_calm();
}

/// An inverse is made from the state, not by a comparison: it puts back what went, there.
#[test]
fn e4_an_inverse_puts_back_exactly_what_went() {
    let (_server, api) = start();
    for (page, wrap) in make_texts(&api, "aaa") {
        let inverse = expect_there_and_back(&api, page, &wrap(&json!([{ "retain": 1 }, { "delete": 1 }])));
        assert_eq!(inverse, wrap(&json!([{ "retain": 1 }, { "insert": "a" }])));
    }
    let image = json!({ "insert": { "image": "x.png" } });
    api.write(&api::create(
        "images",
        "DOC",
        &json!([image, { "insert": "-" }, image, { "insert": "\n" }]),
    ));
    api.write(&api::deltas(
        "images",
        1,
        &json!([[{ "retain": 1 }, { "insert": "between" }, { "delete": 1 }]]),
    ));
    expect_there_and_back(&api, "images", &json!([{ "delete": 1 }]));
    expect_there_and_back(&api, "images", &json!([{ "retain": 8 }, { "delete": 1 }]));
    assert_eq!(
        api.page("images")["value"],
        json!([image, { "insert": "between" }, image, { "insert": "\n" }])
    );
}

#[test]
fn e9_insert_delete_undo_undo() {
    let (_server, api) = start();
    for (page, wrap) in make_texts(&api, "") {
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
fn e15_an_unknown_embed_passes_through_untouched() {
    let (_server, api) = start();
    let embed: Json = serde_json::from_str(r#"{"x-unknown":{"b":1.0,"a":[null,-0,1e2],"😀":""}}"#).unwrap();
    let value = json!([{ "insert": "a" }, { "insert": embed, "attributes": { "w": 1 } }, { "insert": "\n" }]);
    api.write(&api::create("d", "DOC", &value));
    assert_eq!(api.page("d")["value"].to_string(), value.to_string());
    expect_there_and_back(&api, "d", &json!([{ "retain": 1 }, { "delete": 1 }]));
    expect_there_and_back(
        &api,
        "d",
        &json!([{ "retain": 1 }, { "retain": 1, "attributes": { "w": null } }]),
    );
    expect_there_and_back(
        &api,
        "d",
        &json!([{ "insert": embed }, { "retain": 1 }, { "insert": embed }]),
    );
    assert_eq!(api.page("d")["value"].to_string(), value.to_string());
    for bad in [json!(1), json!(null), json!([1]), json!(true)] {
        api.send(&api::deltas("d", api.head("d"), &json!([[{ "insert": bad }]])))
            .expect_problem(400, "malformed");
    }
}

#[test]
fn e16_line_ends_and_bytes_are_kept_as_they_came() {
    let (_server, api) = start();
    let held = "a\r\nb\rc\n\u{feff}d\u{2028}\0\u{85}e\u{301}";
    api.write(&api::create(
        "c",
        "CODE",
        &json!({ "files": { "f": held }, "entry": null }),
    ));
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
        (
            "code",
            "CODE",
            (|held: &str| json!({ "files": { "f": held }, "entry": null })) as fn(&str) -> Json,
        ),
        ("doc", "DOC", |held| json!([{ "insert": held }])),
    ] {
        api.write(&api::create(page, kind, &wrap(&lines.concat())));
        let written = api.write(&api::replace(page, 1, &wrap(&edited.concat())));
        let (delta, inverse) = (
            written["events"][0]["delta"].to_string(),
            written["events"][0]["inverse"].to_string(),
        );
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
