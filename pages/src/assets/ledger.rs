//! The records of files and tasks: JSON, so that a person with a dump can read them, each read and written with its
//! revision.

use std::sync::LazyLock;

use recto_store::{Id, PageKey, Record, RecordKey, RecordWrite, RecordsError, Store};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::FileError;
use super::blobs::ContentHash;

/// How many records are read at a time.
const LIST_AT_ONCE: usize = 256;
/// How often records are looked at again where they change under the writer's hands.
const TRIES_MAX: usize = 8;

/// A kind of record with a table of its own.
pub(crate) trait Stored: Serialize + DeserializeOwned + Send {
    /// The table.
    const TABLE: &'static LazyLock<Id>;
}

/// A record with the revision that it was read at.
#[derive(Clone, Debug)]
pub(crate) struct Versioned<T> {
    pub revision: u64,
    pub value: T,
}

/// Whether records were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrote {
    Yes,
    /// One has changed, or it is not known: read again, and decide again.
    LookAgain,
}

/// How often something that changes under the writer's hands is still looked at again.
#[derive(Debug)]
pub(crate) struct Tries {
    left: usize,
    what: &'static str,
}

/// The records of one store.
#[derive(Clone, Debug)]
pub(crate) struct Ledger(pub Store);

/// A file that was uploaded to a chat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AttachmentRecord {
    pub v: u8,
    /// The name of its bytes.
    pub file: String,
    #[serde(with = "hex_hash")]
    pub hash: ContentHash,
    pub size: u64,
    pub declared: Option<String>,
    pub created_ms: i64,
}

/// What is known of making an attachment an asset.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PromotionRecord {
    pub v: u8,
    pub asset: String,
    #[serde(with = "hex_hash")]
    pub hash: ContentHash,
    #[serde(with = "hex_hash")]
    pub upload_key: ContentHash,
    pub state: PromotionState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PromotionState {
    Reserved,
    Promoted,
}

/// Which attachment an upload key is of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UploadRecord {
    pub v: u8,
    pub attachment: String,
}

/// A file of the workspace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AssetRecord {
    pub v: u8,
    pub attachment: String,
    #[serde(with = "hex_hash")]
    pub hash: ContentHash,
    pub size: u64,
    pub media_type: String,
    pub width: u32,
    pub height: u32,
    pub created_ms: i64,
    /// When it was handed out last, where that is later and was worth noting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched_ms: Option<i64>,
    /// When it was collected.
    pub deleted_ms: Option<i64>,
}

macro_rules! tables {
    ($($record:ident $table:ident $name:literal;)*) => {
        $(
            static $table: LazyLock<Id> = LazyLock::new(|| table($name));
            impl Stored for $record {
                const TABLE: &'static LazyLock<Id> = &$table;
            }
        )*
    };
}

tables! {
    AttachmentRecord ATTACHMENTS "attachment";
    PromotionRecord PROMOTIONS "promotion";
    UploadRecord UPLOADS "upload";
    AssetRecord ASSETS "asset";
}

/// The id of a table.
pub(crate) fn table(name: &'static str) -> Id {
    Id::new(name).unwrap_or_else(|fault| unreachable!("{name} is an id: {fault}"))
}

impl AssetRecord {
    /// Since when nobody has asked for it, in ms since 1970.
    pub(crate) fn idle_since_ms(&self) -> i64 {
        self.touched_ms.unwrap_or(self.created_ms).max(self.created_ms)
    }

    pub(crate) fn is_live(&self) -> bool {
        self.deleted_ms.is_none()
    }
}

impl Tries {
    /// Of something that is named as in "the task".
    pub(crate) fn of(what: &'static str) -> Self {
        Self { left: TRIES_MAX, what }
    }

    /// To be called before each try.
    pub(crate) fn next(&mut self) -> Result<(), FileError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| FileError::Unavailable {
            reason: format!("{} changes faster than this request can follow", self.what),
        })?;
        Ok(())
    }
}

impl Ledger {
    /// A record, if it is there.
    pub(crate) async fn read<T: Stored>(&self, scope: &Id, key: &RecordKey) -> Result<Option<Versioned<T>>, FileError> {
        let found = self.0.record(scope, T::TABLE, key).await?;
        found
            .map(|record| {
                Ok(Versioned {
                    revision: record.revision,
                    value: decode::<T>(key, &record.value)?,
                })
            })
            .transpose()
    }

    /// All records of a table, by key.
    pub(crate) async fn list<T: Stored>(&self, scope: &Id) -> Result<Vec<(String, Versioned<T>)>, FileError> {
        let mut all = Vec::new();
        let decoding = self.each(scope, T::TABLE, |record| {
            let value = decode::<T>(&record.key, &record.value)?;
            let revision = record.revision;
            all.push((record.key.as_str().to_owned(), Versioned { revision, value }));
            Ok(())
        });
        decoding.await?;
        Ok(all)
    }

    /// Visits all records of a table, by key, as they are stored.
    pub(crate) async fn each(
        &self,
        scope: &Id,
        table: &Id,
        mut visit: impl FnMut(&Record) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let mut after = None;
        loop {
            let found = self.0.records(scope, table, "", after.as_ref(), LIST_AT_ONCE).await?;
            let Some(last) = found.last() else { return Ok(()) };
            after = Some(last.key.clone());
            found.iter().try_for_each(&mut visit)?;
        }
    }

    /// Writes records of a workspace, all or none.
    pub(crate) async fn write(&self, scope: &Id, writes: Vec<RecordWrite>) -> Result<Wrote, FileError> {
        // What belongs to a workspace lives in the partition of its id.
        let home = PageKey::new(scope.clone(), scope.clone());
        match self.0.write_records(&home, writes).await {
            Ok(()) => Ok(Wrote::Yes),
            Err(RecordsError::Conflict { .. } | RecordsError::OutcomeUnknown { .. }) => Ok(Wrote::LookAgain),
            Err(RecordsError::Unavailable(reason)) => Err(FileError::Unavailable {
                reason: reason.to_string(),
            }),
            // Trying again would not help.
            Err(fault @ (RecordsError::TooLarge { .. } | RecordsError::Rejected(_))) => Err(FileError::Unwritable {
                reason: fault.to_string(),
            }),
        }
    }
}

/// A record to be written at a revision.
pub(crate) fn put<T: Stored>(key: RecordKey, expected_revision: u64, value: &T) -> Result<RecordWrite, FileError> {
    let bytes = serde_json::to_vec(value).map_err(|fault| FileError::Corrupt {
        what: format!("a record cannot be written as JSON: {fault}"),
    })?;
    Ok(RecordWrite {
        table: (**T::TABLE).clone(),
        key,
        expected_revision,
        value: bytes.into(),
    })
}

fn decode<T: Stored>(key: &RecordKey, bytes: &[u8]) -> Result<T, FileError> {
    serde_json::from_slice(bytes).map_err(|fault| FileError::Corrupt {
        what: format!("record {key} of table {} does not decode: {fault}", **T::TABLE),
    })
}

/// A hash as hexadecimal digits.
mod hex_hash {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(hash: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&blake3::Hash::from_bytes(*hash).to_hex())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(from)?;
        let hash = blake3::Hash::from_hex(&text).map_err(D::Error::custom)?;
        Ok(*hash.as_bytes())
    }
}
