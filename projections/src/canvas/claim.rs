//! A free place for one more node: rows from where it is wanted, each place touching nothing that is taken.

use super::frame::{Frame, frames};
use crate::design::{DesignValue, Node};
use crate::json::Json;

/// The space between a claimed place and what is taken, in px.
pub const CLAIM_GAP: f64 = 40.0;
/// How wide a row of claimed places is on a page without a width, in px.
pub const CLAIM_ROW: f64 = 4_000.0;
/// The most rows that are tried at the top, and again at the bottom, before a new one is begun below everything.
const ROWS_MAX: usize = 64;

/// Gives what covers something of a page: its own children, and what lies in them at any depth.
pub fn covered(value: &DesignValue) -> Vec<Frame> {
    let found = frames(value).filter(|(node, frame)| is_shown(node) && frame.covers());
    found.map(|(_, frame)| frame).filter(is_finite).collect()
}

/// Gives how wide a row is: as wide as the page, where it has a width.
pub fn row_width(value: &DesignValue) -> f64 {
    let dimensions = value.attributes().get("dimensions");
    let width = dimensions
        .and_then(|dimensions| dimensions.get("width"))
        .and_then(Json::as_f64);
    width
        .filter(|width| width.is_finite() && *width > 0.0)
        .unwrap_or(CLAIM_ROW)
}

/// Gives the left and top edge of everything together.
pub fn corner(taken: &[Frame]) -> Option<(f64, f64)> {
    let corners = taken.iter().map(|frame| (frame.x, frame.y));
    corners.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)))
}

/// Gives the first free place for a box: going right from `wanted`, no farther than `row`, and then down, row by row.
/// The cost follows the number of frames.
pub fn claim(taken: &[Frame], wanted: Frame, row: f64) -> Frame {
    let below = |frame: &Frame| (frame.bottom() + CLAIM_GAP).ceil();
    let mut tops: Vec<f64> = taken.iter().map(below).filter(|top| *top > wanted.y).collect();
    tops.push(wanted.y);
    tops.sort_by(f64::total_cmp);
    tops.dedup();
    let last = tops.last().copied().unwrap_or(wanted.y);
    let bottom = tops.len().saturating_sub(ROWS_MAX).max(ROWS_MAX);
    let tried = tops.iter().take(ROWS_MAX).chain(tops.iter().skip(bottom));
    let free = |top: &f64| left_in(taken, wanted, row, *top).map(|left| (left, *top));
    let (x, y) = tried.into_iter().find_map(free).unwrap_or((wanted.x, last));
    Frame { x, y, ..wanted }
}

/// What lies in a group counts by itself, as it may reach out of it; a group of the page itself counts as it stands.
fn is_shown(node: &Node) -> bool {
    node.parent().is_none() || node.kind() != super::GROUP
}

fn is_finite(frame: &Frame) -> bool {
    [frame.x, frame.y, frame.right(), frame.bottom()]
        .iter()
        .all(|number| number.is_finite())
}

/// Gives the leftmost free place in a row. The first one is free of the limit, so that there is an end.
fn left_in(taken: &[Frame], wanted: Frame, row: f64, top: f64) -> Option<f64> {
    let in_row = |frame: &&Frame| frame.y < top + wanted.height + CLAIM_GAP && top < frame.bottom() + CLAIM_GAP;
    let mut spans: Vec<(f64, f64)> = taken
        .iter()
        .filter(in_row)
        .map(|frame| (frame.x, frame.right()))
        .collect();
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut at = wanted.x;
    for (from, to) in spans {
        if at + wanted.width + CLAIM_GAP <= from {
            break;
        }
        at = at.max((to + CLAIM_GAP).ceil());
    }
    (at == wanted.x || at + wanted.width <= wanted.x + row).then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame() -> impl Strategy<Value = Frame> {
        (-500..4000_i32, -500..900_i32, 1..700_i32, 1..700_i32).prop_map(|(x, y, width, height)| Frame {
            x: x.into(),
            y: y.into(),
            width: width.into(),
            height: height.into(),
        })
    }

    fn is_apart(one: &Frame, other: &Frame) -> bool {
        let grown = Frame {
            x: one.x - CLAIM_GAP,
            y: one.y - CLAIM_GAP,
            width: one.width + 2.0 * CLAIM_GAP,
            height: one.height + 2.0 * CLAIM_GAP,
        };
        grown.x >= other.right() || other.x >= grown.right() || grown.y >= other.bottom() || other.y >= grown.bottom()
    }

    proptest! {
        #[test]
        fn a_free_place_meets_nothing_and_is_not_before_the_wanted_one(
            wanted in frame(),
            row in 1..5000_i32,
            taken in prop::collection::vec(frame(), 0..200),
        ) {
            let place = claim(&taken, wanted, row.into());
            prop_assert!(taken.iter().all(|other| is_apart(other, &place)));
            prop_assert!(place.x >= wanted.x && place.y >= wanted.y);
            prop_assert_eq!((place.width, place.height), (wanted.width, wanted.height));
        }

        #[test]
        fn places_of_one_size_come_in_reading_order(
            size in 40..600_i32,
            taken in prop::collection::vec(frame(), 0..10),
        ) {
            const PLACES: u32 = 200;
            let wanted = Frame { x: 0.0, y: 0.0, width: size.into(), height: size.into() };
            let side = wanted.width + CLAIM_GAP;
            // Each thing that is in the way can shift a part of a row, in which one place less fits then.
            let lost = taken.len() as f64 + 1.0;
            let at_once = ((CLAIM_ROW / side).floor() - lost).max(1.0);
            let deepest = taken.iter().map(Frame::bottom).fold(0.0, f64::max) + CLAIM_GAP;
            let (mut taken, mut before) = (taken, None);
            for _ in 0..PLACES {
                let place = claim(&taken, wanted, CLAIM_ROW);
                taken.push(place);
                prop_assert!(before.is_none_or(|(y, x)| (y, x) < (place.y, place.x)));
                before = Some((place.y, place.x));
            }
            let rows = (f64::from(PLACES) / at_once).ceil() + 2.0;
            prop_assert!(before.is_some_and(|(y, _)| y <= deepest + rows * side), "{:?}, {} rows", before, rows);
        }
    }
}
