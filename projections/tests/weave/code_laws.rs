//! The laws over random histories of CODE pages.

use recto_projections::text::weave::{EditId, OnConflict};
use serde_json::{Value as Json, json};

use crate::cases;
use crate::code_history::{CodeHistory, code, typed};
use crate::generator::{Random, letters};

const PATHS: [&str; 7] = ["a", "b", "c", "dir/a", "dir/b", "main.rs", "z"];

/// An undo undone at once gives the page before, conflicts or not; and applied to the page, an undo's operations make
/// exactly what the weave shows, which is compared at every step.
#[test]
fn an_undo_undone_at_once_gives_the_page_before() {
    every_history(|page, edits, random| {
        for _ in 0..10 {
            let of: Vec<EditId> = (0..=random.below(3)).map(|_| *random.pick(edits)).collect();
            let on_conflict = *random.pick(&[OnConflict::Keep, OnConflict::Force]);
            let before = page.value.clone();
            let undo = page.undo_with(&of, on_conflict);
            let between = page.value.clone();
            let redo = page.undo(&[undo]);
            assert_eq!(page.value, before);
            let again = page.undo(&[redo]);
            assert_eq!(page.value, between);
            page.undo(&[again]);
            assert_eq!(page.value, before);
        }
    });
}

/// Everything undone at once gives the first page, and nothing is refused; and one by one, the newest first.
#[test]
fn everything_undone_gives_the_first_page() {
    every_history(|page, edits, _| {
        let undo = page.undo(edits);
        assert!(page.conflicts.iter().all(|conflict| !conflict.is_refusal()));
        assert_eq!(page.json(), start());
        page.undo(&[undo]);
        for edit in edits.iter().rev() {
            page.undo(&[*edit]);
        }
        page.undo(edits);
        assert_eq!(page.json(), start());
    });
}

/// Undone in any order, what met a conflict can be undone with all the rest.
#[test]
fn everything_undone_in_any_order_gives_the_first_page() {
    every_history(|page, edits, random| {
        let mut order = edits.to_vec();
        for index in (1..order.len()).rev() {
            order.swap(index, random.below(index + 1));
        }
        for edit in &order {
            page.undo(&[*edit]);
        }
        page.undo(edits);
        assert_eq!(page.json(), start());
    });
}

/// Where no conflict is met, the order of undos does not matter.
#[test]
fn orders_without_conflicts_meet_in_the_same_page() {
    let mut met = 0;
    every_history(|page, edits, random| {
        for _ in 0..10 {
            let (one, other) = (*random.pick(edits), *random.pick(edits));
            let first = run(page, &[one, other]);
            let second = run(page, &[other, one]);
            let together = page.weave.preview(&[one, other], OnConflict::Keep).unwrap();
            if let (Some(first), Some(second)) = (first, second) {
                assert_eq!(first, second);
                assert!(together.conflicts.iter().all(|conflict| !conflict.is_refusal()));
                met += 1;
            }
        }
    });
    assert!(met > 100);
}

/// Undoes events one after the other, and takes that back; returns the page in between, if no conflict was met.
fn run(page: &mut CodeHistory, events: &[EditId]) -> Option<Json> {
    let mut undos = Vec::new();
    let mut met = false;
    for event in events {
        undos.push(page.undo(&[*event]));
        met |= page.conflicts.iter().any(|conflict| conflict.is_refusal());
    }
    let between = page.json();
    for undo in undos.iter().rev() {
        page.undo(&[*undo]);
    }
    (!met).then_some(between)
}

pub(crate) fn every_history(mut check: impl FnMut(&mut CodeHistory, &[EditId], &mut Random)) {
    for seed in 0..cases(250) {
        let mut random = Random::new(seed);
        let mut page = CodeHistory::new(&start());
        let mut edits = Vec::new();
        let steps = if seed % 25 == 0 { 200 } else { 2 + random.below(30) };
        let named = std::panic::AssertUnwindSafe(|| {
            for _ in 0..steps {
                step(&mut page, &mut edits, &mut random);
            }
            if !edits.is_empty() {
                check(&mut page, &edits, &mut random);
            }
        });
        if let Err(panic) = std::panic::catch_unwind(named) {
            eprintln!("seed {seed}, {steps} steps, event {}", page.newest());
            std::panic::resume_unwind(panic);
        }
    }
}

fn start() -> Json {
    json!({
        "files": { "a": "alpha\r\n", "b": "beta 😀", "dir/a": "" }, "entry": "a",
        "attributes": { "theme": "light", "tabs": { "size": 4 } }
    })
}

fn step(page: &mut CodeHistory, edits: &mut Vec<EditId>, random: &mut Random) {
    if random.chance(65) || edits.is_empty() {
        let ops: Vec<Json> = (0..=random.below(3)).map(|_| op(page, random)).collect();
        // Operations that do not fit each other are tried one by one.
        match page.try_edit(&json!(ops)) {
            Some(edit) => edits.push(edit),
            None => edits.extend(ops.iter().filter_map(|op| page.try_edit(&json!([op])))),
        }
    } else {
        let newest = usize::try_from(page.newest()).unwrap();
        let of = [EditId(u64::try_from(1 + random.below(newest)).unwrap())];
        page.undo_with(
            &of,
            *random.pick(&[OnConflict::Keep, OnConflict::Keep, OnConflict::Force]),
        );
    }
}

fn op(page: &CodeHistory, random: &mut Random) -> Json {
    let files: Vec<_> = code(&page.value)
        .files()
        .map(|(path, text)| (path.to_string(), text.clone()))
        .collect();
    let other = *random.pick(&PATHS);
    if files.is_empty() || random.chance(12) {
        return json!({ "op": "addFile", "path": other, "text": *random.pick(letters(0)) });
    }
    let (path, text) = random.pick(&files);
    let cut = |at: usize| if text.is_boundary(at) { at } else { at - 1 };
    match random.below(10) {
        0 => json!({ "op": "removeFile", "path": path }),
        1 | 2 => json!({ "op": "renameFile", "path": path, "to": other }),
        3 => {
            json!({ "op": "setEntry", "path": if random.chance(30) { json!(null) } else { json!(path) } })
        }
        4 => {
            let pointer = *random.pick(&["/theme", "/tabs", "/tabs/size", "/font", "/font/bold"]);
            let value = random
                .pick(&[json!("dark"), json!({}), json!({ "size": 2 }), json!(null)])
                .clone();
            match random.chance(30) {
                true => json!({ "op": "setAttributes", "unset": [pointer] }),
                false => json!({ "op": "setAttributes", "set": { pointer: value } }),
            }
        }
        5 | 6 if !text.is_empty() => {
            let from = cut(random.below(text.len()));
            let to = cut((from + 1 + random.below(4)).min(text.len())).max(from);
            let mut delta = vec![json!({ "retain": from }), json!({ "delete": to - from })];
            delta.retain(|op| op["retain"] != 0 && op["delete"] != 0);
            json!({ "op": "editFile", "path": path, "delta": delta })
        }
        _ => {
            let (at, author) = (cut(random.below(text.len() + 1)), random.below(3));
            let letter = *random.pick(letters(author));
            typed(path, at, letter)
        }
    }
}
