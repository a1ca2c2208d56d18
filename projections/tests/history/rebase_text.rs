//! Rebase of DOC and SHEET pages.

use recto_projections::Kind;
use recto_projections::rebase::{ConflictKind, NoteKind, Options};
use serde_json::{Value as Json, json};

use crate::page::Page;

fn doc(text: &str) -> Page {
    Page::new(Kind::Doc, &json!([{"insert": text}]))
}

fn text(page: &Page) -> String {
    page.json()
        .as_array()
        .unwrap()
        .iter()
        .map(|op| op["insert"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn text_goes_over_text_the_committed_side_first() {
    let mut page = doc("abc\n");
    page.edit("A", json!([{"retain": 1}, {"insert": "A"}]));
    page.edit("A", json!([{"delete": 1}]));
    page.edit_from("B", 0, json!([{"retain": 1}, {"insert": "B"}, {"delete": 1}]));
    assert_eq!(text(&page), "ABc\n");
}

#[test]
fn attributes_of_the_committed_side_stand() {
    let mut page = doc("abc\n");
    page.edit("A", json!([{"retain": 2, "attributes": {"bold": true}}]));
    page.edit_from(
        "B",
        0,
        json!([{"retain": 3, "attributes": {"bold": null, "color": "red"}}]),
    );
    assert_eq!(
        page.json(),
        json!([
            {"insert": "ab", "attributes": {"bold": true, "color": "red"}},
            {"insert": "c", "attributes": {"color": "red"}},
            {"insert": "\n"},
        ])
    );
}

#[test]
fn two_who_delete_the_same_delete_it_once() {
    let mut page = doc("abc\n");
    page.edit("A", json!([{"delete": 2}]));
    let rebased = page.rebased(0, json!([{"delete": 2}]), &Options::default()).unwrap();
    assert!(rebased.delta.is_empty());
    assert_eq!(rebased.dropped.len(), 1);
}

#[test]
fn the_last_newline_stays_with_its_attributes() {
    let lines =
        json!([{"insert": "a"}, {"insert": "\n"}, {"insert": "b"}, {"insert": "\n", "attributes": {"list": "x"}}]);
    let mut page = Page::new(Kind::Doc, &lines);
    page.edit("A", json!([{"retain": 1}, {"delete": 2}]));
    let mine = json!([{"retain": 2}, {"delete": 2}]);
    let rebased = page.rebased(0, mine.clone(), &Options::default()).unwrap();
    assert_eq!(rebased.notes[0].kind, NoteKind::NewlineKept);
    page.edit_from("B", 0, mine);
    assert_eq!(
        page.json(),
        json!([{"insert": "a"}, {"insert": "\n", "attributes": {"list": "x"}}])
    );
}

#[test]
fn a_replica_brings_a_committed_delta_over_its_own() {
    let (theirs, mine) = (json!([{"insert": "T"}]), json!([{"insert": "M"}]));
    let mut server = doc("\n");
    server.edit("T", theirs.clone());
    server.edit_from("M", 0, mine.clone());
    let mut replica = doc("\n");
    replica.edit("M", mine);
    replica.edit_with(
        "T",
        0,
        theirs,
        &Options {
            over_first: false,
            ..Options::default()
        },
    );
    assert_eq!(server.json(), replica.json());
}

#[test]
fn a_sheet_is_never_rebased() {
    let mut page = Page::new(Kind::Sheet, &json!({"a": 1}));
    let replace = |value: Json| json!([{"op": "replaceSheet", "value": value}]);
    page.edit("A", replace(json!(2)));
    assert_eq!(page.refused(0, replace(json!(3))).kind, ConflictKind::NotRebased);
    page.edit_from("B", 1, replace(json!(3)));
    assert_eq!(page.json(), json!(3));
}
