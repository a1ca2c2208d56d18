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
//! nobody's way. So it is with text: what an undo brings back is the text that was there, and what was made on it before
//! holds. The entry and the attributes of a CODE page are in nobody's way wherever they are as they were at the base. What
//! stands below something that is gone cannot be set any more: it is `blocked`. The cost follows the deltas, not the page.

mod bridge;
mod code;
mod code_base;
mod committed;
mod conflict;
mod design;
mod design_background;
mod design_field;
mod design_node;
mod design_place;
mod doc;
mod field;
mod file_text;
mod files;
mod findings;
mod outcome;
mod owner;
mod rewind;
mod siblings;
mod standing;
mod subject;
mod switches;
mod trail;

pub use committed::{Committed, Nature};
pub use conflict::{Conflict, ConflictKind};
pub use outcome::{Dropped, Note, NoteKind, OnOverwrite, Options, Rebased};
pub use standing::{Standing, reach};
pub use subject::Subject;

pub(crate) use conflict::put;
pub(crate) use design_background::beside;
pub(crate) use field::{BACKGROUNDS, Field, Said, has, parent_json, said, same};
pub(crate) use rewind::rewound;
pub(crate) use siblings::child_of;
pub(crate) use subject::{background, comes, goes, subject_of};
pub(crate) use switches::Switches;
pub(crate) use trail::{Touch, Trail};

use crate::code::CodeOp;
use crate::delta::Delta;
use crate::design::DesignOp;
use crate::text::TextDelta;
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
    let all = rebase_all(std::slice::from_ref(delta), over, head, options)?;
    Ok(all.into_iter().next().unwrap_or_else(|| unchanged(delta)))
}

/// As [`rebase`], for several deltas of one command: the first was made at the base, each other one on what the one
/// before left. Of the results, as many as there are deltas, the first applies to `head`, each other one to what the one
/// before leaves. A conflict of any refuses all of them.
///
/// # Errors
/// All conflicts, in the order of the deltas and operations.
pub fn rebase_all(
    deltas: &[Delta],
    over: &[Committed<'_>],
    head: &Value,
    options: &Options<'_>,
) -> Result<Vec<Rebased>, Vec<Conflict>> {
    let restored = over.iter().find(|event| event.nature == Nature::Restore);
    if let Some(event) = restored.filter(|_| !deltas.is_empty()) {
        return Err(vec![whole(ConflictKind::RestoredSince, event)]);
    }
    let unchanged = || Ok(deltas.iter().map(unchanged).collect());
    let Some(event) = over.last() else {
        return unchanged();
    };
    if deltas.iter().any(|delta| delta.kind() != head.kind()) {
        // It is refused when it is applied.
        return unchanged();
    }
    match head {
        Value::Design(head) => design::rebase(&only(deltas, design_ops), over, head, options),
        Value::Doc(head) => doc::rebase(&only(deltas, doc_delta), over, head, options),
        Value::Code(head) => code::rebase(&only(deltas, code_ops), over, head, options),
        Value::Sheet(_) if deltas.is_empty() => unchanged(),
        Value::Sheet(_) => Err(vec![whole(ConflictKind::NotRebased, event)]),
    }
}

/// Gives what deltas hold that are all of one kind.
fn only<'a, O: ?Sized>(deltas: &'a [Delta], content: impl Fn(&'a Delta) -> Option<&'a O>) -> Vec<&'a O> {
    deltas.iter().filter_map(content).collect()
}

fn design_ops(delta: &Delta) -> Option<&[DesignOp]> {
    match delta {
        Delta::Design(ops) => Some(ops),
        _ => None,
    }
}

fn doc_delta(delta: &Delta) -> Option<&TextDelta> {
    match delta {
        Delta::Doc(delta) => Some(delta),
        _ => None,
    }
}

fn code_ops(delta: &Delta) -> Option<&[CodeOp]> {
    match delta {
        Delta::Code(ops) => Some(ops),
        _ => None,
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
        delta: 0,
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
