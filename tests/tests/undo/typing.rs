//! A: text that several type: any order of undos meets, no letter is lost. Each case in a document, a file,
//! and a property of a node.

use recto_tests::undo::{Scene, Text, del, event, format, ins};
use serde_json::json;

#[test]
fn a8_an_insert_and_its_foreign_deletion_undone_in_either_order() {
    for text in Text::ALL {
        for order in [[0, 1], [1, 0]] {
            let mut scene = text.scene("BASE");
            let first = scene.version();
            let e1 = scene.write("user:a", ins(2, "insert"));
            let e2 = scene.write("user:b", del(2, 6));
            let edits = [e1, e2];
            scene.undo("user:a", event(edits[order[0]]));
            assert_eq!(
                scene.text(),
                if order[0] == 0 { "BASE" } else { "BAinsertSE" },
                "{text:?}"
            );
            scene.undo("user:b", event(edits[order[1]]));
            assert_eq!(scene.text(), "BASE", "{text:?} {order:?}");
            scene.expect_as_at(first);
        }
    }
}

#[test]
fn a8_redone_in_either_order_they_meet_as_well() {
    for text in Text::ALL {
        for order in [[0, 1], [1, 0]] {
            let mut scene = text.scene("BASE");
            let edits = [
                scene.write("user:a", ins(2, "insert")),
                scene.write("user:b", del(2, 6)),
            ];
            scene.undo("user:a", event(edits[0]));
            scene.undo("user:b", event(edits[1]));
            scene.redo("user:c", event(edits[order[0]]));
            assert_eq!(
                scene.text(),
                if order[0] == 0 { "BAinsertSE" } else { "BASE" },
                "{text:?}"
            );
            scene.redo("user:c", event(edits[order[1]]));
            assert_eq!(scene.text(), "BASE", "{text:?}");
        }
    }
}

/// Two deletions made from one version, undone in either order; `between` is what the first undo gives.
fn overlapping(text: Text, deletions: [(usize, usize); 2], both: &str, between: [&str; 2]) {
    for order in [[0, 1], [1, 0]] {
        let mut scene = text.scene("0123456789");
        let first = scene.version();
        let [(at, units), (at2, units2)] = deletions;
        let edits = [
            scene.write("user:a", del(at, units)),
            scene.write_from(first, "user:b", del(at2, units2)),
        ];
        assert_eq!(scene.text(), both, "{text:?}");
        scene.undo_clean("user:a", edits[order[0]]);
        assert_eq!(scene.text(), between[order[0]], "{text:?} {order:?}");
        scene.undo_clean("user:b", edits[order[1]]);
        assert_eq!(scene.text(), "0123456789", "{text:?} {order:?}");
        for edit in order {
            scene.redo("user:c", event(edits[edit]));
        }
        assert_eq!(scene.text(), both, "{text:?} {order:?}");
    }
}

#[test]
fn a9_a_deletion_within_another_undone_in_either_order() {
    for text in Text::ALL {
        // The wider one was rebased: what the other had deleted before is not its own.
        overlapping(text, [(4, 2), (2, 6)], "0189", ["014589", "01236789"]);
    }
}

#[test]
fn a9_deletions_that_overlap_in_part_undone_in_either_order() {
    for text in Text::ALL {
        overlapping(text, [(4, 4), (2, 4)], "0189", ["01456789", "012389"]);
    }
}

#[test]
fn a9_one_deletion_made_twice() {
    for text in Text::ALL {
        let mut scene = text.scene("0123456789");
        let first = scene.version();
        let e1 = scene.write("user:a", del(4, 3));
        let options = recto_pages::SubmitOptions::default();
        let again = scene.try_edit(first, "user:b", text.wrap(del(4, 3)), options).unwrap();
        assert_eq!(again.events.len(), 0, "it is deleted already");
        scene.undo_clean("user:a", e1);
        assert_eq!(scene.text(), "0123456789", "{text:?}");
    }
}

#[test]
fn a10_redo_puts_text_back_on_its_side_of_a_foreign_insert() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        scene.write("user:1", ins(0, "zz"));
        scene.write("user:2", ins(1, "y"));
        scene.back("user:1").clean();
        assert_eq!(scene.text(), "y", "{text:?}");
        scene.forth("user:1").clean();
        assert_eq!(scene.text(), "zyz", "{text:?}");
    }
}

#[test]
fn a10_digits_typed_and_deleted_come_back_in_their_places() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        for delta in [ins(0, "1"), ins(1, "2"), del(1, 1), ins(1, "3"), del(1, 1), ins(1, "4")] {
            scene.write("user:a", delta);
        }
        scene.write("user:b", ins(2, "5"));
        assert_eq!(scene.text(), "145");
        for left in ["15", "135", "15", "125", "15", "5"] {
            scene.back("user:a").clean();
            assert_eq!(scene.text(), left, "{text:?}");
        }
        for left in ["15", "125", "15", "135", "15", "145"] {
            scene.forth("user:a").clean();
            assert_eq!(scene.text(), left, "{text:?}");
        }
    }
}

#[test]
fn a10_also_where_the_other_typed_before_and_after() {
    for text in Text::ALL {
        let mut scene = text.scene("()");
        scene.write("user:1", ins(1, "mid"));
        scene.write("user:2", ins(1, "<"));
        scene.write("user:2", ins(5, ">"));
        assert_eq!(scene.text(), "(<mid>)");
        for _ in 0..3 {
            scene.back("user:1").clean();
            assert_eq!(scene.text(), "(<>)", "{text:?}");
            scene.forth("user:1").clean();
            assert_eq!(scene.text(), "(<mid>)", "{text:?}");
        }
    }
}

#[test]
fn a11_undo_keeps_what_another_typed_inside() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        let e1 = scene.write("user:a", ins(0, "hello there"));
        scene.write("user:b", ins(6, "WORLD "));
        scene.undo_clean("user:a", e1);
        assert_eq!(scene.text(), "WORLD ", "{text:?}");
        scene.redo_clean("user:a", e1);
        assert_eq!(scene.text(), "hello WORLD there", "{text:?}");
    }
}

#[test]
fn a11_also_what_a_third_typed_into_that_and_what_was_typed_after_the_undo() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        let e1 = scene.write("user:a", ins(0, "hello there"));
        let e2 = scene.write("user:b", ins(6, "WORLD "));
        scene.write("user:c", ins(8, "--"));
        scene.undo_clean("user:a", e1);
        scene.write("user:c", ins(0, "!"));
        scene.undo_clean("user:b", e2);
        assert_eq!(scene.text(), "!--", "{text:?}");
        scene.redo_clean("user:b", e2);
        assert_eq!(scene.text(), "!WO--RLD ", "{text:?}");
        scene.redo_clean("user:a", e1);
        let all = scene.text();
        assert_eq!(all.replace('!', ""), "hello WO--RLD there", "{text:?}: {all}");
    }
}

#[test]
fn a14_undo_of_a_paragraphs_deletion_brings_foreign_words_back() {
    for text in Text::ALL {
        let mut scene = text.scene("ab");
        let first = scene.version();
        let e1 = scene.write("user:b", ins(1, "X"));
        let e2 = scene.write_from(first, "user:a", del(0, 2));
        assert_eq!(scene.text(), "X", "{text:?}");
        scene.undo_clean("user:a", e2);
        assert_eq!(scene.text(), "aXb", "{text:?}");
        scene.expect_as_at(e1);
    }
}

#[test]
fn a14_what_was_typed_into_a_deleted_paragraph_can_be_undone_before_it() {
    for text in Text::ALL {
        let mut scene = text.scene("ab");
        let first = scene.version();
        let e1 = scene.write("user:b", ins(1, "X"));
        let e2 = scene.write("user:a", del(0, 3));
        assert_eq!(scene.text(), "");
        scene.undo("user:b", event(e1));
        scene.undo("user:a", event(e2));
        assert_eq!(scene.text(), "ab", "{text:?}");
        scene.expect_as_at(first);
        scene.redo_clean("user:b", e1);
        assert_eq!(scene.text(), "aXb", "{text:?}");
    }
}

#[test]
fn a15_the_inverse_of_a_stale_write_is_made_where_it_was_applied() {
    for text in Text::ALL {
        let mut scene = text.scene("abcdef");
        let first = scene.version();
        scene.write("user:a", ins(0, "1234"));
        let e2 = scene.write_from(first, "user:b", del(2, 2));
        assert_eq!(scene.text(), "1234abef", "{text:?}");
        // The step above has applied the inverse already; told as an edit it does the same.
        let inverse = scene.inverse_of(e2);
        scene.edit("user:c", inverse.as_array().unwrap().clone());
        assert_eq!(scene.text(), "1234abcdef", "{text:?}");
    }
}

#[test]
fn a15_of_formats_on_words_that_changed_since() {
    let mut scene = Scene::doc(&json!([{ "insert": "abcdef\n", "attributes": {} }]));
    let first = scene.version();
    scene.edit("user:a", ins(3, "XY"));
    scene.edit("user:a", format(0, 2, &json!({ "bold": true })));
    let e = scene.edit_from(first, "user:b", format(1, 4, &json!({ "italic": true })));
    let marked: Vec<_> = scene
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|op| op["insert"].clone())
        .collect();
    assert_eq!(marked, ["a", "b", "c", "XY", "de", "f\n"]);
    scene.undo_clean("user:b", e);
    scene.expect_as_at(e - 1);
}

#[test]
fn a19_two_hundred_letters_of_two_undone_leave_exactly_the_others() {
    for text in Text::ALL {
        let mut scene = text.scene("\n");
        let mut own = Vec::new();
        for round in 0..100 {
            let base = scene.version() - u64::from(round > 0);
            // From the base the others' newest letter is not there; the own paragraph is the first one.
            own.push(scene.write_from(base, "user:a", ins(round, "a")));
            let base = scene.version() - 1;
            let letter = char::from(b'b' + u8::try_from(round % 20).unwrap()).to_string();
            scene.write_from(base, "user:b", ins(2 * round + 1, &letter));
        }
        let theirs: String = (0..100u8).map(|round| char::from(b'b' + round % 20)).collect();
        assert_eq!(scene.text(), format!("{}\n{theirs}", "a".repeat(100)), "{text:?}");
        // Half by Cmd+Z, the newest first; half by name, the oldest first.
        for _ in 0..50 {
            scene.back("user:a").clean();
        }
        for version in &own[..50] {
            scene.undo_clean("user:a", *version);
        }
        assert_eq!(scene.text(), format!("\n{theirs}"), "{text:?}");
        scene.expect_no_undo("user:a");
    }
}
