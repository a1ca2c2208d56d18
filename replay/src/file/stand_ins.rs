//! Stand-ins: the same history with other texts, asset ids and names, so that it can be shown to others.
//!
//! Every text becomes one of the same length in UTF-16 units and bytes, letter by letter, so that whatever applied to the
//! page applies to its double. Two maps do that: the *text* map knows only classes (`Xxxxx 00!`), and nothing can be made
//! of it; the *id* map keeps what differs different, with a key that is drawn for this file and thrown away. Which map a
//! string goes through is decided by the name that it stands under, so that a string always goes through the same one.
//! Then the history is made anew: states, digests, hashes, receipts.

mod cipher;
mod deltas;
mod outcome;
mod places;
mod values;

use std::io::Write;

use bytes::Bytes;
use recto_pages::{EventKind, PageEvent, PageMeta, ReadError};
use recto_projections::{Delta, Value};
use recto_store::{Event, PageKey, Receipt, frames};

use self::cipher::Cipher;
use super::format::Header;
use super::item::{EventItem, Item, ReceiptItem};
use super::walk::Sink;
use super::writer::{Exported, Writer};
use crate::failure::Failure;
use crate::source::Source;

/// Makes the double of a history.
pub struct StandIns {
    cipher: Cipher,
    page: PageKey,
    value: Value,
    link: [u8; 32],
}

/// Writes the double.
pub struct StandInSink<W: Write> {
    stand_ins: StandIns,
    writer: Writer<W>,
}

impl StandIns {
    /// Begins with the header of the history, and gives that of the double. The page keeps its id.
    ///
    /// # Errors
    /// [`Failure::Read`], where the page's record or first event is damaged: of damaged histories there is no double.
    pub async fn new(source: &Source, page: &PageKey, mut header: Header) -> Result<(Self, Header), Failure> {
        let cipher = Cipher::new();
        let record = match (&header.record, &header.record_damage) {
            (Some(record), None) => PageMeta::from_record(record.as_bytes())?,
            (_, damage) => return Err(damaged(1, damage.as_deref().unwrap_or("the record is missing"))),
        };
        let workspace = cipher.id(&header.workspace);
        let scope = recto_store::Id::new(&workspace).map_err(|fault| failed(0, fault))?;
        let made = Self {
            page: PageKey::new(scope, page.page.clone()),
            value: Value::empty(record.kind),
            link: [0; 32],
            cipher,
        };
        let first = source.event(page, 1).await?;
        let first = first.event().ok_or_else(|| damaged(1, "the event cannot be read"))?;
        let mut value = made.value.clone();
        made.replay(&mut value, first)?;
        let file = header.file.as_deref().map(|file| made.cipher.id(file));
        let record = record.with_content(file.clone(), &value).to_record();
        header.record = Some(String::from_utf8(record).map_err(|fault| failed(0, fault))?);
        (header.workspace, header.file, header.stand_ins) = (workspace, file, true);
        Ok((made, header))
    }

    /// Writes what comes.
    pub fn into_sink<W: Write>(self, writer: Writer<W>) -> StandInSink<W> {
        StandInSink {
            stand_ins: self,
            writer,
        }
    }

    fn event(&mut self, event: Event) -> Result<Event, Failure> {
        let version = event.version;
        let old = PageEvent::new(&self.page, event);
        let mut value = self.value.clone();
        let (delta, inverse) = self.replay(&mut value, &old)?;
        self.value = value;
        let mut event = Event {
            actor: self.cipher.actor(&old.event.actor),
            delta,
            inverse,
            digest: *self.value.digest().as_bytes(),
            prev_hash: self.link,
            ..(*old.event).clone()
        };
        event.hash = frames::seal_event(&self.page, &event)
            .map_err(|fault| failed(version, fault))?
            .hash;
        self.link = event.hash;
        Ok(event)
    }

    /// Makes the double of an event's changes, and applies it.
    fn replay(&self, value: &mut Value, event: &PageEvent) -> Result<(Bytes, Bytes), Failure> {
        let version = event.version();
        if !event.kind().map(EventKind::has_delta)? {
            return Ok((Bytes::new(), Bytes::new()));
        }
        let double = |change: Result<Option<Delta>, ReadError>| -> Result<Delta, Failure> {
            let change = change?.unwrap_or_else(|| Delta::empty(value.kind()));
            self.cipher.delta(&change).map_err(|fault| failed(version, fault))
        };
        let (delta, inverse) = (double(event.delta())?, double(event.inverse())?);
        value.replay(&delta).map_err(|fault| failed(version, fault))?;
        let bytes = |delta: &Delta| {
            delta
                .to_bytes()
                .map(Bytes::from)
                .map_err(|fault| failed(version, fault))
        };
        Ok((bytes(&delta)?, bytes(&inverse)?))
    }

    fn receipt(&self, mut receipt: Receipt) -> Receipt {
        receipt.head_hash = self.link;
        receipt.fingerprint = self.cipher.fingerprint(&receipt.fingerprint);
        receipt.outcome = self.cipher.outcome(&receipt.outcome);
        receipt
    }
}

impl<W: Write> StandInSink<W> {
    /// Ends the file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(self) -> Result<Exported, Failure> {
        Ok(self.writer.finish()?.1)
    }
}

impl<W: Write> Sink for StandInSink<W> {
    fn take(&mut self, item: Item) -> Result<(), Failure> {
        let item = match item {
            Item::Event(EventItem::Whole { event, damage: None }) => Item::Event(EventItem::Whole {
                event: Box::new(self.stand_ins.event(*event)?),
                damage: None,
            }),
            Item::Receipt(ReceiptItem::Whole {
                command,
                receipt,
                damage: None,
            }) => Item::Receipt(ReceiptItem::Whole {
                command,
                receipt: Box::new(self.stand_ins.receipt(*receipt)),
                damage: None,
            }),
            damage => return Err(of_damage(&damage)),
        };
        Ok(self.writer.write(&item)?)
    }
}

fn of_damage(item: &Item) -> Failure {
    let what = item.damage().unwrap_or_default();
    match item {
        Item::Event(EventItem::Whole { event, .. }) => damaged(event.version, what),
        Item::Event(EventItem::Damaged { version, .. }) => damaged(*version, what),
        Item::Receipt(ReceiptItem::Whole { command, receipt, .. }) => {
            damaged(receipt.head_version, &format!("receipt of {command}: {what}"))
        }
        Item::Receipt(ReceiptItem::Damaged { command, .. }) => damaged(0, &format!("receipt of {command}: {what}")),
    }
}

fn damaged(version: u64, what: &str) -> Failure {
    Failure::Read(ReadError::Corrupt {
        version,
        what: format!("of a damaged history no stand-in is made: {what}"),
    })
}

fn failed(version: u64, fault: impl std::fmt::Display) -> Failure {
    Failure::Refused(format!(
        "no stand-in could be made of event {version}, and nothing was written: {fault}"
    ))
}
