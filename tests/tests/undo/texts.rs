//! E: what comes back is exactly what went: letters, attributes, absent keys, line ends.

use recto_pages::{SubmitOptions, WriteError};
use recto_tests::undo::{
    Scene, Text, add, add_at, del, edit_file, event, format, ins, move_to, node_of, remove, set, side_by_side, unset,
};
use serde_json::{Value as Json, json};

#[test]
fn e1_an_undo_never_cuts_a_pair() {
    for text in Text::ALL {
        let mut scene = text.scene("a😀b");
        let first = scene.version();
        let e1 = scene.write("user:a", del(1, 2));
        let e2 = scene.write("user:b", ins(1, "👩‍👩‍👧"));
        scene.undo_clean("user:a", e1);
        let both = scene.text();
        assert!(both == "a😀👩‍👩‍👧b" || both == "a👩‍👩‍👧😀b", "{both}");
        let refused = scene.try_edit(
            scene.version(),
            "user:a",
            text.wrap(ins(2, "x")),
            SubmitOptions::default(),
        );
        assert!(matches!(refused, Err(WriteError::Illegal { .. })), "{refused:?}");
        scene.undo_clean("user:b", e2);
        scene.expect_as_at(first);
    }
}

#[test]
fn e1_two_pairs_that_share_half_are_swapped_whole() {
    for text in Text::ALL {
        // 😀 and 😁 have the same high surrogate: a difference by units would keep it.
        let mut scene = text.scene("😀😁");
        let e1 = scene.write("user:a", [del(0, 2), vec![json!({ "insert": "😁" })]].concat());
        scene.write("user:b", ins(4, "!"));
        scene.undo_clean("user:a", e1);
        assert_eq!(scene.text(), "😀😁!", "{text:?}");
        scene.redo_clean("user:a", e1);
        assert_eq!(scene.text(), "😁😁!", "{text:?}");
    }
}

#[test]
fn e4_the_letter_that_was_deleted_comes_back_where_it_was() {
    for text in Text::ALL {
        let mut scene = text.scene("aaa");
        let e1 = scene.write("user:a", del(1, 1));
        assert!(
            scene
                .inverse_of(e1)
                .to_string()
                .contains(r#"{"retain":1},{"insert":"a"}"#)
        );
        scene.write(
            "user:b",
            [ins(0, "<"), vec![json!({ "retain": 2 }), json!({ "insert": ">" })]].concat(),
        );
        assert_eq!(scene.text(), "<aa>");
        scene.undo_clean("user:a", e1);
        assert_eq!(scene.text(), "<aaa>", "{text:?}");
    }
}

#[test]
fn e4_two_equal_embeds_are_kept_once_each() {
    let image = || json!({ "insert": { "image": "asset:1" } });
    let mut scene = Scene::doc(&json!([image(), { "insert": "a" }, image(), { "insert": "\n" }]));
    let e1 = scene.edit("user:a", del(2, 1));
    let e2 = scene.edit("user:b", ins(1, "between"));
    scene.undo_clean("user:a", e1);
    let embeds = |scene: &Scene| {
        scene
            .json()
            .as_array()
            .unwrap()
            .iter()
            .filter(|op| op["insert"].is_object())
            .count()
    };
    assert_eq!(embeds(&scene), 2);
    assert_eq!(scene.at("/1/insert"), Some(json!("betweena")));
    scene.undo_clean("user:b", e2);
    scene.expect_as_at(1);
    let e3 = scene.edit("user:a", del(0, 1));
    scene.edit("user:b", ins(1, "x"));
    scene.undo_clean("user:a", e3);
    assert_eq!(embeds(&scene), 2);
}

#[test]
fn e4_two_equal_lines_of_a_file() {
    let mut scene = Text::Code.scene("}\n}\n}\n");
    let e1 = scene.write("user:a", del(2, 2));
    scene.write("user:b", ins(2, "// last\n"));
    scene.undo_clean("user:a", e1);
    let all = scene.text();
    assert_eq!(all.matches("}\n").count(), 3, "{all:?}");
    assert!(all.starts_with("}\n") && all.ends_with("}\n"), "{all:?}");
}

#[test]
fn e6_a_field_set_and_its_node_removed_in_one_event() {
    let mut scene = Scene::design(&json!({ "nodes": [{ "id": "n", "type": "text", "props": { "a": 1 } }] }));
    let e1 = scene.edit(
        "user:a",
        [
            set("n", "/type", "x"),
            set("n", "/props/a", 2),
            unset("n", "/props/b"),
            remove("n"),
        ],
    );
    let other = scene.edit("user:b", [add("m")]);
    scene.undo_clean("user:a", e1);
    let node = scene.node("n").unwrap();
    assert_eq!((&node["type"], &node["props"]), (&json!("text"), &json!({ "a": 1 })));
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn e6_words_formatted_and_deleted_in_one_event() {
    let mut scene = Scene::doc(&json!([{ "insert": "one", "attributes": { "bold": true } }, { "insert": " two\n" }]));
    let written = scene.edit_all(
        "user:a",
        "t",
        [format(0, 3, &json!({ "bold": null, "italic": true })), del(0, 3)],
    );
    written.unwrap();
    scene.edit("user:b", ins(4, "!"));
    scene.undo("user:a", recto_tests::undo::turn("t")).applied();
    assert_eq!(
        scene.json(),
        json!([{ "insert": "one", "attributes": { "bold": true } }, { "insert": " two!\n" }])
    );
}

#[test]
fn e6_a_file_edited_renamed_and_removed_in_one_event() {
    let mut scene = Scene::code(&json!({ "files": { "a": "text", "b": "" }, "entry": "a" }));
    let rename = json!({ "op": "renameFile", "path": "a", "to": "c" });
    let removal = json!({ "op": "removeFile", "path": "c" });
    let e1 = scene.edit("user:a", [edit_file("a", ins(4, "!")), rename, removal]);
    let other = scene.edit("user:b", [edit_file("b", ins(0, "x"))]);
    scene.undo_clean("user:a", e1);
    assert_eq!(
        scene.json(),
        json!({ "files": { "a": "text", "b": "x" }, "entry": "a" })
    );
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

/// Undoes all edits of an actor and redoes them, and meets each state again.
fn there_and_back(scene: &mut Scene, states: &[u64]) {
    for _ in 0..2 {
        for state in states.iter().rev().skip(1) {
            scene.back("user:a").clean();
            scene.expect_as_at(*state);
        }
        scene.expect_no_undo("user:a");
        for state in &states[1..] {
            scene.forth("user:a").clean();
            scene.expect_as_at(*state);
        }
        scene.expect_no_redo("user:a");
    }
}

#[test]
fn e8_created_and_moved_three_times_undone_and_redone() {
    let mut scene = Scene::design(&side_by_side(&["m", "o"]));
    let mut states = vec![
        scene.version(),
        scene.edit("user:a", [add_at("n", json!({ "after": "m" }))]),
    ];
    for (place, x) in [("first", 1), ("last", 2), ("first", 3)] {
        let fields = json!({ "placement": place, "geometry": { "x": x } });
        states.push(scene.edit("user:a", [move_to("n", fields)]));
    }
    there_and_back(&mut scene, &states);
}

#[test]
fn e8_a_file_created_and_renamed_three_times() {
    let mut scene = Scene::code(&json!({ "files": { "a": "" }, "entry": "a" }));
    let create = [
        json!({ "op": "addFile", "path": "n", "text": "new" }),
        json!({ "op": "setEntry", "path": "n" }),
    ];
    let mut states = vec![scene.version(), scene.edit("user:a", create)];
    for (path, to) in [("n", "n2"), ("n2", "dir/n"), ("dir/n", "z")] {
        states.push(scene.edit("user:a", [json!({ "op": "renameFile", "path": path, "to": to })]));
    }
    there_and_back(&mut scene, &states);
}

#[test]
fn e8_words_typed_and_formatted_three_times() {
    let mut scene = Scene::doc(&json!([{ "insert": "\n" }]));
    let mut states = vec![scene.version(), scene.edit("user:a", ins(0, "words"))];
    for attributes in [
        json!({ "bold": true }),
        json!({ "bold": null, "color": "red" }),
        json!({ "color": "blue" }),
    ] {
        states.push(scene.edit("user:a", format(0, 5, &attributes)));
    }
    there_and_back(&mut scene, &states);
}

#[test]
fn e9_an_insert_and_its_deletion_undone_one_after_the_other() {
    for text in Text::ALL {
        let mut scene = text.scene("");
        scene.write("user:a", ins(0, "a"));
        scene.write("user:a", del(0, 1));
        scene.back("user:a").clean();
        assert_eq!(scene.text(), "a", "{text:?}");
        scene.back("user:a").clean();
        scene.expect_as_at(1);
        scene.expect_no_undo("user:a");
        for left in ["a", ""] {
            scene.forth("user:a").clean();
            assert_eq!(scene.text(), left, "{text:?}");
        }
        scene.expect_no_redo("user:a");
    }
}

#[test]
fn e10_a_key_that_was_absent_is_absent_again() {
    let mut scene = Scene::design(&json!({ "nodes": [{ "id": "n", "type": "text", "props": { "b": 1 } }] }));
    let e1 = scene.edit(
        "user:a",
        [
            set("n", "/props/title", "t"),
            json!({ "op": "setAttributes", "set": { "/x": null } }),
        ],
    );
    let other = scene.edit("user:b", [set("n", "/props/b", 2)]);
    scene.undo_clean("user:a", e1);
    assert_eq!(
        (scene.node("n").unwrap()["props"].clone(), scene.at("/attributes/x")),
        (json!({ "b": 2 }), None)
    );
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn e10_null_and_absent_are_two_things_also_by_redo() {
    let mut scene = Scene::design(&json!({ "nodes": [{ "id": "n", "type": "text", "props": { "a": null, "b": 1 } }] }));
    let e1 = scene.edit("user:a", [unset("n", "/props/a")]);
    let e2 = scene.edit("user:a", [set("n", "/props/c", Json::Null)]);
    scene.edit("user:b", [add("m")]);
    scene.undo_clean("user:a", e1);
    let props = || json!({ "a": null, "b": 1, "c": null });
    assert_eq!(scene.node("n").unwrap()["props"].to_string(), props().to_string());
    scene.undo_clean("user:a", e2);
    assert_eq!(
        scene.node("n").unwrap()["props"].to_string(),
        json!({ "a": null, "b": 1 }).to_string()
    );
    scene.redo_clean("user:a", e2);
    assert_eq!(scene.node("n").unwrap()["props"].to_string(), props().to_string());
}

#[test]
fn e10_an_attribute_of_words_and_of_files_that_was_absent() {
    let mut scene = Scene::doc(&json!([{ "insert": "one\n" }]));
    let e1 = scene.edit("user:a", format(0, 3, &json!({ "link": { "u": 1 } })));
    let other = scene.edit("user:b", ins(3, "!"));
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);

    let mut scene = Scene::code(&json!({ "files": {} }));
    let e1 = scene.edit("user:a", [json!({ "op": "setAttributes", "set": { "/lang": "rust" } })]);
    let other = scene.edit("user:b", [json!({ "op": "setAttributes", "set": { "/tab": null } })]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.at("/attributes"), Some(json!({ "tab": null })));
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn e11_the_same_object_again_is_no_event() {
    let mut scene = Scene::doc(&json!([{ "insert": "one", "attributes": { "link": { "u": 1 } } }, { "insert": "\n" }]));
    let same = format(0, 3, &json!({ "link": { "u": 1 } }));
    let written = scene.try_edit(1, "user:a", same, SubmitOptions::default()).unwrap();
    assert_eq!((written.events.len(), written.version), (0, 1));
    scene.expect_no_undo("user:a");
}

#[test]
fn e12_a_change_of_nothing_does_not_clear_redo() {
    for text in Text::ALL {
        let mut scene = text.scene("one");
        scene.write("user:a", ins(3, "!"));
        scene.back("user:a").clean();
        let head = scene.version();
        let nothing = match text {
            Text::Design => vec![set("n", "/props/t", "one")],
            _ => text.wrap(vec![json!({ "retain": 2 })]),
        };
        let written = scene
            .try_edit(head, "user:a", nothing, SubmitOptions::default())
            .unwrap();
        assert_eq!((written.events.len(), written.version), (0, head), "{text:?}");
        scene.forth("user:a").clean();
        assert_eq!(scene.text(), "one!", "{text:?}");
    }
}

#[test]
fn e12_a_change_of_nothing_within_a_turn_leaves_the_turn_whole() {
    let mut scene = Scene::design(&json!({ "nodes": [node_of("n", None)] }));
    scene
        .edit_all("agent:x", "t", [[add("a")], [set("n", "/type", "shape")], [add("b")]])
        .unwrap();
    scene.edit("user:u", [set("n", "/props/x", 1)]);
    let undo = scene.undo("user:u", recto_tests::undo::turn("t"));
    assert_eq!((undo.versions().len(), scene.children(None)), (2, vec!["n".to_owned()]));
}

#[test]
fn e15_an_unknown_embed_goes_and_comes_back_whole() {
    let embed =
        json!({ "insert": { "widget": { "deep": [1, null, { "x": 1.50 }] } }, "attributes": { "w": { "h": 1 } } });
    let mut scene = Scene::doc(&json!([{ "insert": "a" }, embed, { "insert": "b\n" }]));
    let e1 = scene.edit("user:a", del(1, 1));
    let other = scene.edit("user:b", ins(1, "x"));
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
    scene.redo_clean("user:a", e1);
    assert_eq!(scene.json(), json!([{ "insert": "ab\n" }]));
}

#[test]
fn e16_line_ends_are_kept_to_the_byte() {
    for text in [Text::Code, Text::Design] {
        let mut scene = text.scene("a\r\nb");
        let e1 = scene.write("user:a", del(1, 1));
        assert_eq!(scene.text(), "a\nb");
        let e2 = scene.write("user:b", ins(3, "\r\n"));
        scene.undo_clean("user:a", e1);
        assert_eq!(scene.text(), "a\r\nb\r\n", "{text:?}");
        scene.undo_clean("user:b", e2);
        scene.expect_as_at(1);
    }
}

#[test]
fn e16_a_file_without_a_last_line_end_and_one_with_a_mark_at_its_start() {
    let mut scene = Scene::code(&json!({ "files": { "a": "\u{feff}x", "b": "last" } }));
    let e1 = scene.edit("user:a", [edit_file("a", del(0, 1)), edit_file("b", ins(4, "\n"))]);
    scene.edit("user:b", [edit_file("a", ins(1, "\r")), edit_file("b", ins(5, "next"))]);
    let undo = scene.undo("user:a", event(e1));
    undo.clean();
    assert_eq!(scene.json()["files"], json!({ "a": "\u{feff}x\r", "b": "lastnext" }));
}
