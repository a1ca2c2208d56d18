//! What a merge may be about: nodes that were read, and that nobody else has changed since.
//!
//! It is asked per node, not per page, so that a busy board does not starve an agent; and per node, not per field, since
//! an agent decides from the node as it saw it.

use std::collections::BTreeSet;

use recto_projections::Delta;
use recto_projections::canvas::subtree;
use recto_projections::design::{DesignOp, DesignValue, Id, Node};

use super::refusal::ContractRefusal;
use super::since::{Since, parents, touched};
use super::token::ReadNodes;

/// The states and the read that a merge is checked against.
pub(super) struct Checking<'a> {
    /// The state that was read.
    pub base: &'a DesignValue,
    /// The state that it lands on.
    pub head: &'a DesignValue,
    pub since: &'a Since,
    pub read: &'a ReadNodes,
}

/// What stands against a merge.
pub(super) enum Fault {
    Refused(ContractRefusal),
    /// Others changed these nodes.
    Changed(Vec<String>),
}

impl Checking<'_> {
    /// Checks what the content changes, and where it puts things.
    pub(super) fn change(&self, delta: &Delta, created: &BTreeSet<String>) -> Result<(), Fault> {
        let about: BTreeSet<&Id> = touched(delta).chain(parents(delta)).collect();
        let about = about.into_iter().filter(|id| !created.contains(&***id));
        let about: Vec<&str> = about.map(|id| &**id).collect();
        self.were_read(&about)?;
        self.are_unchanged(&about)
    }

    /// Checks what is deleted, with all that lies below it.
    pub(super) fn delete(&self, ids: &BTreeSet<String>, change: &Delta) -> Result<(), Fault> {
        let unknown = ids.iter().filter(|id| self.base.node(id).is_none());
        let nodes: Vec<String> = unknown.cloned().collect();
        if !nodes.is_empty() {
            return Err(Fault::Refused(ContractRefusal::NodesUnknown { nodes }));
        }
        let mut going: BTreeSet<Id> = ids.iter().flat_map(|id| subtree(self.base, id)).collect();
        self.were_read(&going.iter().map(|id| &**id).collect::<Vec<_>>())?;
        self.does_not_change(change, &going)?;
        going.extend(ids.iter().flat_map(|id| subtree(self.head, id)));
        // What others removed is gone as it should be.
        let there = going.iter().filter(|id| self.head.node(id).is_some());
        self.are_unchanged(&there.map(|id| &**id).collect::<Vec<_>>())
    }

    /// Whether a group that is left empty may go without having been named.
    pub(super) fn may_go(&self, id: &str) -> bool {
        self.read.has(id) && !self.is_changed(id)
    }

    fn were_read(&self, ids: &[&str]) -> Result<(), Fault> {
        let unread = ids.iter().filter(|id| !self.read.has(id));
        let nodes: Vec<String> = unread.map(|id| (*id).to_owned()).collect();
        match nodes.is_empty() {
            true => Ok(()),
            false => Err(Fault::Refused(ContractRefusal::NodesNotRead { nodes })),
        }
    }

    fn are_unchanged(&self, ids: &[&str]) -> Result<(), Fault> {
        let changed = ids.iter().filter(|id| self.is_changed(id));
        let nodes: Vec<String> = changed.map(|id| (*id).to_owned()).collect();
        if nodes.is_empty() {
            Ok(())
        } else {
            Err(Fault::Changed(nodes))
        }
    }

    /// Whether somebody else made the node another one than was read. Its place among its siblings is left to the rebase.
    fn is_changed(&self, id: &str) -> bool {
        self.since.is_foreign(id) && self.base.node(id).map(Node::content) != self.head.node(id).map(Node::content)
    }

    /// The content may move things out of what is deleted, but not change what goes, nor put something into it.
    fn does_not_change(&self, change: &Delta, going: &BTreeSet<Id>) -> Result<(), Fault> {
        let Delta::Design(ops) = change else { return Ok(()) };
        let moves = ops.iter().filter_map(moved);
        let out = moves.filter(|(_, to)| !to.is_some_and(|to| going.contains(to)));
        let out: BTreeSet<&Id> = out.map(|(id, _)| id).collect();
        let about = touched(change).chain(parents(change));
        let both = about.filter(|id| going.contains(*id) && !out.contains(id));
        let nodes: BTreeSet<String> = both.map(ToString::to_string).collect();
        if nodes.is_empty() {
            return Ok(());
        }
        let nodes = nodes.into_iter().collect();
        Err(Fault::Refused(ContractRefusal::ChangedAndDeleted { nodes }))
    }
}

/// A node that comes to have another parent, and that parent.
fn moved(op: &DesignOp) -> Option<(&Id, Option<&Id>)> {
    match op {
        DesignOp::MoveNode {
            id,
            parent: Some(parent),
            ..
        } => Some((id, parent.as_ref())),
        _ => None,
    }
}
