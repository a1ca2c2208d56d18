//! What work on files can be refused with. Each variant says what its caller can do.

use recto_store::ReadError as StoreReadError;

use super::blobs::BlobError;
use super::ids::BadFileId;
use super::sniff::NotAnImage;
use crate::error::ReadError;

/// Why nothing was done with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The text names no file.
    #[error("{given:?} names no file: {fault}")]
    BadId {
        /// What was given.
        given: String,
        /// Why.
        fault: BadFileId,
    },
    /// There is no such attachment in this workspace.
    #[error("there is no attachment {attachment:?} in this workspace; ask the user to attach the file again")]
    AttachmentNotFound {
        /// The id that was asked for.
        attachment: String,
    },
    /// There is no such asset in this workspace, or it was collected.
    #[error("there is no asset {asset:?} in this workspace; use an asset that is there")]
    AssetNotFound {
        /// The id that was asked for.
        asset: String,
    },
    /// The attachment is there with other bytes.
    #[error("attachment {attachment:?} is there with other content; upload this under another id")]
    AttachmentExists {
        /// Its id.
        attachment: String,
    },
    /// The attachment is no image that can be used.
    #[error("attachment {attachment:?} cannot become an asset: {fault}")]
    NotAnImage {
        /// Its id.
        attachment: String,
        /// Why.
        fault: NotAnImage,
    },
    /// The upload is too large.
    #[error("a file has at most {limit} bytes; send a smaller one")]
    TooLarge {
        /// The most bytes.
        limit: u64,
    },
    /// The upload did not arrive whole; nothing of it stays.
    #[error("the file did not arrive whole; send it again")]
    BrokenOff,
    /// What is stored is not what was written.
    #[error("stored bytes are damaged: {what}")]
    Corrupt {
        /// What is wrong.
        what: String,
    },
    /// A record of it is over a limit of the store, now and later.
    #[error("this cannot be stored: {reason}; ask for less at a time")]
    Unwritable {
        /// Why.
        reason: String,
    },
    /// Not now; the same request may pass later.
    #[error("this cannot be done now: {reason}; try again later")]
    Unavailable {
        /// Why.
        reason: String,
    },
}

impl FileError {
    /// Whether the server is at fault, and not the request.
    pub(crate) fn is_servers(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Unavailable { .. })
    }
}

impl From<StoreReadError> for FileError {
    fn from(fault: StoreReadError) -> Self {
        match &fault {
            StoreReadError::Corrupt { .. } => Self::Corrupt {
                what: fault.to_string(),
            },
            StoreReadError::Unavailable(reason) => Self::Unavailable {
                reason: reason.to_string(),
            },
        }
    }
}

impl From<ReadError> for FileError {
    fn from(fault: ReadError) -> Self {
        match &fault {
            ReadError::Unavailable { reason } => Self::Unavailable { reason: reason.clone() },
            other => Self::Corrupt {
                what: other.to_string(),
            },
        }
    }
}

impl From<BlobError> for FileError {
    fn from(fault: BlobError) -> Self {
        match &fault {
            BlobError::Missing { .. } => Self::Corrupt {
                what: fault.to_string(),
            },
            BlobError::Unavailable { .. } | BlobError::BadPlace { .. } => Self::Unavailable {
                reason: fault.to_string(),
            },
        }
    }
}
