//! Deltas nested in embeds: refused where a delta changes an embed from inside, opaque where it does not.

use recto_projections::text::{InvalidReason, TextDelta};
use serde_json::Value as Json;

use crate::support::{corpus_lines, delta, text};

#[test]
fn every_nested_case_is_refused_or_opaque() {
    let Some(lines) = corpus_lines("deltas/quill-nested.jsonl.gz") else {
        return;
    };
    let (mut refused, mut opaque) = (0, 0);
    for case in &lines {
        let changes = [&case["a"], &case["b"]].map(|ops| TextDelta::from_json(ops, ""));
        if let [Ok(a), Ok(b)] = changes {
            let base = text(&case["base"]);
            let mut page = base.clone();
            let inverse = page.apply(&a).unwrap();
            assert_eq!(page.to_document().to_json(), case["compose"]);
            assert_eq!(a.invert(&base).unwrap().to_json(), case["invert"]);
            assert_eq!(a.transform(&b, true).to_json(), case["a.transform(b,true)"]);
            assert_eq!(b.transform(&a, false).to_json(), case["b.transform(a,false)"]);
            let mut merged = page.clone();
            merged.apply(&a.transform(&b, true)).unwrap();
            assert_eq!(merged.to_document().to_json(), case["merged"]);
            page.apply(&inverse).unwrap();
            assert_eq!(page, base);
            opaque += 1;
        } else {
            for ops in [&case["a"], &case["b"]] {
                refuses_object_retains(ops);
            }
            refused += 1;
        }
        assert_eq!(delta(&case["base"]).to_json(), case["base"]);
    }
    assert_eq!((refused, opaque), (295, 105));
}

/// Checks that exactly the operations that retain an object are refused, and at the right place.
pub(crate) fn refuses_object_retains(ops: &Json) {
    let first = ops.as_array().unwrap().iter().position(|op| op["retain"].is_object());
    match (TextDelta::from_json(ops, "/ops"), first) {
        (Ok(_), None) => {}
        (Err(invalid), Some(index)) => {
            assert_eq!(invalid.pointer, format!("/ops/{index}/retain"));
            assert!(matches!(invalid.reason, InvalidReason::Malformed { .. }));
        }
        (answer, _) => panic!("{answer:?} to {ops}"),
    }
}
