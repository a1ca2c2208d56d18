//! Events as they were committed: what a rebase goes over, and what an undo is made from.

use std::collections::HashSet;

use super::standing::Standing;
use crate::delta::Delta;

/// An event of a page. Its delta and inverse are those that [`Value::apply`](crate::Value::apply) gave: each operation
/// of the one pairs with an operation of the other, in reverse order.
#[derive(Clone, Copy, Debug)]
pub struct Committed<'a> {
    /// The version that the event made.
    pub version: u64,
    /// Who made it.
    pub actor: &'a str,
    /// What it did.
    pub delta: &'a Delta,
    /// What takes it back.
    pub inverse: &'a Delta,
    /// What it was for.
    pub nature: Nature,
    /// The versions of the events that it takes back: those of an undo; for a redo that of the undo. Else empty.
    pub undoes: &'a [u64],
}

/// What an event was for, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nature {
    /// A change: an edit, an undo, a redo.
    #[default]
    Edit,
    /// A restore to an earlier version: nothing made before it is rebased over it.
    Restore,
    /// Order keys made short again by the system: the order is as it was, so nobody has moved anything.
    Rebalance,
}

/// What planned events are known by from here on: no page has so many versions.
const PLANNED: u64 = 1 << 63;

/// Events in order, followed by compensations that are planned but not committed.
#[derive(Debug)]
pub(crate) struct Events<'a> {
    past: &'a [Committed<'a>],
    planned: Vec<Vec<u64>>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(past: &'a [Committed<'a>]) -> Events<'a> {
        Events {
            past,
            planned: Vec::new(),
        }
    }

    /// Appends a compensation of events that is planned; gives its index.
    pub(crate) fn plan(&mut self, undoes: Vec<u64>) -> usize {
        self.planned.push(undoes);
        self.len() - 1
    }

    pub(crate) fn len(&self) -> usize {
        self.past.len() + self.planned.len()
    }

    pub(crate) fn past(&self) -> &'a [Committed<'a>] {
        self.past
    }

    /// Gives the versions that an event takes back.
    pub(crate) fn undoes(&self, event: usize) -> &[u64] {
        match self.past.get(event) {
            Some(event) => event.undoes,
            None => self.planned.get(event - self.past.len()).map_or(&[], Vec::as_slice),
        }
    }

    pub(crate) fn version(&self, event: usize) -> Option<u64> {
        self.past.get(event).map(|event| event.version)
    }

    /// Gives the compensations, in order.
    pub(crate) fn compensations(&self) -> Vec<usize> {
        (0..self.len())
            .filter(|event| !self.undoes(*event).is_empty())
            .collect()
    }

    /// Gives the events that are undone after some compensations, given in order.
    pub(crate) fn undone(&self, compensations: &[usize]) -> HashSet<u64> {
        Standing::of(
            compensations
                .iter()
                .map(|event| (self.key(*event), self.undoes(*event))),
        )
        .into_undone()
    }

    /// Gives the events that are undone once `target` is undone too.
    pub(crate) fn undone_with(&self, target: usize) -> HashSet<u64> {
        self.undone_from(0, target)
    }

    /// Gives the events that are undone since an event, once that one is undone.
    pub(crate) fn undone_since(&self, target: usize) -> HashSet<u64> {
        self.undone_from(target + 1, target)
    }

    /// Gives the index of an event, from the number by which it is known.
    pub(crate) fn index(&self, key: u64) -> Option<usize> {
        match key.checked_sub(PLANNED) {
            Some(planned) => Some(self.past.len() + usize::try_from(planned).ok()?).filter(|event| *event < self.len()),
            None => self.past.binary_search_by_key(&key, |event| event.version).ok(),
        }
    }

    fn undone_from(&self, first: usize, target: usize) -> HashSet<u64> {
        let target = [self.key(target)];
        let later = self.compensations().into_iter().filter(|event| *event >= first);
        let all = later.map(|event| (self.key(event), self.undoes(event)));
        Standing::of(all.chain([(u64::MAX, &target[..])])).into_undone()
    }

    pub(crate) fn actor(&self, event: usize) -> Option<String> {
        self.past.get(event).map(|event| event.actor.to_owned())
    }

    pub(crate) fn is_rebalance(&self, event: usize) -> bool {
        self.past
            .get(event)
            .is_some_and(|event| event.nature == Nature::Rebalance)
    }

    /// Gives a number by which an event is known: its version or, while it is planned, one of the highest numbers.
    pub(crate) fn key(&self, event: usize) -> u64 {
        let planned = || u64::try_from(event - self.past.len()).unwrap_or(0);
        self.version(event).unwrap_or_else(|| PLANNED + planned())
    }
}
