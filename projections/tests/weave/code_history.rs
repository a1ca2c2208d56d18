//! A CODE page and its weave, going through the same history and compared at every step.

use recto_projections::text::weave::{CodeConflict, CodeWeave, EditId, OnConflict};
use recto_projections::{CodeOp, CodeValue, Delta, Kind, Value};
use serde_json::{Value as Json, json};

pub(crate) struct CodeHistory {
    pub(crate) value: Value,
    pub(crate) weave: CodeWeave,
    /// What the newest undo came upon.
    pub(crate) conflicts: Vec<CodeConflict>,
    next: u64,
}

impl CodeHistory {
    pub(crate) fn new(start: &Json) -> Self {
        let value = Value::from_json(Kind::Code, start).unwrap();
        let weave = CodeWeave::new(code(&value));
        Self {
            value,
            weave,
            conflicts: Vec::new(),
            next: 1,
        }
    }

    /// Applies operations, if the page takes them; returns the event, if they change anything.
    pub(crate) fn try_edit(&mut self, ops: &Json) -> Option<EditId> {
        let delta = Delta::from_json(Kind::Code, ops).unwrap();
        let committed = self.value.apply(&delta).ok()?.delta;
        if committed.is_empty() {
            return None;
        }
        let event = self.event();
        self.weave.edit(event, ops_of(&committed)).unwrap();
        self.compare();
        Some(event)
    }

    pub(crate) fn edit(&mut self, ops: &Json) -> EditId {
        self.try_edit(ops).unwrap()
    }

    pub(crate) fn undo(&mut self, of: &[EditId]) -> EditId {
        self.undo_with(of, OnConflict::Keep)
    }

    pub(crate) fn undo_with(&mut self, of: &[EditId], on_conflict: OnConflict) -> EditId {
        let event = self.event();
        let preview = self.weave.preview(of, on_conflict).unwrap();
        self.compare();
        let undo = self.weave.undo(event, of, on_conflict).unwrap();
        assert_eq!(undo, preview);
        assert!(undo.switches || undo.ops.is_empty());
        self.follow(&undo.ops);
        self.conflicts = undo.conflicts;
        self.compare();
        event
    }

    pub(crate) fn json(&self) -> Json {
        self.value.to_json()
    }

    /// Returns the files by path.
    pub(crate) fn files(&self) -> Json {
        self.json()["files"].clone()
    }

    /// Returns the codes of what the newest undo came upon.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.conflicts.iter().map(CodeConflict::code).collect()
    }

    pub(crate) fn newest(&self) -> u64 {
        self.next - 1
    }

    /// Applies an undo's operations. They are what is committed, but for letters and files that equal ones take the place
    /// of.
    fn follow(&mut self, ops: &[CodeOp]) {
        let before = self.value.clone();
        let applied = self.value.apply(&Delta::Code(ops.to_vec()));
        let applied = applied.unwrap_or_else(|error| panic!("{error}: {ops:?}"));
        if self.value == before {
            return;
        }
        let changes = |op: &&CodeOp| match op {
            CodeOp::EditFile { path, .. } => code(&before).file(path) != code(&self.value).file(path),
            _ => true,
        };
        let wanted: Vec<&CodeOp> = ops.iter().filter(changes).collect();
        assert_eq!(ops_of(&applied.delta).iter().collect::<Vec<_>>(), wanted);
    }

    fn event(&mut self) -> EditId {
        self.next += 1;
        EditId(self.next - 1)
    }

    fn compare(&self) {
        let value = code(&self.value);
        let files: Vec<_> = value
            .files()
            .map(|(path, text)| (path.clone(), text.to_plain()))
            .collect();
        assert_eq!(self.weave.rendered(), files);
        for (path, text) in value.files() {
            let blamed = self.weave.blame(path).unwrap();
            assert_eq!(blamed.iter().map(|run| run.units).sum::<usize>(), text.len());
        }
        assert_eq!(self.weave.entry().as_ref(), value.entry());
        let attributes = serde_json::to_string(self.weave.attributes()).unwrap();
        assert_eq!(attributes, serde_json::to_string(value.attributes()).unwrap());
    }
}

/// Makes the edit of a file that puts text in.
pub(crate) fn typed(path: &str, at: usize, text: &str) -> Json {
    let mut delta = vec![json!({ "retain": at }), json!({ "insert": text })];
    if at == 0 {
        delta.remove(0);
    }
    json!({ "op": "editFile", "path": path, "delta": delta })
}

pub(crate) fn code(value: &Value) -> &CodeValue {
    match value {
        Value::Code(value) => value,
        _ => panic!("a page never changes its kind"),
    }
}

fn ops_of(delta: &Delta) -> &[CodeOp] {
    match delta {
        Delta::Code(ops) => ops,
        _ => panic!("a delta is of the page's kind"),
    }
}
