//! Dropping assets that nothing refers to: no page, no event, no task. All are marked as gone, then it is looked once
//! more who refers to one of them, and only then are their bytes dropped.

use std::collections::{BTreeMap, BTreeSet};

use recto_store::Id;

use super::blobs::ContentHash;
use super::ledger::{AssetRecord, PromotionRecord, PromotionState, Tries, Versioned, Wrote, put};
use super::references::Unused;
use super::{Asset, AssetId, Assets, FileError};
use crate::crash::Point;

/// How many records are marked in one write.
const MARKED_AT_ONCE: usize = 256;
/// How many contents are looked at together before they are dropped; nobody stores one of them meanwhile.
const CONTENTS_AT_ONCE: usize = 1024;

/// What a collection did, or would do.
#[derive(Clone, Debug)]
pub struct Collected {
    /// How many assets there are, or were.
    pub assets: usize,
    /// Those that nothing refers to, by id; also those whose bytes an earlier collection left, as it was cut off.
    pub unused: Vec<CollectedAsset>,
    /// How many bytes were or would be free.
    pub bytes: u64,
    /// Whether nothing was dropped.
    pub dry_run: bool,
}

/// An asset that nothing refers to.
#[derive(Clone, Debug)]
pub struct CollectedAsset {
    /// The asset.
    pub asset: Asset,
    /// Whether its bytes are, or would be, dropped with it: no other asset has the same.
    pub last_of_content: bool,
}

/// The assets of a workspace, those among them that are gone.
type Known = BTreeMap<AssetId, Versioned<AssetRecord>>;

/// Which contents assets have, and which assets those are.
struct InUse {
    live: BTreeSet<AssetId>,
    contents: BTreeSet<ContentHash>,
}

impl Assets {
    /// Drops the assets that nothing refers to and that nobody has asked for in `kept_ms`; with `dry_run` it only tells
    /// them. An attachment stays, and promoting it again brings its asset back under the same id. What a collection that
    /// was cut off has left is finished. One runs at a time in a workspace.
    ///
    /// # Errors
    /// Where the log cannot be read to its end; what was dropped until then stays dropped.
    pub async fn collect(&self, scope: &Id, kept_ms: i64, dry_run: bool) -> Result<Collected, FileError> {
        let _turn = self.inner.collecting.lock(scope).await;
        let known = self.known(scope).await?;
        let stored = self.blobs().contents(scope).await?;
        let newest = self.pages().clock().now_ms().saturating_sub(kept_ms);
        let looked_for = |record: &AssetRecord| match record.is_live() {
            true => record.idle_since_ms() <= newest,
            false => stored.contains(&record.hash),
        };
        let mut unused: Unused = known
            .iter()
            .filter(|(_, found)| looked_for(&found.value))
            .map(|(id, found)| (*id, found.value.attachment.clone()))
            .collect();
        let gone_before: Vec<AssetId> = unused.keys().copied().filter(|id| !is_live(&known, *id)).collect();
        let position = self.strike_out_events(scope, 0, &mut unused).await?;
        self.strike_out_pages(scope, &mut unused).await?;
        self.strike_out_tasks(scope, &mut unused).await?;
        let dropped = if dry_run {
            let in_use = self.in_use(scope, &unused).await?;
            contents_of(&known, &unused)
                .difference(&in_use.contents)
                .copied()
                .collect()
        } else {
            let wanted = gone_before.into_iter().filter(|id| !unused.contains_key(id)).collect();
            self.drop_unused(scope, &known, &mut unused, wanted, position).await?
        };
        let collected = Collected::of(known, &unused, &dropped, dry_run);
        if !dry_run {
            let count = u64::try_from(collected.unused.len()).unwrap_or_default();
            metrics::counter!("recto_assets_collected_total").increment(count);
        }
        Ok(collected)
    }

    async fn known(&self, scope: &Id) -> Result<Known, FileError> {
        let all = self.ledger().list::<AssetRecord>(scope).await?;
        Ok(all
            .into_iter()
            .filter_map(|(key, found)| Some((key.parse().ok()?, found)))
            .collect())
    }

    /// Marks what is unused, brings back what is wanted or was referred to since the log was read, and drops the bytes of
    /// the rest; `unused` is that rest in the end.
    async fn drop_unused(
        &self,
        scope: &Id,
        known: &Known,
        unused: &mut Unused,
        mut wanted: Vec<AssetId>,
        position: u64,
    ) -> Result<BTreeSet<ContentHash>, FileError> {
        self.mark(scope, known, unused).await?;
        self.crash().reached(Point::CollectMarked).await;
        // From the mark on nobody finds them: whoever refers to one has done so by now.
        let marked: Vec<AssetId> = unused.keys().copied().collect();
        self.strike_out_events(scope, position, unused).await?;
        self.strike_out_tasks(scope, unused).await?;
        wanted.extend(marked.into_iter().filter(|id| !unused.contains_key(id)));
        for id in wanted {
            self.unmark(scope, id).await?;
        }
        self.drop_contents(scope, known, unused).await
    }

    /// Marks assets as gone; those that have changed meanwhile are taken out of `unused`.
    async fn mark(&self, scope: &Id, known: &Known, unused: &mut Unused) -> Result<(), FileError> {
        let live: Vec<AssetId> = unused.keys().copied().filter(|id| is_live(known, *id)).collect();
        for some in live.chunks(MARKED_AT_ONCE) {
            if self.write_marks(scope, known, some).await? == Wrote::Yes {
                continue;
            }
            for one in some {
                let wrote = self.write_marks(scope, known, std::slice::from_ref(one)).await?;
                // The first write may have landed after all.
                if wrote == Wrote::LookAgain && self.find(scope, *one).await?.is_some() {
                    unused.remove(one);
                }
            }
        }
        Ok(())
    }

    async fn write_marks(&self, scope: &Id, known: &Known, some: &[AssetId]) -> Result<Wrote, FileError> {
        let now_ms = self.pages().clock().now_ms();
        let mut writes = Vec::with_capacity(some.len());
        for (id, found) in some.iter().filter_map(|id| Some((id, known.get(id)?))) {
            let record = AssetRecord {
                deleted_ms: Some(now_ms),
                ..found.value.clone()
            };
            writes.push(put(id.key(), found.revision, &record)?);
        }
        self.ledger().write(scope, writes).await
    }

    /// Takes a mark back, where the bytes are there still.
    async fn unmark(&self, scope: &Id, id: AssetId) -> Result<(), FileError> {
        let mut tries = Tries::of("the asset");
        loop {
            tries.next()?;
            let Some(found) = self.ledger().read::<AssetRecord>(scope, &id.key()).await? else {
                return Ok(());
            };
            let _content = self.lock_content(scope, &found.value.hash).await;
            if found.value.is_live() || !self.has_bytes(scope, &found.value).await? {
                return Ok(());
            }
            let record = AssetRecord {
                deleted_ms: None,
                ..found.value
            };
            let write = put(id.key(), found.revision, &record)?;
            if self.ledger().write(scope, vec![write]).await? == Wrote::Yes {
                return Ok(());
            }
        }
    }

    async fn has_bytes(&self, scope: &Id, record: &AssetRecord) -> Result<bool, FileError> {
        Ok(self.blobs().has_blob(scope, &record.hash, record.size).await?)
    }

    /// Drops the contents of assets that are gone, unless another asset has them or is about to. Those that came back
    /// are taken out of `unused`.
    async fn drop_contents(
        &self,
        scope: &Id,
        known: &Known,
        unused: &mut Unused,
    ) -> Result<BTreeSet<ContentHash>, FileError> {
        let mut dropped = BTreeSet::new();
        let contents: Vec<ContentHash> = contents_of(known, unused).into_iter().collect();
        for some in contents.chunks(CONTENTS_AT_ONCE) {
            let mut locks = Vec::with_capacity(some.len());
            for hash in some {
                locks.push(self.lock_content(scope, hash).await);
            }
            let in_use = self.in_use(scope, &Unused::new()).await?;
            unused.retain(|id, _| !in_use.live.contains(id));
            for hash in some.iter().filter(|hash| !in_use.contents.contains(*hash)) {
                self.blobs().delete_blob(scope, hash).await?;
                dropped.insert(*hash);
            }
        }
        Ok(dropped)
    }

    /// What is in use, `besides` left out.
    async fn in_use(&self, scope: &Id, besides: &Unused) -> Result<InUse, FileError> {
        let known = self.known(scope).await?;
        let live = known
            .iter()
            .filter(|(id, found)| found.value.is_live() && !besides.contains_key(id));
        let mut in_use = InUse {
            live: live.clone().map(|(id, _)| *id).collect(),
            contents: live.map(|(_, found)| found.value.hash).collect(),
        };
        let promotions = self.ledger().list::<PromotionRecord>(scope).await?;
        let awaited = promotions.iter().map(|(_, found)| &found.value);
        let awaited = awaited.filter(|promotion| promotion.state == PromotionState::Reserved);
        in_use.contents.extend(awaited.map(|promotion| promotion.hash));
        Ok(in_use)
    }
}

impl Collected {
    fn of(known: Known, unused: &Unused, dropped: &BTreeSet<ContentHash>, dry_run: bool) -> Self {
        let is_told = |id: &AssetId, record: &AssetRecord| {
            unused.contains_key(id) && (record.is_live() || dropped.contains(&record.hash))
        };
        let (mut bytes, mut counted) = (0, BTreeSet::new());
        let assets = known.values().filter(|found| found.value.is_live()).count();
        let told = known.into_iter().filter(|(id, found)| is_told(id, &found.value));
        let told = told.map(|(id, found)| {
            let asset = Asset::of(id, found.value);
            let last_of_content = dropped.contains(&asset.hash);
            if last_of_content && counted.insert(asset.hash) {
                bytes += asset.size;
            }
            CollectedAsset { asset, last_of_content }
        });
        Self {
            assets,
            unused: told.collect(),
            bytes,
            dry_run,
        }
    }
}

fn is_live(known: &Known, id: AssetId) -> bool {
    known.get(&id).is_some_and(|found| found.value.is_live())
}

fn contents_of(known: &Known, unused: &Unused) -> BTreeSet<ContentHash> {
    let found = unused.keys().filter_map(|id| known.get(id));
    found.map(|found| found.value.hash).collect()
}
