//! A replica of yrs: a document with a text, perhaps with an undo manager.

use recto_projections::text::{Content, TextDelta, TextOp};
use yrs::block::ClientID;
use yrs::undo::{Options as UndoOptions, UndoManager};
use yrs::updates::decoder::Decode as _;
use yrs::{Doc, GetString as _, OffsetKind, Options, ReadTxn as _, Text as _, TextRef, Transact as _, Update};

pub(crate) struct Peer {
    pub(crate) doc: Doc,
    text: TextRef,
}

/// Undoes what is edited on one peer. Each edit is a step of its own.
pub(crate) type Manager = UndoManager<()>;

impl Peer {
    /// Makes an empty text. Of two peers that insert at one place, the one with the lower number comes first.
    pub(crate) fn new(client: u64) -> Self {
        let doc = Doc::with_options(Options {
            offset_kind: OffsetKind::Utf16,
            ..Options::with_client_id(ClientID::new(client))
        });
        let text = doc.get_or_insert_text("text");
        Self { doc, text }
    }

    /// Makes peers, by their numbers, that all begin with a text.
    pub(crate) fn all<const N: usize>(clients: [u64; N], text: &str) -> [Self; N] {
        let base = Self::new(0);
        base.edit(&TextDelta::new().insert(text, None));
        clients.map(|client| base.fork(client))
    }

    /// Makes another peer that has what this one has.
    pub(crate) fn fork(&self, client: u64) -> Self {
        let fork = Self::new(client);
        fork.pull(self);
        fork
    }

    /// Makes an undo manager for what this peer edits from now on.
    pub(crate) fn manager(&self) -> Manager {
        let options = UndoOptions {
            capture_timeout_millis: 0,
            ..UndoOptions::default()
        };
        let mut manager = UndoManager::with_options(options);
        manager.expand_scope(&self.doc, &self.text);
        manager
    }

    /// Applies a delta in one transaction, its operations in their order.
    pub(crate) fn edit(&self, delta: &TextDelta) {
        let mut transaction = self.doc.transact_mut();
        let mut at = 0;
        for op in delta.ops() {
            let len = u32::try_from(op.len()).unwrap();
            match op {
                TextOp::Retain { .. } => at += len,
                TextOp::Delete { .. } => self.text.remove_range(&mut transaction, at, len),
                TextOp::Insert { content, .. } => {
                    let Content::Text(text) = content else {
                        panic!("no embeds here")
                    };
                    self.text.insert(&mut transaction, at, text);
                    at += len;
                }
            }
        }
    }

    /// Takes over what another peer has and this one has not.
    pub(crate) fn pull(&self, other: &Self) {
        pull(&self.doc, &other.doc);
    }

    /// Exchanges all with another peer.
    pub(crate) fn sync(&self, other: &Self) {
        self.pull(other);
        other.pull(self);
    }

    pub(crate) fn read(&self) -> String {
        self.text.get_string(&self.doc.transact())
    }
}

/// Brings what one document has into another. The origin keeps it off the undo manager's stack.
pub(crate) fn pull(doc: &Doc, other: &Doc) {
    let known = doc.transact().state_vector();
    let update = other.transact().encode_state_as_update_v1(&known);
    let update = Update::decode_v1(&update).unwrap();
    doc.transact_mut_with("remote").apply_update(update).unwrap();
}
