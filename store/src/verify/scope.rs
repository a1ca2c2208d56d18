//! One scope: all its pages, receipts and records, and its feed.

use std::collections::HashMap;

use super::{Damage, Stop, VerifiedScope, finding};
use crate::engine::{Fault, Limit, Place, ReadError};
use crate::id::{Id, PageKey};
use crate::keys::{Key, KeyPrefix};
use crate::limits::READ_MAX_ENTRIES;
use crate::read::decode_receipt;
use crate::records::decode_record;
use crate::store::{FEED_PARTITION, Store};

/// How much is in memory at once.
const CHUNK: Limit = Limit {
    entries: 1_000,
    bytes: 4 * 1024 * 1024,
};

impl Store {
    /// Verifies all of a scope: each page, every receipt, every revision of every record, and
    /// that the feed tells each page's events once, in order.
    ///
    /// # Errors
    /// [`ReadError::Unavailable`] only, if the engine is away; what is damaged is in the answer.
    pub async fn verify_scope(&self, scope: &Id) -> Result<VerifiedScope, ReadError> {
        let mut verified = VerifiedScope::default();
        let mut versions = HashMap::new();
        self.verify_pages(scope, &mut verified, &mut versions).await?;
        self.verify_commands(scope, &mut verified).await?;
        self.verify_records(scope, &mut verified).await?;
        if verified.damage.is_empty() {
            verified
                .damage
                .extend(finding(self.verify_feed(scope, versions).await)?);
        }
        Ok(verified)
    }

    async fn verify_pages(
        &self,
        scope: &Id,
        verified: &mut VerifiedScope,
        versions: &mut HashMap<PageKey, u64>,
    ) -> Result<(), ReadError> {
        let mut after: Option<Id> = None;
        loop {
            let pages = self.pages(scope, after.as_ref(), READ_MAX_ENTRIES).await;
            let pages = noted(verified, pages)?.unwrap_or_default();
            let Some(last) = pages.last() else {
                return Ok(());
            };
            after = Some(last.page.clone());
            for page in pages {
                let one = self.verify(&page).await?;
                verified.pages += u64::from(one.damage.is_none());
                verified.events += one.events;
                verified.snapshots += one.snapshots;
                verified.damage.extend(one.damage);
                versions.insert(page, one.events);
            }
        }
    }

    async fn verify_commands(&self, scope: &Id, verified: &mut VerifiedScope) -> Result<(), ReadError> {
        let prefix = KeyPrefix::CommandsOf(scope.clone());
        let mut after: Option<Key> = None;
        loop {
            let found = self.inner.engine.latest(&prefix, after.as_ref(), CHUNK.entries).await;
            let found = noted(verified, found)?.unwrap_or_default();
            let Some((last, _)) = found.last() else {
                return Ok(());
            };
            after = Some(last.clone());
            for (key, entry) in &found {
                let sound = noted(verified, decode_receipt(key, entry))?.is_some();
                verified.receipts += u64::from(sound);
            }
        }
    }

    async fn verify_records(&self, scope: &Id, verified: &mut VerifiedScope) -> Result<(), ReadError> {
        let prefix = KeyPrefix::RecordsOf(scope.clone());
        let mut after: Option<Key> = None;
        loop {
            let keys = self.inner.engine.keys(&prefix, after.as_ref(), CHUNK.entries).await;
            let keys = noted(verified, keys)?.unwrap_or_default();
            let Some(last) = keys.last() else {
                return Ok(());
            };
            after = Some(last.clone());
            for key in &keys {
                let sound = self.verify_record(key, verified).await;
                noted(verified, sound)?;
            }
        }
    }

    async fn verify_record(&self, key: &Key, verified: &mut VerifiedScope) -> Result<(), ReadError> {
        let mut after = 0;
        loop {
            let entries = self.inner.engine.history(key, after, CHUNK).await?;
            let Some(last) = entries.last() else {
                return Ok(());
            };
            after = last.revision;
            for entry in &entries {
                decode_record(key, entry)?;
                verified.records += 1;
            }
        }
    }

    /// Reads the whole feed; what was appended meanwhile may come on top.
    async fn verify_feed(&self, scope: &Id, versions: HashMap<PageKey, u64>) -> Result<(), Stop> {
        let mut told: HashMap<PageKey, u64> = HashMap::new();
        let mut after = 0;
        loop {
            let events = self.feed(scope, after, CHUNK).await?;
            let Some((position, ..)) = events.last() else {
                break;
            };
            after = *position;
            for (position, page, event) in events {
                let version = told.entry(page).or_default();
                *version += 1;
                if event.version != *version {
                    return Err(Stop::found(
                        Place::Feed {
                            partition: FEED_PARTITION,
                            position,
                        },
                        Fault::Disagrees,
                    ));
                }
            }
        }
        for (page, events) in versions {
            let version = told.get(&page).copied().unwrap_or_default();
            if version < events {
                let at = Place::Event {
                    page,
                    version: version + 1,
                };
                return Err(Stop::found(at, Fault::NotInFeed));
            }
        }
        Ok(())
    }
}

/// Keeps damage as a finding; an engine that is away ends the verification.
fn noted<T>(verified: &mut VerifiedScope, step: Result<T, ReadError>) -> Result<Option<T>, ReadError> {
    match step {
        Ok(value) => Ok(Some(value)),
        Err(ReadError::Corrupt { at, fault }) => {
            verified.damage.push(Damage { at, fault });
            Ok(None)
        }
        Err(error @ ReadError::Unavailable(_)) => Err(error),
    }
}
