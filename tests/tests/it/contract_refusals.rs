//! What the contract refuses: each by its own code, with what to do next, and nothing appended.

use recto_tests::api::{self, Api, text};
use recto_tests::http::Answer;
use recto_tests::server::Place;
use serde_json::{Value as Json, json};

use crate::contract_agent::{
    delete_nodes, element, ids, merge, page, read, read_html, replace, text_at, update, usual_board, with,
};
use crate::story::{ANN, BOT, PAGE, Story, set};

/// Sends a write that is refused, and looks at the stream afterwards.
#[track_caller]
pub(crate) fn refused(story: &Story, write: &api::Write, status: u16, code: &str, retry: bool) -> Json {
    let answer = story.expect_nothing_changes(|| story.api.send(write));
    let json = answer.expect_problem(status, code).json();
    assert_eq!(json["retry"], retry, "{json}");
    assert!(text(&json["next"]).ends_with('.'), "{json}");
    json
}

fn one_text() -> Story {
    page(&json!({ "t": text_at(0, 0, "Hello") }))
}

#[test]
fn a_whiteboard_is_never_replaced() {
    let story = usual_board();
    let all = read_html(&story.api);
    let content = text(&all["content"]).to_owned();
    refused(
        &story,
        &replace(&all, content.clone()),
        422,
        "whiteboard_replace",
        false,
    );
    let window = read(&story.api, "viewport=0,0,10,10");
    refused(&story, &replace(&window, content), 422, "whiteboard_replace", false);
}

#[test]
fn a_part_does_not_replace_the_whole() {
    let story = page(&json!({ "a": text_at(0, 0, "Alpha"), "b": text_at(0, 100, "Beta") }));
    let part = read(&story.api, "nodes=a");
    refused(
        &story,
        &replace(&part, text(&part["content"])),
        422,
        "window_replace",
        false,
    );
}

#[test]
fn the_mode_is_that_of_the_read() {
    let story = one_text();
    let all = read_html(&story.api);
    let json = refused(
        &story,
        &merge(&all, element("t", "x")),
        422,
        "write_mode_mismatch",
        false,
    );
    assert_eq!((&json["read"], &json["asked"]), (&json!("replace"), &json!("merge")));
    for mode in [json!("append"), json!(1), Json::Null] {
        let body = json!({ "mode": mode, "readToken": all["readToken"], "content": "x" });
        refused(&story, &update(&body), 400, "malformed", false);
    }
}

#[test]
fn a_token_is_none_that_was_made_up_or_changed() {
    let story = one_text();
    let read = read_html(&story.api);
    let token = text(&read["readToken"]).to_owned();
    let middle = token.len() / 2;
    let letter = if token.as_bytes()[middle] == b'A' { "B" } else { "A" };
    let changed = format!("{}{letter}{}", &token[..middle], &token[middle + 1..]);
    let half = &token[..middle];
    for made_up in [
        "",
        "x",
        "AQEAAAAB",
        half,
        &changed,
        &format!("{token}AAAA"),
        &"A".repeat(300_000),
    ] {
        let write = replace(&json!({ "readToken": made_up }), "<p>x</p>");
        refused(&story, &write, 412, "read_token_invalid", true);
    }
    for token in [json!(null), json!(7), json!({})] {
        let body = json!({ "mode": "replace", "readToken": token, "content": "x" });
        refused(&story, &update(&body), 400, "malformed", false);
    }
    let body = json!({ "mode": "replace", "content": "x" });
    refused(&story, &update(&body), 400, "malformed", false);
}

#[test]
fn a_token_of_another_page_or_workspace_or_server_is_foreign() {
    let place = Place::new();
    let tokens = "token-of-the-one-w one write ann\ntoken-of-the-two-w two write ben\n";
    let file = place.write("tokens", tokens);
    let server = place.start(&["--tokens", &file]).unwrap();
    let one = Api::with_token(&server, "token-of-the-one-w");
    let two = Api::with_token(&server, "token-of-the-two-w");
    let value = json!([{ "insert": "Hello\n" }]);
    for (api, page) in [(&one, "p"), (&one, "q"), (&two, "p")] {
        api.write(&api::create(page, "DOC", &value));
    }
    let read = one.read("/v1/pages/q?format=html");
    let foreign = one
        .send(&replace(&read, "<p>x</p>"))
        .expect_problem(412, "read_token_foreign");
    assert_eq!(foreign.json()["page"], "q");
    let read = read_html(&one);
    two.send(&replace(&read, "<p>x</p>"))
        .expect_problem(412, "read_token_invalid");
    let other = Story::new("DOC", &value);
    refused(&other, &replace(&read, "<p>x</p>"), 412, "read_token_invalid", true);
    assert!(
        [(&one, "p"), (&one, "q"), (&two, "p")]
            .iter()
            .all(|(api, page)| api.head(page) == 1)
    );
}

#[test]
fn a_token_outlives_one_rotation_of_the_key_and_a_restart_not_two() {
    let mut story = one_text();
    let old = read_html(&story.api);
    let rotate = |api: &Api, key: &str| {
        let write = api::Write::new("POST", "/v1/admin/read-keys/rotate".to_owned(), &json!({})).key(key);
        api.write(&write)["number"].clone()
    };
    assert_eq!(rotate(&story.api, "r1"), 2);
    assert_eq!(rotate(&story.api, "r1"), 2, "a retry rotates nothing");
    let between = read_html(&story.api);
    let server = story.server;
    story.server = server.restart();
    story.api = Api::of(&story.server);
    let written = story.api.write(&replace(&old, with(&old, "Hello", "Hallo")));
    assert_eq!(written["version"], 2);
    assert_eq!(rotate(&story.api, "r2"), 3);
    refused(
        &story,
        &replace(&old, text(&old["content"])),
        412,
        "read_token_expired",
        true,
    );
    refused(
        &story,
        &replace(&between, text(&old["content"])),
        409,
        "read_stale",
        true,
    );
}

#[test]
fn a_replace_from_an_older_read_tells_what_changed() {
    let story = one_text();
    let read = read_html(&story.api);
    story.edit(ANN, json!([set("t", "text", "Goodbye")]));
    let json = refused(
        &story,
        &replace(&read, with(&read, "Hello", "Hallo")),
        409,
        "read_stale",
        true,
    );
    assert_eq!((&json["expected"], &json["actual"]), (&json!(1), &json!(2)));
    assert_eq!(json["missed"][0]["actor"], ANN);
    assert!(!json["words"].as_array().unwrap().is_empty(), "{json}");
    assert_eq!(json["head"]["version"], 2);
}

#[test]
fn a_merge_is_about_nodes_that_were_read() {
    let story = usual_board();
    let window = read(&story.api, "viewport=0,0,50,50");
    let json = refused(&story, &merge(&window, element("b", "x")), 422, "node_not_read", true);
    assert_eq!(json["nodes"], json!(["b"]));
    let json = refused(&story, &delete_nodes(&window, &["a", "c"]), 422, "node_not_read", true);
    assert_eq!(json["nodes"], json!(["c"]));
    // A group of which only a part was read does not go with what was not.
    let deep = read(&story.api, "viewport=0,210,50,10");
    let json = refused(&story, &delete_nodes(&deep, &["g1"]), 422, "node_not_read", true);
    assert_eq!(json["nodes"], json!(["side"]));
    // Nor is anything put into a group that was not read.
    let inside = "<div data-node-type=\"text\" data-parent-id=\"g3\" style=\"left:0px;top:0px\">new</div>";
    let json = refused(&story, &merge(&window, inside), 422, "node_not_read", true);
    assert_eq!(json["nodes"], json!(["g3"]));
}

#[test]
fn a_merge_names_something_and_what_it_deletes_is_there() {
    let story = usual_board();
    let all = read_html(&story.api);
    let json = refused(
        &story,
        &delete_nodes(&all, &["a", "nowhere", "b"]),
        422,
        "node_unknown",
        true,
    );
    assert_eq!(json["nodes"], json!(["nowhere"]));
    // What has an id is no new node: it may be one that somebody removed.
    let json = refused(&story, &merge(&all, element("nowhere", "x")), 422, "node_unknown", true);
    assert_eq!(json["nodes"], json!(["nowhere"]));
    refused(&story, &delete_nodes(&all, &[]), 422, "merge_empty", false);
    let body = json!({ "mode": "merge", "readToken": all["readToken"] });
    refused(&story, &update(&body), 422, "merge_empty", false);
    for bad in [json!("a"), json!({}), json!([1]), json!([["a"]])] {
        let body = json!({ "mode": "merge", "readToken": all["readToken"], "deleteNodeIds": bad });
        refused(&story, &update(&body), 400, "malformed", false);
    }
    let body =
        json!({ "mode": "merge", "readToken": all["readToken"], "content": element("a", "x"), "deleteNodeIds": ["a"] });
    let json = refused(&story, &update(&body), 422, "node_changed_and_deleted", false);
    assert_eq!(json["nodes"], json!(["a"]));
}

#[test]
fn a_replace_takes_no_list_of_deletions() {
    let story = one_text();
    let read = read_html(&story.api);
    let body = json!({ "mode": "replace", "readToken": read["readToken"], "content": "x", "deleteNodeIds": ["t"] });
    refused(&story, &update(&body), 422, "replace_deletes", false);
    let body = json!({ "mode": "replace", "readToken": read["readToken"] });
    refused(&story, &update(&body), 400, "malformed", false);
    let body = json!({ "mode": "replace", "readToken": read["readToken"], "content": "x", "force": true });
    refused(&story, &update(&body), 400, "malformed", false);
}

#[test]
fn a_node_that_somebody_else_changed_is_not_written() {
    let story = usual_board();
    let all = read_html(&story.api);
    story.edit(ANN, json!([set("a", "fill", "red")]));
    let json = refused(&story, &merge(&all, element("a", "x")), 409, "node_changed", true);
    assert_eq!(ids(&json["nodes"]), ["a"]);
    let change = &json["changes"][0];
    assert_eq!(
        [&change["node"], &change["code"], &change["actor"], &change["version"]],
        [&json!("a"), &json!("edited"), &json!(ANN), &json!(2)]
    );
    assert!(text(&change["detail"]).contains("red"), "{change}");
    refused(&story, &delete_nodes(&all, &["a"]), 409, "node_changed", true);
    story.edit(ANN, json!([{ "op": "removeNode", "id": "b" }]));
    let json = refused(&story, &merge(&all, element("b", "x")), 409, "node_changed", true);
    assert_eq!(json["changes"][0]["code"], "removed");
    // Somebody put something into a group: it does not go unseen.
    let new = json!({ "id": "new", "type": "text", "parentId": "g3", "props": {} });
    story.edit(ANN, json!([{ "op": "addNode", "node": new }]));
    let json = refused(&story, &delete_nodes(&all, &["g1"]), 409, "node_changed", true);
    assert_eq!(
        (ids(&json["nodes"]), &json["changes"][0]["code"]),
        (vec!["new".to_owned()], &json!("added"))
    );
}

#[test]
fn sources_are_not_merged_and_sheets_not_written() {
    for story in [Story::new("DOC", &json!([{ "insert": "Hello\n" }])), Story::code("a\n")] {
        let read = read_html(&story.api);
        refused(&story, &merge(&read, "<p>x</p>"), 422, "merge_unsupported", false);
    }
    let sheet = Story::new("SHEET", &json!({ "rows": [] }));
    let doc = Story::new("DOC", &json!([{ "insert": "Hello\n" }]));
    for token in [json!("x"), read_html(&doc.api)["readToken"].clone()] {
        let read = json!({ "readToken": token });
        refused(
            &sheet,
            &replace(&read, json!({ "rows": [1] })),
            422,
            "not_writable",
            false,
        );
        refused(&sheet, &merge(&read, "x"), 422, "not_writable", false);
    }
}

#[test]
fn content_has_two_hundred_thousand_characters_at_most() {
    let story = Story::new("DOC", &json!([{ "insert": "Hello\n" }]));
    let read = read_html(&story.api);
    let long = |letters: usize| format!("<p>{}</p>", "é".repeat(letters - 7));
    let json = refused(&story, &replace(&read, long(200_001)), 413, "content_too_long", false);
    assert_eq!((&json["limit"], &json["got"]), (&json!(200_000), &json!(200_001)));
    let board = usual_board();
    let all = read_html(&board.api);
    refused(&board, &merge(&all, long(200_001)), 413, "content_too_long", false);
    let code = Story::code("a");
    let files = json!({ "files": { "f": long(200_001) } });
    refused(
        &code,
        &replace(&read_html(&code.api), files),
        413,
        "content_too_long",
        false,
    );
    assert_eq!(story.api.write(&replace(&read, long(200_000)))["applied"], true);
}

#[test]
fn html_that_no_page_can_be_is_refused() {
    let story = one_text();
    let read = read_html(&story.api);
    let deep = format!("{}x{}", "<div>".repeat(1_000), "</div>".repeat(1_000));
    refused(&story, &replace(&read, deep), 422, "html_too_deep", false);
    let attributes: String = (0..1_001).map(|index| format!(" a{index}")).collect();
    refused(
        &story,
        &replace(&read, format!("<p{attributes}>x</p>")),
        422,
        "html_too_many_attributes",
        false,
    );
    for content in [json!(1), json!(null), json!(true)] {
        refused(&story, &replace(&read, content), 422, "content_malformed", false);
    }
    let value = json!({ "nodes": { "t": { "type": "text", "parentId": "nobody" } } });
    refused(&story, &replace(&read, value), 422, "illegal_value", false);
    let files = Story::new("CODE", &json!({ "files": { "a": "1", "b": "2" } }));
    refused(
        &files,
        &replace(&read_html(&files.api), "one source"),
        422,
        "content_malformed",
        false,
    );
}

#[test]
fn a_body_in_another_encoding_is_no_write() {
    let story = one_text();
    let read = read_html(&story.api);
    let mut write = replace(&read, "CONTENT");
    let at = write.body.windows(7).position(|part| part == b"CONTENT").unwrap();
    write.body[at] = 0xff;
    refused(&story, &write, 400, "malformed_json", false);
    let mut write = replace(&read, "CONTENT");
    write.body = String::from_utf8(write.body)
        .unwrap()
        .replace("CONTENT", "\\ud800")
        .into_bytes();
    refused(&story, &write, 400, "malformed_json", false);
}

#[test]
fn a_deleted_page_is_not_written_and_what_was_read_before_is_old() {
    let story = one_text();
    let read = read_html(&story.api);
    story.send(ANN, api::delete(PAGE, 1)).expect(200);
    let gone = |answer: Answer| answer.expect_problem(410, "page_deleted");
    gone(story.api.send(&replace(&read, text(&read["content"]))));
    assert_eq!(story.api.read("/v1/pages/p?format=html&at=1")["writeMode"], Json::Null);
    story.send(ANN, api::undelete(PAGE, 2)).expect(200);
    refused(&story, &replace(&read, text(&read["content"])), 409, "read_stale", true);
}

#[test]
fn nothing_is_merged_over_a_restore() {
    let story = usual_board();
    story.edit(ANN, json!([set("c", "fill", "red")]));
    let all = read_html(&story.api);
    story.send(ANN, api::restore(PAGE, 2, 1)).expect(200);
    refused(&story, &merge(&all, element("a", "x")), 409, "read_stale", true);
}

#[test]
fn a_page_that_is_not_there_is_not_found() {
    let story = one_text();
    let read = read_html(&story.api);
    let mut write = replace(&read, "x");
    write.path = "/v1/pages/q/update".to_owned();
    refused(&story, &write, 404, "page_not_found", false);
    let write = api::Write {
        key: None,
        ..replace(&read, "x")
    }
    .by(BOT);
    refused(&story, &write, 400, "idempotency_key_missing", false);
}
