//! Three domains of ids, three types: an attachment, an asset, a submitted task. This is the one place where a text
//! becomes one of them.

use std::fmt;
use std::str::FromStr;

use recto_store::{Id, IdError, RecordKey};
use uuid::Uuid;

/// Where a model sees the attachments of its chat.
pub const ATTACHMENT_FOLDER: &str = "/mnt/attachments/";
/// What the ids of images made by tasks begin with; no upload may take one.
const RESULT_PREFIX: &str = "task:";

/// A file that was uploaded to a chat.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttachmentId(Id);

/// A file of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(Uuid);

/// An image job that the image service has taken, by the service's own name for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(Id);

/// What a tool may be given where a file is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRef {
    /// `/mnt/attachments/…`, or a name that is no UUID.
    Attachment(AttachmentId),
    /// A UUID: an asset, or else the attachment of that name.
    Either(AssetId, AttachmentId),
}

/// The text is no id of its domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFileId {
    /// It breaks the rules of all ids.
    #[error(transparent)]
    Id(#[from] IdError),
    /// It would not be one name in a folder.
    #[error("the id of an attachment is one name: without \"/\", and not \".\" or \"..\"")]
    NotAName,
    /// It is kept for images that tasks make.
    #[error("ids that begin with \"{RESULT_PREFIX}\" are those of images made by tasks")]
    Reserved,
    /// It is no UUID.
    #[error("the id of an asset is a UUID")]
    NotAUuid,
}

impl AttachmentId {
    /// Takes the name of an attachment that is to be uploaded.
    ///
    /// # Errors
    /// [`BadFileId`] says what is wrong with it.
    pub fn new(name: &str) -> Result<Self, BadFileId> {
        if name.starts_with(RESULT_PREFIX) {
            return Err(BadFileId::Reserved);
        }
        Self::named(name)
    }

    /// The name under which the image of a task becomes an asset.
    pub(crate) fn of_result(name: &str) -> Result<Self, BadFileId> {
        Self::named(&format!("{RESULT_PREFIX}{name}"))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Takes the name of an attachment that may be there.
    pub(crate) fn named(name: &str) -> Result<Self, BadFileId> {
        if name.contains('/') || matches!(name, "." | "..") {
            return Err(BadFileId::NotAName);
        }
        Ok(Self(Id::new(name)?))
    }

    pub(crate) fn key(&self) -> RecordKey {
        RecordKey::from(&self.0)
    }
}

impl AssetId {
    /// A new one. Later ones sort after earlier ones.
    pub(crate) fn mint() -> Self {
        Self(Uuid::now_v7())
    }

    pub(crate) fn key(&self) -> RecordKey {
        RecordKey::new(&self.to_string()).unwrap_or_else(|fault| unreachable!("a UUID is a key: {fault}"))
    }
}

impl TaskId {
    /// Takes the service's name for a task.
    ///
    /// # Errors
    /// [`IdError`] says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, IdError> {
        Id::new(text).map(Self)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for FileRef {
    type Err = BadFileId;

    fn from_str(text: &str) -> Result<Self, BadFileId> {
        if let Some(name) = text.strip_prefix(ATTACHMENT_FOLDER) {
            return AttachmentId::named(name).map(Self::Attachment);
        }
        let attachment = AttachmentId::named(text)?;
        Ok(match text.parse() {
            Ok(asset) => Self::Either(asset, attachment),
            Err(_) => Self::Attachment(attachment),
        })
    }
}

impl FromStr for AssetId {
    type Err = BadFileId;

    /// The form with hyphens alone, so that one asset has one name.
    fn from_str(text: &str) -> Result<Self, BadFileId> {
        let uuid = Uuid::try_parse(text).map_err(|_| BadFileId::NotAUuid)?;
        if uuid.hyphenated().to_string().eq_ignore_ascii_case(text) {
            Ok(Self(uuid))
        } else {
            Err(BadFileId::NotAUuid)
        }
    }
}

impl fmt::Display for AttachmentId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0.hyphenated())
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Display for FileRef {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attachment(attachment) => write!(out, "{ATTACHMENT_FOLDER}{attachment}"),
            Self::Either(asset, _) => write!(out, "{asset}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    const UUID: &str = "0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f";

    #[test]
    fn a_text_is_read_as_what_it_can_be() {
        let attachment = |name: &str| AttachmentId::named(name).unwrap();
        for (text, expected) in [
            ("/mnt/attachments/cat.png", FileRef::Attachment(attachment("cat.png"))),
            ("cat.png", FileRef::Attachment(attachment("cat.png"))),
            (UUID, FileRef::Either(UUID.parse().unwrap(), attachment(UUID))),
            (
                &UUID.replace('-', ""),
                FileRef::Attachment(attachment(&UUID.replace('-', ""))),
            ),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        let under_folder = format!("{ATTACHMENT_FOLDER}{UUID}");
        assert_eq!(under_folder.parse(), Ok(FileRef::Attachment(attachment(UUID))));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "a/b", "/mnt/attachments/", "/mnt/attachments/../x", "..", "a\nb"] {
            assert!(text.parse::<FileRef>().is_err(), "{text:?}");
        }
        assert_eq!(AttachmentId::new("task:1"), Err(BadFileId::Reserved));
        assert!(AttachmentId::of_result("1").is_ok());
        assert!("{0192f0c1-7a3b-7c5d-8e9f-0a1b2c3d4e5f}".parse::<AssetId>().is_err());
    }

    #[test]
    fn an_asset_has_one_name() {
        let id: AssetId = UUID.to_uppercase().parse().unwrap();
        assert_eq!(id.to_string(), UUID);
    }
}
