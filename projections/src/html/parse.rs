//! The guard before the parser. Building a tree takes time quadratic in its depth, and formatting that is never closed is
//! repeated in every paragraph; so the parser is fed in pieces, and what came of it is looked at after each.

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};

use super::fault::HtmlError;
use super::sink::Sink;
use super::tree::{Step, Tree};
use crate::text::units;

/// The most UTF-16 units of HTML that are read.
pub const HTML_MAX_UNITS: usize = 200_000;
/// The deepest nesting of elements, `html` and `body` counted.
pub const HTML_DEPTH_MAX: usize = 512;
/// The most attributes of one element.
pub const HTML_ATTRIBUTES_MAX: usize = 1_000;
/// How many bytes go to the parser at once.
const PIECE_BYTES: usize = 4_096;
/// The most items, and the most bytes of attributes, that a tree may have: more than so much text can hold unless the
/// parser repeats it.
const ITEMS_MAX: usize = HTML_MAX_UNITS;
const ATTRIBUTE_BYTES_MAX: usize = 4 * HTML_MAX_UNITS;

/// Parses a page or a part of one.
pub(super) fn parse(html: &str) -> Result<Tree, HtmlError> {
    let got = units(html);
    if got > HTML_MAX_UNITS {
        let limit = HTML_MAX_UNITS;
        return Err(HtmlError::TooLong { limit, got });
    }
    check_attributes(html)?;
    let mut parser = parse_document(Sink::new(), options());
    for piece in pieces(html) {
        parser.process(StrTendril::from_slice(piece));
        check(&parser.tokenizer.sink.sink)?;
    }
    let tree = parser.finish();
    check_depth(&tree)?;
    Ok(tree)
}

/// Tells whether a text has an element at all.
#[must_use]
pub fn has_element(html: &str) -> bool {
    let next = html.bytes().skip(1);
    html.bytes()
        .zip(next)
        .any(|(one, next)| one == b'<' && next.is_ascii_alphabetic())
}

fn options() -> ParseOpts {
    ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    }
}

fn pieces(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, left) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        rest = left;
        Some(piece)
    })
}

fn check(sink: &Sink) -> Result<(), HtmlError> {
    let (items, attributes) = sink.size();
    if sink.deepest() > HTML_DEPTH_MAX {
        let limit = HTML_DEPTH_MAX;
        return Err(HtmlError::TooDeep { limit });
    }
    match items > ITEMS_MAX || attributes > ATTRIBUTE_BYTES_MAX {
        true => Err(HtmlError::Repeats),
        false => Ok(()),
    }
}

/// Looks at the depth once more when nothing moves any longer.
fn check_depth(tree: &Tree) -> Result<(), HtmlError> {
    let mut depth: usize = 0;
    for step in tree.walk(0) {
        match step {
            Step::Enter(at) if tree.text(at).is_none() => depth += 1,
            Step::Leave(at) if tree.text(at).is_none() => depth -= 1,
            _ => {}
        }
        // The document itself is one level.
        if depth > HTML_DEPTH_MAX + 1 {
            let limit = HTML_DEPTH_MAX;
            return Err(HtmlError::TooDeep { limit });
        }
    }
    Ok(())
}

/// Refuses a tag with too many attributes before the tokenizer compares each with all others. What stands in quotes after
/// an equals sign is one value; every other run without white space counts.
fn check_attributes(html: &str) -> Result<(), HtmlError> {
    let mut bytes = html.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'<' || !bytes.peek().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (mut count, mut last) = (0_usize, b'<');
        while let Some(byte) = bytes.next() {
            match byte {
                b'>' => break,
                b'"' | b'\'' if last == b'=' => {
                    bytes.by_ref().find(|other| *other == byte);
                    last = b' ';
                    continue;
                }
                // White space around an equals sign separates nothing.
                b' ' | b'\t' | b'\n' | b'\r' | 0x0c if last == b'=' => continue,
                b' ' | b'\t' | b'\n' | b'\r' | 0x0c | b'/' => last = b' ',
                byte => {
                    count += usize::from(last == b' ');
                    last = byte;
                }
            }
            if count > HTML_ATTRIBUTES_MAX {
                let limit = HTML_ATTRIBUTES_MAX;
                return Err(HtmlError::TooManyAttributes { limit });
            }
        }
    }
    Ok(())
}
