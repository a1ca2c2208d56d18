//! The laws of the weave over random histories, with the naive model beside it.

use recto_projections::text::weave::{EditId, Weave, first_needed};
use recto_projections::text::{RichText, TextDelta};
use serde_json::json;

use crate::generator::{self, Random, Style};
use crate::history::{AUTHORS, History};
use crate::{cases, delta};

const STYLES: [Style; 2] = [Style::Document, Style::Plain];

#[test]
fn any_order_of_undos_meets_in_the_same_text() {
    every_history("order", |history, random| {
        let active = history.which(true);
        let chosen: Vec<usize> = active.into_iter().filter(|_| random.chance(50)).collect();
        let mut texts = (0..4).map(|round| {
            let before = history.document();
            let mut order = chosen.clone();
            match round {
                0 => {}
                1 => order.reverse(),
                _ => shuffle(&mut order, random),
            }
            if round == 3 {
                history.toggle(&order, false);
            } else {
                order.iter().for_each(|edit| drop(history.toggle(&[*edit], false)));
            }
            let text = history.document();
            shuffle(&mut order, random);
            order.iter().for_each(|edit| drop(history.toggle(&[*edit], true)));
            assert_eq!(history.document(), before, "redone in another order");
            text
        });
        let first = texts.next();
        assert!(texts.all(|text| Some(&text) == first.as_ref()));
    });
}

#[test]
fn everything_undone_gives_the_first_text() {
    every_history("all", |history, random| {
        let mut active = history.which(true);
        shuffle(&mut active, random);
        active.iter().for_each(|edit| drop(history.toggle(&[*edit], false)));
        assert_eq!(history.document(), history.start);
        let all: Vec<usize> = history.which(false);
        history.toggle(&all, true);
        history.toggle(&all, false);
        assert_eq!(history.document(), history.start);
    });
}

#[test]
fn an_undo_undone_at_once_gives_the_text_before() {
    every_history("redo", |history, random| {
        for _ in 0..10 {
            let of: Vec<EditId> = (0..=random.below(3)).map(|_| random.pick(&history.edits).1).collect();
            let before = history.document();
            let undo = history.undo(&of);
            let between = history.document();
            let redo = history.undo(&[undo]);
            assert_eq!(history.document(), before);
            let again = history.undo(&[redo]);
            assert_eq!(history.document(), between);
            history.undo(&[again]);
            assert_eq!(history.document(), before);
        }
    });
}

#[test]
fn fifty_rounds_keep_deltas_the_same() {
    every_history("rounds", |history, random| {
        let edit = random.below(history.edits.len());
        let (first, off) = (history.is_active(edit), history.document());
        let one = history.toggle(&[edit], !first);
        let other = history.toggle(&[edit], first);
        for _ in 0..50 {
            assert_eq!(history.toggle(&[edit], !first), one);
            assert_eq!(history.toggle(&[edit], first), other);
        }
        assert_eq!(history.document(), off);
    });
}

/// A weave that starts at the first event that is needed gives the same deltas as one that holds everything.
#[test]
fn the_start_does_not_matter() {
    for seed in 0..cases(150) {
        let mut random = Random::new(seed);
        let style = *random.pick(&STYLES);
        let mut history = History::new(&start(style), style).without_naive();
        // The text before each event, the event's delta where it is an edit, and what it undoes where it is none.
        let mut log: Vec<(RichText, Option<TextDelta>, Vec<EditId>)> = Vec::new();
        for _ in 0..40 {
            let before = history.text.clone();
            if random.chance(70) || log.len() < 3 {
                let author = random.below(AUTHORS);
                history.edit(author, &mut random);
                log.push((before, Some(history.newest.clone()), Vec::new()));
            } else {
                let of = EditId(u64::try_from(1 + random.below(log.len())).unwrap());
                history.undo(&[of]);
                log.push((before, None, vec![of]));
            }
        }
        let of = EditId(u64::try_from(1 + random.below(log.len())).unwrap());
        let undos = log.iter().enumerate().rev().filter(|(_, (.., of))| !of.is_empty());
        let undos = undos.map(|(index, (.., of))| (event(index), of));
        let first = first_needed(&[of], undos).unwrap();
        let from = usize::try_from(first.0).unwrap() - 1;
        let mut weave = match style {
            Style::Document => Weave::of_document(&log[from].0).unwrap(),
            Style::Plain => Weave::new(&log[from].0).unwrap(),
        };
        for (index, (_, delta, of)) in log.iter().enumerate().skip(from) {
            match delta {
                Some(delta) => weave.edit(event(index), delta).unwrap(),
                None => drop(weave.undo(event(index), of).unwrap()),
            }
        }
        assert_eq!(weave.rendered(), history.document(), "seed {seed}");
        let late = weave.preview(&[of]).unwrap();
        assert_eq!(late, history.weave.preview(&[of]).unwrap(), "seed {seed}, from {first}");
    }
}

/// Long histories: the tree of runs grows by several levels. Compared with what the deltas make of the text.
#[test]
fn long_histories_stay_in_step() {
    for seed in 0..cases(2) {
        let mut random = Random::new(seed);
        let style = STYLES[usize::from(seed % 2 == 1)];
        let mut text = RichText::from_document(&start(style)).unwrap();
        let first = text.to_document();
        let mut weave = match style {
            Style::Document => Weave::of_document(&text).unwrap(),
            Style::Plain => Weave::new(&text).unwrap(),
        };
        for step in 1..=20_000 {
            let edit = generator::edit(&text, random.below(AUTHORS), style, &mut random);
            weave.edit(EditId(step), &edit).unwrap();
            text.replay(&edit).unwrap();
            if step % 20 == 0 {
                let edit = EditId(1 + u64::try_from(random.below(usize::try_from(step).unwrap())).unwrap());
                let on = weave.is_active(edit) == Some(false);
                text.replay(&weave.toggle(&[edit], on).unwrap()).unwrap();
            }
            if step % 2_000 == 0 {
                assert_eq!(weave.rendered(), text.to_document(), "seed {seed}, step {step}");
            }
        }
        let active: Vec<EditId> = weave.active().collect();
        let before = text.to_document();
        text.replay(&weave.toggle(&active, false).unwrap()).unwrap();
        assert_eq!(text.to_document(), first);
        text.replay(&weave.toggle(&active, true).unwrap()).unwrap();
        assert_eq!(text.to_document(), before);
        eprintln!("seed {seed}: {} runs, {} units show", weave.run_count(), weave.len());
    }
}

pub(crate) fn every_history(law: &str, check: impl Fn(&mut History, &mut Random)) {
    for seed in 0..cases(60) {
        for style in STYLES {
            let mut random = Random::new(seed);
            let steps = match seed % 20 {
                0 => 500,
                1..4 => 100,
                _ => 2 + random.below(30),
            };
            let mut history = History::new(&start(style), style);
            let named = std::panic::AssertUnwindSafe(|| {
                (0..steps).for_each(|_| step(&mut history, &mut random));
                check(&mut history, &mut random);
            });
            if let Err(panic) = std::panic::catch_unwind(named) {
                eprintln!("law {law:?}, seed {seed}, {steps} steps");
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// Edits mostly, undos and redos of one edit or of several at once, as many as keep the text from growing.
fn step(history: &mut History, random: &mut Random) {
    let (active, undone) = (history.which(true), history.which(false));
    let choice = random.below(100);
    if choice < 60 || active.is_empty() {
        history.edit(random.below(AUTHORS), random);
    } else if choice < 85 {
        let edits: Vec<usize> = (0..=random.below(3)).map(|_| *random.pick(&active)).collect();
        history.toggle(&edits, false);
    } else if !undone.is_empty() {
        let edits: Vec<usize> = (0..=random.below(2)).map(|_| *random.pick(&undone)).collect();
        history.toggle(&edits, true);
    }
}

pub(crate) fn start(style: Style) -> TextDelta {
    delta(&match style {
        Style::Document => json!([
            { "insert": "abc😀def" },
            { "insert": "g\u{1f468}\u{200d}\u{1f469}h", "attributes": { "bold": true } },
            { "insert": { "image": "start" }, "attributes": { "link": { "u": 1 } } },
            { "insert": "\n", "attributes": { "header": 1 } },
            { "insert": "second line\n" }
        ]),
        Style::Plain => json!([{ "insert": "fn main() {\r\n    // 😀 漢字\r\n}\r\n" }]),
    })
}

fn event(index: usize) -> EditId {
    EditId(u64::try_from(index + 1).unwrap())
}

pub(crate) fn shuffle(items: &mut [usize], random: &mut Random) {
    for index in (1..items.len()).rev() {
        items.swap(index, random.below(index + 1));
    }
}
