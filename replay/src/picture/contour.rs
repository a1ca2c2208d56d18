//! The outline of a shape, as elements of SVG without their paint.

use std::fmt::Write;

use super::escape::Num;
use super::look::Shape;
use super::placed::Placed;
use super::plane::Rect;

/// The corners of a star, and how deep it is cut in.
const STAR_CORNERS: u32 = 5;
const STAR_DEPTH: f64 = 0.45;
const HEXAGON_CORNERS: u32 = 6;
/// How long the head of an arrow is, in widths of its line and at least in px.
const HEAD: f64 = 4.0;
const HEAD_MIN: f64 = 8.0;
/// The angle between an arrow's line and the lines of its head.
const HEAD_ANGLE: f64 = 0.45;

/// The beginning of the element that outlines a node: what is still to come are more attributes and `/>`.
pub(super) fn open(placed: &Placed<'_>) -> String {
    let rect = placed.rect;
    match placed.look.shape {
        Shape::Ellipse => {
            let ((x, y), rx, ry) = (rect.middle(), rect.w / 2.0, rect.h / 2.0);
            format!(
                "<ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\"",
                Num(x),
                Num(y),
                Num(rx),
                Num(ry)
            )
        }
        Shape::Diamond => polygon(&[
            at(rect, 0.5, 0.0),
            at(rect, 1.0, 0.5),
            at(rect, 0.5, 1.0),
            at(rect, 0.0, 0.5),
        ]),
        Shape::Triangle => polygon(&[at(rect, 0.5, 0.0), at(rect, 1.0, 1.0), at(rect, 0.0, 1.0)]),
        Shape::Star => polygon(&around(rect, 2 * STAR_CORNERS, |corner| {
            if corner % 2 == 0 { 1.0 } else { STAR_DEPTH }
        })),
        Shape::Hexagon => polygon(&around(rect, HEXAGON_CORNERS, |_| 1.0)),
        Shape::Line => format!("<polyline points=\"{}\"", listed(&placed.points)),
        _ => rounded(rect, placed.look.radius),
    }
}

/// A box with round corners.
pub(super) fn rounded(rect: Rect, radius: f64) -> String {
    let mut element = format!("<rect {rect}");
    if radius > 0.0 {
        let _ = write!(element, " rx=\"{}\"", Num(radius));
    }
    element
}

/// The head of an arrow along a line of a width; nothing where the line has no direction.
pub(super) fn arrow_head(points: &[(f64, f64)], width: f64) -> Option<String> {
    let [.., from, tip] = points else { return None };
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = dx.hypot(dy);
    if length <= 0.0 {
        return None;
    }
    let size = (width * HEAD).max(HEAD_MIN).min(length);
    let angle = dy.atan2(dx);
    let side = |turn: f64| {
        let (sin, cos) = (angle + turn).sin_cos();
        (tip.0 - size * cos, tip.1 - size * sin)
    };
    Some(format!(
        "<polyline points=\"{}\"",
        listed(&[side(HEAD_ANGLE), *tip, side(-HEAD_ANGLE)])
    ))
}

fn at(rect: Rect, x: f64, y: f64) -> (f64, f64) {
    (rect.x + rect.w * x, rect.y + rect.h * y)
}

/// Corners around the middle, the first at the top; `reach` says how far out each is, up to 1.
fn around(rect: Rect, corners: u32, reach: impl Fn(u32) -> f64) -> Vec<(f64, f64)> {
    (0..corners)
        .map(|corner| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(corner) / f64::from(corners)).sin_cos();
            let reach = reach(corner) / 2.0;
            at(rect, 0.5 + sin * reach, 0.5 - cos * reach)
        })
        .collect()
}

fn polygon(points: &[(f64, f64)]) -> String {
    format!("<polygon points=\"{}\"", listed(points))
}

fn listed(points: &[(f64, f64)]) -> String {
    let points: Vec<_> = points.iter().map(|(x, y)| format!("{},{}", Num(*x), Num(*y))).collect();
    points.join(" ")
}
