//! Rebase of DOC deltas over edits and their undos: text that an undo brings back is the same text.

use recto_projections::rebase::{Nature, Options};
use recto_projections::{Delta, Kind};
use serde_json::{Value as Json, json};

use crate::page::{KEEP, Page};
use crate::text_history::Text;

fn doc(text: &str) -> Text {
    Text::new(Kind::Doc, &json!([{"insert": text}]))
}

/// What a delta that was made of the first version makes of the head.
fn stale(text: &Text, ops: Json) -> Json {
    let rebased = text.page.rebased(0, ops, &Options::default()).unwrap();
    let mut head = text.page.head().clone();
    head.apply(&rebased.delta).unwrap();
    head.to_json()
}

fn deleted_and_back() -> Text {
    let mut text = doc("abcd\n");
    let deletion = text.edit(&json!([{"retain": 1}, {"delete": 2}]));
    text.undo(&[deletion], KEEP);
    text
}

#[test]
fn an_insert_stays_inside_text_deleted_and_brought_back() {
    let text = deleted_and_back();
    assert_eq!(
        stale(&text, json!([{"retain": 2}, {"insert": "X"}])),
        json!([{"insert": "abXcd\n"}])
    );
}

#[test]
fn a_deletion_of_text_deleted_and_brought_back_holds() {
    let text = deleted_and_back();
    assert_eq!(
        stale(&text, json!([{"retain": 1}, {"delete": 2}])),
        json!([{"insert": "ad\n"}])
    );
}

#[test]
fn a_format_of_text_deleted_and_brought_back_holds() {
    let text = deleted_and_back();
    let bold = json!({"bold": true});
    assert_eq!(
        stale(&text, json!([{"retain": 1}, {"retain": 2, "attributes": bold}])),
        json!([{"insert": "a"}, {"insert": "bc", "attributes": bold}, {"insert": "d\n"}])
    );
}

#[test]
fn text_that_is_deleted_again_is_deleted() {
    let mut text = deleted_and_back();
    text.undo(&[2], KEEP);
    assert_eq!(
        stale(&text, json!([{"retain": 2}, {"insert": "X"}])),
        json!([{"insert": "aXd\n"}])
    );
    text.undo(&[3], KEEP);
    assert_eq!(
        stale(&text, json!([{"retain": 2}, {"insert": "X"}])),
        json!([{"insert": "abXcd\n"}])
    );
}

#[test]
fn what_others_typed_meanwhile_stays_where_it_is() {
    let mut text = doc("abcd\n");
    let deletion = text.edit(&json!([{"retain": 1}, {"delete": 2}]));
    text.edit(&json!([{"retain": 2}, {"insert": "T"}]));
    text.undo(&[deletion], KEEP);
    assert_eq!(
        stale(
            &text,
            json!([{"retain": 2}, {"insert": "X"}, {"retain": 2}, {"insert": "Y"}])
        ),
        json!([{"insert": "abXcdTY\n"}])
    );
}

/// An undo of what was done before the base brings other text as far as the delta is concerned.
#[test]
fn an_undo_of_something_older_is_gone_over_as_an_edit() {
    let mut text = doc("abcd\n");
    let older = text.edit(&json!([{"retain": 1}, {"delete": 1}]));
    let newer = text.edit(&json!([{"retain": 1}, {"delete": 1}]));
    text.undo(&[older, newer], KEEP);
    let ops = json!([{"retain": 1}, {"insert": "X"}, {"delete": 1}]);
    let rebased = text.page.rebased(1, ops, &Options::default()).unwrap();
    let mut head = text.page.head().clone();
    head.apply(&rebased.delta).unwrap();
    assert_eq!(head.to_json(), json!([{"insert": "abXd\n"}]));
}

/// The undo of an older insertion lies between a deletion of what it took away and the undo of that: the weave from the
/// base on does not know of it, and follows what was committed.
#[test]
fn an_undo_that_brings_less_back_than_was_deleted_is_followed() {
    let mut text = doc("ad\n");
    let older = text.edit(&json!([{"retain": 1}, {"insert": "bc"}]));
    let deletion = text.edit(&json!([{"delete": 3}]));
    text.undo(&[older], KEEP);
    text.undo(&[deletion], KEEP);
    assert_eq!(text.page.json(), json!([{"insert": "ad\n"}]));
    let ops = json!([{"retain": 4}, {"insert": "X"}]);
    let rebased = text.page.rebased(1, ops, &Options::default()).unwrap();
    let mut head = text.page.head().clone();
    head.apply(&rebased.delta).unwrap();
    assert_eq!(head.to_json(), json!([{"insert": "adX\n"}]));
}

/// One compensation of an event after the base and of an older one at once is gone over as an edit.
#[test]
fn an_undo_of_something_older_and_something_newer_at_once_is_gone_over() {
    let mut page = Page::new(Kind::Doc, &json!([{"insert": "abcd\n"}]));
    let older = page.edit("A", json!([{"retain": 1}, {"delete": 1}]));
    let newer = page.edit("A", json!([{"retain": 1}, {"delete": 1}]));
    let back = Delta::from_json(Kind::Doc, &json!([{"retain": 1}, {"insert": "bc"}])).unwrap();
    page.append("A", &back, Nature::Edit, &[older, newer]);
    page.edit_from("B", older, json!([{"retain": 2}, {"insert": "X"}]));
    assert_eq!(page.json(), json!([{"insert": "abcXd\n"}]));
}
