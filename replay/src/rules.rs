//! Rules that a recorded run of an agent keeps: each looks at the events of a page and at what the agent did.
//!
//! A rule is pure: the same run breaks it or not, wherever it is checked. Its name is stable. `RULES.md` tells each rule,
//! and the form of a trajectory.

mod applied_once;
mod base_is_read;
mod canonical;
mod letters;
mod no_delete_by_omission;
mod no_retry_after_terminal;
mod one_node_per_slot;
mod owners;
mod redo_inserts;
mod refusal_respected;
mod run;
mod touches;
pub mod trajectory;
mod undo_leaves_others;

pub use self::run::{Run, Step};
pub use self::trajectory::Trajectory;

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its stable name.
    pub name: &'static str,
    /// What it asks for, in a sentence.
    pub says: &'static str,
    /// What to do where it is broken.
    pub remedy: &'static str,
    /// Whether it says nothing without a trajectory.
    pub needs_trajectory: bool,
    /// Looks for what breaks it.
    check: fn(&Run<'_>) -> Findings,
}

/// What a rule found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// How many things it looked at; with none, it holds because there is nothing.
    pub looked: usize,
    /// What breaks it.
    pub breaches: Vec<Breach>,
}

/// Something that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The event it is about.
    pub version: Option<u64>,
    /// The line of the trajectory it is about.
    pub line: Option<u64>,
    /// What happened, in a sentence.
    pub what: String,
}

/// The rules, in the order in which they are told.
pub const ALL: [Rule; 8] = [
    redo_inserts::RULE,
    one_node_per_slot::RULE,
    no_retry_after_terminal::RULE,
    no_delete_by_omission::RULE,
    base_is_read::RULE,
    applied_once::RULE,
    undo_leaves_others::RULE,
    refusal_respected::RULE,
];

/// The rule of a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Rule> {
    const { &ALL }.iter().find(|rule| rule.name == name)
}

impl Rule {
    /// Checks a run; `None` where the rule needs a trajectory and there is none.
    #[must_use]
    pub fn check(&self, run: &Run<'_>) -> Option<Findings> {
        (run.trajectory.is_some() || !self.needs_trajectory).then(|| (self.check)(run))
    }
}

impl Findings {
    fn look(&mut self) {
        self.looked += 1;
    }

    fn breach(&mut self, version: Option<u64>, line: Option<u64>, what: String) {
        self.breaches.push(Breach { version, line, what });
    }
}
