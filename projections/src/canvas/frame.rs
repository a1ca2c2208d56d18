//! Frames: the boxes of nodes in the coordinates of the page.

use crate::design::{DesignValue, Geometry, Node, Side};

/// A box on the page, in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The left edge.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    /// The width, not negative.
    pub width: f64,
    /// The height, not negative.
    pub height: f64,
}

/// Where a point of a node comes to lie on the page: `(a·x + c·y + e, b·x + d·y + f)`.
#[derive(Clone, Copy)]
struct Turn {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Frame {
    /// Takes four numbers; nothing unless they are finite, and the size is not negative.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Option<Frame> {
        let finite = [x, y, width, height].iter().all(|number| number.is_finite());
        (finite && width >= 0.0 && height >= 0.0).then_some(Frame { x, y, width, height })
    }

    /// Gives the right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Gives the bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Says whether it is more than a point.
    pub fn covers(&self) -> bool {
        self.width > 0.0 || self.height > 0.0
    }

    /// Says whether two boxes have a point in common; their edges count.
    pub fn meets(&self, other: &Frame) -> bool {
        self.x <= other.right() && other.x <= self.right() && self.y <= other.bottom() && other.y <= self.bottom()
    }
}

/// Goes over all nodes with their frames, parents before their children, siblings in their order.
pub fn frames(value: &DesignValue) -> impl Iterator<Item = (&Node, Frame)> {
    let mut open = vec![(Turn::NONE, value.children_of(None))];
    std::iter::from_fn(move || {
        loop {
            let (turn, children) = open.last_mut()?;
            let turn = *turn;
            match children.next() {
                Some(node) => {
                    let own = turn.then(node.geometry());
                    open.push((own, value.children_of(Some(node.id()))));
                    return Some((node, own.frame(node.geometry())));
                }
                None => drop(open.pop()),
            }
        }
    })
}

impl Turn {
    const NONE: Turn = Turn {
        a: 1.0,
        b: 0.0,
        c: 0.0,
        d: 1.0,
        e: 0.0,
        f: 0.0,
    };

    /// Goes on to a node that lies in what this leads to.
    fn then(self, geometry: &Geometry) -> Turn {
        let side = |side| geometry.get(side).to_f64();
        let (sin, cos) = side(Side::Rotation).to_radians().sin_cos();
        let (half_width, half_height) = (side(Side::Width) / 2.0, side(Side::Height) / 2.0);
        // To the middle, turned, and back to the corner.
        let (x, y) = (side(Side::X) + half_width, side(Side::Y) + half_height);
        let e = x - cos * half_width + sin * half_height;
        let f = y - sin * half_width - cos * half_height;
        Turn {
            a: self.a * cos + self.c * sin,
            b: self.b * cos + self.d * sin,
            c: self.c * cos - self.a * sin,
            d: self.d * cos - self.b * sin,
            e: self.a * e + self.c * f + self.e,
            f: self.b * e + self.d * f + self.f,
        }
    }

    fn frame(self, geometry: &Geometry) -> Frame {
        let (width, height) = (
            geometry.get(Side::Width).to_f64().max(0.0),
            geometry.get(Side::Height).to_f64().max(0.0),
        );
        let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
        let corners = corners.map(|(x, y)| (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f));
        let bounds = |of: fn((f64, f64)) -> f64| {
            let all = corners.map(of);
            let low = all.into_iter().fold(f64::INFINITY, f64::min);
            (low, all.into_iter().fold(f64::NEG_INFINITY, f64::max) - low)
        };
        let ((x, width), (y, height)) = (bounds(|corner| corner.0), bounds(|corner| corner.1));
        Frame { x, y, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_frame_is_the_box_around_the_turned_corners() {
        let value = DesignValue::from_json(&json!({ "nodes": {
            "g": { "type": "group", "parentId": null, "geometry": { "x": 100, "y": 50, "width": 40, "height": 20, "rotation": 90 } },
            "n": { "type": "shape", "parentId": "g", "geometry": { "x": 30, "y": 0, "width": 10, "height": 20 } },
        }}));
        let Ok(value) = value else { unreachable!("{value:?}") };
        let found: Vec<[i64; 4]> = frames(&value)
            .map(|(_, frame)| [frame.x, frame.y, frame.width, frame.height].map(rounded))
            .collect();
        // The group turns around (120, 60); the right end of it comes to lie at the bottom.
        assert_eq!(found, [[110, 40, 20, 40], [110, 70, 20, 10]]);
    }

    fn rounded(number: f64) -> i64 {
        format!("{number:.0}").parse().unwrap_or(i64::MAX)
    }

    #[test]
    fn boxes_meet_where_they_share_a_point() {
        let frame = |x, y, width, height| Frame::new(x, y, width, height);
        let (Some(one), Some(edge), Some(apart)) = (
            frame(0.0, 0.0, 10.0, 10.0),
            frame(10.0, 10.0, 0.0, 5.0),
            frame(10.5, 0.0, 5.0, 5.0),
        ) else {
            unreachable!("they are boxes")
        };
        assert!(one.meets(&edge) && edge.meets(&one) && !one.meets(&apart));
        assert_eq!(frame(0.0, 0.0, -1.0, 1.0), None);
        assert_eq!(frame(f64::NAN, 0.0, 1.0, 1.0), None);
    }
}
