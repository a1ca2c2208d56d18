//! Events and receipts to the bytes that an engine keeps, and back: for tools that carry a page's history from one
//! place to another, or look at one that is damaged.
//!
//! Whoever only appends and reads uses [`Store`](crate::Store); nothing here checks that an event follows the one
//! before it.

use bytes::Bytes;

use crate::codec::{self, Context, StoredReceipt};
use crate::engine::{Entry, Put, ReadError, Unavailable};
use crate::event::{Event, NewEvent};
use crate::id::{Id, PageKey};
use crate::keys::Key;
use crate::receipt::Receipt;
use crate::{read, records};

/// An event as an engine keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedEvent {
    /// The entry to put.
    pub put: Put,
    /// The event's hash in the chain of its page.
    pub hash: [u8; 32],
}

/// Reads an event from its entry.
///
/// # Errors
/// [`ReadError::Corrupt`], where the bytes are not those of this version of this page.
pub fn open_event(page: &PageKey, entry: &Entry) -> Result<Event, ReadError> {
    read::decode_event(page, &Key::event(page).encode(), entry)
}

/// Makes the entry of an event: of its version, command and previous hash, and all that the caller of an append gives.
/// Its position and hash are made anew.
///
/// # Errors
/// [`Unavailable::Failed`], where it cannot be encoded.
pub fn seal_event(page: &PageKey, event: &Event) -> Result<SealedEvent, Unavailable> {
    let key = Key::event(page);
    let context = Context {
        key: &key.encode(),
        revision: event.version,
    };
    let sealed = codec::seal_event(context, &given(event), &event.command, event.prev_hash)?;
    Ok(SealedEvent {
        put: Put {
            key,
            value: sealed.bytes,
        },
        hash: sealed.hash,
    })
}

/// Reads a receipt from its entry.
///
/// # Errors
/// [`ReadError::Corrupt`], where the bytes are not those of this command's receipt.
pub fn open_receipt(page: &PageKey, command: &Id, entry: &Entry) -> Result<Receipt, ReadError> {
    read::decode_receipt(&Key::command(page, command), entry)
}

/// Makes the entry of a receipt. Its positions and index are those that the commit gives.
///
/// # Errors
/// [`Unavailable::Failed`], where it cannot be encoded.
pub fn seal_receipt(page: &PageKey, command: &Id, receipt: &Receipt) -> Result<Put, Unavailable> {
    let key = Key::command(page, command);
    let context = Context {
        key: &key.encode(),
        revision: 1,
    };
    let stored = StoredReceipt {
        events: receipt.versions.map_or(0, crate::Span::count),
        head_version: receipt.head_version,
        head_hash: receipt.head_hash,
        time_ms: receipt.time_ms,
        fingerprint: receipt.fingerprint,
        durability: receipt.durability,
        outcome: receipt.outcome.clone(),
    };
    let value = codec::seal_receipt(context, &stored)?.bytes;
    Ok(Put { key, value })
}

/// Makes the entry of a record at a revision.
#[must_use]
pub fn seal_record(key: Key, revision: u64, value: &[u8]) -> Put {
    let context = Context {
        key: &key.encode(),
        revision,
    };
    let value = codec::seal_record(context, value).bytes;
    Put { key, value }
}

/// Reads a record from its entry.
///
/// # Errors
/// [`ReadError::Corrupt`], where the bytes are not those of this revision of this record.
pub fn open_record(key: &Key, entry: &Entry) -> Result<Bytes, ReadError> {
    records::decode_record(key, entry)
}

fn given(event: &Event) -> NewEvent {
    NewEvent {
        kind: event.kind,
        schema: event.schema,
        time_ms: event.time_ms,
        actor: event.actor.clone(),
        turn: event.turn.clone(),
        cause: event.cause,
        epoch: event.epoch,
        flags: event.flags,
        delta: event.delta.clone(),
        inverse: event.inverse.clone(),
        digest: event.digest,
    }
}
