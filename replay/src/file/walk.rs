//! Going over a page's history in a store, item by item, damage included.

use std::collections::{BTreeSet, HashMap, VecDeque};

use recto_pages::PageMeta;
use recto_store::{Entry, FORMAT, Fault, Id, Key, KeyPrefix, PageKey, ReadError, Receipt, frames};

use super::chain::{BROKEN_CHAIN, Chain, DISAGREES};
use super::format::{ABOUT, FORMAT_NAME, FORMAT_VERSION, Header, to_base64};
use super::item::{EventItem, Item, ReceiptItem};
use crate::failure::Failure;
use crate::history::Found;
use crate::out::time_full;
use crate::source::Source;

/// Receipts of a workspace looked at in one read.
const SCANNED: usize = 4096;
/// What is wrong with a receipt whose events are not there.
pub(crate) const ORPHAN: &str = "it tells of events that are not there";

/// Where the items go.
pub trait Sink {
    /// Takes the next item.
    ///
    /// # Errors
    /// [`Failure`] ends the walk.
    fn take(&mut self, item: Item) -> Result<(), Failure>;
}

type Known = HashMap<Id, Result<Option<Receipt>, ReadError>>;

/// Says what a page is, as the first line of a file.
///
/// # Errors
/// [`Failure`], where there is no such page, or the store is away.
pub async fn header(source: &Source, page: &PageKey) -> Result<Header, Failure> {
    let events = source.head(page).await?;
    let key = PageMeta::key(page);
    let entry = match source.engine().last(&key).await {
        Err(ReadError::Corrupt { .. }) => None,
        entry => entry?,
    };
    let mut header = Header {
        recto: FORMAT_NAME.to_owned(),
        format: FORMAT_VERSION,
        about: ABOUT.to_owned(),
        workspace: page.scope.to_string(),
        page: page.page.to_string(),
        kind: None,
        file: None,
        created: None,
        record: None,
        record_damage: None,
        store: FORMAT,
        events,
        stand_ins: false,
    };
    match read_record(&key, entry.as_ref()) {
        Ok((record, meta)) => {
            header.record = Some(record);
            header.kind = Some(meta.kind.as_str().to_owned());
            header.file = meta.file;
            header.created = Some(time_full(meta.created_ms));
        }
        Err(damage) => {
            header.record = entry.map(|entry| to_base64(&entry.value));
            header.record_damage = Some(damage);
        }
    }
    Ok(header)
}

/// Goes over a page's history from the first event to a version: events, each command's receipt behind its events, and
/// the receipts of commands that changed nothing behind the version that they were carried out at.
///
/// # Errors
/// [`Failure`], where the store is away, or the sink has one. Damage is an item.
pub async fn walk(source: &Source, page: &PageKey, head: u64, sink: &mut impl Sink) -> Result<(), Failure> {
    let mut walk = Walk {
        source,
        page,
        sink,
        chain: Chain::default(),
        version: 0,
        scanned: Scanned::of(source, page).await?,
        told: 0,
    };
    walk.silent().await?;
    let mut at = 0;
    while at < head {
        let chunk = source.events(page, at + 1..=head).await?;
        at = chunk.last().map_or(head, Found::version);
        let known = walk.receipts_of(&chunk).await?;
        for found in chunk {
            walk.event(found, &known).await?;
        }
    }
    let known = walk.receipts_of(&[]).await?;
    walk.close(&known).await?;
    walk.silent().await?;
    walk.orphans().await
}

/// What a look at all receipts of a page told.
struct Scanned {
    /// The commands that changed nothing, by the version that they were carried out at.
    silent: VecDeque<(u64, Id)>,
    /// The commands whose receipts cannot be read.
    damaged: BTreeSet<Id>,
    /// How many receipts tell of events.
    with_events: u64,
}

impl Scanned {
    async fn of(source: &Source, page: &PageKey) -> Result<Self, Failure> {
        let mut scanned = Self {
            silent: VecDeque::new(),
            damaged: BTreeSet::new(),
            with_events: 0,
        };
        let mut silent = Vec::new();
        for_receipts(source, page, |command, receipt| match receipt {
            Ok(receipt) if receipt.versions.is_none() => silent.push((receipt.head_version, command)),
            Ok(_) => scanned.with_events += 1,
            Err(_) => drop(scanned.damaged.insert(command)),
        })
        .await?;
        silent.sort();
        scanned.silent = silent.into();
        Ok(scanned)
    }
}

struct Walk<'a, S> {
    source: &'a Source,
    page: &'a PageKey,
    sink: &'a mut S,
    chain: Chain,
    version: u64,
    scanned: Scanned,
    /// How many receipts that tell of events were gone over.
    told: u64,
}

impl<S: Sink> Walk<'_, S> {
    /// The receipts that will be needed while some events are gone over.
    async fn receipts_of(&self, chunk: &[Found]) -> Result<Known, Failure> {
        let mut commands: Vec<Id> = self.chain.open_command().cloned().into_iter().collect();
        for found in chunk {
            if let Some(event) = found.event()
                && commands.last() != Some(&event.event.command)
            {
                commands.push(event.event.command.clone());
            }
        }
        let receipts = self.source.store().receipts(self.page, &commands).await?;
        Ok(commands.into_iter().zip(receipts).collect())
    }

    async fn event(&mut self, found: Found, known: &Known) -> Result<(), Failure> {
        let command = found.event().map(|event| &event.event.command);
        if self.chain.open_command() != command {
            self.close(known).await?;
        }
        self.silent().await?;
        self.version = found.version();
        let item = match found {
            Found::Event(event) => {
                let event = (*event.event).clone();
                EventItem::Whole {
                    damage: (!self.chain.links(&event)).then(|| BROKEN_CHAIN.to_owned()),
                    event: Box::new(event),
                }
            }
            Found::Damaged(damaged) => EventItem::Damaged {
                version: damaged.version,
                bytes: damaged.bytes,
                reason: damaged.reason,
            },
        };
        self.emit(Item::Event(item))
    }

    /// Tells the receipt of the command whose events came last.
    async fn close(&mut self, known: &Known) -> Result<(), Failure> {
        let Some(command) = self.chain.open_command().cloned() else {
            return Ok(());
        };
        let found = known.get(&command).cloned().unwrap_or(Ok(None));
        self.scanned.damaged.remove(&command);
        self.told += u64::from(matches!(&found, Ok(Some(receipt)) if receipt.versions.is_some()));
        self.receipt(command, found).await
    }

    /// Tells the receipts of commands that changed nothing at the version come to.
    async fn silent(&mut self) -> Result<(), Failure> {
        while let Some((version, _)) = self.scanned.silent.front()
            && *version <= self.version
            && let Some((_, command)) = self.scanned.silent.pop_front()
        {
            let found = self.source.store().receipt(self.page, &command).await;
            self.receipt(command, found).await?;
        }
        Ok(())
    }

    async fn receipt(&mut self, command: Id, found: Result<Option<Receipt>, ReadError>) -> Result<(), Failure> {
        let damaged = |bytes, fault: Fault| ReceiptItem::Damaged {
            command: command.clone(),
            bytes,
            reason: fault.to_string(),
        };
        let item = match found {
            Ok(Some(receipt)) => ReceiptItem::Whole {
                damage: (!self.chain.agrees(&command, &receipt)).then(|| DISAGREES.to_owned()),
                receipt: Box::new(receipt),
                command,
            },
            Ok(None) => damaged(None, Fault::Missing),
            Err(ReadError::Corrupt { fault, .. }) => damaged(self.raw(&command).await?, fault),
            Err(away) => return Err(away.into()),
        };
        self.emit(Item::Receipt(item))
    }

    async fn raw(&self, command: &Id) -> Result<Option<bytes::Bytes>, Failure> {
        match self.source.engine().get(&Key::command(self.page, command), 1).await {
            Ok(entry) => Ok(entry.map(|entry| entry.value)),
            Err(ReadError::Corrupt { .. }) => Ok(None),
            Err(away) => Err(away.into()),
        }
    }

    /// Tells what is left: receipts that cannot be read, and those whose events are not there.
    async fn orphans(&mut self) -> Result<(), Failure> {
        for command in std::mem::take(&mut self.scanned.damaged) {
            let found = self.source.store().receipt(self.page, &command).await;
            self.receipt(command, found).await?;
        }
        while let Some((_, command)) = self.scanned.silent.pop_front() {
            let found = self.source.store().receipt(self.page, &command).await;
            self.receipt(command, found).await?;
        }
        if self.told == self.scanned.with_events {
            return Ok(());
        }
        let mut left = Vec::new();
        for_receipts(self.source, self.page, |command, receipt| {
            if let Ok(receipt) = receipt
                && receipt.versions.is_some()
            {
                left.push((command, receipt));
            }
        })
        .await?;
        for (command, receipt) in left {
            let newest = self.source.event(self.page, receipt.head_version).await?;
            if newest.event().is_some_and(|event| event.event.command == command) {
                continue;
            }
            self.emit(Item::Receipt(ReceiptItem::Whole {
                command,
                receipt: Box::new(receipt),
                damage: Some(ORPHAN.to_owned()),
            }))?;
        }
        Ok(())
    }

    fn emit(&mut self, item: Item) -> Result<(), Failure> {
        // What does not fit is told by the item itself.
        if let Err(what) = self.chain.take(&item)
            && item.damage().is_none()
        {
            return Err(Failure::Refused(format!("the history does not fit together: {what}")));
        }
        self.sink.take(item)
    }
}

/// Goes over all receipts of a page.
pub(super) async fn for_receipts(
    source: &Source,
    page: &PageKey,
    mut each: impl FnMut(Id, Result<Receipt, ReadError>),
) -> Result<(), Failure> {
    let prefix = KeyPrefix::CommandsOf(page.scope.clone());
    let take = |key, entry| {
        if let Key::Command { command, page: of, .. } = key
            && of == page.page
        {
            let receipt = frames::open_receipt(page, &command, &entry);
            each(command, receipt);
        }
        Ok(())
    };
    source.each_latest(&prefix, SCANNED, take).await
}

fn read_record(key: &Key, entry: Option<&Entry>) -> Result<(String, PageMeta), String> {
    let entry = entry.ok_or_else(|| Fault::Missing.to_string())?;
    let record = frames::open_record(key, entry).map_err(|fault| fault.to_string())?;
    let meta = PageMeta::from_record(&record).map_err(|fault| fault.to_string())?;
    let text = String::from_utf8(record.to_vec()).map_err(|fault| fault.to_string())?;
    Ok((text, meta))
}
