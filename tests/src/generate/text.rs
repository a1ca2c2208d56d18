//! Random text and text deltas: emoji, flags, families, combining marks, both kinds of line end.

use serde_json::{Map, json};

use crate::Json;
use crate::model::Text;
use crate::seed::Random;

const PIECES: [&str; 16] = [
    "a",
    "b",
    "word",
    " ",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u{301}",
    "中文",
    "😀",
    "👩‍👩‍👧",
    "🇪🇺",
    "\u{200b}",
    "\\\"",
    "العربية",
];
/// One delta of so many is made without looking at the text.
const CARELESS_ONE_OF: usize = 16;

/// A text of at most so many pieces, and of one at least.
pub fn words(random: &mut Random, pieces_max: usize) -> String {
    (0..random.within(1, pieces_max))
        .map(|_| *random.pick(&PIECES))
        .collect()
}

/// A document.
pub(super) fn document(random: &mut Random) -> Json {
    let mut ops: Vec<Json> = (0..random.below(6)).map(|_| insert(random, true)).collect();
    ops.push(json!({ "insert": "\n" }));
    Json::Array(ops)
}

/// A delta for a document.
pub(super) fn rich_delta(random: &mut Random, text: &Text) -> Json {
    delta(random, text, true)
}

/// A delta for plain text.
pub(super) fn plain_delta(random: &mut Random, text: &Text) -> Json {
    delta(random, text, false)
}

/// Runs of retain, insert, delete, of which the last is no plain retain, which would say nothing.
fn delta(random: &mut Random, text: &Text, rich: bool) -> Json {
    if random.chance(1, CARELESS_ONE_OF) {
        return careless_delta(random, text);
    }
    let mut ops = Vec::new();
    let mut at = 0;
    for _ in 0..random.within(1, 3) {
        let retain = length(random, text, at);
        if retain > 0 {
            ops.push(with_attributes(random, json!({ "retain": retain }), rich, true));
            at += retain;
        }
        if random.chance(2, 3) {
            ops.push(insert(random, rich));
        }
        let delete = length(random, text, at);
        if delete > 0 && random.chance(1, 2) {
            ops.push(json!({ "delete": delete }));
            at += delete;
        }
    }
    while ops
        .last()
        .is_some_and(|op| op.get("retain").is_some() && op.get("attributes").is_none())
    {
        ops.pop();
    }
    Json::Array(ops)
}

/// Two operations whose boundaries may lie anywhere: in a pair, behind the end.
fn careless_delta(random: &mut Random, text: &Text) -> Json {
    let retain = random.within(1, text.len() + 3);
    let second = if random.chance(1, 2) {
        json!({ "insert": "x" })
    } else {
        json!({ "delete": random.within(1, 4) })
    };
    json!([{ "retain": retain }, second])
}

/// A length from a place on: not over the end, nor the last unit, nor into a pair.
fn length(random: &mut Random, text: &Text, at: usize) -> usize {
    let left = text.len().saturating_sub(at + 1);
    let length = random.below(left.min(12) + 1);
    if text.is_split_at(at + length) {
        length + 1
    } else {
        length
    }
}

fn insert(random: &mut Random, rich: bool) -> Json {
    let content = match random.below(8) {
        0 if rich => json!({ "image": "https://example.org/1.png" }),
        1 if rich => json!({ "unknown": { "deep": [1.0, null, { "b": 1, "a": 2 }] } }),
        _ => Json::from(words(random, 4)),
    };
    with_attributes(random, json!({ "insert": content }), rich, false)
}

fn with_attributes(random: &mut Random, mut op: Json, rich: bool, patch: bool) -> Json {
    if rich && random.chance(1, 3) {
        op["attributes"] = Json::Object(attributes(random, patch));
    }
    op
}

fn attributes(random: &mut Random, patch: bool) -> Map<String, Json> {
    let values = [
        json!(true),
        json!({ "u": 1 }),
        json!("bullet"),
        json!(2),
        json!(2.0),
        Json::Null,
    ];
    let usable = if patch { values.len() } else { values.len() - 1 };
    let names = ["bold", "link", "list", "size"];
    (0..random.within(1, 2))
        .map(|_| {
            (
                (*random.pick(&names)).to_owned(),
                random.pick(&values[..usable]).clone(),
            )
        })
        .collect()
}
