//! The laws of the text algebra, over random texts and changes.

use proptest::prelude::*;
use recto_projections::text::{RichText, TextDelta, TextFault};

use crate::generators::{attributes, fit, steps, text};
use crate::model::Model;
use crate::support::config;

fn after(text: &RichText, delta: &TextDelta) -> RichText {
    let mut text = text.clone();
    text.apply(delta).unwrap();
    text
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn applying_agrees_with_the_model(text in text(12), steps in steps(10)) {
        let model = Model::of(&text);
        let delta = fit(&steps, &model);
        let new = after(&text, &delta);
        prop_assert_eq!(Model::of(&new), model.apply(&delta));
        prop_assert_eq!(new.len(), model.apply(&delta).len());
        let mut replayed = text.clone();
        replayed.replay(&delta).unwrap();
        prop_assert_eq!(replayed, new);
    }

    #[test]
    fn the_inverse_gives_back_the_earlier_state(text in text(12), steps in steps(10)) {
        let delta = fit(&steps, &Model::of(&text));
        let mut changed = text.clone();
        let inverse = changed.apply(&delta).unwrap();
        let again = changed.apply(&inverse).unwrap();
        prop_assert_eq!(changed.digest(), text.digest());
        prop_assert!(changed.weight() > 0);
        prop_assert_eq!(&changed, &text);
        changed.apply(&again).unwrap();
        prop_assert_eq!(changed, after(&text, &delta));
    }

    #[test]
    fn the_inverse_made_beforehand_does_the_same(text in text(12), steps in steps(10)) {
        let delta = fit(&steps, &Model::of(&text));
        let inverse = delta.invert(&text).unwrap();
        prop_assert_eq!(after(&after(&text, &delta), &inverse), text);
    }

    #[test]
    fn what_changes_nothing_is_left_out(text in text(12), steps in steps(10)) {
        let delta = fit(&steps, &Model::of(&text));
        let effective = text.effective(&delta).unwrap().into_owned();
        let mut changed = text.clone();
        let inverse = changed.apply(&delta).unwrap();
        prop_assert_eq!(&after(&text, &effective), &changed);
        prop_assert_eq!(&effective.invert(&text).unwrap(), &inverse);
        prop_assert_eq!(text.effective(&effective).unwrap().into_owned(), effective.clone());
        // What the change leads back to is written as the change itself, where it takes nothing out.
        if delta.change_len() == isize::try_from(delta.len() - delta.base_len()).unwrap() {
            prop_assert_eq!(inverse.is_empty(), effective.is_empty());
        }
    }

    #[test]
    fn a_composed_delta_does_what_its_parts_do(text in text(12), a in steps(8), b in steps(8)) {
        let a = fit(&a, &Model::of(&text));
        let between = after(&text, &a);
        let b = fit(&b, &Model::of(&between));
        let both = a.compose(&b).unwrap();
        prop_assert_eq!(after(&text, &both), after(&between, &b));
        let document = text.to_document().compose(&both).unwrap();
        prop_assert_eq!(document, after(&between, &b).to_document());
    }

    #[test]
    fn composing_is_associative(text in text(8), a in steps(6), b in steps(6), c in steps(6)) {
        let a = fit(&a, &Model::of(&text));
        let second = after(&text, &a);
        let b = fit(&b, &Model::of(&second));
        let third = after(&second, &b);
        let c = fit(&c, &Model::of(&third));
        let left = a.compose(&b).unwrap().compose(&c).unwrap();
        let right = a.compose(&b.compose(&c).unwrap()).unwrap();
        prop_assert_eq!(after(&text, &left), after(&text, &right));
    }

    #[test]
    fn transformed_deltas_meet(text in text(12), a in steps(8), b in steps(8), first in any::<bool>()) {
        let model = Model::of(&text);
        let (a, b) = (fit(&a, &model), fit(&b, &model));
        let left = after(&after(&text, &a), &a.transform(&b, first));
        let right = after(&after(&text, &b), &b.transform(&a, !first));
        prop_assert_eq!(left, right);
    }

    #[test]
    fn a_place_moves_as_an_insert_at_it_does(text in text(12), steps in steps(8), place in 0_usize..60, first in any::<bool>()) {
        let model = Model::of(&text);
        let delta = fit(&steps, &model);
        let place = place.min(text.len());
        let place = place - usize::from(model.splits(place));
        let mark = TextDelta::new().retain(place, None).insert("|", None);
        let moved = delta.transform(&mark, !first);
        let at = moved.base_len();
        prop_assert_eq!(delta.transform_position(place, first), at);
    }

    #[test]
    fn the_digest_does_not_tell_how_a_text_came_about(text in text(12), a in steps(8), b in steps(8)) {
        let mut grown = text.clone();
        for steps in [&a, &b] {
            let delta = fit(steps, &Model::of(&grown));
            grown.apply(&delta).unwrap();
        }
        let built = RichText::from_document(&grown.to_document()).unwrap();
        prop_assert_eq!(built.digest(), grown.digest());
        prop_assert_eq!(&built, &grown);
        // Text that differs differs in its digest.
        prop_assert_eq!(text.digest() == grown.digest(), text == grown);
    }

    #[test]
    fn a_failed_apply_changes_nothing(text in text(12), steps in steps(8), past in 1_usize..9, patch in attributes(true)) {
        let model = Model::of(&text);
        let delta = fit(&steps, &model);
        let mut changed = text.clone();
        let beyond = text.len() + past;
        let reaching = delta.clone().retain(beyond - delta.base_len(), patch).insert("x", None);
        let out_of_range = TextFault::OutOfRange { reach: beyond, len: text.len() };
        prop_assert_eq!(changed.apply(&reaching), Err(out_of_range.clone()));
        prop_assert_eq!(changed.replay(&reaching), Err(out_of_range.clone()));
        prop_assert_eq!(reaching.invert(&text), Err(out_of_range));
        for at in (0..text.len()).filter(|at| model.splits(*at)) {
            let splitting = [
                TextDelta::new().retain(at, None).insert("x", None),
                TextDelta::new().retain(at, None).delete(1),
                TextDelta::new().delete(at),
                TextDelta::new().insert("x", None).retain(at, None).retain(1, attributes_of("bold")),
            ];
            for delta in splitting {
                prop_assert_eq!(changed.apply(&delta), Err(TextFault::SplitsSurrogate { at }));
            }
        }
        prop_assert_eq!(changed.digest(), text.digest());
        prop_assert_eq!(changed, text);
    }

    #[test]
    fn a_clone_keeps_its_state(text in text(40), a in steps(20)) {
        let kept = text.clone();
        let document = text.to_document();
        let mut changed = text;
        let delta = fit(&a, &Model::of(&changed));
        changed.apply(&delta).unwrap();
        prop_assert_eq!(kept.to_document(), document);
    }
}

fn attributes_of(name: &str) -> Option<recto_projections::text::Attributes> {
    let map = [(name.to_owned(), serde_json::Value::Bool(true))].into();
    recto_projections::text::Attributes::new(map).unwrap()
}

#[test]
fn texts_and_deltas_go_to_other_threads() {
    fn sendable<T: Send + Sync + 'static>() {}
    sendable::<RichText>();
    sendable::<TextDelta>();
}
