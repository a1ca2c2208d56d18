//! Rectangles on a page: where nodes lie, and where there is room.

use recto_projections::DesignValue;
use recto_projections::design::Side;

/// The free space between two images, in px.
pub const GAP: f64 = 24.0;
/// How far a row of images reaches to the right of where it begins, in px.
pub const ROW_WIDTH: f64 = 4096.0;
/// The longest side of a slot, in px.
pub const SIDE_MAX: f64 = 32_768.0;
/// The farthest place of a slot from the origin, in px.
pub const COORDINATE_MAX: f64 = 1_000_000.0;

/// A rectangle, in px of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its left edge.
    pub x: f64,
    /// Its top edge.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Bounds {
    fn right(&self) -> f64 {
        self.x + self.width
    }

    fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Whether two have a point of their insides in common, or come closer than `gap`.
    #[must_use]
    pub fn meets(&self, other: &Self, gap: f64) -> bool {
        self.x < other.right() + gap
            && other.x < self.right() + gap
            && self.y < other.bottom() + gap
            && other.y < self.bottom() + gap
    }

    fn meets_rows(&self, other: &Self, gap: f64) -> bool {
        self.y < other.bottom() + gap && other.y < self.bottom() + gap
    }
}

/// The first free place for a rectangle, going right from `wanted` and then down, row by row.
pub(super) fn free_place(wanted: Bounds, taken: &[Bounds]) -> Bounds {
    let mut place = wanted;
    loop {
        let in_row: Vec<&Bounds> = taken.iter().filter(|other| other.meets_rows(&place, GAP)).collect();
        while let Some(other) = in_row.iter().find(|other| other.meets(&place, GAP)) {
            place.x = (other.right() + GAP).ceil();
        }
        if place.x == wanted.x || place.right() <= wanted.x + ROW_WIDTH {
            return place;
        }
        // Below the one that ends first: every step passes one by, so that there is an end.
        let next = in_row.iter().map(|other| other.bottom()).fold(f64::INFINITY, f64::min);
        place = Bounds {
            x: wanted.x,
            y: (next + GAP).ceil(),
            ..place
        };
    }
}

/// Where the nodes of a page lie. A turned one counts with the circle around it.
pub(super) fn boxes(design: &DesignValue) -> Vec<Bounds> {
    let mut found = Vec::with_capacity(design.len());
    let mut waiting = vec![(None, 0.0, 0.0)];
    while let Some((parent, left, top)) = waiting.pop() {
        for node in design.children_of(parent.as_ref()) {
            let side = |side| node.geometry().get(side).to_f64();
            let bounds = Bounds {
                x: left + side(Side::X),
                y: top + side(Side::Y),
                width: side(Side::Width).max(0.0),
                height: side(Side::Height).max(0.0),
            };
            waiting.push((Some(node.id().clone()), bounds.x, bounds.y));
            if bounds.width > 0.0 && bounds.height > 0.0 {
                found.push(turned(bounds, side(Side::Rotation)));
            }
        }
    }
    found
}

fn turned(bounds: Bounds, degrees: f64) -> Bounds {
    if degrees % 360.0 == 0.0 {
        return bounds;
    }
    let radius = bounds.width.hypot(bounds.height) / 2.0;
    Bounds {
        x: bounds.x + bounds.width / 2.0 - radius,
        y: bounds.y + bounds.height / 2.0 - radius,
        width: 2.0 * radius,
        height: 2.0 * radius,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bounds() -> impl Strategy<Value = Bounds> {
        (-500..4000_i32, -500..900_i32, 1..700_i32, 1..700_i32).prop_map(|(x, y, width, height)| Bounds {
            x: x.into(),
            y: y.into(),
            width: width.into(),
            height: height.into(),
        })
    }

    proptest! {
        #[test]
        fn a_free_place_meets_nothing_and_is_not_before_the_wanted_one(
            wanted in bounds(),
            taken in prop::collection::vec(bounds(), 0..40),
        ) {
            let place = free_place(wanted, &taken);
            prop_assert!(taken.iter().all(|other| !other.meets(&place, GAP)));
            prop_assert!(place.x >= wanted.x && place.y >= wanted.y);
            prop_assert_eq!((place.width, place.height), (wanted.width, wanted.height));
        }

        #[test]
        fn places_of_one_size_come_in_reading_order(
            size in 40..600_i32,
            taken in prop::collection::vec(bounds(), 0..10),
        ) {
            let wanted = Bounds { x: 0.0, y: 0.0, width: size.into(), height: size.into() };
            let (mut taken, mut before) = (taken, None);
            for _ in 0..30 {
                let place = free_place(wanted, &taken);
                taken.push(place);
                prop_assert!(before.is_none_or(|(y, x)| (y, x) < (place.y, place.x)));
                before = Some((place.y, place.x));
            }
        }
    }
}
