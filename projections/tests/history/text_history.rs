//! Undo of DOC and CODE pages by their history, as the page service goes about it.

use std::collections::BTreeSet;

use recto_projections::rebase::{Committed, Nature, Standing, reach};
use recto_projections::undo::{self, Outcome, Policy, Request, TextHistory, UndoError, UndoPlan};
use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::page::{How, KEEP, Page};
use crate::random::{Random, histories};
use crate::rebase_laws::{code_edit, text_edit};

/// A page with its history kept at the head.
pub(crate) struct Text {
    pub(crate) page: Page,
    pub(crate) history: TextHistory,
    forced: Vec<bool>,
    /// Whether no undo met a conflict so far: what one leaves as it is counts as undone too.
    pub(crate) clean: bool,
}

impl Text {
    pub(crate) fn new(kind: Kind, start: &Json) -> Text {
        let page = Page::new(kind, start);
        let history = TextHistory::new(page.head()).unwrap();
        Text {
            page,
            history,
            forced: Vec::new(),
            clean: true,
        }
    }

    pub(crate) fn edit(&mut self, ops: &Json) -> u64 {
        self.try_edit(ops).unwrap()
    }

    /// Makes an edit, if it fits and changes something.
    pub(crate) fn try_edit(&mut self, ops: &Json) -> Option<u64> {
        let delta = Delta::from_json(self.page.head().kind(), ops).unwrap();
        let mut after = self.page.head().clone();
        after.replay(&delta).ok()?;
        (after != *self.page.head()).then(|| self.append(&delta, &[], false))
    }

    fn append(&mut self, delta: &Delta, undoes: &[u64], forced: bool) -> u64 {
        let version = self.page.append("A", delta, Nature::Edit, undoes);
        let committed = &self.page.events.last().unwrap().delta;
        self.history.take(version, undoes, forced, committed).unwrap();
        self.forced.push(forced);
        assert_eq!(self.history.newest(), Some(version));
        version
    }

    /// Plans an undo; checks that nothing comes of planning, and that a history from where it must start says the same.
    pub(crate) fn plan(&mut self, targets: &[u64], how: How) -> Result<UndoPlan, UndoError> {
        let plan = self.history.plan(targets, how.policy, how.force);
        assert_eq!(self.history.plan(targets, how.policy, how.force), plan, "a plan is dry");
        assert_eq!(self.history.newest().unwrap_or(0), self.page.version());
        if let Ok(plan) = &plan {
            let other = self.plan_from_reach(targets, how);
            assert_eq!(self.after(plan), self.after(&other), "{plan:?}\n{other:?}");
            // Stored inverses come upon nothing; the history may say what keeps a part from showing.
            let as_many = plan.conflicts.len() == other.conflicts.len() || self.is_tail(targets);
            assert!(as_many, "{plan:?}\n{other:?}");
        }
        plan
    }

    fn is_tail(&self, targets: &[u64]) -> bool {
        let first = targets.iter().min().copied().unwrap_or(0);
        (first..=self.page.version()).all(|version| targets.contains(&version))
    }

    fn plan_from_reach(&self, targets: &[u64], how: How) -> UndoPlan {
        let events = self.page.events.iter().zip(1..);
        let compensations = events.map(|(event, version)| (version, event.undoes.as_slice()));
        let first = reach(targets, self.page.version(), compensations).unwrap();
        let history: Vec<Committed<'_>> = self.page.committed(first);
        let request = Request {
            history: &history,
            targets,
            head: self.page.head(),
            policy: how.policy,
            force: how.force,
        };
        if let Some(newest) = undo::newest(&request).unwrap() {
            return newest;
        }
        assert!(matches!(undo::plan(&request), Err(UndoError::WrongKind { .. })));
        let before = usize::try_from(first - 1).unwrap();
        let mut late = TextHistory::new(&self.page.states[before]).unwrap();
        for (event, forced) in history.iter().zip(&self.forced[before..]) {
            late.take(event.version, event.undoes, *forced, event.delta).unwrap();
        }
        late.plan(targets, how.policy, how.force).unwrap()
    }

    fn after(&self, plan: &UndoPlan) -> Json {
        let mut value = self.page.head().clone();
        for step in &plan.steps {
            value.apply(&step.delta).unwrap();
        }
        value.to_json()
    }

    /// Undoes events by an event for each step that needs one; gives their versions.
    pub(crate) fn undo(&mut self, targets: &[u64], how: How) -> (UndoPlan, Vec<u64>) {
        let plan = self.plan(targets, how).unwrap();
        self.clean &= plan.conflicts.is_empty();
        let mut versions = Vec::new();
        for step in &plan.steps {
            if step.remember || !step.delta.is_empty() {
                versions.push(self.append(&step.delta, &[step.target], how.force));
            }
        }
        (plan, versions)
    }

    /// Says whether no event would be undone twice, once a compensation is undone.
    fn is_only_undo(&self, undone: u64) -> bool {
        let events = self.page.events.iter().zip(1_u64..);
        let mut all: Vec<(u64, Vec<u64>)> = events.map(|(event, version)| (version, event.undoes.clone())).collect();
        all.push((self.page.version() + 1, vec![undone]));
        let standing = Standing::of(all.iter().map(|(version, undoes)| (*version, undoes.as_slice())));
        let stand = all.iter().filter(|(version, _)| !standing.is_undone(*version));
        let mut seen = BTreeSet::new();
        stand.flat_map(|(_, undoes)| undoes).all(|target| seen.insert(*target))
    }

    pub(crate) fn standing(&self, compensations: bool) -> Vec<u64> {
        let all = || self.page.events.iter().zip(1_u64..);
        let standing = Standing::of(all().map(|(event, version)| (version, event.undoes.as_slice())));
        let right =
            all().filter(|(event, version)| event.undoes.is_empty() != compensations && !standing.is_undone(*version));
        right.map(|(_, version)| version).collect()
    }
}

pub(crate) fn doc() -> (Kind, Json) {
    (
        Kind::Doc,
        json!([{"insert": "abc😀def", "attributes": {"b": 1}}, {"insert": "gh\nij\n"}]),
    )
}

pub(crate) fn code() -> (Kind, Json) {
    (
        Kind::Code,
        json!({"files": {"a": "abc", "b": "def", "c": ""}, "entry": "a", "attributes": {"x": 1}}),
    )
}

pub(crate) fn random_edit(random: &mut Random, value: &Value, letter: &str) -> Json {
    match value {
        Value::Doc(doc) => text_edit(random, doc.text().len(), letter),
        _ => code_edit(random, value, letter),
    }
}

pub(crate) fn every_history((kind, start): (Kind, Json), check: impl Fn(&mut Text, &mut Random)) {
    for seed in 0..histories(200) {
        let mut random = Random::new(seed);
        let mut text = Text::new(kind, &start);
        let named = std::panic::AssertUnwindSafe(|| {
            for _ in 0..2 + random.below(40) {
                step(&mut text, &mut random, 0);
            }
            check(&mut text, &mut random);
        });
        if let Err(panic) = std::panic::catch_unwind(named) {
            eprintln!("seed {seed}");
            text.page.dump();
            std::panic::resume_unwind(panic);
        }
    }
}

/// Makes a random edit, undo or redo; of an event after `since`.
pub(crate) fn step(text: &mut Text, random: &mut Random, since: u64) {
    let how = How {
        force: random.chance(20),
        ..KEEP
    };
    let [edits, compensations] = [false, true].map(|compensations| {
        let standing = text.standing(compensations).into_iter();
        standing.filter(|version| *version > since).collect::<Vec<u64>>()
    });
    match random.below(10) {
        0..6 => {
            let letter = ["A", "B", "C"][random.below(3)];
            let ops = random_edit(random, text.page.head(), letter);
            text.try_edit(&ops);
        }
        6 | 7 => drop(random.pick(&edits).map(|edit| text.undo(&[*edit], how))),
        8 => {
            let compensations: Vec<u64> = compensations
                .into_iter()
                .filter(|undo| text.is_only_undo(*undo))
                .collect();
            random.pick(&compensations).map(|undo| text.undo(&[*undo], how));
        }
        _ => {
            let turn: Vec<u64> = edits.into_iter().filter(|_| random.chance(30)).collect();
            if !turn.is_empty() {
                text.undo(&turn, how);
            }
        }
    }
}

/// Everything undone gives the first page, everything redone the page before.
fn all_and_back(text: &mut Text, _: &mut Random) {
    let edits = text.standing(false);
    if edits.is_empty() {
        return;
    }
    let before = text.page.head().clone();
    let (plan, undos) = text.undo(&edits, KEEP);
    assert_eq!(plan.steps.len(), edits.len());
    if text.clean {
        assert_eq!(text.page.json(), text.page.states[0].to_json());
        assert!(plan.outcome != Outcome::Partial);
    }
    for undone in plan.steps.iter().filter(|step| step.remember) {
        let again = text.history.plan(&[undone.target], Policy::Keep, false);
        assert_eq!(again, Err(UndoError::AlreadyUndone { version: undone.target }));
    }
    if undos.is_empty() {
        return;
    }
    let (redo, _) = text.undo(&undos, KEEP);
    if text.clean && redo.conflicts.is_empty() {
        assert_eq!(text.page.json(), before.to_json());
    }
}

#[test]
fn documents_by_their_history() {
    every_history(doc(), all_and_back);
}

#[test]
fn code_pages_by_their_history() {
    every_history(code(), all_and_back);
}

#[test]
fn a_turn_is_its_events_undone_one_by_one() {
    for page in [doc(), code()] {
        every_history(page, |text, random| {
            let turn: Vec<u64> = text.standing(false).into_iter().filter(|_| random.chance(40)).collect();
            if turn.is_empty() {
                return;
            }
            let plan = text.plan(&turn, KEEP).unwrap();
            for step in &plan.steps {
                let alone = text.undo(&[step.target], KEEP).0;
                assert_eq!(alone.steps, std::slice::from_ref(step));
            }
        });
    }
}

#[test]
fn what_cannot_be_undone_is_told_by_type() {
    let mut text = Text::new(doc().0, &doc().1);
    text.edit(&json!([{"insert": "x"}]));
    let unknown = |text: &mut Text, version| text.history.plan(&[version], Policy::Keep, false).unwrap_err();
    assert_eq!(unknown(&mut text, 7), UndoError::UnknownTarget { version: 7 });
    assert_eq!(text.history.plan(&[], Policy::Keep, false), Err(UndoError::NoTarget));
    let undo = text.undo(&[1], KEEP).1;
    assert_eq!(undo, [2]);
    assert_eq!(unknown(&mut text, 1), UndoError::AlreadyUndone { version: 1 });
    let delta = text.page.events[0].delta.clone();
    let again = text.history.take(2, &[], false, &delta);
    assert_eq!(again, Err(UndoError::OutOfOrder { version: 2, newest: 2 }));
    let unfit = Delta::from_json(Kind::Doc, &json!([{"retain": 99}, {"delete": 1}])).unwrap();
    let refused = text.history.take(3, &[], false, &unfit);
    assert!(matches!(refused, Err(UndoError::DoesNotFollow { version: 3, .. })));
    let other = text.history.take(3, &[], false, &Delta::empty(Kind::Design));
    assert_eq!(other, Err(UndoError::WrongKind { kind: Kind::Design }));
    let mut late = TextHistory::new(text.page.head()).unwrap();
    let early = late.take(3, &[1], false, &Delta::empty(Kind::Doc));
    assert_eq!(early, Err(UndoError::UnknownTarget { version: 1 }));
    assert!(TextHistory::new(&Value::empty(Kind::Sheet)).is_err());
    assert!(text.history.weight() > late.weight());
}
