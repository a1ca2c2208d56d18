//! Changes that cut surrogate pairs: refused, all of them, and nothing else.

use recto_projections::text::TextFault;
use serde_json::Value as Json;

use crate::model::Model;
use crate::support::{corpus, delta, text};

#[test]
fn every_change_that_splits_a_pair_is_refused() {
    let Some(lines) = corpus("deltas/quill-lone-surrogates.jsonl.gz") else {
        return;
    };
    let (mut refused, mut lone, mut equal) = (0, 0, 0);
    for line in lines.lines() {
        let case: Json = serde_json::from_str(&without_lone_surrogates(line)).unwrap();
        let (base, change) = (text(&case["base"]), delta(&case["delta"]));
        let model = Model::of(&base);
        let mut at = 0;
        let cuts = change.ops().iter().map(|op| {
            at += op.base_len();
            at
        });
        let first = cuts.into_iter().find(|at| model.splits(*at));
        let mut page = base.clone();
        match (page.apply(&change), first) {
            (Err(fault), Some(at)) => {
                assert_eq!(fault, TextFault::SplitsSurrogate { at });
                assert_eq!(change.invert(&base), Err(fault));
                assert_eq!(page, base);
                refused += 1;
                lone += usize::from(case.get("loneSurrogate").is_some());
            }
            (Ok(_), None) => {
                assert_eq!(page.to_document().to_json(), case["result"]);
                assert_eq!(change.invert(&base).unwrap().to_json(), case["inverted"]);
                equal += 1;
            }
            (answer, _) => panic!("{answer:?} to {line}"),
        }
    }
    // What the library broke (103 cases) is among what is refused.
    assert_eq!((refused, lone, equal), (108, 103, 192));
}

/// Halves of pairs are the only escapes of their kind in the file, and no text of Rust can hold one.
fn without_lone_surrogates(line: &str) -> String {
    let mut parts = line.split("\\ud");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "\\ufffd" + &part[3..])
}
