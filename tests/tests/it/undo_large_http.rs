//! A turn with more edits than one commit takes back.

use recto_tests::Json;
use recto_tests::api::{self, number};
use serde_json::json;

use crate::story::{BOT, PAGE, Story, insert};

const EDITS_A_COMMAND: usize = 475;

/// The newest part goes first and says how much is left; the next undo takes the rest, and both redos bring all back.
#[test]
fn a_turn_larger_than_a_commit_is_undone_in_parts() {
    let story = Story::code("");
    for _ in 0..2 {
        let deltas = Json::Array(vec![insert(0, "x"); EDITS_A_COMMAND]);
        story.send(BOT, api::deltas(PAGE, 1, &deltas).in_turn("t")).expect(200);
    }
    assert_eq!(story.text().len(), 2 * EDITS_A_COMMAND);
    let first = story.undo(BOT, json!({}));
    assert_eq!(first["undo"]["outcome"], "partial");
    let left = number(&first["undo"]["skipped"][0]["count"]);
    assert_eq!(first["undo"]["skipped"], json!([{ "code": "left", "count": left }]));
    let left = usize::try_from(left).expect("a small number");
    assert_eq!(
        first["events"].as_array().map(Vec::len),
        Some(2 * EDITS_A_COMMAND - left)
    );
    assert_eq!(story.text().len(), left);
    let second = story.undo(BOT, json!({}));
    assert_eq!(
        (&second["undo"]["outcome"], &second["undo"]["skipped"]),
        (&json!("applied"), &json!([]))
    );
    assert_eq!(story.text(), "");
    for _ in 0..2 {
        assert_eq!(story.redo(BOT, json!({}))["undo"]["outcome"], "applied");
    }
    assert_eq!(story.text().len(), 2 * EDITS_A_COMMAND);
}
