//! Writes that would lose what their agent never saw: cut off, or made beside another session.

use recto_tests::api::{self, text};
use serde_json::json;

use crate::contract_agent::{delete_nodes, element, ids, merge, page, read_html, replace, text_at, usual_board};
use crate::contract_refusals::refused;
use crate::story::Story;

#[test]
fn what_was_cut_off_or_is_no_page_replaces_nothing() {
    let story = page(&json!({ "a": text_at(0, 0, "Alpha"), "b": text_at(0, 100, "Beta") }));
    let all = read_html(&story.api);
    let content = text(&all["content"]);
    let before_b = &content[..content.find("data-node-id=\"b\"").expect("b is said")];
    let inside_a = &content[..content.find("Alpha").expect("a is said")];
    for cut in [
        "",
        "  \n",
        "Sorry, I cannot do that.",
        before_b,
        inside_a,
        content.trim_end().trim_end_matches("</div>"),
    ] {
        refused(&story, &replace(&all, cut), 422, "html_not_whole", false);
    }
    let doc = Story::new("DOC", &json!([{ "insert": "one\ntwo\n" }]));
    let all = read_html(&doc.api);
    refused(&doc, &replace(&all, "<p>one</p><p cla"), 422, "html_not_whole", false);
}

#[test]
fn what_another_session_of_the_same_name_did_is_not_ones_own() {
    let story = usual_board();
    let read = read_html(&story.api);
    let in_turn = |turn: &str, write: api::Write| api::Write {
        turn: Some(turn.to_owned()),
        ..write
    };
    let first = story
        .api
        .send(&in_turn("s1", merge(&read, element("a", "SESSION ONE"))))
        .expect(200)
        .json();
    let json = refused(
        &story,
        &in_turn("s2", delete_nodes(&read, &["a"])),
        409,
        "node_changed",
        true,
    );
    assert!(json.to_string().contains("SESSION ONE"), "{json}");
    // Without a turn nobody is known for the same.
    refused(&story, &delete_nodes(&read, &["a"]), 409, "node_changed", true);
    // From the token that the write gave, it is one's own.
    let newer = story.api.send(&delete_nodes(&first, &["b"])).expect(200).json();
    assert_eq!(ids(&newer["removedNodeIds"]), ["b"]);
}
