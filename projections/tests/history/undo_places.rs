//! Faults that random histories have found where things lie: nodes in nodes, backgrounds among each other.

use recto_projections::undo::{Policy, SkipReason};
use serde_json::json;

use crate::page::{How, KEEP};
use crate::undo_lives::{add, page, remove};

/// What an event made, and put into something that it made after that, goes with it.
#[test]
fn r35_a_node_goes_with_the_later_one_that_it_was_put_into() {
    let mut page = page();
    let then = page.version();
    let into = json!({"op": "moveNode", "id": "t", "parentId": "u"});
    let e1 = page.edit("A", json!([add("t", 1), add("u", 2), into]));
    let undo1 = page.undo_clean(e1);
    assert!(page.is_as_at(then));
    page.undo_clean(undo1);
    assert!(page.is_as_at(e1));
}

/// A redo that leaves a node below the parent that it found moves it nowhere there either.
#[test]
fn r36_the_place_below_another_parent_is_left_with_it() {
    let mut page = page();
    let e0 = page.edit("A", json!([add("t", 1)]));
    let group = json!({"op": "addNode", "node": {"id": "grp", "type": "group"}, "placement": "last"});
    let into = json!({"op": "moveNode", "id": "t", "parentId": "grp", "geometry": {"x": 7}});
    let e1 = page.edit("A", json!([group, into]));
    let moved = json!({"op": "moveNode", "id": "t", "geometry": {"y": 9}});
    let e2 = page.edit("B", json!([moved, remove("t")]));
    let undo1 = page.undo(e1);
    let undo1 = undo1.steps.first().map(|_| page.version()).unwrap();
    page.undo(e2);
    page.undo(undo1);
    let redo1 = page.version();
    page.undo(redo1);
    let back = page.version();
    page.undo(back);
    assert!(page.is_as_at(redo1), "{e0}");
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
    let restore = How {
        policy: Policy::Restore,
        force: false,
    };
    for how in [KEEP, restore] {
        let plan = page.plan(&[moved], how).unwrap();
        assert!(plan.conflicts.is_empty(), "{plan:?}");
        assert_eq!(plan.skipped[0].reason, SkipReason::Removed);
    }
    page.undo(moved);
    assert!(page.is_as_at(then));
}
