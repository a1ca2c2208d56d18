//! Undo and redo: plans of what takes events back, brought to the head over what came later.
//!
//! # DESIGN
//!
//! An event's stored inverse, brought to the head over what came later, field by field. A field is a register: it goes
//! back to what the newest of those set it to who stand, that is, are not undone.
//!
//! | what later events did | result |
//! |---|---|
//! | nothing to this field | set back |
//! | the field already has the old value | no change, no conflict |
//! | overwrote the field | by [`Policy`]: `overwritten`; or set back all the same |
//! | removed the node | skipped; an undo of a field never brings a node back |
//! | (undo of a creation) edited the node, or gave it children | `edited_since`; `force` removes it with all below it |
//! | (undo of a creation) removed it | no change, and remembered: the undo of that removal is then `create_undone` |
//! | (undo of a removal) brought it back | no change |
//! | (undo of a removal) removed the parent too | back under the nearest ancestor that is left, noted `reparented` |
//! | (undo of a move) removed the parent, made a cycle, moved it to or below another parent | conflict; it stays |
//! | changed a set | only the event's own elements are taken out or put back |
//! | edited the text | only the event's own part is taken out or put back |
//! | removed the node, and created another of the same id | that one stays: it is another life; a property is skipped as `removed` |
//! | (undo of a creation) removed the node, and created another of the same id | `edited_since`, as that is another's; `force` removes it |
//! | removed the node that a property names | `ref_missing`; the property stays (see [`REFERENCE_KEYS`]) |
//!
//! A redo is the undo of an undo, by the same rules: it returns to what was there at the time of the undo. A field that
//! the undo had left to whoever had overwritten it, the redo leaves to them too. What an undo puts back is never what
//! another undo has taken away: where the one who had set the old value is undone too, the newest value of somebody who
//! is not is put back. An edit and its undo among the later events leave a field to its owner. An event undone twice
//! stands again only when both undos are undone.
//!
//! A node that comes back by the undo of its removal, or by the redo of its creation, is in the life again that it had
//! then: what was done to it in that is undone as if it had never been away.
//!
//! A key or an element that an event took out and put in again goes back to its place, also where its value is the same.
//!
//! Several events are undone newest first, in one plan with a step for each.
//!
//! # Which way to go
//!
//! [`reach`](crate::rebase::reach) tells for every kind of page from which version on events are needed. Where nothing
//! came after the events, [`newest`] answers for every kind: their stored inverses. Else [`plan`] does for DESIGN, field by
//! field, and for SHEET, which is one field; a DOC or CODE page is undone by its [`TextHistory`], which keeps every text a
//! pure function of the edits and of what is undone.

mod backgrounds;
mod births;
mod comings;
mod fault;
mod fields;
mod follower;
mod lists;
mod lives;
mod moves;
mod nodes;
mod plan;
mod planner;
mod property;
mod refs;
mod register;
mod repeats;
mod report;
mod setters;
mod sheet;
mod switched;
mod targets;
mod text_conflict;
mod text_history;
mod texts;

pub use fault::UndoError;
pub use lives::Lives;
pub use plan::{
    Outcome, Policy, Request, SkipReason, Skipped, UndoConflict, UndoNote, UndoNoteKind, UndoPlan, UndoStep,
};
pub use refs::{ID_KEYS, REFERENCE_KEYS};
pub use text_history::TextHistory;

use crate::value::Value;

/// Plans the undo of events of a DESIGN or SHEET page. Nothing is changed.
///
/// # Errors
/// [`UndoError`], where there is no plan at all; [`UndoError::WrongKind`] for a page of another kind.
pub fn plan(request: &Request<'_>) -> Result<UndoPlan, UndoError> {
    let targets = targets::find(request)?;
    match request.head {
        Value::Doc(_) | Value::Code(_) => Err(UndoError::WrongKind {
            kind: request.head.kind(),
        }),
        _ if targets::are_newest(request, &targets) => targets::stored(request, &targets),
        Value::Design(head) => planner::plan(request, &targets, head),
        Value::Sheet(head) => sheet::plan(request, &targets, head),
    }
}

/// Plans the undo of events that nothing came after, on a page of any kind: their stored inverses. `None` where
/// something did. Then a DESIGN or SHEET page needs [`plan`], a DOC or CODE page a [`TextHistory`].
///
/// # Errors
/// [`UndoError`], where there is no plan at all.
pub fn newest(request: &Request<'_>) -> Result<Option<UndoPlan>, UndoError> {
    let targets = targets::find(request)?;
    let newest = targets::are_newest(request, &targets);
    newest.then(|| targets::stored(request, &targets)).transpose()
}
