//! The recorded cases of undo that are about text, by their ids.

use recto_projections::text::TextDelta;
use recto_projections::text::weave::EditId;
use serde_json::json;

use crate::delta;
use crate::history::History;

const A: usize = 0;
const B: usize = 1;

#[test]
fn a2_undo_leaves_a_foreign_change_of_another_attribute() {
    let mut page = History::document_of(&json!([{ "insert": "n\n" }]));
    let bold = page.quill(A, &json!([{ "retain": 1, "attributes": { "x": 10 } }]));
    page.quill(B, &json!([{ "retain": 1, "attributes": { "color": "red" } }]));
    page.undo(&[bold]);
    let wanted = json!([{ "insert": "n", "attributes": { "color": "red" } }, { "insert": "\n" }]);
    assert_eq!(page.document(), delta(&wanted));
}

#[test]
fn a6_redo_returns_to_what_was_there_at_the_time_of_the_undo() {
    let set = |value: i32| json!([{ "retain": 1, "attributes": { "p": value } }]);
    let text = |value: i32| delta(&json!([{ "insert": "n", "attributes": { "p": value } }, { "insert": "\n" }]));
    let mut page = History::document_of(&text(3).to_json());
    let own = page.quill(A, &set(0));
    page.quill(B, &set(5));
    // The newest active setter has its way: undoing an overwritten one changes nothing, and redoing it neither.
    let undo = page.undo(&[own]);
    assert_eq!(page.document(), text(5));
    let redo = page.undo(&[undo]);
    assert_eq!(page.document(), text(5));
    let again = page.undo(&[redo]);
    page.quill(B, &set(7));
    page.undo(&[again]);
    assert_eq!(page.document(), text(7));
}

#[test]
fn a6_an_attribute_undone_before_it_was_overwritten_stays_undone() {
    let set = |value: &str| json!([{ "retain": 1, "attributes": { "food": value } }]);
    let text = |value: &str| delta(&json!([{ "insert": "n", "attributes": { "food": value } }, { "insert": "\n" }]));
    let mut page = History::document_of(&text("first").to_json());
    let blue = page.quill(A, &set("blue"));
    let undo = page.undo(&[blue]);
    assert_eq!(page.document(), text("first"));
    page.quill(B, &set("burrito"));
    let redo = page.undo(&[undo]);
    assert_eq!(page.document(), text("burrito"));
    page.undo(&[redo]);
    assert_eq!(page.document(), text("burrito"));
}

#[test]
fn a8_an_insert_and_its_foreign_delete_undone_in_either_order() {
    for insert_first in [true, false] {
        let mut page = History::plain("BASE");
        let insert = page.insert(A, 2, "insert");
        let delete = page.delete(B, 2, 8);
        let order = if insert_first {
            [insert, delete]
        } else {
            [delete, insert]
        };
        page.undo(&[order[0]]);
        page.undo(&[order[1]]);
        assert_eq!(page.read(), "BASE");
    }
}

#[test]
fn a9_overlapping_deletes_undone_in_either_order() {
    // What is deleted first, what is deleted over it, and what shows when only the first, only the second is undone.
    let cases = [
        ((4, 6), (2, 8), "0189", "014589", "01236789"),
        ((4, 8), (2, 6), "0189", "01456789", "012389"),
        ((2, 6), (4, 8), "0189", "01234589", "016789"),
    ];
    for (first, over, both, first_undone, second_undone) in cases {
        let page = || {
            let mut page = History::plain("0123456789");
            let one = page.delete(A, first.0, first.1);
            // Made over the same text, and rebased: it deletes what the first left of its range.
            let over = TextDelta::new().retain(over.0, None).delete(over.1 - over.0);
            let rebased = page.newest.clone().transform(&over, true);
            let other = page.commit(B, &rebased);
            assert_eq!(page.read(), both);
            (page, one, other)
        };
        let (mut page_one, one, other) = page();
        page_one.undo(&[one]);
        assert_eq!(page_one.read(), first_undone);
        page_one.undo(&[other]);
        assert_eq!(page_one.read(), "0123456789");
        let (mut page_two, one, other) = page();
        page_two.undo(&[other]);
        assert_eq!(page_two.read(), second_undone);
        page_two.undo(&[one]);
        assert_eq!(page_two.read(), "0123456789");
    }
}

#[test]
fn a10_redo_puts_text_back_on_the_same_side_of_a_foreign_insert() {
    let mut page = History::plain("");
    let typed = page.insert(A, 0, "zz");
    page.insert(B, 1, "y");
    let undo = page.undo(&[typed]);
    assert_eq!(page.read(), "y");
    page.undo(&[undo]);
    assert_eq!(page.read(), "zyz");
}

#[test]
fn a10_typed_and_deleted_digits_come_back_in_their_places() {
    let mut page = History::plain("");
    let mut own = vec![page.insert(A, 0, "1"), page.insert(A, 1, "2"), page.delete(A, 1, 2)];
    own.extend([page.insert(A, 1, "3"), page.delete(A, 1, 2), page.insert(A, 1, "4")]);
    page.insert(B, 2, "5");
    assert_eq!(page.read(), "145");
    for wanted in ["15", "135", "15", "125"] {
        page.undo(&[own.pop().unwrap()]);
        assert_eq!(page.read(), wanted);
    }
}

#[test]
fn a11_undo_of_a_sentence_leaves_foreign_words_typed_inside() {
    let mut page = History::plain("");
    let sentence = page.insert(A, 0, "hello there");
    page.insert(B, 6, "WORLD ");
    let undo = page.undo(&[sentence]);
    assert_eq!(page.read(), "WORLD ");
    page.undo(&[undo]);
    assert_eq!(page.read(), "hello WORLD there");
}

#[test]
fn a13_repeated_undo_and_redo_lose_nothing() {
    let mut page = History::plain("");
    let [_, b, c] = ["a", "b", "c"].map(|letter| page.insert(A, page.text.len(), letter));
    page.undo(&[c]);
    let mut newest = page.undo(&[b]);
    assert_eq!(page.read(), "a");
    for _ in 0..50 {
        newest = page.undo(&[newest]);
        assert_eq!(page.read(), "ab");
        newest = page.undo(&[newest]);
        assert_eq!(page.read(), "a");
    }
}

#[test]
fn a14_undo_of_a_paragraphs_deletion_brings_foreign_words_back() {
    let mut page = History::plain("ab");
    page.insert(B, 1, "X");
    // Made before, of the whole text: rebased, and undone from what it was applied to.
    let all = TextDelta::new().delete(2);
    let rebased = page.newest.clone().transform(&all, true);
    let delete = page.commit(A, &rebased);
    assert_eq!(page.read(), "X");
    page.undo(&[delete]);
    assert_eq!(page.read(), "aXb");
    let delete = page.delete(A, 0, 3);
    page.undo(&[delete]);
    assert_eq!(page.read(), "aXb");
}

#[test]
fn a19_interleaved_typing_undone_leaves_exactly_the_others_text() {
    let mut page = History::document_of(&json!([{ "insert": "\n\n" }]));
    let (mut own, mut behind) = (Vec::new(), TextDelta::new());
    let mut lengths = [0_usize; 2];
    for turn in 0..200 {
        let author = turn % 2;
        // Made without the other's newest letter. That one stands before it when the other writes in the first line.
        let (at, letter) = match author {
            A => (lengths[A], "a"),
            _ => (lengths[A].saturating_sub(1) + 1 + lengths[B], "b"),
        };
        let typed = TextDelta::new().retain(at, None).insert(letter, None);
        let event = page.commit(author, &behind.transform(&typed, true));
        behind = page.newest.clone();
        lengths[author] += 1;
        if author == A {
            own.push(event);
        }
    }
    assert_eq!(page.read(), format!("{}\n{}\n", "a".repeat(100), "b".repeat(100)));
    for event in own.iter().rev() {
        page.undo(&[*event]);
    }
    assert_eq!(page.read(), format!("\n{}\n", "b".repeat(100)));
}

#[test]
fn b14_lines_that_were_joined_get_both_their_attributes_back() {
    let start = json!([
        { "insert": "Title" }, { "insert": "\n", "attributes": { "header": 1 } },
        { "insert": "item" }, { "insert": "\n", "attributes": { "list": "bullet" } }
    ]);
    let mut page = History::document_of(&start);
    let join = page.delete(A, 5, 6);
    page.insert(B, 7, "TE");
    page.undo(&[join]);
    let wanted = json!([
        { "insert": "Title" }, { "insert": "\n", "attributes": { "header": 1 } },
        { "insert": "itTEem" }, { "insert": "\n", "attributes": { "list": "bullet" } }
    ]);
    assert_eq!(page.document(), delta(&wanted));
}

#[test]
fn e4_the_letter_that_was_deleted_comes_back_where_it_was() {
    let mut page = History::plain("aaa");
    let delete = page.delete(A, 1, 2);
    let undo = page.weave.preview(&[delete]).unwrap();
    assert_eq!(undo, TextDelta::new().retain(1, None).insert("a", None));
    page.undo(&[delete]);
    assert_eq!(page.read(), "aaa");
}

#[test]
fn e4_two_equal_embeds_are_kept_once_each() {
    let image = json!({ "insert": { "image": "cat" } });
    let mut page = History::document_of(&json!([image, { "insert": "between" }, image, { "insert": "\n" }]));
    let edit = page.quill(
        A,
        &json!([{ "retain": 1 }, { "insert": "in " }, { "delete": 8 }, { "insert": "x" }]),
    );
    page.insert(B, 0, "y");
    page.undo(&[edit]);
    let wanted = json!([{ "insert": "y" }, image, { "insert": "between" }, image, { "insert": "\n" }]);
    assert_eq!(page.document(), delta(&wanted));
}

#[test]
fn e8_undone_to_the_creation_and_redone_four_times() {
    let mut page = History::plain("");
    let texts = ["create", "move create", "move create 2", "remove create 2"];
    let mut events = vec![
        page.insert(A, 0, "create"),
        page.insert(A, 0, "move "),
        page.insert(A, 11, " 2"),
    ];
    events.push(page.insert(A, 0, "re"));
    let mut undos = Vec::new();
    for (event, text) in events.iter().zip(texts).rev() {
        assert_eq!(page.read(), text);
        undos.push(page.undo(&[*event]));
    }
    assert_eq!(page.read(), "");
    for (undo, text) in undos.iter().rev().zip(texts) {
        page.undo(&[*undo]);
        assert_eq!(page.read(), text);
    }
}

#[test]
fn e9_an_insert_and_its_deletion_undone_one_after_the_other() {
    let mut page = History::plain("");
    let insert = page.insert(A, 0, "a");
    let delete = page.delete(A, 0, 1);
    page.undo(&[delete]);
    assert_eq!(page.read(), "a");
    page.undo(&[insert]);
    assert_eq!(page.read(), "");
    assert_eq!(page.weave.newest(), Some(EditId(4)));
}
