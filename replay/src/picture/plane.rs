//! Points, boxes, and how a node's plane lies on the page's.

use std::fmt;

use recto_projections::design::{Geometry, Side};

use super::escape::{COORD_MAX, Num, bounded};

/// A box: the left upper corner, width and height. The sizes are not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

/// A plane on another: turned and moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    cos: f64,
    sin: f64,
    x: f64,
    y: f64,
}

impl Rect {
    /// The box of a geometry in its own plane: its origin is the plane's, unless a size is negative.
    pub(super) fn of(geometry: &Geometry) -> Self {
        let (w, h) = (side(geometry, Side::Width), side(geometry, Side::Height));
        Self {
            x: w.min(0.0),
            y: h.min(0.0),
            w: w.abs(),
            h: h.abs(),
        }
    }

    pub(super) fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// Larger on each side.
    pub(super) fn grown(self, by: f64) -> Self {
        Self::new(
            self.x - by,
            self.y - by,
            (self.w + 2.0 * by).max(0.0),
            (self.h + 2.0 * by).max(0.0),
        )
    }

    /// The box around both.
    pub(super) fn with(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let right = (self.x + self.w).max(other.x + other.w);
        let bottom = (self.y + self.h).max(other.y + other.h);
        Self::new(x, y, right - x, bottom - y)
    }

    pub(super) fn is_empty(self) -> bool {
        self.w <= 0.0 || self.h <= 0.0
    }

    pub(super) fn middle(self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    fn corners(self) -> [(f64, f64); 4] {
        let (right, bottom) = (self.x + self.w, self.y + self.h);
        [(self.x, self.y), (right, self.y), (right, bottom), (self.x, bottom)]
    }
}

impl fmt::Display for Rect {
    /// As the attributes of an element.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, w, h] = [self.x, self.y, self.w, self.h].map(Num);
        write!(out, "x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
    }
}

impl Plane {
    /// The page itself.
    pub(super) const PAGE: Self = Self {
        cos: 1.0,
        sin: 0.0,
        x: 0.0,
        y: 0.0,
    };

    /// The plane of a node that lies in this one: it is turned about the middle of its box.
    pub(super) fn of(self, geometry: &Geometry) -> Self {
        let (x, y) = (side(geometry, Side::X), side(geometry, Side::Y));
        let middle = (side(geometry, Side::Width) / 2.0, side(geometry, Side::Height) / 2.0);
        let turn = (geometry.get(Side::Rotation).to_f64() % 360.0).to_radians();
        let (sin, cos) = if turn == 0.0 { (0.0, 1.0) } else { turn.sin_cos() };
        let local = Self {
            cos,
            sin,
            x: x + middle.0 - cos * middle.0 + sin * middle.1,
            y: y + middle.1 - sin * middle.0 - cos * middle.1,
        };
        let (x, y) = self.point(local.x, local.y);
        Self {
            cos: self.cos * cos - self.sin * sin,
            sin: self.sin * cos + self.cos * sin,
            x: bounded(x),
            y: bounded(y),
        }
    }

    /// Where a point of this plane is on the page.
    pub(super) fn point(self, x: f64, y: f64) -> (f64, f64) {
        (
            self.cos * x - self.sin * y + self.x,
            self.sin * x + self.cos * y + self.y,
        )
    }

    /// The box on the page around a box of this plane.
    pub(super) fn around(self, rect: Rect) -> Rect {
        let points = rect.corners().map(|(x, y)| self.point(x, y));
        let low = points
            .iter()
            .fold((COORD_MAX, COORD_MAX), |low, at| (low.0.min(at.0), low.1.min(at.1)));
        let high = points.iter().fold((-COORD_MAX, -COORD_MAX), |high, at| {
            (high.0.max(at.0), high.1.max(at.1))
        });
        let (x, y) = (bounded(low.0), bounded(low.1));
        Rect::new(x, y, (bounded(high.0) - x).max(0.0), (bounded(high.1) - y).max(0.0))
    }
}

impl fmt::Display for Plane {
    /// As the value of `transform`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (Num(self.x), Num(self.y));
        if self.sin == 0.0 && self.cos == 1.0 {
            return write!(out, "translate({x} {y})");
        }
        // Thousandths would bend what is large.
        let part = |number: f64| (number * 1e6).round() / 1e6 + 0.0;
        let (cos, sin) = (part(self.cos), part(self.sin));
        write!(out, "matrix({cos} {sin} {} {cos} {x} {y})", part(-self.sin))
    }
}

/// A field of a geometry, bounded.
fn side(geometry: &Geometry, side: Side) -> f64 {
    bounded(geometry.get(side).to_f64())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use recto_projections::design::Number;

    fn geometry(sides: [f64; 5]) -> Geometry {
        Geometry::new(sides.map(|side| Number::from_f64(side).unwrap()))
    }

    #[test]
    fn a_node_is_turned_about_its_middle() {
        let plane = Plane::PAGE.of(&geometry([10.0, 20.0, 100.0, 50.0, 90.0]));
        let (x, y) = plane.point(50.0, 25.0);
        assert!((x - 60.0).abs() < 1e-9 && (y - 45.0).abs() < 1e-9, "{x} {y}");
        let (x, y) = plane.point(0.0, 0.0);
        assert!((x - 85.0).abs() < 1e-9 && (y + 5.0).abs() < 1e-9, "{x} {y}");
    }

    #[test]
    fn planes_lie_in_planes_and_stay_bounded() {
        let group = Plane::PAGE.of(&geometry([100.0, 50.0, 10.0, 10.0, 0.0]));
        assert_eq!(
            group.of(&geometry([5.0, 6.0, 1.0, 1.0, 0.0])).to_string(),
            "translate(105 56)"
        );
        let mut plane = Plane::PAGE;
        for _ in 0..1000 {
            plane = plane.of(&geometry([1e300, -1e300, 1e300, 1e300, 45.0]));
            let around = plane.around(Rect::new(0.0, 0.0, 1e6, 1e6));
            assert!(around.w <= 2e6 && around.x >= -1e6, "{around:?}");
        }
    }

    #[test]
    fn a_negative_size_reaches_back() {
        assert_eq!(
            Rect::of(&geometry([0.0, 0.0, -10.0, 4.0, 0.0])),
            Rect::new(-10.0, 0.0, 10.0, 4.0)
        );
    }
}
