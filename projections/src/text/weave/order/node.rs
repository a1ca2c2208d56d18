//! A node of the order: its items, and the units that show in each.

use super::NONE;

/// How many items a node holds at most.
pub(super) const WIDTH: usize = 32;
pub(super) const HALF: usize = WIDTH / 2;

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) is_leaf: bool,
    pub(super) len: usize,
    /// Runs in a leaf, nodes in a branch.
    pub(super) items: [u32; WIDTH],
    /// The units that show in each item.
    pub(super) shown: [u32; WIDTH],
}

impl Node {
    pub(super) fn new(is_leaf: bool) -> Self {
        Self {
            parent: NONE,
            is_leaf,
            len: 0,
            items: [NONE; WIDTH],
            shown: [0; WIDTH],
        }
    }

    /// Returns the slot of the item that shows unit `rest`, counted from this node's start; `rest` then counts from the
    /// item's.
    pub(super) fn seek(&self, rest: &mut u32) -> usize {
        for (slot, shown) in self.shown[..self.len].iter().enumerate() {
            if *rest < *shown {
                return slot;
            }
            *rest -= shown;
        }
        self.len
    }

    /// Returns the slot of an item that is here.
    pub(super) fn slot(&self, item: u32) -> usize {
        self.items[..self.len]
            .iter()
            .position(|it| *it == item)
            .unwrap_or(self.len)
    }

    pub(super) fn put(&mut self, slot: usize, item: u32, shown: u32) {
        self.items.copy_within(slot..self.len, slot + 1);
        self.shown.copy_within(slot..self.len, slot + 1);
        self.items[slot] = item;
        self.shown[slot] = shown;
        self.len += 1;
    }

    /// Takes the upper half of a full node out.
    pub(super) fn halve(&mut self) -> Self {
        let mut right = Self::new(self.is_leaf);
        right.len = WIDTH - HALF;
        right.items[..WIDTH - HALF].copy_from_slice(&self.items[HALF..]);
        right.shown[..WIDTH - HALF].copy_from_slice(&self.shown[HALF..]);
        self.len = HALF;
        right
    }

    pub(super) fn sum(&self) -> u32 {
        self.shown[..self.len].iter().sum()
    }
}
