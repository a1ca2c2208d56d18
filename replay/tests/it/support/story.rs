//! The story: fixed ids and times, so that every answer about it is known.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use recto_pages::{
    Base, Caller, Clock, CreatePage, Id, Pages, RestorePage, Settings, SubmitDeltas, SubmitOptions, UndoPage,
    UndoTarget, Written,
};
use recto_projections::{Delta, Kind, Value};
use recto_store::{Engine, RocksEngine, RocksOptions, Store};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The time of the first event, and what lies between two.
const BEGIN_MS: i64 = 1_780_000_000_000;
const STEP_MS: i64 = 60_000;

/// A data folder.
pub(crate) struct Folder {
    dir: TempDir,
}

/// A service that writes into a folder, as the server does.
pub(crate) struct Writer {
    pub(crate) pages: Pages,
    engine: Arc<dyn Engine>,
    commands: AtomicI64,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self {
            dir: TempDir::new().unwrap(),
        }
    }

    /// A folder with the story, written and closed.
    pub(crate) async fn with_story() -> Self {
        let folder = Self::new();
        let writer = folder.writer().await;
        writer.tell_story().await;
        writer.close().await;
        folder
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The folder that it is in.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Opens the folder for writing.
    pub(crate) async fn writer(&self) -> Writer {
        let engine: Arc<dyn Engine> = Arc::new(RocksEngine::open(&self.data(), &RocksOptions::synced()).unwrap());
        let store = Store::open(Arc::clone(&engine)).await.unwrap();
        // Ids and times go on where the folder's earlier writer ended.
        let written = i64::try_from(store.tip().await.unwrap()).unwrap();
        let now = AtomicI64::new(BEGIN_MS + written * STEP_MS);
        let clock = Clock::from_fn(move || now.fetch_add(STEP_MS, Ordering::Relaxed));
        Writer {
            pages: Pages::new(store, Settings::default(), clock),
            engine,
            commands: AtomicI64::new(written + 1),
        }
    }
}

impl Writer {
    /// The engine below, for damage.
    pub(crate) fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    pub(crate) async fn close(self) {
        self.pages.close().await.unwrap();
    }

    /// Four pages of one file:
    ///
    /// - `poster`, DESIGN: 1 made by anna; 2 and 3 agent:layout adds a title and a group with a star, in turn `t1`; 4 ben
    ///   retypes the title; 5 anna takes turn `t1` back as far as ben has not edited (event 3), and 6 redoes it; 7 she
    ///   moves the background; 8 she restores version 4.
    /// - `notes`, DOC: 1 made; 2 ben types; 3 anna makes it bold; 4 ben undoes.
    /// - `app`, CODE: 1 made with two files; 2 agent:coder edits; 3 renames.
    /// - `table`, SHEET: 1 made; 2 replaced.
    pub(crate) async fn tell_story(&self) {
        self.poster().await;
        self.notes().await;
        self.app().await;
        self.create("user:anna", "table", Kind::Sheet, &json!({ "rows": [[1, 2]] }))
            .await;
        let sheet = json!([{ "op": "replaceSheet", "value": { "rows": [[1, 3]] } }]);
        self.edit("user:anna", None, "table", 1, &sheet).await;
    }

    async fn poster(&self) {
        let value = json!({ "attributes": { "presetId": "poster", "dimensions": { "width": 800, "height": 600 } },
            "nodes": { "back": { "type": "rect", "parentId": null,
                "geometry": { "x": 0, "y": 0, "width": 800, "height": 600 }, "props": { "fill": "#fafafa" } } } });
        self.create("user:anna", "poster", Kind::Design, &value).await;
        let title = json!([{ "op": "addNode", "node": { "id": "title", "type": "text", "parentId": null,
            "geometry": { "x": 40, "y": 40, "width": 300, "height": 60 }, "props": { "text": "Summer sale" } } }]);
        self.edit("agent:layout", Some("t1"), "poster", 1, &title).await;
        let group = json!([
            { "op": "addNode", "node": { "id": "group", "type": "group", "parentId": null,
                "geometry": { "x": 400, "y": 100, "width": 200, "height": 200 }, "props": { "name": "Badge" } } },
            { "op": "addNode", "node": { "id": "star", "type": "star", "parentId": "group",
                "geometry": { "x": 10, "y": 10, "width": 80, "height": 80 }, "props": { "fill": "#f5c518" } } },
        ]);
        self.edit("agent:layout", Some("t1"), "poster", 2, &group).await;
        let retyped = json!([{ "op": "editText", "id": "title", "pointer": "/props/text",
            "delta": [{ "retain": 7 }, { "insert": "super " }] }]);
        self.edit("user:ben", None, "poster", 3, &retyped).await;
        let turn = |redo| (redo, UndoTarget::Turn(id("t1")));
        self.undo("user:anna", "poster", 4, turn(false)).await;
        let head = self.head("poster").await;
        self.undo("user:anna", "poster", head, turn(true)).await;
        let head = self.head("poster").await;
        let moved = json!([{ "op": "moveNode", "id": "back", "geometry": { "x": 5, "y": 5 } }]);
        self.edit("user:anna", None, "poster", head, &moved).await;
        let restore = RestorePage {
            caller: caller("user:anna", None),
            page: id("poster"),
            base: base(head + 1, 0),
            version: 4,
            command: self.command(),
        };
        self.pages.restore(restore).await.unwrap();
    }

    async fn notes(&self) {
        let value = json!({ "ops": [{ "insert": "Agenda\n" }] });
        self.create("user:ben", "notes", Kind::Doc, &value).await;
        let typed = json!([{ "retain": 6 }, { "insert": " for Monday" }]);
        self.edit("user:ben", None, "notes", 1, &typed).await;
        let bold = json!([{ "retain": 6, "attributes": { "bold": true } }]);
        self.edit("user:anna", None, "notes", 2, &bold).await;
        let newest = (false, UndoTarget::Newest { actor: None });
        self.undo("user:ben", "notes", 3, newest).await;
    }

    async fn app(&self) {
        let value =
            json!({ "files": { "main.rs": "fn main() {}\n", "lib.rs": "pub fn add() {}\n" }, "entry": "main.rs" });
        self.create("user:anna", "app", Kind::Code, &value).await;
        let edit = json!([{ "op": "editFile", "path": "main.rs",
            "delta": [{ "retain": 11 }, { "insert": " add(); " }] }]);
        self.edit("agent:coder", Some("t2"), "app", 1, &edit).await;
        let rename = json!([{ "op": "renameFile", "path": "lib.rs", "to": "math.rs" }]);
        self.edit("agent:coder", Some("t2"), "app", 2, &rename).await;
    }

    pub(crate) async fn head(&self, page: &str) -> u64 {
        self.pages
            .read(&id("default"), &id(page), recto_pages::At::Head)
            .await
            .unwrap()
            .at
            .version
    }

    pub(crate) async fn create(&self, actor: &str, page: &str, kind: Kind, value: &Json) -> Written {
        let create = CreatePage {
            caller: caller(actor, None),
            page: id(page),
            kind,
            file: Some(id("summer")),
            value: Value::from_json(kind, value).unwrap(),
            command: self.command(),
        };
        self.pages.create(create).await.unwrap()
    }

    /// Makes an empty DOC page in another workspace.
    pub(crate) async fn create_in(&self, workspace: &str, page: &str) -> Written {
        let create = CreatePage {
            caller: Caller {
                scope: id(workspace),
                ..caller("user:anna", None)
            },
            page: id(page),
            kind: Kind::Doc,
            file: None,
            value: Value::empty(Kind::Doc),
            command: id("c-other"),
        };
        self.pages.create(create).await.unwrap()
    }

    pub(crate) async fn edit(
        &self,
        actor: &str,
        turn: Option<&str>,
        page: &str,
        base_version: u64,
        delta: &Json,
    ) -> Written {
        let kind = self.pages.kind_of(&id("default"), &id(page)).await.unwrap();
        let submit = SubmitDeltas {
            caller: caller(actor, turn),
            page: id(page),
            base: base(base_version, 0),
            deltas: vec![Delta::from_json(kind, delta).unwrap()],
            options: SubmitOptions::default(),
            command: self.command(),
        };
        self.pages.submit(submit).await.unwrap()
    }

    pub(crate) async fn undo(&self, actor: &str, page: &str, version: u64, what: (bool, UndoTarget)) -> Written {
        self.undo_at(actor, page, (version, 0), what).await
    }

    pub(crate) async fn undo_at(
        &self,
        actor: &str,
        page: &str,
        (version, epoch): (u64, u64),
        (redo, target): (bool, UndoTarget),
    ) -> Written {
        let undo = UndoPage {
            caller: caller(actor, None),
            page: id(page),
            base: base(version, epoch),
            redo,
            target,
            policy: None,
            force: false,
            command: self.command(),
        };
        self.pages.undo(undo).await.unwrap()
    }

    fn command(&self) -> Id {
        id(&format!("c-{}", self.commands.fetch_add(1, Ordering::Relaxed)))
    }
}

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn base(version: u64, epoch: u64) -> Base {
    Base { version, epoch }
}

fn caller(actor: &str, turn: Option<&str>) -> Caller {
    Caller {
        scope: id("default"),
        actor: actor.parse().unwrap(),
        turn: turn.map(id),
    }
}
