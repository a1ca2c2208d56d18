//! The events to undo, and the commonest undo of all: of what nothing came after.

use super::fault::UndoError;
use super::plan::{Request, UndoPlan, UndoStep};
use super::report::Report;
use crate::rebase::Standing;

/// Finds the events to undo by their indices, the newest first.
pub(super) fn find(request: &Request<'_>) -> Result<Vec<usize>, UndoError> {
    let history = request.history;
    let mut targets = Vec::with_capacity(request.targets.len());
    for version in request.targets {
        let index = history.binary_search_by_key(version, |event| event.version);
        targets.push(index.map_err(|_| UndoError::UnknownTarget { version: *version })?);
    }
    targets.sort_unstable_by(|a, b| b.cmp(a));
    targets.dedup();
    if targets.is_empty() {
        return Err(UndoError::NoTarget);
    }
    let kind = request.head.kind();
    let standing = Standing::of(history.iter().map(|event| (event.version, event.undoes)));
    for event in targets.iter().map(|target| &history[*target]) {
        let version = event.version;
        if let Some(delta) = [event.delta, event.inverse]
            .into_iter()
            .find(|delta| delta.kind() != kind)
        {
            return Err(UndoError::WrongKind { kind: delta.kind() });
        }
        if standing.is_undone(version) {
            return Err(UndoError::AlreadyUndone { version });
        }
    }
    Ok(targets)
}

/// Says whether nothing came after the events.
pub(super) fn are_newest(request: &Request<'_>, targets: &[usize]) -> bool {
    let count = request.history.len();
    targets
        .iter()
        .enumerate()
        .all(|(back, target)| target + back + 1 == count)
}

/// Makes the plan of the events' stored inverses.
pub(super) fn stored(request: &Request<'_>, targets: &[usize]) -> Result<UndoPlan, UndoError> {
    let steps = targets.iter().map(|target| {
        let event = &request.history[*target];
        UndoStep {
            target: event.version,
            delta: event.inverse.clone(),
            // Undoing a remembered undo that did nothing has to be remembered too.
            remember: !event.undoes.is_empty(),
        }
    });
    Report::default().into_plan(steps.collect(), true, request.policy)
}
