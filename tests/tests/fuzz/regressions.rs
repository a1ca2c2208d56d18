//! What random runs found, each as the shortest history that shows it.

use recto_pages::projections::rebase::OnOverwrite;
use recto_pages::projections::undo::{Outcome, Policy};
use recto_pages::projections::{Delta, Json, Kind, Value};
use recto_pages::{
    At, Base, CreatePage, OnStale, Pages, Settings, SubmitDeltas, SubmitOptions, UndoPage, UndoTarget, WriteError,
    Written,
};
use recto_tests::service::{Ground, SCOPE, Service, caller_named, id, tight};
use serde_json::json;

use crate::world::PAGE;

const ADA: &str = "user:ada";
const BEN: &str = "user:ben";

/// A page on which each line of a history is one call.
struct Page {
    service: Service,
    kind: Kind,
    commands: std::cell::Cell<u32>,
}

impl Page {
    async fn new(kind: Kind, value: Json) -> Self {
        Self::with(tight(), kind, value).await
    }

    async fn with(settings: Settings, kind: Kind, value: Json) -> Self {
        let service = Ground::memory().open(settings).await;
        let page = Self {
            service,
            kind,
            commands: std::cell::Cell::new(0),
        };
        let create = CreatePage {
            caller: caller_named(ADA),
            page: id(PAGE),
            kind,
            file: None,
            value: Value::from_json(kind, &value).expect("a legal value"),
            command: page.command(),
        };
        page.pages().create(create).await.expect("the page is made");
        page
    }

    fn pages(&self) -> &Pages {
        &self.service.pages
    }

    fn command(&self) -> recto_pages::Id {
        self.commands.set(self.commands.get() + 1);
        id(&format!("command-{}", self.commands.get()))
    }

    async fn head(&self) -> u64 {
        self.pages()
            .read(&id(SCOPE), &id(PAGE), At::Head)
            .await
            .expect("the head")
            .at
            .version
    }

    async fn json(&self) -> Json {
        self.pages()
            .read(&id(SCOPE), &id(PAGE), At::Head)
            .await
            .expect("the head")
            .value
            .to_json()
    }

    /// One delta at the head.
    async fn edit(&self, actor: &str, delta: Json) -> u64 {
        self.edit_in(actor, None, delta).await
    }

    async fn edit_in(&self, actor: &str, turn: Option<&str>, delta: Json) -> u64 {
        let base = self.head().await;
        let written = self.submit(actor, turn, base, delta).await;
        written.expect("a legal delta").version
    }

    async fn submit(&self, actor: &str, turn: Option<&str>, base: u64, delta: Json) -> Result<Written, WriteError> {
        let mut caller = caller_named(actor);
        caller.turn = turn.map(id);
        let submit = SubmitDeltas {
            caller,
            page: id(PAGE),
            base: Base {
                version: base,
                epoch: 0,
            },
            deltas: vec![Delta::from_json(self.kind, &delta).expect("a delta")],
            command: self.command(),
            options: SubmitOptions {
                on_stale: OnStale::Rebase,
                on_overwrite: OnOverwrite::Refuse,
                force: false,
                undoable: true,
            },
        };
        self.pages().submit(submit).await
    }

    async fn back(&self, actor: &str, redo: bool, target: UndoTarget, policy: Policy) -> Result<Written, WriteError> {
        let undo = UndoPage {
            caller: caller_named(actor),
            page: id(PAGE),
            base: Base {
                version: self.head().await,
                epoch: 0,
            },
            redo,
            target,
            policy: Some(policy),
            force: false,
            command: self.command(),
        };
        self.pages().undo(undo).await
    }

    async fn undo(&self, actor: &str, target: UndoTarget, policy: Policy) -> Written {
        self.back(actor, false, target, policy).await.expect("an undo")
    }

    async fn redo(&self, actor: &str, target: UndoTarget, policy: Policy) -> Written {
        self.back(actor, true, target, policy).await.expect("a redo")
    }

    async fn stacks(&self, actor: &str) -> String {
        let actor = actor.parse().expect("an actor");
        let stacks = self
            .pages()
            .undo_stacks(&id(SCOPE), &id(PAGE), &actor, None, 1000)
            .await;
        format!("{:?}", stacks.expect("the stacks"))
    }
}

const NEWEST: UndoTarget = UndoTarget::Newest { actor: None };

fn set(node: &str, pointer: &str, value: Json) -> Json {
    json!({ "op": "setNode", "id": node, "set": { pointer: value } })
}

fn a_node(id: &str, props: Json) -> Json {
    json!({ "id": id, "type": "shape", "parentId": null, "props": props })
}

/// The woven text was begun 64 events early, and among those was the undo of an edit from before: taken as an edit, it
/// put its letters on the wrong side of some that did not show, and later undos put other letters in.
#[tokio::test]
async fn a_woven_text_begins_where_no_undo_reaches_further_back() {
    let page = Page::new(Kind::Doc, json!([{ "insert": "ab\n" }])).await;
    let a = page.edit(ADA, json!([{ "delete": 1 }])).await;
    let b = page.edit(BEN, json!([{ "delete": 1 }])).await;
    page.undo(ADA, UndoTarget::Event(a), Policy::Keep).await;
    page.undo(BEN, UndoTarget::Event(b), Policy::Keep).await;
    for _ in 0..61 {
        page.edit(BEN, json!([{ "retain": 2 }, { "insert": "x" }])).await;
    }
    let deletion = page.edit(BEN, json!([{ "delete": 1 }])).await;
    page.edit(ADA, json!([{ "retain": 20 }, { "insert": "y" }])).await;
    page.pages().forget_cached();
    page.undo(BEN, UndoTarget::Event(deletion), Policy::Keep).await;
    let text = page.json().await.to_string();
    assert!(text.contains("\"abxx"), "{text}");
}

/// A rename that stays because another came after it is a conflict, so not all was taken back.
#[tokio::test]
async fn a_rename_that_stays_makes_an_undo_partial() {
    let page = Page::new(Kind::Code, json!({ "files": { "a": "text" }, "entry": null })).await;
    let both = json!([
        { "op": "editFile", "path": "a", "delta": [{ "insert": "more " }] },
        { "op": "renameFile", "path": "a", "to": "b" },
    ]);
    let edit = page.edit(ADA, both).await;
    page.edit(BEN, json!([{ "op": "renameFile", "path": "b", "to": "c" }]))
        .await;
    let written = page.undo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    let report = written.report.undo.expect("a report");
    assert!(
        report.conflicts.listed.is_empty() || report.outcome == Outcome::Partial,
        "{report:?}"
    );
}

/// What was undone within the window but made before it was on a stack in memory, and not on one made anew.
#[tokio::test]
async fn stacks_at_the_edge_of_the_window_do_not_depend_on_the_cache() {
    let settings = Settings {
        undo_events_max: 8,
        ..tight()
    };
    let page = Page::with(settings, Kind::Doc, json!([{ "insert": "\n" }])).await;
    page.edit(ADA, json!([{ "insert": "a" }])).await;
    page.stacks(ADA).await;
    page.undo(ADA, NEWEST, Policy::Keep).await;
    page.redo(ADA, NEWEST, Policy::Keep).await;
    for _ in 0..7 {
        page.edit(BEN, json!([{ "insert": "b" }])).await;
        let kept = page.stacks(ADA).await;
        page.pages().forget_cached();
        assert_eq!(kept, page.stacks(ADA).await, "at {}", page.head().await);
    }
}

/// An edit that set and unset a field had operations to take back, but nothing to change: it stood in the way for good.
#[tokio::test]
async fn an_entry_that_changes_nothing_is_stepped_over() {
    let page = Page::new(Kind::Design, json!({ "nodes": [a_node("n", json!({ "a": 1 }))] })).await;
    page.edit(ADA, json!([set("n", "/props/z", json!(1))])).await;
    let twice = json!([
        set("n", "/props/c", json!(2)),
        { "op": "setNode", "id": "n", "unset": ["/props/c"] },
        set("n", "/props/a", json!(5)),
    ]);
    page.edit(ADA, twice).await;
    page.edit(BEN, json!([set("n", "/props/a", json!(2))])).await;
    let written = page.undo(ADA, NEWEST, Policy::Keep).await;
    assert_eq!(written.events.len(), 1, "{:?}", written.report);
    assert_eq!(page.json().await["nodes"]["n"]["props"].to_string(), r#"{"a":2}"#);
}

/// A redo took an undo back that had changed nothing, and so set a value that was not there before.
#[tokio::test]
async fn a_redo_of_what_changed_nothing_changes_nothing() {
    let page = Page::new(Kind::Sheet, json!(0)).await;
    let sheet = |value: Json| json!([{ "op": "replaceSheet", "value": value }]);
    page.edit_in(BEN, Some("first turn"), sheet(json!("ben 0"))).await;
    page.edit_in(BEN, Some("turn"), sheet(json!("ben 1"))).await;
    page.edit("user:cy", sheet(json!("cy 0"))).await;
    page.edit("user:cy", sheet(json!("cy 1"))).await;
    let second = page.edit("user:cy", sheet(json!("cy 2"))).await;
    page.edit_in(BEN, Some("turn"), sheet(json!("ben 2"))).await;
    page.edit(ADA, sheet(json!("ada"))).await;
    page.undo("user:cy", UndoTarget::Event(second), Policy::Restore).await;
    let before = page.json().await;
    page.undo(BEN, NEWEST, Policy::Restore).await;
    page.undo(BEN, NEWEST, Policy::Restore).await;
    page.redo(BEN, NEWEST, Policy::Restore).await;
    page.redo(BEN, NEWEST, Policy::Restore).await;
    assert_eq!(page.json().await, before);
}

/// A file was edited and removed in one event, and the undo of that brings it back as it was before both: an edit from
/// before the event goes where it was made.
#[tokio::test]
async fn an_edit_is_rebased_over_a_removal_with_an_edit_and_its_undo() {
    let page = Page::new(Kind::Code, json!({ "files": { "a": "0123456789" }, "entry": null })).await;
    let both = json!([
        { "op": "editFile", "path": "a", "delta": [{ "retain": 1 }, { "insert": "xxxx" }] },
        { "op": "removeFile", "path": "a" },
    ]);
    page.edit(ADA, both).await;
    page.edit(ADA, json!([{ "op": "setAttributes", "set": { "/n": 1 } }]))
        .await;
    page.undo(ADA, UndoTarget::Event(2), Policy::Restore).await;
    let edit = json!([
        { "op": "editFile", "path": "a", "delta": [{ "retain": 5 }, { "insert": "!" }] },
        { "op": "editFile", "path": "a", "delta": [{ "retain": 8 }, { "insert": "?" }] },
    ]);
    page.submit(BEN, None, 1, edit).await.expect("a rebased edit");
    assert_eq!(page.json().await["files"]["a"], "01234!56?789");
}

/// What a redo of a redo's undo left to the one who had overwritten it comes back when that one is undone.
#[tokio::test]
async fn a_field_goes_back_to_the_newest_edit_that_stands() {
    let page = Page::new(Kind::Design, json!({ "nodes": [a_node("n", json!({ "a": 0 }))] })).await;
    let first = page
        .edit(
            ADA,
            json!([set("n", "/props/b", json!(2)), set("n", "/props/a", json!(1))]),
        )
        .await;
    let second = page
        .edit(BEN, json!([{ "op": "setNode", "id": "n", "unset": ["/props/b"] }]))
        .await;
    page.undo(ADA, UndoTarget::Event(first), Policy::Keep).await;
    page.redo(ADA, UndoTarget::Event(first), Policy::Keep).await;
    page.undo(BEN, UndoTarget::Event(second), Policy::Keep).await;
    assert_eq!(page.json().await["nodes"]["n"]["props"]["b"], 2);
}

/// The same where both go back and forth once more.
#[tokio::test]
async fn a_field_goes_back_to_the_newest_edit_that_stands_after_rounds() {
    let page = Page::new(Kind::Design, json!({ "nodes": [a_node("n", json!({ "a": 0 }))] })).await;
    let first = page
        .edit(
            ADA,
            json!([set("n", "/props/b", json!(2)), set("n", "/props/a", json!(1))]),
        )
        .await;
    let unset = json!([{ "op": "setNode", "id": "n", "unset": ["/props/b"] }, set("n", "/props/c", json!(1))]);
    let second = page.edit(BEN, unset).await;
    page.undo(ADA, UndoTarget::Event(first), Policy::Keep).await;
    page.redo(BEN, UndoTarget::Event(first), Policy::Keep).await;
    page.undo(BEN, UndoTarget::Event(first), Policy::Keep).await;
    page.undo(BEN, UndoTarget::Event(second), Policy::Keep).await;
    page.redo(BEN, UndoTarget::Event(second), Policy::Keep).await;
    page.redo(BEN, UndoTarget::Event(first), Policy::Keep).await;
    page.undo(BEN, UndoTarget::Event(second), Policy::Keep).await;
    assert_eq!(page.json().await["nodes"]["n"]["props"]["b"], 2);
}

/// A text that was set and edited in one event, set back over what another wrote, came back twice.
#[tokio::test]
async fn a_redo_brings_a_text_back_once() {
    let page = Page::new(
        Kind::Design,
        json!({ "nodes": [a_node("n", json!({ "text": "first" }))] }),
    )
    .await;
    let both = json!([
        set("n", "/props/text", json!("ada")),
        { "op": "editText", "id": "n", "pointer": "/props/text", "delta": [{ "insert": "by " }] },
    ]);
    let edit = page.edit(ADA, both).await;
    page.edit(BEN, json!([set("n", "/props/text", json!("ben"))])).await;
    let before = page.json().await;
    page.undo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    page.edit(BEN, json!([{ "op": "setAttributes", "set": { "/since": 1 } }]))
        .await;
    page.redo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    assert_eq!(page.json().await["nodes"]["n"]["props"], before["nodes"]["n"]["props"]);
}

/// The same where the node was removed and made again in between, with another text.
#[tokio::test]
async fn a_redo_brings_the_text_of_a_node_made_again_back_once() {
    let page = Page::new(Kind::Design, json!({ "nodes": [a_node("m", json!({}))] })).await;
    let first = a_node("n", json!({ "text": "0123456789" }));
    page.edit(BEN, json!([{ "op": "addNode", "node": first, "placement": "last" }]))
        .await;
    let delta = json!([{ "retain": 5 }, { "insert": "ada" }]);
    let insert = json!({ "op": "editText", "id": "n", "pointer": "/props/text", "delta": delta });
    let edit = page.edit(ADA, json!([insert, set("m", "/props/a", json!(1))])).await;
    page.edit(BEN, json!([{ "op": "removeNode", "id": "n" }])).await;
    let again = a_node("n", json!({ "text": "ben" }));
    page.edit(BEN, json!([{ "op": "addNode", "node": again, "placement": "last" }]))
        .await;
    let before = page.json().await;
    page.undo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    page.edit(BEN, json!([{ "op": "setAttributes", "set": { "/since": 1 } }]))
        .await;
    page.redo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    assert_eq!(page.json().await["nodes"]["n"]["props"], before["nodes"]["n"]["props"]);
}

/// The same where the text was only edited, and another wrote the whole of it in between.
#[tokio::test]
async fn a_redo_of_a_text_edit_brings_the_overwriting_text_back_once() {
    let page = Page::new(Kind::Design, json!({ "nodes": [a_node("n", json!({ "text": "" }))] })).await;
    let insert = json!([{ "op": "editText", "id": "n", "pointer": "/props/text", "delta": [{ "insert": "ada" }] }]);
    let edit = page.edit(ADA, insert).await;
    page.edit(BEN, json!([set("n", "/props/text", json!("ben"))])).await;
    let before = page.json().await;
    page.undo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    page.edit(BEN, json!([{ "op": "setAttributes", "set": { "/since": 1 } }]))
        .await;
    page.redo(ADA, UndoTarget::Event(edit), Policy::Restore).await;
    assert_eq!(page.json().await["nodes"]["n"]["props"], before["nodes"]["n"]["props"]);
}

/// A node that a turn made and went on to edit goes with the turn, whose own edits are in nobody's way.
#[tokio::test]
async fn a_turn_that_made_a_node_and_edited_its_text_takes_it_away() {
    let page = Page::new(Kind::Design, json!({ "nodes": [a_node("m", json!({}))] })).await;
    let edit = |ops: Json| json!({ "op": "editText", "id": "n", "pointer": "/props/text", "delta": ops });
    let made = json!([
        { "op": "addNode", "node": a_node("n", json!({ "text": "abcdef" })), "placement": "last" },
        edit(json!([{ "retain": 5 }, { "insert": "12345678" }])),
    ]);
    page.edit_in(ADA, Some("turn"), made).await;
    let more = edit(json!([{ "retain": 7 }, { "delete": 2 }, { "retain": 4 }, { "insert": "more" }]));
    page.edit_in(ADA, Some("turn"), json!([more])).await;
    page.edit(BEN, json!([set("m", "/props/a", json!(1))])).await;
    let written = page.undo(ADA, UndoTarget::Turn(id("turn")), Policy::Keep).await;
    assert!(page.json().await["nodes"].get("n").is_none(), "{:?}", written.report);
}
