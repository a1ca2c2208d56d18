//! Cutting a rope in two and making one of two.

use std::sync::Arc;

use super::leaf::Leaf;
use super::node::{Body, Branch, Node};
use super::{BRANCH_MAX, LEAF_MAX};

impl Node {
    /// Makes one text of two.
    pub(in crate::text) fn concat(self, other: Self) -> Self {
        if self.units() == 0 {
            return other;
        }
        if other.units() == 0 {
            return self;
        }
        let (left, right) = (self.height(), other.height());
        if left == right {
            self.concat_level(other)
        } else if left < right {
            self.concat_up(other)
        } else {
            self.concat_down(other)
        }
    }

    /// Cuts the text in two at a place that is not inside a surrogate pair.
    pub(in crate::text) fn split(self, at: usize) -> (Self, Self) {
        if at == 0 {
            return (Self::empty(), self);
        }
        if at >= self.units() {
            return (self, Self::empty());
        }
        match self.body {
            Body::Leaf(leaf) => {
                let mut left = Arc::unwrap_or_clone(leaf);
                let right = left.split_off(at);
                (Self::leaf(left), Self::leaf(right))
            }
            Body::Branch(branch) => split_branch(&branch, at),
        }
    }

    /// Joins two nodes of the same height.
    fn concat_level(self, other: Self) -> Self {
        if self.is_full_enough() && other.is_full_enough() {
            return Self::branch(vec![self, other]);
        }
        match (self.body, other.body) {
            (Body::Leaf(left), Body::Leaf(right)) => {
                join_leaves(Arc::unwrap_or_clone(left), Arc::unwrap_or_clone(right))
            }
            (left, right) => merge(children_of(left), children_of(right)),
        }
    }

    /// Joins a node to a higher one behind it.
    fn concat_up(self, other: Self) -> Self {
        let height = other.height();
        let mut children = children_of(other.body);
        let joined = if self.height() + 1 == height && self.is_full_enough() {
            vec![self]
        } else {
            let first = children.remove(0);
            level(self.concat(first), height)
        };
        merge(joined, children)
    }

    /// Joins a node to a higher one before it.
    fn concat_down(self, other: Self) -> Self {
        let height = self.height();
        let mut children = children_of(self.body);
        let joined = if other.height() + 1 == height && other.is_full_enough() {
            vec![other]
        } else {
            let last = children.pop().unwrap_or_else(Self::empty);
            level(last.concat(other), height)
        };
        merge(children, joined)
    }
}

/// What of a joined child goes below a branch of the given height: itself, or its children where it grew.
fn level(node: Node, height: usize) -> Vec<Node> {
    if node.height() == height {
        children_of(node.body)
    } else {
        vec![node]
    }
}

/// Makes one node of two lists of equally high, large enough nodes.
fn merge(mut left: Vec<Node>, mut right: Vec<Node>) -> Node {
    left.append(&mut right);
    if left.len() <= BRANCH_MAX {
        return Node::branch(left);
    }
    let right = left.split_off(left.len() / 2);
    Node::branch(vec![Node::branch(left), Node::branch(right)])
}

fn join_leaves(mut left: Leaf, right: Leaf) -> Node {
    if left.units() + right.units() <= LEAF_MAX {
        left.append(right);
        return Node::leaf(left);
    }
    let (left, right) = left.balance(right);
    Node::branch(vec![Node::leaf(left), Node::leaf(right)])
}

fn split_branch(branch: &Branch, at: usize) -> (Node, Node) {
    let mut children = branch.children.to_vec();
    let mut start = 0;
    let index = children.iter().position(|child| {
        start += child.units();
        at < start
    });
    let mut right = children.split_off(index.unwrap_or(children.len()));
    if right.is_empty() {
        return (root_of(children), Node::empty());
    }
    let cut = right.remove(0);
    let inside = at + cut.units() - start;
    let (before, behind) = cut.split(inside);
    (root_of(children).concat(before), behind.concat(root_of(right)))
}

/// Makes a root of equally high nodes.
fn root_of(mut nodes: Vec<Node>) -> Node {
    match nodes.len() {
        0 => Node::empty(),
        1 => nodes.remove(0),
        _ => Node::branch(nodes),
    }
}

fn children_of(body: Body) -> Vec<Node> {
    match body {
        Body::Branch(branch) => branch.children.to_vec(),
        Body::Leaf(leaf) => vec![Node::leaf(Arc::unwrap_or_clone(leaf))],
    }
}
