//! Which nodes a delta adds, removes and groups, and which of them stand below others of the same fate.

use std::collections::{HashMap, HashSet};

use crate::design::{DesignOp, DesignValue, Id};

/// The type of a group.
const GROUP: &str = "group";

/// What becomes of nodes as a whole.
pub(super) struct Lives<'a> {
    /// The topmost node above each node that is added or removed and that is added or removed itself.
    added: HashMap<&'a str, &'a str>,
    removed: HashMap<&'a str, &'a str>,
    /// How many nodes are added or removed below each of those.
    below_added: HashMap<&'a str, usize>,
    below_removed: HashMap<&'a str, usize>,
    /// The nodes that move into each group that is added.
    grouped: HashMap<&'a str, HashSet<&'a str>>,
}

impl<'a> Lives<'a> {
    pub(super) fn new(ops: &'a [DesignOp], before: Option<&'a DesignValue>) -> Self {
        let grouped = groups(ops);
        let mut parents = Parents::new(before);
        let mut added: HashMap<&str, &str> = HashMap::new();
        let mut removed_from: Vec<(&str, Option<&str>)> = Vec::new();
        for op in ops {
            match op {
                DesignOp::AddNode { node, .. } => {
                    let parent = node.parent.as_deref().filter(|parent| !grouped.contains_key(parent));
                    let root = parent.and_then(|parent| added.get(parent).copied());
                    added.insert(&node.id, root.unwrap_or(&node.id));
                }
                DesignOp::RemoveNode { id } => removed_from.push((id, parents.of(id))),
                _ => {}
            }
            parents.follow(op);
        }
        let mut removed: HashMap<&str, &str> = HashMap::new();
        // A parent goes after its children.
        for (id, parent) in removed_from.into_iter().rev() {
            let root = parent.and_then(|parent| removed.get(parent).copied());
            removed.insert(id, root.unwrap_or(id));
        }
        Self {
            below_added: below(&added),
            below_removed: below(&removed),
            added,
            removed,
            grouped,
        }
    }

    /// Says whether a node is added.
    pub(super) fn is_new(&self, id: &str) -> bool {
        self.added.contains_key(id)
    }

    /// Tells how many nodes are added below a node that is added; nothing if it comes with another.
    pub(super) fn added_below(&self, id: &str) -> Option<usize> {
        (self.added.get(id) == Some(&id)).then(|| self.below_added.get(id).copied().unwrap_or(0))
    }

    /// As [`Lives::added_below`], for what is removed.
    pub(super) fn removed_below(&self, id: &str) -> Option<usize> {
        (self.removed.get(id) == Some(&id)).then(|| self.below_removed.get(id).copied().unwrap_or(0))
    }

    /// Gives the nodes that move into a group that is added.
    pub(super) fn grouped(&self, group: &str) -> Option<&HashSet<&'a str>> {
        self.grouped.get(group)
    }
}

/// The parents of nodes, as operations change them.
pub(super) struct Parents<'a> {
    before: Option<&'a DesignValue>,
    now: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> Parents<'a> {
    pub(super) fn new(before: Option<&'a DesignValue>) -> Self {
        let now = HashMap::new();
        Self { before, now }
    }

    /// Gives the parent of a node, as far as it is known.
    pub(super) fn of(&self, id: &str) -> Option<&'a str> {
        match self.now.get(id) {
            Some(parent) => *parent,
            None => self.before?.node(id)?.parent().map(AsRef::as_ref),
        }
    }

    /// Says whether a node is known.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.now.contains_key(id) || self.before.is_some_and(|before| before.node(id).is_some())
    }

    pub(super) fn follow(&mut self, op: &'a DesignOp) {
        let (id, parent): (&Id, &Option<Id>) = match op {
            DesignOp::AddNode { node, .. } => (&node.id, &node.parent),
            DesignOp::MoveNode {
                id,
                parent: Some(parent),
                ..
            } => (id, parent),
            _ => return,
        };
        self.now.insert(id, parent.as_deref());
    }
}

/// Finds the groups that are added, with the nodes that were there before and are in them in the end.
fn groups(ops: &[DesignOp]) -> HashMap<&str, HashSet<&str>> {
    let (mut new, mut parents) = (HashMap::new(), HashMap::new());
    for op in ops {
        match op {
            DesignOp::AddNode { node, .. } => drop(new.insert(&*node.id, &*node.kind)),
            DesignOp::RemoveNode { id } => drop(parents.remove(&**id)),
            DesignOp::MoveNode {
                id,
                parent: Some(parent),
                ..
            } => drop(parents.insert(&**id, parent.as_deref())),
            _ => {}
        }
    }
    let mut groups: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (id, group) in parents {
        let Some(group) = group.filter(|group| new.get(group) == Some(&GROUP)) else {
            continue;
        };
        if !new.contains_key(id) {
            groups.entry(group).or_default().insert(id);
        }
    }
    groups
}

fn below<'a>(roots: &HashMap<&'a str, &'a str>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for (_, root) in roots.iter().filter(|(id, root)| id != root) {
        *counts.entry(*root).or_default() += 1;
    }
    counts
}
