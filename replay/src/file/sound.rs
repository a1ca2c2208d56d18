//! Whether all of an exported file is sound: nothing damaged, every digest as its event says, every inverse right.

use std::path::Path;

use recto_pages::PageEvent;
use recto_projections::Value;

use super::item::{EventItem, Item};
use super::reader::Reader;
use crate::failure::Failure;
use crate::verify::Deep;

/// Events checked at once: forwards, and then backwards.
const CHUNK_EVENTS: usize = 1024;
/// Bytes of events checked at once.
const CHUNK_BYTES: usize = 8 * 1024 * 1024;

/// What a sound file holds.
#[derive(Debug)]
pub struct Soundness {
    /// Events.
    pub events: u64,
    /// Receipts.
    pub receipts: u64,
    /// The state that the first event made.
    pub first: Value,
}

/// Goes over all of a file. Blocks.
///
/// # Errors
/// [`Failure::File`] with the line at fault; [`Failure::Refused`], where the file is sound and the history in it is not.
pub fn check(path: &Path) -> Result<Soundness, Failure> {
    let mut reader = Reader::open(path)?;
    if let Some(damage) = &reader.header.record_damage {
        return Err(Failure::Refused(format!("the record of the page is damaged: {damage}")));
    }
    let kind = reader.kind.ok_or_else(|| reader.fault("it tells no kind of page"))?;
    let mut deep = Deep::new(kind);
    let (mut chunk, mut bytes, mut first) = (Vec::new(), 0, None);
    while let Some(item) = reader.next_item()? {
        if let Some(damage) = item.damage() {
            return Err(Failure::Refused(format!("{} is damaged: {damage}", place(&item))));
        }
        let Item::Event(EventItem::Whole { event, .. }) = item else {
            continue;
        };
        bytes += event.delta.len() + event.inverse.len();
        chunk.push(PageEvent::new(&reader.page, *event));
        if first.is_none() || chunk.len() >= CHUNK_EVENTS || bytes >= CHUNK_BYTES {
            unharmed(&mut deep, &chunk)?;
            first.get_or_insert_with(|| deep.value().clone());
            chunk.clear();
            bytes = 0;
        }
    }
    unharmed(&mut deep, &chunk)?;
    let (events, receipts) = reader.counted();
    Ok(Soundness {
        events,
        receipts,
        first: first.unwrap_or_else(|| Value::empty(kind)),
    })
}

fn unharmed(deep: &mut Deep, chunk: &[PageEvent]) -> Result<(), Failure> {
    deep.check(chunk)
        .map_err(|fault| Failure::Refused(format!("event {} is not sound: {}", fault.version, fault.what)))
}

fn place(item: &Item) -> String {
    match item {
        Item::Event(EventItem::Whole { event, .. }) => format!("event {}", event.version),
        Item::Event(EventItem::Damaged { version, .. }) => format!("event {version}"),
        Item::Receipt(super::ReceiptItem::Whole { command, .. } | super::ReceiptItem::Damaged { command, .. }) => {
            format!("the receipt of command {command}")
        }
    }
}
