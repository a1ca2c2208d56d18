//! Stale writes, and undos that take nothing back: what stood in the way, as fields of a problem.

use recto_pages::projections::undo::UndoConflict;
use recto_pages::{Entries, Id, ReadError, Rebasable, Stale, UndoRefusal};
use serde_json::{Value as Json, json};

use super::{Code, Problem, of_read, with_head};
use crate::wire::{EventBody, events_link};

/// The most bytes of JSON that the conflicts of a refusal hold; more are counted only.
const CONFLICTS_BYTES_MAX: usize = 64 * 1024;

/// All that a writer needs to try again without asking once more.
pub(super) fn of_stale(problem: Problem, page: &Id, stale: &Stale) -> Problem {
    let missed: Result<Vec<EventBody>, ReadError> = stale.missed.events.iter().map(EventBody::new).collect();
    let missed = match missed {
        Ok(missed) => missed,
        Err(damage) => return of_read(damage, page),
    };
    let next = stale.missed.more_after.map(|after| events_link(page, after));
    let (possible, reason) = match stale.rebase {
        Rebasable::Yes => (Some(true), None),
        Rebasable::Conflicts => (Some(false), Some("conflicts")),
        Rebasable::TooFar => (Some(false), Some("too_far")),
        Rebasable::Never => (None, Some("never")),
    };
    let problem = with_head(problem, page, &stale.head)
        .with("expected", stale.base.version)
        .with("actual", stale.head.version)
        .with("missed", serde_json::to_value(missed).unwrap_or(Json::Null))
        .with("missedNext", next);
    with_conflicts(problem, stale.conflicts.iter().map(|conflict| conflict.to_json()))
        .with("rebase", json!({ "possible": possible, "reason": reason }))
}

/// Tells why nothing was undone or redone.
pub(super) fn of_undo(refusal: &UndoRefusal) -> Problem {
    let problem = |code| Problem::new(code, refusal.to_string());
    match refusal {
        UndoRefusal::Nothing { actor, redo, skipped } => {
            let code = if *redo {
                Code::NothingToRedo
            } else {
                Code::NothingToUndo
            };
            problem(code).with("actor", actor.as_str()).with("skipped", *skipped)
        }
        UndoRefusal::NotUndoable { version, kind } => problem(Code::NotUndoable)
            .with("version", *version)
            .with("kind", kind.as_str()),
        UndoRefusal::AlreadyUndone { version, by } => {
            problem(Code::AlreadyUndone).with("version", *version).with("by", *by)
        }
        UndoRefusal::NotUndone { version, by } => problem(Code::NotUndone).with("version", *version).with("by", *by),
        UndoRefusal::TurnNotFound { turn, limit } => problem(Code::TurnNotFound)
            .with("turn", turn.as_str())
            .with("limit", *limit),
        UndoRefusal::HistoryTooLong { version, limit } => problem(Code::HistoryTooLong)
            .with("version", *version)
            .with("limit", *limit),
        UndoRefusal::Conflicts { conflicts } => with_conflicts(
            problem(Code::UndoConflicts),
            conflicts.iter().map(UndoConflict::to_json),
        ),
    }
}

fn with_conflicts(problem: Problem, conflicts: impl ExactSizeIterator<Item = Json>) -> Problem {
    let Entries { listed, omitted } = Entries::within(CONFLICTS_BYTES_MAX, conflicts);
    problem.with("conflicts", listed).with("conflictsOmitted", omitted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;

    /// Of a larger conflict the values are left out.
    const CONFLICT_BYTES_MAX: usize = 4 * 1024;

    #[tokio::test]
    async fn conflicts_are_listed_up_to_a_size_and_large_values_go_first() {
        let conflict = |bytes: usize| json!({ "op": 1, "code": "overwritten", "mine": "x".repeat(bytes) });
        let large = vec![conflict(CONFLICT_BYTES_MAX); 2];
        let many = vec![conflict(1000); 100];
        let told = async |conflicts: Vec<Json>| {
            let problem = with_conflicts(Problem::plain(Code::UndoConflicts), conflicts.into_iter());
            let body = axum::body::to_bytes(problem.into_response().into_body(), usize::MAX).await;
            serde_json::from_slice::<Json>(&body.unwrap_or_default()).unwrap_or_default()
        };
        let large = told(large).await;
        let bare = json!({ "op": 1, "code": "overwritten" });
        assert_eq!(
            (&large["conflicts"], &large["conflictsOmitted"]),
            (&json!([bare, bare]), &json!(0))
        );
        let many = told(many).await;
        let listed = many["conflicts"].as_array().map_or(0, Vec::len);
        assert!((10..100).contains(&listed), "{listed}");
        assert_eq!(many["conflictsOmitted"], json!(100 - listed));
    }
}
