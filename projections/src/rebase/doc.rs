//! Rebasing text.

use std::borrow::Cow;

use super::bridge::{self, Did, Step};
use super::committed::Committed;
use super::conflict::Conflict;
use super::findings::Findings;
use super::outcome::{NoteKind, Options, Rebased};
use super::subject::Subject;
use crate::delta::Delta;
use crate::doc::DocValue;
use crate::fault::Rule;
use crate::text::weave::Weave;
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

/// Rebases deltas of a DOC page, of which the first was made at the base and each other one on what the one before left.
/// There is no conflict; a document keeps a newline at its end.
pub(super) fn rebase(
    deltas: &[&TextDelta],
    over: &[Committed<'_>],
    head: &DocValue,
    options: &Options<'_>,
) -> Result<Vec<Rebased>, Vec<Conflict>> {
    let mut findings = Findings::default();
    let mut theirs: Vec<Cow<'_, TextDelta>> = match change(over, head) {
        Some(change) => vec![Cow::Owned(change)],
        None => over.iter().filter_map(text_of).map(Cow::Borrowed).collect(),
    };
    let mut work = head.clone();
    let mut results = Vec::with_capacity(deltas.len());
    for (index, delta) in deltas.iter().enumerate() {
        findings.delta = index;
        let mine = if index + 1 == deltas.len() {
            let over = |mine, theirs: &Cow<'_, TextDelta>| theirs.transform(&mine, options.over_first);
            theirs.iter().fold((*delta).clone(), over)
        } else {
            let mut owned: Vec<TextDelta> = theirs.into_iter().map(Cow::into_owned).collect();
            let mine = over_texts(delta, &mut owned, options);
            theirs = owned.into_iter().map(Cow::Owned).collect();
            mine
        };
        let mine = settled(mine, &mut work, &mut findings);
        results.push((Delta::Doc(mine), vec![0]));
    }
    findings.into_results(results)
}

/// Gives what the events did as one change, where some of them took others back.
fn change(over: &[Committed<'_>], head: &DocValue) -> Option<TextDelta> {
    if !bridge::has_pair(over) {
        return None;
    }
    let mut base = head.text().clone();
    for event in over.iter().rev() {
        if let Delta::Doc(inverse) = event.inverse {
            base.replay(inverse).ok()?;
        }
    }
    let weave = Weave::of_document(&base).ok()?;
    let steps = over.iter().filter_map(|event| {
        Some(Step {
            version: event.version,
            undoes: event.undoes,
            did: Did::Edit(Cow::Borrowed(text_of(event)?)),
        })
    });
    bridge::change(weave, base, steps, head.text().len())
}

fn text_of<'a>(event: &Committed<'a>) -> Option<&'a TextDelta> {
    match event.delta {
        Delta::Doc(delta) => Some(delta),
        _ => None,
    }
}

/// Applies a delta; gives it with a newline at the end if the document would lose it. One that cannot be applied is
/// refused by whoever applies it.
fn settled(mine: TextDelta, work: &mut DocValue, findings: &mut Findings) -> TextDelta {
    if mine.is_empty() {
        findings.drop(&Subject::Page, "");
    }
    let mut after = work.clone();
    let kept = match after.replay(&mine) {
        Err(fault) if fault.rule == Rule::MissingNewline => with_newline(&mine, work),
        _ => None,
    };
    let Some(kept) = kept else {
        *work = after;
        return mine;
    };
    findings.note(NoteKind::NewlineKept, &Subject::Page, "");
    if work.replay(&kept).is_ok() { kept } else { mine }
}

/// Gives the delta with a newline behind what it leaves, with the attributes of the last one.
fn with_newline(delta: &TextDelta, head: &DocValue) -> Option<TextDelta> {
    let len = head.text().len();
    let last = head.text().slice(len.checked_sub(1)?, len).ok()?;
    let attributes = last.ops().first().and_then(TextOp::attributes).cloned();
    let end = len.saturating_add_signed(delta.change_len());
    delta
        .compose(&TextDelta::new().retain(end, None).insert("\n", attributes))
        .ok()
}
