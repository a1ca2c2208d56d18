//! Which assets pages, events and tasks refer to: wherever the id of an asset stands in a text, it is a reference, and so
//! is the path of the attachment that it was made of. A page that names an attachment shows its asset as soon as there is
//! one: in every node, on every page, without a write.

use std::collections::BTreeMap;

use recto_projections::{Json, Value};
use recto_store::{Id, Limit};

use super::ledger::{AssetRecord, AttachmentRecord, Ledger, PromotionRecord, PromotionState, table};
use super::{ATTACHMENT_FOLDER, AssetId, Assets, AttachmentId, FileError};
use crate::error::ReadError;
use crate::event::PageEvent;
use crate::read::At;
use crate::service::Pages;

/// How much of the log is read at a time.
const SCAN: Limit = Limit {
    entries: 256,
    bytes: 4 * 1024 * 1024,
};
/// How many pages are listed at a time.
const LIST_AT_ONCE: usize = 256;
/// The field of a node or background that names an asset, whether there is one or not.
const FIELD: &str = "assetId";
/// How many characters a UUID has.
const UUID_CHARS: usize = 36;

/// The assets of a page at a version.
#[derive(Clone, Debug)]
pub struct PageAssets {
    /// The version.
    pub version: u64,
    /// The assets, by id.
    pub assets: Vec<PageAsset>,
}

/// An asset that a page refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAsset {
    /// What stands in the page.
    pub id: String,
    /// Whether it is there.
    pub state: PageAssetState,
    /// The asset; of an attachment, the one that it became.
    pub asset: Option<AssetId>,
}

/// Whether an asset that a page refers to is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAssetState {
    /// It is.
    Present,
    /// The attachment is there, and is no asset yet.
    Pending,
    /// It never was, or was collected.
    Missing,
}

/// Assets of which it is not known yet that something refers to them, with the attachments that they were made of.
pub(super) type Unused = BTreeMap<AssetId, String>;

impl Assets {
    /// The assets that a page refers to at a version, those that are missing among them.
    ///
    /// # Errors
    /// Those of reading the page.
    pub async fn of_page(&self, scope: &Id, page: &Id, at: At) -> Result<PageAssets, ReadError> {
        let state = self.pages().read(scope, page, at).await?;
        Ok(PageAssets {
            version: state.at.version,
            assets: self.pages().assets_of(scope, &state.value).await?,
        })
    }

    /// Takes out of `unused` what the events after a position refer to; returns the position of the last one.
    pub(super) async fn strike_out_events(
        &self,
        scope: &Id,
        mut after: u64,
        unused: &mut Unused,
    ) -> Result<u64, FileError> {
        loop {
            let events = self.pages().store().feed(scope, after, SCAN).await?;
            let Some((last, ..)) = events.last() else {
                return Ok(after);
            };
            after = *last;
            for (_, page, event) in events {
                let event = PageEvent::new(&page, event);
                for delta in [event.delta()?, event.inverse()?].into_iter().flatten() {
                    strike_out(&delta.to_json(), unused);
                }
            }
            tokio::task::yield_now().await;
        }
    }

    /// Takes out of `unused` what the newest state of a page refers to: an id can have come to stand there in pieces.
    pub(super) async fn strike_out_pages(&self, scope: &Id, unused: &mut Unused) -> Result<(), FileError> {
        let mut after: Option<Id> = None;
        loop {
            let pages = self.pages().store().pages(scope, after.as_ref(), LIST_AT_ONCE).await?;
            let Some(last) = pages.last() else { return Ok(()) };
            after = Some(last.page.clone());
            for page in &pages {
                match self.pages().read(scope, &page.page, At::Head).await {
                    Ok(state) => strike_out(&state.value.to_json(), unused),
                    // What it held is in its events.
                    Err(ReadError::PageDeleted { .. } | ReadError::PageNotFound { .. }) => {}
                    Err(fault) => return Err(fault.into()),
                }
            }
        }
    }

    /// Takes out of `unused` what the records of tasks refer to.
    pub(super) async fn strike_out_tasks(&self, scope: &Id, unused: &mut Unused) -> Result<(), FileError> {
        let tasks = table("task");
        let striking = self.ledger().each(scope, &tasks, |record| {
            strike_out_ids(&String::from_utf8_lossy(&record.value), unused);
            Ok(())
        });
        striking.await
    }
}

impl Pages {
    /// The assets that a value refers to, by what stands in it.
    pub(crate) async fn assets_of(&self, scope: &Id, value: &Value) -> Result<Vec<PageAsset>, ReadError> {
        let (weight, value) = (value.weight(), value.clone());
        let walked = self.compute(weight, move || {
            let mut named = BTreeMap::new();
            walk(&value.to_json(), false, &mut named);
            named
        });
        let ledger = Ledger(self.store().clone());
        let mut assets = Vec::new();
        for (id, is_meant) in walked.await? {
            let found = look_up(&ledger, scope, &id).await.map_err(unavailable)?;
            // A UUID in a text may be anything; in the field of assets it is meant as one.
            if is_meant || found.is_some_and(|(_, asset)| asset.is_some()) {
                let (state, asset) = found.unwrap_or((PageAssetState::Missing, None));
                assets.push(PageAsset { id, state, asset });
            }
        }
        Ok(assets)
    }
}

/// What a reference leads to; `None` where nothing of this name ever was.
async fn look_up(
    ledger: &Ledger,
    scope: &Id,
    reference: &str,
) -> Result<Option<(PageAssetState, Option<AssetId>)>, FileError> {
    let Some(name) = reference.strip_prefix(ATTACHMENT_FOLDER) else {
        let Ok(asset) = reference.parse::<AssetId>() else {
            return Ok(None);
        };
        return Ok(state_of(ledger, scope, asset).await?.map(|state| (state, Some(asset))));
    };
    let Ok(attachment) = AttachmentId::named(name) else {
        return Ok(None);
    };
    let promotion = ledger.read::<PromotionRecord>(scope, &attachment.key()).await?;
    if let Some(asset) = promotion
        .filter(|found| found.value.state == PromotionState::Promoted)
        .and_then(|found| found.value.asset.parse().ok())
    {
        return Ok(state_of(ledger, scope, asset).await?.map(|state| (state, Some(asset))));
    }
    let attached = ledger.read::<AttachmentRecord>(scope, &attachment.key()).await?;
    Ok(attached.map(|_| (PageAssetState::Pending, None)))
}

/// Whether an asset is there; `None` where none ever was.
async fn state_of(ledger: &Ledger, scope: &Id, asset: AssetId) -> Result<Option<PageAssetState>, FileError> {
    let found = ledger.read::<AssetRecord>(scope, &asset.key()).await?;
    Ok(found.map(|found| match found.value.deleted_ms {
        None => PageAssetState::Present,
        Some(_) => PageAssetState::Missing,
    }))
}

fn unavailable(fault: FileError) -> ReadError {
    ReadError::Unavailable {
        reason: fault.to_string(),
    }
}

/// Takes out of `unused` what a text in JSON refers to.
fn strike_out(json: &Json, unused: &mut Unused) {
    match json {
        Json::String(text) => {
            strike_out_ids(text, unused);
            strike_out_paths(text, unused);
        }
        Json::Array(items) => items.iter().for_each(|item| strike_out(item, unused)),
        Json::Object(map) => map.iter().for_each(|(key, value)| {
            strike_out_ids(key, unused);
            strike_out(value, unused);
        }),
        _ => {}
    }
}

fn strike_out_ids(text: &str, unused: &mut Unused) {
    for id in uuids(text) {
        if let Ok(asset) = id.parse::<AssetId>() {
            unused.remove(&asset);
        }
    }
}

/// Where a name ends in the middle of a text is not known: every attachment that it can be counts.
fn strike_out_paths(text: &str, unused: &mut Unused) {
    for (at, folder) in text.match_indices(ATTACHMENT_FOLDER) {
        let rest = text.get(at + folder.len()..).unwrap_or_default();
        unused.retain(|_, attachment| !rest.starts_with(attachment.as_str()));
    }
}

/// Collects what may be an asset's id or an attachment's path, and whether it is meant as one.
fn walk(json: &Json, in_field: bool, found: &mut BTreeMap<String, bool>) {
    match json {
        Json::String(text) if in_field || text.starts_with(ATTACHMENT_FOLDER) => {
            *found.entry(text.clone()).or_default() |= true;
        }
        Json::String(text) => {
            for id in uuids(text) {
                found.entry(id.to_ascii_lowercase()).or_default();
            }
        }
        Json::Array(items) => items.iter().for_each(|item| walk(item, false, found)),
        Json::Object(map) => map.iter().for_each(|(key, value)| walk(value, key == FIELD, found)),
        _ => {}
    }
}

/// The UUIDs that stand in a text.
fn uuids(text: &str) -> impl Iterator<Item = &str> {
    const HYPHENS: [usize; 4] = [8, 13, 18, 23];
    let is_one = |window: &[u8]| {
        window.iter().enumerate().all(|(at, byte)| {
            if HYPHENS.contains(&at) {
                *byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
    };
    let windows = text.as_bytes().windows(UUID_CHARS).enumerate();
    windows
        .filter(move |(_, window)| window.get(8) == Some(&b'-') && is_one(window))
        .filter_map(|(at, _)| text.get(at..at + UUID_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f";

    #[test]
    fn an_id_is_found_wherever_it_stands() {
        let text = format!(
            "<img data-asset-id=\"{ID}\"> and é/v1/assets/{ID}/content, {}",
            &ID[1..]
        );
        assert_eq!(uuids(&text).collect::<Vec<_>>(), [ID, ID]);
        assert_eq!(uuids("short").count(), 0);
    }

    #[test]
    fn an_attachment_is_found_by_its_path() {
        let asset = |digit: u8| format!("0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5{digit}").parse::<AssetId>();
        let all = [(1, "cat"), (2, "cat one"), (3, "dog")];
        let mut unused: Unused = all
            .iter()
            .filter_map(|(digit, name)| Some((asset(*digit).ok()?, (*name).to_owned())))
            .collect();
        strike_out(
            &serde_json::json!({"src": ["/mnt/attachments/cat one"], "text": "a dog"}),
            &mut unused,
        );
        assert_eq!(unused.into_values().collect::<Vec<_>>(), ["dog"]);
    }

    #[test]
    fn the_field_of_assets_names_one_even_where_it_is_no_uuid() {
        let json = serde_json::json!({"a": {"assetId": "gone"}, "b": [format!("x {ID}")], "c": "gone"});
        let mut found = BTreeMap::new();
        walk(&json, false, &mut found);
        assert_eq!(
            found,
            BTreeMap::from([("gone".to_owned(), true), (ID.to_owned(), false)])
        );
    }
}
