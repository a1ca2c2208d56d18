//! Which event stands for an edit after undos and redos: the chain edit, undo, redo, undo, …

use std::collections::{BTreeMap, HashMap};

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// It stands, by itself or by the newest redo of it: that is what an undo is to take back.
    Stands {
        /// The version of the edit or of that redo.
        by: u64,
    },
    /// It is undone: that undo is what a redo is to take back.
    Undone {
        /// The version of the undo.
        by: u64,
    },
}

/// The compensations of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Chains {
    /// The edit at the end of the chain of each compensation.
    roots: HashMap<u64, u64>,
    /// The newest compensation of each edit that has one.
    newest: HashMap<u64, Stand>,
    /// Every compensation with what it is of.
    all: BTreeMap<u64, u64>,
}

impl Chains {
    /// Takes a compensation in; gives the edit at the end of its chain.
    pub(super) fn take(&mut self, version: u64, of: u64, is_undo: bool) -> u64 {
        let root = self.root(of);
        self.roots.insert(version, root);
        self.all.insert(version, of);
        let stand = if is_undo {
            Stand::Undone { by: version }
        } else {
            Stand::Stands { by: version }
        };
        self.newest.insert(root, stand);
        root
    }

    pub(super) fn stand(&self, version: u64) -> Stand {
        let root = self.root(version);
        self.newest.get(&root).copied().unwrap_or(Stand::Stands { by: root })
    }

    pub(super) fn compensations(&self, first: u64) -> impl Iterator<Item = (u64, u64)> {
        self.all.range(first..).rev().map(|(version, of)| (*version, *of))
    }

    /// Forgets the chains of which nothing happened since a version.
    pub(super) fn prune(&mut self, first: u64) {
        self.all = self.all.split_off(&first);
        self.newest.retain(|_, stand| match stand {
            Stand::Stands { by } | Stand::Undone { by } => *by >= first,
        });
        let newest = &self.newest;
        self.roots.retain(|version, root| match newest.get(root) {
            Some(Stand::Stands { by } | Stand::Undone { by }) => *version >= first || version == by,
            None => false,
        });
    }

    pub(super) fn weight(&self) -> usize {
        (self.all.len() + self.roots.len()) * 96
    }

    fn root(&self, version: u64) -> u64 {
        self.roots.get(&version).copied().unwrap_or(version)
    }
}
