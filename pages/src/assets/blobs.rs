//! Where bytes lie: a directory, a bucket, or memory, all behind one interface.
//!
//! Two sorts of names. A *file* is what was uploaded, under a name of its own that a record keeps. A *blob* is the
//! bytes of assets, under a name that its workspace and content make: putting it twice is putting it once.

use std::fmt;
use std::path::Path as Directory;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, MultipartUpload, ObjectStore, ObjectStoreExt, PutMode, PutOptions};
use recto_store::Id;
use uuid::Uuid;

/// Bytes that are sent on together: the smallest part that a bucket takes is 5 MiB.
const PART_BYTES: usize = 5 * 1024 * 1024;
const FILES: &str = "files";
const BLOBS: &str = "blobs";

/// The hash of a file's content: BLAKE3.
pub type ContentHash = [u8; 32];

/// A store of bytes. Clones share it.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    root: Path,
}

/// Bytes were not stored or not read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There are none under this name.
    #[error("no bytes are stored under {name}")]
    Missing {
        /// The name.
        name: String,
    },
    /// The store of bytes does not do it now.
    #[error("the store of files does not answer as it should: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
    },
    /// The setting names no store.
    #[error("{url:?} is no place for files: {reason}")]
    BadPlace {
        /// The setting.
        url: String,
        /// Why.
        reason: String,
    },
}

/// A file on its way in.
pub(crate) struct Incoming {
    upload: Box<dyn MultipartUpload>,
    name: String,
    waiting: BytesMut,
    hasher: blake3::Hasher,
    size: u64,
}

/// A file that has arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub name: String,
    pub hash: ContentHash,
    pub size: u64,
}

impl Blobs {
    /// In memory: for tests.
    #[must_use]
    pub fn memory() -> Self {
        Self::over(Arc::new(InMemory::new()), Path::default())
    }

    /// In a directory, which is made where there is none. Everything is synced before it counts as stored.
    ///
    /// # Errors
    /// [`BlobError::BadPlace`].
    pub fn directory(directory: &Directory) -> Result<Self, BlobError> {
        let bad = |reason: String| BlobError::BadPlace {
            url: directory.display().to_string(),
            reason,
        };
        std::fs::create_dir_all(directory).map_err(|fault| bad(fault.to_string()))?;
        let store = LocalFileSystem::new_with_prefix(directory).map_err(|fault| bad(fault.to_string()))?;
        Ok(Self::over(Arc::new(store.with_fsync(true)), Path::default()))
    }

    /// By URL: `file:///somewhere`.
    ///
    /// # Errors
    /// [`BlobError::BadPlace`], for a URL of any other kind too.
    pub fn by_url(url: &str) -> Result<Self, BlobError> {
        url.strip_prefix("file://").map_or_else(
            || {
                Err(BlobError::BadPlace {
                    url: url.to_owned(),
                    reason: "it begins with file://".to_owned(),
                })
            },
            |path| Self::directory(Directory::new(path)),
        )
    }

    fn over(store: Arc<dyn ObjectStore>, root: Path) -> Self {
        Self { store, root }
    }

    /// Begins to take a file.
    pub(crate) async fn incoming(&self, scope: &Id) -> Result<Incoming, BlobError> {
        let name = format!("{FILES}/{}/{}", workspace(scope), Uuid::now_v7().simple());
        let upload = self.store.put_multipart(&self.path(&name)).await.map_err(failed)?;
        Ok(Incoming {
            upload,
            name,
            waiting: BytesMut::new(),
            hasher: blake3::Hasher::new(),
            size: 0,
        })
    }

    /// Puts the bytes of an asset under their name. They may be there already: then they are the same.
    pub(crate) async fn put_blob(&self, scope: &Id, hash: &ContentHash, bytes: Bytes) -> Result<(), BlobError> {
        let options = PutOptions::from(PutMode::Create);
        let path = self.path(&blob_name(scope, hash));
        match self.store.put_opts(&path, bytes.into(), options).await {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            Err(fault) => Err(failed(fault)),
        }
    }

    /// The bytes of an asset, or a part of them, as they come.
    pub(crate) async fn blob(
        &self,
        scope: &Id,
        hash: &ContentHash,
        range: Option<std::ops::Range<u64>>,
    ) -> Result<BoxStream<'static, Result<Bytes, BlobError>>, BlobError> {
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let got = self.store.get_opts(&self.path(&blob_name(scope, hash)), options).await;
        Ok(got.map_err(failed)?.into_stream().map_err(failed).boxed())
    }

    /// Drops the bytes of assets that are gone.
    pub(crate) async fn delete_blob(&self, scope: &Id, hash: &ContentHash) -> Result<(), BlobError> {
        self.delete(&blob_name(scope, hash)).await
    }

    /// The whole content of a file.
    pub(crate) async fn file(&self, name: &str) -> Result<Bytes, BlobError> {
        let got = self.store.get(&self.path(name)).await.map_err(failed)?;
        got.bytes().await.map_err(failed)
    }

    /// Drops a file; it may be gone already.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), BlobError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(fault) => Err(failed(fault)),
        }
    }

    /// The names of all files of a workspace.
    pub(crate) async fn files(&self, scope: &Id) -> Result<Vec<String>, BlobError> {
        self.names(&format!("{FILES}/{}", workspace(scope))).await
    }

    /// How many blobs a workspace has.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    pub async fn count(&self, scope: &Id) -> Result<usize, BlobError> {
        Ok(self.names(&format!("{BLOBS}/{}", workspace(scope))).await?.len())
    }

    async fn names(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        let found = self.store.list(Some(&self.path(folder)));
        let root = self.root.parts().count();
        let names = found.map_ok(|meta| {
            let parts: Vec<_> = meta
                .location
                .parts()
                .skip(root)
                .map(|part| part.as_ref().to_owned())
                .collect();
            parts.join("/")
        });
        names.try_collect().await.map_err(failed)
    }

    fn path(&self, name: &str) -> Path {
        self.root.parts().chain(Path::from(name).parts()).collect()
    }
}

impl Incoming {
    /// Takes the next bytes.
    pub(crate) async fn push(&mut self, bytes: &[u8]) -> Result<(), BlobError> {
        self.hasher.update(bytes);
        self.size += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PART_BYTES {
            self.send().await?;
        }
        Ok(())
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// There is no more to come: the file is stored under its name.
    pub(crate) async fn finish(mut self) -> Result<Arrived, BlobError> {
        self.send().await?;
        self.upload.complete().await.map_err(failed)?;
        Ok(Arrived {
            name: self.name,
            hash: *self.hasher.finalize().as_bytes(),
            size: self.size,
        })
    }

    /// Drops what was taken.
    pub(crate) async fn abandon(mut self) {
        if let Err(fault) = self.upload.abort().await {
            tracing::warn!(%fault, name = self.name, "what was received of a refused upload stays behind");
        }
    }

    async fn send(&mut self) -> Result<(), BlobError> {
        let part = self.waiting.split().freeze();
        self.upload.put_part(part.into()).await.map_err(failed)
    }
}

impl fmt::Debug for Blobs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Blobs({})", self.store)
    }
}

/// A workspace as one segment of a path, whatever its name holds.
fn workspace(scope: &Id) -> String {
    let hash = blake3::hash(scope.as_str().as_bytes());
    hash.to_hex().chars().take(32).collect()
}

fn blob_name(scope: &Id, hash: &ContentHash) -> String {
    let hash = blake3::Hash::from_bytes(*hash).to_hex();
    format!("{BLOBS}/{}/{hash}", workspace(scope))
}

fn failed(fault: object_store::Error) -> BlobError {
    match fault {
        object_store::Error::NotFound { path, .. } => BlobError::Missing { name: path },
        fault => BlobError::Unavailable {
            reason: fault.to_string(),
        },
    }
}
