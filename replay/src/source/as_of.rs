//! A store as it was when a page was at a version: everything else is as it is now.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::ready;
use recto_store::engine::Answer;
use recto_store::{
    CommitError, Committed, DerivedKey, Engine, Entry, FeedEntry, Guard, Health, Id, Key, KeyPrefix, Limit, Near,
    PageKey, Put, ReadError, Unavailable,
};
use tokio::sync::broadcast;

/// An engine that shows one page's events up to a version, and takes no commits. Receipts and records of later commands
/// are still there.
pub struct AsOf {
    inner: Arc<dyn Engine>,
    page: PageKey,
    version: u64,
}

impl AsOf {
    /// Shows `page` up to `version`.
    pub fn new(inner: Arc<dyn Engine>, page: PageKey, version: u64) -> Self {
        Self { inner, page, version }
    }

    fn is_cut(&self, key: &Key) -> bool {
        matches!(key, Key::Event(page) if *page == self.page)
    }

    /// Puts the newest entry that is shown in the place of the newest there is.
    async fn shown(&self, found: Vec<(Key, Entry)>) -> Result<Vec<(Key, Entry)>, ReadError> {
        let mut shown = Vec::with_capacity(found.len());
        for (key, entry) in found {
            if self.is_cut(&key) && entry.revision > self.version {
                if let Some(entry) = self.inner.get(&key, self.version).await? {
                    shown.push((key, entry));
                }
            } else {
                shown.push((key, entry));
            }
        }
        Ok(shown)
    }
}

impl Engine for AsOf {
    fn commit(&self, _: u16, _: Vec<Guard>, _: Vec<Put>) -> Answer<'_, Committed, CommitError> {
        ready(Err(CommitError::Unavailable(Unavailable::ReadOnly))).boxed()
    }

    fn last(&self, key: &Key) -> Answer<'_, Option<Entry>, ReadError> {
        if self.is_cut(key) {
            return self.inner.get(key, self.version);
        }
        self.inner.last(key)
    }

    fn get(&self, key: &Key, revision: u64) -> Answer<'_, Option<Entry>, ReadError> {
        if self.is_cut(key) && revision > self.version {
            return ready(Ok(None)).boxed();
        }
        self.inner.get(key, revision)
    }

    fn history(&self, key: &Key, after: u64, mut limit: Limit) -> Answer<'_, Vec<Entry>, ReadError> {
        if self.is_cut(key) {
            let left = self.version.saturating_sub(after);
            if left == 0 {
                return ready(Ok(Vec::new())).boxed();
            }
            limit.entries = limit.entries.min(usize::try_from(left).unwrap_or(usize::MAX));
        }
        self.inner.history(key, after, limit)
    }

    fn history_back(&self, key: &Key, mut before: u64, limit: Limit) -> Answer<'_, Vec<Entry>, ReadError> {
        if self.is_cut(key) {
            before = before.min(self.version.saturating_add(1));
        }
        self.inner.history_back(key, before, limit)
    }

    fn feed(&self, partition: u16, scope: &Id, after: u64, limit: Limit) -> Answer<'_, Vec<FeedEntry>, ReadError> {
        self.inner.feed(partition, scope, after, limit)
    }

    fn keys(&self, prefix: &KeyPrefix, after: Option<&Key>, limit: usize) -> Answer<'_, Vec<Key>, ReadError> {
        self.inner.keys(prefix, after, limit)
    }

    fn latest(
        &self,
        prefix: &KeyPrefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Answer<'_, Vec<(Key, Entry)>, ReadError> {
        let found = self.inner.latest(prefix, after, limit);
        async move { self.shown(found.await?).await }.boxed()
    }

    fn tip(&self, partition: u16) -> Answer<'_, u64, ReadError> {
        self.inner.tip(partition)
    }

    fn subscribe(&self) -> broadcast::Receiver<Arc<FeedEntry>> {
        self.inner.subscribe()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    /// What is derived here is not kept: the store below has another head.
    fn put_derived(&self, _: DerivedKey, _: Bytes) -> Answer<'_, (), ReadError> {
        ready(Ok(())).boxed()
    }

    fn derived_near(&self, page: &PageKey, version: u64, side: Near) -> Answer<'_, Option<(u64, Bytes)>, ReadError> {
        if *page != self.page {
            return self.inner.derived_near(page, version, side);
        }
        let newest = self.version;
        let near = self.inner.derived_near(page, version.min(newest), side);
        async move { Ok(near.await?.filter(|(found, _)| *found <= newest)) }.boxed()
    }

    fn delete_derived(&self, _: DerivedKey) -> Answer<'_, (), ReadError> {
        ready(Ok(())).boxed()
    }

    fn derived_versions(&self, page: &PageKey) -> Answer<'_, Vec<u64>, ReadError> {
        let newest = if *page == self.page { self.version } else { u64::MAX };
        let versions = self.inner.derived_versions(page);
        async move {
            let mut versions = versions.await?;
            versions.retain(|version| *version <= newest);
            Ok(versions)
        }
        .boxed()
    }

    /// The store below stays open for others.
    fn close(&self) -> Answer<'_, (), ReadError> {
        ready(Ok(())).boxed()
    }
}
