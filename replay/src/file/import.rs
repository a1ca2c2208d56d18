//! Putting an exported page into a data folder: verified first, never over anything, and gone on with where an earlier
//! import was broken off.
//!
//! Each command is one commit, with its events and receipt, as it was when it was carried out; many are on their way at
//! once. The page's record comes last: until then the page is not found.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use recto_pages::PageMeta;
use recto_store::limits::BATCH_MAX_BYTES;
use recto_store::{CommitError, Committed, Engine, Entry, Event, Guard, Id, Key, PageKey, Put, Receipt, frames};
use tokio::task::unconstrained;

use super::item::{EventItem, Item, ReceiptItem};
use super::reader::Reader;
use crate::failure::Failure;

/// The most commits on their way.
const WAITING_MAX: usize = 512;

/// Where a page goes.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Another id than the file's.
    pub page: Option<Id>,
    /// Another workspace than the file's.
    pub workspace: Option<Id>,
}

/// What an import did.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The page, as it is called now.
    pub page: PageKey,
    /// Its newest version.
    pub versions: u64,
    /// How many of its events were there already.
    pub there: u64,
    /// How many commands were put in.
    pub commands: u64,
    /// The hash of the newest event.
    pub head: [u8; 32],
    /// Whether the hashes are those of the file.
    pub same_hashes: bool,
}

impl Imported {
    /// Whether there was nothing to do.
    #[must_use]
    pub fn was_there(&self) -> bool {
        self.commands == 0 && self.there == self.versions
    }
}

/// Puts the page of a file, which was found sound, into an engine.
///
/// # Errors
/// [`Failure::Refused`], where another page is there.
pub async fn import(path: &Path, target: &Target, engine: &Arc<dyn Engine>) -> Result<Imported, Failure> {
    let mut reader = Reader::open(path)?;
    let page = PageKey::new(
        target.workspace.clone().unwrap_or_else(|| reader.page.scope.clone()),
        target.page.clone().unwrap_or_else(|| reader.page.page.clone()),
    );
    if matches!(page.page.as_str(), "." | "..") {
        let refused = format!(
            "a page cannot be called {:?}: name another id with --as",
            page.page.as_str()
        );
        return Err(Failure::Refused(refused));
    }
    let records = Records::of(&page, &reader)?;
    records.refuse_others(engine).await?;
    let head = engine.last(&Key::event(&page)).await?;
    let mut importing = Importing {
        engine: Arc::clone(engine),
        there: head.as_ref().map_or(0, |head| head.revision),
        head,
        page,
        version: 0,
        link: [0; 32],
        waiting: Vec::new(),
        commits: VecDeque::new(),
        commands: 0,
        same_hashes: true,
    };
    while let Some(item) = reader.next_item()? {
        importing.take(item).await?;
    }
    importing.settle(0).await?;
    if importing.version < importing.there {
        return Err(importing.refusal("has more versions than the file"));
    }
    importing.commands += records.put(engine).await?;
    Ok(Imported {
        versions: importing.version,
        there: importing.there,
        commands: importing.commands,
        head: importing.link,
        same_hashes: importing.same_hashes,
        page: importing.page,
    })
}

struct Importing {
    engine: Arc<dyn Engine>,
    page: PageKey,
    /// What the folder has of the page.
    there: u64,
    head: Option<Entry>,
    /// What was gone over, and its hash under the page's new name.
    version: u64,
    link: [u8; 32],
    /// Events whose receipt has not come yet.
    waiting: Vec<Put>,
    commits: VecDeque<BoxFuture<'static, Result<Committed, CommitError>>>,
    commands: u64,
    same_hashes: bool,
}

impl Importing {
    async fn take(&mut self, item: Item) -> Result<(), Failure> {
        match item {
            Item::Event(EventItem::Whole { event, .. }) => self.event(*event),
            Item::Receipt(ReceiptItem::Whole { command, receipt, .. }) => self.receipt(command, *receipt).await,
            // The file was found sound before.
            Item::Event(EventItem::Damaged { .. }) | Item::Receipt(ReceiptItem::Damaged { .. }) => Err(
                Failure::Refused("the file has changed since it was verified".to_owned()),
            ),
        }
    }

    fn event(&mut self, mut event: Event) -> Result<(), Failure> {
        let told = event.hash;
        event.prev_hash = self.link;
        let sealed = frames::seal_event(&self.page, &event).map_err(recto_store::ReadError::from)?;
        self.version = event.version;
        self.link = sealed.hash;
        self.same_hashes &= sealed.hash == told;
        if event.version == self.there && !self.is_head(&sealed.put) {
            return Err(self.refusal("has another history"));
        }
        if event.version > self.there {
            self.waiting.push(sealed.put);
        }
        Ok(())
    }

    /// Whether the newest event that is there is this one, byte by byte: its hash covers all before it.
    fn is_head(&self, put: &Put) -> bool {
        self.head.as_ref().is_some_and(|head| head.value == put.value)
    }

    async fn receipt(&mut self, command: Id, mut receipt: Receipt) -> Result<(), Failure> {
        receipt.head_hash = self.link;
        receipt.durability = self.engine.health().durability;
        let put = frames::seal_receipt(&self.page, &command, &receipt).map_err(recto_store::ReadError::from)?;
        if self.waiting.is_empty() && self.version <= self.there && self.has(&command, &receipt).await? {
            return Ok(());
        }
        let mut guards = vec![guard(&put.key, 0)];
        let mut puts = std::mem::take(&mut self.waiting);
        let before = self.version - puts.len() as u64;
        guards.extend((!puts.is_empty()).then(|| guard(&Key::event(&self.page), before)));
        puts.push(put);
        self.commit(guards, puts).await
    }

    /// Whether a receipt is there already.
    async fn has(&self, command: &Id, receipt: &Receipt) -> Result<bool, Failure> {
        let key = Key::command(&self.page, command);
        let Some(entry) = self.engine.get(&key, 1).await? else {
            if receipt.versions.is_some() {
                return Err(self.refusal("lacks the receipt of one of its commands"));
            }
            return Ok(false);
        };
        let there = frames::open_receipt(&self.page, command, &entry)?;
        let same = there.versions == receipt.versions
            && there.head_hash == receipt.head_hash
            && there.fingerprint == receipt.fingerprint
            && there.outcome == receipt.outcome;
        if same {
            Ok(true)
        } else {
            Err(self.refusal("has another answer to one of its commands"))
        }
    }

    async fn commit(&mut self, guards: Vec<Guard>, puts: Vec<Put>) -> Result<(), Failure> {
        let bytes: usize = puts.iter().map(|put| put.value.len()).sum();
        let most = if bytes > BATCH_MAX_BYTES / 32 { 1 } else { WAITING_MAX };
        self.settle(most - 1).await?;
        let engine = Arc::clone(&self.engine);
        let commit = async move { engine.commit(0, guards, puts).await };
        // Begun at once, whatever else is to be done, so that commits come in their order.
        let mut commit = unconstrained(commit).boxed();
        if let Some(done) = (&mut commit).now_or_never() {
            done?;
        } else {
            self.commits.push_back(commit);
        }
        self.commands += 1;
        Ok(())
    }

    /// Waits until only so many commits are on their way.
    async fn settle(&mut self, left: usize) -> Result<(), Failure> {
        while self.commits.len() > left
            && let Some(commit) = self.commits.pop_front()
        {
            commit.await?;
        }
        Ok(())
    }

    fn refusal(&self, why: &str) -> Failure {
        Failure::Refused(format!(
            "nothing was imported: page {} of workspace {} is there already and {why}; import it under another id with --as",
            self.page.page, self.page.scope
        ))
    }
}

/// The records that make a page be found.
struct Records(Vec<Put>);

impl Records {
    fn of(page: &PageKey, reader: &Reader) -> Result<Self, Failure> {
        let record = reader.header.record.as_deref().unwrap_or_default();
        let mut puts = vec![frames::seal_record(PageMeta::key(page), 1, record.as_bytes())];
        if let Some(file) = &reader.header.file {
            let key = PageMeta::file_key(page, file).map_err(|fault| reader.fault(fault.to_string()))?;
            puts.push(frames::seal_record(key, 1, b"{}"));
        }
        Ok(Self(puts))
    }

    /// Refuses, where another page has the id.
    async fn refuse_others(&self, engine: &Arc<dyn Engine>) -> Result<(), Failure> {
        for put in &self.0 {
            let there = engine.last(&put.key).await?;
            if there.is_some_and(|there| there.value != put.value) {
                return Err(Failure::Refused(format!(
                    "nothing was imported: {} is there already and says something else; import it under another id with --as",
                    put.key
                )));
            }
        }
        Ok(())
    }

    /// Puts in what is not there; returns how many commits that took.
    async fn put(self, engine: &Arc<dyn Engine>) -> Result<u64, Failure> {
        let mut missing = Vec::new();
        for put in self.0 {
            if engine.last(&put.key).await?.is_none() {
                missing.push(put);
            }
        }
        if missing.is_empty() {
            return Ok(0);
        }
        let guards = missing.iter().map(|put| guard(&put.key, 0)).collect();
        engine.commit(0, guards, missing).await?;
        Ok(1)
    }
}

fn guard(key: &Key, revision: u64) -> Guard {
    Guard {
        key: key.clone(),
        revision,
    }
}

const _: () = assert!(recto_store::limits::PARTITIONS == 1, "a page's partition is 0");
