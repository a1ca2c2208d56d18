//! Applying a delta to a rich text.

use std::borrow::Cow;

use super::attributes::Attributes;
use super::delta::TextDelta;
use super::fault::TextFault;
use super::op::TextOp;
use super::rich_text::RichText;
use super::rope::Piece;

impl RichText {
    /// Applies a delta, all or nothing, and returns the exact inverse: what was taken out, with its attributes, and the
    /// attributes that really changed as they were. Cost: the logarithm of the length for each operation, and what the
    /// operation puts in, takes out or goes over with attributes.
    ///
    /// # Errors
    /// [`TextFault::OutOfRange`], [`TextFault::SplitsSurrogate`], [`TextFault::NullAttribute`] in an insert. The text is
    /// then as it was.
    pub fn apply(&mut self, delta: &TextDelta) -> Result<TextDelta, TextFault> {
        self.check(delta)?;
        let mut inverse = TextDelta::new();
        self.change(delta, Some(&mut inverse));
        Ok(inverse.chop())
    }

    /// Makes the same change as [`RichText::apply`] and no inverse.
    ///
    /// # Errors
    /// As [`RichText::apply`].
    pub fn replay(&mut self, delta: &TextDelta) -> Result<(), TextFault> {
        self.check(delta)?;
        self.change(delta, None);
        Ok(())
    }

    /// Checks that a delta can be applied.
    ///
    /// # Errors
    /// As [`RichText::apply`].
    pub fn check(&self, delta: &TextDelta) -> Result<(), TextFault> {
        delta.require_range(self.len())?;
        let mut at = 0;
        for op in delta.ops() {
            if let TextOp::Insert {
                attributes: Some(attributes),
                ..
            } = op
                && let Some(name) = attributes.first_null()
            {
                return Err(TextFault::NullAttribute { name: name.to_owned() });
            }
            at += op.base_len();
            if !self.root().is_boundary(at) {
                return Err(TextFault::SplitsSurrogate { at });
            }
        }
        Ok(())
    }

    /// Returns the delta without what changes nothing here: attributes that are as they are to be, and a retain at the
    /// end. What is left is what an event keeps; it is empty where the delta only repeats what is there.
    ///
    /// # Errors
    /// As [`RichText::apply`].
    pub fn effective<'a>(&self, delta: &'a TextDelta) -> Result<Cow<'a, TextDelta>, TextFault> {
        self.check(delta)?;
        let formats = |op: &TextOp| {
            matches!(
                op,
                TextOp::Retain {
                    attributes: Some(_),
                    ..
                }
            )
        };
        if !delta.ops().iter().any(formats) && !delta.ops().last().is_some_and(TextOp::is_plain_retain) {
            return Ok(Cow::Borrowed(delta));
        }
        let mut effective = TextDelta::new();
        let mut at = 0;
        for op in delta.ops() {
            match op {
                TextOp::Retain {
                    len,
                    attributes: Some(patch),
                } => {
                    for piece in self.root().pieces(at, at + len) {
                        let new = Attributes::compose(piece.attributes, Some(patch), false);
                        let attributes = Attributes::diff(piece.attributes, new.as_ref());
                        effective.push(TextOp::Retain {
                            len: piece.units,
                            attributes,
                        });
                    }
                }
                op => effective.push(op.clone()),
            }
            at += op.base_len();
        }
        Ok(Cow::Owned(effective.chop()))
    }

    /// Makes a change that was checked.
    fn change(&mut self, delta: &TextDelta, mut inverse: Option<&mut TextDelta>) {
        let mut at = 0;
        for op in delta.ops() {
            match op {
                TextOp::Insert { content, attributes } => {
                    let piece = Piece::new(content, attributes.as_ref());
                    self.root_mut().insert(at, piece);
                    at += piece.units;
                    note(&mut inverse, || TextOp::Delete { len: piece.units });
                }
                TextOp::Retain { len, attributes } => {
                    match attributes {
                        None => note(&mut inverse, || op.clone()),
                        Some(patch) => {
                            let inverse = inverse.as_deref_mut();
                            self.root_mut().format(at, at + len, patch, inverse);
                        }
                    }
                    at += len;
                }
                TextOp::Delete { len } => {
                    self.root_mut().remove(at, at + len, inverse.as_deref_mut());
                }
            }
        }
    }
}

fn note(inverse: &mut Option<&mut TextDelta>, op: impl FnOnce() -> TextOp) {
    if let Some(inverse) = inverse {
        inverse.push(op());
    }
}
