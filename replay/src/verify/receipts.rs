//! All receipts of a workspace, or of one page in it, summed up: whether they agree with the events is then one
//! comparison a page, and not a look-up an event.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use recto_pages::PageKey;
use recto_store::{Event, Id, Key, KeyPrefix, Place, ReadError, Receipt, Span, frames};
use tokio::task::JoinHandle;

use super::fault::Found;
use crate::failure::Failure;
use crate::source::Source;

/// Receipts read at a time.
const READ: usize = 4096;

/// The receipts of pages, by page.
#[derive(Default)]
pub struct Receipts {
    pages: BTreeMap<Id, PageReceipts>,
}

/// Receipts that are being read, beside whatever else is verified.
pub struct ReceiptsTask {
    running: Option<JoinHandle<Result<Receipts, Failure>>>,
    read: Receipts,
    lost: Option<Found>,
}

/// The receipts of a page.
#[derive(Default)]
pub(super) struct PageReceipts {
    /// Those that tell of events.
    pub(super) told: Tally,
    /// Those that tell of none, by the version that they were carried out at.
    pub(super) silent: Vec<Silent>,
    /// What is wrong with single ones.
    pub(super) damaged: Vec<Found>,
    /// One that tells of events, to name it.
    pub(super) one: Option<Id>,
}

/// The receipt of a command that changed nothing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Silent {
    pub(super) version: u64,
    pub(super) hash: [u8; 32],
    pub(super) command: Id,
}

/// A number of receipts and the sum of their hashes: two tallies are equal if they are of the same receipts, in
/// whatever order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) count: u64,
    sum: u64,
}

/// The events of one command, as far as gone over.
pub(super) struct Run {
    command: Id,
    versions: Span,
    positions: Span,
    hash: [u8; 32],
}

impl ReceiptsTask {
    /// Begins to read them all; of one page, where one is named.
    #[must_use]
    pub fn begin(source: &Source, page: Option<&PageKey>) -> Self {
        let (source, page) = (source.clone(), page.cloned());
        Self {
            running: Some(tokio::spawn(
                async move { Receipts::read(&source, page.as_ref()).await },
            )),
            read: Receipts::default(),
            lost: None,
        }
    }

    /// Waits until they are read; where their area cannot be, there are none, and [`ReceiptsTask::lost`] says so.
    ///
    /// # Errors
    /// [`Failure::Log`], where the store is away.
    pub async fn ready(&mut self) -> Result<&mut Receipts, Failure> {
        if let Some(running) = self.running.take() {
            let read = running
                .await
                .map_err(|gone| Failure::Output(std::io::Error::other(gone)))?;
            match read {
                Ok(read) => self.read = read,
                Err(Failure::Log(ReadError::Corrupt { at, fault })) => self.lost = Some(Found::of(at, &fault)),
                Err(away) => return Err(away),
            }
        }
        Ok(&mut self.read)
    }

    /// Why there are none, where their area cannot be read: known once they are ready.
    #[must_use]
    pub fn lost(&self) -> Option<&Found> {
        self.lost.as_ref()
    }
}

impl Silent {
    /// Whether it was carried out before anything was: a chat can be asked for the mode that it has before it has events.
    pub(super) fn is_before_all(&self) -> bool {
        self.version == 0 && self.hash == [0; 32]
    }
}

impl Receipts {
    async fn read(source: &Source, page: Option<&PageKey>) -> Result<Self, Failure> {
        let mut all = Self::default();
        let prefix = KeyPrefix::CommandsOf(source.scope.clone());
        let take = |key, entry| {
            if let Key::Command {
                scope,
                command,
                page: of,
            } = key
                && page.is_none_or(|page| page.page == of)
            {
                let of = PageKey::new(scope, of);
                let receipt = frames::open_receipt(&of, &command, &entry);
                all.take(of, &command, receipt)?;
            }
            Ok::<_, ReadError>(())
        };
        source.each_latest(&prefix, READ, take).await?;
        for page in all.pages.values_mut() {
            page.silent.sort();
        }
        Ok(all)
    }

    /// The receipts of a page; they are taken out.
    pub(super) fn of(&mut self, page: &Id) -> PageReceipts {
        self.pages.remove(page).unwrap_or_default()
    }

    /// The pages whose receipts were not taken out.
    pub(super) fn left(&mut self) -> BTreeMap<Id, PageReceipts> {
        std::mem::take(&mut self.pages)
    }

    fn take(&mut self, page: PageKey, command: &Id, receipt: Result<Receipt, ReadError>) -> Result<(), ReadError> {
        let known = self.pages.entry(page.page.clone()).or_default();
        match receipt {
            Ok(receipt) => match (receipt.versions, receipt.positions) {
                (Some(versions), Some(positions)) => {
                    known.told.add(command, versions, positions, &receipt.head_hash);
                    known.one.get_or_insert_with(|| command.clone());
                }
                (Some(_), None) => known.damaged.push(Found::of(
                    Place::Receipt {
                        page,
                        command: command.clone(),
                    },
                    &recto_store::Fault::Disagrees,
                )),
                (None, _) => known.silent.push(Silent {
                    version: receipt.head_version,
                    hash: receipt.head_hash,
                    command: command.clone(),
                }),
            },
            Err(ReadError::Corrupt { at, fault }) => known.damaged.push(Found::of(at, &fault)),
            Err(away) => return Err(away),
        }
        Ok(())
    }
}

impl Tally {
    /// Takes a command's receipt, or what it ought to be, in.
    pub(super) fn add(&mut self, command: &Id, versions: Span, positions: Span, hash: &[u8; 32]) {
        let mut hasher = DefaultHasher::new();
        (versions.first, versions.last, positions.first, positions.last).hash(&mut hasher);
        (hash, command).hash(&mut hasher);
        self.sum = self.sum.wrapping_add(hasher.finish());
        self.count += 1;
    }

    /// Takes a finished run of events in.
    pub(super) fn add_run(&mut self, run: &Run) {
        self.add(&run.command, run.versions, run.positions, &run.hash);
    }
}

impl Run {
    pub(super) fn begin(event: &Event) -> Self {
        let one = |number| Span {
            first: number,
            last: number,
        };
        Self {
            command: event.command.clone(),
            versions: one(event.version),
            positions: one(event.position),
            hash: event.hash,
        }
    }

    /// Whether an event is of the same command.
    pub(super) fn holds(&self, event: &Event) -> bool {
        self.command == event.command
    }

    pub(super) fn extend(&mut self, event: &Event) {
        self.versions.last = event.version;
        self.positions.last = event.position;
        self.hash = event.hash;
    }
}
