//! Whatever one author undoes, nothing of the others is lost.

use recto_projections::text::{Attributes, Content, RichText, TextDelta, TextOp};
use serde_json::{Value as Json, json};

use crate::cases;
use crate::generator::{Random, Style};
use crate::history::{AUTHORS, History};
use crate::laws::{every_history, shuffle, start};

#[test]
fn nobody_elses_letters_are_lost() {
    every_history("lost", |history, random| {
        let author = random.below(AUTHORS);
        let mut own: Vec<usize> = history.which(true);
        own.retain(|edit| history.edits[*edit].0 == author);
        shuffle(&mut own, random);
        let before = history.letters_of(|by| by != author);
        let deletes_of_others_stand = history.letters_of(|by| by == author);
        own.iter().for_each(|edit| drop(history.toggle(&[*edit], false)));
        // What the author deleted of theirs is back, what they typed stands.
        assert!(history.letters_of(|by| by != author) >= before);
        assert_eq!(history.letters_of(|by| by == author), Some(0));
        own.iter().rev().for_each(|edit| drop(history.toggle(&[*edit], true)));
        assert_eq!(history.letters_of(|by| by != author), before);
        assert_eq!(history.letters_of(|by| by == author), deletes_of_others_stand);
    });
}

/// Each author sets an attribute of their own. When one is undone, the others' attributes stand as they stood.
#[test]
fn nobody_elses_attributes_are_lost() {
    for seed in 0..cases(60) {
        let mut random = Random::new(seed);
        let mut history = History::new(&start(Style::Document), Style::Document);
        for _ in 0..40 {
            let author = random.below(2);
            let edit = attribute_edit(&history.text, author, &mut random);
            history.commit(author, &edit);
        }
        let before = letters_of_others(&history);
        let mut own = history.which(true);
        own.retain(|edit| history.edits[*edit].0 == 0);
        shuffle(&mut own, &mut random);
        for edit in own {
            history.toggle(&[edit], false);
            assert_eq!(letters_of_others(&history), before, "seed {seed}");
        }
    }
}

/// Inserts the author's letter with the author's attribute, or sets that attribute somewhere.
fn attribute_edit(text: &RichText, author: usize, random: &mut Random) -> TextDelta {
    let (one, two) = (random.below(text.len()), random.below(text.len()));
    let places = [one.min(two), one.max(two)];
    let [from, to] = places.map(|at| at - usize::from(!text.is_boundary(at)));
    let name = ["own", "other"][author].to_owned();
    let value = random.pick(&[json!(1), json!(2), json!(null)]).clone();
    let insert = random.chance(50) && !value.is_null();
    let attributes = Attributes::new([(name, value)].into()).unwrap();
    let delta = TextDelta::new().retain(from, None);
    match insert {
        true => delta.insert(["O", "X"][author], attributes),
        false => delta.retain(to - from, attributes),
    }
}

/// Returns what the first author did not write, with what the second one set on it.
fn letters_of_others(history: &History) -> Vec<(String, Option<Json>)> {
    let document = history.document();
    let op = |op: &TextOp| {
        let TextOp::Insert { content, attributes } = op else {
            return Vec::new();
        };
        let other = attributes.as_ref().and_then(|it| it.get("other").cloned());
        let letters = match content {
            Content::Text(text) => text.chars().filter(|it| *it != 'O').map(String::from).collect(),
            Content::Embed(embed) => vec![embed.canonical().to_owned()],
        };
        letters.into_iter().map(|letter| (letter, other.clone())).collect()
    };
    document.ops().iter().flat_map(op).collect()
}
