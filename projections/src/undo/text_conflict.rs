//! What an undo of a CODE page came upon, told as undos of the other kinds tell it.

use super::plan::{SkipReason, Skipped, UndoConflict};
use super::report::Report;
use crate::code::Path;
use crate::fault::Rule;
use crate::rebase::{ConflictKind, Subject};
use crate::text::weave::{CodeConflict, EditId};

/// Takes into the report what the undo of an event came upon.
pub(super) fn found(target: u64, conflict: CodeConflict, report: &mut Report) {
    let (kind, subject, event) = match conflict {
        CodeConflict::PathTaken { path } => (ConflictKind::FileExists, Subject::File(path), None),
        CodeConflict::EditedSince { path, event } => (ConflictKind::EditedSince, Subject::File(path), Some(event)),
        CodeConflict::CreateUndone { path } => (ConflictKind::CreateUndone, Subject::File(path), None),
        CodeConflict::RenamedSince { path } => (ConflictKind::Overwritten, Subject::File(path), None),
        CodeConflict::AttributesNeeded { event } => {
            // The later event set something below what would go away.
            let kind = ConflictKind::Blocked {
                rule: Rule::PathMissing,
            };
            (kind, Subject::Attributes, Some(event))
        }
        CodeConflict::FileRemoved { path } => return report.skip(removed(target, path)),
    };
    report.conflict(UndoConflict {
        target,
        kind,
        subject,
        pointer: String::new(),
        wanted: None,
        now: None,
        version: event.map(|EditId(version)| version),
        actor: None,
    });
}

fn removed(target: u64, path: Path) -> Skipped {
    Skipped {
        target,
        reason: SkipReason::Removed,
        subject: Subject::File(path),
        pointer: String::new(),
    }
}
