//! Commands: what was asked for, how two requests are told apart, and what a receipt keeps.

use recto_projections::{Delta, Digest, Kind};
use recto_store::PageKey;

use crate::actor::Caller;
use crate::report::Report;

/// What a command asks for. The name is stored in receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Make a page.
    Create,
    /// Apply deltas.
    Deltas,
    /// Replace the value.
    Replace,
    /// Hide the page.
    Delete,
    /// Bring it back.
    Undelete,
    /// Take events back.
    Undo,
    /// Take undos back.
    Redo,
    /// Go back to an earlier version.
    Restore,
    /// Write what an agent read.
    Update,
    /// Add an image.
    InsertImage,
    /// Change an image.
    UpdateImage,
    /// Note what an agent did in a chat.
    Trajectory,
}

impl Operation {
    const ALL: [Self; 12] = [
        Self::Create,
        Self::Deltas,
        Self::Replace,
        Self::Delete,
        Self::Undelete,
        Self::Undo,
        Self::Redo,
        Self::Restore,
        Self::Update,
        Self::InsertImage,
        Self::UpdateImage,
        Self::Trajectory,
    ];

    /// The stored name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Deltas => "deltas",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::Undelete => "undelete",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Restore => "restore",
            Self::Update => "update",
            Self::InsertImage => "insert_image",
            Self::UpdateImage => "update_image",
            Self::Trajectory => "trajectory",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.as_str() == name)
    }
}

/// What a receipt keeps of a command beside its events: `create 0`, the operation and the
/// epoch after it; then, where there is more to tell, a space and the report as JSON.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub operation: Operation,
    pub epoch: u64,
    pub report: Report,
}

impl Outcome {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {}", self.operation.as_str(), self.epoch);
        if !self.report.is_empty() {
            text.push(' ');
            text.push_str(&self.report.to_json().to_string());
        }
        text.into_bytes()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut parts = std::str::from_utf8(bytes).ok()?.splitn(3, ' ');
        Some(Self {
            operation: Operation::from_name(parts.next()?)?,
            epoch: parts.next()?.parse().ok()?,
            report: match parts.next() {
                Some(json) => Report::from_json(serde_json::from_str(json).ok()?)?,
                None => Report::default(),
            },
        })
    }
}

/// Tells two requests under one command id apart: a BLAKE3 hash of all that the request
/// means, and of nothing else. The base is left out: a retry may name a fresher one.
#[derive(Clone, Debug)]
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    pub(crate) fn new(operation: Operation, caller: &Caller, page: &PageKey) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("recto 2026 command fingerprint v1");
        let turn = caller.turn.as_ref().map_or("", |turn| turn.as_str());
        for part in [operation.as_str(), page.page.as_str(), &caller.actor.to_string(), turn] {
            add_part(&mut hasher, part.as_bytes());
        }
        Self(hasher)
    }

    pub(crate) fn with_deltas(mut self, encoded: &[Vec<u8>]) -> Self {
        for delta in encoded {
            add_part(&mut self.0, delta);
        }
        self
    }

    pub(crate) fn with_value(mut self, kind: Kind, digest: &Digest) -> Self {
        add_part(&mut self.0, &[kind.code()]);
        add_part(&mut self.0, digest.as_bytes());
        self
    }

    pub(crate) fn with_text(mut self, text: Option<&str>) -> Self {
        add_part(&mut self.0, &[u8::from(text.is_some())]);
        add_part(&mut self.0, text.unwrap_or_default().as_bytes());
        self
    }

    pub(crate) fn finish(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

/// The length before each part keeps `ab` + `c` and `a` + `bc` apart.
fn add_part(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// Encodes deltas once, for the fingerprint.
pub(crate) fn encode_all(deltas: &[Delta]) -> Result<Vec<Vec<u8>>, recto_projections::CodecError> {
    deltas.iter().map(Delta::to_bytes).collect()
}
