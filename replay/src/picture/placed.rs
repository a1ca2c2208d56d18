//! Where the nodes of a page lie on it, in the order in which they are drawn.

use recto_projections::DesignValue;
use recto_projections::design::{Id, Node};
use serde_json::Value as Json;

use super::escape::COORD_MAX;
use super::look::{Look, Shape};
use super::plane::{Plane, Rect};
use super::props::number;

/// The size of a page that says none and has no node, in px.
const EMPTY: Rect = Rect {
    x: 0.0,
    y: 0.0,
    w: 800.0,
    h: 600.0,
};
/// What is left free around the nodes of a whiteboard: this part of its longer side.
const MARGIN: f64 = 0.03;
/// The smallest side of a picture, in px.
const SIDE_MIN: f64 = 1.0;
/// The most points of a line that are drawn; of more, every second one or fewer.
const POINTS_MAX: usize = 2_000;

/// A node with its place on the page.
pub(super) struct Placed<'a> {
    pub(super) node: &'a Node,
    pub(super) look: Look,
    pub(super) plane: Plane,
    /// Its box in its own plane.
    pub(super) rect: Rect,
    /// How much it covers, with the groups that it lies in.
    pub(super) opacity: f64,
    /// Whether it is hidden, or a group that it lies in.
    pub(super) is_hidden: bool,
    /// Where a line runs, in the node's plane; empty for other shapes.
    pub(super) points: Vec<(f64, f64)>,
}

/// The nodes of a page, parents before their children, siblings in their order; of more than `max` the first ones.
pub(super) fn place(page: &DesignValue, max: usize) -> Vec<Placed<'_>> {
    struct Open<'a> {
        id: &'a Id,
        plane: Plane,
        opacity: f64,
        is_hidden: bool,
    }
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut all = Vec::with_capacity(page.len().min(max));
    for node in page.tree().take(max) {
        while open.last().is_some_and(|top| Some(top.id) != node.parent()) {
            open.pop();
        }
        let (plane, opacity, is_hidden) = open
            .last()
            .map_or((Plane::PAGE, 1.0, false), |top| (top.plane, top.opacity, top.is_hidden));
        let placed = Placed::of(node, plane, opacity, is_hidden);
        open.push(Open {
            id: node.id(),
            plane: placed.plane,
            opacity: placed.opacity,
            is_hidden: placed.is_hidden,
        });
        all.push(placed);
    }
    all
}

/// What of the plane is shown: the page, or of a whiteboard what its nodes take.
pub(super) fn frame(page: &DesignValue, nodes: &[Placed<'_>]) -> Rect {
    if let Some(frame) = dimensions(page) {
        return frame;
    }
    let boxes = nodes.iter().map(Placed::around);
    let Some(around) = boxes
        .reduce(Rect::with)
        .filter(|around| around.w > 0.0 || around.h > 0.0)
    else {
        return EMPTY;
    };
    let frame = around.grown((around.w.max(around.h) * MARGIN).max(SIDE_MIN));
    Rect::new(
        frame.x.floor(),
        frame.y.floor(),
        frame.w.ceil().max(SIDE_MIN),
        frame.h.ceil().max(SIDE_MIN),
    )
}

/// What a page says about its size.
fn dimensions(page: &DesignValue) -> Option<Rect> {
    if page.attributes().get("presetId").and_then(Json::as_str) == Some("whiteboard") {
        return None;
    }
    let dimensions = page.attributes().get("dimensions")?;
    let side = |name: &str| dimensions.get(name).and_then(number).filter(|side| *side > 0.0);
    let (w, h) = (side("width")?, side("height")?);
    Some(Rect::new(
        0.0,
        0.0,
        w.clamp(SIDE_MIN, COORD_MAX),
        h.clamp(SIDE_MIN, COORD_MAX),
    ))
}

impl<'a> Placed<'a> {
    fn of(node: &'a Node, parent: Plane, opacity: f64, is_hidden: bool) -> Self {
        let look = Look::of(node);
        let rect = Rect::of(node.geometry());
        Self {
            plane: parent.of(node.geometry()),
            opacity: opacity * look.opacity,
            is_hidden: is_hidden || look.is_hidden,
            points: if look.shape == Shape::Line {
                points(node, rect)
            } else {
                Vec::new()
            },
            look,
            rect,
            node,
        }
    }

    /// The box on the page around all of it.
    pub(super) fn around(&self) -> Rect {
        let own = self.plane.around(self.rect);
        let points = self.points.iter().map(|(x, y)| {
            let (x, y) = self.plane.point(*x, *y);
            Rect::new(x.clamp(-COORD_MAX, COORD_MAX), y.clamp(-COORD_MAX, COORD_MAX), 0.0, 0.0)
        });
        points.fold(own, Rect::with)
    }
}

/// The points of a line as they are stored, or from corner to corner.
fn points(node: &Node, rect: Rect) -> Vec<(f64, f64)> {
    let stored = node.props().get("points").and_then(Json::as_array);
    let count = stored.map_or(0, Vec::len);
    let step = count / POINTS_MAX + 1;
    let mut points: Vec<_> = stored.into_iter().flatten().step_by(step).filter_map(point).collect();
    if let (true, Some(last)) = (step > 1, stored.and_then(|all| point(all.last()?))) {
        points.push(last);
    }
    if points.len() < 2 {
        points = vec![(rect.x, rect.y), (rect.x + rect.w, rect.y + rect.h)];
    }
    points
}

/// `[x, y]` or `{x, y}`.
fn point(json: &Json) -> Option<(f64, f64)> {
    let (x, y) = match json {
        Json::Array(pair) => (pair.first()?, pair.get(1)?),
        Json::Object(map) => (map.get("x")?, map.get("y")?),
        _ => return None,
    };
    let bounded = |json: &Json| number(json).map(|number| number.clamp(-COORD_MAX, COORD_MAX));
    Some((bounded(x)?, bounded(y)?))
}
