//! The order of the runs: a B+ tree in one vector that finds a run by the units that show before it.

mod node;

use node::{HALF, Node, WIDTH};

/// The bits that a slot takes in a [`Rank`].
const SLOT_BITS: u32 = WIDTH.trailing_zeros();
/// No node.
const NONE: u32 = u32::MAX;

/// All runs in order, with the units that they show.
#[derive(Debug, Clone)]
pub(super) struct Order {
    nodes: Vec<Node>,
    root: u32,
    /// The leaf of each run.
    leaves: Vec<u32>,
    shown: u32,
}

/// A place between or inside runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    leaf: u32,
    slot: usize,
    /// How many units of the run at this place lie before it.
    pub(super) inside: u32,
}

/// Where a run stands among all others: ranks compare as the runs lie. Good until a run is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(u64);

impl Order {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![Node::new(true)],
            root: 0,
            leaves: Vec::new(),
            shown: 0,
        }
    }

    /// Returns how many units show.
    pub(super) fn shown(&self) -> u32 {
        self.shown
    }

    /// Finds the run that shows unit `at`; the end, behind all runs, if none does.
    pub(super) fn find(&self, at: u32) -> Place {
        if at >= self.shown {
            return self.end();
        }
        let (mut id, mut rest) = (self.root, at);
        loop {
            let node = self.node(id);
            let slot = node.seek(&mut rest);
            if node.is_leaf {
                let (leaf, inside) = (id, rest);
                return Place { leaf, slot, inside };
            }
            id = node.items[slot];
        }
    }

    /// Returns the run at a place, if it is not the end.
    pub(super) fn run_at(&self, place: Place) -> Option<u32> {
        let node = self.node(place.leaf);
        (place.slot < node.len).then(|| node.items[place.slot])
    }

    /// Puts the next run in, right before the run at a place. The number of the run is the number of those put in so far.
    pub(super) fn insert(&mut self, place: Place, shown: u32) {
        let run = number(self.leaves.len());
        let (leaf, slot) = self.make_room(place.leaf, place.slot);
        self.leaves.push(leaf);
        self.node_mut(leaf).put(slot, run, shown);
        self.grow(leaf, 0, shown);
    }

    /// Puts the next run in, right behind another, of whose shown units it takes over `shown`.
    pub(super) fn split_off(&mut self, run: u32, shown: u32) {
        let leaf = self.leaves[run as usize];
        let slot = self.node(leaf).slot(run);
        let left = self.node(leaf).shown[slot] - shown;
        self.show(run, left);
        let (slot, inside) = (slot + 1, 0);
        self.insert(Place { leaf, slot, inside }, shown);
    }

    /// Lets a run show so many units.
    pub(super) fn show(&mut self, run: u32, shown: u32) {
        let leaf = self.leaves[run as usize];
        let slot = self.node(leaf).slot(run);
        let old = std::mem::replace(&mut self.node_mut(leaf).shown[slot], shown);
        self.grow(leaf, old, shown);
    }

    /// Returns where a run stands, and how many units show before it.
    pub(super) fn locate(&self, run: u32) -> (Rank, u32) {
        let (mut item, mut id) = (run, self.leaves[run as usize]);
        let (mut rank, mut level, mut before) = (0, 0, 0);
        while id != NONE {
            let node = self.node(id);
            let slot = node.slot(item);
            // Slots are small, and the levels of a tree of fewer than 2^32 runs few enough.
            rank |= (slot as u64) << level;
            level += SLOT_BITS;
            before += node.shown[..slot].iter().sum::<u32>();
            (item, id) = (id, node.parent);
        }
        (Rank(rank), before)
    }

    /// Goes over the runs in order, with the units that they show.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut path = vec![(self.root, 0)];
        std::iter::from_fn(move || {
            loop {
                let (id, slot) = path.last_mut()?;
                let node = self.node(*id);
                if *slot == node.len {
                    path.pop();
                    continue;
                }
                let (item, shown) = (node.items[*slot], node.shown[*slot]);
                *slot += 1;
                if node.is_leaf {
                    return Some((item, shown));
                }
                path.push((item, 0));
            }
        })
    }

    /// Goes over the runs from the last one to the first.
    pub(super) fn iter_back(&self) -> impl Iterator<Item = u32> {
        let mut path = vec![(self.root, self.node(self.root).len)];
        std::iter::from_fn(move || {
            loop {
                let (id, slot) = path.last_mut()?;
                let node = self.node(*id);
                let Some(before) = slot.checked_sub(1) else {
                    path.pop();
                    continue;
                };
                *slot = before;
                let item = node.items[before];
                if node.is_leaf {
                    return Some(item);
                }
                path.push((item, self.node(item).len));
            }
        })
    }

    /// Returns about how many bytes of memory it takes.
    pub(super) fn weight(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.leaves.capacity() * size_of::<u32>()
    }

    fn end(&self) -> Place {
        let mut id = self.root;
        loop {
            let node = self.node(id);
            if node.is_leaf {
                return Place {
                    leaf: id,
                    slot: node.len,
                    inside: 0,
                };
            }
            id = node.items[node.len - 1];
        }
    }

    /// Brings the sums above a node up to date after what shows in one of its items changed.
    fn grow(&mut self, node: u32, old: u32, new: u32) {
        if old == new {
            return;
        }
        let (mut item, mut id) = (node, self.node(node).parent);
        while id != NONE {
            let node = self.node_mut(id);
            let slot = node.slot(item);
            node.shown[slot] = node.shown[slot] - old + new;
            (item, id) = (id, node.parent);
        }
        self.shown = self.shown - old + new;
    }

    /// Makes sure that an item can be put into a node at a slot; says where, now. It is never put first into the right one
    /// of two halves, so it gets the same parent as the item before it.
    fn make_room(&mut self, id: u32, slot: usize) -> (u32, usize) {
        if self.node(id).len < WIDTH {
            return (id, slot);
        }
        let right = self.split(id);
        if slot <= HALF { (id, slot) } else { (right, slot - HALF) }
    }

    /// Moves the upper half of a full node into a new one behind it, below the same parent.
    fn split(&mut self, id: u32) -> u32 {
        if self.node(id).parent == NONE {
            self.raise(id);
        }
        let parent = self.node(id).parent;
        let slot = self.node(parent).slot(id) + 1;
        let (parent, slot) = self.make_room(parent, slot);
        let new = number(self.nodes.len());
        let mut right = self.node_mut(id).halve();
        right.parent = parent;
        for item in &right.items[..right.len] {
            if right.is_leaf {
                self.leaves[*item as usize] = new;
            } else {
                self.nodes[*item as usize].parent = new;
            }
        }
        let shown = right.sum();
        self.nodes.push(right);
        let above = self.node_mut(parent);
        above.shown[slot - 1] -= shown;
        above.put(slot, new, shown);
        new
    }

    /// Puts a new root above the root.
    fn raise(&mut self, id: u32) {
        let mut root = Node::new(false);
        root.put(0, id, self.shown);
        self.root = number(self.nodes.len());
        self.nodes.push(root);
        self.node_mut(id).parent = self.root;
    }

    fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }
}

/// The number of the next thing in a vector. Limits keep vectors below 2^32 things.
pub(super) fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(NONE)
}
