//! Several deltas of one command, rebased at once.

use recto_projections::rebase::{Committed, ConflictKind, Nature, Options, Rebased, rebase, rebase_all};
use recto_projections::{Applied, Delta, Json, Kind, Value};
use serde_json::json;

use crate::page::Page;
use crate::random::{Random, Span, edit, first_page, histories};
use crate::rebase_laws::{code_edit, places, text_edit};

const OTHERS_FIRST: bool = true;

fn options(over_first: bool) -> Options<'static> {
    Options {
        over_first,
        ..Options::default()
    }
}

fn committed<'a>(applied: &'a [Applied]) -> Vec<Committed<'a>> {
    let events = applied
        .iter()
        .zip(1..)
        .map(|(Applied { delta, inverse }, version)| Committed {
            version,
            actor: "other",
            delta,
            inverse,
            nature: Nature::Edit,
            undoes: &[],
        });
    events.collect()
}

/// Makes edits one after the other; gives where they lead, and what they are as committed.
fn made(start: &Value, count: usize, mut next: impl FnMut(&Value) -> Json) -> (Value, Vec<Applied>) {
    let mut value = start.clone();
    let mut applied = Vec::new();
    for _ in 0..count {
        let ops = next(&value);
        applied.extend(value.apply(&Delta::from_json(start.kind(), &ops).unwrap()).ok());
    }
    (value, applied)
}

fn deltas(applied: &[Applied]) -> Vec<Delta> {
    applied.iter().map(|applied| applied.delta.clone()).collect()
}

fn applied_to(head: &Value, results: &[Rebased]) -> Value {
    let mut value = head.clone();
    for rebased in results {
        value.apply(&rebased.delta).unwrap();
        value.check_invariants().unwrap();
    }
    value
}

/// One after the other: each goes over what the others' edit is after those before it.
fn one_by_one(start: &Value, mine: &[Applied], theirs: &Applied, head: &Value) -> Option<Value> {
    let (mut base, mut theirs, mut head) = (start.clone(), theirs.clone(), head.clone());
    for delta in mine {
        let rebased = rebase(
            &delta.delta,
            &committed(&[theirs.clone()]),
            &head,
            &options(OTHERS_FIRST),
        )
        .ok()?;
        head.apply(&rebased.delta).unwrap();
        base.replay(&delta.delta).unwrap();
        let over = committed(std::slice::from_ref(delta));
        let other = rebase(&theirs.delta, &over, &base, &options(!OTHERS_FIRST)).ok()?;
        if !(rebased.notes.is_empty() && other.notes.is_empty()) {
            // A newline that was kept is of neither side.
            return None;
        }
        theirs = base.clone().apply(&other.delta).ok()?;
        if let Delta::Doc(_) = other.delta {
            // An attribute that is there already, and that an apply leaves out, still is what they set.
            theirs.delta = other.delta;
        }
    }
    Some(head)
}

fn law(kind: Kind, start: &Json, mut next: impl FnMut(&mut Random, &Value, &'static str) -> Json, least: u64) {
    let (mut met, mut compared) = (0, 0);
    for seed in 0..histories(600) {
        let mut random = Random::new(seed);
        let start = Value::from_json(kind, start).unwrap();
        let (_, mine) = made(&start, 1 + random.below(4), |value| {
            next(&mut Random::new(seed + 7), value, "M")
        });
        let (head, theirs) = made(&start, 1, |value| next(&mut random, value, "T"));
        let [theirs] = &theirs[..] else { continue };
        let events = committed(std::slice::from_ref(theirs));
        let Ok(all) = rebase_all(&deltas(&mine), &events, &head, &options(OTHERS_FIRST)) else {
            continue;
        };
        met += 1;
        assert_eq!(all.len(), mine.len());
        let at_once = applied_to(&head, &all);
        for (rebased, (index, mine)) in all.iter().zip(mine.iter().enumerate()) {
            assert!(rebased.dropped.iter().all(|dropped| dropped.delta == index));
            assert!(rebased.notes.iter().all(|note| note.delta == index));
            assert!(rebased.origins.iter().all(|origin| *origin < ops(&mine.delta)));
        }
        let fewer = mine.len().saturating_sub(1);
        let first = rebase_all(&deltas(&mine)[..fewer], &events, &head, &options(OTHERS_FIRST)).unwrap();
        assert_eq!(first[..], all[..fewer], "seed {seed}: later deltas do not matter");
        if let Some(single) = one_by_one(&start, &mine, theirs, &head) {
            compared += 1;
            let told = || format!("seed {seed}: {:?} over {}", mine_json(&mine), theirs.delta.to_json());
            assert_eq!(at_once.to_json(), single.to_json(), "{}", told());
        }
    }
    assert!(met > least && compared > least, "{met} accepted, {compared} compared");
}

fn ops(delta: &Delta) -> usize {
    match delta {
        Delta::Design(ops) => ops.len(),
        Delta::Code(ops) => ops.len(),
        Delta::Doc(_) => 1,
        Delta::Sheet(ops) => ops.len(),
    }
}

fn mine_json(mine: &[Applied]) -> Vec<Json> {
    mine.iter().map(|applied| applied.delta.to_json()).collect()
}

#[test]
fn design_deltas_rebased_at_once_are_those_rebased_one_by_one() {
    let mut fresh = [0, 1000];
    let next = |random: &mut Random, value: &Value, actor: &'static str| {
        // Two who choose a place may choose the same.
        loop {
            let ops = edit(random, value, actor, &mut fresh[usize::from(actor == "T")], Span::All);
            if !places(&ops) {
                return ops;
            }
        }
    };
    law(Kind::Design, &first_page(), next, histories(600) / 4);
}

#[test]
fn doc_deltas_rebased_at_once_are_those_rebased_one_by_one() {
    let start = json!([{"insert": "abcdef", "attributes": {"b": 1}}, {"insert": "gh\n"}]);
    let next = |random: &mut Random, value: &Value, actor: &'static str| text_edit(random, doc_len(value), actor);
    law(Kind::Doc, &start, next, histories(600) / 4);
}

#[test]
fn code_deltas_rebased_at_once_are_those_rebased_one_by_one() {
    let start = json!({"files": {"a": "abc", "b": "def", "c": ""}, "entry": "a", "attributes": {"x": 1}});
    law(Kind::Code, &start, code_edit, histories(600) / 5);
}

fn doc_len(value: &Value) -> usize {
    match value {
        Value::Doc(value) => value.text().len(),
        _ => panic!("not a DOC page"),
    }
}

/// Several deltas on both sides: the server and a replica that brings the committed ones over its own meet.
#[test]
fn both_sides_of_doc_deltas_meet() {
    for seed in 0..histories(600) {
        let mut random = Random::new(seed);
        let start = Value::from_json(Kind::Doc, &json!([{"insert": "abcdefgh\n"}])).unwrap();
        // Nobody touches the last newline: what keeps it is of no side.
        let mut edits = |letter| {
            let count = 1 + random.below(3);
            made(&start, count, |value| {
                text_edit(&mut random, doc_len(value) - 1, letter)
            })
        };
        let ((replica, mine), (head, theirs)) = (edits("M"), edits("T"));
        let server = rebase_all(&deltas(&mine), &committed(&theirs), &head, &options(true)).unwrap();
        let replica_rebased = rebase_all(&deltas(&theirs), &committed(&mine), &replica, &options(false)).unwrap();
        assert_eq!(
            applied_to(&head, &server).to_json(),
            applied_to(&replica, &replica_rebased).to_json(),
            "seed {seed}: {:?} over {:?}",
            mine_json(&mine),
            mine_json(&theirs)
        );
    }
}

#[test]
fn a_conflict_names_its_delta_and_operation() {
    let mut page = Page::design(&first_page());
    let id = page.children(None)[0].clone();
    let set = |key: &str, value: i32| json!({"op": "setNode", "id": id, "set": {format!("/props/{key}"): value}});
    page.edit("T", json!([set("w", 1)]));
    let deltas: Vec<Delta> = [json!([set("v", 2)]), json!([set("v", 3), set("w", 4)])]
        .iter()
        .map(|ops| Delta::from_json(Kind::Design, ops).unwrap())
        .collect();
    let conflicts = rebase_all(&deltas, &page.committed(1), page.head(), &Options::default()).unwrap_err();
    assert_eq!(conflicts.len(), 1);
    let conflict = &conflicts[0];
    assert_eq!((conflict.delta, conflict.op), (1, 1));
    assert_eq!(
        (&conflict.to_json()["delta"], &conflict.to_json()["op"]),
        (&json!(1), &json!(1))
    );
    let mine = Options {
        on_overwrite: recto_projections::rebase::OnOverwrite::Mine,
        ..Options::default()
    };
    let all = rebase_all(&deltas, &page.committed(1), page.head(), &mine).unwrap();
    assert_eq!((all[0].origins.clone(), all[1].origins.clone()), (vec![0], vec![0, 1]));
    let note = all[1].notes[0].to_json();
    assert_eq!(
        (&note["delta"], &note["op"], &note["code"]),
        (&json!(1), &json!(1), &json!("took_over"))
    );
}

#[test]
fn a_restore_refuses_all_and_a_sheet_is_not_rebased() {
    let mut page = Page::new(Kind::Sheet, &json!(0));
    let replace = |value: i32| Delta::from_json(Kind::Sheet, &json!([{"op": "replaceSheet", "value": value}])).unwrap();
    let two = [replace(1), replace(2)];
    let none = rebase_all(&two, &[], page.head(), &Options::default()).unwrap();
    assert_eq!(
        none.iter().map(|rebased| rebased.delta.clone()).collect::<Vec<_>>(),
        two
    );
    page.append("T", &replace(3), Nature::Edit, &[]);
    let refused = rebase_all(&two, &page.committed(1), page.head(), &Options::default()).unwrap_err();
    assert_eq!(refused[0].kind, ConflictKind::NotRebased);
    page.append("T", &replace(4), Nature::Restore, &[]);
    let refused = rebase_all(&two, &page.committed(1), page.head(), &Options::default()).unwrap_err();
    assert_eq!((refused.len(), &refused[0].kind), (1, &ConflictKind::RestoredSince));
}
