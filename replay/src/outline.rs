//! A page as text: a tree of nodes, or the text itself.

use recto_projections::design::Node;
use recto_projections::{CodeValue, DesignValue, Value, words};

/// The characters of a name that are shown.
const NAME_CHARS: usize = 40;

/// The lines of a page.
#[must_use]
pub fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Design(design) => design_lines(design),
        Value::Doc(doc) => doc.text().to_plain().lines().map(str::to_owned).collect(),
        Value::Code(code) => code_lines(code),
        Value::Sheet(sheet) => {
            let text = serde_json::to_string_pretty(sheet.json()).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        }
    }
}

/// A node in one line: its type, name, id, place and size.
#[must_use]
pub fn node_line(node: &Node) -> String {
    use recto_projections::design::Side;
    let side = |side| node.geometry().get(side).to_text();
    let name = name(node).map_or_else(String::new, |name| format!(" {name:?}"));
    let (x, y, w, h) = (side(Side::X), side(Side::Y), side(Side::Width), side(Side::Height));
    format!("{}{name} [{}] {w}×{h} at {x},{y}", node.kind(), node.id())
}

/// What a node is called, where it has a name, title or text.
#[must_use]
pub fn name(node: &Node) -> Option<String> {
    let text = words::name(node.props())?;
    let short: String = text.chars().take(NAME_CHARS).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    Some(format!("{short}{cut}"))
}

fn design_lines(design: &DesignValue) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in design.attributes().iter() {
        if name != "backgrounds" {
            lines.push(format!("{name}: {value}"));
        }
    }
    for background in design.backgrounds() {
        lines.push(format!("background {background}"));
    }
    // The tree comes parents first, so a parent's depth is known.
    let mut depths = std::collections::HashMap::new();
    for node in design.tree() {
        let depth = node
            .parent()
            .and_then(|parent| depths.get(parent))
            .map_or(0, |depth| depth + 1);
        depths.insert(node.id().clone(), depth);
        lines.push(format!("{}{}", "  ".repeat(depth), node_line(node)));
    }
    lines
}

fn code_lines(code: &CodeValue) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, text) in code.files() {
        let entry = if code.entry() == Some(path) { " (entry)" } else { "" };
        lines.push(format!("── {path}{entry}"));
        lines.extend(text.to_plain().lines().map(str::to_owned));
    }
    lines
}
