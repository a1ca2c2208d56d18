//! Who wrote what shows: cases. That every letter of random histories is told rightly, every history of these tests checks.

use recto_projections::blame::{LineBlame, lines};
use recto_projections::text::weave::{BlamedRun, EditId};
use serde_json::json;

use crate::code_history::{CodeHistory, typed};
use crate::history::History;

#[test]
fn text_that_an_undo_brought_back_keeps_the_event_that_typed_it() {
    let mut history = History::plain("one two");
    let typed = history.insert(0, 3, " and");
    let deleted = history.delete(1, 0, 7);
    history.undo(&[deleted]);
    assert_eq!(history.read(), "one and two");
    assert_eq!(
        history.weave.blame(),
        [run(3, None), run(4, Some(typed.0)), run(4, None)]
    );
}

#[test]
fn a_format_has_its_own_event_until_it_is_undone() {
    let mut history = History::document_of(&json!([{"insert": "abc\n"}]));
    let bold = history.quill(0, &json!([{"retain": 1}, {"retain": 1, "attributes": {"bold": true}}]));
    let format = BlamedRun {
        format: Some(bold),
        ..run(1, None)
    };
    assert_eq!(history.weave.blame(), [run(1, None), format, run(2, None)]);
    history.undo(&[bold]);
    assert_eq!(history.weave.blame(), [run(4, None)]);
}

#[test]
fn a_file_that_an_event_added_is_its_own() {
    let mut history = CodeHistory::new(&json!({"files": {"a": "old", "empty": ""}}));
    let blame = |history: &CodeHistory, path: &str| history.weave.blame(path);
    assert_eq!(blame(&history, "a"), Some(vec![run(3, None)]));
    assert_eq!(blame(&history, "empty"), Some(Vec::new()));
    assert_eq!(blame(&history, "b"), None);
    history.edit(&json!([{"op": "addFile", "path": "b", "text": "new"}]));
    history.edit(&json!([typed("b", 1, "xy"), typed("a", 3, "!")]));
    history.edit(&json!([{"op": "renameFile", "path": "a", "to": "c"}]));
    assert_eq!(
        blame(&history, "b"),
        Some(vec![run(1, Some(1)), run(2, Some(2)), run(2, Some(1))])
    );
    assert_eq!(blame(&history, "c"), Some(vec![run(3, None), run(1, Some(2))]));
    assert_eq!(blame(&history, "a"), None);
}

#[test]
fn lines_have_the_newest_event_with_a_letter_in_them() {
    let check = |text: &str, runs: &[BlamedRun], wanted: &[Option<u64>]| {
        let wanted = wanted.iter().zip(1..).map(|(event, line)| LineBlame {
            line,
            event: event.map(EditId),
        });
        assert_eq!(lines(text, runs), wanted.collect::<Vec<_>>(), "{text:?}");
    };
    check("", &[], &[]);
    check("a\nb\n", &[run(4, None)], &[None, None]);
    check("a\nb", &[run(3, Some(7))], &[Some(7), Some(7)]);
    check(
        "axb\nc\n",
        &[run(1, Some(3)), run(1, Some(9)), run(4, Some(2))],
        &[Some(9), Some(2)],
    );
    // Whoever goes on below a line, or breaks one in two, writes nothing in it.
    check(
        "old\nnew\n",
        &[run(3, None), run(4, Some(1)), run(1, None)],
        &[None, Some(1)],
    );
    check(
        "ab\n\ncd\n",
        &[run(2, None), run(2, Some(5)), run(3, None)],
        &[None, Some(5), None],
    );
    check(
        "😀a\nb\n",
        &[run(2, Some(1)), run(2, Some(2)), run(2, None)],
        &[Some(2), None],
    );
    // Runs that do not belong to the text.
    check("ab\ncd\n", &[run(1, Some(1))], &[Some(1), None]);
    check("😀\n", &[run(1, Some(1)), run(0, Some(8)), run(9, Some(2))], &[Some(1)]);
}

#[test]
fn lines_of_a_history_are_those_of_its_letters() {
    let mut history = History::plain("first\nsecond\n");
    let added = history.insert(0, 6, "between\n");
    let changed = history.insert(1, 16, "X");
    let found = lines(&history.read(), &history.weave.blame());
    let events: Vec<_> = found.iter().map(|line| line.event).collect();
    assert_eq!(events, [None, Some(added), Some(changed)]);
}

fn run(units: usize, event: Option<u64>) -> BlamedRun {
    BlamedRun {
        units,
        event: event.map(EditId),
        format: None,
    }
}
