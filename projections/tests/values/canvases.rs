//! Real canvases as DESIGN pages.

use recto_projections::{Delta, Kind, Value};
use serde_json::{Value as Json, json};

use crate::check::{check_value, step};
use crate::support::{canvas, corpora};

/// Checks a page, the delta that makes it of nothing, and edits of a few of its nodes.
fn check_page(name: &str, json: &Json) -> usize {
    let page = Value::from_json(Kind::Design, json).unwrap_or_else(|invalid| panic!("{name}: {invalid}"));
    check_value(&page);
    let empty = Value::empty(Kind::Design);
    let made = empty.diff(&page).unwrap();
    let mut reached = empty.clone();
    let applied = reached.apply(&made).unwrap();
    assert!(reached == page && reached.digest() == page.digest(), "{name}");
    assert!(Delta::from_bytes(&applied.delta.to_bytes().unwrap()).unwrap() == applied.delta);
    reached.replay(&applied.inverse).unwrap();
    assert_eq!(reached.digest(), empty.digest(), "{name}");
    edit(page, json)
}

fn edit(mut page: Value, json: &Json) -> usize {
    let first = page.clone();
    let nodes = json["nodes"].as_array().unwrap();
    let Some(last) = nodes.last() else { return 0 };
    for node in nodes.iter().step_by(nodes.len().div_ceil(20)) {
        let ops = json!([
            {"op": "setNode", "id": node["id"], "set": {"/props/edited": [true]}},
            {"op": "moveNode", "id": node["id"], "geometry": {"x": 0.5}},
            {"op": "moveNode", "id": node["id"], "placement": "first"}]);
        apply(&mut page, &ops, nodes.len());
    }
    let moved = json!([{"op": "moveNode", "id": last["id"], "parentId": null, "placement": "last"}]);
    apply(&mut page, &moved, nodes.len());
    let delta = first.diff(&page).unwrap();
    let mut reached = first.clone();
    let applied = reached.apply(&delta).unwrap();
    assert!(reached == page && reached.digest() == page.digest());
    reached.replay(&applied.inverse).unwrap();
    assert!(reached == first && reached.digest() == first.digest());
    page.check_invariants().unwrap();
    nodes.len()
}

/// Applies operations with every check there is; on a large page with those that do not write the whole page.
fn apply(page: &mut Value, ops: &Json, nodes: usize) {
    let delta = Delta::from_json(Kind::Design, ops).unwrap();
    if nodes <= 300 {
        step(page, &delta).unwrap();
        return;
    }
    let before = page.clone();
    let applied = page.apply(&delta).unwrap();
    let mut back = page.clone();
    back.apply(&applied.inverse).unwrap();
    assert!(back == before && back.digest() == before.digest());
}

#[test]
fn excalidraw_libraries_are_pages() {
    let mut count = 0;
    for name in corpora::files("canvas/excalidraw") {
        if name.ends_with(".excalidrawlib.gz") {
            count += check_page(&name, &canvas::excalidraw_library(&corpora::json(&name).unwrap()));
        }
    }
    eprintln!("excalidraw libraries: {count} nodes");
}

#[test]
fn fifty_thousand_elements_are_one_page() {
    let Some(lines) = corpora::json_lines("canvas/excalidraw/all-elements.jsonl.zst") else {
        return;
    };
    let json = canvas::excalidraw(lines.iter().map(|line| &line["element"]));
    let count = check_page("all elements", &json);
    eprintln!(
        "all excalidraw elements: {} elements, {count} nodes with their groups",
        lines.len()
    );
}

#[test]
fn dashboards_fabric_and_posters_are_pages() {
    for name in corpora::files("canvas/dashboards") {
        let count = check_page(&name, &canvas::dashboard(&corpora::json(&name).unwrap()));
        eprintln!("{name}: {count} nodes");
    }
    for name in corpora::files("canvas/fabric") {
        let count = check_page(&name, &canvas::fabric(&corpora::json(&name).unwrap()));
        eprintln!("{name}: {count} nodes");
    }
    for name in corpora::files("canvas/poster") {
        let count = check_page(&name, &canvas::poster(&corpora::json(&name).unwrap()));
        eprintln!("{name}: {count} nodes");
    }
}

#[test]
fn a_repeated_id_gets_a_number() {
    let element = |id: &str| json!({"id": id, "type": "line", "x": 1, "groupIds": ["in", "out"]});
    let elements = [element("a"), element("a"), element("a~2"), element("a"), element("in")];
    let page = canvas::excalidraw(&elements);
    let ids: Vec<_> = page["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["out", "in", "a", "a~2", "a~2~2", "a~3", "in~2"]);
    check_value(&Value::from_json(Kind::Design, &page).unwrap());
}
