//! What is told beside the events of a write: what was undone and what was not, what a stale write was rebased over.

use recto_pages::{Entries, RebaseReport, UndoReport};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

/// What an undo or a redo did.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UndoReport)]
pub(crate) struct UndoBody {
    /// `applied`: all of it that was still there. `partial`: some of it. `noop`: nothing that shows.
    #[schema(value_type = OutcomeName)]
    outcome: &'static str,
    /// The versions of the events taken back, the newest first: edits, or the undos and redos that stand for them.
    of: Vec<u64>,
    /// What stays as it is although the events had changed it, and why.
    #[schema(value_type = Vec<RemarkBody>)]
    conflicts: Vec<Json>,
    /// How many more there are.
    conflicts_omitted: usize,
    /// What was passed over: what is gone or there again, and whole entries that would have changed nothing.
    #[schema(value_type = Vec<RemarkBody>)]
    skipped: Vec<Json>,
    /// How many more there are.
    skipped_omitted: usize,
    /// What was decided on the way.
    #[schema(value_type = Vec<RemarkBody>)]
    notes: Vec<Json>,
    /// How many more there are.
    notes_omitted: usize,
}

/// How much an undo took back.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a field of the API")]
enum OutcomeName {
    Applied,
    Partial,
    Noop,
}

/// What a stale write was rebased over.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RebaseReport)]
pub(crate) struct RebaseBody {
    /// The version that it was made from.
    #[schema(minimum = 1)]
    base: u64,
    /// The version that it was brought to.
    #[schema(minimum = 1)]
    over: u64,
    /// What was left out because it is so already.
    #[schema(value_type = Vec<RemarkBody>)]
    dropped: Vec<Json>,
    /// How many more there are.
    dropped_omitted: usize,
    /// What was decided on the way.
    #[schema(value_type = Vec<RemarkBody>)]
    notes: Vec<Json>,
    /// How many more there are.
    notes_omitted: usize,
}

/// Something about a part of a write or of an undo: what it is about, and what is the case. Large values are left out.
#[derive(ToSchema)]
#[schema(as = Remark, examples(
    json!({"delta": 0, "op": 2, "code": "overwritten", "detail": "it was set to another value since; read it again, or say whose value shall stand", "node": "title", "pointer": "/props/text", "before": "a", "mine": "b", "theirs": "c", "version": 7, "actor": "agent:layout"}),
    json!({"event": 4, "code": "edited_since", "detail": "it was edited since, or got children; read it again, or force its removal", "node": "title", "pointer": "", "version": 7, "actor": "user:ada"})
))]
#[expect(dead_code, reason = "it describes JSON that is made below this crate")]
pub(crate) struct RemarkBody {
    /// What is the case: a stable code.
    #[schema(required = false)]
    code: String,
    /// The same as a sentence.
    #[schema(required = false)]
    detail: String,
    /// Of a write: which delta of the request, from 0.
    #[schema(required = false)]
    delta: u64,
    /// Of a write: which operation of that delta, from 0.
    #[schema(required = false)]
    op: u64,
    /// Of an undo: the version of the event to take back.
    #[schema(required = false)]
    event: u64,
    /// Of an undo: the versions of the events of an entry that was stepped over.
    #[schema(required = false)]
    events: Vec<u64>,
    /// Of an undo of more than one commit holds: how many events are left for the next undo.
    #[schema(required = false, minimum = 1)]
    count: u64,
    /// It is about this node.
    #[schema(required = false)]
    node: String,
    /// It is about this background.
    #[schema(required = false)]
    background: String,
    /// It is about this file.
    #[schema(required = false)]
    file: String,
    /// It is about the attributes of the page.
    #[schema(required = false)]
    attributes: bool,
    /// It is about the entry of a CODE page.
    #[schema(required = false)]
    entry: bool,
    /// It is about the page as a whole.
    #[schema(required = false)]
    page: bool,
    /// The field in it, as a JSON pointer (RFC 6901); empty for the whole.
    #[schema(required = false)]
    pointer: String,
    /// The value at the base.
    #[schema(value_type = Value, required = false)]
    before: Json,
    /// The value that the write wants.
    #[schema(value_type = Value, required = false)]
    mine: Json,
    /// The value at the head.
    #[schema(value_type = Value, required = false)]
    theirs: Json,
    /// The value that the undo would have put back.
    #[schema(value_type = Value, required = false)]
    wanted: Json,
    /// The value that stands.
    #[schema(value_type = Value, required = false)]
    now: Json,
    /// The value that gave way.
    #[schema(value_type = Value, required = false)]
    lost: Json,
    /// The version of the event in the way.
    #[schema(required = false)]
    version: u64,
    /// Who made that event.
    #[schema(required = false)]
    actor: String,
}

impl From<&UndoReport> for UndoBody {
    fn from(report: &UndoReport) -> Self {
        let (conflicts, conflicts_omitted) = parts(&report.conflicts);
        let (skipped, skipped_omitted) = parts(&report.skipped);
        let (notes, notes_omitted) = parts(&report.notes);
        Self {
            outcome: report.outcome.as_str(),
            of: report.of.clone(),
            conflicts,
            conflicts_omitted,
            skipped,
            skipped_omitted,
            notes,
            notes_omitted,
        }
    }
}

impl From<&RebaseReport> for RebaseBody {
    fn from(report: &RebaseReport) -> Self {
        let (dropped, dropped_omitted) = parts(&report.dropped);
        let (notes, notes_omitted) = parts(&report.notes);
        Self {
            base: report.base,
            over: report.over,
            dropped,
            dropped_omitted,
            notes,
            notes_omitted,
        }
    }
}

fn parts(entries: &Entries) -> (Vec<Json>, usize) {
    (entries.listed.clone(), entries.omitted)
}
