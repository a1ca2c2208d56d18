//! An agent's tools in few words: reads with their tokens, and the writes made from them.

use recto_tests::Json;
use recto_tests::api::{Api, Write, page_path, text};
use serde_json::json;

use crate::story::{BOT, PAGE, Story};

/// A node of the page itself at a place, 100 px wide and 50 px high.
pub(crate) fn node(kind: &str, parent: Option<&str>, x: i64, y: i64, props: &Json) -> Json {
    let geometry = json!({ "x": x, "y": y, "width": 100, "height": 50, "rotation": 0 });
    json!({ "type": kind, "parentId": parent, "geometry": geometry, "props": props })
}

/// A text at a place.
pub(crate) fn text_at(x: i64, y: i64, text: &str) -> Json {
    node("text", None, x, y, &json!({ "text": text }))
}

/// A regular DESIGN page.
pub(crate) fn page(nodes: &Json) -> Story {
    let attributes = json!({ "dimensions": { "width": 1200, "height": 800 } });
    Story::new("DESIGN", &json!({ "attributes": attributes, "nodes": nodes }))
}

/// A whiteboard.
pub(crate) fn board(nodes: &Json) -> Story {
    Story::new("DESIGN", &board_value(nodes))
}

pub(crate) fn board_value(nodes: &Json) -> Json {
    json!({ "attributes": { "presetId": "whiteboard" }, "nodes": nodes })
}

/// A whiteboard of texts `a`, `b`, `c`, and groups `g1` in which lies `g2`, in which lies `g3` with the text `deep`.
pub(crate) fn usual_board() -> Story {
    let group = |parent| node("group", parent, 0, 0, &json!({}));
    board(&json!({
        "a": text_at(0, 0, "Alpha"),
        "b": text_at(200, 0, "Beta"),
        "c": text_at(400, 0, "Gamma"),
        "g1": group(None),
        "g2": group(Some("g1")),
        "g3": group(Some("g2")),
        "deep": node("text", Some("g3"), 0, 200, &json!({ "text": "Deep" })),
        "side": node("text", Some("g1"), 200, 200, &json!({ "text": "Side" })),
    }))
}

/// A read of the page for an agent.
#[track_caller]
pub(crate) fn read(api: &Api, query: &str) -> Json {
    api.read(&format!("{}?{query}", page_path(PAGE)))
}

/// The whole page as HTML.
#[track_caller]
pub(crate) fn read_html(api: &Api) -> Json {
    read(api, "format=html")
}

/// A replace from a read.
pub(crate) fn replace(read: &Json, content: impl Into<Json>) -> Write {
    let body = json!({ "mode": "replace", "readToken": read["readToken"], "content": content.into() });
    update(&body)
}

/// A merge from a read.
pub(crate) fn merge(read: &Json, content: impl Into<Json>) -> Write {
    update(&json!({ "mode": "merge", "readToken": read["readToken"], "content": content.into() }))
}

/// A merge that deletes.
pub(crate) fn delete_nodes(read: &Json, ids: &[&str]) -> Write {
    update(&json!({ "mode": "merge", "readToken": read["readToken"], "deleteNodeIds": ids }))
}

/// An update by the agent, whatever its body is.
pub(crate) fn update(body: &Json) -> Write {
    Write::new("POST", format!("{}/update", page_path(PAGE)), body).by(BOT)
}

/// The element of a text node with another text.
pub(crate) fn element(id: &str, text: &str) -> String {
    format!("<div data-node-id=\"{id}\">{text}</div>")
}

/// The content of a read with a part of it written otherwise.
#[track_caller]
pub(crate) fn with(read: &Json, from: &str, to: &str) -> String {
    let content = text(&read["content"]);
    assert!(content.contains(from), "{from:?} is not in {content}");
    content.replace(from, to)
}

/// A list of ids in an answer, sorted.
pub(crate) fn ids(json: &Json) -> Vec<String> {
    let list = json.as_array().into_iter().flatten();
    let mut ids: Vec<String> = list.map(|id| text(id).to_owned()).collect();
    ids.sort();
    ids
}
