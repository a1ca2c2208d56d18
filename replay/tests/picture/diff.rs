//! `recto diff` in all its forms.

use recto_pages::{Id, PageKey};
use recto_projections::words::describe;
use recto_projections::{Kind, Value};
use recto_replay::picture::{Heading, diff_page};
use recto_store::{Guard, Key, Put};
use serde_json::{Value as Json, json};

use crate::pages::{HOSTILE, check};
use crate::support::{Folder, recto};

fn compared(kind: Kind, old: &Json, new: &Json) -> String {
    let (old, new) = (
        Value::from_json(kind, old).unwrap(),
        Value::from_json(kind, new).unwrap(),
    );
    let delta = old.diff(&new).unwrap();
    let words = describe(&delta, &old);
    let heading = |version| Heading {
        page: "page",
        version,
        doubt: None,
    };
    let html = diff_page((&heading(1), &old), (&heading(2), &new), &delta, &words);
    check(&html);
    html
}

#[tokio::test]
async fn the_story_differs_from_version_to_version() {
    let folder = Folder::with_story().await;
    for (page, from, to) in [
        ("poster", "1", "4"),
        ("poster", "4", "head"),
        ("poster", "7", "5"),
        ("notes", "1", "3"),
        ("app", "1", "3"),
        ("table", "1", "2"),
    ] {
        let ran = recto(&folder.data(), &["diff", page, from, to]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        insta::assert_snapshot!(format!("words_{page}_{from}_{to}"), ran.out);
        let ran = recto(&folder.data(), &["diff", page, from, to, "--as", "html"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        check(&ran.out);
    }
    let ran = recto(&folder.data(), &["diff", "app", "1", "2", "--json"]);
    insta::assert_json_snapshot!("json_app", ran.json());
    let ran = recto(&folder.data(), &["diff", "app", "1", "2", "--as", "delta"]);
    assert_eq!(ran.json()[0]["op"], "editFile");
    let ran = recto(&folder.data(), &["diff", "app", "1", "9"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
}

#[test]
fn what_differs_on_a_design_is_outlined_on_its_side() {
    let node = |id: &str, x: u32, fill: &str| json!({ "id": id, "type": "rect", "geometry": { "x": x, "width": 9, "height": 9 }, "props": { "fill": fill } });
    let html = compared(
        Kind::Design,
        &json!({ "nodes": [node("stays", 0, "red"), node("goes", 10, "red"), node("moves", 20, "red"), node("turns", 30, "red")] }),
        &json!({ "attributes": { "title": HOSTILE },
            "nodes": [node("stays", 0, "red"), node("moves", 25, "red"), node("turns", 30, "blue"), node("comes", 40, "red")] }),
    );
    let (before, after) = html.split_once("Version 2</figcaption>").unwrap();
    let marked =
        |side: &str, mark: &str, id: &str| side.contains(&format!("<rect data-mark=\"{mark}\" data-node-id=\"{id}\""));
    assert!(marked(before, "removed", "goes") && !after.contains("data-node-id=\"goes\""));
    assert!(marked(after, "added", "comes") && !before.contains("data-node-id=\"comes\""));
    for side in [before, after] {
        assert!(marked(side, "moved", "moves") && marked(side, "changed", "turns"));
        assert!(!marked(side, "moved", "stays") && !marked(side, "changed", "moves"));
    }
    assert!(html.contains("1 added") && html.contains("the page itself changed"));
}

#[test]
fn texts_are_compared_by_line() {
    let html = compared(
        Kind::Code,
        &json!({ "files": { "a.rs": "one\ntwo\n", "old.rs": "same text that stays\n", "gone.rs": "bye\n", "same.rs": "=\n" } }),
        &json!({ "files": { "a.rs": "one\n2\n", "new.rs": "same text that stays\n", "born.rs": HOSTILE, "same.rs": "=\n" } }),
    );
    for part in [
        "<td class=\"del\"><del>two</del></td><td class=\"n\">2</td><td class=\"add\"><ins>2</ins></td>",
        "<h2>new.rs <span class=\"dim\">was old.rs</span></h2>",
        "<h2>gone.rs <span class=\"dim\">removed</span></h2>",
        "<h2>born.rs <span class=\"dim\">added</span></h2>",
        "Files without a change: 1",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let html = compared(Kind::Sheet, &json!({ "rows": [1, 2] }), &json!({ "rows": [1, 3] }));
    assert!(html.contains("<del>2</del>") && html.contains("<ins>3</ins>"), "{html}");
}

#[test]
fn formats_of_a_doc_are_marked() {
    let html = compared(
        Kind::Doc,
        &json!({ "ops": [{ "insert": "plain " }, { "insert": { "image": "a" } }, { "insert": "\nline\n" }] }),
        &json!({ "ops": [{ "insert": "plain", "attributes": { "bold": true } }, { "insert": " " }, { "insert": { "image": "b" } },
            { "insert": "\nline" }, { "insert": "\n", "attributes": { "header": 1 } }] }),
    );
    for part in [
        "<mark title=\"{&quot;bold&quot;:true}\">plain</mark> <del>[image a]</del>",
        "<ins>[image b]</ins>",
        "<td class=\"mod\">line<mark title=\"{&quot;header&quot;:1}\">¶</mark>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[tokio::test]
async fn a_difference_over_damage_is_told_and_said_to_be_uncertain() {
    let folder = Folder::with_story().await;
    let writer = folder.writer().await;
    let page = PageKey::new(Id::new("default").unwrap(), Id::new("notes").unwrap());
    let key = Key::event(&page);
    let newest = writer.engine().last(&key).await.unwrap().unwrap().revision;
    let guard = Guard {
        key: key.clone(),
        revision: newest,
    };
    let put = Put {
        key: key.clone(),
        value: b"no event".as_slice().into(),
    };
    writer.engine().commit(0, vec![guard], vec![put]).await.unwrap();
    writer.close().await;

    let ran = recto(&folder.data(), &["diff", "notes", "1", "5", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let json = ran.json();
    assert_eq!(
        (&json["uncertainSince"], json["words"].as_array().unwrap().is_empty()),
        (&5.into(), false)
    );
    let ran = recto(&folder.data(), &["diff", "notes", "1", "5"]);
    assert!(
        ran.code == 1 && ran.out.contains("uncertain since version 5"),
        "{}",
        ran.out
    );
    for arguments in [
        &["diff", "notes", "1", "5", "--as", "html"][..],
        &["show", "notes", "--as", "html"],
    ] {
        let ran = recto(&folder.data(), arguments);
        check(&ran.out);
        assert!(
            ran.code == 1 && ran.out.contains("ncertain since version 5"),
            "{}",
            ran.out
        );
    }
    let ran = recto(&folder.data(), &["log", "notes", "--as", "html"]);
    check(&ran.out);
    assert!(
        ran.out.contains("data-kind=\"damaged\"") && ran.out.contains("uncertain since 5"),
        "{}",
        ran.out
    );
    let ran = recto(&folder.data(), &["diff", "notes", "1", "4"]);
    assert_eq!(ran.code, 0, "what lies before the damage is certain: {}", ran.err);
}
