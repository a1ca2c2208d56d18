//! Undo of text edits of a property: against a small and slow reference model, letter by letter.

use std::collections::BTreeSet;

use recto_projections::Json;
use recto_projections::undo::Outcome;
use serde_json::json;

use crate::page::{KEEP, Page, RESTORE, codes, remembers};
use crate::random::{Random, histories};

fn page(text: &str) -> Page {
    Page::design(&json!({"nodes": [{"id": "n", "type": "text", "props": {"text": text}}]}))
}

fn edit(delta: Json) -> Json {
    json!([{"op": "editText", "id": "n", "pointer": "/props/text", "delta": delta}])
}

fn text(page: &Page) -> String {
    page.prop("n", "text").unwrap().as_str().unwrap().to_owned()
}

#[test]
fn a8_an_undone_insert_stays_undone_when_its_deletion_is_undone() {
    for order in [[1, 2], [2, 1]] {
        let mut page = page("BASE");
        page.edit("A", edit(json!([{"retain": 2}, {"insert": "insert"}])));
        page.edit("B", edit(json!([{"retain": 2}, {"delete": 6}])));
        let mut remembered = false;
        for target in order {
            remembered |= remembers(&page.undo(target));
        }
        assert!(remembered);
        assert_eq!(text(&page), "BASE");
    }
}

#[test]
fn a9_overlapping_deletions_are_undone_in_either_order() {
    let between = [["014589", "0123456789"], ["01236789", "0123456789"]];
    for (order, wanted) in [[1, 2], [2, 1]].into_iter().zip(between) {
        let mut page = page("0123456789");
        page.edit("A", edit(json!([{"retain": 4}, {"delete": 2}])));
        page.edit_from("B", 0, edit(json!([{"retain": 2}, {"delete": 6}])));
        assert_eq!(text(&page), "0189");
        for (target, wanted) in order.into_iter().zip(wanted) {
            page.undo_clean(target);
            // The first undo of the two can only bring back what the other has not deleted as well.
            if wanted.len() == 10 {
                assert_eq!(text(&page), wanted);
            }
        }
    }
}

#[test]
fn a10_redo_puts_text_back_on_the_right_side() {
    let mut page = page("");
    let e1 = page.edit("1", edit(json!([{"insert": "zz"}])));
    page.edit("2", edit(json!([{"retain": 1}, {"insert": "y"}])));
    let undo = page.undo_clean(e1);
    assert_eq!(text(&page), "y");
    page.undo_clean(undo);
    assert_eq!(text(&page), "zyz");
}

#[test]
fn a11_undo_keeps_what_another_typed_inside() {
    let mut page = page("");
    let e1 = page.edit("A", edit(json!([{"insert": "hello there"}])));
    page.edit("B", edit(json!([{"retain": 6}, {"insert": "WORLD "}])));
    let undo = page.undo_clean(e1);
    assert_eq!(text(&page), "WORLD ");
    page.undo_clean(undo);
    assert_eq!(text(&page), "hello WORLD there");
}

#[test]
fn e9_insert_and_delete_are_undone_step_by_step() {
    let mut page = page("");
    let e1 = page.edit("A", edit(json!([{"insert": "a"}])));
    let e2 = page.edit("A", edit(json!([{"delete": 1}])));
    page.undo_clean(e2);
    assert_eq!(text(&page), "a");
    page.undo_clean(e1);
    assert_eq!(text(&page), "");
}

#[test]
fn a_text_that_was_set_since_stays_or_is_restored_without_the_edit() {
    let mut page = page("abc");
    let e1 = page.edit("A", edit(json!([{"retain": 1}, {"insert": "X"}])));
    page.edit("B", edit(json!([{"retain": 4}, {"insert": "B"}])));
    let e3 = page.edit(
        "B",
        json!([{"op": "setNode", "id": "n", "set": {"/props/text": "other"}}]),
    );
    let kept = page.plan(&[e1], KEEP).unwrap();
    assert_eq!((codes(&kept), kept.outcome), (vec!["overwritten"], Outcome::Noop));
    assert_eq!(
        (&kept.conflicts[0].wanted, kept.conflicts[0].version),
        (&Some(json!("abcB")), Some(e3))
    );
    page.undo_as("A", &[e1], RESTORE);
    assert_eq!(text(&page), "abcB");
    let undo = page.version();
    page.undo_clean(undo);
    assert_eq!(text(&page), "other", "as it was at the time of the undo");
}

#[test]
fn a_text_set_and_set_back_by_its_undo_is_edited_on() {
    let mut page = page("abc");
    let e1 = page.edit("A", edit(json!([{"retain": 1}, {"insert": "X"}])));
    let e2 = page.edit(
        "B",
        json!([{"op": "setNode", "id": "n", "set": {"/props/text": "other"}}]),
    );
    page.undo_clean(e2);
    page.edit("B", edit(json!([{"insert": "B"}])));
    page.undo_clean(e1);
    assert_eq!(text(&page), "Babc");
}

#[test]
fn a_text_goes_on_after_its_node_was_removed_and_brought_back() {
    let mut page = page("abc");
    let e1 = page.edit("A", edit(json!([{"retain": 1}, {"insert": "X"}])));
    let e2 = page.edit("B", json!([{"op": "removeNode", "id": "n"}]));
    page.undo_clean(e2);
    page.edit("B", edit(json!([{"retain": 4}, {"insert": "B"}])));
    page.undo_clean(e1);
    assert_eq!(text(&page), "abcB");
}

/// One letter that ever stood in the text.
struct Cell {
    letter: char,
    by: Option<u64>,
    out: Vec<u64>,
}

/// The reference: the cells of `shared/models/text-undo.mjs`, without attributes and embeds.
#[derive(Default)]
struct Model {
    cells: Vec<Cell>,
    undone: BTreeSet<u64>,
}

impl Model {
    fn is_visible(&self, cell: &Cell) -> bool {
        cell.by.is_none_or(|by| !self.undone.contains(&by)) && cell.out.iter().all(|edit| self.undone.contains(edit))
    }

    fn text(&self) -> String {
        self.cells
            .iter()
            .filter(|cell| self.is_visible(cell))
            .map(|cell| cell.letter)
            .collect()
    }

    fn skip(&self, mut at: usize) -> usize {
        while at < self.cells.len() && !self.is_visible(&self.cells[at]) {
            at += 1;
        }
        at
    }

    fn edit(&mut self, version: u64, delta: &Json) {
        let mut at = 0;
        for op in delta.as_array().unwrap() {
            if let Some(text) = op["insert"].as_str() {
                at = self.skip(at);
                for letter in text.chars() {
                    self.cells.insert(
                        at,
                        Cell {
                            letter,
                            by: Some(version),
                            out: Vec::new(),
                        },
                    );
                    at += 1;
                }
                continue;
            }
            let mut left = op["retain"].as_u64().or(op["delete"].as_u64()).unwrap();
            while left > 0 {
                at = self.skip(at);
                if op["delete"].is_u64() {
                    self.cells[at].out.push(version);
                }
                left -= u64::try_from(self.cells[at].letter.len_utf16()).unwrap();
                at += 1;
            }
        }
    }
}

fn random_delta(random: &mut Random, text: &str, actor: &str) -> Json {
    let letters: Vec<char> = text.chars().collect();
    let mut delta = Vec::new();
    let mut at = 0;
    for _ in 0..1 + random.below(3) {
        let skip = random.below(letters.len() - at + 1);
        let units = |letters: &[char]| letters.iter().map(|letter| letter.len_utf16()).sum::<usize>();
        if skip > 0 {
            delta.push(json!({"retain": units(&letters[at..at + skip])}));
        }
        at += skip;
        if random.chance(55) || at == letters.len() {
            let letter = if random.chance(10) { "😀" } else { actor };
            delta.push(json!({"insert": letter.repeat(1 + random.below(3))}));
        } else {
            let end = (at + 1 + random.below(5)).min(letters.len());
            delta.push(json!({"delete": units(&letters[at..end])}));
            at = end;
        }
    }
    Json::Array(delta)
}

/// A random history of edits, undos and redos; the page and the model agree at every step.
fn history(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let mut page = page("abcdef😀gh");
    let mut model = Model::default();
    model.cells.extend("abcdef😀gh".chars().map(|letter| Cell {
        letter,
        by: None,
        out: Vec::new(),
    }));
    // Each edit, with the compensation that is the last of its undos and redos.
    let mut edits: Vec<(u64, Option<u64>)> = Vec::new();
    for _ in 0..steps {
        let choice = random.below(10);
        let toggles: Vec<usize> = (0..edits.len())
            .filter(|edit| model.undone.contains(&edits[*edit].0) == (choice >= 8))
            .collect();
        match random.pick(&toggles).copied().filter(|_| choice >= 5) {
            None => {
                let actor = ["A", "B", "C"][random.below(3)];
                let delta = random_delta(&mut random, &text(&page), actor);
                let before = page.head().clone();
                let version = page.edit(actor, edit(delta.clone()));
                if *page.head() == before {
                    page.events.pop();
                    page.states.pop();
                    continue;
                }
                model.edit(version, &page.events.last().unwrap().delta.to_json()[0]["delta"]);
                edits.push((version, None));
            }
            Some(index) => toggle(&mut page, &mut model, &mut edits, index, random.chance(50)),
        }
        if text(&page) != model.text() {
            page.dump();
            eprintln!("undone {:?}", model.undone);
            for c in &model.cells {
                eprintln!("{} by {:?} out {:?}", c.letter, c.by, c.out);
            }
        }
        assert_eq!(text(&page), model.text(), "seed {seed}");
    }
    let mut left: Vec<usize> = (0..edits.len())
        .filter(|edit| !model.undone.contains(&edits[*edit].0))
        .collect();
    while !left.is_empty() {
        let index = left.swap_remove(random.below(left.len()));
        toggle(&mut page, &mut model, &mut edits, index, true);
    }
    assert_eq!(text(&page), "abcdef😀gh", "seed {seed}");
}

/// Undoes or redoes an edit. An undo names the edit itself or, where it was redone, sometimes that redo.
fn toggle(page: &mut Page, model: &mut Model, edits: &mut [(u64, Option<u64>)], index: usize, by_edit: bool) {
    let (edit, last) = edits[index];
    let target = match last {
        Some(last) if model.undone.contains(&edit) || !by_edit => last,
        _ => edit,
    };
    let plan = page.undo(target);
    assert!(plan.conflicts.is_empty() && plan.skipped.is_empty(), "{plan:?}");
    edits[index].1 = Some(page.version());
    if !model.undone.remove(&edit) {
        model.undone.insert(edit);
    }
}

#[test]
fn undo_of_text_agrees_with_the_model_in_short_histories() {
    (0..histories(300)).for_each(|seed| history(seed, 12));
}

#[test]
fn undo_of_text_agrees_with_the_model_in_long_histories() {
    (0..histories(300) / 15).for_each(|seed| history(seed + 1_000_000, 60));
}
