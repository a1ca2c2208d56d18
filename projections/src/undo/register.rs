//! A register: a value that events set as a whole, followed through edits, undos and redos.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::delta::Delta;
use crate::json::{Json, same};
use crate::rebase::Committed;
use crate::sheet::SheetOp;

/// What planned events are known by from here on: no page has so many versions.
const PLANNED: u64 = 1 << 63;

/// Who set the value to what, and who of them stands.
pub(super) struct Register<'a> {
    /// The value before the first event.
    start: Cow<'a, Json>,
    /// What events set, by their versions.
    set: HashMap<u64, Cow<'a, Json>>,
    /// Those of them that stand.
    standing: BTreeSet<u64>,
    /// What compensations take back, by their versions.
    undoes: HashMap<u64, &'a [u64]>,
    planned: u64,
}

impl<'a> Register<'a> {
    /// Goes over events in order; `head` is the value after them.
    pub(super) fn follow(history: &'a [Committed<'a>], head: &'a Json) -> Register<'a> {
        let start = history.iter().find_map(|event| value_of(event.inverse)).unwrap_or(head);
        let mut register = Register {
            start: Cow::Borrowed(start),
            set: HashMap::new(),
            standing: BTreeSet::new(),
            undoes: HashMap::new(),
            planned: 0,
        };
        let mut now = start;
        for event in history {
            let new = value_of(event.delta);
            now = new.unwrap_or(now);
            if !event.undoes.is_empty() {
                register.undoes.insert(event.version, event.undoes);
                for target in event.undoes {
                    register.flip(*target, false);
                }
                // One that leaves another value than follows from what stands has set it itself.
                if !same(now, register.value_at(u64::MAX)) {
                    register.set(event.version, Cow::Borrowed(now));
                }
            } else if let Some(new) = new {
                register.set(event.version, Cow::Borrowed(new));
            }
        }
        register
    }

    /// Lets an event stand, or not; and where it is a compensation, lets what it takes back not stand, or stand. Gives the
    /// newest event by which the value was set that this concerns.
    pub(super) fn flip(&mut self, version: u64, stands: bool) -> Option<u64> {
        let mut top = None;
        let mut open = vec![(version, stands)];
        while let Some((version, stands)) = open.pop() {
            if self.set.contains_key(&version) {
                top = top.max(Some(version));
                match stands {
                    true => drop(self.standing.insert(version)),
                    false => drop(self.standing.remove(&version)),
                }
            }
            let undoes = self.undoes.get(&version).copied().unwrap_or_default();
            open.extend(undoes.iter().map(|target| (*target, !stands)));
        }
        top
    }

    /// Gives the newest event that set the value and stands.
    pub(super) fn owner(&self) -> Option<u64> {
        self.standing.last().copied()
    }

    /// Gives the value that the newest event set that stands and is no newer than `top`.
    pub(super) fn value_at(&self, top: u64) -> &Json {
        let owner = self.standing.range(..=top).next_back();
        owner.and_then(|version| self.set.get(version)).unwrap_or(&self.start)
    }

    /// Takes in that a planned event sets the value itself.
    pub(super) fn set_by_plan(&mut self, value: Json) {
        self.set(PLANNED + self.planned, Cow::Owned(value));
        self.planned += 1;
    }

    fn set(&mut self, version: u64, value: Cow<'a, Json>) {
        self.set.insert(version, value);
        self.standing.insert(version);
    }
}

/// Gives what a delta sets the sheet to.
fn value_of(delta: &Delta) -> Option<&Json> {
    match delta {
        Delta::Sheet(ops) => ops.last().map(|SheetOp::ReplaceSheet { value }| value),
        _ => None,
    }
}
