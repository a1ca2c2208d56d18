//! Long texts: many changes in a row against the model, so that the tree splits, joins and shares.

use proptest::collection::vec;
use proptest::prelude::*;
use recto_projections::text::{RichText, TextDelta, TextOp};

use crate::generators::{Step, fit, plain, steps, text};
use crate::model::Model;
use crate::support::config;

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn a_long_history_agrees_with_the_model(
        start in text(600),
        changes in vec((0.0_f64..1.0, steps(6), 0_usize..40), 1..60),
    ) {
        let mut text = start.clone();
        let mut model = Model::of(&start);
        let mut versions = vec![start.clone()];
        let mut inverses = Vec::new();
        for (place, steps, repeat) in changes {
            let delta = somewhere(place, &steps, repeat, &model);
            inverses.push(text.apply(&delta).unwrap());
            model = model.apply(&delta);
            prop_assert_eq!(text.len(), model.len());
            versions.push(text.clone());
        }
        prop_assert_eq!(Model::of(&text), model);
        for inverse in inverses.iter().rev() {
            let version = versions.pop().unwrap();
            prop_assert_eq!(&text, &version);
            prop_assert_eq!(text.digest(), version.digest());
            text.apply(inverse).unwrap();
        }
        prop_assert_eq!(text, start);
    }

    #[test]
    fn slices_are_cut_right(text in text(300), places in vec(0.0_f64..1.0, 2)) {
        let model = Model::of(&text);
        let boundary = |share: &f64| {
            let at = scale(*share, text.len());
            at - usize::from(model.splits(at))
        };
        let mut places: Vec<usize> = places.iter().map(boundary).collect();
        places.sort_unstable();
        let slice = text.slice(places[0], places[1]).unwrap();
        let expected = Model(model.0[places[0]..places[1]].to_vec());
        prop_assert_eq!(Model::empty().apply(&slice), expected);
        prop_assert_eq!(slice, text.to_document().slice(places[0], places[1]).unwrap());
    }

    #[test]
    fn plain_text_comes_back(words in vec(plain(), 0..400)) {
        let plain = words.concat();
        let text = RichText::from_plain(&plain);
        prop_assert_eq!(text.to_plain(), plain.clone());
        prop_assert_eq!(text.plain_chunks().collect::<String>(), plain.clone());
        prop_assert_eq!(text.len(), plain.encode_utf16().count());
        let mut json = Vec::new();
        text.write_plain_json(&mut json);
        prop_assert_eq!(json, serde_json::to_vec(&plain).unwrap());
    }
}

/// Fits steps to a place in the text, with the first insert repeated.
fn somewhere(place: f64, steps: &[Step], repeat: usize, model: &Model) -> TextDelta {
    let mut all = vec![Step::Retain(scale(place, model.len()).max(1), None)];
    all.extend_from_slice(steps);
    let delta = fit(&all, model);
    let mut repeated = TextDelta::new();
    let mut left = repeat;
    for op in delta.ops() {
        while left > 0 && matches!(op, TextOp::Insert { .. }) {
            repeated.push(op.clone());
            left -= 1;
        }
        repeated.push(op.clone());
    }
    repeated
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a length is one"
)]
fn scale(share: f64, len: usize) -> usize {
    (share * len as f64) as usize
}

#[test]
fn a_text_typed_and_deleted_from_every_side_stays_whole() {
    let places = |text: &RichText, round: usize| [0, text.len() / 12 * 6, text.len()][round % 3];
    let mut text = RichText::new();
    for round in 0..3_000 {
        let at = places(&text, round);
        text.apply(&TextDelta::new().retain(at, None).insert("abc😀\n", None))
            .unwrap();
    }
    assert_eq!(text.to_plain(), "abc😀\n".repeat(3_000));
    for round in 0..3_000 {
        let at = places(&text, round).min(text.len() - 6);
        text.apply(&TextDelta::new().retain(at, None).delete(6)).unwrap();
    }
    assert_eq!(text, RichText::new());
}
