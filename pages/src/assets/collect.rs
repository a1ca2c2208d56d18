//! Dropping assets that nothing refers to: no page, no event, no task.

use recto_store::Id;

use super::ledger::{AssetRecord, PromotionRecord, PromotionState, Versioned, Wrote, put};
use super::references::Unused;
use super::{Asset, AssetId, Assets, FileError};

/// What a collection did, or would do.
#[derive(Clone, Debug)]
pub struct Collected {
    /// How many assets there are, or were.
    pub assets: usize,
    /// Those that nothing refers to, by id.
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

impl Assets {
    /// Drops the assets that nothing refers to and that are older than `kept_ms`; with `dry_run` it only tells them.
    /// An attachment stays, and promoting it again brings its asset back under the same id.
    ///
    /// # Errors
    /// Where the log cannot be read to its end; what was dropped until then stays dropped.
    pub async fn collect(&self, scope: &Id, kept_ms: i64, dry_run: bool) -> Result<Collected, FileError> {
        let all = self.ledger().list::<AssetRecord>(scope).await?;
        let newest = self.pages().clock().now_ms().saturating_sub(kept_ms);
        let mut unused: Unused = all
            .iter()
            .filter(|(_, found)| found.value.deleted_ms.is_none() && found.value.created_ms <= newest)
            .filter_map(|(key, found)| Some((key.parse().ok()?, found.value.attachment.clone())))
            .collect();
        let assets = all.iter().filter(|(_, found)| found.value.deleted_ms.is_none()).count();
        let position = self.strike_out_events(scope, 0, &mut unused).await?;
        self.strike_out_pages(scope, &mut unused).await?;
        self.strike_out_tasks(scope, &mut unused).await?;

        let mut collected = Collected {
            assets,
            unused: Vec::new(),
            bytes: 0,
            dry_run,
        };
        for (key, found) in all {
            let Some(id) = key.parse::<AssetId>().ok().filter(|id| unused.contains_key(id)) else {
                continue;
            };
            let asset = Asset::of(id, found.value.clone());
            if !dry_run && !self.drop_asset(scope, id, found, position).await? {
                continue;
            }
            let last_of_content = self.drop_content(scope, &asset, dry_run.then_some(&unused)).await?;
            if last_of_content {
                collected.bytes += asset.size;
            }
            collected.unused.push(CollectedAsset { asset, last_of_content });
        }
        metrics::counter!("recto_assets_collected_total").increment(if dry_run {
            0
        } else {
            u64::try_from(collected.unused.len()).unwrap_or_default()
        });
        Ok(collected)
    }

    /// Marks an asset as gone, then looks whether somebody has referred to it since the log was read: from the mark on
    /// nobody finds it any more. `false`: it stays.
    async fn drop_asset(
        &self,
        scope: &Id,
        id: AssetId,
        found: Versioned<AssetRecord>,
        position: u64,
    ) -> Result<bool, FileError> {
        let key = id.key().map_err(|fault| FileError::Corrupt {
            what: fault.to_string(),
        })?;
        let (revision, mut record) = (found.revision, found.value);
        record.deleted_ms = Some(self.pages().clock().now_ms());
        let marked = self
            .ledger()
            .write(scope, vec![put(key.clone(), revision, &record)?])
            .await?;
        if marked == Wrote::LookAgain {
            return Ok(false);
        }
        let mut unused = Unused::from([(id, record.attachment.clone())]);
        self.strike_out_events(scope, position, &mut unused).await?;
        self.strike_out_tasks(scope, &mut unused).await?;
        if unused.contains_key(&id) {
            return Ok(true);
        }
        record.deleted_ms = None;
        self.ledger()
            .write(scope, vec![put(key, revision + 1, &record)?])
            .await?;
        Ok(false)
    }

    /// Drops the bytes of an asset that is gone, unless another asset has them or is about to. `besides` names those
    /// that would be gone too, where nothing is to be dropped.
    async fn drop_content(&self, scope: &Id, asset: &Asset, besides: Option<&Unused>) -> Result<bool, FileError> {
        let _content = self.lock_content(scope, &asset.hash).await?;
        let gone = |key: &str| besides.is_some_and(|gone| key.parse().is_ok_and(|id: AssetId| gone.contains_key(&id)));
        let assets = self.ledger().list::<AssetRecord>(scope).await?;
        let shared = assets.iter().any(|(key, other)| {
            other.value.hash == asset.hash
                && other.value.deleted_ms.is_none()
                && *key != asset.id.to_string()
                && !gone(key)
        });
        let promotions = self.ledger().list::<PromotionRecord>(scope).await?;
        let awaited = promotions
            .iter()
            .any(|(_, other)| other.value.hash == asset.hash && other.value.state == PromotionState::Reserved);
        let drops = !shared && !awaited;
        if drops && besides.is_none() {
            self.blobs().delete_blob(scope, &asset.hash).await?;
        }
        Ok(drops)
    }
}
