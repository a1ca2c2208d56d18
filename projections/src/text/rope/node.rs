//! A node of the rope, and what it knows about all that lies below it.

use std::sync::Arc;

use super::leaf::Leaf;
use crate::text::hash::Poly;

/// A subtree. A clone is a reference count.
#[derive(Debug, Clone)]
pub(in crate::text) struct Node {
    pub(super) summary: Summary,
    pub(super) body: Body,
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    Leaf(Arc<Leaf>),
    Branch(Branch),
}

/// A node with children, all of them one level lower. A clone is a reference count.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) height: usize,
    /// Held in one piece, so that going down reads as little memory as can be.
    pub(super) children: Arc<[Node]>,
}

/// What a subtree's text is known by.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct Summary {
    /// UTF-16 code units.
    pub(in crate::text) units: usize,
    /// Surrogate pairs.
    pub(in crate::text) pairs: usize,
    /// About how many bytes of memory it holds.
    pub(in crate::text) weight: usize,
    pub(in crate::text) poly: Poly,
}

impl Summary {
    pub(super) const EMPTY: Self = Self {
        units: 0,
        pairs: 0,
        weight: 0,
        poly: Poly::EMPTY,
    };
}

impl Node {
    /// Makes an empty text.
    pub(in crate::text) fn empty() -> Self {
        Self::leaf(Leaf::new())
    }

    pub(super) fn leaf(leaf: Leaf) -> Self {
        Self {
            summary: leaf.summary(),
            body: Body::Leaf(Arc::new(leaf)),
        }
    }

    /// Makes a branch of nodes that are equally high. At least one.
    pub(super) fn branch(children: Vec<Self>) -> Self {
        let height = 1 + children.first().map_or(0, Self::height);
        let branch = Branch {
            height,
            children: children.into(),
        };
        Self {
            summary: branch.summary(),
            body: Body::Branch(branch),
        }
    }

    pub(in crate::text) fn summary(&self) -> Summary {
        self.summary
    }

    pub(super) fn units(&self) -> usize {
        self.summary.units
    }

    /// How many levels of branches there are; zero for a leaf.
    pub(super) fn height(&self) -> usize {
        match &self.body {
            Body::Leaf(_) => 0,
            Body::Branch(branch) => branch.height,
        }
    }

    /// Says whether the node is large enough to stand below a branch.
    pub(super) fn is_full_enough(&self) -> bool {
        match &self.body {
            Body::Leaf(leaf) => leaf.is_full_enough(),
            Body::Branch(branch) => branch.children.len() >= super::BRANCH_MIN,
        }
    }

    /// Says whether two nodes are one in memory, and so surely equal.
    pub(in crate::text) fn is_same(&self, other: &Self) -> bool {
        match (&self.body, &other.body) {
            (Body::Leaf(a), Body::Leaf(b)) => Arc::ptr_eq(a, b),
            (Body::Branch(a), Body::Branch(b)) => Arc::ptr_eq(&a.children, &b.children),
            _ => false,
        }
    }

    /// Says whether a place is not inside a surrogate pair.
    pub(in crate::text) fn is_boundary(&self, at: usize) -> bool {
        if self.summary.pairs == 0 {
            return true;
        }
        match &self.body {
            Body::Leaf(leaf) => leaf.is_boundary(at),
            Body::Branch(branch) => match branch.find(at, at) {
                Some((index, start)) => branch.children[index].is_boundary(at - start),
                None => false,
            },
        }
    }
}

impl Branch {
    /// Sums up what the children know. From the last to the first, because so each child costs the hash one product that
    /// waits for the one before.
    pub(super) fn summary(&self) -> Summary {
        let mut sum = Summary {
            weight: size_of::<Self>(),
            ..Summary::EMPTY
        };
        for child in self.children.iter().rev() {
            sum.units += child.summary.units;
            sum.pairs += child.summary.pairs;
            sum.weight += child.summary.weight + size_of::<Node>();
            sum.poly = sum.poly.after(&child.summary.poly);
        }
        sum
    }

    /// Brings a summary up to date after one child changed by at most a leaf's units. Goes over the children before it only.
    pub(super) fn resummed(&self, sum: Summary, index: usize, old: Summary) -> Summary {
        let new = self.children[index].summary;
        let mut before = Poly::EMPTY;
        for child in self.children[..index].iter().rev() {
            before = before.after(&child.summary.poly);
        }
        Summary {
            units: sum.units + new.units - old.units,
            pairs: sum.pairs + new.pairs - old.pairs,
            weight: sum.weight + new.weight - old.weight,
            poly: sum
                .poly
                .with_part(&before, (&old.poly, old.units), (&new.poly, new.units)),
        }
    }

    /// Finds the child that holds a whole range, and where it begins: the first one for an empty range. `None` where the
    /// range goes over the end of a child.
    pub(super) fn find(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let mut at = 0;
        for (index, child) in self.children.iter().enumerate() {
            let next = at + child.units();
            if start < next || (start == next && end == next) {
                return (end <= next).then_some((index, at));
            }
            at = next;
        }
        None
    }
}
