//! What a start finds half done: promotions that were reserved, files that no record names, parts of files.

use std::collections::HashSet;

use recto_store::Id;

use super::ledger::{AttachmentRecord, PromotionRecord, PromotionState};
use super::{Assets, AttachmentId, FileError};

/// What a recovery did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Promotions that were finished.
    pub promoted: usize,
    /// Promotions that could not be finished; the next promotion of the same attachment tries again.
    pub left: usize,
    /// Files that no record names, and parts of files, dropped.
    pub dropped: usize,
}

impl Assets {
    /// Finishes what a crash left half done. To be called before uploads are taken: a file on its way in has no record
    /// yet.
    ///
    /// # Errors
    /// Where the ledger or the store of files cannot be read.
    pub async fn recover(&self, scope: &Id) -> Result<Recovered, FileError> {
        let mut recovered = Recovered::default();
        for (key, found) in self.ledger().list::<PromotionRecord>(scope).await? {
            if found.value.state != PromotionState::Reserved {
                continue;
            }
            let attachment = AttachmentId::named(&key).map_err(|fault| FileError::Corrupt {
                what: format!("a promotion names {key:?}: {fault}"),
            })?;
            match self.promote_attachment(scope, &attachment).await {
                Ok(_) => recovered.promoted += 1,
                Err(fault) => {
                    tracing::warn!(%attachment, %fault, "a promotion that was begun cannot be finished now");
                    recovered.left += 1;
                }
            }
        }
        recovered.dropped = self.drop_partial(scope).await? + self.drop_nameless(scope).await?;
        Ok(recovered)
    }

    async fn drop_nameless(&self, scope: &Id) -> Result<usize, FileError> {
        let records = self.ledger().list::<AttachmentRecord>(scope).await?;
        let named: HashSet<String> = records.into_iter().map(|(_, found)| found.value.file).collect();
        let mut dropped = 0;
        for name in self.blobs().files(scope).await? {
            if !named.contains(&name) {
                self.blobs().delete(&name).await?;
                dropped += 1;
            }
        }
        Ok(dropped)
    }
}
