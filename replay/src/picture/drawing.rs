//! Drawing a DESIGN page as SVG.
//!
//! Every node is one `g` with its id and its place on the page, all beside each other: pages may nest deeper than readers
//! of SVG follow. What a page says about looks is drawn as far as it has a usual name; the rest shows as plain boxes.

use std::fmt::Write;

use recto_projections::DesignValue;

use super::escape::{Num, Text, cut};
use super::marks::{Mark, Marks};
use super::pen::Pen;
use super::placed::{Placed, frame, place};
use super::plane::Rect;

/// The most nodes that are drawn; a picture says how many are not.
pub(super) const NODES_DRAWN_MAX: usize = 50_000;
/// The longest side of a picture, in px; what is larger is made smaller.
pub(super) const PIXELS_MAX: f64 = 4096.0;
/// Lines and labels that are not the page's own are as large as on a page of this size, in px.
const USUAL_SIDE: f64 = 1000.0;
const UNIT_MIN: f64 = 0.3;
/// The characters of an id or name in an attribute.
const ID_CHARS: usize = 200;

/// How a page is to be drawn.
#[derive(Clone, Copy)]
pub(super) struct Style<'a> {
    /// What the ids in this picture begin with: several may stand in one document.
    pub(super) prefix: &'a str,
    /// The most nodes that are drawn.
    pub(super) nodes_max: usize,
    /// Whether there are fonts; without them bars stand for text.
    pub(super) has_fonts: bool,
    /// What is to be outlined.
    pub(super) marks: Option<&'a Marks>,
    /// What of the plane is shown; `None` shows the page.
    pub(super) frame: Option<Rect>,
}

impl Style<'_> {
    /// A picture that stands alone.
    pub(super) const ALONE: Self = Self {
        prefix: "",
        nodes_max: NODES_DRAWN_MAX,
        has_fonts: true,
        marks: None,
        frame: None,
    };
}

/// Draws a page.
pub(super) fn draw(page: &DesignValue, style: Style<'_>) -> String {
    let nodes = place(page, style.nodes_max);
    let frame = style.frame.unwrap_or_else(|| frame(page, &nodes));
    let unit = (frame.w.max(frame.h) / USUAL_SIDE).max(UNIT_MIN);
    let mut pen = Pen::new(style.prefix, style.has_fonts, unit);
    pen.backgrounds(page, frame);
    for placed in &nodes {
        let id = cut(placed.node.id(), ID_CHARS);
        let kind = cut(placed.node.kind(), ID_CHARS);
        let _ = write!(
            pen.out,
            "<g data-node-id=\"{}\" data-node-type=\"{}\"",
            Text(&id),
            Text(&kind)
        );
        if let Some(parent) = placed.node.parent() {
            let _ = write!(pen.out, " data-parent-id=\"{}\"", Text(&cut(parent, ID_CHARS)));
        }
        let _ = write!(pen.out, " transform=\"{}\"", placed.plane);
        pen.node(placed);
        pen.out.push_str("</g>\n");
    }
    if let Some(marks) = style.marks {
        outlines(&mut pen.out, &nodes, marks, frame, unit);
    }
    let left_out = page.len() - nodes.len();
    finish(pen, frame, left_out)
}

/// What of the plane a picture of the page shows.
pub(super) fn frame_of(page: &DesignValue, nodes_max: usize) -> Rect {
    frame(page, &place(page, nodes_max))
}

/// The size of a picture of a frame, in px.
fn size(frame: Rect) -> (f64, f64) {
    let scale = (PIXELS_MAX / frame.w.max(frame.h)).min(1.0);
    ((frame.w * scale).max(1.0), (frame.h * scale).max(1.0))
}

fn finish(pen: Pen, frame: Rect, left_out: usize) -> String {
    let (width, height) = size(frame);
    let view = [frame.x, frame.y, frame.w, frame.h]
        .map(|side| Num(side).to_string())
        .join(" ");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{view}\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\">\n",
        Num(width),
        Num(height)
    );
    if left_out > 0 {
        let _ = writeln!(out, "<desc>{left_out} more nodes are not drawn</desc>");
    }
    if !pen.defs.is_empty() {
        let _ = writeln!(out, "<defs>{}</defs>", pen.defs);
    }
    out.push_str(&pen.out);
    out.push_str("</svg>\n");
    out
}

/// Outlines what has a mark, on top of everything.
fn outlines(out: &mut String, nodes: &[Placed<'_>], marks: &Marks, frame: Rect, unit: f64) {
    if marks.page {
        let _ = writeln!(
            out,
            "<rect data-mark=\"changed\" {} fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>",
            frame.grown(-2.0 * unit),
            Mark::Changed.colour(),
            Num(4.0 * unit)
        );
    }
    for placed in nodes {
        let mut gap = 2.0 * unit;
        for mark in marks.of_node(placed.node.id()) {
            let _ = writeln!(
                out,
                "<rect data-mark=\"{name}\" data-node-id=\"{}\" transform=\"{}\" {} rx=\"{}\" fill=\"none\" \
                 pointer-events=\"all\" stroke=\"{colour}\" stroke-width=\"{}\"><title>{name}</title></rect>",
                Text(&cut(placed.node.id(), ID_CHARS)),
                placed.plane,
                placed.rect.grown(gap),
                Num(2.0 * unit),
                Num(2.5 * unit),
                name = mark.as_str(),
                colour = mark.colour(),
            );
            gap += 4.0 * unit;
        }
    }
}
