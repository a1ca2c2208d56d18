//! A page over HTTP, told as a case tells it: who did what, from which version, and what came of it.

use recto_tests::Json;
use recto_tests::api::{self, Api, Write, number, page_path, text};
use recto_tests::http::Answer;
use recto_tests::server::Server;
use serde_json::json;

/// The page of every story.
pub(crate) const PAGE: &str = "p";
/// The people of the cases.
pub(crate) const ANN: &str = "user:ann";
pub(crate) const BEN: &str = "user:ben";
pub(crate) const BOT: &str = "agent:layout";

/// A page on a server of its own.
pub(crate) struct Story {
    pub(crate) server: Server,
    pub(crate) api: Api,
}

impl Story {
    pub(crate) fn new(kind: &str, value: &Json) -> Self {
        Self::on(Server::start(), kind, value)
    }

    pub(crate) fn on(server: Server, kind: &str, value: &Json) -> Self {
        let api = Api::of(&server);
        api.write(&api::create(PAGE, kind, value));
        Self { server, api }
    }

    /// A DESIGN page with these nodes, each given by its props.
    pub(crate) fn design(nodes: &Json) -> Self {
        let nodes = nodes.as_object().expect("props by id").iter();
        let nodes: Json = nodes.map(|(id, props)| with_props(id, props)).collect();
        Self::new("DESIGN", &json!({ "nodes": nodes }))
    }

    /// A CODE page with this text in the file `f`.
    pub(crate) fn code(text: &str) -> Self {
        Self::new("CODE", &json!({ "files": { "f": text }, "entry": null }))
    }

    pub(crate) fn head(&self) -> u64 {
        self.api.head(PAGE)
    }

    /// The tag of the newest version.
    pub(crate) fn tag(&self) -> String {
        let newest = self.api.read("/v1/pages/p/events?order=desc&limit=1");
        let newest = &newest["events"][0];
        format!("\"{}.{}\"", newest["version"], newest["epoch"])
    }

    /// Sends a write made from the head.
    #[track_caller]
    pub(crate) fn send(&self, actor: &str, write: Write) -> Answer {
        self.api.send(&write.on_tag(&self.tag()).by(actor))
    }

    /// A delta made from the head; it makes one event.
    #[track_caller]
    pub(crate) fn edit(&self, actor: &str, delta: Json) -> u64 {
        let base = self.head();
        self.edit_from(base, actor, delta)
    }

    /// A delta made from a version; it makes one event.
    #[track_caller]
    pub(crate) fn edit_from(&self, base: u64, actor: &str, delta: Json) -> u64 {
        let answer = self.api.send(&api::deltas(PAGE, base, &json!([delta])).by(actor));
        let json = answer.clone().expect(200).json();
        assert_eq!(json["events"].as_array().map(Vec::len), Some(1), "{answer}");
        number(&json["version"])
    }

    /// An undo made from the head.
    #[track_caller]
    pub(crate) fn undo(&self, actor: &str, what: Json) -> Json {
        self.send(actor, api::undo(PAGE, 1, &what)).expect(200).json()
    }

    /// A redo made from the head.
    #[track_caller]
    pub(crate) fn redo(&self, actor: &str, what: Json) -> Json {
        self.send(actor, api::redo(PAGE, 1, &what)).expect(200).json()
    }

    pub(crate) fn value(&self) -> Json {
        self.api.page(PAGE)["value"].clone()
    }

    /// The props of a node; null where it is not there.
    pub(crate) fn props(&self, id: &str) -> Json {
        self.value()["nodes"][id]["props"].clone()
    }

    /// The text of the file `f`, or of the document.
    pub(crate) fn text(&self) -> String {
        text_of(&self.value())
    }

    /// The stacks of an actor: the edits of each entry, the newest entry first.
    pub(crate) fn stacks(&self, actor: &str) -> (Json, Json) {
        let stacks = self.api.read(&format!("/v1/pages/p/undo-stack?actor={actor}"));
        let edits = |stack: &Json| -> Json {
            let entries = stack.as_array().expect("entries").iter();
            entries.map(|entry| entry["edits"].clone()).collect()
        };
        (edits(&stacks["undo"]), edits(&stacks["redo"]))
    }

    /// Looks at the whole stream: what each event is and answers to, that no version is missing, that the hashes make
    /// a chain, and that each delta and each inverse lead from state to state.
    #[track_caller]
    pub(crate) fn expect_stream(&self, expected: &[&str]) {
        let events = self.api.events(PAGE);
        let told: Vec<String> = events.iter().map(tell).collect();
        assert_eq!(told, expected);
        let mut hash = "0".repeat(64);
        for (event, version) in events.iter().zip(1..) {
            assert_eq!(number(&event["version"]), version);
            assert_eq!(text(&event["prevHash"]), hash, "{event}");
            hash = text(&event["hash"]).to_owned();
            let then = self.api.read(&format!("{}?at={version}", page_path(PAGE)));
            assert_eq!(event["digest"], then["digest"], "{event}");
            assert_eq!(event["delta"].is_null(), event["inverse"].is_null(), "{event}");
        }
    }

    /// Each event's inverse, sent as a delta to the page, leads back to the first state.
    #[track_caller]
    pub(crate) fn expect_way_back(&self) {
        for event in self.api.events(PAGE).iter().skip(1).rev() {
            let inverse = &event["inverse"];
            if inverse.as_array().is_some_and(|ops| !ops.is_empty()) {
                let write = api::deltas(PAGE, 1, &json!([inverse]));
                self.send("user:back", write).expect(200);
            }
        }
        let first = self.api.page_at(PAGE, 1);
        assert_eq!(self.api.page(PAGE)["digest"], first["digest"]);
    }

    /// Runs something that must not change anything.
    #[track_caller]
    pub(crate) fn expect_nothing_changes<T>(&self, work: impl FnOnce() -> T) -> T {
        let look = || (self.api.events(PAGE), self.api.get("/v1/pages/p").body);
        let before = look();
        let done = work();
        assert_eq!(look(), before);
        done
    }
}

/// What an event is, and what it answers to: `edit`, `undo 3`.
fn tell(event: &Json) -> String {
    let kind = text(&event["kind"]);
    if event["cause"].is_null() {
        return kind.to_owned();
    }
    let version = number(&event["cause"]["version"]);
    assert_eq!(text(&event["cause"]["kind"]), kind, "{event}");
    assert_eq!(text(&event["cause"]["event"]), format!("{PAGE}@{version}"), "{event}");
    format!("{kind} {version}")
}

/// A node of the page itself, with an id and props.
pub(crate) fn with_props(id: &str, props: &Json) -> Json {
    json!({ "id": id, "type": "shape", "parentId": null, "props": props })
}

/// Makes a node.
pub(crate) fn add(id: &str, props: &Json) -> Json {
    json!({ "op": "addNode", "node": with_props(id, props) })
}

/// Takes a node away.
pub(crate) fn remove(id: &str) -> Json {
    json!({ "op": "removeNode", "id": id })
}

/// Sets a prop of a node.
pub(crate) fn set(id: &str, prop: &str, value: impl Into<Json>) -> Json {
    json!({ "op": "setNode", "id": id, "set": { (format!("/props/{prop}")): value.into() } })
}

/// Moves a node on its x axis.
pub(crate) fn move_to(id: &str, x: u64) -> Json {
    json!({ "op": "moveNode", "id": id, "geometry": { "x": x } })
}

/// A text delta on the file `f`.
pub(crate) fn edit_file(delta: Json) -> Json {
    json!([{ "op": "editFile", "path": "f", "delta": delta }])
}

/// Inserts text into the file `f`.
pub(crate) fn insert(at: usize, text: &str) -> Json {
    edit_file(with_retain(at, json!({ "insert": text })))
}

/// Deletes text from the file `f`.
pub(crate) fn delete(at: usize, length: usize) -> Json {
    edit_file(with_retain(at, json!({ "delete": length })))
}

/// A text delta of one operation.
pub(crate) fn with_retain(at: usize, op: Json) -> Json {
    if at == 0 {
        json!([op])
    } else {
        json!([{ "retain": at }, op])
    }
}

/// The text of a CODE page's file `f`, or of a DOC page.
pub(crate) fn text_of(value: &Json) -> String {
    match value.as_array() {
        Some(ops) => ops.iter().map(|op| text(&op["insert"])).collect(),
        None => text(&value["files"]["f"]).to_owned(),
    }
}

/// The codes of a list of conflicts or of what else is told.
pub(crate) fn codes(list: &Json) -> Vec<&str> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(|entry| text(&entry["code"]))
        .collect()
}
