//! The states of recently used pages at their heads, bounded in bytes.

use std::sync::Arc;

use moka::sync::Cache;
use recto_projections::Value;
use recto_store::PageKey;

use crate::head::HeadInfo;
use crate::meta::PageMeta;
use crate::snapshot::Tally;

/// What a cached page costs beside its value, in bytes, by estimate.
const ENTRY_BYTES: usize = 512;

/// A page at its head.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub meta: Arc<PageMeta>,
    pub head: HeadInfo,
    pub deleted: bool,
    pub value: Value,
    pub tally: Tally,
}

/// Heads by page. An entry may be behind the store (another writer, a cancelled answer):
/// the store's guard notices, and the entry is dropped.
#[derive(Debug)]
pub(crate) struct HeadCache {
    heads: Cache<PageKey, Arc<Loaded>>,
}

impl HeadCache {
    pub(crate) fn new(bytes_max: u64) -> Self {
        let heads = Cache::builder()
            .max_capacity(bytes_max)
            .weigher(|_, loaded: &Arc<Loaded>| u32::try_from(loaded.value.weight() + ENTRY_BYTES).unwrap_or(u32::MAX))
            .build();
        Self { heads }
    }

    pub(crate) fn get(&self, page: &PageKey) -> Option<Arc<Loaded>> {
        let found = self.heads.get(page);
        metrics::counter!("recto_head_cache_total", "result" => if found.is_some() { "hit" } else { "miss" })
            .increment(1);
        found
    }

    /// Keeps the newer of two heads, so that a slow reader never puts back an old one.
    pub(crate) fn put(&self, page: &PageKey, loaded: Arc<Loaded>) {
        self.heads.entry_by_ref(page).and_compute_with(|held| match held {
            Some(held) if held.value().head.version > loaded.head.version => moka::ops::compute::Op::Nop,
            _ => moka::ops::compute::Op::Put(loaded),
        });
    }

    pub(crate) fn forget(&self, page: &PageKey) {
        self.heads.invalidate(page);
    }

    pub(crate) fn clear(&self) {
        self.heads.invalidate_all();
    }
}
