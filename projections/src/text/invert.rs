//! The inverse of a delta, made from the text that it is applied to.

use super::attributes::Attributes;
use super::delta::TextDelta;
use super::fault::TextFault;
use super::op::TextOp;
use super::rich_text::RichText;

impl TextDelta {
    /// Makes the delta that takes this one back after it was applied to `base`, operation by operation as the reference
    /// library does: it answers an attribute that was set to what it was already, or taken away where it was not, too.
    /// [`RichText::apply`] makes the same from the change that really happened, see [`RichText::effective`].
    ///
    /// # Errors
    /// As [`RichText::apply`].
    pub fn invert(&self, base: &RichText) -> Result<Self, TextFault> {
        base.check(self)?;
        let mut inverse = Self::new();
        let mut at = 0;
        for op in self.ops() {
            match op {
                TextOp::Insert { .. } => inverse.push(TextOp::Delete { len: op.len() }),
                TextOp::Retain { attributes: None, .. } => inverse.push(op.clone()),
                TextOp::Retain { len, attributes: patch } => {
                    for old in base.slice(at, at + len)?.ops() {
                        let attributes = Attributes::invert(patch.as_ref(), old.attributes());
                        inverse.push(TextOp::Retain {
                            len: old.len(),
                            attributes,
                        });
                    }
                }
                TextOp::Delete { len } => {
                    base.slice(at, at + len)?
                        .into_ops()
                        .into_iter()
                        .for_each(|old| inverse.push(old));
                }
            }
            at += op.base_len();
        }
        Ok(inverse.chop())
    }
}
