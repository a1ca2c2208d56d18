//! Writing an exported file: a header, items, a footer.

use std::io::{self, Write};

use recto_pages::EventKind;
use recto_projections::Kind;
use recto_store::{Event, Id, Receipt};

use super::format::{
    CauseLine, DamagedLine, DamagedReceiptLine, EventLine, Footer, Header, ReceiptLine, change_to_json,
    outcome_to_text, to_base64,
};
use super::item::{EventItem, Item, ReceiptItem};
use super::lines::LineWriter;
use crate::out::time_full;
use crate::telling::hash;

/// Writes the history of one page. What it needs of memory does not grow with the history.
pub struct Writer<W: Write> {
    lines: LineWriter<W>,
    kind: Option<Kind>,
    events: u64,
    receipts: u64,
    damaged: u64,
    head: Option<[u8; 32]>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exported {
    /// Events, damaged ones included.
    pub events: u64,
    /// Receipts, damaged ones included.
    pub receipts: u64,
    /// Lines that tell of damage.
    pub damaged: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(out: W, header: &Header) -> io::Result<Self> {
        let mut lines = LineWriter::new(out)?;
        lines.write(header)?;
        Ok(Self {
            lines,
            kind: header.kind.as_deref().and_then(|kind| kind.parse().ok()),
            events: 0,
            receipts: 0,
            damaged: u64::from(header.record_damage.is_some()),
            head: None,
        })
    }

    /// Writes the next item.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&mut self, item: &Item) -> io::Result<()> {
        self.damaged += u64::from(item.damage().is_some());
        match item {
            Item::Event(event) => {
                self.events += 1;
                self.write_event(event)
            }
            Item::Receipt(receipt) => {
                self.receipts += 1;
                self.write_receipt(receipt)
            }
        }
    }

    /// Writes the footer, and ends the file; returns what is below.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(mut self) -> io::Result<(W, Exported)> {
        self.lines.write(&Footer {
            end: true,
            events: self.events,
            receipts: self.receipts,
            damaged: self.damaged,
            head: self.head.map(hash),
            blake3: self.lines.hash().to_hex().to_string(),
        })?;
        let (out, bytes) = self.lines.finish()?;
        let exported = Exported {
            events: self.events,
            receipts: self.receipts,
            damaged: self.damaged,
            bytes,
        };
        Ok((out, exported))
    }

    fn write_event(&mut self, item: &EventItem) -> io::Result<()> {
        match item {
            EventItem::Whole { event, damage } => {
                self.head = Some(event.hash);
                self.lines.write(&event_line(self.kind, event, damage.clone()))
            }
            EventItem::Damaged { version, bytes, reason } => {
                self.head = None;
                self.lines.write(&DamagedLine {
                    damaged: *version,
                    reason: reason.clone(),
                    bytes: bytes.as_ref().map(|bytes| to_base64(bytes)),
                })
            }
        }
    }

    fn write_receipt(&mut self, item: &ReceiptItem) -> io::Result<()> {
        match item {
            ReceiptItem::Whole {
                command,
                receipt,
                damage,
            } => self.lines.write(&receipt_line(command, receipt, damage.clone())),
            ReceiptItem::Damaged { command, bytes, reason } => self.lines.write(&DamagedReceiptLine {
                damaged_receipt: command.to_string(),
                reason: reason.clone(),
                bytes: bytes.as_ref().map(|bytes| to_base64(bytes)),
            }),
        }
    }
}

/// The name of a kind of event.
pub(super) fn kind_name(code: u8) -> String {
    EventKind::from_code(code).map_or_else(|| "unknown".to_owned(), |kind| kind.as_str().to_owned())
}

fn event_line(kind: Option<Kind>, event: &Event, damage: Option<String>) -> EventLine {
    EventLine {
        event: event.version,
        kind: kind_name(event.kind),
        code: event.kind,
        schema: event.schema,
        time: time_full(event.time_ms),
        time_ms: event.time_ms,
        actor: event.actor.clone(),
        turn: event.turn.clone(),
        cause: event.cause.map(|cause| CauseLine {
            kind: cause.kind,
            version: cause.version,
        }),
        epoch: event.epoch,
        flags: event.flags,
        command: event.command.to_string(),
        digest: hash(event.digest),
        hash: hash(event.hash),
        prev_hash: hash(event.prev_hash),
        delta: change_to_json(kind, &event.delta),
        inverse: change_to_json(kind, &event.inverse),
        damage,
    }
}

fn receipt_line(command: &Id, receipt: &Receipt, damage: Option<String>) -> ReceiptLine {
    ReceiptLine {
        receipt: command.to_string(),
        events: receipt.versions.map_or(0, recto_store::Span::count),
        version: receipt.head_version,
        hash: hash(receipt.head_hash),
        time: time_full(receipt.time_ms),
        time_ms: receipt.time_ms,
        fingerprint: hash(receipt.fingerprint),
        outcome: outcome_to_text(&receipt.outcome),
        damage,
    }
}
