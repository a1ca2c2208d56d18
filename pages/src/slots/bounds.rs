//! The place of a slot, and what it can be.

use recto_projections::canvas::Frame;

use super::SlotError;

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

/// Checks what is asked for, where it is.
pub(super) fn check(at: Option<(f64, f64)>, size: Option<(f64, f64)>) -> Result<(), SlotError> {
    let side = |side: f64| (1.0..=SIDE_MAX).contains(&side);
    let near = |at: f64| at.abs() <= COORDINATE_MAX;
    let fits =
        size.is_none_or(|(width, height)| side(width) && side(height)) && at.is_none_or(|(x, y)| near(x) && near(y));
    if fits { Ok(()) } else { Err(SlotError::BadBounds) }
}

impl From<Bounds> for Frame {
    fn from(bounds: Bounds) -> Self {
        let Bounds { x, y, width, height } = bounds;
        Self { x, y, width, height }
    }
}

impl From<[f64; 4]> for Bounds {
    fn from([x, y, width, height]: [f64; 4]) -> Self {
        Self { x, y, width, height }
    }
}
