//! Keystroke traces: every edit of a document, in the order in which somebody typed it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::corpora::{Corpora, CorpusError};

/// The trace that every project of this sort measures itself by: 259,778 keystrokes of a LaTeX paper.
pub const PAPER: &str = "automerge-paper";

/// The file in which a trace's text stands in its page.
pub const TRACE_FILE: &str = "main";

const CHECKPOINTS: &str = "traces/checkpoints.json";

/// A recorded editing session.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Its name: the file's without endings.
    pub name: String,
    /// The text before the first transaction.
    pub start: String,
    /// The text after the last.
    pub end: String,
    /// The transactions in order.
    pub transactions: Vec<Vec<Patch>>,
    /// Known states on the way; empty where none are recorded.
    pub checkpoints: Vec<Checkpoint>,
}

/// One edit. Positions count code points in the text that the patch before it leaves. No trace holds a code point
/// above U+FFFF, so the same numbers count UTF-16 units.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "(usize, usize, String)")]
pub struct Patch {
    /// Where.
    pub position: usize,
    /// How many code points go.
    pub deleted: usize,
    /// What comes in their place.
    pub inserted: String,
}

/// A known state: the text after so many transactions, by length and SHA-256.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "(usize, usize, String)")]
pub struct Checkpoint {
    /// Transactions applied.
    pub transactions: usize,
    /// Code points of the text.
    pub length: usize,
    /// SHA-256 of its UTF-8, in hex.
    pub sha256: String,
}

/// The slow and obvious text to compare with: an array of code points.
#[derive(Clone, Debug)]
pub struct PlainText(Vec<char>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TraceFile {
    start_content: String,
    end_content: String,
    txns: Vec<TransactionFile>,
}

#[derive(Deserialize)]
struct TransactionFile {
    patches: Vec<Patch>,
}

#[derive(Deserialize)]
struct CheckpointsFile {
    checkpoints: Vec<Checkpoint>,
}

impl From<(usize, usize, String)> for Patch {
    fn from((position, deleted, inserted): (usize, usize, String)) -> Self {
        Self {
            position,
            deleted,
            inserted,
        }
    }
}

impl From<(usize, usize, String)> for Checkpoint {
    fn from((transactions, length, sha256): (usize, usize, String)) -> Self {
        Self {
            transactions,
            length,
            sha256,
        }
    }
}

impl Trace {
    /// Reads a trace by name.
    ///
    /// # Errors
    /// [`CorpusError`].
    pub fn read(corpora: &Corpora, name: &str) -> Result<Self, CorpusError> {
        let file = format!("traces/{name}.json.gz");
        let trace: TraceFile =
            serde_json::from_slice(&corpora.read(&file)?).map_err(|fault| corpora.malformed(&file, &fault))?;
        let mut known: BTreeMap<String, CheckpointsFile> = serde_json::from_slice(&corpora.read(CHECKPOINTS)?)
            .map_err(|fault| corpora.malformed(CHECKPOINTS, &fault))?;
        Ok(Self {
            name: name.to_owned(),
            start: trace.start_content,
            end: trace.end_content,
            transactions: trace.txns.into_iter().map(|transaction| transaction.patches).collect(),
            checkpoints: known
                .remove(&format!("{name}.json.gz"))
                .map(|known| known.checkpoints)
                .unwrap_or_default(),
        })
    }

    /// The names of the traces that are one sequence of edits.
    ///
    /// # Errors
    /// [`CorpusError::Unreadable`].
    pub fn names(corpora: &Corpora) -> Result<Vec<String>, CorpusError> {
        let files = corpora.list("traces", ".json.gz")?;
        let names = files
            .iter()
            .filter_map(|file| file.strip_prefix("traces/")?.strip_suffix(".json.gz"));
        Ok(names
            .filter(|name| !name.contains(".concurrent"))
            .map(str::to_owned)
            .collect())
    }
}

/// A transaction as the delta of a CODE page: one `editFile` for each patch.
#[must_use]
pub fn code_delta(transaction: &[Patch]) -> Json {
    Json::Array(
        transaction
            .iter()
            .map(|patch| json!({ "op": "editFile", "path": TRACE_FILE, "delta": text_delta(patch) }))
            .collect(),
    )
}

/// A patch as a text delta.
#[must_use]
pub fn text_delta(patch: &Patch) -> Json {
    let mut ops = Vec::with_capacity(3);
    if patch.position > 0 {
        ops.push(json!({ "retain": patch.position }));
    }
    if !patch.inserted.is_empty() {
        ops.push(json!({ "insert": patch.inserted }));
    }
    if patch.deleted > 0 {
        ops.push(json!({ "delete": patch.deleted }));
    }
    Json::Array(ops)
}

impl PlainText {
    /// Takes a text apart.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.chars().collect())
    }

    /// Applies a transaction.
    ///
    /// # Errors
    /// A sentence where a patch leaves the text.
    pub fn apply(&mut self, transaction: &[Patch]) -> Result<(), String> {
        for patch in transaction {
            let end = patch.position + patch.deleted;
            if end > self.0.len() {
                return Err(format!("a patch reaches to {end} in a text of {}", self.0.len()));
            }
            self.0.splice(patch.position..end, patch.inserted.chars());
        }
        Ok(())
    }

    /// Code points.
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Puts the text together.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.0.iter().collect()
    }
}

impl Checkpoint {
    /// Compares a text with what is known of this state.
    ///
    /// # Errors
    /// A sentence that tells the difference.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let length = text.chars().count();
        if length != self.length {
            return Err(format!("the text has {length} code points, the source {}", self.length));
        }
        let sha256 = hex(&Sha256::digest(text.as_bytes()));
        if sha256 != self.sha256 {
            return Err(format!("the text has SHA-256 {sha256}, the source {}", self.sha256));
        }
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn a_trace_replayed_plainly_passes_all_its_checkpoints() {
        let Ok(corpora) = Corpora::find(None) else {
            return;
        };
        let trace = Trace::read(&corpora, "sveltecomponent").unwrap();
        let mut text = PlainText::new(&trace.start);
        let mut known = trace.checkpoints.iter().peekable();
        for (index, transaction) in trace.transactions.iter().enumerate() {
            text.apply(transaction).unwrap();
            if let Some(checkpoint) = known.next_if(|known| known.transactions == index + 1) {
                checkpoint.check(&text.to_text()).unwrap();
            }
        }
        assert!(known.next().is_none());
        assert_eq!(text.to_text(), trace.end);
    }

    #[test]
    fn a_patch_becomes_a_delta_that_inserts_before_it_deletes() {
        let patch = Patch {
            position: 3,
            deleted: 2,
            inserted: "x".to_owned(),
        };
        assert_eq!(
            text_delta(&patch),
            json!([{ "retain": 3 }, { "insert": "x" }, { "delete": 2 }])
        );
    }
}
