//! A DESIGN page as boxes in front of each other.

use std::collections::HashMap;

use recto_projections::design::{Node, Side};
use recto_projections::{Delta, DesignValue, Value};
use serde_json::Value as Json;

use crate::outline;
use crate::screen::news::{Drawn, Look, Picture};

/// The most nodes that are drawn: those behind.
const BOXES_MAX: usize = 10_000;

/// The picture of a page; `None` where its kind cannot be drawn.
pub(super) fn of(value: &Value, delta: Option<&Delta>) -> Option<Picture> {
    let Value::Design(design) = value else { return None };
    let boxes = boxes(design, delta);
    let reach = |side: fn(&Drawn) -> f64| boxes.iter().map(side).fold(0.0, f64::max);
    let given = |name: &str| {
        design
            .attributes()
            .get("dimensions")
            .and_then(|size| size.get(name))
            .and_then(Json::as_f64)
    };
    let size = |name, side| {
        given(name)
            .filter(|size| *size > 0.0)
            .unwrap_or_else(|| reach(side))
            .max(1.0)
    };
    Some(Picture {
        width: size("width", |drawn| drawn.x + drawn.width),
        height: size("height", |drawn| drawn.y + drawn.height),
        boxes,
    })
}

/// The tree comes parents first and siblings from back to front: that is the order in which they are painted.
fn boxes(design: &DesignValue, delta: Option<&Delta>) -> Vec<Drawn> {
    let mut origins: HashMap<&str, (f64, f64)> = HashMap::new();
    let mut boxes = Vec::new();
    for node in design.tree().take(BOXES_MAX) {
        let parent = node.parent().and_then(|parent| origins.get(&**parent));
        let (left, top) = parent.copied().unwrap_or_default();
        let drawn = drawn(node, (left, top), delta);
        origins.insert(node.id(), (drawn.x, drawn.y));
        boxes.push(drawn);
    }
    boxes
}

fn drawn(node: &Node, (left, top): (f64, f64), delta: Option<&Delta>) -> Drawn {
    let side = |side| node.geometry().get(side).to_f64();
    Drawn {
        x: left + side(Side::X),
        y: top + side(Side::Y),
        width: side(Side::Width),
        height: side(Side::Height),
        label: outline::name(node).unwrap_or_else(|| node.id().to_string()),
        fill: node.props().get("fill").and_then(Json::as_str).and_then(colour),
        look: match node.kind() {
            "text" => Look::Text,
            "group" | "frame" => Look::Frame,
            _ => Look::Solid,
        },
        changed: delta.is_some_and(|delta| delta.touches(node.id())),
    }
}

/// Reads `#rgb` and `#rrggbb`.
fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.is_ascii())?;
    let part = |from: usize, to: usize| u8::from_str_radix(digits.get(from..to)?, 16).ok();
    match digits.len() {
        3 => Some([part(0, 1)? * 17, part(1, 2)? * 17, part(2, 3)? * 17]),
        6 => Some([part(0, 2)?, part(2, 4)?, part(4, 6)?]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_nothing_else_is() {
        assert_eq!(colour("#f80"), Some([255, 136, 0]));
        assert_eq!(colour("#0a0B0c"), Some([10, 11, 12]));
        for text in ["", "#", "red", "#12", "#12345", "#gggggg", "#éé"] {
            assert_eq!(colour(text), None, "{text:?}");
        }
    }
}
