//! One stack: entries in the order of the newest event that touched them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The edits of one step, and the newest event that touched them.
#[derive(Clone, Debug)]
struct Entry {
    edits: Vec<u64>,
    at: u64,
    group: Option<Arc<str>>,
}

/// A stack of one actor. Entries go by a number that stays when they move.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    entries: HashMap<u64, Entry>,
    order: BTreeSet<(u64, u64)>,
    groups: HashMap<Arc<str>, u64>,
    made: u64,
}

/// The name of a group: what has the same name is one entry.
pub(super) fn group_of(kind: &str, name: &str) -> Arc<str> {
    format!("{kind} {name}").into()
}

impl Stack {
    /// Puts an edit into the entry of its group, or into one of its own; gives the entry's number.
    pub(super) fn push(&mut self, root: u64, group: Option<Arc<str>>, at: u64) -> u64 {
        let known = group.as_ref().and_then(|group| self.groups.get(group)).copied();
        let number = known.unwrap_or_else(|| self.begin(group, at));
        if let Some(entry) = self.entries.get_mut(&number) {
            entry.edits.push(root);
            if at > entry.at {
                self.order.remove(&(entry.at, number));
                self.order.insert((at, number));
                entry.at = at;
            }
        }
        number
    }

    /// Takes an edit out of an entry; an empty entry goes.
    pub(super) fn remove(&mut self, number: u64, root: u64) {
        let Some(entry) = self.entries.get_mut(&number) else {
            return;
        };
        // The newest is undone first, so the search begins at the end.
        if let Some(index) = entry.edits.iter().rposition(|edit| *edit == root) {
            entry.edits.remove(index);
        }
        if entry.edits.is_empty() {
            self.drop_entry(number);
        }
    }

    /// Empties the stack; gives the edits that were on it.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        self.order.clear();
        self.groups.clear();
        let entries = std::mem::take(&mut self.entries);
        entries.into_values().flat_map(|entry| entry.edits).collect()
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.entries.contains_key(&number)
    }

    /// The entries that something touched at or after a version, the newest first: when that was, and their edits.
    pub(super) fn entries(&self, first: u64) -> impl Iterator<Item = (u64, &[u64])> {
        let numbers = self.order.range((first, 0)..).rev();
        let entries = numbers.filter_map(|(_, number)| self.entries.get(number));
        entries.map(|entry| (entry.at, &entry.edits[..]))
    }

    /// Drops the entries that nothing has touched since a version.
    pub(super) fn prune(&mut self, first: u64) {
        let old: Vec<_> = self.order.range(..(first, 0)).map(|(_, number)| *number).collect();
        for number in old {
            self.drop_entry(number);
        }
    }

    pub(super) fn weight(&self) -> usize {
        self.entries.len() * (size_of::<Entry>() + 96) + self.groups.len() * 80
    }

    fn begin(&mut self, group: Option<Arc<str>>, at: u64) -> u64 {
        let number = self.made;
        self.made += 1;
        if let Some(group) = &group {
            self.groups.insert(Arc::clone(group), number);
        }
        self.order.insert((at, number));
        let edits = Vec::with_capacity(1);
        self.entries.insert(number, Entry { edits, at, group });
        number
    }

    fn drop_entry(&mut self, number: u64) {
        if let Some(entry) = self.entries.remove(&number) {
            self.order.remove(&(entry.at, number));
            if let Some(group) = entry.group {
                self.groups.remove(&group);
            }
        }
    }
}
