//! C: order keys, where undo or a stale write is the point.

use recto_tests::undo::{Scene, add_at, move_to, node_of, set, side_by_side};
use serde_json::{Value as Json, json};

fn keyed(id: &str, order: &str) -> Json {
    json!({ "id": id, "type": "shape", "order": order })
}

#[test]
fn c1_an_insert_between_equal_keys_is_undone_with_both_keys() {
    let mut scene = Scene::design(&json!({ "nodes": [keyed("a", "a0"), keyed("b", "a0"), keyed("c", "a1")] }));
    let first = scene.version();
    let e1 = scene.edit("user:a", [add_at("x", json!({ "after": "a" }))]);
    assert_eq!(scene.children(None), ["a", "x", "b", "c"]);
    let other = scene.edit("user:b", [set("c", "/props/x", 1)]);
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(first);
}

#[test]
fn c2_two_runs_at_one_place_stay_together_and_are_undone_apart() {
    let mut scene = Scene::design(&json!({ "nodes": [node_of("n", None), node_of("m", None)] }));
    let run = |ids: [&str; 3]| {
        let mut before = "n".to_owned();
        ids.map(|id| add_at(id, json!({ "after": std::mem::replace(&mut before, id.to_owned()) })))
    };
    let v1 = scene.version();
    let e1 = scene.edit("user:a", run(["x1", "x2", "x3"]));
    let e2 = scene.edit_from(v1, "user:b", run(["y1", "y2", "y3"]));
    let order = scene.children(None);
    let mine = order.join(" ");
    assert!(mine.contains("x1 x2 x3") && mine.contains("y1 y2 y3"), "{mine}");
    let mut keys: Vec<_> = scene.canvas().tree().map(|node| node.order().clone()).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), order.len());
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["n", "y1", "y2", "y3", "m"]);
    scene.redo_clean("user:a", e1);
    assert_eq!(scene.children(None), order);
    scene.undo_clean("user:b", e2);
    scene.undo_clean("user:a", e1);
    scene.expect_as_at(v1);
}

#[test]
fn c6_a_change_of_order_alone_survives_and_is_undone() {
    let mut scene = Scene::design(&json!({ "nodes": [node_of("n", None), node_of("m", None)] }));
    let v1 = scene.version();
    let e1 = scene.edit("user:a", [move_to("n", json!({ "placement": "last" }))]);
    let e2 = scene.edit_from(v1, "user:b", [set("m", "/props/x", 1)]);
    assert_eq!(
        (scene.children(None), scene.prop("m", "x")),
        (vec!["m".to_owned(), "n".into()], Some(json!(1)))
    );
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["n", "m"]);
    scene.undo_clean("user:b", e2);
    scene.expect_as_at(v1);
}

#[test]
fn c6_two_changes_of_order_are_undone_one_by_one() {
    let mut scene = Scene::design(&side_by_side(&["a", "b", "c", "d"]));
    let v1 = scene.version();
    let e1 = scene.edit("user:a", [move_to("a", json!({ "placement": "last" }))]);
    let e2 = scene.edit("user:b", [move_to("d", json!({ "placement": "first" }))]);
    assert_eq!(scene.children(None), ["d", "b", "c", "a"]);
    scene.undo_clean("user:a", e1);
    let order = scene.children(None);
    let own: Vec<_> = order.iter().filter(|id| *id != "d").collect();
    assert_eq!(own, ["a", "b", "c"]);
    scene.undo_clean("user:b", e2);
    scene.expect_as_at(v1);
}
