//! A drawing as it is read back.

use recto_projections::DesignValue;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree::{Document, Node};
use resvg::usvg::{Options, Tree};
use serde_json::Value as Json;

/// A DESIGN page.
pub(crate) fn page(json: &Json) -> DesignValue {
    DesignValue::from_json(json).unwrap()
}

/// The drawing of a page.
pub(crate) fn svg(json: &Json) -> String {
    recto_replay::picture::svg(&page(json))
}

/// The pixels of a page.
pub(crate) fn pixels(json: &Json) -> Pixmap {
    Pixmap::decode_png(&recto_replay::picture::png(&page(json)).unwrap()).unwrap()
}

/// A pixel as red, green, blue.
pub(crate) fn pixel(pixels: &Pixmap, x: u32, y: u32) -> [u8; 3] {
    let pixel = pixels.pixel(x, y).unwrap();
    [pixel.red(), pixel.green(), pixel.blue()]
}

/// The `g` of a node.
pub(crate) fn node<'a>(document: &'a Document<'a>, id: &str) -> Node<'a, 'a> {
    let mut nodes = document.descendants().filter(|node| node.has_tag_name("g"));
    nodes.find(|node| node.attribute("data-node-id") == Some(id)).unwrap()
}

/// The ids of the nodes that are drawn, in their order.
pub(crate) fn ids<'a>(document: &'a Document<'a>) -> Vec<&'a str> {
    let groups = document.descendants().filter(|node| node.has_tag_name("g"));
    groups.filter_map(|node| node.attribute("data-node-id")).collect()
}

/// Checks that a drawing is one: XML, SVG as a renderer reads it, no coordinate out of bounds, nothing that runs or loads.
pub(crate) fn check(svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|fault| panic!("{fault}"));
    for node in document.descendants().filter(Node::is_element) {
        assert!(
            !["script", "foreignObject", "image", "use", "a", "style"].contains(&node.tag_name().name()),
            "{node:?}"
        );
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && name != "href", "{name}");
            if name.starts_with("data-") || name == "font-family" || value.starts_with('#') {
                continue;
            }
            let mut numbers = value.split(|letter: char| !letter.is_ascii_digit() && !".-e".contains(letter));
            let bounded = numbers
                .all(|number| number.parse::<f64>().is_ok_and(|n| n.abs() <= 4e6) || number.parse::<f64>().is_err());
            assert!(
                bounded && !value.contains("inf") && !value.contains("NaN"),
                "{name}={value}"
            );
        }
    }
    Tree::from_str(svg, &Options::default()).unwrap_or_else(|fault| panic!("{fault}"));
}
