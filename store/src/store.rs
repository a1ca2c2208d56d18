//! The log over an engine: opening, closing, health.

use std::sync::Arc;

use bytes::Bytes;

use crate::codec::{self, Context, StoredMeta};
use crate::engine::{CommitError, Durability, Engine, Guard, Health, Place, Put, ReadError};
use crate::heads::Heads;
use crate::id::PageKey;
use crate::keys::Key;
use crate::limits::{HEADS_CACHED, PARTITIONS};

/// The format that this program writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// The partition that the feed is read from. With more than one, a place in the feed would be a
/// position for each.
pub(crate) const FEED_PARTITION: u16 = 0;
const _: () = assert!(PARTITIONS == 1, "a feed over several partitions needs another cursor");

/// The log: events, receipts, records, snapshots and the feed, over any engine.
///
/// Cloning is cheap, and clones share everything. An engine has one store.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) heads: Heads,
    pub(crate) durability: Durability,
    meta: StoredMeta,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Store")
            .field("id", &self.store_id())
            .finish_non_exhaustive()
    }
}

/// Why a store does not open. Nothing in it was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another program wrote it, with a format that this one does not know.
    #[error("the store has format {found}, this program knows {known}: use the program that wrote it, or a newer one")]
    UnknownFormat {
        /// The store's format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// It was made with another number of partitions.
    #[error("the store was made with {found} partitions, not {expected}; the number never changes")]
    Partitions {
        /// The number of this program.
        expected: u16,
        /// The store's.
        found: u16,
    },
    /// Its description could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its description could not be written.
    #[error(transparent)]
    Write(#[from] CommitError),
}

impl Store {
    /// Opens the store that the engine holds, or makes it where there is none.
    ///
    /// # Errors
    /// [`OpenError`]: the store is of another format, damaged, or cannot be written to.
    pub async fn open(engine: Arc<dyn Engine>) -> Result<Self, OpenError> {
        let meta = match read_meta(&*engine).await? {
            Some(meta) => meta,
            None => make_meta(&*engine).await?,
        };
        if meta.format != FORMAT {
            return Err(OpenError::UnknownFormat {
                found: meta.format,
                known: FORMAT,
            });
        }
        if meta.partitions != PARTITIONS {
            return Err(OpenError::Partitions {
                expected: PARTITIONS,
                found: meta.partitions,
            });
        }
        let durability = engine.health().durability;
        Ok(Self {
            inner: Arc::new(Inner {
                engine,
                heads: Heads::new(HEADS_CACHED),
                durability,
                meta,
            }),
        })
    }

    /// The store's identity, made with it.
    #[must_use]
    pub fn store_id(&self) -> uuid::Uuid {
        uuid::Uuid::from_bytes(self.inner.meta.store_id)
    }

    /// How the engine is doing. Never waits.
    #[must_use]
    pub fn health(&self) -> Health {
        self.inner.engine.health()
    }

    /// Finishes the commits that were taken, makes everything durable and lets go of the storage.
    /// Later calls answer [`Unavailable::Closed`](crate::Unavailable::Closed).
    ///
    /// # Errors
    /// [`ReadError::Unavailable`] if the last sync failed: acknowledged appends of relaxed
    /// durability may be lost.
    pub async fn close(&self) -> Result<(), ReadError> {
        self.inner.engine.close().await
    }

    /// The engine below.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.inner.engine
    }

    /// The partition that a page, and all that is committed with it, lives in.
    pub(crate) fn partition(&self, page: &PageKey) -> u16 {
        let count = u64::from(self.inner.meta.partitions.max(1));
        let hash = blake3::hash(page.page.as_str().as_bytes());
        let number = hash
            .as_bytes()
            .first_chunk::<8>()
            .map_or(0, |bytes| u64::from_be_bytes(*bytes));
        u16::try_from(number % count).unwrap_or_default()
    }
}

async fn read_meta(engine: &dyn Engine) -> Result<Option<StoredMeta>, ReadError> {
    let Some(entry) = engine.last(&Key::Meta).await? else {
        return Ok(None);
    };
    let key = Key::Meta.encode();
    codec::open_meta(
        Context {
            key: &key,
            revision: entry.revision,
        },
        &entry.value,
    )
    .map(Some)
    .map_err(|fault| ReadError::corrupt(Place::Meta, fault.into()))
}

async fn make_meta(engine: &dyn Engine) -> Result<StoredMeta, OpenError> {
    let meta = StoredMeta {
        format: FORMAT,
        store_id: *uuid::Uuid::now_v7().as_bytes(),
        partitions: PARTITIONS,
    };
    let value = encode_meta(meta)?;
    let guard = Guard {
        key: Key::Meta,
        revision: 0,
    };
    engine
        .commit(0, vec![guard], vec![Put { key: Key::Meta, value }])
        .await?;
    Ok(meta)
}

fn encode_meta(meta: StoredMeta) -> Result<Bytes, ReadError> {
    let key = Key::Meta.encode();
    Ok(codec::seal_meta(Context { key: &key, revision: 1 }, meta)?.bytes)
}
