//! Who last wrote the fields of a node, and who last touched what a page holds: cases, and random histories against a scan
//! of every operation for every field.

use proptest::collection::vec;
use proptest::prelude::*;
use recto_projections::blame::{Blamed, DesignBlame};
use recto_projections::rebase::Subject;
use recto_projections::{Delta, DesignValue, Json, Kind, Value};
use serde_json::json;

use crate::random::{config, design};
use crate::random_steps::{resolve, step};

/// A page with its events; the first makes version 1.
struct Page {
    states: Vec<Value>,
    deltas: Vec<Delta>,
}

impl Page {
    fn new(json: &Json) -> Page {
        Page::from(Value::from_json(Kind::Design, json).unwrap())
    }

    fn from(value: Value) -> Page {
        Page {
            states: vec![value],
            deltas: Vec::new(),
        }
    }

    fn edit(&mut self, ops: &Json) {
        let delta = Delta::from_json(Kind::Design, ops).unwrap();
        self.try_apply(&delta);
    }

    fn try_apply(&mut self, delta: &Delta) {
        let mut value = self.head().clone();
        if let Ok(applied) = value.apply(delta) {
            self.states.push(value);
            self.deltas.push(applied.delta);
        }
    }

    fn head(&self) -> &Value {
        self.states.last().unwrap()
    }

    fn version(&self) -> u64 {
        u64::try_from(self.deltas.len()).unwrap()
    }

    fn design(&self) -> &DesignValue {
        match self.head() {
            Value::Design(value) => value,
            _ => panic!("a page never changes its kind"),
        }
    }

    /// Feeds a search; gives what it found, and how many events it wanted.
    fn search(&self, mut blame: DesignBlame) -> (Vec<Blamed>, usize) {
        let mut taken = 0;
        for (delta, version) in self.deltas.iter().rev().zip((1..=self.version()).rev()) {
            if blame.is_done() {
                break;
            }
            blame.take(version, delta);
            taken += 1;
        }
        (blame.finish(), taken)
    }

    fn of_node(&self, node: &str) -> Vec<(String, Option<u64>)> {
        let blame = DesignBlame::of_node(self.design(), node).unwrap();
        let fields = self.search(blame).0.into_iter();
        fields.map(|field| (field.pointer, field.version)).collect()
    }

    fn of_page(&self) -> Vec<(Subject, Option<u64>)> {
        let found = self.search(DesignBlame::of_page(self.design())).0.into_iter();
        found.map(|blamed| (blamed.subject, blamed.version)).collect()
    }
}

fn start() -> Page {
    Page::new(&json!({
        "attributes": {"title": "t", "backgrounds": [{"id": "b0", "type": "color"}]},
        "nodes": [
            {"id": "g", "type": "group"},
            {"id": "a", "type": "text", "props": {"text": "hi", "style": {"fill": "red", "line": {}}, "tags": ["x"]}},
        ],
    }))
}

#[test]
fn each_field_has_the_event_that_last_wrote_it() {
    let mut page = start();
    page.edit(&json!([{"op": "moveNode", "id": "a", "parentId": "g", "geometry": {"x": 5, "y": 6}}]));
    page.edit(&json!([{"op": "editText", "id": "a", "pointer": "/props/text", "delta": [{"insert": "oh "}]}]));
    page.edit(&json!([{"op": "setNode", "id": "a", "set": {"/props/style/fill": "blue", "/type": "note"}}]));
    page.edit(&json!([{"op": "addToSet", "id": "a", "pointer": "/props/tags", "values": ["y"]}]));
    page.edit(&json!([{"op": "moveNode", "id": "a", "geometry": {"x": 7}}, {"op": "setNode", "id": "g", "set": {"/type": "frame"}}]));
    // A node that goes to another parent takes its whole geometry along.
    let wanted = [
        ("/type", Some(3)),
        ("/parentId", Some(1)),
        ("/order", Some(1)),
        ("/geometry/x", Some(5)),
        ("/geometry/y", Some(1)),
        ("/geometry/width", Some(1)),
        ("/geometry/height", Some(1)),
        ("/geometry/rotation", Some(1)),
        ("/props/text", Some(2)),
        ("/props/style/fill", Some(3)),
        ("/props/style/line", None),
        ("/props/tags", Some(4)),
    ];
    let wanted: Vec<_> = wanted
        .into_iter()
        .map(|(pointer, version)| (pointer.to_owned(), version))
        .collect();
    assert_eq!(page.of_node("a"), wanted);
    assert!(DesignBlame::of_node(page.design(), "nobody").is_none());
}

#[test]
fn whatever_holds_a_field_or_lies_in_it_writes_it() {
    let mut page = start();
    page.edit(&json!([{"op": "setNode", "id": "a", "set": {"/props/style": {"fill": "red", "deep": {"x": 1}}}}]));
    page.edit(&json!([{"op": "setNode", "id": "a", "unset": ["/props/style/deep/x"]}]));
    let fields = page.of_node("a");
    let version = |pointer: &str| fields.iter().find(|(at, _)| at == pointer).unwrap().1;
    assert_eq!(version("/props/style/fill"), Some(1));
    assert_eq!(version("/props/style/deep"), Some(2));
    assert_eq!(version("/props/text"), None);
}

#[test]
fn an_added_node_ends_the_search() {
    let mut page = start();
    page.edit(&json!([{"op": "setNode", "id": "a", "set": {"/props/text": "old life"}}]));
    page.edit(&json!([
        {"op": "removeNode", "id": "a"},
        {"op": "addNode", "node": {"id": "a", "type": "text", "parentId": null, "props": {"text": "new life"}}, "placement": "last"},
    ]));
    page.edit(&json!([{"op": "setNode", "id": "a", "set": {"/type": "note"}}]));
    let (found, taken) = page.search(DesignBlame::of_node(page.design(), "a").unwrap());
    assert_eq!(taken, 2);
    assert!(
        found
            .iter()
            .all(|field| field.version == Some(if field.pointer == "/type" { 3 } else { 2 }))
    );
}

#[test]
fn a_page_tells_who_last_touched_each_thing() {
    let node = |id: &str| Subject::Node(id.into());
    let background = |id: &str| Subject::Background(id.into());
    let mut page = start();
    page.edit(&json!([{"op": "addBackground", "background": {"id": "b1", "type": "image"}, "placement": "last"}]));
    page.edit(&json!([{"op": "setAttributes", "set": {"/title": "new"}}]));
    page.edit(&json!([{"op": "moveNode", "id": "a", "geometry": {"x": 1}}]));
    page.edit(&json!([{"op": "moveBackground", "id": "b1", "placement": "first"}]));
    let wanted = [
        (node("g"), None),
        (node("a"), Some(3)),
        (background("b1"), Some(4)),
        (background("b0"), None),
        (Subject::Attributes, Some(2)),
    ];
    assert_eq!(page.of_page(), wanted);
    let empty = Page::new(&json!({"attributes": {}, "nodes": {}}));
    assert!(DesignBlame::of_page(empty.design()).is_done());
    assert!(empty.of_page().is_empty());
}

#[test]
fn a_list_of_backgrounds_that_comes_with_the_first_is_no_attribute() {
    let mut page = Page::new(&json!({"attributes": {"title": "t"}, "nodes": {}}));
    page.edit(&json!([{"op": "addBackground", "background": {"id": "b", "type": "color"}, "placement": "last"}]));
    assert_eq!(
        page.of_page(),
        [(Subject::Background("b".into()), Some(1)), (Subject::Attributes, None)]
    );
}

#[test]
fn a_delta_of_another_kind_is_passed_over() {
    let page = start();
    let mut blame = DesignBlame::of_page(page.design());
    Kind::ALL
        .into_iter()
        .for_each(|kind| blame.take(1, &Delta::empty(kind)));
    assert!(blame.finish().iter().all(|blamed| blamed.version.is_none()));
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn random_histories_give_what_a_scan_gives(value in design(), steps in vec(step(), 1..24)) {
        let mut page = Page::from(value);
        for step in steps {
            if let Some(delta) = resolve(page.head(), &step) {
                page.try_apply(&delta);
            }
        }
        let events: Vec<Json> = page.deltas.iter().map(Delta::to_json).collect();
        let ids: Vec<String> = page.design().tree().map(|node| node.id().to_string()).collect();
        for id in &ids {
            for (pointer, version) in page.of_node(id) {
                prop_assert_eq!(version, scan(&events, id, &pointer), "{} {}", id, pointer);
                prop_assert!(stands_since(&page.states, version, id, &pointer), "{} {} {:?}", id, pointer, version);
            }
        }
        for (subject, version) in page.of_page() {
            if let Subject::Node(id) = &subject {
                prop_assert_eq!(version, touched(&events, id), "{}", id);
            }
        }
    }
}

/// Says whether a field has the value that it has now in every state from a version on.
fn stands_since(states: &[Value], version: Option<u64>, id: &str, pointer: &str) -> bool {
    let first = usize::try_from(version.unwrap_or(0)).unwrap();
    let field = |state: &Value| {
        let Value::Design(value) = state else { return None };
        let field = value.node(id)?.to_json().pointer(pointer)?.clone();
        Some(serde_json::to_string(&field).unwrap())
    };
    let mut values = states[first..].iter().map(field);
    let now = values.next_back().unwrap();
    values.all(|value| value == now)
}

/// Finds the newest event with an operation that writes a field.
fn scan(events: &[Json], id: &str, field: &str) -> Option<u64> {
    newest(events, |op| {
        let related = |pointer: &str| {
            let (pointer, field) = (format!("{pointer}/"), format!("{field}/"));
            pointer.starts_with(&field) || field.starts_with(&pointer)
        };
        if op["node"]["id"] == id {
            return true;
        }
        if op["id"] != id {
            return false;
        }
        let set = op["set"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(pointer, _)| pointer.as_str());
        let unset = op["unset"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let at = op["pointer"].as_str();
        let keys = ["parentId", "order"].into_iter().filter(|key| op.get(key).is_some());
        let sides = op["geometry"].as_object().into_iter().flatten();
        set.chain(unset).chain(at).any(related)
            || keys.into_iter().any(|key| field == format!("/{key}"))
            || sides.into_iter().any(|(side, _)| field == format!("/geometry/{side}"))
    })
}

/// Finds the newest event that names a node.
fn touched(events: &[Json], id: &str) -> Option<u64> {
    let of_nodes = |op: &Json| !op["op"].as_str().unwrap().ends_with("Background");
    newest(events, |op| op["node"]["id"] == id || (op["id"] == id && of_nodes(op)))
}

fn newest(events: &[Json], wanted: impl Fn(&Json) -> bool) -> Option<u64> {
    let mut versions = events
        .iter()
        .rev()
        .zip((1..=u64::try_from(events.len()).unwrap()).rev());
    let found = versions.find(|(ops, _)| ops.as_array().unwrap().iter().any(&wanted));
    found.map(|(_, version)| version)
}
