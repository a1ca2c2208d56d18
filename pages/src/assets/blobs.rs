//! Where bytes lie: a directory, a bucket, or memory, all behind one interface.
//!
//! Two sorts of names. A *file* is what was uploaded, under a name of its own that a record keeps. A *blob* is the
//! bytes of assets, under a name that its workspace and content make: putting it twice is putting it once.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path as Directory, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use recto_store::Id;
use uuid::Uuid;

use super::bucket;
use super::incoming::Incoming;
use super::trouble::Trouble;

const FILE_SCHEME: &str = "file://";
const FILES: &str = "files";
const BLOBS: &str = "blobs";

/// The hash of a file's content: BLAKE3.
pub type ContentHash = [u8; 32];

/// A store of bytes. Clones share it.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    root: Path,
    /// Where it is a directory of this machine.
    directory: Option<Arc<Directory>>,
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
        Ok(Self {
            directory: Some(directory.into()),
            ..Self::over(Arc::new(store.with_fsync(true)), Path::default())
        })
    }

    /// By URL: `file:///DIR`, or `s3://BUCKET/FOLDER` in a program that was built with the feature `s3`. A bucket is
    /// asked once whether it is there.
    ///
    /// # Errors
    /// [`BlobError::BadPlace`], for a URL of any other kind too; it says what to set.
    pub async fn by_url(url: &str) -> Result<Self, BlobError> {
        if let Some(path) = url.strip_prefix(FILE_SCHEME) {
            return Self::directory(Directory::new(path));
        }
        if url.starts_with(bucket::SCHEME) {
            let opened = bucket::open(url).await.map_err(|reason| BlobError::BadPlace {
                url: bucket::shown(url),
                reason,
            });
            let (store, root) = opened?;
            return Ok(Self::over(store, root));
        }
        Err(BlobError::BadPlace {
            url: url.to_owned(),
            reason: format!("it begins with {FILE_SCHEME} or {}", bucket::SCHEME),
        })
    }

    fn over(store: Arc<dyn ObjectStore>, root: Path) -> Self {
        Self {
            store,
            root,
            directory: None,
        }
    }

    /// Begins to take a file.
    pub(crate) fn incoming(&self, scope: &Id) -> Incoming {
        let name = format!("{FILES}/{}/{}", workspace(scope), Uuid::now_v7().simple());
        Incoming::new(Arc::clone(&self.store), self.path(&name), name)
    }

    /// Puts the bytes of an asset under their name, where they are not there yet: then they are the same. Whether the
    /// service can put on a condition does not matter; one content has one writer at a time.
    pub(crate) async fn put_blob(&self, scope: &Id, hash: &ContentHash, bytes: Bytes) -> Result<(), BlobError> {
        let path = self.path(&blob_name(scope, hash));
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if is_whole(self.store.as_ref(), &path, size).await? {
            return Ok(());
        }
        let put = self.store.put(&path, bytes.into()).await;
        put.map(|_| ()).map_err(|fault| not_written(&fault))
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

    /// Whether a file is there, with all its bytes.
    pub(crate) async fn has(&self, name: &str, size: u64) -> Result<bool, BlobError> {
        is_whole(self.store.as_ref(), &self.path(name), size).await
    }

    /// Whether the bytes of an asset are there.
    pub(crate) async fn has_blob(&self, scope: &Id, hash: &ContentHash, size: u64) -> Result<bool, BlobError> {
        self.has(&blob_name(scope, hash), size).await
    }

    /// Drops a file; it may be gone already.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), BlobError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) => Ok(()),
            Err(fault) => match failed(fault) {
                BlobError::Missing { .. } => Ok(()),
                fault => Err(fault),
            },
        }
    }

    /// The names of all files of a workspace.
    pub(crate) async fn files(&self, scope: &Id) -> Result<Vec<String>, BlobError> {
        self.names(&format!("{FILES}/{}", workspace(scope))).await
    }

    /// The contents that are stored for the assets of a workspace.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    pub async fn contents(&self, scope: &Id) -> Result<BTreeSet<ContentHash>, BlobError> {
        let names = self.names(&format!("{BLOBS}/{}", workspace(scope))).await?;
        let hashes = names.iter().filter_map(|name| name.rsplit('/').next());
        let hashes = hashes.filter_map(|name| blake3::Hash::from_hex(name).ok());
        Ok(hashes.map(|hash| *hash.as_bytes()).collect())
    }

    /// The folders of this machine in which the files of a workspace lie; none where they are not on this machine.
    pub(super) fn folders(&self, scope: &Id) -> Vec<PathBuf> {
        let here = self.directory.iter();
        here.flat_map(|here| [FILES, BLOBS].map(|sort| here.join(sort).join(workspace(scope))))
            .collect()
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

/// Whether all bytes are there.
pub(super) async fn is_whole(store: &dyn ObjectStore, path: &Path, size: u64) -> Result<bool, BlobError> {
    match store.head(path).await {
        Ok(found) => Ok(found.size == size),
        Err(fault) => match failed(fault) {
            BlobError::Missing { .. } => Ok(false),
            fault => Err(fault),
        },
    }
}

/// Of a write: whatever is not there, it is the store's fault.
pub(super) fn not_written(fault: &object_store::Error) -> BlobError {
    BlobError::Unavailable {
        reason: Trouble::of(fault).to_string(),
    }
}

fn failed(fault: object_store::Error) -> BlobError {
    let trouble = Trouble::of(&fault);
    match fault {
        object_store::Error::NotFound { path, .. } if !trouble.is_of_the_store() => BlobError::Missing { name: path },
        _ => BlobError::Unavailable {
            reason: trouble.to_string(),
        },
    }
}
