//! Inline styles: splitting them, names of properties, lengths.

use std::borrow::Cow;

use crate::design::Number;

/// The most bytes the name of a property may have.
const NAME_MAX_BYTES: usize = 64;
/// Properties whose plain number is no length.
const UNITLESS: [&str; 21] = [
    "opacity",
    "line-height",
    "font-weight",
    "z-index",
    "order",
    "flex",
    "flex-grow",
    "flex-shrink",
    "zoom",
    "orphans",
    "widows",
    "tab-size",
    "columns",
    "column-count",
    "aspect-ratio",
    "scale",
    "stroke-width",
    "stroke-opacity",
    "fill-opacity",
    "animation-iteration-count",
    "font-size-adjust",
];
/// Properties that take no number.
const NO_NUMBER: [&str; 5] = ["font-family", "color", "background", "background-color", "text-align"];
/// What a style must not hold: code of old browsers. Compared in lower case, without white space.
const UNSAFE: [&str; 5] = ["expression(", "javascript:", "vbscript:", "-moz-binding", "behavior:"];

/// Goes over the declarations of a style: names in lower case (custom properties as they are) and values. What is none is
/// passed over.
pub(super) fn declarations(style: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    let mut rest = style;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = end_of_declaration(rest);
            let one = rest[..end].trim_matches(is_edge);
            rest = rest.get(end + 1..).unwrap_or_default();
            let Some((name, value)) = one.split_once(':') else {
                continue;
            };
            let (name, value) = (name.trim_matches(is_edge), value.trim_matches(is_edge));
            if is_name(name) && !value.is_empty() {
                return Some((lower(name), value));
            }
        }
        None
    })
}

/// Says whether a declaration runs code.
pub(super) fn is_unsafe(name: &str, value: &str) -> bool {
    if !value.contains(['(', ':']) && name != "behavior" && name != "-moz-binding" {
        return false;
    }
    let plain: String = format!("{name}:{value}")
        .chars()
        .filter(|letter| !letter.is_whitespace() && !letter.is_control() && *letter != '\\')
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    UNSAFE.iter().any(|sign| plain.contains(sign))
}

/// Says whether a value stands in a style as it is, and nothing more than it.
pub(super) fn is_sayable(name: &str, value: &str) -> bool {
    if value.is_empty() || value.contains(char::is_control) {
        return false;
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"#%.,-+ _".contains(&byte);
    if value.bytes().all(plain) {
        return value.trim_matches(is_edge).len() == value.len();
    }
    let style = format!("a:{value};b:c");
    let mut found = declarations(&style);
    !is_unsafe(name, value)
        && found.next().is_some_and(|(_, back)| back == value)
        && found.next().is_some_and(|(name, _)| name == "b")
}

/// Gives the name of the property that a key stands for: `fontSize` is `font-size`.
pub(super) fn name_of(key: &str) -> Option<Cow<'_, str>> {
    if !is_name(key) {
        return None;
    }
    if key.starts_with("--") || !key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some(key.into());
    }
    let mut name = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    Some(name.into())
}

/// Gives the key under which a property is kept: `font-size` is `fontSize`. [`name_of`] leads back.
pub(super) fn key_of(name: &str) -> String {
    if name.starts_with("--") {
        return name.to_owned();
    }
    let mut key = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some(next) if letter == '-' && next.is_ascii_lowercase() => {
                key.push(next.to_ascii_uppercase());
                letters.next();
            }
            _ => key.push(letter),
        }
    }
    key
}

/// Gives what stands behind a number of a property; nothing where it takes none.
pub(super) fn unit_of(name: &str) -> Option<&'static str> {
    match name {
        name if NO_NUMBER.contains(&name) => None,
        name if UNITLESS.contains(&name) || name.starts_with("--") => Some(""),
        _ => Some("px"),
    }
}

/// Reads a number with a unit, its digits kept where JSON can hold them.
pub(super) fn number(value: &str, unit: &str) -> Option<Number> {
    let end = value.len().checked_sub(unit.len())?;
    let (digits, tail) = value.split_at_checked(end)?;
    if !tail.eq_ignore_ascii_case(unit) {
        return None;
    }
    let css = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if !digits.bytes().all(css) {
        return None;
    }
    Number::parse(digits).or_else(|| digits.parse().ok().and_then(Number::from_f64))
}

/// Reads a length in px; a zero needs no unit.
pub(super) fn pixels(value: &str) -> Option<Number> {
    number(value, "px").or_else(|| number(value, "").filter(|number| number.to_f64() == 0.0))
}

/// Reads an angle; gives it in degrees.
pub(super) fn degrees(value: &str) -> Option<Number> {
    let in_units = |unit: &str, factor: f64| Number::from_f64(number(value, unit)?.to_f64() * factor);
    number(value, "deg")
        .or_else(|| in_units("grad", 0.9))
        .or_else(|| in_units("rad", 180.0 / std::f64::consts::PI))
        .or_else(|| in_units("turn", 360.0))
        .or_else(|| number(value, "").filter(|number| number.to_f64() == 0.0))
}

/// Splits a transform that begins with a rotation: the degrees, and what follows.
pub(super) fn split_rotation(transform: &str) -> Option<(Number, &str)> {
    let (angle, rest) = transform.strip_prefix("rotate(")?.split_once(')')?;
    Some((degrees(angle.trim())?, rest.trim()))
}

/// Finds the semicolon that ends the first declaration, or the end: not inside quotes, brackets, or a comment.
fn end_of_declaration(style: &str) -> usize {
    let (mut quote, mut depth, mut comment) = (None, 0_usize, false);
    let bytes = style.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match (comment, quote, byte) {
            (true, _, b'*') if next == Some(b'/') => {
                comment = false;
                at += 1;
            }
            (true, ..) => {}
            (_, None, b'/') if next == Some(b'*') => {
                comment = true;
                at += 1;
            }
            (_, _, b'\\') => at += 1,
            (_, Some(open), byte) if open == *byte => quote = None,
            (_, Some(_), _) => {}
            (_, None, b'"' | b'\'') => quote = Some(*byte),
            (_, None, b'(' | b'[' | b'{') => depth += 1,
            (_, None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (_, None, b';') if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn is_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let first = name.bytes().next();
    name.len() <= NAME_MAX_BYTES
        && first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        && name.bytes().all(letter)
}

fn lower(name: &str) -> Cow<'_, str> {
    match !name.starts_with("--") && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    }
}

fn is_edge(letter: char) -> bool {
    letter.is_ascii_whitespace()
}
