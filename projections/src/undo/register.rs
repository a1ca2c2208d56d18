//! A register: a value that events set as a whole, followed through edits, undos and redos.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::delta::Delta;
use crate::json::{Json, same};
use crate::rebase::{Committed, Switches};
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
    switches: Switches,
    /// How many compensations are planned.
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
            switches: Switches::default(),
            planned: 0,
        };
        let mut now = start;
        for event in history {
            let new = value_of(event.delta);
            now = new.unwrap_or(now);
            if !event.undoes.is_empty() {
                register.switch(event.version, event.undoes);
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

    /// Plans a compensation of an event. Gives the newest event that set the value and does not stand any more, or stands
    /// again.
    pub(super) fn plan(&mut self, version: u64) -> Option<u64> {
        self.planned += 1;
        self.switch(PLANNED + self.planned, &[version])
    }

    /// Takes the compensation back that was planned last.
    pub(super) fn forget(&mut self) {
        self.plan(PLANNED + self.planned);
    }

    fn switch(&mut self, version: u64, undoes: &[u64]) -> Option<u64> {
        let mut top = None;
        for (event, stands) in self.switches.take(version, undoes) {
            if self.set.contains_key(&event) {
                top = top.max(Some(event));
                match stands {
                    true => drop(self.standing.insert(event)),
                    false => drop(self.standing.remove(&event)),
                }
            }
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

    /// Says whether an event set the value.
    pub(super) fn is_set_by(&self, version: u64) -> bool {
        self.set.contains_key(&version)
    }

    /// Takes in that the event planned last sets the value itself.
    pub(super) fn set_by_plan(&mut self, value: Json) {
        self.set(PLANNED + self.planned, Cow::Owned(value));
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
