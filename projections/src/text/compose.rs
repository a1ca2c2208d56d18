//! Making one delta of two that follow each other.

use super::attributes::Attributes;
use super::cursor::{Cursor, Piece};
use super::delta::TextDelta;
use super::fault::TextFault;
use super::op::TextOp;

impl TextDelta {
    /// Makes the delta that does what `self` and then `other` do.
    ///
    /// A document composed with a delta is the document after it; but ranges are not checked here, because a delta
    /// does not know how long its text is: [`RichText::apply`](super::RichText::apply) does.
    ///
    /// # Errors
    /// [`TextFault::SplitsSurrogate`] where `other` cuts a pair that `self` inserts, counted in the text between.
    pub fn compose(&self, other: &Self) -> Result<Self, TextFault> {
        let mut first = Cursor::new(self.ops());
        let mut second = Cursor::new(other.ops());
        let mut composed = Self::new();
        let mut between = 0;
        while !(first.is_done() && second.is_done()) {
            if second.peek().is_insert() {
                composed.push(second.next().to_op());
            } else if matches!(first.peek(), Piece::Delete { .. }) {
                composed.push(first.next().to_op());
            } else {
                let len = first.peek().len().min(second.peek().len());
                let piece = first.take(len).map_err(|fault| shifted(fault, between))?;
                if let Some(op) = over(piece, second.take(len)?) {
                    composed.push(op);
                }
                between = len.saturating_add(between);
            }
        }
        Ok(composed.chop())
    }

    /// Returns the part of the operations that lies between two places, counted over the lengths of all operations.
    /// What lies past the end is empty. Of a document this is a part of its content.
    ///
    /// # Errors
    /// [`TextFault::SplitsSurrogate`] where a place lies inside a pair.
    pub fn slice(&self, start: usize, end: usize) -> Result<Self, TextFault> {
        let mut cursor = Cursor::new(self.ops());
        let mut slice = Self::new();
        let mut at = 0;
        while at < end && !cursor.is_done() {
            let next = if at < start { start } else { end };
            let piece = cursor.take(next - at).map_err(|fault| shifted(fault, at))?;
            if at >= start {
                slice.push(piece.to_op());
            }
            at = at.saturating_add(piece.len());
        }
        Ok(slice)
    }
}

/// What becomes of a piece of the first delta under a piece, equally long, of the second.
fn over(first: Piece<'_>, second: Piece<'_>) -> Option<TextOp> {
    match (first, second) {
        (first, Piece::Retain { attributes, .. }) => {
            let keep_null = matches!(first, Piece::Retain { .. });
            let attributes = Attributes::compose(first.attributes(), attributes, keep_null);
            Some(first.with_attributes(attributes))
        }
        (Piece::Retain { .. }, delete) => Some(delete.to_op()),
        // What the first inserts, the second deletes.
        _ => None,
    }
}

fn shifted(fault: TextFault, by: usize) -> TextFault {
    match fault {
        TextFault::SplitsSurrogate { at } => TextFault::SplitsSurrogate { at: at + by },
        fault => fault,
    }
}
