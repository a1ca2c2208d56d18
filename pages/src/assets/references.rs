//! Which assets pages, events and tasks refer to: wherever the id of an asset stands in a text, it is a reference.

use std::collections::{BTreeMap, BTreeSet};

use recto_projections::Json;
use recto_store::{Id, Limit};

use super::ledger::{AssetRecord, table};
use super::{AssetId, Assets, FileError};
use crate::error::ReadError;
use crate::event::PageEvent;
use crate::read::At;

/// How much of the log is read at a time.
const SCAN: Limit = Limit {
    entries: 256,
    bytes: 4 * 1024 * 1024,
};
/// How many pages or records are listed at a time.
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
    /// Whether it is there; else it never was, or was collected.
    pub present: bool,
}

impl Assets {
    /// The assets that a page refers to at a version, those that are missing among them.
    ///
    /// # Errors
    /// Those of reading the page.
    pub async fn of_page(&self, scope: &Id, page: &Id, at: At) -> Result<PageAssets, ReadError> {
        let state = self.pages().read(scope, page, at).await?;
        let (version, value) = (state.at.version, state.value);
        let named = self
            .pages()
            .compute(value.weight(), move || {
                let mut named = BTreeMap::new();
                walk(&value.to_json(), false, &mut named);
                named
            })
            .await?;
        let mut assets = Vec::new();
        for (id, by_field) in named {
            let found = match id.parse::<AssetId>() {
                Ok(asset) => self.known(scope, asset).await?,
                Err(_) => None,
            };
            // A UUID in a text may be anything; in the field of assets it is meant as one.
            if found.is_some() || by_field {
                let present = found == Some(true);
                assets.push(PageAsset { id, present });
            }
        }
        Ok(PageAssets { version, assets })
    }

    /// Whether an asset is there; `None` where none ever was.
    async fn known(&self, scope: &Id, asset: AssetId) -> Result<Option<bool>, ReadError> {
        let Ok(key) = asset.key() else { return Ok(None) };
        let found = self
            .ledger()
            .read::<AssetRecord>(scope, &key)
            .await
            .map_err(|fault| ReadError::Unavailable {
                reason: fault.to_string(),
            })?;
        Ok(found.map(|found| found.value.deleted_ms.is_none()))
    }

    /// Takes out of `unused` what the events after a position refer to; returns the position of the last one.
    pub(super) async fn strike_out_events(
        &self,
        scope: &Id,
        mut after: u64,
        unused: &mut BTreeSet<AssetId>,
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
                    strike_out(&delta.to_json().to_string(), unused);
                }
            }
            tokio::task::yield_now().await;
        }
    }

    /// Takes out of `unused` what the newest state of a page refers to: an id can have come to stand there in pieces.
    pub(super) async fn strike_out_pages(&self, scope: &Id, unused: &mut BTreeSet<AssetId>) -> Result<(), FileError> {
        let mut after: Option<Id> = None;
        loop {
            let pages = self.pages().store().pages(scope, after.as_ref(), LIST_AT_ONCE).await?;
            let Some(last) = pages.last() else { return Ok(()) };
            after = Some(last.page.clone());
            for page in &pages {
                match self.pages().read(scope, &page.page, At::Head).await {
                    Ok(state) => strike_out(&state.value.to_json().to_string(), unused),
                    // What it held is in its events.
                    Err(ReadError::PageDeleted { .. } | ReadError::PageNotFound { .. }) => {}
                    Err(fault) => return Err(fault.into()),
                }
            }
        }
    }

    /// Takes out of `unused` what the records of tasks refer to.
    pub(super) async fn strike_out_tasks(&self, scope: &Id, unused: &mut BTreeSet<AssetId>) -> Result<(), FileError> {
        let (tasks, mut after) = (table("task"), None);
        loop {
            let store = self.pages().store();
            let found = store.records(scope, &tasks, "", after.as_ref(), LIST_AT_ONCE).await?;
            let Some(last) = found.last() else { return Ok(()) };
            after = Some(last.key.clone());
            for record in &found {
                strike_out(&String::from_utf8_lossy(&record.value), unused);
            }
        }
    }
}

/// Takes out of `unused` the assets whose ids stand in a text.
fn strike_out(text: &str, unused: &mut BTreeSet<AssetId>) {
    for id in uuids(text) {
        if let Ok(asset) = id.parse() {
            unused.remove(&asset);
        }
    }
}

/// Collects what may be an asset's id, and whether it stands in the field for one.
fn walk(json: &Json, in_field: bool, found: &mut BTreeMap<String, bool>) {
    match json {
        Json::String(text) if in_field => {
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
