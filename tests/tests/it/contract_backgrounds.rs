//! Backgrounds: a replace takes the whole set, a merge changes the ones there are, and what HTML cannot say stays.

use recto_tests::Json;
use recto_tests::api::text;
use serde_json::json;

use crate::contract_agent::{merge, page, read, read_html, replace, text_at, with};
use crate::story::{Story, codes};

fn layers() -> Json {
    json!([
        { "id": "sky", "type": "color", "color": "#abcdef" },
        { "id": "film", "type": "video", "assetId": "v-1", "clip": { "start": 1.5, "end": 4 }, "adjustments": { "blur": 3 } },
        { "id": "photo", "type": "image", "assetId": "i-1", "adjustments": { "contrast": 0.2 }, "opacity": 0.5 },
    ])
}

fn story() -> Story {
    let attributes = json!({ "dimensions": { "width": 800, "height": 600 }, "backgrounds": layers() });
    Story::new(
        "DESIGN",
        &json!({ "attributes": attributes, "nodes": { "t": text_at(0, 0, "Hello") } }),
    )
}

fn backgrounds(story: &Story) -> Json {
    story.value()["attributes"]["backgrounds"].clone()
}

/// The element of a background, as it was read.
#[track_caller]
fn line<'a>(content: &'a Json, id: &str) -> &'a str {
    let mark = format!("data-canvas-background-id=\"{id}\"");
    text(content)
        .lines()
        .find(|line| line.contains(&mark))
        .unwrap_or_else(|| panic!("{mark} is not in {content}"))
}

#[test]
fn a_write_that_repeats_all_layers_keeps_them() {
    let story = story();
    let read_page = read_html(&story.api);
    story
        .api
        .write(&replace(&read_page, with(&read_page, "Hello", "Hallo")));
    assert_eq!(backgrounds(&story), layers());
    story.expect_way_back();
}

#[test]
fn a_replace_takes_the_whole_set() {
    let story = story();
    let read_page = read_html(&story.api);
    let (film, photo) = (
        line(&read_page["content"], "film"),
        line(&read_page["content"], "photo"),
    );
    let new = "<div data-canvas-background-id=\"dusk\" data-canvas-background-type=\"gradient\" style=\"background:linear-gradient(red, blue)\"></div>";
    let content = with(&read_page, film, "")
        .replace(photo, &format!("{photo}{new}"))
        .replace("#abcdef", "#fedcba");
    story.api.write(&replace(&read_page, content));
    let after = backgrounds(&story);
    let ids: Vec<&str> = after
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| text(&layer["id"]))
        .collect();
    assert_eq!(ids, ["sky", "photo", "dusk"]);
    assert_eq!(
        (&after[0]["color"], &after[1], &after[2]["type"]),
        (&json!("#fedcba"), &layers()[2], &json!("gradient"))
    );
    story.expect_way_back();
    assert_eq!(backgrounds(&story), layers());
}

#[test]
fn a_merge_changes_layers_that_are_there_and_makes_none() {
    let story = story();
    let all = read_html(&story.api);
    let chosen = read(&story.api, "nodes=t");
    let sky = line(&all["content"], "sky").replace("#abcdef", "#fedcba");
    story.api.write(&merge(&chosen, sky));
    let mut expected = layers();
    expected[0]["color"] = json!("#fedcba");
    assert_eq!(backgrounds(&story), expected);
    let chosen = read(&story.api, "nodes=t");
    let unknown = "<div data-canvas-background-id=\"nowhere\" data-canvas-background-type=\"color\" style=\"background:red\"></div>";
    let write = merge(&chosen, unknown);
    let answer = story
        .expect_nothing_changes(|| story.api.send(&write))
        .expect(200)
        .json();
    assert_eq!(
        (&answer["applied"], codes(&answer["warnings"])),
        (&json!(false), vec!["background_unknown"])
    );
    assert_eq!(answer["warnings"][0]["node"], "nowhere");
}

#[test]
fn a_video_is_not_changed_by_html_and_says_so() {
    let story = story();
    let read_page = read_html(&story.api);
    let film = line(&read_page["content"], "film");
    let changed = film.replacen("style=\"", "data-asset-id=\"v-2\" style=\"background:red;", 1);
    let answer = story
        .api
        .send(&replace(&read_page, with(&read_page, film, &changed)))
        .expect(200)
        .json();
    assert_eq!(backgrounds(&story), layers());
    assert!(!codes(&answer["warnings"]).is_empty(), "{answer}");
    // Written as a node, a background makes no node.
    let chosen = read(&story.api, "nodes=t");
    let as_node = "<div data-node-id=\"film\" data-canvas-background-id=\"film\">x</div>";
    let answer = story.api.send(&merge(&chosen, as_node)).expect(200).json();
    assert_eq!(answer["createdNodeIds"], json!([]));
    assert_eq!(
        (
            backgrounds(&story),
            story.value()["nodes"].as_object().map(|nodes| nodes.len())
        ),
        (layers(), Some(1))
    );
}

#[test]
fn a_page_without_layers_gets_none() {
    let story = page(&json!({ "t": text_at(0, 0, "Hello") }));
    let read_page = read_html(&story.api);
    story
        .api
        .write(&replace(&read_page, with(&read_page, "Hello", "Hallo")));
    assert_eq!(backgrounds(&story), Json::Null);
}
