//! Text deltas on a plain string: a property of a node, a short text without a tree.

use super::delta::TextDelta;
use super::fault::TextFault;
use super::op::{Content, TextOp};
use super::units::{byte_of, units};

/// Applies a delta without attributes and embeds to a string; returns the new string and the inverse delta.
///
/// The cost follows the string and the delta together.
///
/// # Errors
/// [`TextFault::PlainTextOnly`], [`TextFault::OutOfRange`], [`TextFault::SplitsSurrogate`].
pub fn apply_plain(text: &str, delta: &TextDelta) -> Result<(String, TextDelta), TextFault> {
    delta.require_plain()?;
    delta.require_range(units(text))?;
    let mut result = String::with_capacity(text.len());
    let mut inverse = TextDelta::new();
    let mut rest = Rest { text, at: 0 };
    for op in delta.ops() {
        match op {
            TextOp::Insert {
                content: Content::Text(more),
                ..
            } => {
                result.push_str(more);
                inverse.push(TextOp::Delete { len: units(more) });
            }
            // Refused above.
            TextOp::Insert {
                content: Content::Embed(_),
                ..
            } => {}
            TextOp::Retain { len, .. } => {
                result.push_str(rest.take(*len)?);
                inverse.push(TextOp::Retain {
                    len: *len,
                    attributes: None,
                });
            }
            TextOp::Delete { len } => {
                let content = Content::Text(rest.take(*len)?.to_owned());
                inverse.push(TextOp::Insert {
                    content,
                    attributes: None,
                });
            }
        }
    }
    result.push_str(rest.text);
    Ok((result, inverse.chop()))
}

/// What of a text has not been gone over yet, and where it begins.
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn take(&mut self, len: usize) -> Result<&'a str, TextFault> {
        let at = self.at + len;
        let byte = byte_of(self.text, len).ok_or(TextFault::SplitsSurrogate { at })?;
        let (taken, text) = self.text.split_at(byte);
        *self = Self { text, at };
        Ok(taken)
    }
}
