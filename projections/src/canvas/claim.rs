//! A free place for one more node: rows from the top left, each place touching no frame of the page's own children.

use super::frame::{Frame, frames};
use crate::design::{DesignValue, Node};
use crate::json::Json;

/// The space between a claimed place and what stands there, in px.
pub const CLAIM_GAP: f64 = 40.0;
/// How wide a row of claimed places is on a page without a width, in px.
pub const CLAIM_ROW: f64 = 4_000.0;
/// The most rows that are tried before a new one is begun below everything.
const ROWS_MAX: usize = 64;

/// Gives the left and top edge for a node of a size on the page itself: the first free place in rows from the top left
/// of what is there. The cost follows the number of nodes.
pub fn claim(value: &DesignValue, width: f64, height: f64) -> (f64, f64) {
    let taken: Vec<Frame> = frames(value)
        .filter(|(node, _)| node.parent().is_none() || is_shown(node))
        .map(|(_, frame)| frame)
        .filter(is_finite)
        .collect();
    let Some(corner) = corner(&taken) else {
        return (0.0, 0.0);
    };
    let row = row_width(value).max(width);
    let mut tops: Vec<f64> = taken.iter().map(|frame| frame.bottom() + CLAIM_GAP).collect();
    tops.push(corner.1);
    tops.sort_by(f64::total_cmp);
    tops.dedup();
    let last = tops.last().copied().unwrap_or_default();
    let free = |top: f64| left_in(&taken, corner.0, row, (width, height), top).map(|left| (left, top));
    tops.into_iter()
        .take(ROWS_MAX)
        .find_map(free)
        .unwrap_or((corner.0, last))
}

/// What has a size covers something; what lies in a group counts by itself, as it may reach out of it.
fn is_shown(node: &Node) -> bool {
    node.kind() != super::GROUP
}

fn is_finite(frame: &Frame) -> bool {
    [frame.x, frame.y, frame.right(), frame.bottom()]
        .iter()
        .all(|number| number.is_finite())
}

fn corner(taken: &[Frame]) -> Option<(f64, f64)> {
    let corners = taken.iter().map(|frame| (frame.x, frame.y));
    corners.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)))
}

fn row_width(value: &DesignValue) -> f64 {
    let dimensions = value.attributes().get("dimensions");
    let width = dimensions
        .and_then(|dimensions| dimensions.get("width"))
        .and_then(Json::as_f64);
    width
        .filter(|width| width.is_finite() && *width > 0.0)
        .unwrap_or(CLAIM_ROW)
}

/// Gives the leftmost free place in a row.
fn left_in(taken: &[Frame], left: f64, row: f64, (width, height): (f64, f64), top: f64) -> Option<f64> {
    let in_row = |frame: &&Frame| frame.y < top + height + CLAIM_GAP && top < frame.bottom() + CLAIM_GAP;
    let mut spans: Vec<(f64, f64)> = taken
        .iter()
        .filter(in_row)
        .map(|frame| (frame.x, frame.right()))
        .collect();
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut at = left;
    for (from, to) in spans {
        if at + width + CLAIM_GAP <= from {
            break;
        }
        at = at.max(to + CLAIM_GAP);
    }
    (at + width <= left + row).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::DesignValue;
    use serde_json::json;

    #[test]
    fn claimed_places_lie_side_by_side_and_touch_nothing() {
        let mut nodes = serde_json::Map::new();
        let mut places: Vec<Frame> = Vec::new();
        for index in 0..40 {
            let value = DesignValue::from_json(&json!({ "nodes": nodes }));
            let Ok(value) = value else { unreachable!("{value:?}") };
            let size = (f64::from(100 + index * 37 % 900), f64::from(100 + index * 53 % 400));
            let (x, y) = claim(&value, size.0, size.1);
            let Some(place) = Frame::new(x, y, size.0, size.1) else {
                unreachable!("it is a box")
            };
            assert!(places.iter().all(|other| !other.meets(&place)), "{index}: {place:?}");
            places.push(place);
            let geometry = json!({ "x": x, "y": y, "width": size.0, "height": size.1 });
            nodes.insert(
                format!("n{index}"),
                json!({ "type": "image", "parentId": null, "geometry": geometry }),
            );
        }
        let rows: std::collections::BTreeSet<String> = places.iter().map(|place| place.y.to_string()).collect();
        assert!((2..20).contains(&rows.len()), "{rows:?}");
    }
}
