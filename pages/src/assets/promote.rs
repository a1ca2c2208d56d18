//! Making an attachment an asset, once: reserve, upload, commit.

use bytes::Bytes;
use recto_store::{Id, RecordKey};

use super::blobs::ContentHash;
use super::ledger::{
    AssetRecord, AttachmentRecord, PromotionRecord, PromotionState, Tries, UploadRecord, Versioned, Wrote, put,
};
use super::sniff::{ImageInfo, sniff};
use super::{Asset, AssetId, Assets, AttachmentId, FileError, FileRef};
use crate::crash::Point;

const KEY_DOMAIN: &str = "recto 2026 upload key v1";

/// An attachment that was looked at.
struct Source {
    bytes: Bytes,
    hash: ContentHash,
    image: ImageInfo,
}

impl Assets {
    /// The asset that a file is or becomes: the same one for ever, for any number of callers at once.
    ///
    /// # Errors
    /// [`FileError`] says what the user can do: above all [`FileError::AttachmentNotFound`],
    /// [`FileError::AssetNotFound`] and [`FileError::NotAnImage`].
    pub async fn promote(&self, scope: &Id, file: &FileRef) -> Result<Asset, FileError> {
        let promoted = match file {
            FileRef::Attachment(attachment) => self.promote_attachment(scope, attachment).await,
            FileRef::Either(asset, attachment) => match self.hand_out(scope, *asset).await? {
                Some(asset) => return Ok(asset),
                None => self
                    .promote_attachment(scope, attachment)
                    .await
                    .map_err(|fault| match fault {
                        FileError::AttachmentNotFound { .. } => FileError::AssetNotFound {
                            asset: asset.to_string(),
                        },
                        fault => fault,
                    }),
            },
        };
        let outcome = match &promoted {
            Ok(_) => "promoted",
            Err(fault) if fault.is_servers() => "failed",
            Err(_) => "refused",
        };
        metrics::counter!("recto_promotions_total", "outcome" => outcome).increment(1);
        promoted
    }

    /// As [`Assets::promote`], of a text as a tool was given it.
    ///
    /// # Errors
    /// As there, and [`FileError::BadId`].
    pub async fn promote_text(&self, scope: &Id, given: &str) -> Result<Asset, FileError> {
        let file: FileRef = given.parse().map_err(|fault| FileError::BadId {
            given: given.chars().take(64).collect(),
            fault,
        })?;
        self.promote(scope, &file).await
    }

    pub(super) async fn promote_attachment(&self, scope: &Id, attachment: &AttachmentId) -> Result<Asset, FileError> {
        let _lock = self.lock_attachment(scope, attachment).await;
        let mut tries = Tries::of("the promotion");
        loop {
            tries.next()?;
            let known = self.ledger().read::<PromotionRecord>(scope, &attachment.key()).await?;
            if let Some(asset) = self.promoted(scope, known.as_ref()).await? {
                return Ok(asset);
            }
            let _place = self.promoting().acquire().await;
            let source = self.source(scope, attachment).await?;
            let reserved = match known {
                Some(known) => known,
                None => match self.reserve(scope, attachment, &source).await? {
                    Some(reserved) => reserved,
                    None => continue,
                },
            };
            self.crash().reached(Point::PromoteReserved).await;
            if let Some(asset) = self.upload_and_commit(scope, attachment, reserved, source).await? {
                return Ok(asset);
            }
        }
    }

    /// The asset, where all is done.
    async fn promoted(
        &self,
        scope: &Id,
        known: Option<&Versioned<PromotionRecord>>,
    ) -> Result<Option<Asset>, FileError> {
        match known {
            Some(known) if known.value.state == PromotionState::Promoted => {
                self.hand_out(scope, asset_id(&known.value)?).await
            }
            _ => Ok(None),
        }
    }

    /// Reads the attachment and looks at what it is. Whatever is wrong with it, nothing was reserved.
    async fn source(&self, scope: &Id, attachment: &AttachmentId) -> Result<Source, FileError> {
        let found = self.ledger().read::<AttachmentRecord>(scope, &attachment.key()).await?;
        let record = found
            .map(|found| found.value)
            .ok_or_else(|| FileError::AttachmentNotFound {
                attachment: attachment.to_string(),
            })?;
        let bytes = self.blobs().file(&record.file).await?;
        let size = bytes.len();
        let looked_at = self.pages().compute(size, {
            let (bytes, declared) = (bytes.clone(), record.declared.clone());
            move || (blake3::hash(&bytes), sniff(&bytes, declared.as_deref()))
        });
        let (hash, image) = looked_at.await?;
        if *hash.as_bytes() != record.hash {
            return Err(FileError::Corrupt {
                what: format!("attachment {attachment} has other bytes than were uploaded"),
            });
        }
        let image = image.map_err(|fault| FileError::NotAnImage {
            attachment: attachment.to_string(),
            fault,
        })?;
        Ok(Source {
            bytes,
            hash: record.hash,
            image,
        })
    }

    /// Writes the promotion and its upload key, both or neither. `None`: another one was faster.
    async fn reserve(
        &self,
        scope: &Id,
        attachment: &AttachmentId,
        source: &Source,
    ) -> Result<Option<Versioned<PromotionRecord>>, FileError> {
        let upload_key = upload_key(scope, attachment, &source.hash);
        let promotion = PromotionRecord {
            v: 1,
            asset: AssetId::mint().to_string(),
            hash: source.hash,
            upload_key,
            state: PromotionState::Reserved,
        };
        let upload = UploadRecord {
            v: 1,
            attachment: attachment.to_string(),
        };
        let writes = vec![
            put(attachment.key(), 0, &promotion)?,
            put(hex_key(&upload_key), 0, &upload)?,
        ];
        let wrote = self.ledger().write(scope, writes).await?;
        Ok((wrote == Wrote::Yes).then_some(Versioned {
            revision: 1,
            value: promotion,
        }))
    }

    /// `None`: another one was faster.
    async fn upload_and_commit(
        &self,
        scope: &Id,
        attachment: &AttachmentId,
        reserved: Versioned<PromotionRecord>,
        source: Source,
    ) -> Result<Option<Asset>, FileError> {
        let id = asset_id(&reserved.value)?;
        if reserved.value.hash != source.hash {
            return Err(FileError::Corrupt {
                what: format!("the promotion of {attachment} was reserved for other bytes"),
            });
        }
        // Held until the record is there: whoever drops unused content does not look in between.
        let _content = self.lock_content(scope, &source.hash).await;
        let size = u64::try_from(source.bytes.len()).unwrap_or(u64::MAX);
        self.blobs().put_blob(scope, &source.hash, source.bytes).await?;
        self.crash().reached(Point::PromoteUploaded).await;

        let key = id.key();
        // Of an asset that was collected a record is there, and it comes back under its id.
        let earlier = self.ledger().read::<AssetRecord>(scope, &key).await?;
        let record = AssetRecord {
            v: 1,
            attachment: attachment.to_string(),
            hash: source.hash,
            size,
            media_type: source.image.format.media_type().to_owned(),
            width: source.image.width,
            height: source.image.height,
            created_ms: self.pages().clock().now_ms(),
            touched_ms: None,
            deleted_ms: None,
        };
        let promotion = PromotionRecord {
            state: PromotionState::Promoted,
            ..reserved.value
        };
        let writes = vec![
            put(attachment.key(), reserved.revision, &promotion)?,
            put(key, earlier.map_or(0, |earlier| earlier.revision), &record)?,
        ];
        if self.ledger().write(scope, writes).await? == Wrote::LookAgain {
            return Ok(None);
        }
        self.crash().reached(Point::PromoteCommitted).await;
        self.tell_promoted(scope, attachment.as_str(), id);
        Ok(Some(Asset::of(id, record)))
    }
}

/// The name under which the upload of an attachment is idempotent.
fn upload_key(scope: &Id, attachment: &AttachmentId, hash: &ContentHash) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key(KEY_DOMAIN);
    // No id holds a control character, so the line breaks keep the parts apart.
    hasher
        .update(scope.as_str().as_bytes())
        .update(b"\n")
        .update(attachment.as_str().as_bytes())
        .update(b"\n")
        .update(hash);
    *hasher.finalize().as_bytes()
}

fn asset_id(promotion: &PromotionRecord) -> Result<AssetId, FileError> {
    promotion.asset.parse().map_err(|_| FileError::Corrupt {
        what: format!("{:?} in a promotion is no asset id", promotion.asset),
    })
}

fn hex_key(hash: &ContentHash) -> RecordKey {
    let text = blake3::Hash::from_bytes(*hash).to_hex();
    RecordKey::new(&text).unwrap_or_else(|fault| unreachable!("a hash is a key: {fault}"))
}
