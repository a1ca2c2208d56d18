//! How a node looks, as far as its properties say so in usual names.

use recto_projections::design::Node;
use serde_json::Value as Json;

use super::colour::Colour;
use super::escape::COORD_MAX;
use super::paint::Paint;
use super::props::Props;

const FILL: [&str; 6] = [
    "fill",
    "fills",
    "backgroundColor",
    "background-color",
    "background",
    "fillColor",
];
const STROKE: [&str; 6] = [
    "stroke",
    "strokes",
    "strokeColor",
    "borderColor",
    "border-color",
    "outlineColor",
];
const STROKE_WIDTH: [&str; 5] = [
    "strokeWidth",
    "stroke-width",
    "borderWidth",
    "border-width",
    "strokeWeight",
];
const STROKE_STYLE: [&str; 4] = ["strokeStyle", "borderStyle", "border-style", "strokeDasharray"];
const RADIUS: [&str; 6] = [
    "cornerRadius",
    "borderRadius",
    "border-radius",
    "radius",
    "rx",
    "corner-radius",
];
/// A corner that is round in an unsaid measure is so by this part of the shorter side.
const ROUNDNESS: f64 = 0.12;

/// What sort of outline a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Box,
    Ellipse,
    Diamond,
    Triangle,
    Star,
    Hexagon,
    /// Through its points.
    Line,
    Text,
    Image,
    Video,
    Group,
}

/// How a node looks.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) shape: Shape,
    /// `None` where nothing is said; a clear paint is said.
    pub(super) fill: Option<Paint>,
    pub(super) stroke: Option<Stroke>,
    pub(super) radius: f64,
    /// How much the node covers, from 0 to 1, apart from the groups that it lies in.
    pub(super) opacity: f64,
    pub(super) is_hidden: bool,
}

/// How an outline looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub(super) colour: Colour,
    pub(super) width: f64,
    pub(super) is_dashed: bool,
}

impl Look {
    pub(super) fn of(node: &Node) -> Self {
        let props = Props(node.props());
        let shape = Shape::of(node.kind(), props);
        Self {
            shape,
            fill: props.get(&FILL).and_then(Paint::of),
            stroke: Stroke::of(props),
            radius: radius(props, node),
            opacity: opacity(props),
            is_hidden: is_hidden(props),
        }
    }
}

impl Shape {
    fn of(kind: &str, props: Props<'_>) -> Self {
        let kind = kind.to_ascii_lowercase();
        let own = match kind.as_str() {
            // A shape says in a property which one it is.
            "shape" | "polygon" => props.text(&["shape", "shapeType", "kind", "variant"]).unwrap_or(&kind),
            kind => kind,
        };
        let own = own.trim_start_matches("w-").to_ascii_lowercase();
        match own.as_str() {
            "text" | "textbox" | "i-text" => Self::Text,
            "image" | "img" | "photo" => Self::Image,
            "video" => Self::Video,
            "group" => Self::Group,
            "ellipse" | "circle" | "oval" => Self::Ellipse,
            "diamond" | "rhombus" => Self::Diamond,
            "triangle" => Self::Triangle,
            "star" => Self::Star,
            "polygon" | "hexagon" => Self::Hexagon,
            "line" | "arrow" | "freedraw" | "draw" | "polyline" | "connector" => Self::Line,
            _ => Self::Box,
        }
    }
}

impl Stroke {
    fn of(props: Props<'_>) -> Option<Self> {
        let given = props.get(&STROKE);
        let border = props.text(&["border"]).and_then(border);
        let of_map = |name: &str| given.and_then(|json| json.get(name));
        let colour = given.and_then(|json| match Paint::of(json) {
            Some(Paint::Flat(colour)) => Some(colour),
            Some(Paint::Gradient(gradient)) => gradient.stops.first().map(|(_, colour)| *colour),
            None => None,
        });
        let colour = colour.or(border.map(|(_, colour)| colour))?;
        let width = props
            .number(&STROKE_WIDTH)
            .or_else(|| of_map("width").and_then(Json::as_f64))
            .or(border.map(|(width, _)| width))
            .unwrap_or(1.0);
        let style = props.get(&STROKE_STYLE).and_then(Json::as_str).unwrap_or_default();
        Some(Self {
            colour,
            width: width.clamp(0.0, COORD_MAX / 100.0),
            is_dashed: ["dashed", "dotted"].contains(&style),
        })
    }

    /// Whether something of it is seen.
    pub(super) fn is_seen(&self) -> bool {
        self.width > 0.0 && !self.colour.is_clear()
    }
}

/// `1px solid red`.
fn border(text: &str) -> Option<(f64, Colour)> {
    let (width, rest) = text.split_once(' ')?;
    let colour = rest.trim_start().split_once(' ').map_or(rest, |(_, colour)| colour);
    let width: f64 = width.strip_suffix("px")?.parse().ok()?;
    Some((width.is_finite().then_some(width)?, Colour::parse(colour)?))
}

fn radius(props: Props<'_>, node: &Node) -> f64 {
    use recto_projections::design::Side;
    let short = [Side::Width, Side::Height]
        .map(|side| node.geometry().get(side).to_f64().abs())
        .into_iter()
        .fold(COORD_MAX, f64::min);
    let said = match props.get(&RADIUS) {
        Some(Json::String(text)) if text.trim_end().ends_with('%') => {
            let percent: f64 = text.trim().trim_end_matches('%').parse().unwrap_or(0.0);
            Some(percent / 100.0 * short)
        }
        _ => props.number(&RADIUS),
    };
    let round = || props.get(&["roundness"]).map(|_| short * ROUNDNESS);
    said.or_else(round)
        .filter(|radius| radius.is_finite())
        .unwrap_or(0.0)
        .clamp(0.0, short / 2.0)
}

/// Numbers over 1 are percent.
fn opacity(props: Props<'_>) -> f64 {
    let said = props.number(&["opacity"]).unwrap_or(1.0);
    let part = if said > 1.0 { said / 100.0 } else { said };
    part.clamp(0.0, 1.0)
}

fn is_hidden(props: Props<'_>) -> bool {
    let not_visible = props.get(&["visible"]).and_then(Json::as_bool) == Some(false);
    not_visible || props.says(&["hidden", "isHidden", "isDeleted"]) || props.text(&["display"]) == Some("none")
}
