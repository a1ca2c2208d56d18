//! Going over a rope's leaves and pieces.

use std::slice;

use super::leaf::Leaf;
use super::node::{Body, Node};
use super::piece::Piece;

/// The leaves of a rope from one of them on.
pub(super) struct Leaves<'a> {
    /// What is still to come, the nearest last.
    stack: Vec<slice::Iter<'a, Node>>,
}

impl<'a> Iterator for Leaves<'a> {
    type Item = &'a Leaf;

    fn next(&mut self) -> Option<&'a Leaf> {
        while let Some(nodes) = self.stack.last_mut() {
            match nodes.next().map(|node| &node.body) {
                Some(Body::Leaf(leaf)) => return Some(leaf),
                Some(Body::Branch(branch)) => self.stack.push(branch.children.iter()),
                None => drop(self.stack.pop()),
            }
        }
        None
    }
}

impl Node {
    /// Goes over the pieces between two places, in order. Neighbours can have the same attributes: a piece ends with its
    /// leaf.
    pub(in crate::text) fn pieces<'a>(&'a self, start: usize, end: usize) -> impl Iterator<Item = Piece<'a>> {
        let (leaves, mut at) = self.leaves_from(start);
        let of_leaf = move |leaf: &'a Leaf| {
            let begin = at;
            at += leaf.units();
            let from = start.saturating_sub(begin);
            (begin < end).then(|| leaf.pieces(from, end - begin))
        };
        leaves.map_while(of_leaf).flatten()
    }

    /// Goes over the text of the leaves.
    pub(in crate::text) fn chunks(&self) -> impl Iterator<Item = &str> {
        self.leaves_from(0).0.map(Leaf::text)
    }

    /// Returns the leaves from the one that holds a place, and where that one begins.
    fn leaves_from(&self, place: usize) -> (Leaves<'_>, usize) {
        let mut stack = vec![slice::from_ref(self).iter()];
        let (mut node, mut begin) = (self, 0);
        while let Body::Branch(branch) = &node.body {
            let Some((index, at)) = branch.find(place - begin, place - begin) else {
                // Past the end nothing is to come.
                return (Leaves { stack: Vec::new() }, begin);
            };
            if let Some(siblings) = stack.last_mut() {
                siblings.next();
            }
            stack.push(branch.children[index..].iter());
            node = &branch.children[index];
            begin += at;
        }
        (Leaves { stack }, begin)
    }
}
