//! Faults that random histories have found where things lie: nodes in nodes, backgrounds among each other.

use recto_projections::undo::SkipReason;
use serde_json::json;

use crate::page::{KEEP, RESTORE};
use crate::undo_lives::{add, elsewhere, page, remove};

/// What an event made, and put into something that it made after that, goes with it.
#[test]
fn r35_a_node_goes_with_the_later_one_that_it_was_put_into() {
    let mut page = page();
    let into = json!({"op": "moveNode", "id": "t", "parentId": "u"});
    let e1 = page.edit("A", json!([add("t", 1), add("u", 2), into]));
    let then = elsewhere(&mut page);
    let undo1 = page.undo_clean(e1);
    assert!(!page.has("t") && !page.has("u"));
    page.undo_clean(undo1);
    assert!(page.is_as_at(then));
}

/// A redo that leaves a node below the parent that it found moves it nowhere there either.
#[test]
fn r36_the_place_below_another_parent_is_left_with_it() {
    let mut page = page();
    let first = json!({"op": "addNode", "node": {"id": "t", "type": "text"}, "placement": "first"});
    page.edit("A", json!([first]));
    let group = json!({"op": "addNode", "node": {"id": "grp", "type": "group"}, "placement": {"after": "t"}});
    let into = json!({"op": "moveNode", "id": "t", "parentId": "grp"});
    let e1 = page.edit("A", json!([group, into]));
    let moved = json!({"op": "moveNode", "id": "t", "geometry": {"y": 9}});
    let e2 = page.edit("B", json!([moved, remove("t")]));
    page.undo_as("C", &[e1], KEEP);
    let undo1 = page.version();
    page.undo_as("B", &[e2], RESTORE);
    let found = page.at("/nodes/t");
    page.undo_as("C", &[undo1], RESTORE);
    assert!(page.has("grp"));
    assert_eq!(page.at("/nodes/t"), found);
}

/// The place of a background is of one life, as that of a node is: another one that got its id is nobody's to move back.
#[test]
fn r37_a_background_made_anew_is_not_moved_back() {
    let background =
        |id: &str| json!({"op": "addBackground", "background": {"id": id, "type": "color"}, "placement": "last"});
    let mut page = page();
    page.edit("A", json!([background("b1"), background("b2"), background("b3")]));
    let moved = page.edit("A", json!([{"op": "moveBackground", "id": "b1", "placement": "last"}]));
    page.edit("B", json!([{"op": "removeBackground", "id": "b1"}]));
    page.edit("B", json!([background("b1")]));
    let then = page.version();
    for how in [KEEP, RESTORE] {
        let plan = page.plan(&[moved], how).unwrap();
        assert!(plan.conflicts.is_empty(), "{plan:?}");
        assert_eq!(plan.skipped[0].reason, SkipReason::Removed);
    }
    page.undo(moved);
    assert!(page.is_as_at(then));
}
