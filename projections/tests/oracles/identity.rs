//! What an element is once its deletion is undone: the same one in Recto, so that edits of it hold; a copy in yrs, so that
//! they are lost.

use recto_projections::rebase::{Committed, Nature, Options, Rebased, rebase};
use recto_projections::{Applied, Delta, Json, Kind, Value};
use serde_json::json;
use yrs::types::ToJson as _;
use yrs::{Any, Map as _, MapPrelim, MapRef, Transact as _};

use crate::peer::{Manager, Peer};

const YRS: &str = "yrs kept the edit of the element that was deleted and brought back: it has become right";

/// A page with one node, and its events.
struct Page {
    head: Value,
    events: Vec<(Applied, Vec<u64>)>,
}

impl Page {
    fn new() -> Self {
        let start = json!({"nodes": [{"id": "n", "type": "shape", "props": {"p": 0}}]});
        Self {
            head: Value::from_json(Kind::Design, &start).unwrap(),
            events: Vec::new(),
        }
    }

    fn commit(&mut self, delta: &Delta, undoes: &[u64]) {
        let applied = self.head.apply(delta).unwrap();
        self.events.push((applied, undoes.to_vec()));
    }

    /// Commits a delta that was made of the first version.
    fn commit_first(&mut self, ops: &Json, force: bool) {
        let delta = Delta::from_json(Kind::Design, ops).unwrap();
        let over = self
            .events
            .iter()
            .zip(1..)
            .map(|((applied, undoes), version)| Committed {
                version,
                actor: "other",
                delta: &applied.delta,
                inverse: &applied.inverse,
                nature: Nature::Edit,
                undoes,
            });
        let options = Options {
            force,
            ..Options::default()
        };
        let Rebased { delta, .. } = rebase(&delta, &over.collect::<Vec<_>>(), &self.head, &options).unwrap();
        self.commit(&delta, &[]);
    }

    /// Undoes the newest event.
    fn undo(&mut self) {
        let inverse = self.events.last().unwrap().0.inverse.clone();
        let version = u64::try_from(self.events.len()).unwrap();
        self.commit(&inverse, &[version]);
    }

    fn props(&self) -> Json {
        let Value::Design(page) = &self.head else {
            panic!("no design")
        };
        let node = page.tree().next().unwrap();
        assert_eq!(&**node.id(), "n");
        node.to_json()["props"].clone()
    }
}

fn remove() -> Json {
    json!([{"op": "removeNode", "id": "n"}])
}

fn fill() -> Json {
    json!([{"op": "setNode", "id": "n", "set": {"/props/fill": "red"}}])
}

/// Two replicas with one element in a map, and an undo manager of the first.
struct Elements {
    peers: [Peer; 2],
    maps: [MapRef; 2],
    manager: Manager,
}

impl Elements {
    fn new() -> Self {
        let peers = Peer::all([1, 2], "");
        let maps = [0, 1].map(|number: usize| peers[number].doc.get_or_insert_map("nodes"));
        maps[0].insert(&mut peers[0].doc.transact_mut(), "n", MapPrelim::from([("p", 0)]));
        peers[0].sync(&peers[1]);
        let mut manager = Manager::new();
        manager.expand_scope(&peers[0].doc, &maps[0]);
        Self { peers, maps, manager }
    }

    fn remove(&self) {
        self.maps[0].remove(&mut self.peers[0].doc.transact_mut(), "n");
    }

    fn fill(&self) {
        let map = &self.maps[1];
        let node: MapRef = map.get(&self.peers[1].doc.transact(), "n").unwrap().cast().unwrap();
        node.insert(&mut self.peers[1].doc.transact_mut(), "fill", "red");
    }

    fn undo(&mut self) {
        assert!(self.manager.undo_blocking());
    }

    /// Exchanges all; gives what both read.
    fn read(&self) -> Any {
        self.peers[0].sync(&self.peers[1]);
        let [one, other] = [0, 1].map(|number| self.maps[number].to_json(&self.peers[number].doc.transact()));
        assert_eq!(one, other);
        one
    }
}

fn json_of(text: &str) -> Any {
    Any::from_json(text).unwrap()
}

#[test]
fn yrs_loses_an_edit_of_an_element_removed_and_brought_back_meanwhile() {
    let mut page = Page::new();
    page.commit(&Delta::from_json(Kind::Design, &remove()).unwrap(), &[]);
    page.undo();
    page.commit_first(&fill(), false);
    assert_eq!(page.props(), json!({"p": 0, "fill": "red"}));

    let mut elements = Elements::new();
    elements.remove();
    elements.undo();
    elements.fill();
    assert_eq!(elements.read(), json_of(r#"{"n": {"p": 0}}"#), "{YRS}");
}

#[test]
fn yrs_loses_an_edit_of_an_element_that_another_removed_and_brings_back() {
    let mut page = Page::new();
    page.commit(&Delta::from_json(Kind::Design, &fill()).unwrap(), &[]);
    page.commit_first(&remove(), true);
    page.undo();
    assert_eq!(page.props(), json!({"p": 0, "fill": "red"}));

    let mut elements = Elements::new();
    elements.fill();
    elements.remove();
    elements.read();
    elements.undo();
    assert_eq!(elements.read(), json_of(r#"{"n": {"p": 0}}"#), "{YRS}");
}
