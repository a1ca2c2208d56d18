//! A DESIGN page as HTML.

use std::collections::{BTreeMap, HashSet};

use super::background;
use super::escape::{push_attribute, push_text, push_value};
use super::shown::{ATTRIBUTES, CROP_ATTRIBUTE, IMAGE, VIDEO, attribute_of, crop_of, declared, text_of, transform_of};
use super::space::keeps_space;
use crate::design::{DesignValue, Id, Node, Side};
use crate::json::Json;

/// Indents stop growing here: deep pages would be more space than page.
const INDENT_MAX: usize = 24;
const SIDES: [(Side, &str); 4] = [
    (Side::X, ";left:"),
    (Side::Y, ";top:"),
    (Side::Width, ";width:"),
    (Side::Height, ";height:"),
];

/// Writes a whole page.
pub fn design_to_html(value: &DesignValue) -> String {
    let mut out = String::from("<!doctype html>\n");
    open_canvas(&mut out, value);
    for background in value.backgrounds() {
        out.push_str("\n ");
        background::write(&mut out, background);
    }
    let mut writer = Writer::new(value, out, 1);
    value.children_of(None).for_each(|node| writer.tree(node));
    let mut out = writer.out;
    out.push_str("\n</div>\n");
    out
}

/// Writes some nodes with all that lies below them, and the groups that they lie in as far as these hold them. Ids that
/// are not on the page are passed over. The cost follows what is written.
pub fn fragment<'a>(value: &DesignValue, nodes: impl IntoIterator<Item = &'a str>) -> String {
    let chosen: HashSet<&Id> = nodes
        .into_iter()
        .filter_map(|id| value.node(id).map(Node::id))
        .collect();
    let mut context: BTreeMap<Option<&Id>, BTreeMap<_, &Node>> = BTreeMap::new();
    for id in &chosen {
        let mut next = value.node(id);
        while let Some(node) = next {
            let siblings = context.entry(node.parent()).or_default();
            if siblings.insert(node.child_key(), node).is_some() {
                break;
            }
            next = node.parent().and_then(|parent| value.node(parent));
        }
    }
    let mut writer = Writer::new(value, String::new(), 0);
    let tops = context.remove(&None).unwrap_or_default();
    let mut open: Vec<(Option<&Node>, std::collections::btree_map::IntoValues<_, &Node>)> =
        vec![(None, tops.into_values())];
    while let Some((group, rest)) = open.last_mut() {
        match rest.next() {
            Some(node) if chosen.contains(node.id()) => writer.tree(node),
            Some(node) => {
                writer.open(node, true, true);
                writer.depth += 1;
                let below = context.remove(&Some(node.id())).unwrap_or_default();
                open.push((Some(node), below.into_values()));
            }
            None => {
                if group.is_some() {
                    writer.depth -= 1;
                    writer.line();
                    writer.out.push_str("</div>");
                }
                open.pop();
            }
        }
    }
    let mut out = writer.out;
    out.push('\n');
    out.split_off(usize::from(out.starts_with('\n') && out.len() > 1))
}

struct Writer<'a> {
    out: String,
    value: &'a DesignValue,
    depth: usize,
    /// No white space may follow: it would belong to a text.
    glued: bool,
}

impl<'a> Writer<'a> {
    fn new(value: &'a DesignValue, out: String, depth: usize) -> Writer<'a> {
        let glued = false;
        Writer {
            out,
            value,
            depth,
            glued,
        }
    }

    /// Writes a node and all that lies below it.
    fn tree(&mut self, root: &'a Node) {
        let value = self.value;
        let mut open = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(node) = next.take() {
                let mut children = value.children_of(Some(node.id())).peekable();
                let has_children = children.peek().is_some();
                self.open(node, has_children, false);
                if has_children {
                    self.depth += 1;
                    open.push(children);
                }
            }
            let Some(children) = open.last_mut() else { return };
            next = children.next();
            if next.is_none() {
                open.pop();
                self.depth -= 1;
                self.line();
                self.out.push_str("</div>");
            }
        }
    }

    fn line(&mut self) {
        self.out.push('\n');
        let indent = self.depth.min(INDENT_MAX);
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Writes a node's own element: to its end, unless it has children.
    fn open(&mut self, node: &Node, has_children: bool, context: bool) {
        let props = node.props();
        let text = text_of(props).map(|(_, text)| text).filter(|text| !text.is_empty());
        let tag = match node.kind() {
            IMAGE if text.is_none() && !has_children => "img",
            VIDEO if text.is_none() && !has_children => "video",
            _ => "div",
        };
        if !std::mem::take(&mut self.glued) {
            self.line();
        }
        let out = &mut self.out;
        out.push('<');
        out.push_str(tag);
        push_attribute(out, "data-node-id", node.id());
        push_attribute(out, "data-node-type", node.kind());
        if context {
            out.push_str(" data-context");
        }
        for (key, own, other) in ATTRIBUTES {
            if let Some(value) = attribute_of(props, key) {
                push_attribute(out, if tag == "div" { other } else { own }, value);
            }
        }
        if let Some(crop) = crop_of(props) {
            push_attribute(out, CROP_ATTRIBUTE, &crop);
        }
        let exact = push_style(out, node);
        out.push('>');
        if let Some(text) = text {
            push_lines(out, text);
        }
        match (tag, has_children) {
            ("img", _) => {}
            (_, true) => self.glued = exact && text.is_some(),
            (tag, false) => {
                out.push_str("</");
                out.push_str(tag);
                out.push('>');
            }
        }
    }
}

/// Appends the style; says whether white space counts in the element.
fn push_style(out: &mut String, node: &Node) -> bool {
    out.push_str(" style=\"position:absolute");
    let geometry = node.geometry();
    for (side, name) in SIDES {
        out.push_str(name);
        geometry.get(side).push_to(out);
        out.push_str("px");
    }
    let mut push = |name: &str, value: &str| {
        out.push(';');
        out.push_str(name);
        out.push(':');
        push_value(out, value);
    };
    if let Some(transform) = transform_of(geometry, node.props()) {
        push("transform", &transform);
    }
    let mut exact = false;
    for one in declared(node.kind(), node.props()) {
        exact |= one.name == "white-space" && keeps_space(&one.value);
        push(&one.name, &one.value);
    }
    out.push('"');
    exact
}

/// Appends a text, its line breaks as elements.
fn push_lines(out: &mut String, text: &str) {
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push_str("<br>");
        }
        push_text(out, line);
    }
}

fn open_canvas(out: &mut String, value: &DesignValue) {
    out.push_str("<div data-canvas");
    let attributes = value.attributes();
    let mut style = String::from("position:relative");
    for side in ["width", "height"] {
        let dimensions = attributes.get("dimensions");
        if let Some(Json::Number(number)) = dimensions.and_then(|dimensions| dimensions.get(side)) {
            push_attribute(out, &format!("data-canvas-{side}"), number.as_str());
            style.push_str(&format!(";{side}:{number}px"));
        }
    }
    if let Some(preset) = attributes.get("presetId").and_then(Json::as_str) {
        push_attribute(out, "data-canvas-preset", preset);
    }
    push_attribute(out, "style", &style);
    out.push('>');
}
