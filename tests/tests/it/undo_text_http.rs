//! Undo of text over HTTP: in any order, over others' letters, again and again.

use recto_tests::Json;
use recto_tests::api::{self, number};
use serde_json::json;

use crate::story::{ANN, BEN, PAGE, Story, delete, edit_file, insert, with_retain};

/// Both orders of two undos: the text after each.
#[track_caller]
fn expect_both_orders(make: impl Fn() -> Story, first: [&str; 2], second: [&str; 2]) {
    for (order, texts) in [([2, 3], first), ([3, 2], second)] {
        let story = make();
        let events: Vec<_> = order.iter().map(|event| format!("undo {event}")).collect();
        for (event, text) in order.into_iter().zip(texts) {
            let by = if event == 2 { ANN } else { BEN };
            story.undo(by, json!({ "event": event }));
            assert_eq!(story.text(), text, "after undo of {event} in {order:?}");
        }
        story.expect_stream(&["create", "edit", "edit", &events[0], &events[1]]);
        story.expect_way_back();
    }
}

#[test]
fn a8_an_insert_and_its_deletion_are_undone_in_any_order() {
    let make = || {
        let story = Story::code("BASE");
        story.edit(ANN, insert(2, "insert"));
        story.edit(BEN, delete(2, 6));
        story
    };
    expect_both_orders(make, ["BASE", "BASE"], ["BAinsertSE", "BASE"]);
    let make = || {
        let story = Story::new("DOC", &json!([{ "insert": "BASE\n" }]));
        story.edit(
            ANN,
            json!([{ "retain": 2 }, { "insert": "insert", "attributes": { "bold": true } }]),
        );
        story.edit(BEN, json!([{ "retain": 2 }, { "delete": 6 }]));
        story
    };
    expect_both_orders(make, ["BASE\n", "BASE\n"], ["BAinsertSE\n", "BASE\n"]);
}

#[test]
fn a9_deletions_that_overlap_are_undone_once_each_and_both_orders_meet() {
    let overlapping = |mine: (usize, usize), theirs: (usize, usize)| {
        let story = Story::code("0123456789");
        story.edit(ANN, delete(mine.0, mine.1));
        story.edit_from(1, BEN, delete(theirs.0, theirs.1));
        assert_eq!(story.text(), "0189");
        story
    };
    let all = "0123456789";
    expect_both_orders(|| overlapping((4, 2), (2, 6)), ["014589", all], ["01236789", all]);
    expect_both_orders(|| overlapping((4, 4), (2, 4)), ["01456789", all], ["012389", all]);
}

#[test]
fn a10_a_redo_puts_text_back_where_it_was() {
    let story = Story::code("");
    story.edit(ANN, insert(0, "zz"));
    story.edit(BEN, insert(1, "y"));
    story.undo(ANN, json!({}));
    assert_eq!(story.text(), "y");
    story.redo(ANN, json!({}));
    assert_eq!(story.text(), "zyz");
    story.expect_stream(&["create", "edit", "edit", "undo 2", "redo 4"]);
    story.expect_way_back();
}

#[test]
fn a10_undos_step_back_beside_a_foreign_letter() {
    let story = Story::code("");
    for delta in [
        insert(0, "1"),
        insert(1, "2"),
        delete(1, 1),
        insert(1, "3"),
        delete(1, 1),
        insert(1, "4"),
    ] {
        story.edit(ANN, delta);
    }
    story.edit(BEN, insert(2, "5"));
    assert_eq!(story.text(), "145");
    for text in ["15", "135", "15", "125"] {
        story.undo(ANN, json!({}));
        assert_eq!(story.text(), text);
    }
    let undone = ["undo 7", "undo 6", "undo 5", "undo 4"];
    let edits = ["create", "edit", "edit", "edit", "edit", "edit", "edit", "edit"];
    story.expect_stream(&[&edits[..], &undone[..]].concat());
    for text in ["15", "135", "15", "145"] {
        story.redo(ANN, json!({}));
        assert_eq!(story.text(), text);
    }
    story.expect_way_back();
}

#[test]
fn a11_a_word_typed_inside_survives_the_undo_around_it() {
    let story = Story::code("");
    story.edit(ANN, insert(0, "hello there"));
    story.edit(BEN, insert(6, "WORLD "));
    story.undo(ANN, json!({ "event": 2 }));
    assert_eq!(story.text(), "WORLD ");
    story.redo(ANN, json!({ "event": 2 }));
    assert_eq!(story.text(), "hello WORLD there");
    story.expect_stream(&["create", "edit", "edit", "undo 2", "redo 4"]);
    story.expect_way_back();
}

/// Each undo and each redo does what it says however often, and none is larger than the one before.
#[test]
fn a13_fifty_rounds_of_undo_and_redo_lose_nothing_and_do_not_grow() {
    let story = Story::code("");
    for (at, letter) in ["a", "b", "c"].into_iter().enumerate() {
        story.edit(ANN, insert(at, letter));
    }
    let mut sizes = Vec::new();
    let mut step = |redo: bool, text: &str| {
        let answer = if redo {
            story.redo(ANN, json!({}))
        } else {
            story.undo(ANN, json!({}))
        };
        assert_eq!(story.text(), text);
        let event = &answer["events"][0];
        sizes.push((event["delta"].to_string().len(), event["inverse"].to_string().len()));
    };
    step(false, "ab");
    step(false, "a");
    for _ in 0..50 {
        step(true, "ab");
        step(false, "a");
    }
    step(true, "ab");
    step(true, "abc");
    let largest = sizes.iter().map(|(delta, inverse)| delta + inverse).max();
    assert_eq!(
        largest,
        sizes.iter().take(3).map(|(delta, inverse)| delta + inverse).max()
    );
    assert_eq!(story.head(), 4 + 104);
    assert_eq!(story.stacks(ANN), (json!([[4], [3], [2]]), json!([])));
    story.expect_way_back();
}

/// The inverse is made from the state that the deletion was applied to.
#[test]
fn a14_a_deleted_paragraph_comes_back_with_the_words_of_others() {
    let story = Story::code("ab");
    story.edit(BEN, insert(1, "X"));
    let written = story.api.write(&api::deltas(PAGE, 1, &json!([delete(0, 2)])).by(ANN));
    assert_eq!(
        (&written["rebase"]["base"], &written["rebase"]["over"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(story.text(), "X");
    story.undo(ANN, json!({}));
    assert_eq!(story.text(), "aXb");
    story.expect_stream(&["create", "edit", "edit", "undo 3"]);
    story.expect_way_back();
}

/// Two who type at the same time, each a step behind the other; one takes back all of it.
#[test]
fn a19_after_200_letters_in_turn_the_undo_of_one_leaves_exactly_the_others() {
    const EACH: usize = 100;
    let story = Story::new("DOC", &json!([{ "insert": "\n\n" }]));
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap()).to_string();
    for round in 0..EACH {
        let upper = letter(round).to_uppercase();
        for (actor, text, at) in [
            (ANN, upper, round),
            // Ben does not see the letter that Ann has just typed.
            (BEN, letter(round), round + 1 + round),
        ] {
            let head = story.head();
            let base = (head - 1).max(1);
            let delta = with_retain(at, json!({ "insert": text }));
            let written = story.api.write(&api::deltas(PAGE, base, &json!([delta])).by(actor));
            assert_eq!(written["rebase"].is_object(), base < head, "{written}");
        }
    }
    let of_ben: String = (0..EACH).map(letter).collect();
    assert_eq!(story.text(), format!("{}\n{of_ben}\n", of_ben.to_uppercase()));
    for _ in 0..EACH {
        story.undo(ANN, json!({}));
    }
    assert_eq!(story.text(), format!("\n{of_ben}\n"));
    story
        .send(ANN, api::undo(PAGE, 1, &json!({})))
        .expect_problem(409, "nothing_to_undo");
    let events = story.api.events(PAGE);
    let undos: Vec<u64> = events[1 + 2 * EACH..]
        .iter()
        .map(|event| number(&event["cause"]["version"]))
        .collect();
    let of_ann: Vec<u64> = (1..).step_by(2).take(EACH).map(|edit| edit + 1).collect();
    assert!(undos.iter().eq(of_ann.iter().rev()), "{undos:?}");
    story.expect_way_back();
}

/// What others typed into text that an undo had brought back stays where it is.
#[test]
fn a13_text_typed_into_what_an_undo_brought_back_survives_the_redo() {
    let story = Story::code("one two");
    story.edit(ANN, delete(0, 4));
    story.undo(ANN, json!({}));
    story.edit(BEN, edit_file(json!([{ "retain": 1 }, { "insert": "BEN" }])));
    assert_eq!(story.text(), "oBENne two");
    story.redo(ANN, json!({}));
    assert_eq!(story.text(), "BENtwo");
    story.undo(ANN, json!({}));
    assert_eq!(story.text(), "oBENne two");
    let before: Json = story.value();
    story.undo(BEN, json!({}));
    assert_eq!(story.text(), "one two");
    story.redo(BEN, json!({}));
    assert_eq!(story.value(), before);
    story.expect_way_back();
}
