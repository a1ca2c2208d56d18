//! Changes in words: a table for every operation of every kind, and words for whatever delta meets whatever value.

use proptest::collection::vec;
use proptest::prelude::*;
use recto_projections::words::{WORDS_MAX, describe};
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::code_laws;
use crate::doc_laws;
use crate::random::{config, design, json_value};
use crate::random_steps::{resolve, step};

#[test]
fn nodes_that_come_and_go() {
    check_design(
        json!([{"op": "addNode", "node": {"id": "n", "type": "rectangle", "parentId": null}, "placement": "last"}]),
        &[r#"added rectangle "n""#],
    );
    check_design(
        json!([
            {"op": "addNode", "node": {"id": "n", "type": "frame", "parentId": null, "props": {"name": "Card"}}, "placement": "last"},
            {"op": "addNode", "node": {"id": "m", "type": "text", "parentId": "n"}, "placement": "last"},
            {"op": "addNode", "node": {"id": "o", "type": "text", "parentId": "m"}, "placement": "last"},
            {"op": "setNode", "id": "m", "set": {"/props/text": "hello"}},
            {"op": "moveNode", "id": "m", "geometry": {"x": 5}},
        ]),
        &[r#"added frame "Card" and 2 below it"#],
    );
    check_design(json!([{"op": "removeNode", "id": "hero"}]), &[r#"removed "hero""#]);
    check_design(
        json!([{"op": "removeNode", "id": "deep"}, {"op": "removeNode", "id": "t"}, {"op": "removeNode", "id": "g"},
            {"op": "removeNode", "id": "hero"}]),
        &[r#"removed "Group 1" and 2 below it"#, r#"removed "hero""#],
    );
}

#[test]
fn nodes_that_move() {
    check_design(
        json!([{"op": "moveNode", "id": "hero", "parentId": "g"}]),
        &[r#"moved "hero" into "Group 1""#],
    );
    check_design(
        json!([{"op": "moveNode", "id": "t", "parentId": null, "placement": "first", "geometry": {"x": 10, "y": 20.5, "width": 7}}]),
        &[
            r#"moved "Title" to the top level at x 10, y 20.5"#,
            r#"set width of "Title" to 7"#,
        ],
    );
    check_design(
        json!([{"op": "moveNode", "id": "hero", "placement": "first"}]),
        &[r#"moved "hero" to another place among its siblings"#],
    );
    check_design(
        json!([{"op": "moveNode", "id": "hero", "order": "a5"}, {"op": "moveNode", "id": "g", "order": "a4"}]),
        &["gave 2 nodes new order keys"],
    );
    check_design(
        json!([{"op": "moveNode", "id": "hero", "order": "a5"}]),
        &[r#"gave "hero" a new order key"#],
    );
    check_design(
        json!([{"op": "moveNode", "id": "hero", "geometry": {"x": 10, "y": -1.5}}]),
        &[r#"set x of "hero" to 10 and y to -1.5"#],
    );
}

#[test]
fn nodes_that_are_grouped() {
    let group = json!({"op": "addNode", "node": {"id": "new", "type": "group", "parentId": null, "props": {"name": "G"}}, "placement": "last"});
    let into = |id: &str| json!({"op": "moveNode", "id": id, "parentId": "new", "geometry": {"x": 1, "y": 2}});
    check_design(
        json!([group, into("hero"), into("g")]),
        &[r#"grouped 2 nodes into "G""#],
    );
    check_design(json!([group, into("t")]), &[r#"grouped "Title" into "G""#]);
    let child = json!({"op": "addNode", "node": {"id": "c", "type": "text", "parentId": "new"}, "placement": "last"});
    check_design(
        json!([group, into("hero"), child]),
        &[r#"grouped "hero" into "G""#, r#"added text "c""#],
    );
    // Whoever moves on is in no group, and what is no group groups nothing.
    let out = json!({"op": "moveNode", "id": "hero", "parentId": "g", "geometry": {"x": 1, "y": 2}});
    check_design(
        json!([group, into("t"), into("hero"), out]),
        &[
            r#"grouped "Title" into "G""#,
            r#"moved "hero" into "Group 1" at x 1, y 2"#,
        ],
    );
    let frame = json!({"op": "addNode", "node": {"id": "new", "type": "frame", "parentId": null}, "placement": "last"});
    check_design(
        json!([frame, into("hero")]),
        &[r#"added frame "new""#, r#"moved "hero" into "new" at x 1, y 2"#],
    );
}

#[test]
fn nodes_whose_fields_change() {
    let set = |set: Json, unset: Json| json!([{"op": "setNode", "id": "hero", "set": set, "unset": unset}]);
    check_design(
        set(json!({"/props/fill": "#f00"}), json!([])),
        &[r##"set fill of "hero" to "#f00""##],
    );
    check_design(
        set(json!({"/type": "oval"}), json!(["/props/style/line"])),
        &[r#"set type of "hero" to "oval" and removed style.line"#],
    );
    check_design(
        set(json!({}), json!(["/props/fill", "/props/style"])),
        &[r#"removed fill and style of "hero""#],
    );
    check_design(
        json!([{"op": "moveNode", "id": "hero", "geometry": {"x": 1, "y": 2}}, {"op": "setNode", "id": "hero", "set": {"/props/fill": 1}}]),
        &[r#"changed x, y and fill of "hero""#],
    );
    let many: serde_json::Map<String, Json> = (0..9).map(|n| (format!("/props/p{n}"), json!(n))).collect();
    check_design(
        set(Json::Object(many), json!([])),
        &[r#"changed p0, p1, p2, p3, p4 and 4 more fields of "hero""#],
    );
    check_design(
        json!([{"op": "setNode", "id": "hero", "at": {"/props/style": 0}}]),
        &[r#"reordered the properties of "hero""#],
    );
    let long = "0123456789".repeat(9);
    check_design(
        set(json!({"/props/a": long, "/props/b": [long]}), json!([])),
        &[
            r#"set a of "hero" to "0123456789012345678901234567890123456789…" and b to ["01234567890123456789012345678901234567…"#,
        ],
    );
}

#[test]
fn nodes_whose_texts_and_sets_change() {
    check_design(
        json!([
            {"op": "editText", "id": "t", "pointer": "/props/text", "delta": [{"insert": "oh 😀"}, {"delete": 2}]},
            {"op": "editText", "id": "t", "pointer": "/props/text", "delta": [{"insert": "!"}]},
        ]),
        &[r#"edited the text of "Title": +6 −2 characters"#],
    );
    check_design(
        json!([{"op": "editText", "id": "deep", "pointer": "/props/text", "delta": [{"delete": 1}]}]),
        &[r#"edited the text of "line one line two": −1 character"#],
    );
    check_design(
        json!([{"op": "addToSet", "id": "hero", "pointer": "/props/tags", "values": ["b", "c"]}]),
        &[r#"added "b" and "c" to tags of "hero""#],
    );
    check_design(
        json!([{"op": "addToSet", "id": "hero", "pointer": "/props/tags", "values": ["b", "c", 3]}]),
        &[r#"added 3 values to tags of "hero""#],
    );
    check_design(
        json!([{"op": "removeFromSet", "id": "hero", "pointer": "/props/tags", "values": ["a"]}]),
        &[r#"removed "a" from tags of "hero""#],
    );
}

#[test]
fn attributes_and_backgrounds() {
    check_design(
        json!([{"op": "setAttributes", "set": {"/presetId": "slide"}}]),
        &[r#"set presetId of the page to "slide""#],
    );
    check_design(
        json!([{"op": "addBackground", "background": {"id": "b1", "type": "color"}, "placement": "last"}]),
        &[r#"added color background "b1""#],
    );
    let start = json!({"attributes": {"backgrounds": [{"id": "b0", "type": "color"}, {"id": "b1", "type": "image"}]}, "nodes": {}});
    let check_page = |ops: Json, wanted: &[&str]| check(Kind::Design, &start, &ops, wanted);
    check_page(
        json!([{"op": "removeBackground", "id": "b0"}]),
        &[r#"removed background "b0""#],
    );
    check_page(
        json!([{"op": "setBackground", "id": "b0", "set": {"/color": "red"}}]),
        &[r#"set color of background "b0" to "red""#],
    );
    check_page(
        json!([{"op": "moveBackground", "id": "b0", "placement": "last"}]),
        &[r#"moved background "b0" to another place among the backgrounds"#],
    );
}

#[test]
fn documents() {
    let start = json!([{"insert": "hello world\n"}]);
    let check_doc = |ops: Json, wanted: &[&str]| check(Kind::Doc, &start, &ops, wanted);
    check_doc(json!([{"insert": "12"}, {"delete": 3}]), &["+2 −3 characters"]);
    check_doc(json!([{"insert": "1"}]), &["+1 character"]);
    check_doc(
        json!([{"retain": 5, "attributes": {"bold": true}}]),
        &["formatted 5 characters: bold"],
    );
    check_doc(
        json!([
            {"insert": {"image": "u"}}, {"insert": {"image": "v"}}, {"insert": {"video": "w"}}, {"delete": 1},
            {"retain": 2, "attributes": {"bold": true}}, {"retain": 1}, {"retain": 1, "attributes": {"bold": true}},
            {"retain": 2, "attributes": {"color": "red", "header": 2}},
        ]),
        &[
            "−1 character",
            "added 2 × image",
            "added video",
            "formatted 3 characters: bold",
            r#"formatted 2 characters: color "red", header 2"#,
        ],
    );
    let bold = json!([{"insert": "hello", "attributes": {"bold": true}}, {"insert": "\n"}]);
    check(
        Kind::Doc,
        &bold,
        &json!([{"retain": 5, "attributes": {"bold": null}}]),
        &["formatted 5 characters: no bold"],
    );
}

#[test]
fn code_and_sheets() {
    let start = json!({"files": {"a.txt": "hello", "main.rs": "fn main() {}"}, "entry": "main.rs"});
    let check_code = |ops: Json, wanted: &[&str]| check(Kind::Code, &start, &ops, wanted);
    check_code(
        json!([
            {"op": "editFile", "path": "main.rs", "delta": [{"insert": "// a\n"}]},
            {"op": "editFile", "path": "main.rs", "delta": [{"insert": "// b\n"}, {"delete": 2}]},
        ]),
        &["+10 −2 characters in main.rs"],
    );
    check_code(
        json!([
            {"op": "renameFile", "path": "a.txt", "to": "b.txt"}, {"op": "addFile", "path": "a.txt", "text": "12"},
            {"op": "removeFile", "path": "b.txt"}, {"op": "setEntry", "path": "a.txt"},
            {"op": "setAttributes", "set": {"/theme": "dark"}},
        ]),
        &[
            "renamed a.txt to b.txt",
            "added file a.txt (2 characters)",
            "removed file b.txt",
            "made a.txt the entry",
            r#"set theme of the page to "dark""#,
        ],
    );
    check_code(
        json!([{"op": "setEntry", "path": null}]),
        &["left the page without an entry"],
    );
    check(
        Kind::Sheet,
        &json!(1),
        &json!([{"op": "replaceSheet", "value": {"a": 1}}]),
        &["replaced the sheet"],
    );
}

#[test]
fn what_is_too_much_is_counted() {
    let ops: Vec<Json> = (0..WORDS_MAX + 17)
        .map(|n| json!({"op": "removeNode", "id": format!("n{n}")}))
        .collect();
    let words = |count: usize| words(Kind::Design, &json!(ops[..count]), &Value::empty(Kind::Design));
    assert_eq!(words(WORDS_MAX).len(), WORDS_MAX);
    assert_eq!(words(WORDS_MAX + 1).last().unwrap(), "and 1 more change");
    assert_eq!(words(WORDS_MAX + 17).last().unwrap(), "and 17 more changes");
    assert_eq!(words(WORDS_MAX + 17).len(), WORDS_MAX + 1);
}

#[test]
fn names_are_short_and_on_one_line() {
    let named = |name: &str| {
        let start = json!({"attributes": {}, "nodes": {"n": {"type": "t", "props": {"name": name, "text": "text"}}}});
        let before = Value::from_json(Kind::Design, &start).unwrap();
        words(Kind::Design, &json!([{"op": "removeNode", "id": "n"}]), &before).remove(0)
    };
    assert_eq!(named("  two\n\twords \u{7}"), r#"removed "two words""#);
    assert_eq!(named("a \"quote\""), r#"removed "a \"quote\"""#);
    assert_eq!(named(" \n"), r#"removed "text""#);
    assert_eq!(named(&"😀".repeat(99)), format!(r#"removed "{}…""#, "😀".repeat(40)));
}

#[test]
fn what_is_not_there_goes_by_its_id() {
    let ops = json!([
        {"op": "moveNode", "id": "x", "parentId": "y"}, {"op": "moveNode", "id": "z", "placement": "first"},
        {"op": "removeNode", "id": "x"}, {"op": "setNode", "id": "x", "set": {"/props/a": 1}},
    ]);
    let wanted = [
        r#"moved "x" into "y""#,
        r#"moved "z" to another place among its siblings"#,
        r#"removed "x""#,
        r#"set a of "x" to 1"#,
    ];
    for kind in Kind::ALL {
        assert_eq!(words(Kind::Design, &ops, &Value::empty(kind)), wanted);
    }
}

#[test]
fn a_rebalance_moves_nothing() {
    let nodes: Vec<Json> = (0..30)
        .map(|n| json!({"id": format!("n{n}"), "type": "t", "order": format!("a0{}", "V".repeat(n + 1))}))
        .collect();
    let before = Value::from_json(Kind::Design, &json!({"attributes": {}, "nodes": nodes})).unwrap();
    let Value::Design(design) = &before else { panic!() };
    let rebalance = Delta::Design(design.rebalance(None));
    let committed = before.clone().apply(&rebalance).unwrap().delta;
    let words = describe(&committed, &before);
    assert!(
        matches!(&words[..], [one] if one.starts_with("gave ") && one.ends_with(" nodes new order keys")),
        "{words:?}"
    );
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn any_delta_has_words_for_any_value(value in design(), other in design(), steps in vec(step(), 1..12), json in json_value()) {
        let mut value = value;
        let sheet = Value::from_json(Kind::Sheet, &json).unwrap();
        for step in steps {
            let Some(delta) = resolve(&value, &step) else { continue };
            for before in [&value, &other, &sheet] {
                check_form(&describe(&delta, before))?;
            }
            if let Ok(applied) = value.clone().apply(&delta) {
                let words = describe(&applied.delta, &value);
                check_form(&words)?;
                value.replay(&applied.delta).unwrap();
                prop_assert_eq!(words.is_empty(), applied.delta.is_empty(), "{}", applied.delta.to_json());
                let words = describe(&applied.inverse, &value);
                check_form(&words)?;
                prop_assert_eq!(words.is_empty(), applied.inverse.is_empty(), "{}", applied.inverse.to_json());
            }
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn any_delta_of_text_has_words(doc in doc_laws::delta(), code in code_laws::deltas()) {
        for kind in Kind::ALL {
            let before = Value::empty(kind);
            check_form(&describe(&doc, &before))?;
            prop_assert_eq!(describe(&doc, &before).is_empty(), doc.is_empty());
            for delta in &code {
                check_form(&describe(delta, &before))?;
            }
        }
    }
}

fn check_form(words: &[String]) -> Result<(), TestCaseError> {
    prop_assert!(words.len() <= WORDS_MAX + 1);
    for sentence in words {
        prop_assert!(
            !sentence.is_empty() && !sentence.contains(char::is_control),
            "{:?}",
            sentence
        );
        prop_assert!(sentence.chars().count() < 400, "{:?}", sentence);
    }
    Ok(())
}

/// Checks the words of operations on a page with a group, a title in it, a text below that, and a hero.
fn check_design(ops: Json, wanted: &[&str]) {
    let start = json!({
        "attributes": {},
        "nodes": [
            {"id": "g", "type": "group", "order": "a0", "props": {"name": "Group 1"}},
            {"id": "t", "type": "text", "parentId": "g", "props": {"title": "Title", "text": "some text"}},
            {"id": "deep", "type": "text", "parentId": "t", "props": {"text": "line one\nline two"}},
            {"id": "hero", "type": "rectangle", "order": "a1", "geometry": {"x": 3}, "props": {"fill": "blue", "style": {"line": 1}, "tags": ["a"]}},
        ],
    });
    check(Kind::Design, &start, &ops, wanted);
}

/// Checks the words of operations as they come, and as they are committed.
fn check(kind: Kind, start: &Json, ops: &Json, wanted: &[&str]) {
    let before = Value::from_json(kind, start).unwrap();
    assert_eq!(words(kind, ops, &before), wanted, "{ops}");
    let delta = Delta::from_json(kind, ops).unwrap();
    let committed = before.clone().apply(&delta).unwrap().delta;
    assert_eq!(describe(&committed, &before), wanted, "{}", committed.to_json());
}

fn words(kind: Kind, ops: &Json, before: &Value) -> Vec<String> {
    describe(&Delta::from_json(kind, ops).unwrap(), before)
}
