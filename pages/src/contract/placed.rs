//! An image node: what it is made of, and where it comes to lie.

use recto_projections::canvas::{Frame, claim, corner, covered, row_width};
use recto_projections::design::{DesignOp, DesignValue, Geometry, NewNode, Number, Placement, Position};
use recto_projections::{Delta, Json};
use serde_json::Map;

/// The type of an image node.
pub(super) const IMAGE: &str = "image";
/// The property that names its asset.
pub(super) const ASSET: &str = "assetId";

/// Where an image is to lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wanted {
    /// There.
    At(f64, f64),
    /// There, or at the next free place.
    Near(f64, f64),
    /// At a free place.
    Anywhere,
}

/// Gives the left and top edge for an image: what is claimed meets no node, and no place that is held for another one.
pub(crate) fn placed(value: &DesignValue, held: Vec<Frame>, wanted: Wanted, size: (f64, f64)) -> (f64, f64) {
    let mut taken = held;
    let near = match wanted {
        Wanted::At(x, y) => return (x, y),
        Wanted::Near(x, y) => Some((x.floor(), y.floor())),
        Wanted::Anywhere => None,
    };
    taken.extend(covered(value));
    let (x, y) = near.or_else(|| corner(&taken)).unwrap_or_default();
    let (width, height) = size;
    let place = claim(&taken, Frame { x, y, width, height }, row_width(value).max(width));
    (place.x, place.y)
}

/// Makes the delta that adds an image on top of the page.
pub(super) fn adding(node: &str, asset: &str, (x, y): (f64, f64), (width, height): (f64, f64)) -> Delta {
    let mut props = Map::new();
    props.insert(ASSET.into(), Json::from(asset));
    let number = |side: f64| Number::from_f64(side).unwrap_or(Number::ZERO);
    Delta::Design(vec![DesignOp::AddNode {
        node: NewNode {
            id: node.into(),
            kind: IMAGE.into(),
            parent: None,
            geometry: Geometry::new([x, y, width, height, 0.0].map(number)),
            props,
        },
        position: Position::Placed(Placement::Last),
        siblings: None,
    }])
}
