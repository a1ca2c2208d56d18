//! The stored types of schema 1. They are frozen: a new variant at the end of an enum is the only
//! change allowed here, everything else is a new module.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number of this schema.
pub(super) const SCHEMA: u8 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct Event<'a> {
    pub(super) prev_hash: [u8; 32],
    pub(super) kind: u8,
    pub(super) schema: u16,
    pub(super) time_ms: i64,
    pub(super) epoch: u64,
    pub(super) flags: u32,
    pub(super) actor: &'a str,
    pub(super) turn: Option<&'a str>,
    pub(super) command: &'a str,
    pub(super) cause: Option<Cause>,
    pub(super) digest: [u8; 32],
    #[serde(borrow)]
    pub(super) delta: Raw<'a>,
    #[serde(borrow)]
    pub(super) inverse: Raw<'a>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Cause {
    pub(super) kind: u8,
    pub(super) version: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Receipt<'a> {
    /// The number of events; they end at `head_version`.
    pub(super) events: u64,
    pub(super) head_version: u64,
    pub(super) head_hash: [u8; 32],
    pub(super) time_ms: i64,
    pub(super) fingerprint: [u8; 32],
    pub(super) durability: Durability,
    #[serde(borrow)]
    pub(super) outcome: Raw<'a>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Durability {
    Synced,
    Relaxed,
    Memory,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) format: u32,
    pub(super) store_id: [u8; 16],
    pub(super) partitions: u16,
}

/// Bytes in one piece: length and bytes, borrowed when read.
pub(super) struct Raw<'a>(pub(super) &'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(RawVisitor).map(Raw)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = &'de [u8];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("borrowed bytes")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<&'de [u8], E> {
        Ok(bytes)
    }
}
