//! Building a rope from pieces, front to back.

use super::leaf::Leaf;
use super::node::Node;
use super::piece::Piece;
use super::{BRANCH_MAX, LEAF_BUILT};

/// A rope under construction.
#[derive(Default)]
pub(in crate::text) struct Builder {
    done: Vec<Leaf>,
    last: Option<Leaf>,
}

impl Builder {
    /// Adds a piece at the end.
    pub(in crate::text) fn push(&mut self, mut piece: Piece<'_>) {
        while piece.units > 0 {
            let last = self.last.get_or_insert_with(Leaf::new);
            let room = LEAF_BUILT - last.units();
            let mut cut = piece.units.min(room);
            // A pair is never cut. There is room for two units at least, so that something always goes in.
            if !piece.is_boundary(cut) {
                cut -= 1;
            }
            last.insert(last.units(), piece.part(0, cut));
            piece = piece.part(cut, piece.units);
            if last.units() + 1 >= LEAF_BUILT {
                self.done.extend(self.last.take());
            }
        }
    }

    /// Makes the rope.
    pub(in crate::text) fn finish(mut self) -> Node {
        if let Some(last) = self.last.take() {
            match self.done.last_mut() {
                Some(leaf) if !last.is_full_enough() => leaf.append(last),
                _ => self.done.push(last),
            }
        }
        let mut nodes: Vec<Node> = self.done.into_iter().map(Node::leaf).collect();
        while nodes.len() > 1 {
            nodes = group(nodes);
        }
        nodes.pop().unwrap_or_else(Node::empty)
    }
}

/// Puts nodes below as few branches as will hold them, evenly.
fn group(nodes: Vec<Node>) -> Vec<Node> {
    let (count, branches) = (nodes.len(), nodes.len().div_ceil(BRANCH_MAX));
    let mut nodes = nodes.into_iter();
    (0..branches)
        .map(|index| {
            let size = (index + 1) * count / branches - index * count / branches;
            Node::branch(nodes.by_ref().take(size).collect())
        })
        .collect()
}
