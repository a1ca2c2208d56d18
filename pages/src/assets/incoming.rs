//! A file on its way in: a small one goes in one piece, a larger one in parts as it comes.

use std::mem;
use std::sync::Arc;

use bytes::BytesMut;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt};

use super::blobs::{BlobError, ContentHash, is_whole, not_written};

/// The size of all parts but the last: the smallest that a bucket takes. Some services want them all alike.
const PART_BYTES: usize = 5 * 1024 * 1024;

/// A file on its way in. What is dropped before it is finished leaves nothing.
pub(crate) struct Incoming {
    store: Arc<dyn ObjectStore>,
    path: Path,
    name: String,
    parts: Parts,
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

/// An upload in parts, once it was begun. A bucket keeps the parts of one that is neither completed nor aborted, and
/// charges for them.
#[derive(Default)]
struct Parts(Option<Box<dyn MultipartUpload>>);

impl Incoming {
    pub(super) fn new(store: Arc<dyn ObjectStore>, path: Path, name: String) -> Self {
        Self {
            store,
            path,
            name,
            parts: Parts::default(),
            waiting: BytesMut::new(),
            hasher: blake3::Hasher::new(),
            size: 0,
        }
    }

    /// Takes the next bytes.
    pub(crate) async fn push(&mut self, bytes: &[u8]) -> Result<(), BlobError> {
        self.hasher.update(bytes);
        self.size += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.waiting.extend_from_slice(bytes);
        // Never all of it: the last part must not be empty.
        while self.waiting.len() > PART_BYTES {
            let part = self.waiting.split_to(PART_BYTES);
            self.send(part).await?;
        }
        Ok(())
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// There is no more to come: the file is stored under its name.
    pub(crate) async fn finish(mut self) -> Result<Arrived, BlobError> {
        let rest = mem::take(&mut self.waiting);
        if self.parts.0.is_none() {
            let put = self.store.put(&self.path, rest.freeze().into()).await;
            put.map_err(|fault| not_written(&fault))?;
        } else {
            self.send(rest).await?;
            self.complete().await?;
        }
        Ok(Arrived {
            name: mem::take(&mut self.name),
            hash: *self.hasher.finalize().as_bytes(),
            size: self.size,
        })
    }

    /// Drops what was taken.
    pub(crate) async fn abandon(mut self) {
        if let Some(upload) = self.parts.0.take() {
            abort(upload).await;
        }
    }

    async fn send(&mut self, part: BytesMut) -> Result<(), BlobError> {
        let upload = match &mut self.parts.0 {
            Some(upload) => upload,
            begun => {
                let upload = self.store.put_multipart(&self.path).await;
                begun.insert(upload.map_err(|fault| not_written(&fault))?)
            }
        };
        let sent = upload.put_part(part.freeze().into()).await;
        sent.map_err(|fault| not_written(&fault))
    }

    /// The answer to this may be lost, and a service need not know an upload any more that it has completed: then what
    /// lies under the name decides.
    async fn complete(&mut self) -> Result<(), BlobError> {
        let Some(upload) = &mut self.parts.0 else { return Ok(()) };
        if let Err(fault) = upload.complete().await
            && !is_whole(self.store.as_ref(), &self.path, self.size).await?
        {
            return Err(not_written(&fault));
        }
        self.parts.0 = None;
        Ok(())
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        if let Some(upload) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            drop(runtime.spawn(abort(upload)));
        }
    }
}

async fn abort(mut upload: Box<dyn MultipartUpload>) {
    if let Err(fault) = upload.abort().await {
        let fault = not_written(&fault);
        tracing::warn!(%fault, "the parts of an upload that was broken off stay behind");
    }
}
