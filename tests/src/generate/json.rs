//! Random JSON, with the numbers and strings that get lost on the way through careless code.

use serde_json::Map;

use super::text::words;
use crate::Json;
use crate::seed::Random;

const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "1.0",
    "-0",
    "-0.0",
    "1e3",
    "1E-7",
    "0.1",
    "12345678901234567890",
    "-17.50",
    "3.141592653589793",
    "1e400",
];
const KEYS: [&str; 8] = ["a", "b", "c", "fill", "x y", "a/b", "m~n", "é😀"];

/// A value nested at most so deep.
pub fn json(random: &mut Random, depth: usize) -> Json {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Json::Null,
        1 => Json::Bool(random.chance(1, 2)),
        2 => serde_json::from_str(random.word(&NUMBERS)).expect("a number"),
        3 | 4 => Json::from(words(random, 3)),
        5 => (0..random.below(4)).map(|_| json(random, depth - 1)).collect(),
        _ => Json::Object(object(random, depth - 1)),
    }
}

/// An object with a few keys in any order.
pub(super) fn object(random: &mut Random, depth: usize) -> Map<String, Json> {
    (0..random.below(5))
        .map(|_| (key(random).to_owned(), json(random, depth)))
        .collect()
}

/// A key.
pub(super) fn key(random: &mut Random) -> &'static str {
    random.word(&KEYS)
}
