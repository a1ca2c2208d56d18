//! What is known of a page beside its stream: its kind, its file, its beginning.

use std::str::FromStr;
use std::sync::LazyLock;

use recto_projections::{Kind, Value};
use recto_store::{Id, IdError, Key, PageKey, RecordKey};
use serde_json::{Value as Json, json};

use crate::error::ReadError;

/// The record table with one entry a page, by page id.
pub(crate) static PAGE_TABLE: LazyLock<Id> = LazyLock::new(|| table("page"));
/// The record table with one entry a page that is in a file, by file and page id.
pub(crate) static FILE_TABLE: LazyLock<Id> = LazyLock::new(|| table("file"));

fn table(name: &'static str) -> Id {
    Id::new(name).unwrap_or_else(|fault| unreachable!("{name} is an id: {fault}"))
}

/// What a page is, fixed when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageMeta {
    /// DESIGN, DOC, CODE or SHEET.
    pub kind: Kind,
    /// The file of the design tool that the page is in.
    pub file: Option<String>,
    /// When the page was made, in ms since 1970.
    pub created_ms: i64,
    /// What it was made with: making it once more with the same is no conflict.
    pub(crate) content: [u8; 32],
}

impl PageMeta {
    /// The key of a page's record.
    #[must_use]
    pub fn key(page: &PageKey) -> Key {
        Key::record(&page.scope, &PAGE_TABLE, &RecordKey::from(&page.page))
    }

    /// The key of a page's entry in the list of its file.
    ///
    /// # Errors
    /// [`IdError`], where the file's name is none.
    pub fn file_key(page: &PageKey, file: &str) -> Result<Key, IdError> {
        let key = RecordKey::join(&[&Id::new(file)?, &page.page])?;
        Ok(Key::record(&page.scope, &FILE_TABLE, &key))
    }

    /// The page that a record belongs to, and whether the record is the page's entry in the list of its file. `None`
    /// for records that are about no page.
    #[must_use]
    pub fn page_of(key: &Key) -> Option<(PageKey, bool)> {
        let Key::Record { scope, table, key } = key else {
            return None;
        };
        let in_file = *table == *FILE_TABLE;
        if !in_file && *table != *PAGE_TABLE {
            return None;
        }
        let page = Id::new(key.parts().last()?).ok()?;
        Some((PageKey::new(scope.clone(), page), in_file))
    }

    /// The same page, made with another value and in another file.
    #[must_use]
    pub fn with_content(&self, file: Option<String>, first: &Value) -> Self {
        Self {
            content: content_hash(self.kind, file.as_deref(), first),
            file,
            ..*self
        }
    }

    /// The record: JSON, so that a person with a dump can read it.
    #[must_use]
    pub fn to_record(&self) -> Vec<u8> {
        json!({
            "v": 1,
            "kind": self.kind.as_str(),
            "file": self.file,
            "createdMs": self.created_ms,
            "content": blake3::Hash::from_bytes(self.content).to_hex().as_str(),
        })
        .to_string()
        .into_bytes()
    }

    /// Reads a page's record.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`], where the bytes are none.
    pub fn from_record(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse(bytes).ok_or_else(|| ReadError::Corrupt {
            version: 1,
            what: "the record of the page does not decode".to_owned(),
        })
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let record: Json = serde_json::from_slice(bytes).ok()?;
        if record.get("v")?.as_u64()? != 1 {
            return None;
        }
        let file = match record.get("file")? {
            Json::Null => None,
            file => Some(file.as_str()?.to_owned()),
        };
        Some(Self {
            kind: Kind::from_str(record.get("kind")?.as_str()?).ok()?,
            file,
            created_ms: record.get("createdMs")?.as_i64()?,
            content: *blake3::Hash::from_hex(record.get("content")?.as_str()?)
                .ok()?
                .as_bytes(),
        })
    }
}

/// What a page was made with, as a hash.
pub(crate) fn content_hash(kind: Kind, file: Option<&str>, value: &Value) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("recto 2026 page content v1");
    hasher.update(&[kind.code(), u8::from(file.is_some())]);
    hasher.update(value.digest().as_bytes());
    hasher.update(file.unwrap_or_default().as_bytes());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_and_damage_is_an_error() {
        for file in [None, Some("menu".to_owned())] {
            let meta = PageMeta {
                kind: Kind::Doc,
                file,
                created_ms: -5,
                content: [7; 32],
            };
            let bytes = meta.to_record();
            assert_eq!(PageMeta::from_record(&bytes).ok(), Some(meta));
            for end in 0..bytes.len() {
                assert!(PageMeta::from_record(&bytes[..end]).is_err());
            }
        }
    }
}
