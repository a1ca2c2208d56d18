//! The table of rebase, row by row.

use recto_projections::Delta;
use recto_projections::rebase::{ConflictKind, Nature, NoteKind, OnOverwrite, Options, Subject};
use serde_json::{Value as Json, json};

use crate::page::Page;

fn page() -> Page {
    Page::design(&json!({
        "attributes": {"title": "t"},
        "nodes": [
            {"id": "n", "type": "shape", "props": {"p": 1, "style": {"color": "red"}, "text": "abc", "tags": [1]}},
            {"id": "m", "type": "shape"},
            {"id": "g", "type": "group"},
            {"id": "c", "type": "shape", "parentId": "g", "geometry": {"x": 1, "y": 1}},
            {"id": "h", "type": "group"},
        ],
    }))
}

fn set(id: &str, pointer: &str, value: Json) -> Json {
    json!([{"op": "setNode", "id": id, "set": {pointer: value}}])
}

fn shift(id: &str, geometry: Json) -> Json {
    json!([{"op": "moveNode", "id": id, "geometry": geometry}])
}

fn remove(id: &str) -> Json {
    json!([{"op": "removeNode", "id": id}])
}

fn policy(on_overwrite: OnOverwrite) -> Options<'static> {
    Options {
        on_overwrite,
        ..Options::default()
    }
}

const FORCE: Options<'static> = Options {
    on_overwrite: OnOverwrite::Refuse,
    force: true,
    over_first: true,
    existed: None,
};

#[test]
fn the_same_value_is_no_change() {
    let mut page = page();
    page.edit("A", set("n", "/props/p", json!(2)));
    let rebased = page
        .rebased(0, set("n", "/props/p", json!(2)), &Options::default())
        .unwrap();
    assert!(rebased.delta.is_empty());
    assert_eq!(
        (rebased.dropped[0].op, rebased.dropped[0].pointer.as_str()),
        (0, "/props/p")
    );
}

#[test]
fn another_value_is_a_conflict_or_as_the_caller_asks() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    let mine = json!([{"op": "setNode", "id": "n", "set": {"/props/q": 1, "/props/p": 3}}]);
    let conflict = page.refused(0, mine.clone());
    assert_eq!(
        conflict.to_json(),
        json!({
            "delta": 0, "op": 0, "code": "overwritten", "detail": conflict.kind.to_string(), "node": "n", "pointer": "/props/p",
            "before": 1, "mine": 3, "theirs": 2, "version": e1, "actor": "A",
        })
    );
    let theirs = page.rebased(0, mine.clone(), &policy(OnOverwrite::Theirs)).unwrap();
    assert_eq!(theirs.delta.to_json(), set("n", "/props/q", json!(1)));
    assert_eq!(
        (theirs.notes[0].kind, &theirs.notes[0].lost),
        (NoteKind::GaveWay, &Some(json!(3)))
    );
    let taken = page.rebased(0, mine.clone(), &policy(OnOverwrite::Mine)).unwrap();
    assert_eq!(taken.delta.to_json(), mine);
    assert_eq!(
        (taken.notes[0].kind, &taken.notes[0].lost),
        (NoteKind::TookOver, &Some(json!(2)))
    );
}

#[test]
fn absent_and_null_are_two_values() {
    let mut page = page();
    page.edit("A", set("n", "/props/p", Json::Null));
    let conflict = page.refused(0, json!([{"op": "setNode", "id": "n", "unset": ["/props/p"]}]));
    assert_eq!((conflict.mine, conflict.theirs), (None, Some(Json::Null)));
}

#[test]
fn an_edit_and_its_undo_are_in_nobodys_way() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    page.undo_clean(e1);
    page.edit_from("B", 0, set("n", "/props/p", json!(3)));
    let e4 = page.edit("A", set("m", "/props/p", json!(1)));
    page.undo_clean(e4);
    page.edit_from("B", 3, remove("m"));
    assert!(!page.has("m"));
}

#[test]
fn whole_objects_and_their_parts_know_each_other() {
    let mut page = page();
    page.edit("A", set("n", "/props/style/color", json!("blue")));
    let conflict = page.refused(0, set("n", "/props/style", json!({"color": "red", "width": 1})));
    assert_eq!(conflict.before, Some(json!({"color": "red"})));
    page.edit("A", json!([{"op": "setNode", "id": "n", "unset": ["/props/style"]}]));
    let part = set("n", "/props/style/width", json!(1));
    let conflict = page.refused(1, part.clone());
    assert_eq!((conflict.kind, conflict.theirs), (ConflictKind::Overwritten, None));
    assert!(
        page.rebased(1, part.clone(), &policy(OnOverwrite::Mine)).is_err(),
        "there is nothing to set it in"
    );
    assert!(
        page.rebased(1, part, &policy(OnOverwrite::Theirs))
            .unwrap()
            .delta
            .is_empty()
    );
}

#[test]
fn a_removed_twice_node_is_no_conflict() {
    let mut page = page();
    page.edit("A", remove("n"));
    let rebased = page.rebased(0, remove("n"), &Options::default()).unwrap();
    assert!(rebased.delta.is_empty());
    assert_eq!(rebased.dropped[0].subject, Subject::Node("n".into()));
}

#[test]
fn removing_what_was_edited_or_filled_since_takes_force() {
    let mut page = page();
    let e1 = page.edit("A", set("n", "/props/p", json!(2)));
    let conflict = page.refused(0, remove("n"));
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::EditedSince, Some(e1)));
    let e2 = page.edit("A", json!([{"op": "moveNode", "id": "m", "parentId": "h"}]));
    let conflict = page.refused(1, remove("h"));
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::EditedSince, Some(e2)));
    let rebased = page.rebased(1, remove("h"), &FORCE).unwrap();
    assert_eq!(rebased.notes[0].kind, NoteKind::Forced);
    assert_eq!(
        rebased.delta.to_json(),
        json!([{"op": "removeNode", "id": "m"}, {"op": "removeNode", "id": "h"}])
    );
    assert_eq!(rebased.origins, [0, 0]);
}

#[test]
fn moves_within_a_parent_merge_field_by_field() {
    let mut page = page();
    page.edit("A", shift("n", json!({"x": 1, "width": 5})));
    page.edit_from("B", 0, shift("n", json!({"y": 2, "width": 5})));
    assert_eq!(
        page.at("/nodes/n/geometry"),
        Some(json!({"x": 1, "y": 2, "width": 5, "height": 0, "rotation": 0}))
    );
    let conflict = page.refused(0, shift("n", json!({"x": 7, "height": 1})));
    assert_eq!(
        (conflict.kind, conflict.pointer.as_str()),
        (ConflictKind::MovedSince, "/geometry/x")
    );
    assert_eq!(
        (conflict.before, conflict.mine, conflict.theirs),
        (Some(json!(0)), Some(json!(7)), Some(json!(1)))
    );
    page.edit_with(
        "B",
        0,
        shift("n", json!({"x": 7, "height": 1})),
        &policy(OnOverwrite::Mine),
    );
    assert_eq!(page.at("/nodes/n/geometry/x"), Some(json!(7)));
}

#[test]
fn a_parent_and_a_geometry_never_mix_from_two_writes() {
    let mut page = page();
    page.edit("A", shift("c", json!({"x": 9})));
    let out = json!([{"op": "moveNode", "id": "c", "parentId": null, "geometry": {"y": 50}}]);
    let conflict = page.refused(0, out.clone());
    assert_eq!(
        (conflict.kind, conflict.pointer.as_str()),
        (ConflictKind::MovedSince, "/parentId")
    );
    assert!(
        page.rebased(0, out.clone(), &policy(OnOverwrite::Theirs))
            .unwrap()
            .delta
            .is_empty()
    );
    page.edit_with("B", 0, out, &policy(OnOverwrite::Mine));
    assert_eq!(
        page.at("/nodes/c/geometry/x"),
        Some(json!(1)),
        "all of mine, nothing of theirs"
    );
    assert_eq!(page.at("/nodes/c/geometry/y"), Some(json!(50)));
}

#[test]
fn a_move_within_the_old_parent_goes_back_there_or_gives_way() {
    let mut page = page();
    page.edit(
        "A",
        json!([{"op": "moveNode", "id": "c", "parentId": "h", "geometry": {"x": 70}}]),
    );
    let mine = shift("c", json!({"y": 2}));
    assert_eq!(page.refused(0, mine.clone()).kind, ConflictKind::MovedSince);
    page.edit_with("B", 0, mine.clone(), &policy(OnOverwrite::Mine));
    assert_eq!(page.children(Some("g")), ["c"]);
    assert_eq!(
        page.at("/nodes/c/geometry"),
        Some(json!({"x": 1, "y": 2, "width": 0, "height": 0, "rotation": 0}))
    );
    page.edit(
        "A",
        json!([{"op": "moveNode", "id": "c", "parentId": "h"}, {"op": "removeNode", "id": "g"}]),
    );
    let conflicts = page.rebased(2, mine, &policy(OnOverwrite::Mine)).unwrap_err();
    assert_eq!(conflicts[0].kind, ConflictKind::ParentRemoved);
}

#[test]
fn two_who_move_to_the_same_place_agree() {
    let mut page = page();
    let into = json!([{"op": "moveNode", "id": "n", "parentId": "g", "geometry": {"x": 3}}]);
    page.edit("A", into.clone());
    assert!(page.rebased(0, into, &Options::default()).unwrap().delta.is_empty());
}

#[test]
fn a_new_parent_that_is_gone_is_a_conflict() {
    let mut page = page();
    let e1 = page.edit("A", remove("h"));
    let into = json!([{"op": "moveNode", "id": "n", "parentId": "h"}]);
    let conflict = page.refused(0, into);
    assert_eq!(
        (conflict.kind, conflict.version),
        (ConflictKind::ParentRemoved, Some(e1))
    );
    let add = json!([
        {"op": "addNode", "node": {"id": "new", "type": "shape", "parentId": "h"}},
        {"op": "setNode", "id": "new", "set": {"/props/p": 1}},
    ]);
    assert_eq!(
        page.refused(0, add).mine,
        Some(json!("h")),
        "one conflict, not one for each operation"
    );
}

#[test]
fn a_place_beside_what_is_gone_is_beside_the_nearest_that_is_left() {
    let mut page = page();
    page.edit("A", json!([{"op": "removeNode", "id": "m"}]));
    let beside = |id: &str, placement: Json| json!([{"op": "addNode", "node": {"id": id, "type": "shape"}, "placement": placement}]);
    page.edit_from("B", 0, beside("after", json!({"after": "m"})));
    page.edit_from("B", 0, beside("before", json!({"before": "m"})));
    assert_eq!(page.children(None), ["n", "before", "after", "g", "h"]);
    page.edit("A", json!([{"op": "moveNode", "id": "n", "parentId": "g"}]));
    let rebased = page
        .rebased(3, beside("last", json!({"before": "n"})), &Options::default())
        .unwrap();
    assert_eq!(rebased.notes[0].kind, NoteKind::PlacedBeside);
    assert_eq!(rebased.delta.to_json()[0]["placement"], json!({"before": "before"}));
}

#[test]
fn sets_merge() {
    let mut page = page();
    let change = |op: &str, values: Json| json!([{"op": op, "id": "n", "pointer": "/props/tags", "values": values}]);
    page.edit("A", change("addToSet", json!([2, 3])));
    page.edit_from("B", 0, change("addToSet", json!([3, 4])));
    page.edit_from("B", 0, change("removeFromSet", json!([1, 9])));
    assert_eq!(page.prop("n", "tags"), Some(json!([2, 3, 4])));
    assert!(
        page.rebased(0, change("addToSet", json!([4])), &Options::default())
            .unwrap()
            .delta
            .is_empty()
    );
    page.edit("A", set("n", "/props/tags", json!("none")));
    assert_eq!(
        page.refused(3, change("addToSet", json!([4]))).kind,
        ConflictKind::Overwritten
    );
}

#[test]
fn a_set_that_two_make_at_once_is_made_once() {
    let mut page = page();
    let add = |value: i32| json!([{"op": "addToSet", "id": "m", "pointer": "/props/tags", "values": [value]}]);
    let mut mine = page.head().clone();
    let committed = mine
        .apply(&Delta::from_json(mine.kind(), &add(1)).unwrap())
        .unwrap()
        .delta
        .to_json();
    page.edit("A", add(2));
    page.edit_from("B", 0, committed);
    assert_eq!(page.prop("m", "tags"), Some(json!([2, 1])));
}

#[test]
fn texts_merge_and_a_text_set_since_is_a_conflict() {
    let mut page = page();
    let edit = |delta: Json| json!({"op": "editText", "id": "n", "pointer": "/props/text", "delta": delta});
    page.edit("A", json!([edit(json!([{"insert": "A"}]))]));
    let mine = json!([
        edit(json!([{"insert": "B"}])),
        edit(json!([{"retain": 4}, {"insert": "!"}]))
    ]);
    page.edit_from("B", 0, mine.clone());
    assert_eq!(page.prop("n", "text"), Some(json!("ABabc!")));
    let e3 = page.edit("A", set("n", "/props/text", json!("other")));
    let conflict = page.refused(0, mine.clone());
    assert_eq!((conflict.version, conflict.before), (Some(e3), Some(json!("abc"))));
    assert_eq!(
        (conflict.mine, conflict.theirs),
        (Some(json!("Babc")), Some(json!("other")))
    );
    page.edit_with("B", 0, mine.clone(), &policy(OnOverwrite::Mine));
    assert_eq!(page.prop("n", "text"), Some(json!("Babc!")));
    let conflict = page.refused(3, set("n", "/props/text", json!("set")));
    assert_eq!(conflict.kind, ConflictKind::Overwritten);
    assert!(
        page.rebased(0, mine, &policy(OnOverwrite::Theirs))
            .unwrap()
            .delta
            .is_empty()
    );
}

#[test]
fn an_id_in_use_is_a_conflict() {
    let mut page = page();
    let add = json!([{"op": "addNode", "node": {"id": "new", "type": "shape"}}, {"op": "removeNode", "id": "new"}]);
    let e1 = page.edit("A", json!([{"op": "addNode", "node": {"id": "new", "type": "shape"}}]));
    let conflict = page.refused(0, add.clone());
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::IdTaken, Some(e1)));
    let e2 = page.edit("A", remove("new"));
    let conflict = page.refused(0, add);
    assert_eq!((conflict.kind, conflict.version), (ConflictKind::IdTaken, Some(e1)));
    assert!(e2 > e1);
}

#[test]
fn a_restore_stops_everything() {
    let mut page = page();
    let delta = Delta::from_json(page.head().kind(), &set("m", "/props/p", json!(1))).unwrap();
    page.append("A", &delta, Nature::Restore, &[]);
    let conflict = page.refused(0, set("n", "/props/p", json!(1)));
    assert_eq!(
        (conflict.kind, conflict.version),
        (ConflictKind::RestoredSince, Some(1))
    );
}

#[test]
fn a_rebalance_is_nobodys_move() {
    let mut page = page();
    page.edit("A", json!([{"op": "moveNode", "id": "h", "placement": "first"}]));
    let recto_projections::Value::Design(value) = page.head() else {
        panic!()
    };
    let rebalance = Delta::Design(value.rebalance(None));
    page.append("system", &rebalance, Nature::Rebalance, &[]);
    page.edit_from(
        "B",
        1,
        json!([{"op": "removeNode", "id": "m"}, {"op": "moveNode", "id": "n", "placement": "last"}]),
    );
    assert_eq!(page.children(None), ["h", "g", "n"]);
}

#[test]
fn attributes_and_backgrounds_merge_by_name() {
    let mut page = page();
    let background = |id: &str| json!({"op": "addBackground", "background": {"id": id, "type": "color"}});
    page.edit(
        "A",
        json!([background("b1"), {"op": "setAttributes", "set": {"/title": "u"}}]),
    );
    page.edit_from(
        "B",
        0,
        json!([background("b2"), {"op": "setAttributes", "set": {"/subtitle": "v"}}]),
    );
    assert_eq!(page.at("/attributes/backgrounds").unwrap().as_array().unwrap().len(), 2);
    assert_eq!(
        page.refused(0, json!([{"op": "setAttributes", "set": {"/title": "w"}}]))
            .subject,
        Subject::Attributes
    );
    assert_eq!(page.refused(0, json!([background("b1")])).kind, ConflictKind::IdTaken);
    page.edit(
        "A",
        json!([{"op": "setBackground", "id": "b1", "set": {"/color": "red"}}]),
    );
    let conflict = page.refused(
        2,
        json!([{"op": "setBackground", "id": "b1", "set": {"/color": "blue"}}]),
    );
    assert_eq!(
        (conflict.kind, conflict.subject),
        (ConflictKind::Overwritten, Subject::Background("b1".into()))
    );
    assert_eq!(
        page.refused(2, json!([{"op": "removeBackground", "id": "b1"}])).kind,
        ConflictKind::EditedSince
    );
    page.edit("A", json!([{"op": "removeBackground", "id": "b1"}]));
    page.edit_from(
        "B",
        3,
        json!([{"op": "addBackground", "background": {"id": "b3", "type": "color"}, "placement": {"after": "b1"}}]),
    );
    let conflict = page.refused(3, json!([{"op": "moveBackground", "id": "b1", "placement": "last"}]));
    assert_eq!(conflict.kind, ConflictKind::TargetRemoved);
}

#[test]
fn what_never_could_be_applied_is_a_conflict_that_names_the_rule() {
    let mut page = page();
    page.edit("A", set("m", "/props/p", json!(1)));
    let conflict = page.refused(0, set("nobody", "/props/p", json!(1)));
    assert_eq!(conflict.kind.code(), "blocked");
}

#[test]
fn all_conflicts_are_reported_with_their_operations() {
    let mut page = page();
    page.edit(
        "A",
        json!([{"op": "setNode", "id": "n", "set": {"/props/p": 2}}, {"op": "removeNode", "id": "m"}]),
    );
    let mine = json!([
        {"op": "setNode", "id": "n", "set": {"/props/p": 3}},
        {"op": "setNode", "id": "g", "set": {"/props/p": 3}},
        {"op": "setNode", "id": "m", "set": {"/props/p": 3}},
    ]);
    let conflicts = page.rebased(0, mine, &Options::default()).unwrap_err();
    assert_eq!(conflicts.iter().map(|conflict| conflict.op).collect::<Vec<_>>(), [0, 2]);
}
