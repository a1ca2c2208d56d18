//! The stored types of schema 1. They are frozen: a new variant at the end of an enum is the only
//! change allowed here, everything else is a new module.

use bincode::{BorrowDecode, Encode};

/// The number of this schema.
pub(super) const SCHEMA: u8 = 1;

#[derive(Encode, BorrowDecode)]
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
    pub(super) delta: &'a [u8],
    pub(super) inverse: &'a [u8],
}

#[derive(Encode, BorrowDecode)]
pub(super) struct Cause {
    pub(super) kind: u8,
    pub(super) version: u64,
}

#[derive(Encode, BorrowDecode)]
pub(super) struct Receipt<'a> {
    /// The number of events; they end at `head_version`.
    pub(super) events: u64,
    pub(super) head_version: u64,
    pub(super) head_hash: [u8; 32],
    pub(super) time_ms: i64,
    pub(super) fingerprint: [u8; 32],
    pub(super) durability: Durability,
    pub(super) outcome: &'a [u8],
}

#[derive(Encode, BorrowDecode)]
pub(super) enum Durability {
    Synced,
    Relaxed,
    Memory,
}

#[derive(Encode, BorrowDecode)]
pub(super) struct Meta {
    pub(super) format: u32,
    pub(super) store_id: [u8; 16],
    pub(super) partitions: u16,
}
