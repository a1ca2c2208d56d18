//! What stands in the way of undos of a CODE page.

use recto_projections::rebase::{ConflictKind, Subject};
use recto_projections::undo::{Outcome, Policy, SkipReason, UndoError, UndoPlan};
use serde_json::{Value as Json, json};

use crate::page::{FORCE, How, KEEP, RESTORE, codes};
use crate::text_history::{Text, code};

fn page() -> Text {
    Text::new(code().0, &code().1)
}

fn add(path: &str) -> Json {
    json!([{"op": "addFile", "path": path, "text": "new"}])
}

fn remove(path: &str) -> Json {
    json!([{"op": "removeFile", "path": path}])
}

fn rename(path: &str, to: &str) -> Json {
    json!([{"op": "renameFile", "path": path, "to": to}])
}

fn typed(path: &str) -> Json {
    json!([{"op": "editFile", "path": path, "delta": [{"insert": "x"}]}])
}

fn is_about(plan: &UndoPlan, path: &str) -> bool {
    plan.conflicts[0].subject == Subject::File(path.into())
}

#[test]
fn a_file_that_was_edited_since_stays_or_goes_by_force() {
    let mut text = page();
    let one = text.edit(&json!([add("n")[0], typed("a")[0]]));
    let two = text.edit(&typed("n"));
    let plan = text.plan(&[one], KEEP).unwrap();
    assert_eq!((codes(&plan), plan.outcome), (vec!["edited_since"], Outcome::Partial));
    assert!(is_about(&plan, "n") && plan.conflicts[0].version == Some(two));
    let abort = How {
        policy: Policy::Abort,
        force: false,
    };
    assert!(matches!(text.plan(&[one], abort), Err(UndoError::Aborted { conflicts }) if conflicts.len() == 1));
    let forced = text.undo(&[one], FORCE).0;
    assert_eq!((codes(&forced), forced.outcome), (Vec::new(), Outcome::Applied));
    assert_eq!(text.page.at("/files/n"), None);
    text.undo(&[3], KEEP);
    assert!(text.page.is_as_at(two), "a redo brings back all of it");
}

#[test]
fn a_path_that_is_taken_by_now_is_a_conflict() {
    let mut text = page();
    let one = text.edit(&remove("b"));
    text.edit(&add("b"));
    let plan = text.undo(&[one], KEEP).0;
    assert_eq!((codes(&plan), plan.outcome), (vec!["file_exists"], Outcome::Noop));
    assert!(is_about(&plan, "b") && !plan.steps[0].remember);
}

#[test]
fn a_file_stays_away_whose_creation_is_undone() {
    let mut text = page();
    let (one, two) = (text.edit(&add("n")), text.edit(&remove("n")));
    let creation = text.undo(&[one], KEEP).0;
    assert!(creation.steps[0].remember && creation.outcome == Outcome::Noop);
    let plan = text.undo(&[two], KEEP).0;
    assert_eq!(codes(&plan), ["create_undone"]);
    assert!(is_about(&plan, "n") && plan.steps[0].remember);
}

#[test]
fn a_rename_after_which_came_another_is_overwritten() {
    let mut text = page();
    let one = text.edit(&rename("a", "d"));
    text.edit(&rename("d", "e"));
    let plan = text.undo(&[one], KEEP).0;
    assert_eq!((codes(&plan), plan.outcome), (vec!["overwritten"], Outcome::Noop));
    assert!(is_about(&plan, "e"));
}

#[test]
fn an_undo_that_meets_a_conflict_is_partial() {
    let mut text = page();
    let one = text.edit(&json!([typed("a")[0], rename("a", "d")[0]]));
    text.edit(&rename("d", "e"));
    for how in [KEEP, RESTORE] {
        let plan = text.plan(&[one], how).unwrap();
        assert_eq!((codes(&plan), plan.outcome), (vec!["overwritten"], Outcome::Partial));
    }
    let (added, removed) = (text.edit(&add("n")), text.edit(&json!([typed("b")[0], remove("n")[0]])));
    text.undo(&[added], KEEP);
    let plan = text.undo(&[removed], KEEP).0;
    assert_eq!((codes(&plan), plan.outcome), (vec!["create_undone"], Outcome::Partial));
}

#[test]
fn an_edit_of_a_file_that_is_away_is_skipped_and_remembered() {
    let mut text = page();
    let (one, two) = (text.edit(&typed("b")), text.edit(&remove("b")));
    let plan = text.undo(&[one], KEEP).0;
    assert!(plan.conflicts.is_empty() && plan.steps[0].remember);
    assert_eq!(plan.skipped[0].reason, SkipReason::Removed);
    text.undo(&[two], KEEP);
    assert_eq!(text.page.at("/files/b"), Some(json!("def")));
}

#[test]
fn attributes_that_a_later_event_needs_stay() {
    let mut text = page();
    let set = |pointer: &str, value: Json| json!([{"op": "setAttributes", "set": {pointer: value}}]);
    let one = text.edit(&set("/font", json!({})));
    let two = text.edit(&set("/font/bold", json!(true)));
    let plan = text.undo(&[one], KEEP).0;
    assert_eq!(codes(&plan), ["blocked"]);
    let conflict = &plan.conflicts[0];
    assert!(matches!(conflict.kind, ConflictKind::Blocked { .. }));
    assert_eq!((&conflict.subject, conflict.version), (&Subject::Attributes, Some(two)));
}

/// The order does not tell where the history at hand starts: a page in the cache and one read anew give one answer.
#[test]
fn what_stands_in_the_way_is_told_by_path() {
    let mut text = page();
    for path in ["y", "x"] {
        text.edit(&add(path));
    }
    let both = text.edit(&json!([typed("y")[0], typed("x")[0]]));
    for path in ["x", "y"] {
        text.edit(&remove(path));
    }
    let plan = text.plan(&[both], KEEP).unwrap();
    let told: Vec<_> = plan.skipped.iter().map(|skipped| skipped.subject.clone()).collect();
    assert_eq!(told, [Subject::File("x".into()), Subject::File("y".into())]);

    let mut text = page();
    for path in ["y", "x"] {
        text.edit(&add(path));
    }
    let away = text.edit(&json!([remove("x")[0], remove("y")[0]]));
    text.edit(&json!([add("x")[0], add("y")[0]]));
    let plan = text.plan(&[away], KEEP).unwrap();
    let told: Vec<_> = plan.conflicts.iter().map(|conflict| conflict.subject.clone()).collect();
    assert_eq!(told, [Subject::File("x".into()), Subject::File("y".into())]);
}
