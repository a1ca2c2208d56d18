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

/// An undo of a turn of which a part showed nothing, and its redo.
#[test]
fn a_redo_of_what_changed_nothing_changes_nothing() {
    let mut page = sheet(json!(0));
    let own: Vec<u64> = (0..2).map(|value| set(&mut page, json!(["ben", value]))).collect();
    for value in 0..2 {
        set(&mut page, json!(["cy", value]));
    }
    let overwritten = set(&mut page, json!(["cy", 2]));
    let last = set(&mut page, json!(["ben", 2]));
    set(&mut page, json!("ada"));
    undo(&mut page, &[overwritten], RESTORE);
    assert_eq!(page.json(), json!(["cy", 1]));
    let first = undo(&mut page, &[own[1], last], RESTORE);
    assert!(first.steps[0].delta.is_empty() && first.steps[0].remember);
    let turn = [page.version() - 1, page.version()];
    undo(&mut page, &[own[0]], RESTORE);
    let alone = page.version();
    undo(&mut page, &[alone], RESTORE);
    undo(&mut page, &turn, RESTORE);
    assert_eq!(page.json(), json!(["cy", 1]));
}

/// Whatever happened before, a redo right after an undo leads back to the state before, and an undo that showed nothing is
/// followed by a redo that shows nothing.
#[test]
fn a_redo_right_after_an_undo_gives_the_state_before() {
    for seed in 0..histories(600) {
        let mut random = Random::new(seed);
        let mut page = sheet(json!(100));
        for _ in 0..2 + random.below(25) {
            let how = [KEEP, RESTORE][random.below(2)];
            if random.chance(50) {
                let value = json!(random.below(3));
                if page.json() != value {
                    set(&mut page, value);
                }
                continue;
            }
            let mut targets = page.standing();
            targets.retain(|_| random.chance(30));
            if targets.is_empty() {
                continue;
            }
            let (before, version) = (page.json(), page.version());
            undo(&mut page, &targets, how);
            if random.chance(50) {
                let (mut undos, between): (Vec<u64>, _) = ((version + 1..=page.version()).collect(), page.version());
                for redo in 0..3 {
                    if undos.is_empty() {
                        break;
                    }
                    let plan = undo(&mut page, &undos, [KEEP, RESTORE][random.below(2)]);
                    assert!(plan.conflicts.is_empty(), "seed {seed}, redo {redo}: {plan:?}");
                    if redo % 2 == 0 {
                        assert_eq!(page.json(), before, "seed {seed}, redo {redo}");
                    }
                    let since = undos.iter().max().copied().unwrap_or(between);
                    undos = (since + 1..=page.version()).collect();
                }
            }
        }
    }
}

/// An undo that showed nothing is undone where others came since: that shows something only where nobody stands over it.
#[test]
fn an_undo_of_an_undo_that_showed_nothing_leaves_what_others_set_since() {
    for seed in 0..histories(600) {
        let mut random = Random::new(seed);
        let mut page = sheet(json!(100));
        let own = set(&mut page, json!(0));
        for _ in 0..1 + random.below(4) {
            let value = json!(random.below(3));
            if page.json() != value {
                set(&mut page, value);
            }
        }
        let before = page.version();
        let plan = undo(&mut page, &[own], [KEEP, RESTORE][random.below(2)]);
        let undone = page.version();
        if undone == before || !whole_delta(&plan).is_empty() {
            continue;
        }
        for _ in 0..1 + random.below(3) {
            let value = json!(random.below(3));
            if page.json() != value {
                set(&mut page, value);
            }
        }
        let now = page.json();
        undo(&mut page, &[undone], [KEEP, RESTORE][random.below(2)]);
        if page.version() > before + 2 {
            assert_eq!(page.json(), now, "seed {seed}");
        }
    }
}
