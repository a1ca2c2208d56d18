//! Attachments and assets: files that were uploaded to a chat, and files of the workspace.
//!
//! An attachment becomes an asset once (`promote`): reserve, upload, commit. A crash between any two of these steps
//! is picked up by the next promotion, or at the start of the service, with the asset id that was reserved.
//!
//! Invariants:
//! - A promotion and its upload key are written in one batch, and there is never one without the other.
//! - An asset's record is written after its bytes are stored, and its bytes go after its record.
//! - The same content is stored once in a workspace, however many assets have it.

mod attach;
pub(crate) mod blobs;
mod bucket;
mod collect;
mod error;
pub(crate) mod ids;
mod incoming;
pub(crate) mod ledger;
mod news;
mod partial;
mod promote;
mod recover;
mod references;
mod sniff;
mod trouble;

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use recto_store::Id;
use tokio::sync::Semaphore;

pub use self::attach::{Attached, Received};
pub use self::blobs::{BlobError, Blobs, ContentHash};
pub use self::collect::{Collected, CollectedAsset};
pub use self::error::FileError;
pub use self::ids::{ATTACHMENT_FOLDER, AssetId, AttachmentId, BadFileId, FileRef, TaskId};
use self::ledger::{AssetRecord, Ledger, Wrote, put};
use self::news::Teller;
pub use self::news::{AssetFollower, AssetNews};
pub use self::recover::Recovered;
pub use self::references::{PageAsset, PageAssetState, PageAssets};
pub use self::sniff::{ImageFormat, ImageInfo, NotAnImage, PIXELS_MAX, sniff};
use crate::crash::Crash;
use crate::locks::{Lock, Locks};
use crate::service::Pages;

/// The largest file that is taken, in bytes, where nothing else is set.
pub const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// How long an asset that nothing refers to is kept, in ms, where nothing else is asked for: a day.
pub const UNUSED_KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// How long after an asset was handed out it is noted that it was handed out again, in ms: an hour.
const TOUCHED_AFTER_MS: i64 = 60 * 60 * 1000;
/// How many files are held in memory at the same time to be promoted.
const PROMOTIONS_AT_ONCE: usize = 4;

/// What can be set.
#[derive(Clone, Debug)]
pub struct FileSettings {
    /// The largest file that is taken, in bytes.
    pub file_bytes_max: u64,
    /// What happens at the crash points.
    pub crash: Crash,
}

/// The files of all workspaces. Clones share everything.
#[derive(Clone, Debug)]
pub struct Assets {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    pages: Pages,
    ledger: Ledger,
    blobs: Blobs,
    settings: FileSettings,
    /// One worker at a time for an attachment.
    attachments: Locks<(Id, AttachmentId)>,
    /// One worker at a time for a content: who stores it and who drops it never meet.
    contents: Locks<(Id, ContentHash)>,
    /// One collection at a time in a workspace.
    collecting: Locks<Id>,
    promoting: Semaphore,
    news: Teller,
}

/// A file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its id.
    pub id: AssetId,
    /// The attachment that it was made of.
    pub attachment: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// How many bytes it has.
    pub size: u64,
    /// What it is.
    pub media_type: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// When it was made, in ms since 1970.
    pub created_ms: i64,
}

impl Default for FileSettings {
    fn default() -> Self {
        Self {
            file_bytes_max: FILE_BYTES_MAX,
            crash: Crash::default(),
        }
    }
}

impl Assets {
    /// Joins a page service and a store of bytes.
    #[must_use]
    pub fn new(pages: Pages, blobs: Blobs, settings: FileSettings) -> Self {
        Self {
            inner: Arc::new(Inner {
                ledger: Ledger(pages.store().clone()),
                pages,
                blobs,
                settings,
                attachments: Locks::default(),
                contents: Locks::default(),
                collecting: Locks::default(),
                promoting: Semaphore::new(PROMOTIONS_AT_ONCE),
                news: Teller::default(),
            }),
        }
    }

    /// What is known of an asset.
    ///
    /// # Errors
    /// [`FileError::AssetNotFound`] where there is none, or none any more.
    pub async fn asset(&self, scope: &Id, asset: AssetId) -> Result<Asset, FileError> {
        self.find(scope, asset).await?.ok_or_else(|| FileError::AssetNotFound {
            asset: asset.to_string(),
        })
    }

    /// The bytes of an asset, or a part of them.
    ///
    /// # Errors
    /// [`FileError::AssetNotFound`] where the asset was collected since, [`FileError::Corrupt`] where the bytes of one
    /// that is there are not.
    pub async fn content(
        &self,
        scope: &Id,
        asset: &Asset,
        range: Option<std::ops::Range<u64>>,
    ) -> Result<BoxStream<'static, Result<Bytes, BlobError>>, FileError> {
        match self.blobs().blob(scope, &asset.hash, range).await {
            Err(fault @ BlobError::Missing { .. }) => {
                self.asset(scope, asset.id).await?;
                Err(fault.into())
            }
            bytes => Ok(bytes?),
        }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &FileSettings {
        &self.inner.settings
    }

    /// The store of bytes.
    #[must_use]
    pub fn blobs(&self) -> &Blobs {
        &self.inner.blobs
    }

    /// An asset that is there.
    pub(crate) async fn find(&self, scope: &Id, asset: AssetId) -> Result<Option<Asset>, FileError> {
        let found = self.ledger().read::<AssetRecord>(scope, &asset.key()).await?;
        Ok(found
            .filter(|found| found.value.is_live())
            .map(|found| Asset::of(asset, found.value)))
    }

    /// An asset that is there and will be used: a collection does not take it for old from now on.
    pub(crate) async fn hand_out(&self, scope: &Id, asset: AssetId) -> Result<Option<Asset>, FileError> {
        let found = self.ledger().read::<AssetRecord>(scope, &asset.key()).await?;
        let Some(found) = found.filter(|found| found.value.is_live()) else {
            return Ok(None);
        };
        let now_ms = self.pages().clock().now_ms();
        if now_ms.saturating_sub(found.value.idle_since_ms()) < TOUCHED_AFTER_MS {
            return Ok(Some(Asset::of(asset, found.value)));
        }
        let touched = AssetRecord {
            touched_ms: Some(now_ms),
            ..found.value
        };
        let write = put(asset.key(), found.revision, &touched)?;
        match self.ledger().write(scope, vec![write]).await? {
            Wrote::Yes => Ok(Some(Asset::of(asset, touched))),
            // Somebody else has touched it, or it was collected.
            Wrote::LookAgain => self.find(scope, asset).await,
        }
    }

    /// An asset that is used from now on, by whoever has noted it. One that was collected a moment before comes back.
    pub(crate) async fn bring_back(&self, scope: &Id, asset: AssetId) -> Result<Option<Asset>, FileError> {
        let Some(found) = self.ledger().read::<AssetRecord>(scope, &asset.key()).await? else {
            return Ok(None);
        };
        if found.value.is_live() {
            return Ok(Some(Asset::of(asset, found.value)));
        }
        let Ok(attachment) = AttachmentId::named(&found.value.attachment) else {
            return Ok(None);
        };
        match self.promote_attachment(scope, &attachment).await {
            Ok(back) => Ok(Some(back).filter(|back| back.id == asset)),
            Err(fault) if fault.is_servers() => Err(fault),
            Err(_) => Ok(None),
        }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.inner.ledger
    }

    pub(crate) fn pages(&self) -> &Pages {
        &self.inner.pages
    }

    pub(crate) fn crash(&self) -> &Crash {
        &self.inner.settings.crash
    }

    fn promoting(&self) -> &Semaphore {
        &self.inner.promoting
    }

    async fn lock_attachment(&self, scope: &Id, attachment: &AttachmentId) -> Lock<(Id, AttachmentId)> {
        self.inner.attachments.lock(&(scope.clone(), attachment.clone())).await
    }

    async fn lock_content(&self, scope: &Id, hash: &ContentHash) -> Lock<(Id, ContentHash)> {
        self.inner.contents.lock(&(scope.clone(), *hash)).await
    }
}

impl Asset {
    fn of(id: AssetId, record: AssetRecord) -> Self {
        Self {
            id,
            attachment: record.attachment,
            hash: record.hash,
            size: record.size,
            media_type: record.media_type,
            width: record.width,
            height: record.height,
            created_ms: record.created_ms,
        }
    }

    /// The hash of its bytes, in hexadecimal digits.
    #[must_use]
    pub fn hash_text(&self) -> String {
        blake3::Hash::from_bytes(self.hash).to_hex().to_string()
    }
}
