//! An exported file as an engine in memory.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures::executor::block_on;
use recto_pages::{EventKind, PageMeta, snapshot};
use recto_projections::{Delta, Digest, Value};
use recto_store::limits::BATCH_MAX_EVENTS;
use recto_store::{Engine, Event, Guard, Id, Key, MemoryEngine, PageKey, Put, Receipt, Store, frames};

use super::format::{Header, from_base64};
use super::item::{EventItem, Item, ReceiptItem};
use super::reader::Reader;
use crate::failure::Failure;

/// After how many events a state is kept, so that jumps are fast.
const SNAPSHOT_EVENTS: u64 = 4096;
/// The most bytes of events and receipts that are held in memory.
const HELD_MAX_BYTES: u64 = 8 << 30;

/// Reads a file into memory. Blocks.
pub(super) fn load(path: &Path) -> Result<Arc<dyn Engine>, Failure> {
    let mut reader = Reader::open(path)?;
    let engine = MemoryEngine::new();
    let store = block_on(Store::open(Arc::new(engine.clone())))?;
    let mut loading = Loading {
        states: reader.kind.map(States::new),
        page: reader.page.clone(),
        waiting: Vec::new(),
        damage: Damage::default(),
        version: 0,
        held: 0,
        engine,
        store,
    };
    loading.records(&reader.header).map_err(|what| reader.fault(what))?;
    while let Some(item) = reader.next_item()? {
        loading.take(item).map_err(|what| reader.fault(what))?;
    }
    loading.finish().map_err(|what| reader.fault(what))
}

struct Loading {
    engine: MemoryEngine,
    store: Store,
    page: PageKey,
    states: Option<States>,
    /// Events whose receipt has not come yet: both are one commit, as they were.
    waiting: Vec<Bytes>,
    damage: Damage,
    version: u64,
    held: u64,
}

/// What cannot be committed as it is.
#[derive(Default)]
struct Damage {
    missing: Vec<u64>,
    receipts: Vec<(Id, Bytes)>,
}

impl Loading {
    fn records(&self, header: &Header) -> Result<(), String> {
        let key = PageMeta::key(&self.page);
        let put = match (&header.record, &header.record_damage) {
            (None, _) => return Ok(()),
            (Some(coded), Some(_)) => Put {
                key,
                value: from_base64(coded)?,
            },
            (Some(record), None) => frames::seal_record(key, 1, record.as_bytes()),
        };
        self.commit(vec![put])?;
        match &header.file {
            None => Ok(()),
            Some(file) => {
                let key = PageMeta::file_key(&self.page, file).map_err(|fault| fault.to_string())?;
                self.commit(vec![frames::seal_record(key, 1, b"{}")])
            }
        }
    }

    fn take(&mut self, item: Item) -> Result<(), String> {
        match item {
            Item::Event(EventItem::Whole { event, .. }) => {
                let sealed = frames::seal_event(&self.page, &event).map_err(|fault| fault.to_string())?;
                if self.waiting.len() >= BATCH_MAX_EVENTS {
                    self.flush(None)?;
                }
                self.version = event.version;
                self.hold(sealed.put.value)?;
                self.snapshot(&event)
            }
            Item::Event(EventItem::Damaged { version, bytes, .. }) => {
                self.flush(None)?;
                self.version = version;
                if bytes.is_none() {
                    self.damage.missing.push(version);
                }
                if let Some(states) = &mut self.states {
                    states.is_certain = false;
                }
                self.hold(bytes.unwrap_or_default())?;
                self.flush(None)
            }
            Item::Receipt(ReceiptItem::Whole { command, receipt, .. }) => self.receipt(&command, &receipt),
            Item::Receipt(ReceiptItem::Damaged { command, bytes, .. }) => {
                self.damage.receipts.extend(bytes.map(|bytes| (command, bytes)));
                Ok(())
            }
        }
    }

    fn hold(&mut self, bytes: Bytes) -> Result<(), String> {
        self.held += bytes.len() as u64;
        if self.held > HELD_MAX_BYTES {
            return Err(format!(
                "the history takes more than {HELD_MAX_BYTES} bytes of memory: import it into a folder, and look there"
            ));
        }
        self.waiting.push(bytes);
        Ok(())
    }

    fn receipt(&mut self, command: &Id, receipt: &Receipt) -> Result<(), String> {
        let put = frames::seal_receipt(&self.page, command, receipt).map_err(|fault| fault.to_string())?;
        self.held += put.value.len() as u64;
        // In a damaged file a command may have two.
        if block_on(self.engine.get(&put.key, 1)).is_ok_and(|found| found.is_some()) {
            return Ok(());
        }
        self.flush(Some(put))
    }

    /// Commits what waits, with its receipt.
    fn flush(&mut self, receipt: Option<Put>) -> Result<(), String> {
        let key = Key::event(&self.page);
        let events = self.waiting.drain(..).map(|value| Put {
            key: key.clone(),
            value,
        });
        let puts: Vec<Put> = events.chain(receipt).collect();
        if puts.is_empty() {
            return Ok(());
        }
        self.commit(puts)
    }

    fn commit(&self, puts: Vec<Put>) -> Result<(), String> {
        let mut guards: Vec<Guard> = Vec::with_capacity(2);
        let events = puts.iter().filter(|put| matches!(put.key, Key::Event(_))).count();
        for put in &puts {
            if guards.iter().any(|guard| guard.key == put.key) {
                continue;
            }
            let revision = match put.key {
                Key::Event(_) => self.version - events as u64,
                _ => 0,
            };
            guards.push(Guard {
                key: put.key.clone(),
                revision,
            });
        }
        block_on(self.engine.commit(0, guards, puts)).map_err(|fault| fault.to_string())?;
        Ok(())
    }

    fn snapshot(&mut self, event: &Event) -> Result<(), String> {
        let Some(states) = &mut self.states else { return Ok(()) };
        states.step(event);
        if !states.is_certain || !event.version.is_multiple_of(SNAPSHOT_EVENTS) {
            return Ok(());
        }
        let bytes = snapshot::encode(&states.value)?;
        // It is a cache: without it reads are slower.
        drop(block_on(self.store.put_snapshot(
            &self.page,
            event.version,
            bytes.into(),
        )));
        Ok(())
    }

    fn finish(mut self) -> Result<Arc<dyn Engine>, String> {
        self.flush(None)?;
        let key = Key::event(&self.page);
        for version in self.damage.missing {
            self.engine.remove(&key, version);
        }
        for (command, bytes) in self.damage.receipts {
            self.engine
                .insert(Key::command(&self.page, &command), 1, self.version, bytes);
        }
        Ok(Arc::new(self.engine))
    }
}

/// The state after each event, as long as it is surely the right one.
struct States {
    value: Value,
    is_certain: bool,
}

impl States {
    fn new(kind: recto_projections::Kind) -> Self {
        Self {
            value: Value::empty(kind),
            is_certain: true,
        }
    }

    fn step(&mut self, event: &Event) {
        let has_delta = EventKind::from_code(event.kind).is_some_and(EventKind::has_delta);
        if has_delta && let Ok(delta) = Delta::from_bytes(&event.delta) {
            // What does not apply is seen by the digest.
            drop(self.value.replay(&delta));
        }
        self.is_certain = self.value.digest() == Digest::from_bytes(event.digest);
    }
}
