//! Events, receipts, records, snapshots and the description, to frames and back.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use bincode::{BorrowDecode, Encode};
use bytes::Bytes;

use super::frame::{self, Context, FrameError, Opened, RecordKind, Sealed};
use super::v1;
use crate::engine::{Durability, Unavailable};
use crate::event::{Cause, Event, Head, NewEvent};
use crate::id::Id;
use crate::limits::EVENT_MAX_BYTES;

/// More than any payload has; without it ten corrupt bytes could ask for all memory.
const DECODE_MAX_BYTES: usize = EVENT_MAX_BYTES + 64 * 1024;
const CONFIG: Configuration<LittleEndian, Varint, Limit<DECODE_MAX_BYTES>> =
    bincode::config::standard().with_limit::<DECODE_MAX_BYTES>();
/// About what an event takes besides delta and inverse.
const EVENT_FIXED_BYTES: usize = 192;
/// About what a receipt takes besides its outcome.
const RECEIPT_FIXED_BYTES: usize = 96;
const META_BYTES: usize = 32;

/// A receipt as it is stored: the positions of its events come from its entry.
pub(crate) struct StoredReceipt {
    pub(crate) events: u64,
    pub(crate) head_version: u64,
    pub(crate) head_hash: [u8; 32],
    pub(crate) time_ms: i64,
    pub(crate) fingerprint: [u8; 32],
    pub(crate) durability: Durability,
    pub(crate) outcome: Bytes,
}

/// What the store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredMeta {
    pub(crate) format: u32,
    pub(crate) store_id: [u8; 16],
    pub(crate) partitions: u16,
}

/// Makes the frame of an event; its hash is the event's hash in the chain.
pub(crate) fn seal_event(
    context: Context<'_>,
    event: &NewEvent,
    command: &Id,
    prev_hash: [u8; 32],
) -> Result<Sealed, Unavailable> {
    let stored = v1::Event {
        prev_hash,
        kind: event.kind,
        schema: event.schema,
        time_ms: event.time_ms,
        epoch: event.epoch,
        flags: event.flags,
        actor: &event.actor,
        turn: event.turn.as_deref(),
        command: command.as_str(),
        cause: event.cause.map(|Cause { kind, version }| v1::Cause { kind, version }),
        digest: event.digest,
        delta: &event.delta,
        inverse: &event.inverse,
    };
    let texts = event.actor.len() + event.turn.as_ref().map_or(0, String::len) + command.as_str().len();
    let size = EVENT_FIXED_BYTES + texts + event.delta.len() + event.inverse.len();
    seal(RecordKind::Event, context, size, &stored)
}

/// Reads an event. Its delta and inverse share the frame's buffer.
pub(crate) fn open_event(context: Context<'_>, position: u64, bytes: &Bytes) -> Result<Event, FrameError> {
    let opened = frame::open(RecordKind::Event, context, bytes)?;
    let stored: v1::Event<'_> = decode(RecordKind::Event, &opened)?;
    Ok(Event {
        version: context.revision,
        position,
        command: Id::new(stored.command).map_err(|_| FrameError::Payload)?,
        prev_hash: stored.prev_hash,
        hash: opened.hash,
        kind: stored.kind,
        schema: stored.schema,
        time_ms: stored.time_ms,
        actor: stored.actor.to_owned(),
        turn: stored.turn.map(str::to_owned),
        cause: stored.cause.map(|v1::Cause { kind, version }| Cause { kind, version }),
        epoch: stored.epoch,
        flags: stored.flags,
        delta: bytes.slice_ref(stored.delta),
        inverse: bytes.slice_ref(stored.inverse),
        digest: stored.digest,
    })
}

/// Reads of an event what makes it a head.
pub(crate) fn open_head(context: Context<'_>, position: u64, bytes: &[u8]) -> Result<Head, FrameError> {
    let opened = frame::open(RecordKind::Event, context, bytes)?;
    let stored: v1::Event<'_> = decode(RecordKind::Event, &opened)?;
    Ok(Head {
        version: context.revision,
        position,
        hash: opened.hash,
        epoch: stored.epoch,
        time_ms: stored.time_ms,
    })
}

/// Makes the frame of a receipt.
pub(crate) fn seal_receipt(context: Context<'_>, receipt: &StoredReceipt) -> Result<Sealed, Unavailable> {
    let stored = v1::Receipt {
        events: receipt.events,
        head_version: receipt.head_version,
        head_hash: receipt.head_hash,
        time_ms: receipt.time_ms,
        fingerprint: receipt.fingerprint,
        durability: match receipt.durability {
            Durability::Synced => v1::Durability::Synced,
            Durability::Relaxed => v1::Durability::Relaxed,
            Durability::Memory => v1::Durability::Memory,
        },
        outcome: &receipt.outcome,
    };
    seal(
        RecordKind::Receipt,
        context,
        RECEIPT_FIXED_BYTES + receipt.outcome.len(),
        &stored,
    )
}

/// Reads a receipt. Its outcome shares the frame's buffer.
pub(crate) fn open_receipt(context: Context<'_>, bytes: &Bytes) -> Result<StoredReceipt, FrameError> {
    let opened = frame::open(RecordKind::Receipt, context, bytes)?;
    let stored: v1::Receipt<'_> = decode(RecordKind::Receipt, &opened)?;
    if stored.events > stored.head_version {
        return Err(FrameError::Payload);
    }
    Ok(StoredReceipt {
        events: stored.events,
        head_version: stored.head_version,
        head_hash: stored.head_hash,
        time_ms: stored.time_ms,
        fingerprint: stored.fingerprint,
        durability: match stored.durability {
            v1::Durability::Synced => Durability::Synced,
            v1::Durability::Relaxed => Durability::Relaxed,
            v1::Durability::Memory => Durability::Memory,
        },
        outcome: bytes.slice_ref(stored.outcome),
    })
}

/// Makes the frame of the store's description.
pub(crate) fn seal_meta(context: Context<'_>, meta: StoredMeta) -> Result<Sealed, Unavailable> {
    let stored = v1::Meta {
        format: meta.format,
        store_id: meta.store_id,
        partitions: meta.partitions,
    };
    seal(RecordKind::Meta, context, META_BYTES, &stored)
}

/// Reads the store's description.
pub(crate) fn open_meta(context: Context<'_>, bytes: &[u8]) -> Result<StoredMeta, FrameError> {
    let opened = frame::open(RecordKind::Meta, context, bytes)?;
    let stored: v1::Meta = decode(RecordKind::Meta, &opened)?;
    Ok(StoredMeta {
        format: stored.format,
        store_id: stored.store_id,
        partitions: stored.partitions,
    })
}

/// Makes the frame of a record.
pub(crate) fn seal_record(context: Context<'_>, value: &[u8]) -> Sealed {
    seal_opaque(RecordKind::Record, context, value)
}

/// Reads a record, sharing the frame's buffer.
pub(crate) fn open_record(context: Context<'_>, bytes: &Bytes) -> Result<Bytes, FrameError> {
    open_opaque(RecordKind::Record, context, bytes)
}

/// Makes the frame of a snapshot.
pub(crate) fn seal_snapshot(context: Context<'_>, value: &[u8]) -> Sealed {
    seal_opaque(RecordKind::Snapshot, context, value)
}

/// Reads a snapshot, sharing the frame's buffer.
pub(crate) fn open_snapshot(context: Context<'_>, bytes: &Bytes) -> Result<Bytes, FrameError> {
    open_opaque(RecordKind::Snapshot, context, bytes)
}

fn seal_opaque(kind: RecordKind, context: Context<'_>, value: &[u8]) -> Sealed {
    let mut buffer = frame::buffer(value.len());
    buffer.extend_from_slice(value);
    frame::seal(kind, v1::SCHEMA, context, buffer)
}

fn open_opaque(kind: RecordKind, context: Context<'_>, bytes: &Bytes) -> Result<Bytes, FrameError> {
    let opened = frame::open(kind, context, bytes)?;
    known(kind, &opened)?;
    Ok(bytes.slice_ref(opened.payload))
}

fn seal(kind: RecordKind, context: Context<'_>, size: usize, stored: &impl Encode) -> Result<Sealed, Unavailable> {
    let mut buffer = frame::buffer(size);
    bincode::encode_into_std_write(stored, &mut buffer, CONFIG).map_err(|fault| Unavailable::Failed {
        reason: fault.to_string(),
    })?;
    Ok(frame::seal(kind, v1::SCHEMA, context, buffer))
}

fn decode<'de, T: BorrowDecode<'de, ()>>(kind: RecordKind, opened: &Opened<'de>) -> Result<T, FrameError> {
    known(kind, opened)?;
    let (stored, consumed) =
        bincode::borrow_decode_from_slice(opened.payload, CONFIG).map_err(|_| FrameError::Payload)?;
    if consumed != opened.payload.len() {
        return Err(FrameError::Payload);
    }
    Ok(stored)
}

fn known(kind: RecordKind, opened: &Opened<'_>) -> Result<(), FrameError> {
    match opened.schema {
        v1::SCHEMA => Ok(()),
        schema => Err(FrameError::UnknownSchema {
            kind: kind.code(),
            schema,
        }),
    }
}
