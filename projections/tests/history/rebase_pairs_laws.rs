//! The laws of rebase over random histories of texts with undos and redos.

use recto_projections::rebase::{Committed, Nature, OnOverwrite, Options, Rebased, rebase, rebase_all};
use recto_projections::text::weave::{EditId, Weave};
use recto_projections::text::{Content, RichText, TextDelta, TextOp};
use recto_projections::{Applied, Delta, Json, Kind, Value};
use serde_json::json;

use crate::page::KEEP;
use crate::random::{Random, histories};
use crate::rebase_laws::text_edit;
use crate::text_history::{Text, code, doc, every_history, random_edit, step};

/// Makes deltas, each of what the one before left; gives what they leave too.
fn mine(random: &mut Random, base: &Value, count: usize) -> (Vec<Applied>, Value) {
    let (mut value, mut deltas) = (base.clone(), Vec::new());
    for _ in 0..count {
        let delta = Delta::from_json(value.kind(), &random_edit(random, &value, "M")).unwrap();
        deltas.extend(value.apply(&delta).ok());
    }
    (deltas, value)
}

fn deltas(applied: &[Applied]) -> Vec<Delta> {
    applied.iter().map(|applied| applied.delta.clone()).collect()
}

fn applied(head: &Value, all: &[Rebased]) -> Value {
    let mut value = head.clone();
    for rebased in all {
        value.apply(&rebased.delta).unwrap();
        value.check_invariants().unwrap();
    }
    value
}

/// Takes back all that stands since a version.
fn all_undone(text: &mut Text, since: u64) -> bool {
    let standing = text.standing(false).into_iter();
    let standing: Vec<u64> = standing.filter(|version| *version > since).collect();
    if !standing.is_empty() {
        text.undo(&standing, KEEP);
    }
    text.clean
}

#[test]
fn over_a_history_that_is_all_undone_a_delta_does_what_it_did_at_its_base() {
    for page in [doc(), code()] {
        let compared = std::cell::Cell::new(0);
        every_history(page, |text, random| {
            let base = text.page.version();
            let start = text.page.head().clone();
            let count = 1 + random.below(3);
            let (mine, wanted) = mine(random, &start, count);
            text.clean = true;
            for _ in 0..1 + random.below(12) {
                step(text, random, base);
            }
            if !all_undone(text, base) {
                return;
            }
            assert_eq!(text.page.json(), start.to_json());
            let over = text.page.committed(base + 1);
            let all = rebase_all(&deltas(&mine), &over, text.page.head(), &Options::default()).unwrap();
            assert_eq!(
                applied(text.page.head(), &all).to_json(),
                wanted.to_json(),
                "{:?}",
                deltas(&mine)
            );
            compared.set(compared.get() + 1);
        });
        assert!(compared.get() > histories(200) / 3, "only {} compared", compared.get());
    }
}

#[test]
fn what_was_rebased_can_be_applied() {
    for page in [doc(), code()] {
        every_history(page, |text, random| {
            let base = text.page.version() - u64::try_from(random.below(text.page.events.len() + 1)).unwrap();
            let start = text.page.states[usize::try_from(base).unwrap()].clone();
            let count = 1 + random.below(3);
            let (mine, _) = mine(random, &start, count);
            for _ in 0..random.below(6) {
                step(text, random, 0);
            }
            let over = text.page.committed(base + 1);
            if let Ok(all) = rebase_all(&deltas(&mine), &over, text.page.head(), &Options::default()) {
                applied(text.page.head(), &all);
            }
        });
    }
}

/// A change of attributes, some of them below others.
fn attributes(random: &mut Random) -> Json {
    let value = random.below(3);
    let change = match random.below(6) {
        0 => json!({"set": {"/y": {}}}),
        1 => json!({"set": {"/y": {"z": value}, "/x": value}}),
        2 | 3 => json!({"set": {"/y/z": value}}),
        4 => json!({"unset": ["/y/z"]}),
        _ => json!({"unset": ["/y"]}),
    };
    json!([{"op": "setAttributes", "set": change.get("set").unwrap_or(&json!({})), "unset": change.get("unset").unwrap_or(&json!([]))}])
}

#[test]
fn what_was_rebased_can_be_applied_with_attributes() {
    let applied_all = std::cell::Cell::new(0);
    every_history(code(), |text, random| {
        let walk = |text: &mut Text, random: &mut Random, steps: usize| {
            for _ in 0..steps {
                step(text, random, 0);
                let standing = text.standing(false);
                match random.below(4) {
                    0 | 1 => drop(text.try_edit(&attributes(random))),
                    2 => drop(random.pick(&standing).map(|edit| text.undo(&[*edit], KEEP))),
                    _ => {}
                }
            }
        };
        let before = random.below(4);
        walk(text, random, before);
        let (base, start) = (text.page.version(), text.page.head().clone());
        let after = 1 + random.below(8);
        walk(text, random, after);
        let mut value = start;
        let mut deltas = Vec::new();
        for _ in 0..1 + random.below(3) {
            let ops = if random.chance(50) {
                attributes(random)
            } else {
                random_edit(random, &value, "M")
            };
            let applied = value.apply(&Delta::from_json(Kind::Code, &ops).unwrap()).ok();
            deltas.extend(applied.map(|applied| applied.delta));
        }
        let over = text.page.committed(base + 1);
        for on_overwrite in [OnOverwrite::Refuse, OnOverwrite::Mine, OnOverwrite::Theirs] {
            for over_first in [true, false] {
                let options = Options {
                    on_overwrite,
                    over_first,
                    force: random.chance(50),
                    ..Options::default()
                };
                if let Ok(all) = rebase_all(&deltas, &over, text.page.head(), &options) {
                    applied(text.page.head(), &all);
                    applied_all.set(applied_all.get() + 1);
                }
            }
        }
    });
    assert!(applied_all.get() > histories(200), "only {} applied", applied_all.get());
}

/// Gives what events did to a document as one change: none if they cannot be told from their base on.
fn change(base: &RichText, over: &[Committed<'_>]) -> TextDelta {
    let mut weave = Weave::of_document(base).unwrap();
    for event in over {
        let Delta::Doc(delta) = event.delta else { panic!() };
        let id = EditId(event.version);
        if event.undoes.is_empty() {
            weave.edit(id, delta).unwrap();
        } else {
            let of: Vec<EditId> = event.undoes.iter().copied().map(EditId).collect();
            weave.undo(id, &of).unwrap();
        }
    }
    let mut text = base.clone();
    text.replay(&weave.change()).unwrap();
    assert_eq!(text.to_document(), weave.rendered(), "the change leads to what shows");
    weave.change()
}

fn text_of(value: &Value) -> &RichText {
    let Value::Doc(doc) = value else { panic!() };
    doc.text()
}

/// One delta against a history with undos, on the server and on a replica, each in both parts.
#[test]
fn both_sides_meet() {
    let met = std::cell::Cell::new(0);
    every_history(doc(), |text, random| {
        let base = text.page.version();
        let start = text.page.head().clone();
        for _ in 0..1 + random.below(12) {
            step(text, random, base);
        }
        let over = text.page.committed(base + 1);
        if over.iter().all(|event| event.undoes.is_empty()) {
            return;
        }
        let whole = Delta::Doc(change(text_of(&start), &over));
        let (one, other) = mine(random, &start, 1);
        let [one] = &one[..] else { return };
        let single = [Committed {
            version: 1,
            actor: "M",
            delta: &one.delta,
            inverse: &one.inverse,
            nature: Nature::Edit,
            undoes: &[],
        }];
        for over_first in [true, false] {
            let options = |over_first| Options {
                over_first,
                ..Options::default()
            };
            let here = rebase(&one.delta, &over, text.page.head(), &options(over_first)).unwrap();
            let there = rebase(&whole, &single, &other, &options(!over_first)).unwrap();
            // What keeps the last newline is of no side.
            if here.notes.is_empty() && there.notes.is_empty() {
                met.set(met.get() + 1);
                assert_eq!(
                    applied(text.page.head(), &[here]).to_json(),
                    applied(&other, &[there]).to_json(),
                    "{} {}",
                    whole.to_json(),
                    one.delta.to_json()
                );
            }
        }
    });
    assert!(met.get() > histories(200) / 2, "only {} met", met.get());
}

/// The letters of a document that are among some, with their attributes, in order.
fn letters(value: &Value, among: &str) -> Vec<(char, Json)> {
    let document = text_of(value).to_document();
    let runs = document.ops().iter().filter_map(|op| match op {
        TextOp::Insert {
            content: Content::Text(text),
            attributes,
        } => {
            let attributes = attributes.as_ref().map_or(Json::Null, |it| it.to_json());
            Some(text.chars().map(move |letter| (letter, attributes.clone())))
        }
        _ => None,
    });
    runs.flatten().filter(|(letter, _)| among.contains(*letter)).collect()
}

#[test]
fn where_nothing_is_undone_one_change_does_as_the_events_one_by_one() {
    const THEIRS: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
    for seed in 0..histories(600) {
        let mut random = Random::new(seed);
        let mut text = Text::new(Kind::Doc, &doc().1);
        let start = text.page.head().clone();
        for letter in &THEIRS[..1 + random.below(THEIRS.len())] {
            let ops = text_edit(&mut random, text_of(text.page.head()).len(), letter);
            text.try_edit(&ops);
        }
        let (mine, _) = mine(&mut random, &start, 1);
        let ([mine], over) = (&mine[..], text.page.committed(1)) else {
            continue;
        };
        if over.is_empty() {
            continue;
        }
        let one_by_one = rebase(&mine.delta, &over, text.page.head(), &Options::default()).unwrap();
        let Delta::Doc(delta) = &mine.delta else { panic!() };
        let at_once = change(text_of(&start), &over).transform(delta, true);
        let mut other = text.page.head().clone();
        if !one_by_one.notes.is_empty() || other.apply(&Delta::Doc(at_once)).is_err() {
            continue;
        }
        let one_by_one = applied(text.page.head(), &[one_by_one]);
        for author in [&THEIRS.concat(), "M", "abc😀defghij\n"] {
            let told = || format!("seed {seed}: {}", mine.delta.to_json());
            assert_eq!(letters(&one_by_one, author), letters(&other, author), "{}", told());
        }
    }
}
