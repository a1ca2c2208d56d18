//! Rebase: a delta made at its base, rewritten so that it applies at the head, over what was committed since.
//!
//! | the write | what was committed since | result |
//! |---|---|---|
//! | anything on what nobody touched | anything elsewhere | accepted |
//! | set a field | set to the same value | accepted, no change |
//! | set a field | set to another value | `overwritten`, or [`OnOverwrite`] |
//! | set, move or edit | removed | `target_removed` |
//! | remove | edited, or got children | `edited_since`; with [`Options::force`] removed with all below it |
//! | move, both keeping the parent | other fields of the place | accepted field by field; the same field to another value is `moved_since`, or [`OnOverwrite`] |
//! | move, one of the two to another parent | moved | `moved_since`, or [`OnOverwrite`] for the place as a whole |
//! | move | the new parent was removed; a cycle | `parent_removed`, `cycle` |
//! | add to or remove from a set | the set changed | accepted |
//! | text | text | transformed, the committed side first |
//! | edit a text | set as a whole | `overwritten`, or [`OnOverwrite`]: mine is what the edit makes of the old text |
//! | add a node, a background | the id is or was in use | `id_taken` |
//! | add or rename a file | the path is taken | `file_exists` |
//! | edit or rename a file | renamed, removed | the edit follows; `file_removed` |
//! | anything | a restore | `restored_since` |
//!
//! With any conflict nothing is accepted. An edit and its undo among the events leave a field to its owner: they are in
//! nobody's way. The cost follows the deltas, not the page.

mod code;
mod committed;
mod conflict;
mod design;
mod design_background;
mod design_field;
mod design_node;
mod design_place;
mod doc;
mod field;
mod files;
mod outcome;
mod owner;
mod rewind;
mod siblings;
mod standing;
mod trail;

pub use committed::{Committed, Nature};
pub use conflict::{Conflict, ConflictKind, Subject};
pub use outcome::{Dropped, Note, NoteKind, OnOverwrite, Options, Rebased};
pub use standing::{Standing, reach};

pub(crate) use conflict::put;
pub(crate) use design_background::beside;
pub(crate) use field::{BACKGROUNDS, Field, Said, content_at, has, map_at, parent_json, said, same};
pub(crate) use owner::Since;
pub(crate) use siblings::child_of;
pub(crate) use trail::{Trail, subject_of};

use crate::delta::Delta;
use crate::value::Value;

/// Rewrites a delta made at its base so that it applies to `head`, over the events committed since the base, in order.
///
/// # Errors
/// All conflicts, in the order of the operations.
pub fn rebase(
    delta: &Delta,
    over: &[Committed<'_>],
    head: &Value,
    options: &Options<'_>,
) -> Result<Rebased, Vec<Conflict>> {
    if let Some(event) = over.iter().find(|event| event.nature == Nature::Restore) {
        return Err(vec![whole(ConflictKind::RestoredSince, event)]);
    }
    match (delta, head) {
        _ if over.is_empty() => Ok(unchanged(delta)),
        (Delta::Design(ops), Value::Design(head)) => design::rebase(ops, over, head, options),
        (Delta::Doc(delta), Value::Doc(head)) => doc::rebase(delta, over, head, options),
        (Delta::Code(ops), Value::Code(head)) => code::rebase(ops, over, head, options),
        (Delta::Sheet(_), Value::Sheet(_)) => Err(over
            .last()
            .map(|event| whole(ConflictKind::NotRebased, event))
            .into_iter()
            .collect()),
        // A delta of another kind is refused when it is applied.
        _ => Ok(unchanged(delta)),
    }
}

fn unchanged(delta: &Delta) -> Rebased {
    let ops = match delta {
        Delta::Design(ops) => ops.len(),
        Delta::Doc(_) => 1,
        Delta::Code(ops) => ops.len(),
        Delta::Sheet(ops) => ops.len(),
    };
    Rebased {
        delta: delta.clone(),
        origins: (0..ops).collect(),
        dropped: Vec::new(),
        notes: Vec::new(),
    }
}

/// A conflict of the delta as a whole.
fn whole(kind: ConflictKind, event: &Committed<'_>) -> Conflict {
    Conflict {
        op: 0,
        kind,
        subject: Subject::Page,
        pointer: String::new(),
        before: None,
        mine: None,
        theirs: None,
        version: Some(event.version),
        actor: Some(event.actor.to_owned()),
    }
}
