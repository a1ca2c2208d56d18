//! A run: a stretch of text, or an embed, with one fate throughout.

use super::fates::NONE;
use super::source::Slice;

/// A run. Its number is its place in the vector of all runs; where it lies in the text, [`Order`](super::order::Order)
/// knows.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) slice: Slice,
    /// How many UTF-16 units it has when it shows.
    pub(super) units: u32,
    pub(super) fate: u32,
    /// The runs before and behind it under the same fate, in no order that means anything.
    pub(super) previous: u32,
    pub(super) next: u32,
}

impl Run {
    pub(super) fn new(slice: Slice, units: u32, fate: u32) -> Self {
        Self {
            slice,
            units,
            fate,
            previous: NONE,
            next: NONE,
        }
    }
}
