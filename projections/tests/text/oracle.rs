//! The answers of the real quill-delta package to random cases, all of them, with every exception counted and named.

use std::collections::BTreeMap;

use recto_projections::text::{Attributes, RichText, TextDelta, TextFault, TextOp};
use serde_json::{Value as Json, json};

use crate::reference;
use crate::support::{corpus_lines, delta, sha256, text};

/// What happened, by name, and how often.
type Counts = BTreeMap<&'static str, usize>;

#[test]
fn every_answer_of_the_real_library_is_ours() {
    let Some(lines) = corpus_lines("deltas/quill-oracle.jsonl.gz") else {
        return;
    };
    let mut counts = Counts::new();
    for case in &lines {
        let kind = case["kind"].as_str().unwrap();
        match kind {
            "compose" => composes(case, &mut counts),
            "composeDeltas" => composes_deltas(case, &mut counts),
            "composeRaw" => composes_raw(case, &mut counts),
            "invert" => inverts(case, &mut counts),
            "transform" => transforms(case, &mut counts),
            "transformPosition" => moves_places(case, &mut counts),
            "diff" => differs(case, &mut counts),
            "slice" => slices(case, &mut counts),
            "changeLength" => counts_length(case, &mut counts),
            "attributes" => works_on_attributes(case, &mut counts),
            "chain" => follows_chains(case, &mut counts),
            other => panic!("unknown kind {other}"),
        }
    }
    let cases = [
        ("attributes", 500),
        ("chain", 200),
        ("changeLength", 200),
        ("compose", 1500),
        ("composeDeltas", 800),
        ("composeRaw", 300),
        ("diff", 1000),
        ("invert", 1300),
        ("slice", 300),
        ("transform", 1600),
        ("transformPosition", 600),
    ];
    let exceptions = [
        // Where the library breaks a rule.
        ("compose: reaches past the end, refused", 42),
        ("composeRaw: reaches past the end, refused", 21),
        ("composeRaw: a retain at the end splits a pair, refused", 6),
        ("slice: of a text, reaches past the end, refused", 232),
        ("inverse: equal objects taken for a change by the library", 1),
        // Where there is more than one right answer.
        ("diff: the same answer", 829),
        ("diff: no more units touched", 990),
        // What is not offered.
        ("changeLength: lines of a document, not offered", 200),
        ("diff: a cursor as a hint, not offered", 212),
    ];
    let expected: Counts = cases.into_iter().chain(exceptions).collect();
    assert_eq!(counts, expected);
}

#[test]
fn the_large_answers_of_the_real_library_are_ours() {
    let Some(lines) = corpus_lines("deltas/quill-large.jsonl.gz") else {
        return;
    };
    assert_eq!(lines.len(), 12);
    for case in &lines {
        let (base_ops, delta_ops) = (case["base"].as_array().unwrap(), case["delta"].as_array().unwrap());
        let after = reference::compose(base_ops, delta_ops);
        let inverse = reference::invert(delta_ops, base_ops);
        let hash = |ops: &[Json]| json!(sha256(Json::from(ops).to_string().as_bytes()));
        assert_eq!(
            (hash(&after), hash(&inverse)),
            (case["resultSha256"].clone(), case["invertedSha256"].clone())
        );
        let (base, change) = (text(&case["base"]), delta(&case["delta"]));
        assert_eq!(json!(base.len()), case["baseLength"]);
        let mut changed = base.clone();
        let own_inverse = changed.apply(&change).unwrap();
        assert_eq!(json!(changed.len()), case["resultLength"]);
        assert_eq!(changed.to_document().to_json(), Json::from(after.clone()));
        assert_eq!(
            base.to_document().compose(&change).unwrap().to_json(),
            Json::from(after)
        );
        assert_inverse(&change, &base, &Json::from(inverse), &mut Counts::new());
        changed.apply(&own_inverse).unwrap();
        assert_eq!(changed, base);
        assert_eq!(changed.digest(), base.digest());
    }
}

fn composes(case: &Json, counts: &mut Counts) {
    let (base, change) = (delta(&case["base"]), delta(&case["delta"]));
    assert_eq!(base.compose(&change).unwrap().to_json(), case["result"], "{case}");
    let text = text(&case["base"]);
    if change.base_len() > base.len() {
        refuses_range(&text, &change);
        count(counts, "compose: reaches past the end, refused");
    } else {
        assert_eq!(applied(&text, &change).to_document().to_json(), case["result"]);
    }
    count(counts, "compose");
}

fn composes_deltas(case: &Json, counts: &mut Counts) {
    let (a, b) = (delta(&case["a"]), delta(&case["b"]));
    let both = a.compose(&b).unwrap();
    assert_eq!(both.to_json(), case["result"]);
    let base = text(&case["base"]);
    assert_eq!(applied(&base, &both).to_document().to_json(), case["final"]);
    assert_eq!(applied(&applied(&base, &a), &b).to_document().to_json(), case["final"]);
    count(counts, "composeDeltas");
}

fn composes_raw(case: &Json, counts: &mut Counts) {
    let (base, change) = (delta(&case["base"]), delta(&case["delta"]));
    let text = text(&case["base"]);
    if let Err(fault) = base.compose(&change) {
        assert_eq!(text.clone().apply(&change), Err(fault));
        assert!(!text.is_boundary(change.base_len()));
        assert_eq!(base.compose(&change.chop()).unwrap().to_json(), case["result"]);
        count(counts, "composeRaw: a retain at the end splits a pair, refused");
        return count(counts, "composeRaw");
    }
    assert_eq!(base.compose(&change).unwrap().to_json(), case["result"]);
    if change.base_len() > base.len() {
        refuses_range(&text, &change);
        count(counts, "composeRaw: reaches past the end, refused");
    } else {
        assert_eq!(applied(&text, &change).to_document().to_json(), case["result"]);
    }
    count(counts, "composeRaw");
}

fn inverts(case: &Json, counts: &mut Counts) {
    let (base, change) = (text(&case["base"]), delta(&case["delta"]));
    assert_inverse(&change, &base, &case["inverted"], counts);
    let mut changed = base.clone();
    let inverse = changed.apply(&change).unwrap();
    assert_eq!(changed.to_document().to_json(), case["after"]);
    let theirs = applied(&changed, &delta(&case["inverted"]));
    changed.apply(&inverse).unwrap();
    assert_eq!(changed.to_document().to_json(), case["back"]);
    assert_eq!(changed.digest(), base.digest());
    assert_eq!(theirs, base);
    count(counts, "invert");
}

fn transforms(case: &Json, counts: &mut Counts) {
    let (a, b) = (delta(&case["a"]), delta(&case["b"]));
    assert_eq!(a.transform(&b, true).to_json(), case["a.transform(b,true)"]);
    assert_eq!(a.transform(&b, false).to_json(), case["a.transform(b,false)"]);
    assert_eq!(b.transform(&a, true).to_json(), case["b.transform(a,true)"]);
    assert_eq!(b.transform(&a, false).to_json(), case["b.transform(a,false)"]);
    let base = text(&case["base"]);
    let left = applied(&applied(&base, &a), &a.transform(&b, true));
    let right = applied(&applied(&base, &b), &b.transform(&a, false));
    assert_eq!(left.to_document().to_json(), case["merged"]);
    assert_eq!(right, left);
    count(counts, "transform");
}

fn moves_places(case: &Json, counts: &mut Counts) {
    let change = delta(&case["delta"]);
    for place in case["positions"].as_array().unwrap() {
        let at = number(&place[0]);
        assert_eq!(change.transform_position(at, false), number(&place[1]));
        assert_eq!(change.transform_position(at, true), number(&place[2]));
    }
    count(counts, "transformPosition");
}

fn differs(case: &Json, counts: &mut Counts) {
    let (a, b) = (text(&case["a"]), text(&case["b"]));
    let diff = a.diff(&b);
    assert_eq!(applied(&a, &diff), b);
    assert_eq!(applied(&a, &delta(&case["result"])), b);
    count(counts, "diff");
    if diff.to_json() == case["result"] {
        count(counts, "diff: the same answer");
    }
    if size(&diff) <= size(&delta(&case["result"])) {
        count(counts, "diff: no more units touched");
    }
    if case.get("cursor").is_some() {
        count(counts, "diff: a cursor as a hint, not offered");
    }
}

fn slices(case: &Json, counts: &mut Counts) {
    let (document, base) = (delta(&case["base"]), text(&case["base"]));
    assert_eq!(document.len(), number(&case["length"]));
    for slice in case["slices"].as_array().unwrap() {
        let (start, end) = (number(&slice[0]), number(&slice[1]));
        assert_eq!(document.slice(start, end).unwrap().to_json(), slice[2]);
        if end > base.len() {
            let reach = if start > base.len() { start } else { end };
            let refused = TextFault::OutOfRange { reach, len: base.len() };
            assert_eq!(base.slice(start, end), Err(refused));
            count(counts, "slice: of a text, reaches past the end, refused");
        } else {
            assert_eq!(base.slice(start, end).unwrap().to_json(), slice[2]);
        }
    }
    count(counts, "slice");
}

fn counts_length(case: &Json, counts: &mut Counts) {
    let change = delta(&case["delta"]);
    assert_eq!(json!(change.len()), case["length"]);
    assert_eq!(json!(change.change_len()), case["changeLength"]);
    count(counts, "changeLength");
    count(counts, "changeLength: lines of a document, not offered");
}

fn works_on_attributes(case: &Json, counts: &mut Counts) {
    let read = |name: &str| match &case[name] {
        Json::Null => None,
        json => Attributes::new(serde_json::from_value(json.clone()).unwrap()).unwrap(),
    };
    let (a, b, base) = (read("a"), read("b"), read("base"));
    let (a, b, base) = (a.as_ref(), b.as_ref(), base.as_ref());
    let check = |ours: Option<Attributes>, name: &str| {
        assert_eq!(ours, read(name), "{name} of {case}");
    };
    check(Attributes::compose(a, b, false), "compose");
    check(Attributes::compose(a, b, true), "composeKeepNull");
    check(Attributes::diff(a, b), "diff");
    check(Attributes::transform(a, b, true), "transformPriority");
    check(Attributes::transform(a, b, false), "transformNoPriority");
    if Attributes::invert(a, base) == read("invert") {
        check(Attributes::invert(a, base), "invert");
    } else {
        assert_eq!(Attributes::invert(a, base), without_equal(read("invert"), a));
        count(counts, "attributes: equal objects taken for a change by the library");
    }
    count(counts, "attributes");
}

fn follows_chains(case: &Json, counts: &mut Counts) {
    let start = text(&case["start"]);
    let mut page = start.clone();
    let mut inverses = Vec::new();
    let mut squashed = TextDelta::new();
    for (index, json) in case["deltas"].as_array().unwrap().iter().enumerate() {
        let change = delta(json);
        assert_inverse(&change, &page, &case["inverses"][index], counts);
        inverses.push(page.apply(&change).unwrap());
        squashed = squashed.compose(&change).unwrap();
        assert_eq!(page.len(), number(&case["lengths"][index]));
    }
    assert_eq!(page.to_document().to_json(), case["final"]);
    assert_eq!(json!(page.to_plain()), case["finalText"]);
    assert_eq!(squashed.to_json(), case["squashed"]);
    assert_eq!(applied(&start, &squashed), page);
    inverses
        .iter()
        .rev()
        .for_each(|inverse| drop(page.apply(inverse).unwrap()));
    assert_eq!(page, start);
    assert_eq!(page.digest(), start.digest());
    count(counts, "chain");
}

/// Compares the inverse of a delta with the library's. It may differ where the library takes equal objects for different.
fn assert_inverse(change: &TextDelta, base: &RichText, expected: &Json, counts: &mut Counts) {
    let inverse = change.invert(base).unwrap();
    if inverse.to_json() == *expected {
        return;
    }
    let changed = applied(base, change);
    assert_eq!(
        changed.effective(&delta(expected)).unwrap(),
        changed.effective(&inverse).unwrap()
    );
    count(counts, "inverse: equal objects taken for a change by the library");
}

/// Takes out of an inverse what the patch had set to the same value.
fn without_equal(inverse: Option<Attributes>, patch: Option<&Attributes>) -> Option<Attributes> {
    let names = inverse.iter().flat_map(Attributes::iter);
    let kept = names.filter(|(name, value)| patch.and_then(|patch| patch.get(name)) != Some(*value));
    Attributes::new(kept.map(|(name, value)| (name.to_owned(), value.clone())).collect()).unwrap()
}

fn refuses_range(text: &RichText, change: &TextDelta) {
    let refused = TextFault::OutOfRange {
        reach: change.base_len(),
        len: text.len(),
    };
    assert_eq!(text.clone().apply(change), Err(refused));
}

fn applied(text: &RichText, delta: &TextDelta) -> RichText {
    let mut text = text.clone();
    text.apply(delta).unwrap();
    text
}

/// How many units a delta puts in and takes out.
fn size(delta: &TextDelta) -> usize {
    let changes = delta.ops().iter().filter(|op| !matches!(op, TextOp::Retain { .. }));
    changes.map(TextOp::len).sum()
}

fn count(counts: &mut Counts, what: &'static str) {
    *counts.entry(what).or_default() += 1;
}

fn number(json: &Json) -> usize {
    usize::try_from(json.as_u64().unwrap()).unwrap()
}
