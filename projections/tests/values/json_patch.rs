//! JSON Patch and merge patch cases, as far as they say the same as setting and unsetting by pointer.

use std::collections::BTreeMap;

use recto_projections::{Delta, Json, Kind, Value};
use serde_json::json;

use crate::cases::design;
use crate::check::step;
use crate::support::corpora;

/// Why a case has no counterpart here.
type Misfit = &'static str;

/// What a case comes to.
enum Outcome {
    Value(Json),
    Refused,
    Misfit(Misfit),
}

fn page(doc: &Json) -> Value {
    design(json!({"nodes": [{"id": "n", "type": "t", "props": doc}]}))
}

fn props(value: &Value) -> Json {
    value.to_json().pointer("/nodes/n/props").cloned().unwrap_or_default()
}

/// Applies a patch operation by operation.
fn run(doc: &Json, patch: &[Json]) -> Outcome {
    if !doc.is_object() {
        return Outcome::Misfit("the document is no object");
    }
    let mut value = page(doc);
    for op in patch {
        let ops = match translate(&props(&value), op) {
            Ok(Some(ops)) => ops,
            Ok(None) => continue,
            Err(outcome) => return outcome,
        };
        match Delta::from_json(Kind::Design, &ops) {
            Ok(delta) if step(&mut value, &delta).is_some() => {}
            _ => return Outcome::Refused,
        }
    }
    Outcome::Value(props(&value))
}

fn set(pointer: &str, value: &Json) -> Json {
    json!({"op": "setNode", "id": "n", "set": {format!("/props{pointer}"): value}})
}

fn unset(pointer: &str) -> Json {
    json!({"op": "setNode", "id": "n", "unset": [format!("/props{pointer}")]})
}

/// Says the same as one operation of a patch; `None` if there is nothing to do.
fn translate(doc: &Json, op: &Json) -> Result<Option<Json>, Outcome> {
    let (Some(verb), Some(path)) = (op["op"].as_str(), op["path"].as_str()) else {
        return Err(Outcome::Refused);
    };
    let there = |pointer: &str| doc.pointer(pointer).cloned().ok_or(Outcome::Refused);
    match verb {
        "test" => match there(path)? == op["value"] {
            true => Ok(None),
            false => Err(Outcome::Refused),
        },
        "add" | "replace" | "remove" => {
            member(doc, path)?;
            if verb != "add" {
                there(path)?;
            }
            let value = op.get("value").filter(|_| verb != "remove");
            match (verb, value) {
                ("remove", _) => Ok(Some(json!([unset(path)]))),
                (_, Some(value)) => Ok(Some(json!([set(path, value)]))),
                _ => Err(Outcome::Refused),
            }
        }
        "move" | "copy" => {
            let from = op["from"].as_str().ok_or(Outcome::Refused)?;
            member(doc, from)?;
            member(doc, path)?;
            let value = there(from)?;
            match verb {
                "move" if path == from => Ok(None),
                "move" if path.starts_with(&format!("{from}/")) => Err(Outcome::Refused),
                "move" => Ok(Some(json!([unset(from), set(path, &value)]))),
                _ => Ok(Some(json!([set(path, &value)]))),
            }
        }
        _ => Err(Outcome::Refused),
    }
}

/// Passes over what names the whole document or an element of an array: an array is one value here.
fn member(doc: &Json, pointer: &str) -> Result<(), Outcome> {
    let Some((parent, _)) = pointer.rsplit_once('/') else {
        return Err(Outcome::Misfit("the path is the whole document"));
    };
    let mut up = parent;
    loop {
        if doc.pointer(up).is_some_and(Json::is_array) {
            return Err(Outcome::Misfit("the path goes into an array"));
        }
        match up.rsplit_once('/') {
            Some((parent, _)) => up = parent,
            None => return Ok(()),
        }
    }
}

/// Counts what fits, and what does not by its reason.
#[derive(Default)]
struct Count {
    agreed: usize,
    misfits: BTreeMap<Misfit, usize>,
}

impl Count {
    fn take(&mut self, case: &Json, expected: Option<&Json>) {
        let patch = case["patch"].as_array().map(Vec::as_slice).unwrap_or_default();
        match (run(&case["doc"], patch), expected) {
            (Outcome::Misfit(why), _) => *self.misfits.entry(why).or_default() += 1,
            // As JSON Patch does, without a look at the order of keys.
            (Outcome::Value(value), Some(expected)) => {
                assert!(value == *expected, "{case}\ngives {value}");
                self.agreed += 1;
            }
            (Outcome::Refused, None) => self.agreed += 1,
            (Outcome::Value(value), None) => panic!("{case}\nis to be refused, gives {value}"),
            (Outcome::Refused, Some(_)) => panic!("{case}\nis refused"),
        }
    }

    fn report(&self, name: &str) {
        eprintln!(
            "{name}: {} agree; without a counterpart: {:?}",
            self.agreed, self.misfits
        );
    }
}

#[test]
fn json_patch_suites_agree_where_they_fit() {
    for name in [
        "json-patch-tests.json",
        "json-patch-spec-tests.json",
        "json-patch-rs-revert-tests.json",
    ] {
        let Some(cases) = corpora::json(&format!("jsonpatch/{name}")) else {
            return;
        };
        let mut count = Count::default();
        for case in cases.as_array().unwrap() {
            if case["disabled"] == true || case.get("patch").is_none() {
                *count.misfits.entry("disabled, or only a comment").or_default() += 1;
            } else if case.get("expected").is_none() && case.get("error").is_none() {
                count.take(case, Some(&case["doc"]));
            } else {
                count.take(case, case.get("expected"));
            }
        }
        count.report(name);
        assert!(count.agreed > 0);
    }
}

#[test]
fn json_patch_oracle_agrees_where_it_fits() {
    let Some(lines) = corpora::json_lines("jsonpatch/json-patch-oracle.jsonl.gz") else {
        return;
    };
    let (mut patches, mut merges) = (Count::default(), Count::default());
    for case in &lines {
        match case["kind"].as_str() {
            _ if case["agree"] == false => *patches.misfits.entry("the libraries differ").or_default() += 1,
            Some("patch") => patches.take(case, case.get("expected")),
            _ => merge(&mut merges, case),
        }
    }
    patches.report("patches of the oracle");
    merges.report("merge patches of the oracle");
    assert!(patches.agreed > 300 && merges.agreed > 50);
}

#[test]
fn merge_patch_suite_agrees() {
    let Some(cases) = corpora::json("jsonpatch/json-patch-rs-merge-tests.json") else {
        return;
    };
    let mut count = Count::default();
    cases
        .as_array()
        .unwrap()
        .iter()
        .for_each(|case| merge(&mut count, case));
    count.report("merge patch suite");
}

/// A merge patch is one operation: null unsets, an object goes deeper where one is, all else is set.
fn merge(count: &mut Count, case: &Json) {
    let (doc, patch) = (&case["doc"], &case["patch"]);
    if !doc.is_object() || !patch.is_object() {
        *count
            .misfits
            .entry("the document or the patch is no object")
            .or_default() += 1;
        return;
    }
    let mut op = json!({"op": "setNode", "id": "n", "set": {}, "unset": []});
    gather(doc, patch, "/props", &mut op);
    let mut value = page(doc);
    step(&mut value, &Delta::from_json(Kind::Design, &json!([op])).unwrap()).unwrap();
    assert!(props(&value) == case["expected"], "{case}\ngives {}", props(&value));
    count.agreed += 1;
}

fn gather(doc: &Json, patch: &Json, at: &str, op: &mut Json) {
    for (key, value) in patch.as_object().unwrap() {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        match (doc.get(key), value) {
            (_, Json::Null) => op["unset"].as_array_mut().unwrap().push(Json::from(pointer)),
            (Some(old), value) if old.is_object() && value.is_object() => gather(old, value, &pointer, op),
            (_, value) => op["set"][pointer] = without_nulls(value),
        }
    }
}

fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Json::Object(kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}
