//! A text delta: a list of inserts, retains and deletes, kept in normal form.

use super::attributes::Attributes;
use super::embed::Embed;
use super::fault::TextFault;
use super::op::{Content, TextOp};

/// A change of a text, or (inserts only) a whole document. Lengths count UTF-16 code units.
///
/// Always in normal form: no operation is empty, neighbours that can be one are one, and of an insert and a delete at
/// the same place the insert comes first. A retain at the end that changes nothing is kept when it came from outside,
/// because it claims that the text is that long; whatever is computed here ends without one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextDelta {
    ops: Vec<TextOp>,
}

impl TextDelta {
    /// Makes a delta that changes nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an insert of text. Empty text is passed over.
    #[must_use]
    pub fn insert(mut self, text: impl Into<String>, attributes: Option<Attributes>) -> Self {
        self.push(TextOp::Insert {
            content: Content::Text(text.into()),
            attributes,
        });
        self
    }

    /// Adds an insert of an embed.
    #[must_use]
    pub fn insert_embed(mut self, embed: Embed, attributes: Option<Attributes>) -> Self {
        self.push(TextOp::Insert {
            content: Content::Embed(embed),
            attributes,
        });
        self
    }

    /// Adds a retain. Zero units are passed over.
    #[must_use]
    pub fn retain(mut self, len: usize, attributes: Option<Attributes>) -> Self {
        self.push(TextOp::Retain { len, attributes });
        self
    }

    /// Adds a delete. Zero units are passed over.
    #[must_use]
    pub fn delete(mut self, len: usize) -> Self {
        self.push(TextOp::Delete { len });
        self
    }

    /// Adds an operation at the end and keeps the normal form.
    pub fn push(&mut self, op: TextOp) {
        if op.is_empty() {
            return;
        }
        if self.ops.last().is_some_and(TextOp::is_delete) && op.is_insert() {
            let delete = self.ops.pop();
            self.push_merged(op);
            self.ops.extend(delete);
        } else {
            self.push_merged(op);
        }
    }

    /// Returns the operations.
    #[must_use]
    pub fn ops(&self) -> &[TextOp] {
        &self.ops
    }

    /// Takes the operations out.
    #[must_use]
    pub fn into_ops(self) -> Vec<TextOp> {
        self.ops
    }

    /// Says whether the delta changes nothing, whatever it is applied to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.iter().all(TextOp::is_plain_retain)
    }

    /// Says whether the delta holds inserts only, as a document does.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.ops.iter().all(TextOp::is_insert)
    }

    /// Returns how many units the text must have at least.
    #[must_use]
    pub fn base_len(&self) -> usize {
        self.ops.iter().fold(0, |sum, op| sum.saturating_add(op.base_len()))
    }

    /// Returns the sum of the lengths of all operations; for a document its length.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.iter().fold(0, |sum, op| sum.saturating_add(op.len()))
    }

    /// Returns how many units longer (or, negative, shorter) the text becomes.
    #[must_use]
    pub fn change_len(&self) -> isize {
        self.ops.iter().fold(0, |sum: isize, op| {
            let len = isize::try_from(op.len()).unwrap_or(isize::MAX);
            match op {
                TextOp::Insert { .. } => sum.saturating_add(len),
                TextOp::Retain { .. } => sum,
                TextOp::Delete { .. } => sum.saturating_sub(len),
            }
        })
    }

    /// Refuses attributes and embeds, for a text that has none.
    ///
    /// # Errors
    /// [`TextFault::PlainTextOnly`] with the first operation that has one.
    pub fn require_plain(&self) -> Result<(), TextFault> {
        let rich = |op: &TextOp| {
            op.attributes().is_some()
                || matches!(
                    op,
                    TextOp::Insert {
                        content: Content::Embed(_),
                        ..
                    }
                )
        };
        match self.ops.iter().position(rich) {
            Some(op) => Err(TextFault::PlainTextOnly { op }),
            None => Ok(()),
        }
    }

    /// Refuses what is no document.
    pub(super) fn require_document(&self) -> Result<(), TextFault> {
        if let Some(op) = self.ops.iter().position(|op| !op.is_insert()) {
            return Err(TextFault::InsertsOnly { op });
        }
        let null = |op: &TextOp| op.attributes()?.first_null().map(str::to_owned);
        match self.ops.iter().find_map(null) {
            Some(name) => Err(TextFault::NullAttribute { name }),
            None => Ok(()),
        }
    }

    /// Refuses a delta that reaches past the end of a text of `len` units.
    pub(super) fn require_range(&self, len: usize) -> Result<(), TextFault> {
        let reach = self.base_len();
        if reach <= len {
            Ok(())
        } else {
            Err(TextFault::OutOfRange { reach, len })
        }
    }

    /// Takes away a retain at the end that changes nothing.
    #[must_use]
    pub fn chop(mut self) -> Self {
        if self.ops.last().is_some_and(TextOp::is_plain_retain) {
            self.ops.pop();
        }
        self
    }

    /// Appends another delta's operations.
    #[must_use]
    pub fn concat(mut self, other: &Self) -> Self {
        other.ops.iter().cloned().for_each(|op| self.push(op));
        self
    }

    fn push_merged(&mut self, op: TextOp) {
        match (self.ops.last_mut(), op) {
            (Some(TextOp::Delete { len }), TextOp::Delete { len: more }) => {
                *len = len.saturating_add(more);
            }
            (
                Some(TextOp::Retain { len, attributes }),
                TextOp::Retain {
                    len: more,
                    attributes: others,
                },
            ) if *attributes == others => *len = len.saturating_add(more),
            (
                Some(TextOp::Insert {
                    content: Content::Text(text),
                    attributes,
                }),
                TextOp::Insert {
                    content: Content::Text(more),
                    attributes: others,
                },
            ) if *attributes == others => text.push_str(&more),
            (_, op) => self.ops.push(op),
        }
    }
}
