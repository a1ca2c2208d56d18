//! Giving siblings short order keys again.

use std::collections::HashSet;

use super::DesignValue;
use super::geometry::GeometryPatch;
use super::node::Id;
use super::op::{DesignOp, Position};
use crate::order::OrderKey;

impl DesignValue {
    /// Makes the operations of a rebalance: the children of a node, or of the page, get evenly spaced keys in the order
    /// in which they stand. Children that have theirs already are left out.
    pub fn rebalance(&self, parent: Option<&Id>) -> Vec<DesignOp> {
        let children: Vec<_> = self.children_of(parent).collect();
        let Some(keys) = OrderKey::spread(None, None, children.len()) else {
            return Vec::new();
        };
        let changed = children.into_iter().zip(keys).filter(|(node, key)| node.order() != key);
        let moves = changed.map(|(node, key)| DesignOp::MoveNode {
            id: node.id().clone(),
            parent: None,
            position: Some(Position::Keyed(key)),
            siblings: None,
            geometry: GeometryPatch::default(),
        });
        moves.collect()
    }

    /// Gives the parents among whose children committed operations have put a key that is so long that it wants a
    /// rebalance. The cost follows the operations.
    pub fn wanting_rebalance(&self, committed: &[DesignOp]) -> Vec<Option<Id>> {
        let mut seen = HashSet::new();
        let mut parents = Vec::new();
        for op in committed {
            let (id, key) = match op {
                DesignOp::AddNode {
                    node,
                    position: Position::Keyed(key),
                    ..
                } => (&node.id, key),
                DesignOp::MoveNode {
                    id,
                    position: Some(Position::Keyed(key)),
                    ..
                } => (id, key),
                _ => continue,
            };
            let Some(node) = self
                .node(id)
                .filter(|node| key.wants_rebalance() && node.order() == key)
            else {
                continue;
            };
            let parent = node.parent().cloned();
            if seen.insert(parent.clone()) {
                parents.push(parent);
            }
        }
        parents
    }
}
