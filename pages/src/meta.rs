//! What is known of a page beside its stream: its kind, its file, its beginning.

use std::str::FromStr;
use std::sync::LazyLock;

use recto_projections::Kind;
use recto_store::Id;
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
    /// The record: JSON, so that a person with a dump can read it.
    pub(crate) fn to_record(&self) -> Vec<u8> {
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

    pub(crate) fn from_record(bytes: &[u8]) -> Result<Self, ReadError> {
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
