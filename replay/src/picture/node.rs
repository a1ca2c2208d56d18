//! The drawing of single things: a node, a background.

use std::fmt::Write;

use recto_projections::DesignValue;
use serde_json::Value as Json;

use super::colour::Colour;
use super::contour;
use super::escape::{Num, Text, cut};
use super::letters::{Align, Letters};
use super::look::{Shape, Stroke};
use super::paint::{Gradient, Paint};
use super::pen::Pen;
use super::placed::Placed;
use super::plane::Rect;
use super::props::Props;

const PAPER: Colour = Colour::rgb(0xff_ff_ff);
/// A box that says nothing about its looks.
const BARE: Paint = Paint::Flat(Colour::rgb(0xee_f1_f5));
const BARE_EDGE: Colour = Colour::rgb(0xb6_be_c9);
/// The place of an image or video.
const PLACE: &str = "#e6ebf1";
const PLACE_LINES: &str = "#c8d1db";
const PLACE_INK: Colour = Colour::rgb(0x57_60_6a);
const GROUP_EDGE: Colour = Colour::rgb(0x8b_7c_f6);
const HIDDEN_EDGE: &str = "#9aa2ad";
/// The size of labels, in units.
const LABEL: f64 = 12.0;
const LABEL_MIN: f64 = 0.5;
/// The most characters of a name in a hint.
const HINT_CHARS: usize = 80;
/// A background says its colour by one of these.
const BACKGROUND: [&str; 5] = ["color", "value", "fill", "gradient", "backgroundColor"];

impl Pen<'_> {
    /// Draws what lies below all nodes.
    pub(super) fn backgrounds(&mut self, page: &DesignValue, frame: Rect) {
        let _ = writeln!(self.out, "<rect {frame} fill=\"{PAPER}\"/>");
        for json in page.backgrounds() {
            let Json::Object(map) = json else { continue };
            let props = Props(map);
            let id = cut(props.text(&["id"]).unwrap_or_default(), HINT_CHARS);
            let _ = write!(self.out, "<g data-background-id=\"{}\"", Text(&id));
            self.opacity(props.number(&["opacity"]).unwrap_or(1.0).clamp(0.0, 1.0));
            self.out.push('>');
            match props.text(&["type"]) {
                Some(kind @ ("image" | "video")) => self.place(kind, props, frame, 0.0),
                _ => {
                    // A gradient's stops may stand in the background itself.
                    let paint = Gradient::of_map(map)
                        .map(Paint::Gradient)
                        .or_else(|| props.get(&BACKGROUND).and_then(Paint::of));
                    if let Some(paint) = paint.filter(|paint| !paint.is_clear()) {
                        self.fill_box(&contour::rounded(frame, 0.0), &paint, frame);
                    }
                }
            }
            self.out.push_str("</g>\n");
        }
    }

    /// Draws what is in a node's `g`, whose last attributes are still to be written.
    pub(super) fn node(&mut self, placed: &Placed<'_>) {
        if placed.is_hidden {
            self.out.push_str(" data-hidden=\"true\">");
            self.hint(placed);
            self.dashed(placed.rect, HIDDEN_EDGE, 1.0);
            return;
        }
        self.opacity(placed.opacity);
        self.out.push('>');
        self.hint(placed);
        let props = Props(placed.node.props());
        match placed.look.shape {
            Shape::Group => self.group(placed, props),
            Shape::Text => self.ground(placed, props),
            Shape::Image => self.place("image", props, placed.rect, placed.look.radius),
            Shape::Video => self.place("video", props, placed.rect, placed.look.radius),
            Shape::Line => self.line(placed),
            _ if placed.rect.is_empty() => self.point(placed.rect),
            _ => self.shape(placed, props),
        }
        if let Some(text) = props.written() {
            self.letters(&Letters::of(text, props, &placed.look, placed.rect));
        }
    }

    fn shape(&mut self, placed: &Placed<'_>, props: Props<'_>) {
        let look = &placed.look;
        let is_bare = look.fill.is_none() && look.stroke.is_none();
        let fill = if is_bare { Some(&BARE) } else { look.fill.as_ref() };
        let edge = Stroke {
            colour: BARE_EDGE,
            width: self.unit,
            is_dashed: false,
        };
        let stroke = if is_bare { Some(edge) } else { look.stroke };
        self.painted(&contour::open(placed), fill, stroke, placed.rect);
        if is_bare && props.written().is_none() {
            let name = props.name().unwrap_or(placed.node.kind());
            self.label(name, placed.rect);
        }
    }

    /// What lies below text or the members of a group: their `fill` is none.
    fn ground(&mut self, placed: &Placed<'_>, props: Props<'_>) {
        let ground = props
            .get(&["backgroundColor", "background-color", "background"])
            .and_then(Paint::of);
        if let Some(ground) = ground.filter(|ground| !ground.is_clear() && !placed.rect.is_empty()) {
            self.fill_box(&contour::rounded(placed.rect, placed.look.radius), &ground, placed.rect);
        }
    }

    fn line(&mut self, placed: &Placed<'_>) {
        let look = &placed.look;
        let stroke = look.stroke.unwrap_or(Stroke {
            colour: PLACE_INK,
            width: self.unit,
            is_dashed: false,
        });
        let is_closed = placed.points.len() > 3 && placed.points.first() == placed.points.last();
        let fill = look.fill.as_ref().filter(|_| is_closed);
        self.painted(&contour::open(placed), fill, Some(stroke), placed.rect);
        let head = contour::arrow_head(&placed.points, stroke.width);
        if let Some(head) = head.filter(|_| placed.node.kind().eq_ignore_ascii_case("arrow")) {
            let solid = Stroke {
                is_dashed: false,
                ..stroke
            };
            self.painted(&head, None, Some(solid), placed.rect);
        }
    }

    fn group(&mut self, placed: &Placed<'_>, props: Props<'_>) {
        let (rect, unit) = (placed.rect, self.unit);
        self.ground(placed, props);
        self.dashed(rect, &GROUP_EDGE.to_string(), 4.0);
        let name = props.name().unwrap_or(placed.node.id());
        let width = rect.w.max(LABEL * 10.0 * unit);
        let at = (rect.x, rect.y - 4.0 * unit);
        self.letters(&Letters::label(name, at, LABEL * unit, width, Align::Start, GROUP_EDGE));
    }

    /// The place of an image or video, with its id.
    fn place(&mut self, kind: &str, props: Props<'_>, rect: Rect, radius: f64) {
        if rect.is_empty() {
            return self.point(rect);
        }
        let (unit, right, bottom) = (Num(self.unit), Num(rect.x + rect.w), Num(rect.y + rect.h));
        let (x, y) = (Num(rect.x), Num(rect.y));
        let _ = write!(
            self.out,
            "{} fill=\"{PLACE}\" stroke=\"{PLACE_LINES}\" stroke-width=\"{unit}\"/>",
            contour::rounded(rect, radius)
        );
        if kind == "video" {
            let ((x, y), side) = (rect.middle(), rect.w.min(rect.h) / 6.0);
            let corners = [(x - side, y - side), (x + side, y), (x - side, y + side)].map(|(x, y)| (Num(x), Num(y)));
            let [a, b, c] = corners.map(|(x, y)| format!("{x},{y}"));
            let _ = write!(self.out, "<polygon points=\"{a} {b} {c}\" fill=\"{PLACE_LINES}\"/>");
        } else {
            let _ = write!(
                self.out,
                "<path d=\"M{x} {y}L{right} {bottom}M{right} {y}L{x} {bottom}\" stroke=\"{PLACE_LINES}\" stroke-width=\"{unit}\"/>"
            );
        }
        let asset = props.asset().unwrap_or("without asset");
        self.label(&format!("{kind} {}", shown_asset(asset)), rect);
    }

    /// A name in the middle of a box.
    fn label(&mut self, text: &str, rect: Rect) {
        let size = (LABEL * self.unit).min(rect.h * 0.8).max(LABEL_MIN);
        let (x, y) = rect.middle();
        let at = (x, y + size * 0.35);
        self.letters(&Letters::label(text, at, size, rect.w * 0.95, Align::Middle, PLACE_INK));
    }

    /// What has no size is still somewhere.
    fn point(&mut self, rect: Rect) {
        let ((x, y), size) = (rect.middle(), Num(2.0 * self.unit));
        let _ = write!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{size}\" fill=\"{BARE_EDGE}\"/>",
            Num(x),
            Num(y)
        );
    }

    /// What a reader shows when one points at the node.
    fn hint(&mut self, placed: &Placed<'_>) {
        let props = Props(placed.node.props());
        let kind = cut(placed.node.kind(), HINT_CHARS);
        let name = props.name().or(props.written()).unwrap_or(placed.node.id());
        let _ = write!(
            self.out,
            "<title>{} {}</title>",
            Text(&kind),
            Text(&cut(name, HINT_CHARS))
        );
    }
}

/// An asset as it is shown: of data that stands in the page itself only what it is.
fn shown_asset(asset: &str) -> String {
    match asset.strip_prefix("data:") {
        Some(data) => format!(
            "data:{}…",
            cut(data.split([',', ';']).next().unwrap_or_default(), HINT_CHARS)
        ),
        None => cut(asset, HINT_CHARS).into_owned(),
    }
}
