//! Writing markup: whatever stands on a page goes in as text, never as markup. What is written is both XML and HTML.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// No coordinate, length or size is written that is larger, in px: readers of pictures count in single precision.
pub(super) const COORD_MAX: f64 = 1e6;
/// What a number is rounded to: thousandths.
const ROUND: f64 = 1000.0;
/// Where the signs for control characters begin: `␀`.
const CONTROL_PICTURES: u32 = 0x2400;
/// The sign for the control character 127: `␡`.
const DELETE_PICTURE: char = '\u{2421}';

/// A text in the content of an element or in an attribute's quotes.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a str);

/// A number as it is written: finite, at most [`COORD_MAX`], rounded, without needless digits.
#[derive(Clone, Copy)]
pub(super) struct Num(pub(super) f64);

impl fmt::Display for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                '\n' => out.write_str("&#10;")?,
                '\t' => out.write_str("&#9;")?,
                letter => out.write_char(shown(letter))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Num {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = (bounded(self.0) * ROUND).round() / ROUND;
        // Zero has no sign.
        write!(out, "{}", rounded + 0.0)
    }
}

/// A number within [`COORD_MAX`]; what is no number is zero.
pub(super) fn bounded(number: f64) -> f64 {
    if number.is_nan() {
        0.0
    } else {
        number.clamp(-COORD_MAX, COORD_MAX)
    }
}

/// The first characters of a text, with an ellipsis where it is longer.
pub(super) fn cut(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// A character that may stand in a document: control characters become signs for them.
fn shown(letter: char) -> char {
    match letter {
        '\u{0}'..='\u{1f}' => {
            char::from_u32(CONTROL_PICTURES + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        '\u{7f}' => DELETE_PICTURE,
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        letter => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let text = Text("</svg><script>\"&'\u{0}\u{b}\r\n\u{7f}\u{ffff}\u{85}é").to_string();
        assert_eq!(
            text,
            "&lt;/svg&gt;&lt;script&gt;&quot;&amp;&#39;␀␋␍&#10;␡\u{fffd}\u{fffd}é"
        );
    }

    #[test]
    fn numbers_are_bounded_and_short() {
        let written: Vec<_> = [1.0, -0.0, 0.12345, 1e300, f64::NEG_INFINITY, f64::NAN, -0.0001]
            .map(|number| Num(number).to_string())
            .into();
        assert_eq!(written, ["1", "0", "0.123", "1000000", "-1000000", "0", "0"]);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
