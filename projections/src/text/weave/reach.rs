//! How far back a weave must start.

use super::woven::EditId;

/// Returns the first event that a weave must hold so that the events `of` can be undone: the first of them, or an earlier
/// one to which an undo or redo since then reaches back. The weave starts with the text before that event.
///
/// `undos` are the undo and redo events of the page, each with the events that it is of, *from the newest to the oldest*;
/// it is read no further than needed. `None` if `of` is empty.
pub fn first_needed<I, R>(of: &[EditId], undos: I) -> Option<EditId>
where
    I: IntoIterator<Item = (EditId, R)>,
    R: AsRef<[EditId]>,
{
    let mut first = of.iter().copied().min()?;
    for (undo, of) in undos {
        if undo < first {
            break;
        }
        first = of.as_ref().iter().copied().fold(first, EditId::min);
    }
    Some(first)
}
