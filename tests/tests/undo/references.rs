//! B: what names something else: ends of arrows, entries, nodes and files by id, lines by their newline.

use recto_pages::projections::undo::Outcome;
use recto_tests::undo::{Scene, add_at, edit_file, event, ins, move_to, node_of, remove, unset};
use serde_json::{Value as Json, json};

fn canvas(nodes: Json) -> Scene {
    Scene::design(&json!({ "nodes": nodes }))
}

#[test]
fn b3_undo_does_not_bind_an_arrow_to_a_shape_that_is_gone() {
    let binding = json!({ "elementId": "s", "gap": 4 });
    let arrow = json!({ "id": "arrow", "type": "arrow", "props": { "startBinding": binding } });
    let mut scene = canvas(json!([node_of("s", None), arrow]));
    let e1 = scene.edit("user:a", [unset("arrow", "/props/startBinding")]);
    let e2 = scene.edit("user:b", [remove("s")]);
    let undo = scene.undo("user:a", event(e1));
    undo.noop();
    let conflict = undo.conflict("ref_missing");
    assert_eq!((&conflict["wanted"], &conflict["version"]), (&binding, &json!(e2)));
    assert_eq!(scene.prop("arrow", "startBinding"), None);
}

#[test]
fn b3_an_arrow_that_comes_back_leaves_its_lost_shape_alone() {
    let arrow = json!({ "id": "arrow", "type": "arrow", "props": { "toId": "s", "color": "red" } });
    let mut scene = canvas(json!([node_of("s", None), arrow]));
    let e1 = scene.edit("user:a", [remove("arrow")]);
    let e2 = scene.edit("user:b", [remove("s")]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(
        (undo.outcome(), undo.conflicts()),
        (Outcome::Partial, vec!["ref_missing"])
    );
    assert_eq!(scene.node("arrow").unwrap()["props"], json!({ "color": "red" }));
    scene.undo_clean("user:b", e2);
    assert!(scene.has("s"));
}

#[test]
fn b3_with_the_shape_back_the_arrow_is_bound_again() {
    let arrow = json!({ "id": "arrow", "type": "arrow", "props": { "toId": "s" } });
    let mut scene = canvas(json!([node_of("s", None), arrow]));
    let first = scene.version();
    let e1 = scene.edit("user:a", [unset("arrow", "/props/toId")]);
    let e2 = scene.edit("user:b", [remove("s")]);
    scene.undo_clean("user:b", e2);
    scene.undo_clean("user:a", e1);
    scene.expect_as_at(first);
}

#[test]
fn b3_an_entry_is_never_a_file_that_is_gone() {
    let mut scene = Scene::code(&json!({ "files": { "a": "", "b": "" }, "entry": "a" }));
    let e1 = scene.edit("user:a", [json!({ "op": "setEntry", "path": "b" })]);
    let e2 = scene.edit("user:b", [json!({ "op": "removeFile", "path": "a" })]);
    scene.undo("user:a", event(e1));
    assert_ne!(scene.at("/entry"), Some(json!("a")));
    scene.undo("user:b", event(e2));
    assert_eq!(scene.json(), json!({ "files": { "a": "", "b": "" }, "entry": "a" }));
}

#[test]
fn b13_undo_finds_a_node_by_id_wherever_it_stands() {
    let mut scene = canvas(json!(["0", "1", "2"].map(|id| node_of(id, None))));
    let e1 = scene.edit("user:a", [move_to("0", json!({ "placement": { "after": "1" } }))]);
    scene.edit("user:b", [add_at("x", "first")]);
    assert_eq!(scene.children(None), ["x", "1", "0", "2"]);
    scene.undo_clean("user:a", e1);
    let order = scene.children(None);
    let own: Vec<_> = order.iter().filter(|id| *id != "x").collect();
    assert_eq!(own, ["0", "1", "2"]);
    assert_eq!(order.len(), 4);
}

#[test]
fn b13_a_file_is_found_after_others_renamed_it() {
    let mut scene = Scene::code(&json!({ "files": { "a": "text", "b": "other" }, "entry": "a" }));
    let e1 = scene.edit("user:a", [edit_file("a", ins(4, "!"))]);
    let rename = |path: &str, to: &str| json!({ "op": "renameFile", "path": path, "to": to });
    scene.edit("user:b", [rename("a", "tmp"), rename("b", "a"), rename("tmp", "b")]);
    scene.undo_clean("user:a", e1);
    assert_eq!(
        scene.json(),
        json!({ "files": { "a": "other", "b": "text" }, "entry": "b" })
    );
    scene.redo_clean("user:a", e1);
    assert_eq!(scene.json()["files"], json!({ "a": "other", "b": "text!" }));
}

#[test]
fn b14_lines_that_were_joined_get_both_their_attributes_back() {
    let first = json!([
        { "insert": "Head" }, { "insert": "\n", "attributes": { "header": 1 } },
        { "insert": "item" }, { "insert": "\n", "attributes": { "list": "bullet" } },
        { "insert": "end\n" },
    ]);
    let mut scene = Scene::doc(&first);
    let e1 = scene.edit("user:a", [json!({ "retain": 4 }), json!({ "delete": 1 })]);
    scene.edit("user:b", ins(9, "the "));
    scene.undo_clean("user:a", e1);
    let wanted = json!([
        { "insert": "Head" }, { "insert": "\n", "attributes": { "header": 1 } },
        { "insert": "item" }, { "insert": "\n", "attributes": { "list": "bullet" } },
        { "insert": "the end\n" },
    ]);
    assert_eq!(scene.json(), wanted);
    scene.redo_clean("user:a", e1);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.json(), wanted);
}

#[test]
fn b14_also_where_another_changed_the_joined_line_since() {
    let mut scene = Scene::doc(&json!([
        { "insert": "Head" }, { "insert": "\n", "attributes": { "header": 1 } },
        { "insert": "item" }, { "insert": "\n", "attributes": { "list": "bullet" } },
    ]));
    let e1 = scene.edit("user:a", [json!({ "retain": 4 }), json!({ "delete": 1 })]);
    scene.edit(
        "user:b",
        [
            json!({ "retain": 8 }),
            json!({ "retain": 1, "attributes": { "align": "right" } }),
        ],
    );
    scene.undo_clean("user:a", e1);
    assert_eq!(
        scene.json(),
        json!([
            { "insert": "Head" }, { "insert": "\n", "attributes": { "header": 1 } },
            { "insert": "item" }, { "insert": "\n", "attributes": { "list": "bullet", "align": "right" } },
        ])
    );
}
