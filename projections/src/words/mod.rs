//! A change in words, for a log and a diff: one sentence for each thing that changed.
//!
//! ```text
//! added rectangle "hero"                   +12 −3 characters in src/main.rs
//! set fill of "hero" to "#f00"             renamed a.txt to b.txt
//! moved "Title" into "Group 2"             formatted 12 characters: bold
//! ```
//!
//! The words are for people: they leave out what nobody asks for, and no program should read them. A node goes by its name,
//! title or text, else by its id. Characters are counted in UTF-16 units, as deltas count them.

mod backgrounds;
mod code;
mod design;
mod fields;
mod lives;
mod names;
mod phrase;
mod telling;
mod text;

pub use self::names::name;
pub use self::phrase::counted;
use crate::delta::Delta;
use crate::value::Value;

/// How many sentences a change has at most, before the rest is only counted.
pub const WORDS_MAX: usize = 50;

/// Says in words what a delta changes in the value before it: at most [`WORDS_MAX`] sentences and one that counts the rest.
///
/// Any delta and any value give words: where they do not belong together, things go by their ids.
#[must_use]
pub fn describe(delta: &Delta, before: &Value) -> Vec<String> {
    let mut sentences = match (delta, before) {
        (Delta::Design(ops), Value::Design(before)) => design::describe(ops, Some(before)),
        (Delta::Design(ops), _) => design::describe(ops, None),
        (Delta::Doc(delta), _) => text::describe(delta),
        (Delta::Code(ops), _) => code::describe(ops),
        (Delta::Sheet(ops), _) => ops.iter().take(1).map(|_| "replaced the sheet".to_owned()).collect(),
    };
    let more = sentences.len().saturating_sub(WORDS_MAX);
    if more > 0 {
        sentences.truncate(WORDS_MAX);
        sentences.push(format!("and {}", phrase::counted(more, "more change")));
    }
    sentences
}
