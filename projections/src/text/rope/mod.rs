//! A persistent rope: a B-tree of short texts with attributes and embeds.
//!
//! Every leaf but a lone root holds [`LEAF_MIN`] to [`LEAF_MAX`] units, every branch but the root [`BRANCH_MIN`] to
//! [`BRANCH_MAX`] children, and all leaves lie equally deep. Nodes are shared between versions of a text: a change copies
//! the path that it goes down where somebody else holds it, and changes it in place where nobody does. Each node knows
//! the length, weight and hash of what lies below it.

mod build;
mod edit;
mod iter;
mod join;
mod leaf;
mod node;
mod piece;
mod spans;

pub(super) use build::Builder;
pub(super) use node::Node;
pub use piece::Piece;

use super::hash::UNITS_MAX;

/// The most units of a leaf.
const LEAF_MAX: usize = UNITS_MAX;
/// The fewest units of a leaf that is not the root.
const LEAF_MIN: usize = LEAF_MAX / 4;
/// How many units a leaf gets when a text is built: room to type, and a rest below [`LEAF_MIN`] still fits in.
const LEAF_BUILT: usize = LEAF_MAX - LEAF_MIN;
/// The most children of a branch.
const BRANCH_MAX: usize = 8;
/// The fewest children of a branch that is not the root.
const BRANCH_MIN: usize = BRANCH_MAX / 2;

#[cfg(test)]
mod tests;
