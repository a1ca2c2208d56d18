//! What an image node names: the asset, where a tool was given an attachment.

use recto_store::Id;

use crate::assets::{ATTACHMENT_FOLDER, Assets, FileError};

impl Assets {
    /// The id that an image node gets for what a tool was given. An attachment becomes an asset, once, as everywhere. An id
    /// that is neither stays as it is: a page may name an asset before it is there, and is told that it is missing.
    ///
    /// # Errors
    /// As [`Assets::promote_text`]; above all for a path to an attachment that is not there, or is no image.
    pub async fn named(&self, scope: &Id, given: &str) -> Result<Id, FileError> {
        let named =
            match self.promote_text(scope, given).await {
                Ok(asset) => asset.id.to_string(),
                Err(
                    FileError::AttachmentNotFound { .. } | FileError::AssetNotFound { .. } | FileError::BadId { .. },
                ) if !given.starts_with(ATTACHMENT_FOLDER) => given.to_owned(),
                Err(fault) => return Err(fault),
            };
        Id::new(&named).map_err(|fault| FileError::BadId {
            given: named.chars().take(64).collect(),
            fault: fault.into(),
        })
    }
}
