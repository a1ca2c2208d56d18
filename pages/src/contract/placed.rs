//! An image node: what it is made of, and where it comes to lie.

use recto_projections::canvas::claim;
use recto_projections::design::{DesignOp, DesignValue, Geometry, NewNode, Number, Placement, Position};
use recto_projections::{Delta, Json};
use serde_json::Map;

use super::image::Bounds;

/// The type of an image node.
pub(super) const IMAGE: &str = "image";
/// The property that names its asset.
pub(super) const ASSET: &str = "assetId";
/// The size of an image of which none is given, in px.
const SIDE: f64 = 512.0;

/// Makes the delta that adds an image on top of the page: at its bounds, or at a free place.
pub(super) fn adding(value: &DesignValue, node: &str, asset: &str, bounds: &Bounds) -> Delta {
    let (width, height) = bounds.size.unwrap_or((SIDE, SIDE));
    let (x, y) = bounds.place.unwrap_or_else(|| claim(value, width, height));
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
