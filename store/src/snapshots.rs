//! Snapshots: a cache of page states. They may vanish, and deleting them changes only speed.

use bytes::Bytes;

use crate::codec::{self, Context, FrameError};
use crate::engine::{Near, ReadError};
use crate::id::PageKey;
use crate::keys::DerivedKey;
use crate::limits::SNAPSHOT_MAX_BYTES;
use crate::store::Store;

/// A page's state at a version, as the caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The version.
    pub version: u64,
    /// The state, opaque.
    pub value: Bytes,
}

/// Why a snapshot cannot be used. Whatever it is, the events can still be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// It is damaged: delete it, warn, and go on without it.
    #[error("the snapshot of page {page} at version {version} cannot be used: {fault}")]
    Undecodable {
        /// The page.
        page: PageKey,
        /// Its version: delete this one.
        version: u64,
        /// What is wrong with it.
        fault: FrameError,
    },
    /// It is larger than a snapshot may be: go without it.
    #[error("a snapshot has at most {limit} bytes, this one has {got}")]
    TooLarge {
        /// The most bytes.
        limit: usize,
        /// The bytes that came.
        got: usize,
    },
    /// The engine is away, or found damage in its files.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Store {
    /// Keeps a page's state at a version, behind the answer: nothing waits for a sync.
    /// The caller compresses.
    ///
    /// # Errors
    /// [`SnapshotError`]; all that is lost is speed.
    pub async fn put_snapshot(&self, page: &PageKey, version: u64, value: Bytes) -> Result<(), SnapshotError> {
        if value.len() > SNAPSHOT_MAX_BYTES {
            return Err(SnapshotError::TooLarge {
                limit: SNAPSHOT_MAX_BYTES,
                got: value.len(),
            });
        }
        let key = DerivedKey::new(page, version);
        let sealed = codec::seal_snapshot(context(&key.encode(), version), &value);
        Ok(self.inner.engine.put_derived(key, sealed.bytes).await?)
    }

    /// The snapshot nearest to a version on one side; `None` where there is none.
    ///
    /// # Errors
    /// [`SnapshotError::Undecodable`] names the one to delete before trying again.
    pub async fn snapshot_near(
        &self,
        page: &PageKey,
        version: u64,
        side: Near,
    ) -> Result<Option<Snapshot>, SnapshotError> {
        let Some((version, bytes)) = self.inner.engine.derived_near(page, version, side).await? else {
            return Ok(None);
        };
        let key = DerivedKey::new(page, version).encode();
        match codec::open_snapshot(context(&key, version), &bytes) {
            Ok(value) => Ok(Some(Snapshot { version, value })),
            Err(fault) => Err(SnapshotError::Undecodable {
                page: page.clone(),
                version,
                fault,
            }),
        }
    }

    /// Drops a snapshot, if it is there.
    ///
    /// # Errors
    /// [`ReadError::Unavailable`], if the engine is away.
    pub async fn delete_snapshot(&self, page: &PageKey, version: u64) -> Result<(), ReadError> {
        self.inner.engine.delete_derived(DerivedKey::new(page, version)).await
    }

    /// The versions of a page that have a snapshot, rising.
    ///
    /// # Errors
    /// [`ReadError`], if the engine is away or damaged.
    pub async fn snapshot_versions(&self, page: &PageKey) -> Result<Vec<u64>, ReadError> {
        self.inner.engine.derived_versions(page).await
    }
}

fn context(key: &[u8], version: u64) -> Context<'_> {
    Context { key, revision: version }
}
