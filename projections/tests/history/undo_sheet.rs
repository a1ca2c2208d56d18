//! Undo of SHEET pages: a register, whose value is that of the newest event that stands.

use std::collections::BTreeSet;

use recto_projections::rebase::ConflictKind;
use recto_projections::undo::{Outcome, Policy, UndoError, UndoNoteKind, UndoPlan};
use recto_projections::{Json, Kind};
use serde_json::json;

use crate::page::{How, KEEP, Page, RESTORE, whole_delta};
use crate::random::{Random, histories};

fn sheet(value: Json) -> Page {
    Page::new(Kind::Sheet, &value)
}

fn set(page: &mut Page, value: Json) -> u64 {
    page.edit("A", json!([{"op": "replaceSheet", "value": value}]))
}

/// Undoes events as the page service does: by an event for each step that needs one.
fn undo(page: &mut Page, targets: &[u64], how: How) -> UndoPlan {
    let plan = page.plan(targets, how).unwrap();
    for step in &plan.steps {
        if step.remember || !step.delta.is_empty() {
            page.append("U", &step.delta, Default::default(), &[step.target]);
        }
    }
    plan
}

#[test]
fn a_value_that_nobody_set_since_goes_back() {
    let mut page = sheet(json!(0));
    let (one, two) = (set(&mut page, json!(1)), set(&mut page, json!(2)));
    undo(&mut page, &[two], KEEP);
    assert_eq!(page.json(), json!(1));
    assert_eq!(undo(&mut page, &[one], KEEP).outcome, Outcome::Applied);
    assert_eq!(page.json(), json!(0));
    // The redo of the second brings back the second, though the first stays undone.
    undo(&mut page, &[3], KEEP);
    assert_eq!(page.json(), json!(2));
    undo(&mut page, &[two], KEEP);
    assert_eq!(page.json(), json!(0));
}

#[test]
fn a_value_that_was_overwritten_stays_or_is_set_back_by_policy() {
    let mut page = sheet(json!(0));
    let (one, two) = (set(&mut page, json!(1)), set(&mut page, json!(2)));
    let plan = undo(&mut page, &[one], KEEP);
    assert_eq!(
        (page.version(), page.json(), plan.outcome),
        (two, json!(2), Outcome::Noop)
    );
    let conflict = &plan.conflicts[0];
    assert_eq!(
        (&conflict.kind, conflict.version),
        (&ConflictKind::Overwritten, Some(two))
    );
    assert_eq!((&conflict.wanted, &conflict.now), (&Some(json!(0)), &Some(json!(2))));
    let abort = How {
        policy: Policy::Abort,
        force: false,
    };
    assert!(matches!(page.plan(&[one], abort), Err(UndoError::Aborted { .. })));
    let plan = undo(&mut page, &[one], RESTORE);
    assert_eq!((page.json(), plan.notes[0].kind), (json!(0), UndoNoteKind::Restored));
    // A redo returns to what overwrote it.
    undo(&mut page, &[3], KEEP);
    assert_eq!(page.json(), json!(2));
}

#[test]
fn what_is_there_already_is_no_conflict_and_remembered() {
    let mut page = sheet(json!(0));
    let (one, two) = (set(&mut page, json!(1)), set(&mut page, json!(0)));
    let plan = undo(&mut page, &[one], KEEP);
    assert!(plan.conflicts.is_empty() && whole_delta(&plan).is_empty() && plan.steps[0].remember);
    undo(&mut page, &[two], KEEP);
    assert_eq!(page.json(), json!(0), "the first is undone");
}

#[test]
fn a_turn_goes_back_step_by_step() {
    let mut page = sheet(json!(0));
    let turn: Vec<u64> = (1..4).map(|value| set(&mut page, json!(value))).collect();
    set(&mut page, json!(3));
    let plan = undo(&mut page, &turn, KEEP);
    assert_eq!(plan.steps.len(), 3);
    assert_eq!(page.json(), json!(0));
}

/// Under the default policy, the value is that of the newest edit that is not undone, whatever is undone and redone.
#[test]
fn the_value_is_that_of_the_newest_edit_that_stands() {
    for seed in 0..histories(400) {
        let mut random = Random::new(seed);
        let mut page = sheet(json!(100));
        // For each edit, its value and the compensation that took it back last.
        let mut edits: Vec<(u64, i32)> = Vec::new();
        let mut undone: BTreeSet<(u64, u64)> = BTreeSet::new();
        for _ in 0..30 {
            let standing: Vec<u64> = edits.iter().map(|(edit, _)| *edit).collect();
            let standing: Vec<u64> = standing
                .into_iter()
                .filter(|edit| !undone.iter().any(|(other, _)| other == edit))
                .collect();
            match random.below(4) {
                0 | 1 => {
                    let value = i32::try_from(random.below(3)).unwrap();
                    if page.json() != json!(value) {
                        edits.push((set(&mut page, json!(value)), value));
                    }
                }
                2 => {
                    if let Some(edit) = random.pick(&standing).copied() {
                        let before = page.version();
                        undo(&mut page, &[edit], KEEP);
                        if page.version() > before {
                            undone.insert((edit, page.version()));
                        }
                    }
                }
                _ => {
                    let all: Vec<_> = undone.iter().copied().collect();
                    if let Some((edit, compensation)) = random.pick(&all).copied() {
                        undo(&mut page, &[compensation], KEEP);
                        undone.remove(&(edit, compensation));
                    }
                }
            }
            let stands = |edit: &&(u64, i32)| !undone.iter().any(|(other, _)| *other == edit.0);
            let newest = edits.iter().rfind(stands).map_or(100, |(_, value)| *value);
            assert_eq!(page.json(), json!(newest), "seed {seed}");
        }
    }
}
