//! Recorded runs: events made by the page service, and the trajectory that an agent's harness would have written.

use recto_pages::projections::undo::Policy;
use recto_pages::{
    At, Base, Caller, Chats, CreatePage, ENTRIES_MAX, Id, Pages, SubmitDeltas, SubmitOptions, UndoPage, UndoTarget,
    Written,
};
use recto_projections::chat::ModeKind;
use recto_projections::{Delta, Kind, Value};
use serde_json::{Value as Json, json};

use crate::support::{Folder, Ran, recto};

/// The agent, and its turn.
pub(crate) const AGENT: &str = "agent:layout";
pub(crate) const TURN: &str = "t1";
const PAGE: &str = "poster";

/// A run that is being recorded: a DESIGN page with a node `back`, and a group `group` with `star` in it.
pub(crate) struct Recorded {
    folder: Folder,
    pages: Pages,
    lines: Vec<Json>,
}

/// How an undo is asked for.
#[derive(Default)]
pub(crate) struct Undo {
    pub(crate) redo: bool,
    pub(crate) policy: Option<Policy>,
    pub(crate) force: bool,
}

impl Recorded {
    pub(crate) async fn new() -> Self {
        let folder = Folder::new();
        let pages = folder.writer().await.pages;
        let node = |parent: Option<&str>| {
            json!({ "type": "rect", "parentId": parent, "geometry": { "x": 0, "y": 0, "width": 9, "height": 9 },
                "props": { "fill": "blue", "text": "Sale" } })
        };
        let nodes = json!({ "back": node(None), "group": node(None), "star": node(Some("group")) });
        let create = CreatePage {
            caller: caller("user:anna"),
            page: id(PAGE),
            kind: Kind::Design,
            file: None,
            value: Value::from_json(Kind::Design, &json!({ "attributes": {}, "nodes": nodes })).unwrap(),
            command: id("make"),
        };
        pages.create(create).await.unwrap();
        let header = json!({ "type": "trajectory", "schema": 1, "chat": "chat-7", "actor": AGENT });
        let lines = vec![header];
        Self { folder, pages, lines }
    }

    /// Applies a delta to the newest version.
    pub(crate) async fn edit(&self, actor: &str, command: &str, delta: Json) -> Written {
        submit(&self.pages, actor, PAGE, command, &delta).await
    }

    /// Takes back, or brings again, the event that stands for a version.
    pub(crate) async fn undo(&self, actor: &str, command: &str, version: u64, how: Undo) -> Written {
        let undo = UndoPage {
            caller: caller(actor),
            page: id(PAGE),
            base: base(&self.pages, PAGE).await,
            redo: how.redo,
            target: UndoTarget::Event(version),
            policy: how.policy,
            force: how.force,
            command: id(command),
        };
        self.pages.undo(undo).await.unwrap()
    }

    /// Writes a line; gives its number.
    pub(crate) fn line(&mut self, line: Json) -> u64 {
        self.lines.push(line);
        self.lines.len() as u64
    }

    /// A call that sends a command of the same id.
    pub(crate) fn call(&mut self, id: &str, tool: &str, arguments: Json) -> u64 {
        self.line(
            json!({ "type": "call", "id": id, "tool": tool, "turn": TURN, "page": PAGE, "command": id,
            "arguments": arguments }),
        )
    }

    /// A call without a command.
    pub(crate) fn ask(&mut self, id: &str, tool: &str, arguments: Json) -> u64 {
        self.line(json!({ "type": "call", "id": id, "tool": tool, "turn": TURN, "page": PAGE, "arguments": arguments }))
    }

    /// The result of a call, with more fields.
    pub(crate) fn result(&mut self, call: &str, ok: bool, mut fields: Json) -> u64 {
        let all = fields.as_object_mut().unwrap();
        all.insert("type".into(), "result".into());
        all.insert("call".into(), call.into());
        all.insert("ok".into(), ok.into());
        self.line(fields)
    }

    /// Reads the page: a call and its result.
    pub(crate) fn read(&mut self, id: &str, version: u64) -> u64 {
        self.ask(id, "read_page", json!({ "pageId": PAGE, "for": id }));
        let token = format!("token-{version}");
        self.result(id, true, json!({ "version": version, "epoch": 0, "readToken": token }))
    }

    /// Checks the run.
    pub(crate) async fn check(&self, arguments: &[&str]) -> Ran {
        self.pages.close().await.unwrap();
        let file = self.folder.dir().join("chat.jsonl");
        let lines: Vec<String> = self.lines.iter().map(Json::to_string).collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        let trajectory = ["check", PAGE, "--trajectory", file.to_str().unwrap()];
        recto(&self.folder.data(), &[&trajectory, arguments].concat())
    }

    /// Checks the run with its lines noted in a chat, between them a mode that was switched. Its pages are closed.
    pub(crate) async fn check_chat(&self, chat: &str) -> Ran {
        let writer = self.folder.writer().await;
        let chats = Chats::new(writer.pages.clone());
        let (agent, chat) = (caller(AGENT), id(chat));
        chats
            .note(&agent, &chat, &self.lines[..1], &id("note-1"))
            .await
            .unwrap();
        chats
            .switch(&agent, &chat, ModeKind::Image, true, &id("switch"))
            .await
            .unwrap();
        for (number, lines) in (2..).zip(self.lines[1..].chunks(ENTRIES_MAX)) {
            let command = id(&format!("note-{number}"));
            chats.note(&agent, &chat, lines, &command).await.unwrap();
        }
        writer.close().await;
        recto(&self.folder.data(), &["check", PAGE, "--chat", chat.as_str(), "--json"])
    }

    /// Checks with a chat that is not there.
    pub(crate) async fn check_nobody(&self) -> Ran {
        recto(&self.folder.data(), &["check", PAGE, "--chat", "nobody"])
    }

    /// Checks one rule without a trajectory.
    pub(crate) async fn check_stream(&self, rule: &str) -> Vec<String> {
        self.pages.close().await.unwrap();
        breaches(&recto(&self.folder.data(), &["check", PAGE, "--rule", rule, "--json"]))
    }

    /// Checks one rule: what breaks it, each as `version V, line L: what`.
    pub(crate) async fn breaches(&self, rule: &str) -> Vec<String> {
        breaches(&self.check(&["--rule", rule, "--json"]).await)
    }
}

fn breaches(ran: &Ran) -> Vec<String> {
    let told = ran.json();
    let rule = &told["rules"][0];
    let breaches: Vec<String> = rule["breaches"].as_array().unwrap().iter().map(told_as).collect();
    assert_eq!(ran.code, i32::from(!breaches.is_empty()), "{}{}", ran.out, ran.err);
    assert_ne!(rule["lookedAt"], 0, "it looked at nothing: {}", ran.out);
    breaches
}

fn told_as(breach: &Json) -> String {
    let place = |field: &str| breach[field].as_u64().map(|number| format!("{field} {number}"));
    let places: Vec<_> = ["version", "line"].into_iter().filter_map(place).collect();
    format!("{}: {}", places.join(", "), breach["what"].as_str().unwrap())
}

/// Applies a delta to the newest version of a page.
pub(crate) async fn submit(pages: &Pages, actor: &str, page: &str, command: &str, delta: &Json) -> Written {
    let kind = pages.kind_of(&id("default"), &id(page)).await.unwrap();
    let submit = SubmitDeltas {
        caller: caller(actor),
        page: id(page),
        base: base(pages, page).await,
        deltas: vec![Delta::from_json(kind, delta).unwrap()],
        command: id(command),
        options: SubmitOptions::default(),
    };
    pages.submit(submit).await.unwrap()
}

async fn base(pages: &Pages, page: &str) -> Base {
    let at = pages.read(&id("default"), &id(page), At::Head).await.unwrap().at;
    Base {
        version: at.version,
        epoch: at.epoch,
    }
}

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn caller(actor: &str) -> Caller {
    Caller {
        scope: id("default"),
        actor: actor.parse().unwrap(),
        turn: actor.starts_with("agent:").then(|| id(TURN)),
    }
}

/// JSON to be read by a person.
pub(crate) fn pretty(json: &Json) -> String {
    serde_json::to_string_pretty(json).unwrap()
}

/// Adds a node.
pub(crate) fn add(node: &str, parent: Option<&str>, props: Json) -> Json {
    json!({ "op": "addNode", "node": { "id": node, "type": "image", "parentId": parent,
        "geometry": { "x": 1, "y": 1, "width": 2, "height": 2 }, "props": props } })
}

/// Sets a property of a node.
pub(crate) fn set(node: &str, pointer: &str, value: &str) -> Json {
    json!({ "op": "setNode", "id": node, "set": { pointer: value } })
}

/// Removes a node.
pub(crate) fn remove(node: &str) -> Json {
    json!({ "op": "removeNode", "id": node })
}
