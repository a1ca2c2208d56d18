//! A page with its history, as the page service keeps it, but in memory and with every law checked at every event.

use recto_projections::rebase::{Committed, Conflict, Nature, Options, Rebased, Standing, reach, rebase};
use recto_projections::undo::{self, Policy, Request, UndoError, UndoPlan};
use recto_projections::{Delta, Json, Kind, Value};

/// A page: the first state has version 0, the first event makes version 1.
pub(crate) struct Page {
    pub(crate) states: Vec<Value>,
    pub(crate) events: Vec<Event>,
}

pub(crate) struct Event {
    pub(crate) actor: String,
    pub(crate) delta: Delta,
    pub(crate) inverse: Delta,
    pub(crate) nature: Nature,
    pub(crate) undoes: Vec<u64>,
}

/// How an undo is asked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct How {
    pub(crate) policy: Policy,
    pub(crate) force: bool,
}

pub(crate) const KEEP: How = How {
    policy: Policy::Keep,
    force: false,
};
pub(crate) const RESTORE: How = How {
    policy: Policy::Restore,
    force: false,
};
pub(crate) const FORCE: How = How {
    policy: Policy::Keep,
    force: true,
};

impl Page {
    pub(crate) fn new(kind: Kind, json: &Json) -> Page {
        Page {
            states: vec![Value::from_json(kind, json).unwrap()],
            events: Vec::new(),
        }
    }

    pub(crate) fn design(json: &Json) -> Page {
        Page::new(Kind::Design, json)
    }

    pub(crate) fn head(&self) -> &Value {
        self.states.last().unwrap()
    }

    pub(crate) fn version(&self) -> u64 {
        u64::try_from(self.events.len()).unwrap()
    }

    /// Appends an edit made from the head.
    pub(crate) fn edit(&mut self, actor: &str, ops: Json) -> u64 {
        let delta = Delta::from_json(self.head().kind(), &ops).unwrap();
        self.append(actor, &delta, Nature::Edit, &[])
    }

    /// Rebases an edit made from an earlier version.
    pub(crate) fn rebased(&self, base: u64, ops: Json, options: &Options<'_>) -> Result<Rebased, Vec<Conflict>> {
        let delta = Delta::from_json(self.head().kind(), &ops).unwrap();
        rebase(&delta, &self.committed(base + 1), self.head(), options)
    }

    /// Appends an edit made from an earlier version; it must be accepted.
    pub(crate) fn edit_from(&mut self, actor: &str, base: u64, ops: Json) -> u64 {
        self.edit_with(actor, base, ops, &Options::default())
    }

    pub(crate) fn edit_with(&mut self, actor: &str, base: u64, ops: Json, options: &Options<'_>) -> u64 {
        let rebased = self.rebased(base, ops, options).unwrap();
        self.append(actor, &rebased.delta, Nature::Edit, &[])
    }

    /// Expects an edit made from an earlier version to be refused with one conflict.
    pub(crate) fn refused(&self, base: u64, ops: Json) -> Conflict {
        let mut conflicts = self.rebased(base, ops, &Options::default()).unwrap_err();
        assert_eq!(conflicts.len(), 1, "{conflicts:?}");
        conflicts.remove(0)
    }

    /// Gives the events that are not undone.
    pub(crate) fn standing(&self) -> Vec<u64> {
        let events = || self.events.iter().zip(1..);
        let standing = Standing::of(events().map(|(event, version)| (version, event.undoes.as_slice())));
        let standing = events().filter(|(_, version)| !standing.is_undone(*version));
        standing.map(|(_, version)| version).collect()
    }

    pub(crate) fn plan(&self, targets: &[u64], how: How) -> Result<UndoPlan, UndoError> {
        let compensations = self
            .events
            .iter()
            .zip(1..)
            .map(|(event, version)| (version, event.undoes.as_slice()));
        let first = reach(targets, self.version(), compensations).unwrap();
        let plan = self.plan_from(first, targets, how);
        // A longer history never changes the answer.
        let whole = self.plan_from(1, targets, how);
        match (&plan, &whole) {
            (Ok(plan), Ok(whole)) => {
                let after = |plan: &UndoPlan| {
                    let mut value = self.head().clone();
                    plan.steps.iter().for_each(|step| value.replay(&step.delta).unwrap());
                    value.digest()
                };
                if after(plan) != after(whole) {
                    self.dump();
                    eprintln!(
                        "{first} {targets:?}\n{}\n{}",
                        whole_delta(plan).to_json(),
                        whole_delta(whole).to_json()
                    );
                }
                assert_eq!(
                    after(plan),
                    after(whole),
                    "history from {first} on: {plan:?}\nwhole: {whole:?}"
                );
                if plan.conflicts.len() != whole.conflicts.len() {
                    self.dump();
                    eprintln!("{first} {targets:?}\n{plan:#?}\n{whole:#?}");
                }
                assert_eq!(plan.conflicts.len(), whole.conflicts.len());
            }
            (plan, whole) => assert_eq!(plan.is_err(), whole.is_err()),
        }
        plan
    }

    fn plan_from(&self, first: u64, targets: &[u64], how: How) -> Result<UndoPlan, UndoError> {
        let history = self.committed(first);
        let How { policy, force } = how;
        undo::plan(&Request {
            history: &history,
            targets,
            head: self.head(),
            policy,
            force,
        })
    }

    /// Undoes events by one compensation, and appends it also where it changes nothing.
    pub(crate) fn undo_as(&mut self, actor: &str, targets: &[u64], how: How) -> UndoPlan {
        let plan = self.plan(targets, how).unwrap();
        self.append(actor, &whole_delta(&plan), Nature::Edit, targets);
        plan
    }

    /// Undoes events by a compensation for each of them, appended also where it changes nothing.
    pub(crate) fn undo_by_steps(&mut self, actor: &str, targets: &[u64], how: How) -> UndoPlan {
        let plan = self.plan(targets, how).unwrap();
        let mut sorted = targets.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let steps = plan.steps.iter().map(|step| step.target);
        assert_eq!(
            steps.collect::<Vec<_>>(),
            sorted,
            "a step for each target, the newest first"
        );
        for step in &plan.steps {
            self.append(actor, &step.delta, Nature::Edit, &[step.target]);
        }
        plan
    }

    pub(crate) fn undo(&mut self, target: u64) -> UndoPlan {
        self.undo_as("undoer", &[target], KEEP)
    }

    /// Undoes an event; nothing may stand in the way.
    pub(crate) fn undo_clean(&mut self, target: u64) -> u64 {
        let plan = self.undo(target);
        assert!(plan.conflicts.is_empty() && plan.skipped.is_empty(), "{plan:?}");
        self.version()
    }

    /// Appends an event, and checks every law of it.
    pub(crate) fn append(&mut self, actor: &str, delta: &Delta, nature: Nature, undoes: &[u64]) -> u64 {
        let before = self.head().clone();
        let mut after = before.clone();
        let applied = after.apply(delta).unwrap();
        after.check_invariants().unwrap();
        let mut back = after.clone();
        back.replay(&applied.inverse).unwrap();
        assert!(
            back == before && back.digest() == before.digest(),
            "the inverse leads back"
        );
        let mut again = before;
        again.replay(&applied.delta).unwrap();
        assert!(again == after, "the delta as committed leads to the same");
        let (actor, undoes) = (actor.to_owned(), undoes.to_vec());
        self.events.push(Event {
            actor,
            delta: applied.delta,
            inverse: applied.inverse,
            nature,
            undoes,
        });
        self.states.push(after);
        self.version()
    }

    pub(crate) fn dump(&self) {
        for (event, version) in self.events.iter().zip(1..) {
            eprintln!(
                "{version} {} undoes {:?}: {}\n      inverse {}",
                event.actor,
                event.undoes,
                event.delta.to_json(),
                event.inverse.to_json()
            );
        }
    }

    /// Gives the events from a version on.
    pub(crate) fn committed(&self, first: u64) -> Vec<Committed<'_>> {
        let all = self.events.iter().zip(1..).map(|(event, version)| Committed {
            version,
            actor: &event.actor,
            delta: &event.delta,
            inverse: &event.inverse,
            nature: event.nature,
            undoes: &event.undoes,
        });
        all.filter(|event| event.version >= first).collect()
    }

    pub(crate) fn json(&self) -> Json {
        self.head().to_json()
    }

    /// Gives what a pointer names in the page.
    pub(crate) fn at(&self, pointer: &str) -> Option<Json> {
        self.json().pointer(pointer).cloned()
    }

    /// Gives what a pointer names in a property of a node.
    pub(crate) fn prop(&self, node: &str, prop: &str) -> Option<Json> {
        self.at(&format!("/nodes/{node}/props/{prop}"))
    }

    /// Gives the ids of the children of a node, or of the page, in their order.
    pub(crate) fn children(&self, parent: Option<&str>) -> Vec<String> {
        let Value::Design(value) = self.head() else {
            panic!("not a DESIGN page")
        };
        let parent = parent.map(std::sync::Arc::from);
        value
            .children_of(parent.as_ref())
            .map(|node| node.id().to_string())
            .collect()
    }

    pub(crate) fn has(&self, node: &str) -> bool {
        self.at(&format!("/nodes/{node}")).is_some()
    }

    pub(crate) fn is_as_at(&self, version: u64) -> bool {
        let state = &self.states[usize::try_from(version).unwrap()];
        state == self.head() && state.digest() == self.head().digest()
    }
}

/// Gives the operations of all steps of the plan of a DESIGN or SHEET page.
pub(crate) fn whole_delta(plan: &UndoPlan) -> Delta {
    let mut whole = plan.steps[0].delta.clone();
    for step in &plan.steps[1..] {
        match (&mut whole, &step.delta) {
            (Delta::Design(whole), Delta::Design(ops)) => whole.extend(ops.iter().cloned()),
            (Delta::Sheet(whole), Delta::Sheet(ops)) => whole.extend(ops.iter().cloned()),
            _ => panic!("not a DESIGN or SHEET page"),
        }
    }
    whole
}

pub(crate) fn remembers(plan: &UndoPlan) -> bool {
    plan.steps.iter().any(|step| step.remember)
}

/// Gives the codes of the conflicts of a plan.
pub(crate) fn codes(plan: &UndoPlan) -> Vec<&'static str> {
    plan.conflicts.iter().map(|conflict| conflict.kind.code()).collect()
}
