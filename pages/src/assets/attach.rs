//! Taking an upload: piece by piece, within the limit, hashed as it comes.

use bytes::Bytes;
use futures::{Stream, StreamExt};
use recto_store::Id;

use super::blobs::ContentHash;
use super::incoming::{Arrived, Incoming};
use super::ledger::{AttachmentRecord, Tries, Wrote, put};
use super::{Assets, AttachmentId, FileError, NotAnImage};
use crate::crash::Point;

/// The longest media type that is kept, in bytes.
const DECLARED_BYTES_MAX: usize = 128;

/// A file that was uploaded to a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Its id.
    pub attachment: AttachmentId,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// How many bytes it has.
    pub size: u64,
    /// The media type that it was sent with.
    pub declared: Option<String>,
    /// When it came, in ms since 1970.
    pub created_ms: i64,
    /// Whether it was there already, with its file.
    pub replayed: bool,
}

/// A file that has come whole, and is no attachment yet. Dropped, nothing of it stays.
pub struct Received {
    incoming: Incoming,
}

impl Assets {
    /// Takes a file as an attachment. The same bytes again are the same attachment; what it is comes out when it is
    /// promoted.
    ///
    /// # Errors
    /// Those of [`Assets::receive`] and [`Assets::keep`].
    pub async fn attach<S, E>(
        &self,
        scope: &Id,
        attachment: &AttachmentId,
        declared: Option<&str>,
        body: S,
    ) -> Result<Attached, FileError>
    where
        S: Stream<Item = Result<Bytes, E>> + Send + Unpin,
        E: Send,
    {
        let received = self.receive(scope, attachment, body).await?;
        self.keep(scope, attachment, declared, received).await
    }

    /// The first half of [`Assets::attach`]: takes the bytes. Its caller may go away at any point.
    ///
    /// # Errors
    /// [`FileError::TooLarge`], [`FileError::BrokenOff`], and for no bytes at all [`FileError::NotAnImage`]. Nothing of a
    /// refused file stays.
    pub async fn receive<S, E>(&self, scope: &Id, attachment: &AttachmentId, mut body: S) -> Result<Received, FileError>
    where
        S: Stream<Item = Result<Bytes, E>> + Send + Unpin,
        E: Send,
    {
        let limit = self.settings().file_bytes_max;
        let mut incoming = self.blobs().incoming(scope);
        while let Some(chunk) = body.next().await {
            let Ok(chunk) = chunk else {
                incoming.abandon().await;
                return Err(FileError::BrokenOff);
            };
            let size = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            if incoming.size().saturating_add(size) > limit {
                incoming.abandon().await;
                return Err(FileError::TooLarge { limit });
            }
            incoming.push(&chunk).await?;
        }
        if incoming.size() == 0 {
            incoming.abandon().await;
            return Err(FileError::NotAnImage {
                attachment: attachment.to_string(),
                fault: NotAnImage::Empty,
            });
        }
        Ok(Received { incoming })
    }

    /// The second half: stores the file under a name, and notes the name. It is to be carried through: a file that is
    /// stored and not noted is found by the next start only.
    ///
    /// # Errors
    /// [`FileError::AttachmentExists`] where the id is taken by other bytes; nothing of the file stays then.
    pub async fn keep(
        &self,
        scope: &Id,
        attachment: &AttachmentId,
        declared: Option<&str>,
        received: Received,
    ) -> Result<Attached, FileError> {
        let arrived = received.incoming.finish().await?;
        self.crash().reached(Point::AttachStored).await;
        let declared = declared.map(|text| text.chars().take(DECLARED_BYTES_MAX).collect::<String>());
        let kept = self.note(scope, attachment, declared, &arrived).await;
        let is_named = match &kept {
            Ok(attached) => !attached.replayed,
            // It is not known; recovery tidies up.
            Err(fault) => matches!(fault, FileError::Unavailable { .. }),
        };
        if !is_named {
            self.blobs().delete(&arrived.name).await?;
        }
        kept
    }

    async fn note(
        &self,
        scope: &Id,
        attachment: &AttachmentId,
        declared: Option<String>,
        arrived: &Arrived,
    ) -> Result<Attached, FileError> {
        let _lock = self.lock_attachment(scope, attachment).await;
        let mut tries = Tries::of("the attachment");
        loop {
            tries.next()?;
            let known = self.ledger().read::<AttachmentRecord>(scope, &attachment.key()).await?;
            let revision = known.as_ref().map_or(0, |known| known.revision);
            let record = match known.map(|known| known.value) {
                None => new_record(arrived, declared.clone(), self.pages().clock().now_ms()),
                // An earlier try landed after all.
                Some(record) if record.file == arrived.name => return Ok(attached(attachment, record, arrived)),
                Some(record) if record.hash != arrived.hash => {
                    return Err(FileError::AttachmentExists {
                        attachment: attachment.to_string(),
                    });
                }
                Some(record) => match self.better(record.clone(), declared.as_deref(), arrived).await? {
                    Some(better) => better,
                    None => return Ok(attached(attachment, record, arrived)),
                },
            };
            let write = put(attachment.key(), revision, &record)?;
            if self.ledger().write(scope, vec![write]).await? == Wrote::Yes {
                return Ok(attached(attachment, record, arrived));
            }
        }
    }

    /// What the same bytes mend in the record of an attachment, if anything: a better name for what they are, and a file
    /// that was lost.
    async fn better(
        &self,
        record: AttachmentRecord,
        declared: Option<&str>,
        arrived: &Arrived,
    ) -> Result<Option<AttachmentRecord>, FileError> {
        let is_there = self.blobs().has(&record.file, record.size).await?;
        if is_there && record.declared.as_deref() == declared {
            return Ok(None);
        }
        let file = if is_there { record.file } else { arrived.name.clone() };
        Ok(Some(AttachmentRecord {
            file,
            declared: declared.map(str::to_owned),
            ..record
        }))
    }
}

fn new_record(arrived: &Arrived, declared: Option<String>, now_ms: i64) -> AttachmentRecord {
    AttachmentRecord {
        v: 1,
        file: arrived.name.clone(),
        hash: arrived.hash,
        size: arrived.size,
        declared,
        created_ms: now_ms,
    }
}

fn attached(attachment: &AttachmentId, record: AttachmentRecord, arrived: &Arrived) -> Attached {
    Attached {
        attachment: attachment.clone(),
        hash: record.hash,
        size: record.size,
        declared: record.declared,
        created_ms: record.created_ms,
        replayed: record.file != arrived.name,
    }
}
