//! The edge of a node that holds others.
//!
//! A browser places what lies in an element from the inside of its border, a page from the outside of the node. So the
//! border of a node with children is drawn by an element of its own, which lies in the node and is no node.

use super::element::{DECLARATIONS_MAX, Style, style};
use super::escape::push_value;
use super::shown::declared;
use super::tree::{At, Tree};
use crate::design::Node;

/// Marks the element of the edge.
pub(super) const EDGE: &str = "data-node-edge";
/// What lays the edge over its node, and rounds it as the node is rounded.
const LAID: [(&str, &str); 4] = [
    ("position", "absolute"),
    ("inset", "0"),
    ("box-sizing", "border-box"),
    ("border-radius", "inherit"),
];

/// Says whether a declaration draws the border, and takes room for it.
pub(super) fn is_edge(name: &str) -> bool {
    let draws = |rest: &str| !rest.ends_with("radius") && rest != "-collapse" && rest != "-spacing";
    name.strip_prefix("border").is_some_and(draws)
}

/// Appends the element of a node's edge, if it has one.
pub(super) fn write(out: &mut String, node: &Node) {
    let mut edge = declared(node.kind(), node.props())
        .into_iter()
        .filter(|one| is_edge(&one.name))
        .peekable();
    if edge.peek().is_none() {
        return;
    }
    out.push_str("<div ");
    out.push_str(EDGE);
    out.push_str(" style=\"");
    for (index, (name, value)) in LAID.into_iter().enumerate() {
        if index > 0 {
            out.push(';');
        }
        out.push_str(name);
        out.push(':');
        out.push_str(value);
    }
    for one in edge {
        out.push(';');
        out.push_str(&one.name);
        out.push(':');
        push_value(out, &one.value);
    }
    out.push_str("\"></div>");
}

/// Gives the style of a node's element with the border that the element of its edge adds; what else that says lays it over
/// the node, and is not the node's. What its own element says stands: that is where a style is looked for first. The border comes last, wherever it is written, so that it is kept in one order.
pub(super) fn whole_style(tree: &Tree, at: At, edge: Option<At>) -> Style<'_> {
    let mut found = style(tree, at);
    for (name, value) in edge.into_iter().flat_map(|edge| style(tree, edge)) {
        if is_edge(&name) && found.len() < DECLARATIONS_MAX && !found.iter().any(|(own, _)| *own == name) {
            found.push((name, value));
        }
    }
    found.sort_by_key(|(name, _)| is_edge(name));
    found
}
