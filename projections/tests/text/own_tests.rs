//! The reference library's own tests.

use std::collections::BTreeMap;

use recto_projections::text::{Attributes, RichText, TextDelta};
use serde_json::{Value as Json, json};

use crate::nested::refuses_object_retains;
use crate::support::{corpus_lines, delta};

#[test]
fn the_own_tests_of_the_real_library_pass() {
    let Some(cases) = corpus_lines("deltas/quill-delta-own-tests.jsonl") else {
        return;
    };
    assert_eq!(cases.len(), 162);
    let mut counts = BTreeMap::new();
    for case in &cases {
        *counts.entry(run(case)).or_insert(0) += 1;
    }
    let expected = BTreeMap::from([
        ("equal", 135),
        ("changes an embed from inside: refused", 24),
        ("no document: refused here too", 3),
    ]);
    assert_eq!(counts, expected);
}

fn run(case: &Json) -> &'static str {
    let method = case["method"].as_str().unwrap();
    if method.starts_with("AttributeMap") {
        check_attributes(method, case);
        return "equal";
    }
    let lists = [&case["self"], &case["args"][0]];
    if lists.iter().any(|ops| retains_object(ops)) {
        lists
            .iter()
            .filter(|ops| ops.is_array())
            .for_each(|ops| refuses_object_retains(ops));
        return "changes an embed from inside: refused";
    }
    if case.get("throws").is_some() {
        assert_eq!(method, "diff");
        let documents = lists.map(|ops| RichText::from_document(&delta(ops)));
        assert!(documents.iter().any(Result::is_err));
        return "no document: refused here too";
    }
    let this = delta(lists[0]);
    if method == "diff" {
        return check_diff(lists, case);
    }
    assert_eq!(answer(method, &this, case), case["result"], "{case}");
    "equal"
}

fn answer(method: &str, this: &TextDelta, case: &Json) -> Json {
    let args = &case["args"];
    let place = |index: usize, default| args[index].as_u64().map_or(default, |at| usize::try_from(at).unwrap());
    let first = args[1].as_bool().unwrap_or(false);
    match method {
        "compose" => this.compose(&delta(&args[0])).unwrap().to_json(),
        "concat" => this.clone().concat(&delta(&args[0])).to_json(),
        "chop" => this.clone().chop().to_json(),
        "length" => json!(this.len()),
        "changeLength" => json!(this.change_len()),
        "slice" => this.slice(place(0, 0), place(1, usize::MAX)).unwrap().to_json(),
        "invert" => {
            let base = RichText::from_document(&delta(&args[0])).unwrap();
            this.invert(&base).unwrap().to_json()
        }
        "transform" if args[0].is_number() => json!(this.transform_position(place(0, 0), first)),
        "transform" => this.transform(&delta(&args[0]), first).to_json(),
        other => panic!("unknown method {other}"),
    }
}

fn check_diff(lists: [&Json; 2], case: &Json) -> &'static str {
    let [a, b] = lists.map(|ops| RichText::from_document(&delta(ops)).unwrap());
    let diff = a.diff(&b);
    let mut changed = a.clone();
    changed.apply(&diff).unwrap();
    assert_eq!(changed, b);
    if diff.to_json() == case["result"] {
        "equal"
    } else {
        "diff: another delta to the same document"
    }
}

fn check_attributes(method: &str, case: &Json) {
    let args = &case["args"];
    let read = |json: &Json| match json {
        Json::Object(_) => Attributes::new(serde_json::from_value(json.clone()).unwrap()).unwrap(),
        _ => None,
    };
    let (a, b) = (read(&args[0]), read(&args[1]));
    let (a, b, flag) = (a.as_ref(), b.as_ref(), args[2].as_bool().unwrap_or(false));
    let answer = match method {
        "AttributeMap.compose" => Attributes::compose(a, b, flag),
        "AttributeMap.diff" => Attributes::diff(a, b),
        "AttributeMap.invert" => Attributes::invert(a, b),
        "AttributeMap.transform" => Attributes::transform(a, b, flag),
        other => panic!("unknown method {other}"),
    };
    assert_eq!(answer, read(&case["result"]), "{case}");
}

fn retains_object(ops: &Json) -> bool {
    ops.as_array().into_iter().flatten().any(|op| op["retain"].is_object())
}
