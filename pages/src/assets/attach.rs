//! Taking an upload: piece by piece, within the limit, hashed as it comes.

use bytes::Bytes;
use futures::{Stream, StreamExt};
use recto_store::Id;

use super::blobs::ContentHash;
use super::incoming::Arrived;
use super::ledger::{AttachmentRecord, Versioned, Wrote, put};
use super::{Assets, AttachmentId, FileError, NotAnImage};
use crate::crash::Point;

/// How often the record is looked at again where it changes under the writer's hands.
const TRIES_MAX: usize = 8;
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
    /// Whether it was there already.
    pub replayed: bool,
}

impl Assets {
    /// Takes a file as an attachment. The same bytes again are the same attachment; what it is comes out when it is
    /// promoted.
    ///
    /// # Errors
    /// [`FileError::AttachmentExists`] where the id is taken by other bytes, [`FileError::TooLarge`],
    /// [`FileError::BrokenOff`], and for no bytes at all [`FileError::NotAnImage`]. Nothing of a refused file stays.
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
        let arrived = self.receive(scope, attachment, body).await?;
        self.crash().reached(Point::AttachStored).await;
        let declared = declared.map(|text| text.chars().take(DECLARED_BYTES_MAX).collect::<String>());
        let kept = self.note(scope, attachment, declared, &arrived).await;
        if kept.as_ref().is_ok_and(|kept| !kept.replayed) {
            return kept;
        }
        // Of two uploads the bytes of one are kept; after an error it is not known which, and recovery tidies up.
        if !matches!(kept, Err(FileError::Unavailable { .. })) {
            self.blobs().delete(&arrived.name).await?;
        }
        kept
    }

    async fn receive<S, E>(&self, scope: &Id, attachment: &AttachmentId, mut body: S) -> Result<Arrived, FileError>
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
        Ok(incoming.finish().await?)
    }

    async fn note(
        &self,
        scope: &Id,
        attachment: &AttachmentId,
        declared: Option<String>,
        arrived: &Arrived,
    ) -> Result<Attached, FileError> {
        let _lock = self.lock_attachment(scope, attachment).await;
        for _ in 0..TRIES_MAX {
            let known = self.ledger().read::<AttachmentRecord>(scope, &attachment.key()).await?;
            let (revision, record) = match known {
                None => (0, new_record(arrived, declared.clone(), self.pages().clock().now_ms())),
                Some(Versioned { value, .. }) if value.file == arrived.name => {
                    return Ok(attached(attachment, value, false));
                }
                Some(Versioned { value, .. }) if value.hash != arrived.hash => {
                    return Err(FileError::AttachmentExists {
                        attachment: attachment.to_string(),
                    });
                }
                Some(Versioned { value, .. }) if value.declared == declared => {
                    return Ok(attached(attachment, value, true));
                }
                // The same bytes under a better name for what they are.
                Some(Versioned { revision, mut value }) => {
                    value.declared.clone_from(&declared);
                    (revision, value)
                }
            };
            let write = put(attachment.key(), revision, &record)?;
            if self.ledger().write(scope, vec![write]).await? == Wrote::Yes {
                let replayed = record.file != arrived.name;
                return Ok(attached(attachment, record, replayed));
            }
        }
        Err(FileError::Unavailable {
            reason: "the attachment changes faster than this upload can follow".to_owned(),
        })
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

fn attached(attachment: &AttachmentId, record: AttachmentRecord, replayed: bool) -> Attached {
    Attached {
        attachment: attachment.clone(),
        hash: record.hash,
        size: record.size,
        declared: record.declared,
        created_ms: record.created_ms,
        replayed,
    }
}
