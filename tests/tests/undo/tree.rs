//! B: parents and sets: no node without its parent, nothing twice, no ring.

use recto_pages::WriteError;
use recto_pages::projections::design::Id;
use recto_pages::projections::undo::Outcome;
use recto_tests::undo::{Scene, add, add_at, add_in, event, ins, into_set, move_to, node_of, out_of_set, remove, set};
use serde_json::{Value as Json, json};

fn canvas(nodes: Json) -> Scene {
    Scene::design(&json!({ "nodes": nodes }))
}

fn delete(scene: &mut Scene, actor: &str, nodes: &[&str]) -> u64 {
    let ids: Vec<Id> = nodes.iter().map(|id| Id::from(*id)).collect();
    let ops = scene.made(|value| value.delete_with_descendants(&ids));
    scene.edit(actor, ops)
}

#[test]
fn b1_undo_of_a_move_out_of_a_frame_that_is_gone() {
    let mut scene = canvas(json!([node_of("f", None), node_of("n", Some("f"))]));
    let e1 = scene.edit("user:a", [move_to("n", json!({ "parentId": null }))]);
    let e2 = scene.edit("user:b", [remove("f")]);
    let undo = scene.undo("user:a", event(e1));
    undo.noop();
    let conflict = undo.conflict("parent_removed");
    assert_eq!((&conflict["wanted"], &conflict["version"]), (&json!("f"), &json!(e2)));
    assert_eq!(scene.children(None), ["n"]);
}

#[test]
fn b1_the_rest_of_the_move_is_taken_back() {
    let mut scene = canvas(json!([node_of("f", None), node_of("n", Some("f"))]));
    let fields = json!({ "parentId": null, "geometry": { "rotation": 4 } });
    let e1 = scene.edit("user:a", [move_to("n", fields), set("n", "/props/fill", "red")]);
    scene.edit("user:b", [remove("f")]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(
        (undo.outcome(), undo.conflicts()),
        (Outcome::Partial, vec!["parent_removed"])
    );
    assert_eq!(
        (scene.prop("n", "fill"), scene.children(None)),
        (None, vec!["n".to_owned()])
    );
}

#[test]
fn b1_a_node_comes_back_under_the_nearest_ancestor_that_is_left() {
    let mut scene = canvas(json!([
        node_of("f", None),
        node_of("g", Some("f")),
        node_of("n", Some("g"))
    ]));
    let e1 = scene.edit("user:a", [remove("n")]);
    scene.edit("user:b", [remove("g")]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!((undo.conflicts(), undo.notes()), (vec![], vec!["reparented"]));
    assert_eq!(scene.children(Some("f")), ["n"]);
}

#[test]
fn b1_undo_of_a_move_into_what_was_moved_below_it_is_no_cycle() {
    let mut scene = canvas(json!([node_of("g", None), node_of("n", Some("g"))]));
    let e1 = scene.edit("user:a", [move_to("n", json!({ "parentId": null }))]);
    scene.edit("user:b", [move_to("g", json!({ "parentId": "n" }))]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!((undo.outcome(), undo.conflicts()), (Outcome::Noop, vec!["cycle"]));
    assert_eq!(
        (scene.children(None), scene.children(Some("n"))),
        (vec!["n".to_owned()], vec!["g".to_owned()])
    );
}

#[test]
fn b10_a_group_system_comes_back_where_it_was() {
    let at = |mut node: Json, x: i32| {
        node["geometry"] = json!({ "x": x, "y": 2 * x, "rotation": x });
        node
    };
    let nodes = [
        at(node_of("g", None), 100),
        at(node_of("g2", Some("g")), 10),
        at(node_of("n", Some("g2")), 1),
    ];
    let mut scene = canvas(nodes.iter().cloned().collect());
    let e1 = delete(&mut scene, "user:a", &["g"]);
    scene.edit("user:b", [add_at("x", "first")]);
    scene.undo_clean("user:a", e1);
    for (id, x) in [("g", 100), ("g2", 10), ("n", 1)] {
        assert_eq!(
            (scene.side(id, "x"), scene.side(id, "y")),
            (Some(json!(x)), Some(json!(2 * x))),
            "{id}"
        );
    }
}

#[test]
fn b10_without_its_container_it_comes_back_to_the_same_place_on_the_page() {
    let nodes = json!([
        { "id": "g", "type": "group", "geometry": { "x": 100, "y": 200 } },
        { "id": "n", "type": "shape", "parentId": "g", "geometry": { "x": 10, "y": 20 } },
    ]);
    let mut scene = canvas(nodes);
    let e1 = scene.edit("user:a", [remove("n")]);
    scene.edit("user:b", [remove("g")]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(undo.notes(), ["reparented"]);
    assert_eq!(
        (scene.side("n", "x"), scene.side("n", "y")),
        (Some(json!(110)), Some(json!(220)))
    );
}

#[test]
fn b15_a_child_and_its_parent_come_back_in_exact_reverse() {
    let mut scene = canvas(json!([node_of("a", None), node_of("b", Some("a"))]));
    let first = scene.version();
    let e1 = scene.edit("user:a", [remove("b"), remove("a")]);
    let inverse = scene.inverse_of(e1);
    let ids: Vec<_> = inverse.as_array().unwrap().iter().map(|op| &op["node"]["id"]).collect();
    assert_eq!(ids, ["a", "b"]);
    let other = scene.edit("user:b", [add("x")]);
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(first);
}

#[test]
fn b15_a_deeper_node_that_was_removed_after_a_shallow_one() {
    let mut scene = canvas(json!([
        node_of("a", None),
        node_of("b", Some("a")),
        node_of("c", Some("b"))
    ]));
    let first = scene.version();
    // The last operation is the shallowest but one: sorted by depth the inverse would not apply.
    let out = move_to("c", json!({ "parentId": null }));
    let e1 = scene.edit(
        "user:a",
        [out, remove("b"), move_to("a", json!({ "parentId": "c" })), remove("a")],
    );
    scene.edit("user:b", [set("c", "/props/x", 1)]);
    scene.undo_clean("user:a", e1);
    assert_eq!(
        (scene.children(Some("b")), scene.children(None)),
        (vec!["c".to_owned()], vec!["a".to_owned()])
    );
    scene.undo_clean("user:b", e1 + 1);
    scene.expect_as_at(first);
}

#[test]
fn b17_only_ones_own_elements_leave_a_set() {
    let mut scene = canvas(json!([{ "id": "n", "type": "shape", "props": { "groups": [] } }]));
    let e1 = scene.edit("user:a", [into_set("n", "/props/groups", "A")]);
    scene.edit("user:b", [into_set("n", "/props/groups", "B")]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.prop("n", "groups"), Some(json!(["B"])));
}

#[test]
fn b17_an_element_taken_out_comes_back_beside_others() {
    let mut scene = canvas(json!([{ "id": "n", "type": "shape", "props": { "tags": ["A", "C"] } }]));
    let e1 = scene.edit("user:a", [out_of_set("n", "/props/tags", "A")]);
    scene.edit(
        "user:b",
        [into_set("n", "/props/tags", "B"), out_of_set("n", "/props/tags", "C")],
    );
    scene.undo_clean("user:a", e1);
    let mut tags = scene.prop("n", "tags").unwrap().as_array().unwrap().clone();
    tags.sort_by_key(Json::to_string);
    assert_eq!(tags, ["A", "B"]);
}

#[test]
fn b17_an_element_that_another_had_put_there_first_stays() {
    let mut scene = canvas(json!([{ "id": "n", "type": "shape" }]));
    let first = scene.version();
    let e1 = scene.edit("user:a", [into_set("n", "/props/tags", "A")]);
    let e2 = scene.edit("user:b", [into_set("n", "/props/tags", "B")]);
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", e2);
    scene.expect_as_at(first);
}

#[test]
fn b18_a_deleted_frame_comes_back_with_each_child_once() {
    let mut nodes = vec![node_of("f", None)];
    nodes.extend(["1", "2", "3"].map(|id| node_of(id, Some("f"))));
    let mut scene = canvas(Json::Array(nodes));
    let ids = |scene: &Scene| -> Vec<String> { scene.canvas().tree().map(|node| node.id().to_string()).collect() };
    let before = ids(&scene);
    let e1 = delete(&mut scene, "user:a", &["f"]);
    let other = scene.edit("user:b", [add("x")]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(Some("f")), ["1", "2", "3"]);
    scene.undo_clean("user:b", other);
    assert_eq!(ids(&scene), before);
    scene.expect_as_at(1);
}

#[test]
fn b18_a_child_that_was_put_into_a_frame_leaves_it_once() {
    let mut scene = canvas(json!([node_of("f", None), node_of("n", None)]));
    let e1 = scene.edit("user:a", [move_to("n", json!({ "parentId": "f" }))]);
    let e2 = delete(&mut scene, "user:b", &["f"]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!((undo.outcome(), undo.skipped()), (Outcome::Noop, vec!["removed"]));
    scene.undo("user:b", event(e2));
    let all: Vec<_> = scene.canvas().tree().map(|node| node.id().to_string()).collect();
    let count = |id: &str| all.iter().filter(|other| *other == id).count();
    assert_eq!((count("f"), count("n")), (1, 1));
}

#[test]
fn b21_a_write_to_a_page_that_is_gone_is_refused_and_can_be_sent_again() {
    let mut scene = canvas(json!([node_of("n", None)]));
    let v1 = scene.version();
    scene.set_deleted("user:b", true);
    let options = recto_pages::SubmitOptions::default();
    let payload = || [set("n", "/props/drawn", "offline"), add("m")];
    let refused = scene.try_edit(v1, "user:a", payload(), options);
    assert!(matches!(refused, Err(WriteError::PageDeleted { .. })), "{refused:?}");
    let undo = scene.try_undo("user:b", event(v1));
    assert!(matches!(undo, Err(WriteError::PageDeleted { .. })), "{undo:?}");
    scene.set_deleted("user:b", false);
    // What was made before the deletion does not pass unseen; sent again from the head it does.
    let stale = scene.try_edit(v1, "user:a", payload(), options);
    assert!(matches!(stale, Err(WriteError::Stale(_))), "{stale:?}");
    scene.edit("user:a", payload());
    assert_eq!(
        (scene.prop("n", "drawn"), scene.has("m")),
        (Some(json!("offline")), true)
    );
}

#[test]
fn b21_undo_goes_on_after_a_page_went_and_came_back() {
    let mut scene = Scene::doc(&json!([{ "insert": "BASE\n" }]));
    let first = scene.version();
    scene.edit("user:a", ins(2, "x"));
    scene.set_deleted("user:b", true);
    scene.set_deleted("user:b", false);
    scene.edit("user:b", ins(0, "y"));
    scene.back("user:a").clean();
    scene.back("user:b").clean();
    scene.expect_no_undo("user:b");
    scene.expect_as_at(first);
}

#[test]
fn b22_a_cycle_out_of_two_moves_is_refused() {
    let mut scene = canvas(json!([node_of("a", None), node_of("b", None)]));
    let v1 = scene.version();
    let e1 = scene.edit("user:a", [move_to("a", json!({ "parentId": "b" }))]);
    let conflict = scene.expect_conflict(v1, "user:b", [move_to("b", json!({ "parentId": "a" }))], "cycle");
    assert_eq!(conflict.version, Some(e1));
}

#[test]
fn b22_a_cycle_of_three_and_one_by_redo() {
    let mut scene = canvas(json!(["a", "b", "c"].map(|id| node_of(id, None))));
    let into = |id: &str, parent: &str| [move_to(id, json!({ "parentId": parent }))];
    let v1 = scene.version();
    let e1 = scene.edit("user:a", into("a", "b"));
    scene.edit("user:a", into("b", "c"));
    scene.expect_conflict(v1, "user:b", into("c", "a"), "cycle");
    // The undo frees a; c goes below a; the redo would close the ring.
    scene.undo_clean("user:a", e1);
    scene.edit("user:b", into("c", "a"));
    let redo = scene.redo("user:a", event(e1));
    assert_eq!((redo.outcome(), redo.conflicts()), (Outcome::Noop, vec!["cycle"]));
    scene.edit("user:b", [add_in("d", "a")]);
}
