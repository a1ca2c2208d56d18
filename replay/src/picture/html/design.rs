//! A DESIGN page: the picture, and below it every node with all that it holds.

use std::collections::HashMap;
use std::fmt::Write;

use recto_projections::DesignValue;
use recto_projections::design::{Id, Node};
use serde_json::Value as Json;

use super::Lines;
use crate::outline::node_line;
use crate::picture::drawing::{Style, draw};
use crate::picture::escape::{Text, cut};

/// The most nodes that are listed; the page says how many are not.
const NODES_LISTED_MAX: usize = 5_000;
/// The most characters of a node that are shown.
const NODE_CHARS: usize = 20_000;
/// The most characters of the page's attributes that are shown.
const ATTRIBUTES_CHARS: usize = 100_000;
/// Deeper nodes are indented no further.
const DEPTH_MAX: usize = 20;
/// The most nodes that are drawn within a page of HTML.
pub(super) const NODES_DRAWN_MAX: usize = 20_000;

pub(super) fn write(out: &mut String, page: &DesignValue) {
    let style = Style {
        nodes_max: NODES_DRAWN_MAX,
        ..Style::ALONE
    };
    let _ = writeln!(out, "<div class=\"picture\">{}</div>", draw(page, style));
    if !page.attributes().is_empty() {
        let attributes = Json::Object(page.attributes().clone());
        let _ = writeln!(
            out,
            "<h2>Attributes</h2>\n<pre>{}</pre>",
            pretty(&attributes, ATTRIBUTES_CHARS)
        );
    }
    let _ = writeln!(out, "<h2>Nodes ({})</h2>", page.len());
    // The tree comes parents first, so a parent's depth is known.
    let mut depths: HashMap<&Id, usize> = HashMap::new();
    for node in page.tree().take(NODES_LISTED_MAX) {
        let parent = node.parent().and_then(|parent| depths.get(parent));
        let depth = parent.map_or(0, |depth| depth + 1);
        depths.insert(node.id(), depth);
        write_node(out, node, depth);
    }
    let left_out = page.len().saturating_sub(NODES_LISTED_MAX);
    if left_out > 0 {
        let _ = writeln!(out, "<p class=\"dim\">{left_out} more nodes are not listed.</p>");
    }
}

fn write_node(out: &mut String, node: &Node, depth: usize) {
    let _ = writeln!(
        out,
        "<details data-node=\"{}\" style=\"margin-left:{}px\"><summary>{}</summary><pre>{}</pre></details>",
        Text(node.id()),
        depth.min(DEPTH_MAX) * 20,
        Text(&node_line(node)),
        pretty(&node.to_json(), NODE_CHARS)
    );
}

fn pretty(json: &Json, chars: usize) -> String {
    let text = serde_json::to_string_pretty(json).unwrap_or_default();
    Lines(&cut(&text, chars)).to_string()
}
