//! The goals, beside the groups of figures that they are for.

/// The goal of a group of figures.
#[must_use]
pub fn of(group: &str) -> Option<&'static str> {
    GOALS.iter().find(|(name, _)| *name == group).map(|(_, goal)| *goal)
}

/// Names of groups are written once, here.
pub mod group {
    /// One client, one event at a time, bytes.
    pub const APPEND_ONE: &str = "store: durable append, one client";
    /// One client, one keystroke at a time, through the page service.
    pub const SUBMIT_ONE: &str = "pages: durable keystroke, one client";
    /// Many clients, each one event at a time.
    pub const APPEND_CLIENTS: &str = "store: durable appends of n clients, each";
    /// Batches of 100 events.
    pub const APPEND_BATCHES: &str = "store: an event in batches of 100, n clients";
    /// An edit of a DESIGN page, durable.
    pub const DESIGN_DURABLE: &str = "pages: durable edit, DESIGN of n nodes";
    /// The same without the disk.
    pub const DESIGN_MEMORY: &str = "pages: edit in memory, DESIGN of n nodes";
    /// A keystroke in a CODE page, durable.
    pub const CODE_DURABLE: &str = "pages: durable keystroke, CODE of n bytes";
    /// The same without the disk.
    pub const CODE_MEMORY: &str = "pages: keystroke in memory, CODE of n bytes";
    /// A trace applied in memory, with inverses and digests.
    pub const REPLAY: &str = "values: an edit of a trace, with inverse and digest";
    /// A trace decoded from its stored bytes and replayed.
    pub const REBUILD: &str = "values: an event of a trace rebuilt from bytes";
    /// The head of a cached page as JSON.
    pub const READ_WARM: &str = "read: warm head as JSON, DESIGN of n nodes";
    /// The head of a page that is not cached.
    pub const READ_COLD: &str = "read: cold head, DESIGN of n nodes";
    /// Any version of a long page.
    pub const READ_ANY: &str = "read: any version, DESIGN of 1,000 nodes and n events";
    /// Two DESIGN values that share structure.
    pub const DIFF_DESIGN: &str = "diff: DESIGN of n nodes, one changed";
    /// Two DESIGN values read apart.
    pub const DIFF_DESIGN_APART: &str = "diff: DESIGN of n nodes read apart, one changed";
    /// Two texts.
    pub const DIFF_CODE: &str = "diff: CODE of n bytes, every 100th line changed";
    /// Two rich texts.
    pub const DIFF_DOC: &str = "diff: DOC of n bytes, every 100th line changed";
    /// A DESIGN page written as HTML.
    pub const HTML_DESIGN_WRITE: &str = "html: a DESIGN page written, n bytes";
    /// The same HTML read over the page that it came of.
    pub const HTML_DESIGN_READ: &str = "html: a DESIGN page read, n bytes";
    /// A page against what was read of its HTML, with one node moved.
    pub const HTML_DESIGN_DIFF: &str = "html: diff of a DESIGN page read, n bytes, one changed";
    /// A DOC page written as HTML.
    pub const HTML_DOC_WRITE: &str = "html: a DOC page written, n bytes";
    /// The same HTML read.
    pub const HTML_DOC_READ: &str = "html: a DOC page read, n bytes";
    /// A document against what was read of its HTML, with one word changed.
    pub const HTML_DOC_DIFF: &str = "html: diff of a DOC page read, n bytes, one changed";
    /// One's own newest edit, undone, against an edit.
    pub const UNDO_OWN: &str = "undo: own newest edit in memory, DESIGN of n nodes";
    /// An old edit of a text, undone over the edits since, woven anew.
    pub const UNDO_TEXT: &str = "undo: one event over n later ones, CODE, nothing cached";
    /// The same with the weave at hand.
    pub const UNDO_TEXT_WARM: &str = "undo: one event over n later ones, CODE, woven before";
    /// An old edit of a canvas, undone over the edits since.
    pub const UNDO_FIELDS: &str = "undo: one event over n later ones, DESIGN of 1,000 nodes";
    /// A stale write brought to the head.
    pub const REBASE: &str = "rebase: a write that is n events old, DESIGN of 1,000 nodes";
    /// One client over HTTP.
    pub const HTTP_ONE: &str = "http: durable keystroke, one client";
    /// What HTTP adds.
    pub const HTTP_CLIENTS: &str = "http: durable keystrokes of n clients, each";
    /// Live subscribers.
    pub const FEED: &str = "feed: append to receive, n subscribers";
    /// Bytes on the disk.
    pub const DISK: &str = "disk: a keystroke event of automerge-paper, compacted";
}

const GOALS: [(&str, &str); 24] = [
    (group::APPEND_ONE, "≤ 1.15 × the raw synced batch"),
    (group::SUBMIT_ONE, "≤ 1.15 × the raw synced batch"),
    (group::APPEND_CLIENTS, "≤ 1.25 × the bare writer (its throughput × 0.8)"),
    (group::APPEND_BATCHES, "≤ 4 µs (250,000 events/s)"),
    (group::DESIGN_DURABLE, "≤ 2 × from smallest to largest"),
    (group::DESIGN_MEMORY, "≤ 2 × from smallest to largest"),
    (group::CODE_DURABLE, "≤ 2 × from smallest to largest"),
    (group::CODE_MEMORY, "≤ 2 × from smallest to largest"),
    (group::REPLAY, "≤ 3.33 µs (300,000 edits/s)"),
    (group::REBUILD, "≤ 2 µs (500,000 events/s)"),
    (group::READ_WARM, "no more than encoding"),
    (group::READ_COLD, "≤ 1.5 × decoding one snapshot"),
    (group::READ_ANY, "p99 ≤ 5 ms"),
    (group::DIFF_DESIGN_APART, "≤ 10 × reading both once"),
    (group::HTML_DESIGN_WRITE, "≥ 100 MB/s: 2 ms of 200 kB"),
    (group::HTML_DESIGN_READ, "≥ 20 MB/s: 10 ms of 200 kB"),
    (group::HTML_DOC_WRITE, "≥ 100 MB/s: 2 ms of 200 kB"),
    (group::HTML_DOC_READ, "≥ 20 MB/s: 10 ms of 200 kB"),
    (group::UNDO_OWN, "as an edit"),
    (group::UNDO_TEXT, "linear, ≤ 1–2 µs an event"),
    (group::UNDO_FIELDS, "linear, ≤ 1–2 µs an event"),
    (group::HTTP_ONE, "≤ in process + 0.3 ms"),
    (group::FEED, "p99 ≤ F + 5 ms"),
    (group::DISK, "≤ 10 B"),
];
