//! The laws of rebase over random pairs of edits: both orders meet, and nobody's effect is lost.

use recto_projections::rebase::{Committed, Nature, Options, rebase};
use recto_projections::{Applied, Delta, Json, Kind, Value};
use serde_json::json;

use crate::page::Page;
use crate::random::{Random, Span, edit, first_page, histories, normal};

fn over<'a>(applied: &'a Applied, actor: &'a str) -> [Committed<'a>; 1] {
    let Applied { delta, inverse } = applied;
    [Committed {
        version: 1,
        actor,
        delta,
        inverse,
        nature: Nature::Edit,
        undoes: &[],
    }]
}

/// Rebases `delta` over `other` onto `head`, and applies it.
fn brought(delta: &Delta, other: &Applied, head: &Value, options: &Options<'_>) -> Option<Value> {
    let rebased = rebase(delta, &over(other, "other"), head, options).ok()?;
    let mut value = head.clone();
    let before = value.clone();
    let applied = value.apply(&rebased.delta).unwrap();
    value.check_invariants().unwrap();
    let mut back = value.clone();
    back.replay(&applied.inverse).unwrap();
    assert!(back == before);
    Some(value)
}

/// Gives both orders of two edits, where both are accepted.
fn both_orders(start: &Value, a: &Json, b: &Json) -> Option<[Value; 2]> {
    let apply = |ops: &Json| {
        let mut value = start.clone();
        let applied = value.apply(&Delta::from_json(start.kind(), ops).unwrap()).ok()?;
        Some((value, applied))
    };
    let ((after_a, a), (after_b, b)) = (apply(a)?, apply(b)?);
    let a_first = brought(&b.delta, &a, &after_a, &Options::default())?;
    let b_first = brought(
        &a.delta,
        &b,
        &after_b,
        &Options {
            over_first: false,
            ..Options::default()
        },
    )?;
    Some([a_first, b_first])
}

#[test]
fn law_3_both_orders_of_design_edits_meet() {
    let mut met = 0;
    for seed in 0..histories(1500) {
        let mut random = Random::new(seed);
        let start = Value::from_json(Kind::Design, &first_page()).unwrap();
        let (mut fresh, mut other) = (0, 100);
        let a = edit(&mut random, &start, "A", &mut fresh, Span::All);
        let b = edit(&mut random, &start, "B", &mut other, Span::All);
        let Some([ab, ba]) = both_orders(&start, &a, &b) else {
            continue;
        };
        met += 1;
        assert_eq!(
            normal(&ab.to_json())["nodes"],
            normal(&ba.to_json())["nodes"],
            "seed {seed}: {a}\n{b}"
        );
        if !(places(&a) && places(&b)) {
            assert_eq!(keys(&ab), keys(&ba), "seed {seed}: {a}\n{b}");
        }
    }
    assert!(met > histories(1500) / 3, "only {met} pairs were accepted");
}

/// Says whether an edit puts a node among siblings: two that do may choose the same place.
pub(crate) fn places(ops: &Json) -> bool {
    ops.as_array().unwrap().iter().any(|op| {
        op["op"] == "addNode"
            || (op["op"] == "moveNode" && op["placement"] != Json::Null)
            || op["parentId"] != Json::Null
            || op["op"] == "moveNode" && op.get("parentId").is_some()
    })
}

fn keys(value: &Value) -> Vec<(String, String)> {
    let Value::Design(value) = value else { panic!() };
    value
        .tree()
        .map(|node| (node.id().to_string(), node.order().to_string()))
        .collect()
}

#[test]
fn law_3_both_orders_of_text_edits_meet() {
    for seed in 0..histories(1500) {
        let mut random = Random::new(seed);
        let start = Value::from_json(
            Kind::Doc,
            &json!([{"insert": "abcdef", "attributes": {"b": 1}}, {"insert": "gh\n"}]),
        );
        let start = start.unwrap();
        let (a, b) = (text_edit(&mut random, 9, "A"), text_edit(&mut random, 9, "B"));
        if let Some([ab, ba]) = both_orders(&start, &a, &b) {
            assert_eq!(ab.to_json(), ba.to_json(), "seed {seed}: {a}\n{b}");
        }
    }
}

pub(crate) fn text_edit(random: &mut Random, len: usize, letter: &str) -> Json {
    let mut ops = Vec::new();
    let mut at = 0;
    for _ in 0..1 + random.below(3) {
        let skip = random.below(len - at + 1);
        if skip > 0 {
            ops.push(json!({"retain": skip}));
        }
        at += skip;
        let rest = (len - at).min(1 + random.below(3));
        match random.below(3) {
            0 => ops.push(json!({"insert": letter.repeat(1 + random.below(2)), "attributes": {"by": letter}})),
            1 if rest > 0 => {
                ops.push(json!({"delete": rest}));
                at += rest;
            }
            _ if rest > 0 => {
                ops.push(json!({"retain": rest, "attributes": {"b": random.below(3), letter: true}}));
                at += rest;
            }
            _ => {}
        }
    }
    Json::Array(ops)
}

#[test]
fn law_3_both_orders_of_code_edits_meet() {
    let mut met = 0;
    for seed in 0..histories(1500) {
        let mut random = Random::new(seed);
        let files = json!({"files": {"a": "abc", "b": "def", "c": ""}, "entry": "a", "attributes": {"x": 1}});
        let start = Value::from_json(Kind::Code, &files).unwrap();
        let (a, b) = (code_edit(&mut random, &start, "A"), code_edit(&mut random, &start, "B"));
        if let Some([ab, ba]) = both_orders(&start, &a, &b) {
            met += 1;
            assert_eq!(normal(&ab.to_json()), normal(&ba.to_json()), "seed {seed}: {a}\n{b}");
        }
    }
    assert!(met > histories(1500) / 4, "only {met} pairs were accepted");
}

pub(crate) fn code_edit(random: &mut Random, start: &Value, letter: &str) -> Json {
    let mut value = start.clone();
    let mut ops = Vec::new();
    for _ in 0..1 + random.below(3) {
        let Value::Code(code) = &value else { panic!() };
        let paths: Vec<String> = code.files().map(|(path, _)| path.to_string()).collect();
        let path = random.pick(&paths).cloned().unwrap_or_else(|| "a".into());
        let new = ["a", "b", "d", "e"][random.below(4)];
        let len = code.file(&path).map_or(0, |text| text.len());
        let op = match random.below(8) {
            0 => json!({"op": "addFile", "path": new, "text": letter}),
            1 => json!({"op": "removeFile", "path": path}),
            2 | 3 => json!({"op": "renameFile", "path": path, "to": new}),
            4 => json!({"op": "setEntry", "path": path}),
            5 => json!({"op": "setAttributes", "set": {"/x": random.below(3)}}),
            _ => {
                let at = random.below(len + 1);
                let retain = if at > 0 {
                    vec![json!({"retain": at})]
                } else {
                    Vec::new()
                };
                let delta: Vec<Json> = retain.into_iter().chain([json!({"insert": letter})]).collect();
                json!({"op": "editFile", "path": path, "delta": delta})
            }
        };
        let delta = Delta::from_json(Kind::Code, &json!([op])).unwrap();
        if value.replay(&delta).is_ok() {
            ops.push(op);
        }
    }
    Json::Array(ops)
}

#[test]
fn an_accepted_rebase_loses_nobodys_effect() {
    for seed in 0..histories(1500) {
        let mut random = Random::new(seed);
        let mut page = Page::design(&first_page());
        let mut fresh = 0;
        let mine = edit(&mut random, page.head(), "M", &mut fresh, Span::All);
        for _ in 0..1 + random.below(4) {
            let ops = edit(&mut random, page.head(), "T", &mut fresh, Span::All);
            page.edit("T", ops);
        }
        let before = page.head().clone();
        let Ok(rebased) = page.rebased(0, mine.clone(), &Options::default()) else {
            continue;
        };
        page.append("M", &rebased.delta, Nature::Edit, &[]);
        let (Value::Design(before), Value::Design(after)) = (&before, page.head()) else {
            panic!()
        };
        let touched = fields(&mine);
        for node in before.tree() {
            let Some(now) = after.node(node.id()) else {
                assert!(
                    touched.iter().any(|(id, op)| **id == **node.id() && op == "removeNode"),
                    "seed {seed}: {mine}"
                );
                continue;
            };
            let named = |what: &str| {
                touched
                    .iter()
                    .any(|(id, field)| **id == **node.id() && field.starts_with(what))
            };
            if !named("move") {
                let place = |node: &recto_projections::design::Node| (node.parent().cloned(), node.geometry().clone());
                assert_eq!(place(node), place(now), "seed {seed}: {mine}");
            }
            for (key, value) in node.props() {
                if !named(&format!("/props/{key}")) {
                    assert_eq!(now.props().get(key), Some(value), "seed {seed}: {mine}");
                }
            }
        }
        check_mine(seed, &mine, after);
    }
}

/// Gives the fields that an edit names: pointers, `move`, `removeNode`.
fn fields(ops: &Json) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for op in ops.as_array().unwrap() {
        let id = op["id"].as_str().unwrap_or_default().to_owned();
        match op["op"].as_str().unwrap() {
            "moveNode" => fields.push((id, "move".to_owned())),
            "removeNode" => fields.push((id, "removeNode".to_owned())),
            _ => {
                let set = op["set"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(pointer, _)| pointer.clone());
                let unset = op["unset"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|json| json.as_str())
                    .map(str::to_owned);
                let all = set.chain(unset).chain(op["pointer"].as_str().map(str::to_owned));
                fields.extend(all.map(|field| (id.clone(), field)));
            }
        }
    }
    fields
}

/// The last value that the edit gives each property is there.
fn check_mine(seed: u64, mine: &Json, after: &recto_projections::DesignValue) {
    let ops = mine.as_array().unwrap();
    for (index, op) in ops.iter().enumerate().filter(|(_, op)| op["op"] == "setNode") {
        let id = op["id"].as_str().unwrap();
        let later = |other: &&Json| other["id"] == op["id"];
        if ops[index + 1..].iter().any(|other| later(&other)) {
            continue;
        }
        let node = after.node(id).unwrap().to_json();
        for (pointer, value) in op["set"].as_object().into_iter().flatten() {
            assert_eq!(node.pointer(pointer), Some(value), "seed {seed}: {mine}");
        }
        for pointer in op["unset"].as_array().into_iter().flatten() {
            assert_eq!(node.pointer(pointer.as_str().unwrap()), None, "seed {seed}: {mine}");
        }
    }
}
