//! All receipts of a workspace, or of one page in it, summed up: whether they agree with the events is then one
//! comparison a page, and not a look-up an event.

use std::collections::BTreeMap;

use recto_pages::PageKey;
use recto_store::{Event, Id, Key, KeyPrefix, Place, ReadError, Receipt, Span, frames};

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
    sum: [u64; 2],
}

/// The events of one command, as far as gone over.
pub(super) struct Run {
    command: Id,
    versions: Span,
    positions: Span,
    hash: [u8; 32],
}

impl Receipts {
    /// Reads them all; of one page, where one is named.
    ///
    /// # Errors
    /// [`Failure::Log`], where the store is away, or the area of receipts cannot be read.
    pub async fn read(source: &Source, page: Option<&PageKey>) -> Result<Self, Failure> {
        let mut all = Self::default();
        let prefix = KeyPrefix::CommandsOf(source.scope.clone());
        let mut after: Option<Key> = None;
        loop {
            let found = source.engine().latest(&prefix, after.as_ref(), READ).await?;
            let Some((last, _)) = found.last() else { break };
            after = Some(last.clone());
            for (key, entry) in &found {
                let Key::Command { scope, command, page: of } = key else {
                    continue;
                };
                if page.is_none_or(|page| page.page == *of) {
                    let of = PageKey::new(scope.clone(), of.clone());
                    let receipt = frames::open_receipt(&of, command, entry);
                    all.take(of, command, receipt)?;
                }
            }
        }
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
    pub(super) fn left(self) -> BTreeMap<Id, PageReceipts> {
        self.pages
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
        let mut hasher = blake3::Hasher::new();
        for number in [versions.first, versions.last, positions.first, positions.last] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(hash).update(command.as_str().as_bytes());
        for (lane, bytes) in self.sum.iter_mut().zip(hasher.finalize().as_bytes().chunks_exact(8)) {
            let number = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            *lane = lane.wrapping_add(number);
        }
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
