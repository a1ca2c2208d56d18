//! Reading a check.

use std::str::FromStr;

use recto_projections::pointer::Pointer;
use serde_json::Value as Json;

use super::{Op, Probe};

/// The most negations before a check.
const NOT_MAX: usize = 8;
/// The characters in a pointer that are more likely a comparison without spaces around it.
const COMPARING: [char; 4] = ['=', '<', '>', '!'];

impl FromStr for Probe {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read(text, 0)
    }
}

fn read(text: &str, negations: usize) -> Result<Probe, String> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('!') {
        if negations == NOT_MAX {
            return Err(format!("a check begins with at most {NOT_MAX} !"));
        }
        return Ok(Probe::Not(Box::new(read(rest, negations + 1)?)));
    }
    let (first, rest) = split_word(text);
    match first {
        "" => Err(
            "a check is: node ID, file PATH, contains TEXT, /POINTER, /POINTER = JSON, ! CHECK, \
                   or a command for the shell; this one is empty"
                .to_owned(),
        ),
        "node" => read_word(rest, "node", "a node's id").map(Probe::Node),
        "file" => read_word(rest, "file", "a file's path").map(Probe::File),
        "contains" => read_text(rest).map(Probe::Contains),
        _ if text.starts_with('/') => read_pointer(first, rest),
        _ => match text.strip_prefix("\"/").and_then(|_| split_string(text)) {
            Some((pointer, rest)) => compare(&pointer, rest),
            None => Ok(Probe::Command(text.to_owned())),
        },
    }
}

/// An id or a path: one word, or a JSON string.
fn read_word(rest: &str, name: &str, what: &str) -> Result<String, String> {
    if let Some((word, "")) = split_string(rest) {
        return Ok(word);
    }
    if is_plain_word(rest) {
        return Ok(rest.to_owned());
    }
    Err(format!(
        "after `{name}` comes {what}, as one word or as a JSON string such as \"two words\"; got {rest:?}. \
         A program called {name} is started with `command {name} …`"
    ))
}

fn read_text(rest: &str) -> Result<String, String> {
    if let Some((text, "")) = split_string(rest) {
        return Ok(text);
    }
    if is_plain_text(rest) {
        return Ok(rest.to_owned());
    }
    Err(format!(
        "after `contains` comes a text, as it is or as a JSON string; got {rest:?}"
    ))
}

fn read_pointer(first: &str, rest: &str) -> Result<Probe, String> {
    if is_plain_pointer(first) {
        return compare(first, rest);
    }
    Err(format!(
        "{first:?} is no pointer: white space stands around =, !=, <, <=, > and >=; \
         a pointer that holds such a character is written as a JSON string"
    ))
}

/// What follows a pointer: nothing, or an operator and a value.
fn compare(pointer: &str, rest: &str) -> Result<Probe, String> {
    let pointer = Pointer::parse(pointer).map_err(|fault| format!("{pointer:?} is no pointer: {fault}"))?;
    let (sign, value) = split_word(rest);
    if sign.is_empty() {
        return Ok(Probe::Exists(pointer));
    }
    let op: Op = sign.parse().map_err(|()| {
        format!(
            "after a pointer comes nothing or one of =, !=, <, <=, >, >=; got {sign:?}. \
             A program is started by its path with `exec {pointer} …`"
        )
    })?;
    let json: Json = serde_json::from_str(value).map_err(|fault| {
        format!("after {op} comes JSON, such as 3, true, null or \"a text\" with its quotes; got {value:?}: {fault}")
    })?;
    if op.is_ordering() && !(json.is_number() || json.is_string()) {
        return Err(format!("{op} compares with a number or a text; got {json}"));
    }
    Ok(Probe::Compare(pointer, op, json))
}

/// The first word, and what follows it without the white space between.
fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// The JSON string that a text begins with, and what follows it.
fn split_string(text: &str) -> Option<(String, &str)> {
    let mut all = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let string = all.next()?.ok()?;
    let rest = text.get(all.byte_offset()..)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| (string, rest.trim()))
}

/// Whether an id or a path reads back as it is.
pub(super) fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('"') && !text.contains(char::is_whitespace)
}

/// Whether a text reads back as it is.
pub(super) fn is_plain_text(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('"') && text.trim() == text
}

/// Whether a pointer reads back as it is. The empty one does not.
pub(super) fn is_plain_pointer(text: &str) -> bool {
    text.starts_with('/') && !text.contains(|letter: char| letter.is_whitespace() || COMPARING.contains(&letter))
}
