//! Envelopes: what of each page is read, and how it may be written.

use recto_tests::api::text;
use serde_json::{Value as Json, json};

use crate::contract_agent::{page, read, read_html, text_at, usual_board};
use crate::story::Story;

#[track_caller]
fn expect(read: &Json, kind: &str, completeness: &str, mode: &Json, editor: &str) {
    assert_eq!(
        [
            &read["kind"],
            &read["completeness"],
            &read["writeMode"],
            &read["editorType"]
        ],
        [&json!(kind), &json!(completeness), mode, &json!(editor)],
        "{read}"
    );
    assert_eq!(read["readToken"].is_string(), mode.is_string(), "{read}");
    assert!(
        read["version"] == 1 && read["epoch"] == 0 && read["pageId"] == "p",
        "{read}"
    );
}

#[test]
fn every_kind_has_its_envelope() {
    let design = page(&json!({ "t": text_at(0, 0, "Hello") }));
    let html = read_html(&design.api);
    expect(&html, "DESIGN", "full", &json!("replace"), "design");
    assert!(
        text(&html["content"]).contains("data-node-id=\"t\"") && html["format"] == "html",
        "{html}"
    );
    let value = read(&design.api, "format=json");
    expect(&value, "DESIGN", "full", &json!("replace"), "design");
    assert_eq!(value["content"]["nodes"]["t"]["props"]["text"], "Hello");
    let bare = read(&design.api, "format=text");
    expect(&bare, "DESIGN", "full", &Json::Null, "design");
    assert_eq!(bare["content"], "Hello");

    let doc = Story::new(
        "DOC",
        &json!([{ "insert": "Hello" }, { "insert": "\n", "attributes": { "header": 1 } }]),
    );
    let html = read_html(&doc.api);
    expect(&html, "DOC", "full", &json!("replace"), "document");
    assert!(text(&html["content"]).contains("<h1"), "{html}");
    assert_eq!(read(&doc.api, "format=text")["content"], "Hello\n");

    let code = Story::code("let a = 1;\n");
    let json = read_html(&code.api);
    expect(&json, "CODE", "full", &json!("replace"), "page");
    assert_eq!(
        (&json["format"], &json["content"]["files"]["f"]),
        (&json!("json"), &json!("let a = 1;\n"))
    );
    assert_eq!(read(&code.api, "format=text")["content"], "let a = 1;\n");

    let sheet = Story::new("SHEET", &json!({ "rows": [1, 2] }));
    let json = read_html(&sheet.api);
    expect(&json, "SHEET", "full", &Json::Null, "sheet");
    assert_eq!(json["content"], json!({ "rows": [1, 2] }));
}

#[test]
fn without_a_form_the_page_is_read_as_it_is_stored() {
    let story = usual_board();
    let page = story.api.page("p");
    assert!(
        page["value"]["nodes"]["a"].is_object() && page["readToken"].is_null(),
        "{page}"
    );
}

#[test]
fn a_whiteboard_is_read_as_a_window() {
    let story = usual_board();
    let all = read_html(&story.api);
    expect(&all, "DESIGN", "window", &json!("merge"), "design");
    let window = read(&story.api, "viewport=190,-10,120,80");
    expect(&window, "DESIGN", "window", &json!("merge"), "design");
    let content = text(&window["content"]);
    assert!(
        content.contains("Beta") && !content.contains("Alpha") && !content.contains("Gamma"),
        "{content}"
    );
    // What meets the window lies in its groups; what else is in them does not show.
    let deep = read(&story.api, "viewport=0,210,50,10");
    let content = text(&deep["content"]);
    for id in ["g1", "g2", "g3", "deep"] {
        assert!(content.contains(&format!("data-node-id=\"{id}\"")), "{content}");
    }
    assert!(!content.contains("Side"), "{content}");
    let nowhere = read(&story.api, "viewport=9000,9000,1,1");
    expect(&nowhere, "DESIGN", "window", &json!("merge"), "design");
    assert!(!text(&nowhere["content"]).contains("data-node-id"), "{nowhere}");
}

#[test]
fn chosen_nodes_are_a_window_of_any_page() {
    let story = page(&json!({ "a": text_at(0, 0, "Alpha"), "b": text_at(200, 0, "Beta") }));
    let chosen = read(&story.api, "nodes=b");
    expect(&chosen, "DESIGN", "window", &json!("merge"), "design");
    let content = text(&chosen["content"]);
    assert!(content.contains("Beta") && !content.contains("Alpha"), "{content}");
    let unknown = story
        .api
        .get("/v1/pages/p?nodes=b,x,y")
        .expect_problem(422, "node_unknown");
    assert_eq!(unknown.json()["nodes"], json!(["x", "y"]));
}

#[test]
fn a_page_too_long_to_be_written_at_once_is_read_as_a_window() {
    let nodes: serde_json::Map<String, Json> = (0..1_500)
        .map(|index| (format!("n{index}"), text_at(index * 10, 0, &"word ".repeat(30))))
        .collect();
    let story = page(&Json::Object(nodes));
    let window = read_html(&story.api);
    expect(&window, "DESIGN", "window", &json!("merge"), "design");
    assert!(text(&window["content"]).encode_utf16().count() <= 200_000);
    assert_eq!(window["warnings"][0]["code"], "window_cut");
    let shown = text(&window["content"]).matches("data-node-id").count();
    assert_eq!(window["warnings"][0]["leftOut"], 1_500 - shown);
    assert!(shown > 500, "{shown}");
    let doc = Story::new("DOC", &json!([{ "insert": format!("{}\n", "x".repeat(200_001)) }]));
    let long = read_html(&doc.api);
    expect(&long, "DOC", "full", &Json::Null, "document");
    assert_eq!(long["warnings"][0]["code"], "too_long_to_write");
}

#[test]
fn an_earlier_version_can_be_read_and_what_cannot_be_asked_is_told() {
    let story = page(&json!({ "a": text_at(0, 0, "Alpha") }));
    story.edit(
        "user:ann",
        json!([{ "op": "setNode", "id": "a", "set": { "/props/text": "Omega" } }]),
    );
    let then = read(&story.api, "format=html&at=1");
    assert!(
        text(&then["content"]).contains("Alpha") && then["headVersion"] == 2,
        "{then}"
    );
    for query in [
        "format=pdf",
        "viewport=1,2,3",
        "viewport=0,0,-1,1",
        "viewport=a,b,c,d",
        "nodes=",
        "nodes=a&viewport=0,0,1,1",
    ] {
        story
            .api
            .get(&format!("/v1/pages/p?{query}"))
            .expect_problem(400, "invalid_parameter");
    }
    let doc = Story::new("DOC", &json!([{ "insert": "Hello\n" }]));
    doc.api.get("/v1/pages/p?nodes=a").expect_problem(422, "no_canvas");
}
