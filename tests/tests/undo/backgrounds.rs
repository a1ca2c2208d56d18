//! F: backgrounds and slots, as far as no asset is needed.

use recto_pages::{SubmitOptions, WriteError};
use recto_tests::undo::{Scene, add, event, set};
use serde_json::{Value as Json, json};

fn colour(id: &str, name: &str) -> Json {
    json!({ "id": id, "type": "color", "color": name })
}

fn put(background: Json) -> Json {
    json!({ "op": "addBackground", "background": background })
}

fn without(id: &str) -> Json {
    json!({ "op": "removeBackground", "id": id })
}

fn backgrounds(scene: &Scene) -> Json {
    scene.at("/attributes/backgrounds").unwrap_or_else(|| json!([]))
}

#[test]
fn f3_a_shape_drawn_during_an_upload_is_undone_by_itself() {
    let mut scene = Scene::design(&json!({}));
    let image = json!({ "op": "addNode", "node": { "id": "i", "type": "image", "props": { "pending": true } } });
    scene.edit("user:a", [image]);
    scene.edit("user:a", [add("r")]);
    let arrived = [set("i", "/props/src", "asset:1"), set("i", "/props/pending", false)];
    let options = SubmitOptions {
        undoable: false,
        ..SubmitOptions::default()
    };
    let arrival = scene
        .try_edit(scene.version(), "user:a", arrived, options)
        .unwrap()
        .version;
    scene.back("user:a").clean();
    assert_eq!(
        (scene.has("r"), scene.prop("i", "src")),
        (false, Some(json!("asset:1")))
    );
    let refused = scene.try_undo("user:a", event(arrival));
    assert!(matches!(refused, Err(WriteError::Undo(_))), "{refused:?}");
}

#[test]
fn f3_an_upload_that_arrives_does_not_clear_redo() {
    let mut scene = Scene::design(&json!({}));
    scene.edit("user:a", [add("i"), add("r")]);
    scene.edit("user:a", [set("r", "/props/x", 1)]);
    scene.back("user:a").clean();
    let options = SubmitOptions {
        undoable: false,
        ..SubmitOptions::default()
    };
    scene
        .try_edit(scene.version(), "user:a", [set("i", "/props/src", "asset:1")], options)
        .unwrap();
    scene.forth("user:a").clean();
    assert_eq!(
        (scene.prop("r", "x"), scene.prop("i", "src")),
        (Some(json!(1)), Some(json!("asset:1")))
    );
}

#[test]
fn f7_undo_never_takes_the_first_background() {
    let mut scene = Scene::design(&json!({ "attributes": { "backgrounds": [colour("B", "white")] } }));
    scene.edit("user:ada", [add("n")]);
    scene.back("user:ada").clean();
    for _ in 0..4 {
        scene.expect_no_undo("user:ada");
    }
    assert_eq!(backgrounds(&scene), json!([colour("B", "white")]));
    let refused = scene.try_undo("user:ada", event(1));
    assert!(matches!(refused, Err(WriteError::Undo(_))), "{refused:?}");
}

#[test]
fn f8_undo_of_a_second_background_brings_the_first_one_back() {
    let mut scene = Scene::design(&json!({}));
    scene.edit("user:a", [put(colour("b1", "red"))]);
    let e2 = scene.edit(
        "user:a",
        [without("b1"), put(json!({ "id": "b2", "type": "image", "asset": "a" }))],
    );
    scene.edit("user:b", [json!({ "op": "setAttributes", "set": { "/title": "t" } })]);
    scene.undo_clean("user:a", e2);
    assert_eq!(backgrounds(&scene), json!([colour("b1", "red")]));
    scene.redo_clean("user:a", e2);
    assert_eq!(backgrounds(&scene)[0]["id"], json!("b2"));
}

#[test]
fn f8_also_where_it_was_set_in_place_and_another_came_before_it() {
    let mut scene = Scene::design(&json!({ "attributes": { "backgrounds": [colour("b", "red")] } }));
    let recolour = json!({ "op": "setBackground", "id": "b", "set": { "/color": "blue" } });
    let e1 = scene.edit("user:a", [recolour]);
    let mut first = put(colour("c", "green"));
    first["placement"] = json!("first");
    scene.edit("user:b", [first]);
    scene.undo_clean("user:a", e1);
    assert_eq!(backgrounds(&scene), json!([colour("c", "green"), colour("b", "red")]));
}

#[test]
fn f10_a_replacement_that_fails_leaves_the_old_one_and_makes_no_event() {
    let mut scene = Scene::design(&json!({ "attributes": { "backgrounds": [colour("b", "red")] } }));
    let taken = [without("b"), put(colour("c", "blue")), put(colour("c", "green"))];
    let refused = scene.try_edit(1, "user:a", taken, SubmitOptions::default());
    assert!(matches!(refused, Err(WriteError::Illegal { .. })), "{refused:?}");
    assert_eq!((scene.version(), backgrounds(&scene)), (1, json!([colour("b", "red")])));
    scene.expect_no_undo("user:a");
}
