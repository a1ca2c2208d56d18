//! Rebasing text.

use super::committed::Committed;
use super::conflict::{Conflict, Subject};
use super::outcome::{Findings, NoteKind, Options, Rebased};
use crate::delta::Delta;
use crate::doc::DocValue;
use crate::fault::Rule;
use crate::text::{TextDelta, TextOp};

/// Rewrites a delta over others, one after the other. Those are rewritten over it in turn, so that the next delta made
/// from the same base can go over them.
pub(super) fn over_texts(delta: &TextDelta, over: &mut [TextDelta], options: &Options<'_>) -> TextDelta {
    let mut mine = delta.clone();
    for theirs in over {
        let rebased = theirs.transform(&mine, options.over_first);
        *theirs = mine.transform(theirs, !options.over_first);
        mine = rebased;
    }
    mine
}

/// Rebases the delta of a DOC page. There is no conflict; a document keeps a newline at its end.
pub(super) fn rebase(
    delta: &TextDelta,
    over: &[Committed<'_>],
    head: &DocValue,
    options: &Options<'_>,
) -> Result<Rebased, Vec<Conflict>> {
    let mut findings = Findings::default();
    let mut mine = delta.clone();
    for event in over {
        if let Delta::Doc(theirs) = event.delta {
            mine = theirs.transform(&mine, options.over_first);
        }
    }
    if let Some(kept) = with_newline(&mine, head) {
        mine = kept;
        findings.note(NoteKind::NewlineKept, &Subject::Page, "");
    }
    if mine.is_empty() {
        findings.drop(&Subject::Page, "");
    }
    findings.into_result(Delta::Doc(mine), vec![0])
}

/// Gives the delta with a newline at the end, with the attributes of the last one, if the document would lose it.
fn with_newline(delta: &TextDelta, head: &DocValue) -> Option<TextDelta> {
    let mut after = head.clone();
    match after.replay(delta) {
        Err(fault) if fault.rule == Rule::MissingNewline => {}
        _ => return None,
    }
    let len = head.text().len();
    let last = head.text().slice(len.checked_sub(1)?, len).ok()?;
    let attributes = last.ops().first().and_then(TextOp::attributes).cloned();
    let end = len.saturating_add_signed(delta.change_len());
    delta
        .compose(&TextDelta::new().retain(end, None).insert("\n", attributes))
        .ok()
}
