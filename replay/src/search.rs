//! Searching for the first version at which a check fails, by halving.
//!
//! A search holds a version at which the check passes and a later one at which it fails, and asks for the one in the
//! middle, until they are neighbours. Where a version cannot be told, those near it are asked for, at distances that
//! double, and then the rest.

use std::collections::BTreeSet;

use crate::probe::Verdict;

/// Where a search begins: a version at which the check passes, and a later one at which it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// It passes here.
    pub good: u64,
    /// It fails here.
    pub bad: u64,
}

impl Ends {
    /// Two versions; `None` unless the good one comes first.
    #[must_use]
    pub fn new(good: u64, bad: u64) -> Option<Self> {
        (good < bad).then_some(Self { good, bad })
    }
}

/// Where a check turns from passing to failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    /// The newest version known to pass.
    pub last_good: u64,
    /// The oldest version known to fail.
    pub first_failing: u64,
}

impl Turned {
    /// Whether the two are neighbours; else what lies between cannot be told.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.first_failing - self.last_good == 1
    }
}

/// A search under way.
#[derive(Clone, Debug)]
pub struct Search {
    turned: Turned,
    skipped: BTreeSet<u64>,
}

impl Search {
    /// Begins between two versions, of which both were asked.
    #[must_use]
    pub fn new(ends: Ends) -> Self {
        Self {
            turned: Turned {
                last_good: ends.good,
                first_failing: ends.bad,
            },
            skipped: BTreeSet::new(),
        }
    }

    /// The version to ask next; none where there is no more to find.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        let Turned {
            last_good,
            first_failing,
        } = self.turned;
        let middle = last_good + (first_failing - last_good) / 2;
        let is_open =
            |version: &u64| (last_good + 1..first_failing).contains(version) && !self.skipped.contains(version);
        let doubling = std::iter::successors(Some(1_u64), |distance| distance.checked_mul(2));
        let near = doubling
            .take_while(|distance| *distance < first_failing - last_good)
            .flat_map(|distance| [middle.checked_sub(distance), middle.checked_add(distance)])
            .flatten();
        let all = std::iter::once(middle).chain(near).chain(last_good + 1..first_failing);
        all.into_iter().find(is_open)
    }

    /// Takes an answer in.
    pub fn answer(&mut self, version: u64, verdict: Verdict) {
        match verdict {
            Verdict::Pass => self.turned.last_good = version,
            Verdict::Fail => self.turned.first_failing = version,
            Verdict::Skip => {
                self.skipped.insert(version);
            }
        }
    }

    /// What is known.
    #[must_use]
    pub fn turned(&self) -> Turned {
        self.turned
    }
}
