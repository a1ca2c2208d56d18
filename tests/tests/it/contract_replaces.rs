//! Replaces: the whole page as it was read, written otherwise. What is stored is as fine as what changed.

use recto_tests::api::{self, text};
use serde_json::{Value as Json, json};

use crate::contract_agent::{ids, page, read, read_html, replace, text_at, with};
use crate::story::{ANN, BOT, Story, set};

#[test]
fn one_word_is_a_delta_of_one_word_on_every_kind() {
    // A shorter text is set as a whole.
    let long = format!("The quick brown fox{}", " jumps".repeat(10));
    let design = page(&json!({ "t": text_at(0, 0, &long), "u": text_at(0, 100, "jumps") }));
    let read_page = read_html(&design.api);
    let written = design
        .api
        .write(&replace(&read_page, with(&read_page, "quick", "lazy")));
    let word = json!([{ "retain": 4 }, { "delete": 5 }, { "insert": "lazy" }]);
    let ops = written["delta"].as_array().unwrap();
    assert_eq!(
        (ops.len(), &ops[0]["op"], &ops[0]["id"]),
        (1, &json!("editText"), &json!("t")),
        "{written}"
    );
    expect_small_text(&ops[0]["delta"], &word);

    let ops = json!([{ "insert": "The quick " }, { "insert": "brown", "attributes": { "bold": true } }, { "insert": " fox\njumps\n" }]);
    let doc = Story::new("DOC", &ops);
    let read_page = read_html(&doc.api);
    let written = doc.api.write(&replace(&read_page, with(&read_page, "quick", "lazy")));
    expect_small_text(&written["delta"], &word);

    let code = Story::code("The quick brown fox\njumps\n");
    let written = code
        .api
        .write(&replace(&read_html(&code.api), "The lazy brown fox\njumps\n"));
    assert_eq!(written["delta"][0]["op"], "editFile", "{written}");
    expect_small_text(&written["delta"][0]["delta"], &word);
    for story in [&design, &doc, &code] {
        story.expect_stream(&["create", "edit"]);
        story.expect_way_back();
    }
}

/// A delta that leaves the same letters and no more, whichever equal letters it counts as kept.
#[track_caller]
fn expect_small_text(delta: &Json, most: &Json) {
    let size = |delta: &Json| delta.to_string().len();
    assert!(size(delta) <= size(most) + 24, "{delta}");
    assert!(delta.as_array().is_some_and(|ops| ops.len() <= 5), "{delta}");
}

#[test]
fn one_moved_node_is_a_delta_of_one_node() {
    let nodes: serde_json::Map<String, Json> = (0..50)
        .map(|index| (format!("n{index}"), text_at(index * 10, 0, "x")))
        .collect();
    let story = page(&Json::Object(nodes));
    let read_page = read_html(&story.api);
    let written = story
        .api
        .write(&replace(&read_page, with(&read_page, "left:70px", "left:71px")));
    assert_eq!(
        written["delta"],
        json!([{ "op": "moveNode", "id": "n7", "geometry": { "x": 71 } }])
    );
    // A node written before all others moves alone.
    let last = text(&read_page["content"])
        .lines()
        .find(|line| line.contains("\"n49\""))
        .unwrap()
        .to_owned();
    let content = with(&read_page, &format!("{last}\n"), "").replacen(
        " <div data-node-id=\"n0\"",
        &format!("{last}\n <div data-node-id=\"n0\""),
        1,
    );
    let content = content.replace("left:70px", "left:71px");
    let written = story.api.write(&replace(&written, content));
    let ops = written["delta"].as_array().unwrap();
    assert_eq!(
        (ops.len(), &ops[0]["op"], &ops[0]["id"]),
        (1, &json!("moveNode"), &json!("n49")),
        "{written}"
    );
}

#[test]
fn what_a_replace_leaves_out_is_deleted_and_what_it_adds_is_new() {
    let story = page(&json!({ "a": text_at(0, 0, "Alpha"), "b": text_at(0, 100, "Beta") }));
    let read_page = read_html(&story.api);
    let line = text(&read_page["content"])
        .lines()
        .find(|line| line.contains("\"b\""))
        .unwrap();
    let new = "<div data-node-type=\"text\" style=\"left:1px;top:2px;width:3px;height:4px\">New</div>";
    let write = replace(&read_page, with(&read_page, line, new));
    let written = story.api.write(&write);
    assert_eq!(ids(&written["removedNodeIds"]), ["b"]);
    assert_eq!(ids(&written["createdNodeIds"]).len(), 1);
    assert_eq!(story.api.write(&write), written, "a retry makes the same ids");
    assert_eq!(story.head(), 2);
}

#[test]
fn two_agents_replace_at_once_and_one_learns_what_changed() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    let read_page = read_html(&story.api);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let write = |agent: usize| {
            let content = with(&read_page, "Hello", &format!("by {agent}"));
            story
                .api
                .send(&replace(&read_page, content).by(&format!("agent:{agent}")))
        };
        let threads: Vec<_> = (0..4).map(|agent| scope.spawn(move || write(agent))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let landed: Vec<usize> = (0..4).filter(|agent| answers[*agent].status == 200).collect();
    assert_eq!(landed.len(), 1, "{answers:?}");
    assert_eq!(
        (story.head(), &story.props("t")["text"]),
        (2, &json!(format!("by {}", landed[0])))
    );
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        let refused = answer.expect_problem(409, "read_stale").json();
        assert_eq!(refused["missed"][0]["actor"], format!("agent:{}", landed[0]));
        assert!(!refused["words"].as_array().unwrap().is_empty(), "{refused}");
    }
}

#[test]
fn an_agent_that_goes_on_from_its_answer_never_reads_again_while_it_is_alone() {
    let story = Story::new("DOC", &json!([{ "insert": "0\n" }]));
    let mut token = read_html(&story.api);
    for turn in 1..=5 {
        token = story.api.write(&replace(&token, format!("<p>{turn}</p>")));
        assert_eq!(token["version"], 1 + turn);
    }
    story.edit(ANN, json!([{ "retain": 1 }, { "insert": "!" }]));
    story
        .api
        .send(&replace(&token, "<p>6</p>"))
        .expect_problem(409, "read_stale");
    assert_eq!(story.text(), "5!\n");
}

#[test]
fn what_html_cannot_say_is_kept_and_scripts_are_not_taken() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    story.edit(
        ANN,
        json!([
            set("t", "animation", json!({ "in": [0, 1] })),
            set("t", "crop", json!({ "top": 1 }))
        ]),
    );
    let read_page = read_html(&story.api);
    let content = with(
        &read_page,
        "Hello</div>",
        "Hallo</div><script>alert(1)</script><p onclick=\"x()\" style=\"left:0px;top:300px\">More</p>",
    );
    let written = story.api.write(&replace(&read_page, content));
    let codes: Vec<&str> = crate::story::codes(&written["warnings"]);
    assert!(
        codes.contains(&"script_dropped") && codes.contains(&"handler_dropped"),
        "{written}"
    );
    assert!(!story.value().to_string().contains("alert"));
    assert_eq!(
        (
            &story.props("t")["text"],
            &story.props("t")["animation"],
            &story.props("t")["crop"]
        ),
        (&json!("Hallo"), &json!({ "in": [0, 1] }), &json!({ "top": 1 }))
    );
}

#[test]
fn values_can_be_sent_instead_of_html() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    let read_page = read(&story.api, "format=json");
    let mut value = read_page["content"].clone();
    value["nodes"]["t"]["props"]["text"] = json!("Hallo");
    let written = story.api.write(&replace(&read_page, value));
    assert_eq!(written["delta"].as_array().map(Vec::len), Some(1), "{written}");
    let doc = Story::new("DOC", &json!([{ "insert": "Hello\n" }]));
    let read_page = read(&doc.api, "format=json");
    doc.api.write(&replace(&read_page, json!([{ "insert": "Hallo\n" }])));
    assert_eq!(doc.text(), "Hallo\n");
    let code = Story::code("a\n");
    let read_page = read_html(&code.api);
    code.api.write(&replace(
        &read_page,
        json!({ "files": { "f": "a\n", "g": "b\n" }, "entry": "f" }),
    ));
    assert_eq!(code.value()["files"]["g"], "b\n");
    assert_eq!(code.value()["entry"], "f");
}

#[test]
fn a_page_is_inserted_from_content_once() {
    let (_server, api) = api::start();
    let insert = |key: &str, content: Json| {
        api::Write::new(
            "POST",
            "/v1/pages".to_owned(),
            &json!({ "id": "p", "kind": "DESIGN", "file": "menu", "content": content }),
        )
        .key(key)
        .by(BOT)
    };
    let html = "<div data-canvas data-canvas-width=\"800\" data-canvas-height=\"600\"><p style=\"left:1px;top:2px\">Hello</p><script></script></div>";
    let first = api.send(&insert("k1", json!(html))).expect(201).json();
    assert_eq!(
        (&first["editorType"], crate::story::codes(&first["warnings"])[0]),
        (&json!("design"), "script_dropped")
    );
    // Another command for the same page is the same page.
    let again = api.send(&insert("k2", json!(html))).expect(201).json();
    assert_eq!((&again["version"], &again["hash"]), (&first["version"], &first["hash"]));
    api.send(&insert("k3", json!("<p>Other</p>")))
        .expect_problem(409, "page_exists");
    let page = api.page("p");
    assert_eq!(
        (&page["file"], &page["value"]["attributes"]["dimensions"]["width"]),
        (&json!("menu"), &json!(800))
    );
    let both = json!({ "id": "q", "kind": "DOC", "value": [], "content": "x" });
    api.send(&api::Write::new("POST", "/v1/pages".to_owned(), &both))
        .expect_problem(400, "malformed");
    for (kind, content, status, code) in [
        ("DOC", json!(7), 422, "content_malformed"),
        ("SHEET", json!({}), 422, "not_writable"),
        ("DOC", json!("x".repeat(200_001)), 413, "content_too_long"),
    ] {
        let body = json!({ "id": "q", "kind": kind, "content": content });
        api.send(&api::Write::new("POST", "/v1/pages".to_owned(), &body))
            .expect_problem(status, code);
        assert_eq!(api.head("q"), 0);
    }
    let code = json!({ "id": "q", "kind": "CODE", "content": "<h1>Hi</h1>" });
    api.write(&api::Write::new("POST", "/v1/pages".to_owned(), &code));
    assert_eq!(api.page("q")["value"]["files"]["index.html"], "<h1>Hi</h1>");
}
