//! Deltas found between two texts.

use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use recto_projections::text::{RichText, TextDelta, apply_plain, diff_plain};
use serde_json::{Value as Json, json};

use crate::generators::{fit, plain, steps, text};
use crate::model::Model;
use crate::support::config;

fn leads(from: &RichText, to: &RichText) -> TextDelta {
    let delta = from.diff(to);
    let mut changed = from.clone();
    changed.apply(&delta).unwrap();
    assert_eq!(changed, *to);
    assert_eq!(changed.digest(), to.digest());
    delta
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_diff_leads_from_one_text_to_the_other(a in text(20), b in text(20), steps in steps(10)) {
        leads(&a, &b);
        let mut near = a.clone();
        near.apply(&fit(&steps, &Model::of(&a))).unwrap();
        let delta = leads(&a, &near);
        prop_assert_eq!(delta.is_empty(), a == near);
        prop_assert_eq!(a.diff(&near), delta);
        prop_assert!(near.diff(&near).is_empty());
        // The same text, however it is stored, does not differ.
        let built = RichText::from_document(&near.to_document()).unwrap();
        prop_assert!(near.diff(&built).is_empty());
    }

    #[test]
    fn a_plain_diff_leads_from_one_text_to_the_other(
        lines in vec((plain(), plain(), 0_u8..8), 0..40),
    ) {
        // Each line stays, or goes, comes, or changes.
        let pick = |kinds: [u8; 2], line: &(String, String, u8)| match line.2 {
            kind if kind == kinds[0] => String::new(),
            kind if kind == kinds[1] => line.1.clone() + "\n",
            _ => line.0.clone() + "\n",
        };
        let old: String = lines.iter().map(|line| pick([0, 9], line)).collect();
        let new: String = lines.iter().map(|line| pick([1, 2], line)).collect();
        let delta = diff_plain(&old, &new);
        prop_assert_eq!(&apply_plain(&old, &delta).unwrap().0, &new);
        prop_assert_eq!(delta.is_empty(), old == new);
        prop_assert_eq!(RichText::from_plain(&old).diff(&RichText::from_plain(&new)), delta);
        prop_assert!(diff_plain(&new, &new).is_empty());
    }
}

#[test]
fn a_diff_names_what_changed_and_no_more() {
    let check = |old: &str, new: &str, ops: Json| assert_eq!(diff_plain(old, new).to_json(), ops);
    check("", "", json!([]));
    check("", "a", json!([{"insert": "a"}]));
    check("a", "", json!([{"delete": 1}]));
    check("abc", "abXc", json!([{"retain": 2}, {"insert": "X"}]));
    check(
        "a\nb\nc\n",
        "a\nB\nc\n",
        json!([{"retain": 2}, {"insert": "B"}, {"delete": 1}]),
    );
    check("a\nb\nc\n", "a\nc\n", json!([{"retain": 2}, {"delete": 2}]));
    check(
        "one two three\n",
        "one 2 three\n",
        json!([{"retain": 4}, {"insert": "2"}, {"delete": 3}]),
    );
    check(
        "quick brown\nfox",
        "slow red\nfox",
        json!([
            {"insert": "slow"}, {"delete": 5}, {"retain": 1}, {"insert": "red"}, {"delete": 5},
        ]),
    );
    check(
        "let total_count = 1;",
        "let total_amount = 1;",
        json!([
            {"retain": 10}, {"insert": "am"}, {"delete": 1},
        ]),
    );
}

#[test]
fn embeds_are_compared_as_they_are_written() {
    let page = |ops: Json| crate::support::text(&ops);
    let image = |name: &str| json!({"insert": {"image": name}});
    let diff = |a: Json, b: Json| leads(&page(a), &page(b)).to_json();
    assert_eq!(
        diff(json!([image("a"), image("b")]), json!([image("a"), image("b")])),
        json!([])
    );
    assert_eq!(
        diff(json!([image("a"), image("b")]), json!([image("b")])),
        json!([{"delete": 1}]),
    );
    assert_eq!(
        diff(json!([{"insert": "\u{fffc}"}]), json!([image("a")])),
        json!([image("a"), {"delete": 1}]),
    );
    assert_eq!(
        diff(
            json!([{"insert": "x\u{fffc}"}, image("a")]),
            json!([{"insert": "x"}, image("a"), {"insert": "\u{fffc}"}])
        ),
        json!([{"retain": 1}, image("a"), {"retain": 1}, {"delete": 1}]),
    );
    let bold = json!({"bold": true});
    assert_eq!(
        diff(
            json!([image("a"), {"insert": "xy"}]),
            json!([{"insert": {"image": "a"}, "attributes": bold}, {"insert": "x"}, {"insert": "y", "attributes": bold}])
        ),
        json!([{"retain": 1, "attributes": bold}, {"retain": 1}, {"retain": 1, "attributes": bold}]),
    );
}

#[test]
fn a_change_in_each_line_of_a_long_text_stays_fine() {
    let old: String = (0..20_000)
        .map(|i| format!("    let value_{i} = compute({i});\n"))
        .collect();
    let new: String = (0..20_000)
        .map(|i| format!("        let value_{i} = compute({i});\n"))
        .collect();
    let delta = diff_plain(&old, &new);
    assert_eq!(apply_plain(&old, &delta).unwrap().0, new);
    assert_eq!(delta.len() - delta.base_len(), 80_000);
}

#[test]
fn texts_that_share_little_are_compared_in_bounded_time() {
    let mut state = 1_u64;
    let mut random = |units: usize, alphabet: u64, line: usize| -> String {
        let mut unit = |at: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let letter = b'!' + u8::try_from((state >> 33) % alphabet).unwrap();
            if at % line == line - 1 {
                '\n'
            } else {
                char::from(letter)
            }
        };
        (0..units).map(&mut unit).collect()
    };
    let start = Instant::now();
    let sizes = [
        (7_000, usize::MAX),
        (100_000, usize::MAX),
        (1_000_000, usize::MAX),
        (300_000, 2),
    ];
    for (units, line) in sizes {
        for alphabet in [2, 90] {
            let (old, new) = (random(units, alphabet, line), random(units, alphabet, line));
            let delta = diff_plain(&old, &new);
            assert_eq!(apply_plain(&old, &delta).unwrap().0, new);
        }
    }
    // Unbounded, it would be minutes; so it is a second or two, on the slowest machine a few.
    assert!(start.elapsed() < Duration::from_secs(60));
}
