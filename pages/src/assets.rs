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
mod promote;
mod recover;
mod references;
mod sniff;
mod trouble;

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use recto_store::{Id, PageKey};
use tokio::sync::Semaphore;

pub use self::attach::Attached;
pub use self::blobs::{BlobError, Blobs, ContentHash};
pub use self::collect::{Collected, CollectedAsset};
pub use self::error::FileError;
pub use self::ids::{ATTACHMENT_FOLDER, AssetId, AttachmentId, BadFileId, FileRef, TaskId};
use self::ledger::{AssetRecord, Ledger};
pub use self::recover::Recovered;
pub use self::references::{PageAsset, PageAssetState, PageAssets};
pub use self::sniff::{ImageFormat, ImageInfo, NotAnImage, PIXELS_MAX, sniff};
use crate::crash::Crash;
use crate::locks::{PageLock, PageLocks};
use crate::service::Pages;

/// The largest file that is taken, in bytes, where nothing else is set.
pub const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// How long an asset that nothing refers to is kept, in ms, where nothing else is asked for: a day.
pub const UNUSED_KEPT_MS: i64 = 24 * 60 * 60 * 1000;
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
    attachments: PageLocks,
    /// One worker at a time for a content: who stores it and who drops it never meet.
    contents: PageLocks,
    promoting: Semaphore,
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
                attachments: PageLocks::default(),
                contents: PageLocks::default(),
                promoting: Semaphore::new(PROMOTIONS_AT_ONCE),
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
    /// [`FileError::Corrupt`] where they are not there.
    pub async fn content(
        &self,
        scope: &Id,
        asset: &Asset,
        range: Option<std::ops::Range<u64>>,
    ) -> Result<BoxStream<'static, Result<Bytes, BlobError>>, FileError> {
        Ok(self.blobs().blob(scope, &asset.hash, range).await?)
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
        let Ok(key) = asset.key() else { return Ok(None) };
        let found = self.ledger().read::<AssetRecord>(scope, &key).await?;
        Ok(found
            .filter(|found| found.value.deleted_ms.is_none())
            .map(|found| Asset::of(asset, found.value)))
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

    async fn lock_attachment(&self, scope: &Id, attachment: &AttachmentId) -> PageLock {
        let key = PageKey::new(scope.clone(), attachment.id().clone());
        self.inner.attachments.lock(&key).await
    }

    async fn lock_content(&self, scope: &Id, hash: &ContentHash) -> Result<PageLock, FileError> {
        let hash = blake3::Hash::from_bytes(*hash).to_hex();
        let name = Id::new(&hash).map_err(|fault| FileError::Corrupt {
            what: fault.to_string(),
        })?;
        Ok(self.inner.contents.lock(&PageKey::new(scope.clone(), name)).await)
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
