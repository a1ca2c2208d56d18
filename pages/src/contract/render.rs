//! What a page says, in a form that an agent reads: pure.

use recto_projections::html::{design_to_html, doc_to_html, fragment};
use recto_projections::{CodeValue, DesignValue, DocValue, Json, Value};
use serde_json::{Map, json};

use super::envelope::{Content, Format};

/// Properties of a node that hold its text, the first that is one.
const TEXTS: [&str; 3] = ["text", "content", "label"];

/// The whole page. CODE and SHEET pages have no HTML: they come as JSON.
pub(crate) fn whole(value: &Value, format: Format) -> (Format, Content) {
    let text = |text| (format, Content::Text(text));
    match (value, format) {
        (Value::Design(value), Format::Html) => text(design_to_html(value)),
        (Value::Doc(value), Format::Html) => text(doc_to_html(value)),
        (Value::Design(value), Format::Text) => text(texts(value, |_| true)),
        (Value::Doc(value), Format::Text) => text(plain(value)),
        (Value::Code(value), Format::Text) => text(source(value)),
        (value, _) => (Format::Json, Content::Json(value.to_json())),
    }
}

/// Some nodes of a page, with the groups that they lie in and all that lies below them; `shown` says which these are.
pub(crate) fn part(value: &DesignValue, chosen: &[&str], shown: impl Fn(&str) -> bool, format: Format) -> Content {
    match format {
        Format::Html => Content::Text(fragment(value, chosen.iter().copied())),
        Format::Text => Content::Text(texts(value, shown)),
        Format::Json => {
            let nodes = value.tree().filter(|node| shown(node.id()));
            let nodes: Map<String, Json> = nodes.map(|node| (node.id().to_string(), node.to_json())).collect();
            Content::Json(json!({ "nodes": nodes }))
        }
    }
}

/// The texts of nodes, a paragraph each, in the order of the page.
fn texts(value: &DesignValue, shown: impl Fn(&str) -> bool) -> String {
    let nodes = value.tree().filter(|node| shown(node.id()));
    let text = |node: &recto_projections::design::Node| {
        let props = node.props();
        TEXTS
            .iter()
            .find_map(|name| props.get(*name)?.as_str().map(str::to_owned))
    };
    let texts: Vec<String> = nodes.filter_map(text).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}

/// The text of a document, without its formats and embeds.
fn plain(value: &DocValue) -> String {
    let document = value.to_json();
    let inserts = document.as_array().into_iter().flatten();
    inserts.filter_map(|op| op.get("insert")?.as_str()).collect()
}

/// The one file, or all with their paths before them.
fn source(value: &CodeValue) -> String {
    let mut files: Vec<(String, String)> = value
        .files()
        .map(|(path, text)| (path.to_string(), text.to_plain()))
        .collect();
    if files.len() == 1 {
        return files.swap_remove(0).1;
    }
    let parts: Vec<String> = files
        .into_iter()
        .map(|(path, text)| format!("==> {path} <==\n{text}"))
        .collect();
    parts.join("\n")
}
