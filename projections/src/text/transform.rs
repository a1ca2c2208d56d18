//! Operational transformation: rewriting a delta so that it applies after another made at the same time.

use super::attributes::Attributes;
use super::cursor::{Cursor, Piece};
use super::delta::TextDelta;
use super::op::TextOp;

impl TextDelta {
    /// Rewrites `other`, made over the same text as `self`, so that it applies after `self`.
    ///
    /// With `self_first`, `self` keeps what both set, and of two inserts at one place its own comes first. Both orders
    /// meet: `self` then `self.transform(other, true)` is `other` then `other.transform(self, false)`.
    #[must_use]
    pub fn transform(&self, other: &Self, self_first: bool) -> Self {
        let mut ours = Cursor::new(self.ops());
        let mut theirs = Cursor::new(other.ops());
        let mut transformed = Self::new();
        while !(ours.is_done() && theirs.is_done()) {
            if ours.peek().is_insert() && (self_first || !theirs.peek().is_insert()) {
                transformed.push(TextOp::Retain {
                    len: ours.next().len(),
                    attributes: None,
                });
            } else if theirs.peek().is_insert() {
                transformed.push(theirs.next().to_op());
            } else {
                let len = ours.peek().len().min(theirs.peek().len());
                // Neither piece is an insert, so neither can be cut inside a pair.
                let (Ok(our), Ok(their)) = (ours.take(len), theirs.take(len)) else {
                    break;
                };
                transformed.extend(beside(our, their, self_first));
            }
        }
        transformed.chop()
    }

    /// Moves a place in the text along with this delta. With `self_first`, an insert right at the place leaves it
    /// where it is; without, it pushes it on.
    #[must_use]
    pub fn transform_position(&self, at: usize, self_first: bool) -> usize {
        let mut place = at;
        let mut passed = 0;
        for op in self.ops() {
            if passed > place {
                break;
            }
            let len = op.len();
            match op {
                TextOp::Delete { .. } => place -= len.min(place - passed),
                TextOp::Insert { .. } => {
                    if passed < place || !self_first {
                        place = place.saturating_add(len);
                    }
                    passed = passed.saturating_add(len);
                }
                TextOp::Retain { .. } => passed = passed.saturating_add(len),
            }
        }
        place
    }

    fn extend(&mut self, op: Option<TextOp>) {
        if let Some(op) = op {
            self.push(op);
        }
    }
}

/// What becomes of their piece beside ours, equally long; neither is an insert.
fn beside(our: Piece<'_>, their: Piece<'_>, our_first: bool) -> Option<TextOp> {
    match (our, their) {
        (Piece::Delete { .. }, _) => None,
        (_, Piece::Delete { len }) => Some(TextOp::Delete { len }),
        (our, their) => Some(TextOp::Retain {
            len: their.len(),
            attributes: Attributes::transform(our.attributes(), their.attributes(), our_first),
        }),
    }
}
