//! The lives of nodes: which have ever been on a page, and whose creation is undone. From the stream alone.

use std::collections::HashMap;

use crate::delta::Delta;
use crate::design::{DesignOp, Id};
use crate::rebase::Standing;

/// The nodes that have ever been on a page, each with the event that created it last. Kept up to date event by event.
#[derive(Clone, Debug, Default)]
pub struct Lives {
    created: HashMap<Id, u64>,
}

impl Lives {
    /// Takes the next event in: its version, the versions that it takes back, and its delta.
    pub fn take(&mut self, version: u64, undoes: &[u64], delta: &Delta) {
        let Delta::Design(ops) = delta else { return };
        for op in ops {
            let DesignOp::AddNode { node, .. } = op else {
                continue;
            };
            // A compensation brings a node back to its old life; anybody else begins a new one.
            if undoes.is_empty() || !self.created.contains_key(&node.id) {
                self.created.insert(node.id.clone(), version);
            }
        }
    }

    /// Says whether a node of this id has ever been on the page.
    pub fn existed(&self, id: &str) -> bool {
        self.created.contains_key(id)
    }

    /// Gives the version of the event that created a node last.
    pub fn created(&self, id: &str) -> Option<u64> {
        self.created.get(id).copied()
    }

    /// Says whether the creation of a node was undone after the node was removed: then the undo of that removal does not
    /// bring it back. `later` is what became of events in those after the removal.
    ///
    /// An undo of the creation from before the removal is none that counts: the node was there all the same, because
    /// others had edited it, or because it was redone.
    pub fn creation_undone(&self, id: &str, later: &Standing) -> bool {
        self.created(id).is_some_and(|version| later.is_undone(version))
    }
}
