//! What belongs to no single page: records, receipts of pages that are not there, the feed.

use std::collections::BTreeMap;

use recto_pages::{PageKey, PageMeta};
use recto_store::{Entry, Fault, KeyPrefix, Limit, Place, ReadError, frames};

use super::fault::{FaultClass, Found};
use super::receipts::Receipts;
use crate::failure::Failure;
use crate::source::{Heads, Source};

/// Entries read at a time.
const READ: usize = 1024;
/// The partition of the feed; there is one.
const PARTITION: u16 = 0;

/// What was found beside the pages.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// Records whose bytes are whole; `None` where nobody went over them.
    pub records: Option<u64>,
    /// Entries of the feed that tell of an event at its place, up to the first that does not; `None` where nobody went
    /// over them.
    pub feed: Option<u64>,
    /// What is wrong.
    pub faults: Vec<Found>,
}

/// Verifies what is left when the pages were: their receipts are taken out of `receipts`.
///
/// # Errors
/// [`Failure`], where the store is away; what is damaged is in the answer.
pub async fn verify_rest(source: &Source, heads: &Heads, receipts: &mut Receipts) -> Result<Rest, Failure> {
    let mut rest = Rest::default();
    for (page, left) in receipts.left() {
        rest.faults.extend(left.damaged);
        let silent = left.silent.into_iter().find(|silent| !silent.is_before_all());
        let silent = silent.map(|silent| silent.command);
        if let Some(command) = left.one.or(silent) {
            let page = PageKey::new(source.scope.clone(), page);
            rest.faults.push(Found {
                place: Place::Receipt { page, command },
                class: FaultClass::ReceiptOrphan,
                what: "its page has no events".to_owned(),
            });
        }
    }
    rest.records(source, heads).await?;
    if let Err(fault) = rest.feed(source, heads).await {
        rest.keep(fault)?;
    }
    Ok(rest)
}

impl Rest {
    /// Whether all of it was gone over and nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.records.is_some() && self.feed.is_some() && self.faults.is_empty()
    }

    async fn records(&mut self, source: &Source, heads: &Heads) -> Result<(), Failure> {
        let prefix = KeyPrefix::RecordsOf(source.scope.clone());
        let mut whole = 0;
        let take = |key, entry: Entry| {
            let page = PageMeta::page_of(&key);
            let is_orphan = page.as_ref().is_some_and(|(page, _)| !heads.contains_key(&page.page));
            // The records of pages that are there are told with them.
            let is_told = page.is_some() && !is_orphan;
            match frames::open_record(&key, &entry) {
                Ok(_) => whole += 1,
                Err(_) if is_told => {}
                Err(fault) => self.keep(fault)?,
            }
            if is_orphan {
                self.faults.push(Found {
                    place: Place::of(&key, entry.revision),
                    class: FaultClass::RecordOrphan,
                    what: "its page has no events".to_owned(),
                });
            }
            Ok(())
        };
        let read = source.each_latest(&prefix, READ, take).await;
        self.records = Some(whole);
        match read {
            Err(Failure::Log(fault)) => self.keep(fault),
            read => read,
        }
    }

    /// Goes over the feed: it tells each page's events once, in order.
    async fn feed(&mut self, source: &Source, heads: &Heads) -> Result<(), ReadError> {
        let mut told: BTreeMap<PageKey, u64> = BTreeMap::new();
        let mut after = 0;
        let mut at_place = 0;
        loop {
            self.feed = Some(at_place);
            let limit = Limit::entries(READ);
            let found = source.engine().feed(PARTITION, &source.scope, after, limit).await?;
            let Some(last) = found.last() else { break };
            after = last.position;
            for entry in found {
                let version = told.entry(entry.page).or_default();
                *version += 1;
                if entry.revision != *version {
                    return Err(ReadError::Corrupt {
                        at: Place::Feed {
                            partition: PARTITION,
                            position: entry.position,
                        },
                        fault: Fault::Disagrees,
                    });
                }
                at_place += 1;
            }
        }
        for (page, head) in heads {
            let page = PageKey::new(source.scope.clone(), page.clone());
            let version = told.get(&page).copied().unwrap_or_default() + 1;
            if version <= *head {
                return Err(ReadError::Corrupt {
                    at: Place::Event { page, version },
                    fault: Fault::NotInFeed,
                });
            }
        }
        Ok(())
    }

    fn keep(&mut self, fault: ReadError) -> Result<(), Failure> {
        match fault {
            ReadError::Corrupt { at, fault } => {
                self.faults.push(Found::of(at, &fault));
                Ok(())
            }
            away => Err(away.into()),
        }
    }
}
