//! A: an undo takes back its own fields, and nothing of what others did.

use recto_tests::undo::{Scene, add, edit_file, ins, move_to, set, unset};
use serde_json::json;

fn one(props: serde_json::Value) -> Scene {
    Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape", "props": props }] }))
}

fn p(value: impl Into<serde_json::Value>) -> [serde_json::Value; 1] {
    [set("n", "/props/p", value)]
}

#[test]
fn a1_undo_of_a_label_keeps_later_blocks() {
    let mut scene = Scene::design(&json!({ "nodes": [
        { "id": "n1", "type": "text", "props": { "text": "a" } },
        { "id": "n2", "type": "shape" },
    ] }));
    let e1 = scene.edit("user:u", [set("n1", "/props/text", "b")]);
    scene.edit("agent:x", [set("n2", "/props/fill", "red"), add("n3")]);
    assert_eq!(
        scene.inverse_of(e1),
        json!([{ "op": "setNode", "id": "n1", "set": { "/props/text": "a" } }])
    );
    scene.reopen();
    scene.undo_clean("user:u", e1);
    let expect = |scene: &Scene| {
        assert_eq!(scene.prop("n1", "text"), Some(json!("a")));
        assert_eq!(scene.prop("n2", "fill"), Some(json!("red")));
        assert!(scene.has("n3"));
    };
    expect(&scene);
    scene.reopen();
    scene.expect_no_undo("user:u");
    expect(&scene);
}

#[test]
fn a1_undo_of_a_file_keeps_what_came_to_other_files() {
    let mut scene = Scene::code(&json!({ "files": { "a.js": "let a", "b.js": "let b" }, "entry": "a.js" }));
    let e1 = scene.edit("user:u", [edit_file("a.js", ins(5, " = 1"))]);
    scene.edit(
        "agent:x",
        [
            edit_file("b.js", ins(0, "// ")),
            json!({ "op": "addFile", "path": "c.js", "text": "let c" }),
            json!({ "op": "setEntry", "path": "c.js" }),
        ],
    );
    scene.undo_clean("user:u", e1);
    assert_eq!(
        scene.json(),
        json!({ "files": { "a.js": "let a", "b.js": "// let b", "c.js": "let c" }, "entry": "c.js" })
    );
}

#[test]
fn a1_undo_of_a_format_keeps_later_words() {
    let mut scene = Scene::doc(&json!([{ "insert": "one\n" }]));
    let e1 = scene.edit("user:u", [json!({ "retain": 3, "attributes": { "bold": true } })]);
    scene.edit("agent:x", ins(3, " two"));
    scene.edit("agent:x", [json!({ "retain": 3, "attributes": { "italic": true } })]);
    scene.undo_clean("user:u", e1);
    assert_eq!(
        scene.json(),
        json!([{ "insert": "one", "attributes": { "italic": true } }, { "insert": " two\n" }])
    );
}

#[test]
fn a1_undo_of_a_page_attribute_keeps_others() {
    let mut scene = Scene::design(&json!({ "attributes": { "title": "t", "grid": { "size": 8 } } }));
    let e1 = scene.edit("user:u", [json!({ "op": "setAttributes", "set": { "/grid/size": 4 } })]);
    scene.edit(
        "agent:x",
        [json!({ "op": "setAttributes", "set": { "/title": "T", "/grid/on": true } })],
    );
    scene.undo_clean("user:u", e1);
    assert_eq!(
        scene.at("/attributes"),
        Some(json!({ "title": "T", "grid": { "size": 8, "on": true } }))
    );
}

#[test]
fn a2_undo_leaves_a_foreign_change_of_another_field() {
    let mut scene = one(json!({ "c": "black" }));
    let e1 = scene.edit("user:a", [move_to("n", json!({ "geometry": { "x": 10 } }))]);
    scene.edit("user:b", [set("n", "/props/c", "red")]);
    scene.undo_clean("user:a", e1);
    assert_eq!(
        (scene.side("n", "x"), scene.prop("n", "c")),
        (Some(json!(0)), Some(json!("red")))
    );
}

#[test]
fn a2_two_sides_of_one_geometry_are_two_fields() {
    let mut scene = one(json!({}));
    let e1 = scene.edit("user:a", [move_to("n", json!({ "geometry": { "x": 10, "width": 5 } }))]);
    scene.edit("user:b", [move_to("n", json!({ "geometry": { "y": 7 } }))]);
    scene.undo_clean("user:a", e1);
    let sides = ["x", "y", "width"].map(|side| scene.side("n", side).unwrap());
    assert_eq!(sides, [json!(0), json!(7), json!(0)]);
}

#[test]
fn a2_fields_within_one_object_are_kept_apart() {
    let mut scene = one(json!({ "style": { "fill": "black", "stroke": "black" } }));
    let e1 = scene.edit("user:a", [set("n", "/props/style/fill", "red")]);
    scene.edit(
        "user:b",
        [
            set("n", "/props/style/stroke", "blue"),
            set("n", "/props/style/dash", 2),
        ],
    );
    scene.undo_clean("user:a", e1);
    assert_eq!(
        scene.prop("n", "style"),
        Some(json!({ "fill": "black", "stroke": "blue", "dash": 2 }))
    );
}

#[test]
fn a2_a_field_that_was_taken_away_comes_back_beside_foreign_ones() {
    let mut scene = one(json!({ "a": 1, "b": 2 }));
    let e1 = scene.edit("user:a", [unset("n", "/props/a")]);
    scene.edit("user:b", [set("n", "/props/b", 3), set("n", "/props/c", 4)]);
    scene.undo_clean("user:a", e1);
    let props = scene.node("n").unwrap()["props"].clone();
    assert_eq!(props.to_string(), json!({ "a": 1, "b": 3, "c": 4 }).to_string());
}

#[test]
fn a5_undo_of_a_winning_write_goes_to_the_value_it_won_over() {
    let mut scene = one(json!({ "p": 1 }));
    let v1 = scene.version();
    scene.edit("user:a", p(2));
    let e2 = scene.edit_over(v1, "user:b", p(3));
    assert_eq!(scene.prop("n", "p"), Some(json!(3)));
    scene.undo_clean("user:b", e2);
    assert_eq!(scene.prop("n", "p"), Some(json!(2)));
}

#[test]
fn a5_also_of_a_geometry_and_of_an_attribute() {
    let mut scene = Scene::design(&json!({ "nodes": [{ "id": "n", "type": "shape" }], "attributes": { "t": 1 } }));
    let v1 = scene.version();
    let edit = |x: u8| {
        [
            move_to("n", json!({ "geometry": { "x": x } })),
            json!({ "op": "setAttributes", "set": { "/t": x } }),
        ]
    };
    scene.edit("user:a", edit(2));
    let e2 = scene.edit_over(v1, "user:b", edit(3));
    scene.undo_clean("user:b", e2);
    assert_eq!(
        (scene.side("n", "x"), scene.at("/attributes/t")),
        (Some(json!(2)), Some(json!(2)))
    );
}

#[test]
fn a5_also_where_the_key_was_absent_before_both() {
    let mut scene = one(json!({}));
    let v1 = scene.version();
    let e1 = scene.edit("user:a", p(2));
    let e2 = scene.edit_over(v1, "user:b", p(3));
    scene.undo_clean("user:b", e2);
    assert_eq!(scene.prop("n", "p"), Some(json!(2)));
    scene.undo_clean("user:a", e1);
    scene.expect_as_at(v1);
}

#[test]
fn a5_also_of_attributes_of_a_page_of_files() {
    let mut scene = Scene::code(&json!({ "attributes": { "tab": 1 } }));
    let v1 = scene.version();
    let tab = |size: u8| [json!({ "op": "setAttributes", "set": { "/tab": size } })];
    scene.edit("user:a", tab(2));
    let e2 = scene.edit_over(v1, "user:b", tab(3));
    scene.undo_clean("user:b", e2);
    assert_eq!(scene.at("/attributes/tab"), Some(json!(2)));
}
