//! Changing a rope: in place inside a leaf where that suffices, by cutting and joining where not.

use std::mem;
use std::sync::Arc;

use super::build::Builder;
use super::leaf::Leaf;
use super::node::{Body, Node};
use super::piece::Piece;
use super::{LEAF_MAX, LEAF_MIN};
use crate::text::attributes::Attributes;
use crate::text::delta::TextDelta;

impl Node {
    /// Puts a piece in.
    pub(in crate::text) fn insert(&mut self, at: usize, piece: Piece<'_>) {
        let fits = |leaf: &Leaf, _| leaf.units() + piece.units <= LEAF_MAX;
        if self.in_leaf(at, at, true, &fits, |leaf, at, _| leaf.insert(at, piece)) {
            return;
        }
        let mut middle = Builder::default();
        middle.push(piece);
        let (left, right) = mem::replace(self, Self::empty()).split(at);
        *self = left.concat(middle.finish()).concat(right);
    }

    /// Takes a range out, and adds what was there to the inverse.
    pub(in crate::text) fn remove(&mut self, start: usize, end: usize, mut inverse: Option<&mut TextDelta>) {
        let fits = |leaf: &Leaf, root| root || leaf.units() - (end - start) >= LEAF_MIN;
        let remove = |leaf: &mut Leaf, start, end| leaf.remove(start, end, inverse.as_deref_mut());
        if self.in_leaf(start, end, true, &fits, remove) {
            return;
        }
        let (left, rest) = mem::replace(self, Self::empty()).split(start);
        let (middle, right) = rest.split(end - start);
        if let Some(inverse) = inverse {
            middle
                .pieces(0, end - start)
                .for_each(|piece| inverse.push(piece.to_insert()));
        }
        *self = left.concat(right);
    }

    /// Lays a patch over the attributes of a range, and adds the patches that take it back to the inverse.
    pub(in crate::text) fn format(
        &mut self,
        start: usize,
        end: usize,
        patch: &Attributes,
        mut inverse: Option<&mut TextDelta>,
    ) {
        match &mut self.body {
            Body::Leaf(leaf) => {
                let leaf = Arc::make_mut(leaf);
                leaf.format(start, end, patch, inverse);
                self.summary = leaf.summary();
            }
            Body::Branch(branch) => {
                let mut at = 0;
                for child in Arc::make_mut(&mut branch.children) {
                    let next = at + child.units();
                    let (from, to) = (start.max(at), end.min(next));
                    if from < to {
                        child.format(from - at, to - at, patch, inverse.as_deref_mut());
                    }
                    at = next;
                }
                self.summary = branch.summary();
            }
        }
    }

    /// Changes the one leaf that holds a whole range, if there is one and it stays within its limits; says whether.
    fn in_leaf(
        &mut self,
        start: usize,
        end: usize,
        root: bool,
        fits: &impl Fn(&Leaf, bool) -> bool,
        change: impl FnOnce(&mut Leaf, usize, usize),
    ) -> bool {
        match &mut self.body {
            Body::Leaf(leaf) => {
                if !fits(leaf, root) {
                    return false;
                }
                let leaf = Arc::make_mut(leaf);
                change(leaf, start, end);
                self.summary = leaf.summary();
            }
            Body::Branch(branch) => {
                let Some((index, at)) = branch.find(start, end) else {
                    return false;
                };
                let child = &mut Arc::make_mut(&mut branch.children)[index];
                let old = child.summary;
                if !child.in_leaf(start - at, end - at, false, fits, change) {
                    return false;
                }
                self.summary = branch.resummed(self.summary, index, old);
            }
        }
        true
    }
}
