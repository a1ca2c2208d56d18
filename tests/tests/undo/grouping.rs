//! B: groups: the order and its keys come back, however many groups, parents and newcomers there are.

use recto_pages::projections::design::{Geometry, Id, NewNode};
use recto_pages::projections::undo::Outcome;
use recto_tests::undo::{Scene, add_at, event, move_to, node_of, remove, set, side_by_side};
use serde_json::{Map, Value as Json, json};

fn canvas(nodes: impl IntoIterator<Item = Json>) -> Scene {
    Scene::design(&json!({ "nodes": Vec::from_iter(nodes) }))
}

fn flat(ids: &[&str]) -> Scene {
    Scene::design(&side_by_side(ids))
}

fn ids(ids: &[&str]) -> Vec<Id> {
    ids.iter().map(|id| Id::from(*id)).collect()
}

fn group(scene: &mut Scene, id: &str, members: &[&str]) -> u64 {
    let group = NewNode {
        id: id.into(),
        kind: "group".into(),
        parent: None,
        geometry: Geometry::default(),
        props: Map::new(),
    };
    let ops = scene.made(|value| value.group(group, &ids(members)));
    scene.edit("user:a", ops)
}

fn ungroup(scene: &mut Scene, id: &str) -> u64 {
    let ops = scene.made(|value| value.ungroup(&id.into()));
    scene.edit("user:a", ops)
}

fn delete(scene: &mut Scene, nodes: &[&str]) -> u64 {
    let ops = scene.made(|value| value.delete_with_descendants(&ids(nodes)));
    scene.edit("user:a", ops)
}

/// The order without a newcomer.
fn others(scene: &Scene, parent: Option<&str>, newcomer: &str) -> Vec<String> {
    scene.children(parent).into_iter().filter(|id| id != newcomer).collect()
}

#[test]
fn b4_undo_of_grouping_restores_the_order_and_its_keys() {
    let mut scene = flat(&["a", "b", "c", "d"]);
    let e1 = group(&mut scene, "g", &["b", "d"]);
    assert_eq!(
        (scene.children(None), scene.children(Some("g"))),
        (
            vec!["a".to_owned(), "c".into(), "g".into()],
            vec!["b".to_owned(), "d".into()]
        )
    );
    let other = scene.edit("user:b", [set("c", "/props/x", 1)]);
    scene.undo_clean("user:a", e1);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn b4_three_nested_groups_and_two_parents() {
    let in_f1 = ["a", "b", "c", "d"].map(|id| node_of(id, Some("f1")));
    let in_f2 = ["u", "v", "w"].map(|id| node_of(id, Some("f2")));
    let frames = ["f1", "f2"].map(|id| node_of(id, None));
    let mut scene = canvas(frames.into_iter().chain(in_f1).chain(in_f2));
    let mut edits = Vec::new();
    for (id, members) in [
        ("g1", &["b", "d"][..]),
        ("g2", &["a", "g1"]),
        ("g3", &["g2", "c"]),
        ("g4", &["u", "w"]),
    ] {
        edits.push(group(&mut scene, id, members));
    }
    assert_eq!(scene.children(Some("f1")), ["g3"]);
    let all = scene.version();
    let other = scene.edit("user:b", [add_at("x", "last")]);
    let mut undone = Vec::new();
    for edit in edits.iter().rev() {
        undone.push(scene.undo_clean("user:a", *edit));
    }
    assert_eq!(
        (scene.children(Some("f1")).len(), scene.children(Some("f2")).len()),
        (4, 3)
    );
    for _ in &edits {
        scene.forth("user:a").clean();
    }
    scene.undo_clean("user:b", other);
    scene.expect_as_at(all);
    for _ in &edits {
        scene.back("user:a").clean();
    }
    scene.expect_as_at(1);
}

#[test]
fn b4_with_a_sibling_that_came_meanwhile() {
    let mut scene = flat(&["a", "b", "c", "d"]);
    let e1 = group(&mut scene, "g", &["b", "d"]);
    let x = scene.edit("user:b", [add_at("x", json!({ "after": "a" }))]);
    scene.undo_clean("user:a", e1);
    assert_eq!(others(&scene, None, "x"), ["a", "b", "c", "d"]);
    assert!(scene.has("x") && !scene.has("g"));
    scene.undo_clean("user:b", x);
    scene.expect_as_at(1);
}

#[test]
fn b4_with_a_sibling_that_went_meanwhile() {
    let mut scene = flat(&["a", "b", "c", "d"]);
    let e1 = group(&mut scene, "g", &["b", "d"]);
    let gone = scene.edit("user:b", [remove("c")]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["a", "b", "d"]);
    scene.undo_clean("user:b", gone);
    scene.expect_as_at(1);
}

#[test]
fn b4_with_a_member_that_went_meanwhile() {
    let mut scene = flat(&["a", "b", "c", "d"]);
    let e1 = group(&mut scene, "g", &["b", "d"]);
    scene.edit("user:b", [remove("d")]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!((undo.conflicts(), undo.skipped()), (vec![], vec!["removed"]));
    assert_eq!(scene.children(None), ["a", "b", "c"]);
}

#[test]
fn b5_undo_of_a_bulk_deletion_keeps_the_order() {
    let mut scene = flat(&["0", "1", "2", "3", "4"]);
    let e1 = delete(&mut scene, &["1", "2", "3"]);
    let other = scene.edit("user:b", [set("0", "/props/x", 1)]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["0", "1", "2", "3", "4"]);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn b5_with_a_newcomer_between() {
    let mut scene = flat(&["0", "1", "2", "3", "4"]);
    let e1 = delete(&mut scene, &["1", "2", "3"]);
    let x = scene.edit("user:b", [add_at("x", json!({ "after": "0" }))]);
    scene.undo_clean("user:a", e1);
    assert_eq!(others(&scene, None, "x"), ["0", "1", "2", "3", "4"]);
    let both = scene.version();
    scene.undo_clean("user:b", x);
    scene.expect_as_at(1);
    scene.redo_clean("user:b", x);
    scene.expect_as_at(both);
}

#[test]
fn b5_removed_in_another_order_than_they_stood() {
    let mut scene = flat(&["0", "1", "2", "3", "4"]);
    let e1 = scene.edit("user:a", ["2", "1", "3"].map(remove));
    let other = scene.edit("user:b", [move_to("4", json!({ "placement": "first" }))]);
    scene.undo_clean("user:a", e1);
    assert_eq!(others(&scene, None, "4"), ["0", "1", "2", "3"]);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn b6_a_group_that_went_with_its_last_members_comes_back_to_its_place() {
    let nodes = [
        node_of("p", None),
        node_of("g", None),
        node_of("a", Some("g")),
        node_of("b", Some("g")),
        node_of("q", None),
    ];
    let mut scene = canvas(nodes);
    let e1 = delete(&mut scene, &["a", "b"]);
    assert_eq!(scene.children(None), ["p", "q"]);
    let other = scene.edit("user:b", [set("p", "/props/x", 1)]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["p", "g", "q"]);
    assert_eq!(scene.children(Some("g")), ["a", "b"]);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn b6_also_where_both_its_neighbours_moved_or_went() {
    let nodes = [
        node_of("p", None),
        node_of("g", None),
        node_of("a", Some("g")),
        node_of("q", None),
        node_of("r", None),
    ];
    let mut scene = canvas(nodes);
    let e1 = delete(&mut scene, &["a"]);
    let gone = scene.edit("user:b", [remove("p")]);
    let moved = scene.edit("user:b", [move_to("q", json!({ "placement": "last" }))]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["g", "r", "q"]);
    scene.undo_clean("user:b", moved);
    scene.undo_clean("user:b", gone);
    scene.expect_as_at(1);
}

#[test]
fn b9_undo_of_ungrouping_groups_only_what_was_grouped() {
    let nodes = [
        node_of("g", None),
        node_of("a", Some("g")),
        node_of("b", Some("g")),
        node_of("c", None),
    ];
    let mut scene = canvas(nodes);
    let e1 = ungroup(&mut scene, "g");
    assert_eq!(scene.children(None), ["a", "b", "c"]);
    let other = scene.edit("user:b", [set("c", "/props/x", 1)]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["g", "c"]);
    assert_eq!(scene.children(Some("g")), ["a", "b"]);
    scene.undo_clean("user:b", other);
    scene.expect_as_at(1);
}

#[test]
fn b9_with_a_member_that_another_took_elsewhere_meanwhile() {
    let nodes = [
        node_of("g", None),
        node_of("a", Some("g")),
        node_of("b", Some("g")),
        node_of("f", None),
    ];
    let mut scene = canvas(nodes);
    let e1 = ungroup(&mut scene, "g");
    scene.edit("user:b", [move_to("b", json!({ "parentId": "f" }))]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(
        (undo.outcome(), undo.conflicts()),
        (Outcome::Partial, vec!["moved_since"])
    );
    assert_eq!(
        (scene.children(Some("g")), scene.children(Some("f"))),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
}

#[test]
fn b19_undo_of_grouping_takes_the_group_away() {
    let mut scene = flat(&["a", "b"]);
    let e1 = group(&mut scene, "g", &["a", "b"]);
    let x = scene.edit("user:b", [add_at("x", "last")]);
    scene.undo_clean("user:a", e1);
    assert_eq!(scene.children(None), ["a", "b", "x"]);
    assert!(!scene.has("g"));
    scene.undo_clean("user:b", x);
    scene.expect_as_at(1);
}

#[test]
fn b19_a_group_into_which_another_put_something_stays_unless_forced() {
    let mut scene = flat(&["a", "b", "c"]);
    let e1 = group(&mut scene, "g", &["a", "b"]);
    scene.edit("user:b", [move_to("c", json!({ "parentId": "g" }))]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(undo.outcome(), Outcome::Partial);
    assert_eq!(undo.conflict("edited_since")["actor"], json!("user:b"));
    assert_eq!(
        (scene.children(None), scene.children(Some("g"))),
        (vec!["a".to_owned(), "b".into(), "g".into()], vec!["c".to_owned()])
    );
    scene.redo_clean("user:a", e1);
    assert_eq!(scene.children(Some("g")), ["a", "b", "c"]);
}

#[test]
fn b19_a_group_that_another_named_stays_and_its_members_leave() {
    let mut scene = flat(&["a", "b"]);
    let e1 = group(&mut scene, "g", &["a", "b"]);
    scene.edit("user:b", [set("g", "/props/name", "Pair")]);
    let undo = scene.undo("user:a", event(e1));
    assert_eq!(
        (undo.outcome(), undo.conflicts()),
        (Outcome::Partial, vec!["edited_since"])
    );
    assert_eq!(scene.prop("g", "name"), Some(json!("Pair")));
    assert_eq!(scene.children(Some("g")), [] as [&str; 0]);
}
